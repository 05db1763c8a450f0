/* Read several series of a host at once. */
#include "config.h"

#include "report/rows/processticks.h"

#include "common/grow.h"
#include "db/samples.h"
#include "report/rows/query_row.h"

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

struct pm_process_ticks {
	struct pm_db *db;
	int64_t job;
	struct pm_stmt *series; /* of all hosts, by host: the series have no index by it */
	int more;               /* it has a row */
};

/* A series that is being read. */
struct reader {
	struct pm_samples *samples;
	struct pm_sample next;
	bool at_end;
	size_t value;
};

/* The readers of a host: one for each role, more only where the names are not the sampler's. */
struct readers {
	struct reader *reader;
	size_t n, cap;
};

static const struct role *find_role(const char *metric, const char *kind)
{
	for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
		if (strcmp(metric, roles[i].metric) == 0 && strcmp(kind, roles[i].kind) == 0)
			return &roles[i];
	return NULL;
}

struct pm_process_ticks *pm_process_ticks_new(struct pm_db *db, int64_t job, struct pm_err *e)
{
	static const char sql[] = "SELECT host_id, id, metric, kind FROM series WHERE job_id = ? "
				  "AND source = 'process' AND object = '' ORDER BY host_id, id";
	struct pm_process_ticks *p = calloc(1, sizeof *p);

	if (!p) {
		pm_err(e, "out of memory");
		return NULL;
	}
	p->db = db;
	p->job = job;
	if (pm_query_prepare(db, sql, job, &p->series, e) < 0 ||
	    (p->more = pm_db_step(p->series, e)) < 0) {
		pm_process_ticks_free(p);
		return NULL;
	}
	return p;
}

void pm_process_ticks_free(struct pm_process_ticks *p)
{
	if (!p)
		return;
	pm_db_finish(p->series);
	free(p);
}

/* Begin to read a series if it has a role. Returns 0 or -1 with e filled. */
static int add_reader(struct readers *r, const struct pm_process_ticks *p, struct pm_err *e)
{
	const struct role *role =
		find_role(pm_db_text(p->series, 2, NULL), pm_db_text(p->series, 3, NULL));
	struct reader *x;
	int rc;

	if (!role)
		return 0;
	if (!PM_GROW(r->reader, r->n, r->cap, 4))
		return pm_err(e, "out of memory");
	x = &r->reader[r->n];
	*x = (struct reader){ .value = role->value };
	x->samples = pm_samples_new(p->db, p->job, pm_db_int(p->series, 1), e);
	if (!x->samples)
		return -1;
	r->n++;
	rc = pm_samples_next(x->samples, &x->next, e);
	x->at_end = rc == 0;
	return rc < 0 ? -1 : 0;
}

/* Begin to read the series of a host. Returns 0 or -1 with e filled. */
static int add_readers(struct readers *r, struct pm_process_ticks *p, int64_t host,
		       struct pm_err *e)
{
	for (; p->more > 0 && pm_db_int(p->series, 0) <= host; p->more = pm_db_step(p->series, e))
		if (pm_db_int(p->series, 0) == host && add_reader(r, p, e) < 0)
			return -1;
	return p->more < 0 ? -1 : 0;
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

int pm_process_ticks_read(struct pm_process_ticks *p, int64_t host, pm_process_tick_fn *each,
			  void *ctx, struct pm_err *e)
{
	struct readers r = { .reader = NULL };
	struct pm_process_tick t;
	int rc = add_readers(&r, p, host, e);

	while (rc == 0 && (rc = read_tick(&r, &t, e)) > 0)
		rc = each(ctx, &t, e);
	for (size_t i = 0; i < r.n; i++)
		pm_samples_free(r.reader[i].samples);
	free(r.reader);
	return rc;
}
