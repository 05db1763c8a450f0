/* Split jobs into two sides, by time or by a tag. */
#include "config.h"

#include "report/compare/split.h"

#include "analysis/select/when.h"
#include "common/cli/verb.h"
#include "common/now.h"
#include "report/select.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BY_TAG "tag:"

/* What is known of a job. */
struct job {
	int64_t id, start_us;
	char *value; /* of the tag; NULL: none */
};

static int by_start(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Read the jobs whose start is known, and sort them by it. Each table is asked for the number
 * itself, so that PostgreSQL reads one partition. Returns how many, or -1 with e filled. */
static int64_t read_jobs(struct pm_db *db, const char *tag, const int64_t *id, size_t n,
			 struct job *job, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t count = 0;
	int rc = 0;

	if (pm_db_prepare(db,
			  "SELECT start_us, (SELECT value FROM tag_set WHERE job_id = ? AND"
			  " tag_set.id = 0 AND tag_set.name = ?) FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	for (size_t i = 0; i < n && rc >= 0; i++) {
		pm_db_reset(q);
		pm_db_bind_int(q, 1, id[i]);
		pm_db_bind_str(q, 2, tag);
		pm_db_bind_int(q, 3, id[i]);
		rc = pm_db_step(q, e);
		if (rc <= 0 || pm_db_is_null(q, 0))
			continue;
		job[count].id = id[i];
		job[count].start_us = pm_db_int(q, 0);
		if (!pm_db_is_null(q, 1)) {
			job[count].value = strdup(pm_db_text(q, 1, NULL));
			if (!job[count].value)
				rc = pm_err(e, "out of memory");
		}
		count++;
	}
	pm_db_finish(q);
	qsort(job, count, sizeof *job, by_start);
	return rc < 0 ? -1 : (int64_t)count;
}

/* When side B begins. Returns an exit status. */
static int take_time(struct pm_db *db, const char *word, int64_t *us, struct pm_err *e)
{
	struct pm_err ignored;
	struct pm_stmt *q;
	int64_t id;
	int rc;

	if (pm_when_parse(word, pm_now_us(), us, &ignored) == 0)
		return PM_EXIT_OK;
	if (pm_select_named(db, word, &id, &ignored) <= 0) {
		pm_err(e,
		       "--split: '%s' is neither a time, such as 2026-11-20T08:00 or -7d, nor a "
		       "job, nor tag:NAME",
		       word);
		return PM_EXIT_USAGE;
	}
	if (pm_db_prepare(db, "SELECT start_us FROM job WHERE id = ? AND start_us IS NOT NULL", &q,
			  e) < 0)
		return PM_EXIT_FAILED;
	pm_db_bind_int(q, 1, id);
	rc = pm_db_step(q, e);
	*us = rc > 0 ? pm_db_int(q, 0) : 0;
	pm_db_finish(q);
	if (rc == 0)
		pm_err(e, "--split: the start of job %s is not known", word);
	return rc > 0 ? PM_EXIT_OK : PM_EXIT_FAILED;
}

/* The side of a job by its tag, 0 or 1; -1: none. A third value is an error. */
static int side_of(const struct job *job, const char *value[2])
{
	if (!job->value)
		return -1;
	for (int side = 0; side < 2; side++) {
		if (!value[side])
			value[side] = job->value;
		if (strcmp(value[side], job->value) == 0)
			return side;
	}
	return -2;
}

const char *pm_split_tag(const char *word)
{
	const size_t n = strlen(BY_TAG);

	return strncmp(word, BY_TAG, n) == 0 ? word + n : NULL;
}

int pm_split(struct pm_db *db, const char *word, const int64_t *id, size_t n, int64_t **a,
	     size_t *as, int64_t **b, size_t *bs, struct pm_err *e)
{
	const char *const named = pm_split_tag(word), *tag = named ? named : "";
	const bool by_tag = named != NULL;
	const char *value[2] = { NULL, NULL };
	struct job *job = calloc(n + 1, sizeof *job);
	int64_t us = 0, jobs = 0;
	int status = by_tag ? PM_EXIT_OK : take_time(db, word, &us, e);

	*a = malloc((n + 1) * sizeof **a);
	*b = malloc((n + 1) * sizeof **b);
	*as = *bs = 0;
	if (!job || !*a || !*b) {
		pm_err(e, "out of memory");
		status = PM_EXIT_FAILED;
	}
	if (status == PM_EXIT_OK && (jobs = read_jobs(db, tag, id, n, job, e)) < 0)
		status = PM_EXIT_FAILED;
	for (int64_t i = 0; status == PM_EXIT_OK && i < jobs; i++) {
		const int side = by_tag ? side_of(&job[i], value) : job[i].start_us >= us;

		if (side == -2) {
			pm_err(e, "--split: tag %s has more than two values", tag);
			status = PM_EXIT_FAILED;
		} else if (side >= 0) {
			*(side ? &(*b)[(*bs)++] : &(*a)[(*as)++]) = job[i].id;
		}
	}
	for (size_t i = 0; job && i < n; i++)
		free(job[i].value);
	free(job);
	return status;
}
