/* Components and segments of an experiment. */
#include "config.h"

#include "analysis/outliers/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A range has no more segments than that: 27 years of days. */
#define STEPS_MAX 10000

static const char *text_of(const char *tag)
{
	return tag ? tag : "";
}

static int by_component(const void *a, const void *b)
{
	const struct pm_explore_component *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Dates are in the order of time by their texts. */
static int by_segment(const void *a, const void *b)
{
	const struct pm_explore_segment *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Jobs of one component. */
static int by_segment_and_start(const void *a, const void *b, void *ctx)
{
	const struct pm_jobfeatures_job *x = (const struct pm_jobfeatures_job *)ctx +
					     *(const size_t *)a,
					*y = (const struct pm_jobfeatures_job *)ctx +
					     *(const size_t *)b;
	const int order = strcmp(text_of(x->segment), text_of(y->segment));

	if (order)
		return order;
	if (x->start_us != y->start_us)
		return x->start_us < y->start_us ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Describe the component that begins at a job. Returns 0 or -1 with e filled. */
static int add_component(struct pm_explore *x, size_t first, struct pm_err *e)
{
	const struct pm_outlier_limits limits = pm_outlier_limits();
	struct pm_explore_component *c = &x->component[x->components++];

	c->name = text_of(x->jobs.job[first].component);
	c->first = first;
	c->jobs = pm_jobfeatures_group(&x->jobs, first);
	c->sum = 0;
	if (pm_distribution_of(&c->of, x->jobs.value + first, c->jobs, e) < 0)
		return -1;
	for (size_t i = first; i < first + c->jobs; i++) {
		const double y = x->jobs.value[i];

		if (!isnan(y))
			c->sum += y;
		x->order[i] = i;
		x->marks[i] =
			c->of.known < PM_EXPLORE_LEAST ? 0 : pm_outlier_marks(&c->of, &limits, y);
	}
	x->sum += c->sum;
	x->known += c->of.known;
	if (x->jobs.feature[0]->level && c->of.known)
		c->sum /= (double)c->of.known;
	qsort_r(x->order + first, c->jobs, sizeof *x->order, by_segment_and_start, x->jobs.job);
	return 0;
}

/* Add up the segments, each once. Returns 0 or -1 with e filled. */
static int add_segments(struct pm_explore *x, struct pm_err *e)
{
	const struct pm_outlier_limits limits = pm_outlier_limits();
	struct pm_explore_segment *s = x->segment;
	struct pm_distribution d;
	size_t n = 0;
	double *sums;
	int rc;

	for (size_t i = 0; i < x->jobs.jobs; i++)
		if (x->jobs.job[i].segment)
			s[n++] = (struct pm_explore_segment){
				.name = x->jobs.job[i].segment,
				.jobs = 1,
				.known = !isnan(x->jobs.value[i]),
				.sum = x->jobs.value[i],
			};
	qsort(s, n, sizeof *s, by_segment);
	for (size_t i = 0; i < n; i++) {
		struct pm_explore_segment *last = x->segments ? &s[x->segments - 1] : NULL;

		if (!last || strcmp(last->name, s[i].name) != 0) {
			s[x->segments++] = s[i];
			continue;
		}
		last->jobs++;
		if (!isnan(s[i].sum))
			last->sum = isnan(last->sum) ? s[i].sum : last->sum + s[i].sum;
		last->known += s[i].known;
	}
	for (size_t i = 0; x->jobs.feature[0]->level && i < x->segments; i++)
		s[i].sum /= (double)s[i].known; /* NaN where none is known */
	sums = malloc((x->segments + 1) * sizeof *sums);
	if (!sums)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < x->segments; i++)
		sums[i] = s[i].sum;
	rc = pm_distribution_of(&d, sums, x->segments, e);
	free(sums);
	for (size_t i = 0; rc == 0 && d.known >= PM_EXPLORE_LEAST && i < x->segments; i++)
		s[i].marks = pm_outlier_marks(&d, &limits, s[i].sum);
	return rc;
}

int pm_explore_read(struct pm_explore *x, struct pm_db *db, const struct pm_jobfilter *f,
		    const char *feature, struct pm_err *e)
{
	size_t n;

	memset(x, 0, sizeof *x);
	if (pm_jobfeatures_read(&x->jobs, db, f, feature, e) < 0)
		return -1;
	n = x->jobs.jobs + 1;
	x->order = calloc(n, sizeof *x->order);
	x->marks = calloc(n, sizeof *x->marks);
	x->component = calloc(n, sizeof *x->component);
	x->segment = calloc(n, sizeof *x->segment);
	if (!x->order || !x->marks || !x->component || !x->segment)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < x->jobs.jobs; i += pm_jobfeatures_group(&x->jobs, i))
		if (add_component(x, i, e) < 0)
			return -1;
	if (!x->known)
		x->sum = NAN;
	else if (x->jobs.feature[0]->level)
		x->sum /= (double)x->known;
	qsort(x->component, x->components, sizeof *x->component, by_component);
	return add_segments(x, e);
}

int pm_explore_range_of(const struct pm_explore *x, struct pm_explore_range *range)
{
	struct pm_segment *s = calloc(x->segments + 1, sizeof *s);
	size_t n = 0;
	int rc = s ? 0 : -1;

	for (size_t i = 0; s && i < x->segments; i++)
		n += pm_segment_parse(x->segment[i].name, &s[n]);
	if (n > 0 && pm_segment_step_of(s, n, &range->step)) {
		range->first = s[0];
		range->last = s[n - 1];
		rc = pm_explore_range_is(range) ? 1 : -1;
	}
	free(s);
	return rc;
}

bool pm_explore_range_is(const struct pm_explore_range *r)
{
	const struct pm_segment beyond = pm_segment_after(r->first, r->step, STEPS_MAX);

	return pm_segment_compare(&r->first, &r->last) <= 0 &&
	       pm_segment_compare(&beyond, &r->last) > 0;
}

static bool has_segment(const struct pm_explore *x, const struct pm_explore_component *c,
			const struct pm_segment *s)
{
	struct pm_segment have;

	for (size_t i = c->first; i < c->first + c->jobs; i++)
		if (x->jobs.job[i].segment && pm_segment_parse(x->jobs.job[i].segment, &have) &&
		    pm_segment_compare(&have, s) == 0)
			return true;
	return false;
}

void pm_explore_missing(const struct pm_explore *x, const struct pm_explore_component *c,
			const struct pm_explore_range *range,
			void (*each)(void *ctx, const struct pm_segment *s), void *ctx)
{
	for (int i = 0;; i++) {
		const struct pm_segment s = pm_segment_after(range->first, range->step, i);

		if (pm_segment_compare(&s, &range->last) > 0)
			break;
		if (!has_segment(x, c, &s))
			each(ctx, &s);
	}
}

void pm_explore_free(struct pm_explore *x)
{
	pm_jobfeatures_free(&x->jobs);
	free(x->order);
	free(x->marks);
	free(x->component);
	free(x->segment);
	memset(x, 0, sizeof *x);
}
