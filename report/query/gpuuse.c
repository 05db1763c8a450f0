/* GPU time and memory of programs, from exact totals and from samples of processes. */
#include "config.h"

#include "report/query/gpuuse.h"

#include "common/grow.h"
#include "common/pidns.h"
#include "common/safe/tsv.h"
#include "db/samples.h"
#include "report/rows/query_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A share is the mean since the reading before it. One that is longer ago than this, and than so
 * many intervals before it, is not the one before it. */
#define GAP_US    INT64_C(60000000)
#define GAP_TIMES 3

/* Of the first reading of a process: at most the period of source nvidia_counters. */
#define FIRST_US INT64_C(10000000)

/* Programs that are told apart, at most. */
#define PROGRAMS_MAX 1024

/* All of the GPU's time, as a share has it. */
#define WHOLE 10000

/* A series of a process on a GPU. */
struct series {
	int64_t id, host, pid;
	size_t gpu;
	bool memory;
};

struct reading {
	struct pm_gpuuse *u;
	struct pm_facts *f;
	struct pm_db *db;
	int64_t job;
	bool utf8;
	struct series *series; /* by host and pid */
	size_t n, room;
	size_t begin, end;  /* processes of the host and pid at hand */
	size_t first_share; /* and their shares, up to the last one */
};

static int by_process(int64_t host_a, int64_t pid_a, int64_t host_b, int64_t pid_b)
{
	if (host_a != host_b)
		return host_a < host_b ? -1 : 1;
	return (pid_a > pid_b) - (pid_a < pid_b);
}

static int compare_series(const void *a, const void *b)
{
	const struct series *x = a, *y = b;
	const int order = by_process(x->host, x->pid, y->host, y->pid);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* By host, pid and start. */
static int compare_processes(const void *a, const void *b)
{
	const struct pm_gpuuse_process *x = a, *y = b;
	const int order = by_process(x->host, x->pid, y->host, y->pid);

	return order ? order : (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

/* --- series ----------------------------------------------------------------------------------- */

/* The place of a GPU in u->gpu, added if need be. Returns 0, or -1 if out of memory. */
static int find_gpu(struct pm_gpuuse *u, int64_t host, const char *uuid, size_t n, size_t *gpu)
{
	/* Series come by host: those of other hosts are before. */
	for (size_t i = u->gpus; i-- > 0 && u->gpu[i].host == host;)
		if (strncmp(u->gpu[i].uuid, uuid, n) == 0 && u->gpu[i].uuid[n] == '\0') {
			*gpu = i;
			return 0;
		}
	if (!PM_GROW(u->gpu, u->gpus, u->gpus_room, 8))
		return -1;
	u->gpu[u->gpus] = (struct pm_gpuuse_gpu){ .host = host, .uuid = strndup(uuid, n) };
	if (!u->gpu[u->gpus].uuid)
		return -1;
	*gpu = u->gpus++;
	return 0;
}

/* Take a series, whose object is UUID/PID. Returns 0, or -1 if out of memory. */
static int take_series(struct reading *r, struct pm_stmt *q)
{
	const char *object = pm_db_text(q, 3, NULL), *slash = strrchr(object, '/');
	struct series s = { .id = pm_db_int(q, 0), .host = pm_db_int(q, 1) };

	if (!slash || slash == object || pm_tsv_number(slash + 1, strlen(slash + 1), &s.pid) < 0 ||
	    s.pid <= 0)
		return 0;
	s.memory = strcmp(pm_db_text(q, 2, NULL), "process_memory") == 0;
	if (find_gpu(r->u, s.host, object, (size_t)(slash - object), &s.gpu) < 0 ||
	    !PM_GROW(r->series, r->n, r->room, 64))
		return -1;
	r->series[r->n++] = s;
	return 0;
}

static int list_series(struct reading *r, struct pm_err *e)
{
	static const char sql[] =
		"SELECT id, host_id, metric, object FROM series WHERE job_id = ? AND ((source = "
		"'nvidia' AND metric = 'process_memory' AND kind IN ('gauge', 'max')) OR (source = "
		"'nvidia_counters' AND metric = 'process_sm' AND kind = 'gauge')) ORDER BY "
		"host_id, "
		"id";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(r->db, sql, r->job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (take_series(r, q) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	pm_db_finish(q);
	if (r->n)
		qsort(r->series, r->n, sizeof *r->series, compare_series);
	return rc;
}

/* Whether the sampler saw a process of the host with this pid. */
static bool is_sampled(const struct reading *r, int64_t host, int64_t pid)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order =
			by_process(r->series[middle].host, r->series[middle].pid, host, pid);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* --- processes -------------------------------------------------------------------------------- */

enum { HOST, PID, NAMESPACE, START, END, EXENAME, ARGS, THREAD, TIME, CYCLES, MEMORY };

/* The place of a program in f->gpu_program, added if need be. Returns 0, or -1 if out of memory. */
static int find_program(struct pm_facts *f, const char *label, bool sampled, size_t *program)
{
	struct pm_fact_gpu_program *p;

	if (f->gpu_programs >= PROGRAMS_MAX - 2)
		label = "other programs";
	for (size_t i = f->gpu_programs; i-- > 0;)
		if (f->gpu_program[i].sampled == sampled &&
		    strcmp(f->gpu_program[i].label, label) == 0) {
			*program = i;
			return 0;
		}
	if (!PM_GROW(f->gpu_program, f->gpu_programs, f->gpu_programs_room, 8))
		return -1;
	p = &f->gpu_program[f->gpu_programs];
	*p = (struct pm_fact_gpu_program){
		.sampled = sampled,
		.gpu_us = NAN,
		.memory = PM_UNKNOWN,
		.energy_uj = NAN,
	};
	memcpy(p->label, label, strlen(label) + 1);
	*program = f->gpu_programs++;
	return 0;
}

/* Add to a sum that is NAN while it is unknown. */
static void add_time(double *sum, double us)
{
	if (!isnan(us))
		*sum = (isnan(*sum) ? 0 : *sum) + us;
}

/* Add exact figures of a process. Returns 0, or -1 if out of memory. */
static int add_exact(struct pm_gpuuse *u, struct pm_facts *f, struct pm_stmt *q, size_t program)
{
	struct pm_fact_gpu_program *p = &f->gpu_program[program];
	const int64_t host = pm_db_int(q, HOST);
	const int64_t memory = pm_format_scale(pm_query_int(q, MEMORY), PM_KERNEL_KB);
	size_t i = u->exacts;

	p->processes++;
	p->memory = memory > p->memory ? memory : p->memory;
	if (pm_db_is_null(q, TIME) || pm_db_int(q, TIME) < 0)
		return 0;
	add_time(&p->gpu_us, (double)pm_db_int(q, TIME) / 1000);
	/* Processes are in the order of the tree, most of those of a host together. */
	while (i > 0 && !(u->exact[i - 1].host == host && u->exact[i - 1].program == program))
		i--;
	if (i == 0) {
		if (!PM_GROW(u->exact, u->exacts, u->exacts_room, 8))
			return -1;
		u->exact[u->exacts] = (struct pm_gpuuse_exact){ .host = host, .program = program };
		i = ++u->exacts;
	}
	u->exact[i - 1].us += (double)pm_db_int(q, TIME) / 1000;
	return 0;
}

/* Take a process if it has figures. Returns 0, or -1 if out of memory. */
static int take_process(struct reading *r, struct pm_stmt *q)
{
	const bool exact = !pm_db_is_null(q, TIME) || !pm_db_is_null(q, CYCLES);
	const int64_t ns = pm_query_int(q, NAMESPACE);
	struct pm_gpuuse_process p = { .host = pm_db_int(q, HOST), .pid = pm_query_int(q, PID) };
	char label[PM_PROCESSNAME_MAX];

	/* The driver has the pids of the host. */
	if (!exact && ((ns != PM_UNKNOWN && ns != PM_PIDNS_FIRST) || !is_sampled(r, p.host, p.pid)))
		return 0;
	pm_processname(label, pm_db_text(q, EXENAME, NULL), pm_db_text(q, ARGS, NULL),
		       pm_db_text(q, THREAD, NULL), r->utf8);
	if (find_program(r->f, label, !exact, &p.program) < 0)
		return -1;
	if (exact)
		return add_exact(r->u, r->f, q, p.program);
	p.start_us = pm_db_is_null(q, START) ? INT64_MIN : pm_db_int(q, START);
	p.end_us = pm_db_is_null(q, END) ? INT64_MAX : pm_db_int(q, END);
	if (!PM_GROW(r->u->process, r->u->processes, r->u->processes_room, 64))
		return -1;
	r->u->process[r->u->processes++] = p;
	return 0;
}

static int list_processes(struct reading *r, struct pm_err *e)
{
	static const char sql[] = "SELECT host_id, pid, pid_ns, start_us, end_us, exename, args, "
				  "thread_name, gpu_time, "
				  "gpu_cycles, gpu_memory FROM process WHERE job_id = ?";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(r->db, sql, r->job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (take_process(r, q) < 0) {
			rc = pm_err(e, "out of memory");
			break;
		}
	pm_db_finish(q);
	if (r->u->processes)
		qsort(r->u->process, r->u->processes, sizeof *r->u->process, compare_processes);
	return rc;
}

/* --- samples ---------------------------------------------------------------------------------- */

/* The process at hand that had the pid at a time: the last one that had begun. Returns its place,
 * or r->end for none. */
static size_t find_process(const struct reading *r, int64_t time_us)
{
	for (size_t i = r->end; i-- > r->begin;)
		if (r->u->process[i].start_us <= time_us)
			return r->u->process[i].end_us >= time_us ? i : r->end;
	return r->end;
}

/* The share of a process at hand on a GPU, added if need be; NULL: out of memory. */
static struct pm_gpuuse_share *find_share(struct reading *r, size_t process, size_t gpu)
{
	struct pm_gpuuse *u = r->u;

	for (size_t i = r->first_share; i < u->shares; i++)
		if (u->share[i].process == process && u->share[i].gpu == gpu)
			return &u->share[i];
	if (!PM_GROW(u->share, u->shares, u->shares_room, 64))
		return NULL;
	u->share[u->shares] = (struct pm_gpuuse_share){ process, gpu, NAN, PM_UNKNOWN };
	return &u->share[u->shares++];
}

/* Times of the readings of a series. */
struct clock {
	int64_t last_us, step_us; /* of the latest; -1: none */
};

/* The time that a reading tells of: since the one before it, of the first one since the process
 * began, where that is known. */
static int64_t time_told(struct clock *c, int64_t time_us, int64_t start_us)
{
	const bool first = c->last_us == INT64_MIN;
	const int64_t from_us = first ? start_us : c->last_us;
	int64_t told = 0;

	if (from_us != INT64_MIN && from_us < time_us)
		told = pm_format_since(time_us, from_us);
	if (first) {
		told = told < FIRST_US ? told : FIRST_US;
	} else if (told > 0) {
		const int64_t step_us = c->step_us;

		c->step_us = told;
		if (told > GAP_US && (step_us < 0 || (double)told > GAP_TIMES * (double)step_us))
			told = 0;
	}
	if (first || time_us > c->last_us)
		c->last_us = time_us;
	return told;
}

/* Add a reading. Returns 0, or -1 if out of memory. */
static int add_sample(struct reading *r, const struct series *s, const struct pm_sample *x,
		      struct clock *c)
{
	const size_t process = find_process(r, x->time_us);
	const bool ours = process < r->end;
	/* That of a process which is not the job's says how long it is there by itself alone. */
	const int64_t told =
		time_told(c, x->time_us, ours ? r->u->process[process].start_us : x->time_us);
	struct pm_gpuuse_share *share;
	double us;

	if (!x->known || x->value < 0 || (!s->memory && x->value > WHOLE))
		return 0;
	us = (double)told * (double)x->value / WHOLE;
	if (!ours) {
		if (!s->memory)
			r->u->gpu[s->gpu].other_us += us;
		return 0;
	}
	share = find_share(r, process, s->gpu);
	if (!share)
		return -1;
	if (!s->memory)
		add_time(&share->us, us);
	else if (x->value > share->memory)
		share->memory = x->value;
	return 0;
}

/* Read a series; what is damaged in it is passed over. Returns 0 or -1 with e filled. */
static int read_series(struct reading *r, const struct series *s, struct pm_err *e)
{
	struct pm_samples *samples = pm_samples_new(r->db, r->job, s->id, e);
	struct clock c = { INT64_MIN, -1 };
	struct pm_sample x;
	int rc = samples ? 1 : -1;

	while (rc > 0) {
		rc = pm_samples_next(samples, &x, e);
		if (rc < 0 && pm_samples_damage(samples))
			rc = 1;
		else if (rc > 0 && add_sample(r, s, &x, &c) < 0)
			rc = pm_err(e, "out of memory");
	}
	pm_samples_free(samples);
	return rc;
}

/* Read all series, those of one process after the other. Returns 0 or -1 with e filled. */
static int read_all(struct reading *r, struct pm_err *e)
{
	const struct pm_gpuuse *u = r->u;

	for (size_t i = 0; i < r->n; i++) {
		const struct series *s = &r->series[i];

		if (i == 0 || by_process(s[-1].host, s[-1].pid, s->host, s->pid) != 0) {
			r->begin = r->end;
			while (r->begin < u->processes &&
			       by_process(u->process[r->begin].host, u->process[r->begin].pid,
					  s->host, s->pid) < 0)
				r->begin++;
			r->end = r->begin;
			while (r->end < u->processes && u->process[r->end].host == s->host &&
			       u->process[r->end].pid == s->pid)
				r->end++;
			r->first_share = u->shares;
		}
		if (read_series(r, s, e) < 0)
			return -1;
	}
	return 0;
}

/* --- programs --------------------------------------------------------------------------------- */

/* Add up the shares, which are sorted by process. */
static void add_shares(struct pm_gpuuse *u, struct pm_facts *f)
{
	for (size_t i = 0; i < u->shares;) {
		const size_t process = u->share[i].process;
		struct pm_fact_gpu_program *p;
		int64_t memory = PM_UNKNOWN, gpus = 0;

		p = &f->gpu_program[u->process[process].program];
		for (; i < u->shares && u->share[i].process == process; i++) {
			add_time(&p->gpu_us, u->share[i].us);
			memory = pm_format_add(memory, u->share[i].memory);
			gpus++;
		}
		p->processes++;
		p->gpus = gpus > p->gpus ? gpus : p->gpus;
		p->memory = memory > p->memory ? memory : p->memory;
	}
}

static int compare_shares(const void *a, const void *b)
{
	const struct pm_gpuuse_share *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return (x->gpu > y->gpu) - (x->gpu < y->gpu);
}

static int compare_exacts(const void *a, const void *b)
{
	const struct pm_gpuuse_exact *x = a, *y = b;

	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return (x->program > y->program) - (x->program < y->program);
}

int pm_gpuuse_read(struct pm_gpuuse *u, struct pm_db *db, int64_t job, bool utf8,
		   struct pm_facts *f, struct pm_err *e)
{
	struct reading r = { .u = u, .f = f, .db = db, .job = job, .utf8 = utf8 };
	int rc;

	*u = (struct pm_gpuuse){ .gpu = NULL };
	rc = list_series(&r, e);
	if (rc == 0 && (r.n || f->gpu_us != PM_UNKNOWN || f->gpu_cycles != PM_UNKNOWN))
		rc = list_processes(&r, e);
	if (rc == 0)
		rc = read_all(&r, e);
	if (u->shares)
		qsort(u->share, u->shares, sizeof *u->share, compare_shares);
	if (u->exacts)
		qsort(u->exact, u->exacts, sizeof *u->exact, compare_exacts);
	if (rc == 0)
		add_shares(u, f);
	free(r.series);
	return rc;
}

void pm_gpuuse_free(struct pm_gpuuse *u)
{
	for (size_t i = 0; i < u->gpus; i++)
		free(u->gpu[i].uuid);
	free(u->gpu);
	free(u->process);
	free(u->share);
	free(u->exact);
	*u = (struct pm_gpuuse){ .gpu = NULL };
}
