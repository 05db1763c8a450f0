/* Facts of a job: the phases of its timeline, from its longest processes. */
#include "config.h"

#include "report/query/query.h"

#include "report/query/query_row.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of processes considered for the phases, the longest first. */
#define CANDIDATES 200

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

int pm_query_phases(struct pm_db *db, int64_t job, bool utf8, struct pm_facts *f, struct pm_err *e)
{
	if (f->start_us < 0 || f->end_us <= f->start_us)
		return 0;
	return query_phases(db, job, utf8, f, e);
}
