/* Read several series of a host at once. */
#include "config.h"

#include "report/query/processticks.h"

#include "common/grow.h"
#include "db/samples.h"
#include "report/query/query_row.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The sampler's names of the series read here: CPU times are counters in us, memory is in bytes. */
static const struct role {
	const char *metric, *kind;
	size_t value; /* of struct pm_process_tick */
} roles[] = {
	{ "usertime", "counter", offsetof(struct pm_process_tick, user_us) },
	{ "systemtime", "counter", offsetof(struct pm_process_tick, system_us) },
	{ "rss", "gauge", offsetof(struct pm_process_tick, memory) },
	{ "rss", "max", offsetof(struct pm_process_tick, most_memory) },
};

/* A series that is being read. */
struct reader {
	struct pm_samples *samples;
	struct pm_sample next;
	bool at_end;
	size_t value;
};

struct readers {
	struct reader *reader;
	size_t n, cap;
};

/* Begin to read a series if it has a role. Returns 0 or -1 with e filled. */
static int add_reader(struct readers *r, struct pm_db *db, int64_t job, int64_t series,
		      const char *metric, const char *kind, struct pm_err *e)
{
	struct reader *x;

	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
		int rc;

		if (strcmp(metric, roles[i].metric) != 0 || strcmp(kind, roles[i].kind) != 0)
			continue;
		if (!PM_GROW(r->reader, r->n, r->cap, 4))
			return pm_err(e, "out of memory");
		x = &r->reader[r->n];
		*x = (struct reader){ .value = roles[i].value };
		x->samples = pm_samples_new(db, job, series, e);
		if (!x->samples)
			return -1;
		r->n++;
		rc = pm_samples_next(x->samples, &x->next, e);
		x->at_end = rc == 0;
		return rc < 0 ? -1 : 0;
	}
	return 0;
}

static int add_readers(struct readers *r, struct pm_db *db, int64_t job, int64_t host,
		       struct pm_err *e)
{
	static const char sql[] = "SELECT id, metric, kind FROM series WHERE job_id = ? AND host_id"
				  " = ? AND source = 'process' AND object = '' ORDER BY id";
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 2, host);
	while ((rc = pm_db_step(q, e)) > 0) {
		rc = add_reader(r, db, job, pm_db_int(q, 0), pm_db_text(q, 1, NULL),
				pm_db_text(q, 2, NULL), e);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	return rc;
}

/* Collect the samples of the next time. Returns 1, 0 at the end, or -1 with e filled. */
static int read_tick(struct readers *r, struct pm_process_tick *t, struct pm_err *e)
{
	bool any = false;

	*t = (struct pm_process_tick){ 0, NAN, NAN, NAN, NAN };
	for (size_t i = 0; i < r->n; i++)
		if (!r->reader[i].at_end && (!any || r->reader[i].next.time_us < t->time_us)) {
			t->time_us = r->reader[i].next.time_us;
			any = true;
		}
	for (size_t i = 0; i < r->n && any; i++) {
		struct reader *x = &r->reader[i];

		while (!x->at_end && x->next.time_us == t->time_us) {
			int rc;

			if (x->next.known)
				*(double *)((char *)t + x->value) = (double)x->next.value;
			rc = pm_samples_next(x->samples, &x->next, e);
			if (rc < 0)
				return -1;
			x->at_end = rc == 0;
		}
	}
	return any;
}

int pm_query_process_ticks(struct pm_db *db, int64_t job, int64_t host, pm_process_tick_fn *each,
			   void *ctx, struct pm_err *e)
{
	struct readers r = { .reader = NULL };
	struct pm_process_tick t;
	int rc = add_readers(&r, db, job, host, e);

	while (rc == 0 && (rc = read_tick(&r, &t, e)) > 0)
		rc = each(ctx, &t, e);
	for (size_t i = 0; i < r.n; i++)
		pm_samples_free(r.reader[i].samples);
	free(r.reader);
	return rc;
}
