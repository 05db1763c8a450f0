/* Facts of a job that every process adds to: its timeline, and what is counted of them. One pass
 * over the processes, which are most of what a report reads of a large job. */
#include "config.h"

#include "report/query/query.h"

#include "report/query/processgroups.h"
#include "report/query/query_row.h"

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

/* How a process ended, by the query. */
enum end { END_OTHER, END_KNOWN, END_EXEC };

/* Columns of the query. */
enum column {
	START,
	END,
	DURATION,
	CPU,
	THREADS,
	HOW,
	GENERATION,
	STATUS,
	SIGNAL,
	ASKED,
	RSS,
	ID,
	HOST,
	ONCPU,
	WAITING,
	SWITCHES,
	READS,
	WRITES,
	FAULTS
};

struct pass {
	struct spread active, cpu;
	bool any, any_cpu, any_short;
	double short_cpu;
	int64_t replaced;     /* programs replaced by exec, less the images that followed */
	int64_t rss, largest; /* of the largest process, the first of several, and its id */
	struct pm_groups *groups;
};

/* Add a process as a span, its CPU time spread evenly over the span. */
static void add_span(struct pass *p, const struct pm_facts *f, struct pm_stmt *q)
{
	double step = (double)f->line_us / PM_FACTS_STEPS, a, b;
	int64_t start = pm_format_since(pm_db_int(q, START), f->line_start_us), end;

	if (!pm_db_is_null(q, END))
		end = pm_format_since(pm_db_int(q, END), f->line_start_us);
	else if (!pm_db_is_null(q, DURATION))
		end = pm_format_since(start, -pm_db_int(q, DURATION));
	else
		end = f->line_us; /* unknown end: assume that the process lived to the end */
	a = (double)start / step;
	b = (double)end / step;
	spread_add(&p->active, a, b, 1);
	p->any = true;
	if (!pm_db_is_null(q, CPU) && end > start) {
		spread_add(&p->cpu, a, b,
			   busy_cpus(pm_db_int(q, CPU), pm_format_since(end, start),
				     pm_db_int(q, THREADS)));
		p->any_cpu = true;
	}
}

static void count(struct pass *p, struct pm_facts *f, struct pm_stmt *q)
{
	const enum end how = (enum end)pm_db_int(q, HOW);
	const bool cpu = !pm_db_is_null(q, CPU);

	if (!pm_db_is_null(q, DURATION) && pm_db_int(q, DURATION) < PM_FACTS_SHORT_US) {
		f->short_runs += how != END_EXEC && !pm_db_is_null(q, HOW);
		if (cpu)
			p->short_cpu += (double)pm_db_int(q, CPU);
		p->any_short |= cpu;
	}
	f->unknown_cpu += !cpu;
	p->replaced += (how == END_EXEC) - (pm_db_int(q, GENERATION) > 0);
	f->ends_known += !pm_db_is_null(q, STATUS) || !pm_db_is_null(q, SIGNAL) || how != END_OTHER;
	f->asked += pm_db_int(q, ASKED);
	if (!pm_db_is_null(q, RSS)) {
		int64_t rss = pm_db_int(q, RSS), id = pm_db_int(q, ID);

		if (!p->largest || rss > p->rss || (rss == p->rss && id < p->largest)) {
			p->rss = rss;
			p->largest = id;
		}
	}
}

/* Add a process to its host and the second in which it started. */
static void group(struct pass *p, struct pm_stmt *q)
{
	pm_groups_add(p->groups, &(struct pm_groups_process){
					 .id = pm_db_int(q, ID),
					 .host = pm_db_int(q, HOST),
					 .start_us = pm_query_int(q, START),
					 .duration_us = pm_query_int(q, DURATION),
					 .cpu_us = pm_query_int(q, CPU),
					 .threads = pm_query_int(q, THREADS),
					 .oncpu_us = from_ns(pm_query_int(q, ONCPU)),
					 .waiting_us = from_ns(pm_query_int(q, WAITING)),
					 .switches = pm_query_int(q, SWITCHES),
					 .calls = pm_format_add(pm_query_int(q, READS),
								pm_query_int(q, WRITES)),
					 .rss = pm_query_int(q, RSS),
					 .majflt = pm_query_int(q, FAULTS),
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

int pm_query_processes(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
		       struct pm_err *e)
{
	static const char sql[] =
		"SELECT start_us, end_us, duration_us, cpu_time, numtids, CASE WHEN end_reason = "
		"'exec' THEN 2 WHEN end_reason IN ('exit', 'signal') THEN 1 WHEN end_reason IS NOT "
		"NULL THEN 0 END, generation, exitcode, exitsignal, CASE WHEN exitsignal IN "
		"(" PM_QUERY_ASKING
		") THEN 1 ELSE 0 END, rssmax, id, host_id, time_oncpu, time_waiting, "
		"vol_ctxsw, syscr, syscw, majflt FROM process WHERE job_id = ?";
	const bool line = f->start_us >= 0 && f->end_us > f->start_us;
	struct pass p = { .any = false };
	int64_t sleeper;
	struct pm_stmt *q;
	int rc;

	if (line) {
		f->line_start_us = f->start_us;
		f->line_us = f->end_us - f->start_us;
	}
	if (f->retired)
		return 0;
	f->unknown_cpu = 0;
	p.groups = pm_groups_new(f);
	if (!p.groups)
		return pm_err(e, "report: out of memory");
	if (pm_query_prepare(db, sql, job, &q, e) < 0) {
		pm_groups_free(p.groups);
		return -1;
	}
	while ((rc = pm_db_step(q, e)) > 0) {
		if (f->ends_known == PM_UNKNOWN)
			f->short_runs = f->ends_known = f->asked = 0;
		count(&p, f, q);
		if (line && !pm_db_is_null(q, START))
			add_span(&p, f, q);
		group(&p, q);
	}
	pm_db_finish(q);
	if (p.any)
		spread_finish(&p.active, &f->active);
	if (p.any_cpu)
		spread_finish(&p.cpu, &f->cpu);
	if (p.any_short)
		f->short_cpu_us = pm_query_whole(p.short_cpu);
	/* Each exec is followed by an image, unless the program left no record. The difference may
	 * be negative: an image with an unknown end may have ended by exec. */
	f->unseen = p.replaced > 0 ? p.replaced : 0;
	if (rc == 0 && p.largest)
		rc = pm_query_name(db, job, p.largest, utf8, f->rss_label, NULL, e);
	sleeper = pm_groups_finish(p.groups, f);
	pm_groups_free(p.groups);
	if (rc == 0 && sleeper)
		rc = pm_query_name(db, job, sleeper, utf8, f->sleeper.label, &f->sleeper.pid, e);
	if (rc == 0 && sleeper)
		rc = pm_query_sleeping(db, job, sleeper, &f->sleeper.sleeping, e);
	return rc;
}
