/* Facts of a job that every process adds to: its timeline, and what is counted of them. */
#include "config.h"

#include "report/pass/pass.h"

#include "report/pass/processgroups.h"
#include "report/pass/processparts.h"
#include "report/rows/query_row.h"

#include <stdlib.h>
#include <string.h>

/* Sums per step: `delta` holds differences between whole steps, `part` the contributions to partly
 * covered steps. */
struct spread {
	double delta[PM_FACTS_STEPS + 1];
	double part[PM_FACTS_STEPS];
};

/* Add `height` over the span from a to b, both counted in steps. */
static void spread_add(struct spread *s, double a, double b, double height)
{
	int first, last;

	if (a < 0)
		a = 0;
	if (b > PM_FACTS_STEPS)
		b = PM_FACTS_STEPS;
	if (!(b > a))
		return;
	first = (int)a;
	last = (int)b;
	if (last == PM_FACTS_STEPS)
		last--;
	if (first == last) {
		s->part[first] += height * (b - a);
		return;
	}
	s->part[first] += height * (first + 1 - a);
	s->part[last] += height * (b - last);
	s->delta[first + 1] += height;
	s->delta[last] -= height;
}

static void spread_finish(const struct spread *s, struct pm_fact_line *line)
{
	double level = 0;

	line->known = true;
	line->peak = 0;
	for (int i = 0; i < PM_FACTS_STEPS; i++) {
		level += s->delta[i];
		line->step[i] = level + s->part[i];
		if (line->step[i] < 1e-9) /* rounding errors of the differences */
			line->step[i] = 0;
		if (line->step[i] > line->peak)
			line->peak = line->step[i];
	}
}

/* CPUs that a process kept busy. The CPU time of an image includes the cost of its exec before it
 * recorded its start, so a short process may seem to use more CPUs than it has threads. */
static double busy_cpus(int64_t cpu_us, int64_t life_us, int64_t threads)
{
	double most = threads > 1 ? (double)threads : 1, cpus = (double)cpu_us / (double)life_us;

	return cpus < most ? cpus : most;
}

/* Convert a nanosecond column to microseconds. */
static int64_t from_ns(int64_t ns)
{
	return ns < 0 ? PM_UNKNOWN : ns / 1000;
}

/* How a process ended. */
enum end { END_UNKNOWN, END_OTHER, END_KNOWN, END_EXEC };

static enum end end_of(const char *reason)
{
	if (!reason)
		return END_UNKNOWN;
	if (strcmp(reason, "exec") == 0)
		return END_EXEC;
	return strcmp(reason, "exit") == 0 || strcmp(reason, "signal") == 0 ? END_KNOWN : END_OTHER;
}

struct counts {
	struct pm_facts *f;
	bool line; /* there is a timeline */
	struct spread active, cpu;
	bool any, any_cpu, any_short;
	double short_cpu;
	int64_t replaced;     /* programs replaced by exec, less the images that followed */
	int64_t rss, largest; /* of the largest process, the first of several, and its id */
	struct pm_groups *groups;
};

/* Add a process as a span, its CPU time spread evenly over the span. */
static void add_span(struct counts *c, const struct pm_processpass_row *r)
{
	const struct pm_facts *f = c->f;
	double step = (double)f->line_us / PM_FACTS_STEPS, a, b;
	int64_t start = pm_format_since(r->start_us, f->line_start_us), end;

	if (r->end_us != PM_UNKNOWN)
		end = pm_format_since(r->end_us, f->line_start_us);
	else if (r->duration_us != PM_UNKNOWN)
		end = pm_format_since(start, -r->duration_us);
	else
		end = f->line_us; /* unknown end: assume that the process lived to the end */
	a = (double)start / step;
	b = (double)end / step;
	spread_add(&c->active, a, b, 1);
	c->any = true;
	if (r->cpu_time != PM_UNKNOWN && end > start) {
		spread_add(&c->cpu, a, b,
			   busy_cpus(r->cpu_time, pm_format_since(end, start), r->numtids));
		c->any_cpu = true;
	}
}

static void count(struct counts *c, const struct pm_processpass_row *r)
{
	const enum end how = end_of(r->end_reason);
	const bool cpu = r->cpu_time != PM_UNKNOWN;
	struct pm_facts *f = c->f;

	if (r->duration_us != PM_UNKNOWN && r->duration_us < PM_FACTS_SHORT_US) {
		f->short_runs += how != END_EXEC && how != END_UNKNOWN;
		if (cpu)
			c->short_cpu += (double)r->cpu_time;
		c->any_short |= cpu;
	}
	f->unknown_cpu += !cpu;
	c->replaced += (how == END_EXEC) - (r->generation > 0);
	f->ends_known +=
		r->exitcode != PM_UNKNOWN || r->exitsignal != PM_UNKNOWN || how > END_OTHER;
	f->asked += pm_query_asks(r->exitsignal);
	if (r->rssmax != PM_UNKNOWN && (!c->largest || r->rssmax > c->rss)) {
		c->rss = r->rssmax;
		c->largest = r->id;
	}
}

/* Add a process to its host and the second in which it started. */
static void group(struct counts *c, const struct pm_processpass_row *r)
{
	pm_groups_add(c->groups, &(struct pm_groups_process){
					 .id = r->id,
					 .host = r->host_id,
					 .start_us = r->start_us,
					 .duration_us = r->duration_us,
					 .cpu_us = r->cpu_time,
					 .threads = r->numtids,
					 .oncpu_us = from_ns(r->time_oncpu),
					 .waiting_us = from_ns(r->time_waiting),
					 .switches = r->vol_ctxsw,
					 .calls = pm_format_add(r->syscr, r->syscw),
					 .rss = r->rssmax,
					 .majflt = r->majflt,
				 });
}

int pm_query_name(struct pm_db *db, int64_t job, int64_t process, bool utf8,
		  char label[PM_PROCESSNAME_MAX], int64_t *pid, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db,
			     "SELECT exename, args, thread_name, pid FROM process WHERE job_id = ? "
			     "AND id = ?",
			     job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, process);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		pm_processname(label, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
			       pm_db_text(q, 2, NULL), utf8);
		if (pid)
			*pid = pm_query_int(q, 3);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static int begin(void **part, const struct pm_processpart_job *j, struct pm_err *e)
{
	struct pm_facts *f = j->f;
	struct counts *c;
	const bool line = f->start_us >= 0 && f->end_us > f->start_us;

	if (line) {
		f->line_start_us = f->start_us;
		f->line_us = f->end_us - f->start_us;
	}
	if (f->retired)
		return 0;
	f->unknown_cpu = 0;
	c = *part = calloc(1, sizeof *c);
	if (!c)
		return pm_err(e, "report: out of memory");
	c->f = f;
	c->line = line;
	c->groups = pm_groups_new(f);
	return c->groups ? 0 : pm_err(e, "report: out of memory");
}

static int take(void *part, const struct pm_processpass_row *r, struct pm_err *e)
{
	struct counts *c = part;

	(void)e;
	if (c->f->ends_known == PM_UNKNOWN)
		c->f->short_runs = c->f->ends_known = c->f->asked = 0;
	count(c, r);
	if (c->line && r->start_us != PM_UNKNOWN)
		add_span(c, r);
	group(c, r);
	return 0;
}

static int finish(void *part, const struct pm_processpart_job *j, struct pm_err *e)
{
	struct counts *c = part;
	struct pm_facts *f = c->f;
	int64_t sleeper;

	if (c->any)
		spread_finish(&c->active, &f->active);
	if (c->any_cpu)
		spread_finish(&c->cpu, &f->cpu);
	if (c->any_short)
		f->short_cpu_us = pm_query_whole(c->short_cpu);
	/* Each exec is followed by an image, unless the program left no record. The difference may
	 * be negative: an image with an unknown end may have ended by exec. */
	f->unseen = c->replaced > 0 ? c->replaced : 0;
	if (c->largest &&
	    pm_query_name(j->db, j->job, c->largest, j->utf8, f->rss_label, NULL, e) < 0)
		return -1;
	sleeper = pm_groups_finish(c->groups, f);
	if (!sleeper)
		return 0;
	if (pm_query_name(j->db, j->job, sleeper, j->utf8, f->sleeper.label, &f->sleeper.pid, e) <
	    0)
		return -1;
	return pm_query_sleeping(j->db, j->job, sleeper, &f->sleeper.sleeping, e);
}

static void free_counts(void *part)
{
	struct counts *c = part;

	pm_groups_free(c->groups);
	free(c);
}

const struct pm_processpart pm_processpart_counts = { begin, take, finish, free_counts };
