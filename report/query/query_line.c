/* Facts of a job: its timeline, from the records of its processes. */
#include "config.h"

#include "report/query/query.h"

#include "report/query/query_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of processes considered for the phases, the longest first. */
#define CANDIDATES 200

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

/* Add every process as a span, its CPU time spread evenly over the span. */
static int query_spans(struct pm_db *db, int64_t job, struct pm_facts *f, struct pm_err *e)
{
	static const char sql[] =
		"SELECT start_us, end_us, duration_us, cpu_time, numtids FROM process"
		" WHERE job_id = ? AND start_us IS NOT NULL";
	struct spread active = { 0 }, cpu = { 0 };
	double step = (double)f->line_us / PM_FACTS_STEPS;
	bool any = false, any_cpu = false;
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		int64_t start = pm_format_since(pm_db_int(q, 0), f->line_start_us), end;
		double a, b;

		if (!pm_db_is_null(q, 1))
			end = pm_format_since(pm_db_int(q, 1), f->line_start_us);
		else if (!pm_db_is_null(q, 2))
			end = pm_format_since(start, -pm_db_int(q, 2));
		else
			end = f->line_us; /* unknown end: assume that the process lived to the end
					   */
		a = (double)start / step;
		b = (double)end / step;
		spread_add(&active, a, b, 1);
		any = true;
		if (!pm_db_is_null(q, 3) && end > start) {
			spread_add(&cpu, a, b,
				   busy_cpus(pm_db_int(q, 3), pm_format_since(end, start),
					     pm_db_int(q, 4)));
			any_cpu = true;
		}
	}
	pm_db_finish(q);
	if (any)
		spread_finish(&active, &f->active);
	if (any_cpu)
		spread_finish(&cpu, &f->cpu);
	return rc;
}

struct candidate {
	struct pm_fact_phase phase;
	int64_t cpu_us;
};

/* Whether two spans cover nearly the same time, as a shell and the program that it waits for. */
static bool same_span(const struct pm_fact_phase *a, const struct pm_fact_phase *b)
{
	int64_t first = a->start_us > b->start_us ? a->start_us : b->start_us;
	int64_t last = a->end_us < b->end_us ? a->end_us : b->end_us;
	double both = (double)last - (double)first;

	return both >= 0.9 * ((double)a->end_us - (double)a->start_us) &&
	       both >= 0.9 * ((double)b->end_us - (double)b->start_us);
}

/* Keep a candidate, or the better of two with the same span. Returns the new number kept. */
static size_t keep_candidate(struct candidate *kept, size_t n, const struct candidate *c)
{
	for (size_t i = 0; i < n; i++)
		if (same_span(&kept[i].phase, &c->phase)) {
			if (c->cpu_us > kept[i].cpu_us)
				kept[i] = *c;
			return n;
		}
	if (n < PM_FACTS_PHASES)
		kept[n++] = *c;
	return n;
}

static int by_start(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->phase.start_us != y->phase.start_us)
		return x->phase.start_us < y->phase.start_us ? -1 : 1;
	if (x->phase.pid != y->phase.pid)
		return x->phase.pid < y->phase.pid ? -1 : 1;
	return 0;
}

/* Find the processes that form the job's phases: long processes that cover only a part of the job.
 */
static int query_phases(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f,
			struct pm_err *e)
{
	static const char sql[] =
		"SELECT exename, args, thread_name, pid, start_us, duration_us, cpu_time"
		" FROM process WHERE job_id = ? AND start_us IS NOT NULL AND duration_us >= ?"
		" AND end_reason <> 'exec'"
		" ORDER BY CASE WHEN duration_us >= ? THEN 1 ELSE 0 END, duration_us DESC, id "
		"LIMIT ?";
	struct candidate *kept = calloc(PM_FACTS_PHASES, sizeof *kept);
	size_t n = 0;
	struct pm_stmt *q;
	int rc;

	if (!kept)
		return pm_err(e, "find phases: out of memory");
	if (pm_query_prepare(db, sql, job, &q, e) < 0) {
		free(kept);
		return -1;
	}
	pm_db_bind_int(q, 2, f->line_us / 20 + 1);
	pm_db_bind_int(q, 3, f->line_us / 20 * 19);
	pm_db_bind_int(q, 4, CANDIDATES);
	while ((rc = pm_db_step(q, e)) > 0) {
		struct candidate c = { .cpu_us = pm_query_int(q, 6) };

		pm_processname(c.phase.label, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL),
			       pm_db_text(q, 2, NULL), utf8);
		c.phase.pid = pm_query_int(q, 3);
		c.phase.start_us = pm_format_since(pm_db_int(q, 4), f->line_start_us);
		c.phase.end_us = pm_format_since(c.phase.start_us, -pm_db_int(q, 5));
		n = keep_candidate(kept, n, &c);
	}
	pm_db_finish(q);
	qsort(kept, n, sizeof *kept, by_start);
	for (size_t i = 0; i < n; i++)
		f->phase[i] = kept[i].phase;
	f->phases = n;
	free(kept);
	return rc;
}

int pm_query_line(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	if (f->start_us < 0 || f->end_us <= f->start_us)
		return 0;
	f->line_start_us = f->start_us;
	f->line_us = f->end_us - f->start_us;
	if (query_spans(db, job, f, e) < 0)
		return -1;
	return query_phases(db, job, utf8, f, e);
}
