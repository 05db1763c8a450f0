/* Read figures of operations, and bring those together that are compared. */
#include "config.h"

#include "analysis/outliers/opfeatures.h"

#include "analysis/outliers/rowfeatures.h"
#include "common/memtext.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The figure that is no sum over processes, but their number. */
#define COUNTED SIZE_MAX

/* A figure of operations by the name of a feature. */
static const char *metric_name(const struct pm_feature *feature)
{
	return pm_rowfeatures_sql(PM_ROWS_OPERATIONS, feature);
}

/* Choose the figures that the features need. Returns 0 or -1 with e filled. */
static int choose_metrics(struct pm_opfeatures *x, struct pm_err *e)
{
	char *words;
	size_t size;
	FILE *out = open_memstream(&words, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	/* This one is always there. */
	fputs("duration_us", out);
	for (size_t k = 0; k < x->none.features; k++)
		if (metric_name(x->none.feature[k]) &&
		    strcmp(x->none.feature[k]->name, "threads") != 0)
			fprintf(out, ",%s", metric_name(x->none.feature[k]));
	if (!pm_memtext_end(out, &words))
		return pm_err(e, "out of memory");
	rc = pm_ops_choose(&x->ops, words, e);
	free(words);
	for (size_t k = 0; rc == 0 && k < x->none.features; k++) {
		const char *name = metric_name(x->none.feature[k]);

		x->metric[k] = name ? 0 : COUNTED;
		while (name && strcmp(x->ops.metric[x->metric[k]]->name, name) != 0)
			x->metric[k]++;
	}
	return rc;
}

static int by_id(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int read_ops(struct pm_opfeatures *x, struct pm_db *const *db, size_t n,
		    const struct pm_opselect *select, struct pm_err *e)
{
	int64_t *id = malloc((x->jobs.jobs + 1) * sizeof *id);
	const struct pm_ops_ask ask = {
		.job = id, .jobs = x->jobs.jobs, .select = select, .per_job = true, .sums = true
	};
	int rc;

	if (!id)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < x->jobs.jobs; i++)
		id[i] = x->jobs.job[i].id;
	qsort(id, x->jobs.jobs, sizeof *id, by_id);
	rc = pm_ops_read(&x->ops, db, n, &ask, e);
	free(id);
	return rc;
}

/* Where a job is. */
struct place {
	int64_t id;
	size_t job, group;
};

static int by_place(const void *a, const void *b)
{
	return by_id(&((const struct place *)a)->id, &((const struct place *)b)->id);
}

static int by_group(const void *a, const void *b)
{
	const struct pm_opfeatures_row *x = a, *y = b;
	const int order = x->group != y->group ? (x->group < y->group ? -1 : 1)
					       : strcmp(x->op->key, y->op->key);

	return order ? order : (x->job > y->job) - (x->job < y->job);
}

static void sort_rows(struct pm_opfeatures *x, struct place *place)
{
	for (size_t first = 0, n; first < x->jobs.jobs; first += n) {
		n = pm_jobfeatures_group(&x->jobs, first);
		for (size_t i = first; i < first + n; i++)
			place[i] = (struct place){ x->jobs.job[i].id, i, x->together ? 0 : first };
	}
	qsort(place, x->jobs.jobs, sizeof *place, by_place);
	for (size_t i = 0; i < x->ops.ops; i++) {
		const struct place wanted = { .id = x->ops.op[i].job };
		const struct place *at =
			bsearch(&wanted, place, x->jobs.jobs, sizeof *place, by_place);

		x->row[x->rows++] = (struct pm_opfeatures_row){ at->group, at->job, &x->ops.op[i] };
	}
	if (x->rows)
		qsort(x->row, x->rows, sizeof *x->row, by_group);
}

int pm_opfeatures_begin(struct pm_opfeatures *x, struct pm_db *db, const struct pm_jobfilter *f,
			const char *words, struct pm_err *e)
{
	memset(x, 0, sizeof *x);
	if (pm_rowfeatures_choose(&x->none, PM_ROWS_OPERATIONS, words, e) < 0 ||
	    choose_metrics(x, e) < 0)
		return -1;
	return pm_jobfeatures_read(&x->jobs, db, f, "duration_us", e);
}

int pm_opfeatures_read(struct pm_opfeatures *x, struct pm_db *const *db, size_t n,
		       const struct pm_opselect *select, struct pm_err *e)
{
	struct place *place;

	if (read_ops(x, db, n, select, e) < 0)
		return -1;
	place = malloc((x->jobs.jobs + 1) * sizeof *place);
	x->row = malloc((x->ops.ops + 1) * sizeof *x->row);
	if (place && x->row)
		sort_rows(x, place);
	else
		pm_err(e, "out of memory");
	free(place);
	return x->row && place ? 0 : -1;
}

/* The value of a feature; what is known of some processes alone is counted. */
static double value_of(struct pm_opfeatures *x, const struct pm_op *op, size_t k)
{
	const struct pm_knownsum *v;

	if (x->metric[k] == COUNTED)
		return (double)op->processes;
	v = &op->value[x->metric[k]];
	if (v->known > 0 && v->known < op->processes)
		x->partial++;
	return v->known < op->processes || v->sum == PM_OPS_UNKNOWN ? NAN : (double)v->sum;
}

int pm_opfeatures_next(struct pm_opfeatures *x, size_t *at, struct pm_opfeatures_view *v,
		       struct pm_err *e)
{
	const struct pm_opfeatures_row *first = x->row + *at;
	const size_t left = x->rows - *at;
	size_t n = 0;

	if (!left)
		return 0;
	while (n < left && first[n].group == first->group &&
	       strcmp(first[n].op->key, first->op->key) == 0)
		n++;
	*v = (struct pm_opfeatures_view){ first->op->key, first->group, x->none };
	v->x.job = malloc(n * sizeof *v->x.job);
	v->x.value = malloc((n * v->x.features + 1) * sizeof *v->x.value);
	v->x.jobs = n;
	if (!v->x.job || !v->x.value) {
		pm_opfeatures_view_free(v);
		return pm_err(e, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		v->x.job[i] = x->jobs.job[first[i].job];
		for (size_t k = 0; k < v->x.features; k++)
			v->x.value[i * v->x.features + k] = value_of(x, first[i].op, k);
	}
	*at += n;
	return 1;
}

/* Take the jobs that have the operation out of x. Returns 0 or -1 with e filled. */
static int take_jobs(struct pm_opfeatures *x, struct pm_jobfeatures *y, struct pm_err *e)
{
	*y = x->none;
	y->job = malloc((x->rows + 1) * sizeof *y->job);
	y->value = malloc((x->rows * y->features + 1) * sizeof *y->value);
	if (!y->job || !y->value)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < x->rows; i++) {
		struct pm_jobfeatures_job *from = &x->jobs.job[x->row[i].job];

		y->job[y->jobs++] = *from;
		/* Its texts have moved. */
		*from = (struct pm_jobfeatures_job){ .id = from->id };
		for (size_t k = 0; k < y->features; k++)
			y->value[i * y->features + k] = value_of(x, x->row[i].op, k);
	}
	return 0;
}

int pm_opfeatures_one(struct pm_jobfeatures *y, struct pm_db *const *db, size_t n,
		      const struct pm_jobfilter *f, const struct pm_opselect *select,
		      const char *words, struct pm_err *e)
{
	struct pm_opfeatures x;
	int rc = pm_opfeatures_begin(&x, db[0], f, words, e);

	memset(y, 0, sizeof *y);
	if (rc == 0) {
		x.together = true;
		rc = pm_opfeatures_read(&x, db, n, select, e);
		if (rc == 0)
			rc = take_jobs(&x, y, e);
		errno = 0;
	}
	pm_opfeatures_free(&x);
	return rc;
}

void pm_opfeatures_view_free(struct pm_opfeatures_view *v)
{
	free(v->x.job);
	free(v->x.value);
	v->x.job = NULL;
	v->x.value = NULL;
}

void pm_opfeatures_free(struct pm_opfeatures *x)
{
	pm_jobfeatures_free(&x->jobs);
	pm_ops_free(&x->ops);
	free(x->row);
	memset(x, 0, sizeof *x);
}
