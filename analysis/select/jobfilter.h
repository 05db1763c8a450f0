/*
 * Which jobs a question is about, and in which order: conditions on table job as SQL with
 * parameters, of what the user wrote.
 */
#ifndef PM_ANALYSIS_SELECT_JOBFILTER_H
#define PM_ANALYSIS_SELECT_JOBFILTER_H

#include "analysis/select/conditions.h"
#include "common/err.h"
#include "db/db.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the user wrote; NULL where nothing. In lists, commas separate alternatives; \, is a comma.
 * Tags and annotations are NAME:VALUE pairs, separated by semicolons, all of which a job must have;
 * NAME alone is NAME:1, as it is stored. Times: see pm_when_parse().
 */
struct pm_jobfilter_words {
	const char *user, *name, *account, *queue, *host; /* lists */
	const char *status; /* list of ok, failed, killed, running, unknown or exit statuses */
	const char *tag, *annotation; /* lists of pairs */
	const char *after, *before;   /* time of the start: not before it, and before it */
	const char *when;             /* time at which the job ran; or see when_job */
	int64_t when_job;             /* id of a job at the time of which the job ran; 0: none */
	const char *order; /* a field, with :asc or :desc behind it or not; NULL: newest first */
};

struct pm_jobfilter {
	char *where;                 /* " WHERE ...", or ""; owned */
	const char *order;           /* columns for ORDER BY */
	int64_t limit;               /* so many at most; 0: all */
	struct pm_parameters values; /* of its parameters, in order */
};

/* Make the conditions. now_us: the present time. Returns 0, or -1 with e filled: what the user
 * wrote cannot be meant, or there is no memory. To be freed in either case. */
int pm_jobfilter_make(struct pm_jobfilter *f, const struct pm_jobfilter_words *w, int64_t now_us,
		      struct pm_err *e);

/* Make the condition of n jobs by their ids. Returns 0 or -1 with e filled; to be freed in either
 * case. */
int pm_jobfilter_ids(struct pm_jobfilter *f, const int64_t *id, size_t n, struct pm_err *e);

/* Make the condition of the newest `limit` jobs that are comparable, by what pm_jobfeatures_read()
 * calls their group; of a name, others may be among them. Returns as pm_jobfilter_make(). */
int pm_jobfilter_group(struct pm_jobfilter *f, const char *group, int64_t limit, struct pm_err *e);

/* Add the condition that a job is over and, unless all are meant, was not analyzed since it was
 * last loaded; of these the first `limit` ones after an id, in the order of ids. Returns 0 or -1
 * with e filled. */
int pm_jobfilter_over(struct pm_jobfilter *f, bool all, int64_t after, int64_t limit,
		      struct pm_err *e);

/* Add a condition on table job with its parameters, NULL for none, to a filter that was made.
 * Returns 0, or -1 with e filled. */
int pm_jobfilter_add(struct pm_jobfilter *f, const char *sql, const struct pm_parameters *values,
		     struct pm_err *e);

/* Add the condition that a job has a tag, whatever its value. Returns as pm_jobfilter_add(). */
int pm_jobfilter_tagged(struct pm_jobfilter *f, const char *tag, struct pm_err *e);

/*
 * Make a filter of the first `jobs` that another one selects, in its order, that meet a condition
 * on table job, with its parameters. Returns 0, or -1 with e filled. To be freed in either case.
 */
int pm_jobfilter_first(struct pm_jobfilter *f, const struct pm_jobfilter *of, int jobs,
		       const char *sql, const struct pm_parameters *values, struct pm_err *e);

/* Bind the parameters of `where`, the first of which has number `from`. Returns the number of the
 * next parameter. */
int pm_jobfilter_bind(const struct pm_jobfilter *f, struct pm_stmt *q, int from);

void pm_jobfilter_free(struct pm_jobfilter *f);

/* Find the order that a word names: start, start:asc and so on. Returns columns for ORDER BY,
 * static text, or NULL with e filled. */
const char *pm_joborder_find(const char *word, struct pm_err *e);

/* The column of table job by which such columns for ORDER BY sort, where it is a figure of which
 * table job_zone has bounds; else NULL. *falls: the largest comes first. */
const char *pm_joborder_figure(const char *order, bool *falls);

#endif
