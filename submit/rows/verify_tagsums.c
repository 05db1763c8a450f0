/* Compute the totals of a job's sets of tags again and compare them with what is stored. */
#include "config.h"

#include "submit/rows/verify_rollups.h"

#include "db/tagsums.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report {
	pm_verify_rollups_fn *each;
	void *ctx;
};

static int report_row(const struct report *r, int64_t set, const char *stored, const char *expected,
		      struct pm_err *e)
{
	char what[40];

	snprintf(what, sizeof what, "tags in set %" PRId64, set);
	return r->each(r->ctx, what, stored, expected, e);
}

static int compare_number(const struct report *r, int64_t set, const char *column, const char *more,
			  struct pm_stmt *q, int at, int64_t should, struct pm_err *e)
{
	const bool known = !pm_db_is_null(q, at);
	char stored[96], expected[96];

	if (known ? pm_db_int(q, at) == should && should != PM_KNOWNSUM_UNKNOWN
		  : should == PM_KNOWNSUM_UNKNOWN)
		return 0;
	snprintf(stored, sizeof stored, known ? "%s%s %" PRId64 : "no %s%s", column, more,
		 pm_db_int(q, at));
	snprintf(expected, sizeof expected,
		 should == PM_KNOWNSUM_UNKNOWN ? "no %s%s" : "%s%s %" PRId64, column, more, should);
	return report_row(r, set, stored, expected, e);
}

/* Compare the runs in the current row. */
static int compare_runs(const struct report *r, struct pm_stmt *q, const struct pm_tagsum *should,
			struct pm_err *e)
{
	size_t n;
	const void *runs = pm_db_blob(q, PM_TAGSUMS_RUNS, &n);
	uint8_t *bytes;
	const int64_t count = pm_intervals_encode(&should->runs, &bytes);
	int rc = 0;

	if (count < 0)
		return pm_err(e, "out of memory");
	if ((runs ? n : 0) != (size_t)count || (count && memcmp(runs, bytes, n) != 0))
		rc = report_row(r, should->set, "other runs", "the runs of its processes", e);
	free(bytes);
	return rc;
}

/* Compare the current row of q. */
static int compare_row(const struct report *r, struct pm_stmt *q, const struct pm_tagsum *should,
		       struct pm_err *e)
{
	const struct {
		const char *name;
		int64_t should;
	} head[] = { { "processes", should->processes },
		     { "timed", should->timed },
		     { "start_us", should->start_us },
		     { "finish_us", should->finish_us } };

	for (int i = 0; i < (int)(sizeof head / sizeof head[0]); i++)
		if (compare_number(r, should->set, head[i].name, "", q, 1 + i, head[i].should, e) <
		    0)
			return -1;
	if (compare_runs(r, q, should, e) < 0)
		return -1;
	for (int i = 0; i < PM_TAGSUM_FIGURES; i++) {
		const struct pm_knownsum *v = &should->value[i];
		const int at = PM_TAGSUMS_HEAD + 2 * i;

		if (compare_number(r, should->set, pm_tagfigures[i].name, "", q, at, v->sum, e) <
			    0 ||
		    compare_number(r, should->set, pm_tagfigures[i].name, "_known", q, at + 1,
				   v->known, e) < 0)
			return -1;
	}
	return 0;
}

/* Compare the rows of q with what should be there, both by set. */
static int compare_all(const struct report *r, struct pm_stmt *q, const struct pm_tagsum *should,
		       size_t n, struct pm_err *e)
{
	int has = pm_db_step(q, e), rc = has < 0 ? -1 : 0;

	for (size_t i = 0; rc == 0 && (i < n || has > 0);) {
		const int64_t is = has > 0 ? pm_db_int(q, 0) : INT64_MAX;

		if (i < n && (has == 0 || should[i].set < is)) {
			rc = report_row(r, should[i++].set, "no totals", "totals of its processes",
					e);
			continue;
		}
		rc = i < n && should[i].set == is
			     ? compare_row(r, q, &should[i++], e)
			     : report_row(r, is, "totals",
					  "none: it has no processes, or the job is too small", e);
		has = rc < 0 ? -1 : pm_db_step(q, e);
		rc = has < 0 ? -1 : 0;
	}
	return rc;
}

int pm_verify_tagsums(struct pm_db *db, int64_t job, struct pm_knownsum all[PM_TAGSUM_FIGURES],
		      pm_verify_rollups_fn *each, void *ctx, struct pm_err *e)
{
	const struct report r = { each, ctx };
	const struct pm_tagsum *should = NULL;
	struct pm_tagsums *s = pm_tagsums_new();
	struct pm_stmt *q = NULL;
	char *sql = NULL;
	size_t n = 0;
	int rc;

	if (!s || asprintf(&sql, "SELECT %s FROM tag_summary WHERE job_id = ? ORDER BY tag_set",
			   pm_tagsums_columns) < 0) {
		pm_tagsums_free(s);
		return pm_err(e, "out of memory");
	}
	rc = pm_tagsums_query(s, db, job, all, e);
	if (rc == 0)
		should = pm_tagsums_rows(s, &n);
	if (rc == 0)
		rc = pm_db_prepare(db, sql, &q, e);
	if (rc == 0) {
		pm_db_bind_int(q, 1, job);
		rc = compare_all(&r, q, should, n, e);
	}
	pm_db_finish(q);
	free(sql);
	pm_tagsums_free(s);
	return rc;
}
