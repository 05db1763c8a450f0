/* Made-up processes: their lines, in the order of their times. */
#include "config.h"

#include "tests/progs/generate.h"

#include "common/safe/record.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MAX_LEN 16384

/* xorshift64 (Marsaglia 2003). */
unsigned pick(unsigned below)
{
	job.random ^= job.random << 13;
	job.random ^= job.random >> 7;
	job.random ^= job.random << 17;
	return (unsigned)(job.random >> 33) % below;
}

/* Room for a line at the end of a queue. */
static char *room(struct queue *q)
{
	if (q->cap - q->fill < LINE_MAX_LEN) {
		q->cap = 2 * q->cap + LINE_MAX_LEN;
		q->text = checked(realloc(q->text, q->cap));
	}
	return q->text + q->fill;
}

static void add(struct queue *q, const struct process *writer, size_t n)
{
	if (q->lines == q->lines_cap) {
		q->lines_cap = 2 * q->lines_cap + 64;
		q->line = checked(realloc(q->line, q->lines_cap * sizeof q->line[0]));
	}
	q->line[q->lines++] =
		(struct line){ q->now_us, q->fill, n, writer->pid, writer->starttime };
	q->fill += n;
}

FILE *open_records(const char *name)
{
	char path[4096];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", asked.directory, name);
	out = fopen(path, "a");
	if (!out || fseek(out, 0, SEEK_END) < 0)
		die("%s: %m", path);
	if (ftell(out) == 0 && fwrite(pm_column_header, 1, pm_column_header_len, out) == 0)
		die("%s: %m", path);
	return out;
}

void queue_write(struct queue *q)
{
	const struct line *l = &q->line[q->next++];
	char name[128];
	FILE *out = job.out;

	if (asked.per_process) {
		snprintf(name, sizeof name, "%s-%lld-%lld.tsv", job.hostname, (long long)l->pid,
			 (long long)l->starttime);
		out = open_records(name);
	}
	if (fwrite(q->text + l->at, 1, l->n, out) != l->n ||
	    (asked.per_process && fclose(out) != 0))
		die("write: %m");
}

void queue_empty(struct queue *q)
{
	q->next = q->lines = q->fill = 0;
}

void queue_flush(struct queue *q)
{
	while (q->next < q->lines)
		queue_write(q);
	queue_empty(q);
}

int64_t take_pid(struct space *s, int64_t now_us)
{
	for (long tries = 0; tries < asked.pid_max; tries++) {
		/* As the kernel: the low ones are given once. */
		s->last_pid = s->last_pid + 1 >= asked.pid_max ? 300 : s->last_pid + 1;
		if (s->free_us[s->last_pid] + 20000 < now_us) {
			s->free_us[s->last_pid] = INT64_MAX - 20000;
			return s->last_pid;
		}
	}
	die("no pid is free: --pid-max is too small");
	return 0;
}

void use(struct queue *q, struct process *p, int64_t us)
{
	struct usage *u = &p->own;

	u->user += us * 3 / 4 + pick(200);
	u->sys += us / 5 + pick(100);
	u->minflt += 60 + us / 20;
	u->outblock += 8 * pick(4);
	u->vol += pick(6);
	u->invol += pick(2);
	u->rchar += 3000 + us * 11;
	u->wchar += 400 + us / 4;
	u->syscr += 4 + us / 400;
	u->syscw += 1 + us / 4000;
	u->write_bytes += 4096 * pick(4);
	q->now_us += us + pick(50);
}

static void truth(const struct process *p, int64_t end_us, const char *why, int code, int sig,
		  int64_t cpu_us)
{
	if (!job.truth)
		return;
	fprintf(job.truth, "%s\t%lld\t%lld\t", p->boot_id, (long long)p->pid_ns, (long long)p->pid);
	if (p->image_us)
		fprintf(job.truth, "%lld\t%d\t", (long long)p->image_us, p->generation);
	else
		fputs("\\N\t\\N\t", job.truth);
	fprintf(job.truth, "%lld\t", (long long)end_us);
	if (p->parent_pid)
		fprintf(job.truth, "%lld\t%lld\t%lld\t", (long long)p->parent_ns,
			(long long)p->parent_pid, (long long)p->parent_us);
	else
		fputs("\\N\t\\N\t\\N\t", job.truth);
	fprintf(job.truth, "%s\t", why);
	fprintf(job.truth, code >= 0 ? "%d\t" : "\\N\t", code);
	fprintf(job.truth, sig ? "%d\t" : "\\N\t", sig);
	fprintf(job.truth, "%d\t%lld\n", p->threads, (long long)cpu_us);
}

static int64_t cpu_us(const struct process *p)
{
	return p->own.user + p->own.sys;
}

struct process child_of(struct space *s, struct queue *q, const struct process *parent)
{
	struct process p = *parent;

	memset(&p.own, 0, sizeof p.own);
	memset(&p.children, 0, sizeof p.children);
	p.pid_ns = s->ns;
	p.pid = take_pid(s, q->now_us);
	p.starttime = (q->now_us - BOOT_US) / 10000;
	p.ppid = parent->pid;
	p.parent_ns = parent->pid_ns;
	p.parent_pid = parent->pid;
	p.parent_us = parent->image_us;
	p.generation = -1;
	p.image_us = 0;
	p.threads = 1;
	p.waited = true;
	p.cpu_before_us = 0;
	q->now_us += 150 + pick(200);
	return p;
}

void start(struct queue *q, struct process *p, const char *path, const char *name, const char *args)
{
	const char *slash = strrchr(path, '/');

	p->exe = slash + 1;
	p->name = name ? name : p->exe;
	p->generation++;
	p->image_us = q->now_us;
	p->rss_kb = 1800 + pick(3000);
	p->threads = 1;
	p->own.sys += 200 + pick(1500);
	p->own.minflt += 50 + pick(60);
	add(q, p, line_start(room(q), LINE_MAX_LEN, p, &job.said, path, args));
	job.images++;
}

void end(struct queue *q, struct process *p, int code)
{
	const char *why = code < 0 ? "exec" : "exit";

	p->own.sys += OWN_CPU_US;
	p->own.minflt += 2;
	p->own.rchar += 2122;
	p->own.wchar += 601;
	p->own.syscr += 5;
	p->own.syscw++;
	for (int t = 0; p->threads > 1 && t < p->threads; t++, job.threads++)
		add(q, p, line_thread(room(q), LINE_MAX_LEN, p, &job.said, t, q->now_us));
	add(q, p, line_end(room(q), LINE_MAX_LEN, p, &job.said, why, code, q->now_us));
	truth(p, q->now_us, why, code, 0,
	      cpu_us(p) - p->cpu_before_us - OWN_CPU_US + (code < 0 || !p->waited ? 0 : TAIL_US));
	p->cpu_before_us = cpu_us(p);
	q->now_us += 20 + pick(100);
}

void reap(struct space *s, struct queue *q, struct process *parent, const struct process *child,
	  int code, int sig, bool unseen)
{
	q->now_us += 50 + pick(200);
	add(q, parent, line_reaped(room(q), LINE_MAX_LEN, parent, child, code, sig, q->now_us));
	parent->children.user += child->own.user + child->children.user;
	parent->children.sys += child->own.sys + child->children.sys + TAIL_US;
	parent->children.minflt += child->own.minflt + child->children.minflt;
	s->free_us[child->pid] = q->now_us;
	if (unseen)
		truth(child, q->now_us, sig ? "signal" : "exit", sig ? -1 : code, sig,
		      cpu_us(child) - child->cpu_before_us + TAIL_US);
	job.failed += code > 0 || sig != 0;
	job.killed += sig != 0;
}

void command(struct space *s, struct queue *q, struct process *parent, struct process *p,
	     const char *path, const char *args, int64_t us)
{
	int code = pick(60) == 0 ? 1 + (int)pick(2) : 0, sig = pick(250) == 0 ? 9 : 0;

	start(q, p, path, NULL, args);
	if (pick(100) < (unsigned)asked.threaded)
		p->threads = 4;
	p->rss_kb += us / 4;
	use(q, p, us);
	if (sig)
		p->threads = 1;
	else
		end(q, p, code);
	reap(s, q, parent, p, code, sig, sig != 0);
}
