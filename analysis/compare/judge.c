/* Choose the figures that count, and judge them as one family. */
#include "config.h"

#include "analysis/compare/store.h"

#include "analysis/numbers/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Programs, phases and operations that take less of the job than this are not compared. */
#define SMALL 0.005

/* And what is this part of the job or less weighs little, whatever it is of a program. */
#define LITTLE 0.001

/* Chosen figures, and their values by job. */
struct choice {
	struct pm_compare *c;
	const double *value[PM_COMPARE_SCOPES]; /* see struct pm_compare_store */
	double cpu, wall;                       /* means of the jobs, us */
	double *chosen;                         /* of job i and figure k at i * room + k */
	size_t room;
};

/* The value of kind k of name i in a job: what is not there adds 0. */
static double value_of(const struct choice *x, enum pm_compare_scope scope, size_t i, size_t k,
		       size_t job)
{
	const struct pm_compare_store *s = x->c->store;
	const struct pm_compare_kind *kind;
	size_t kinds;
	double v;

	kind = pm_compare_kinds(scope, &kinds);
	v = x->value[scope][(i * kinds + k) * s->jobs + job];
	if (isnan(v) && kind[k].adds && s->known[scope][job]) {
		/* Unless it is there, and this figure of it is unknown. */
		for (size_t other = 0; other < kinds; other++)
			if (!isnan(x->value[scope][(i * kinds + other) * s->jobs + job]))
				return NAN;
		return 0;
	}
	return v;
}

/* Mean over all jobs in which it is known; NaN where it is in none. Of all, so that it says nothing
 * about the sides. */
static double mean_of(const struct choice *x, enum pm_compare_scope scope, size_t i, size_t k)
{
	double mean = 0, n = 0;

	for (size_t j = 0; j < x->c->jobs; j++) {
		const double v = value_of(x, scope, i, k, j);

		if (!isnan(v))
			mean += (v - mean) / ++n;
	}
	return n > 0 ? mean : NAN;
}

/* The total that kinds of times are a part of; NaN: none. */
static double total_of(const struct choice *x, const struct pm_compare_kind *kind)
{
	return strcmp(kind->name, "cpu_time") == 0      ? x->cpu
	       : strcmp(kind->name, "duration_us") == 0 ? x->wall
							: NAN;
}

/* Whether a name takes enough of the job. */
static bool counts(const struct choice *x, enum pm_compare_scope scope, size_t i)
{
	const struct pm_compare_kind *kind;
	size_t kinds;

	if (scope == PM_COMPARE_JOB)
		return true;
	kind = pm_compare_kinds(scope, &kinds);
	for (size_t k = 0; k < kinds; k++) {
		const double total = total_of(x, &kind[k]);

		if (mean_of(x, scope, i, k) >= SMALL * total)
			return true;
	}
	return false;
}

static void choose(struct choice *x, enum pm_compare_scope scope, size_t i, size_t k)
{
	struct pm_compare *c = x->c;
	size_t kinds;
	const struct pm_compare_kind *kind = pm_compare_kinds(scope, &kinds) + k;
	const double mean = mean_of(x, scope, i, k), total = total_of(x, kind);
	const size_t n = c->figures;

	if (isnan(mean))
		return;
	c->figure[n] = (struct pm_compare_figure){ scope, c->store->of[scope].op[i].key, kind };
	c->difference[n].least = fmax(kind->absolute, kind->relative * fabs(mean));
	if (scope != PM_COMPARE_JOB && !isnan(total))
		c->difference[n].least = fmax(c->difference[n].least, LITTLE * total);
	for (size_t j = 0; j < c->jobs; j++)
		x->chosen[j * x->room + n] = value_of(x, scope, i, k, j);
	c->figures++;
}

/* Names of all scopes, times their kinds. */
static size_t count_all(const struct pm_compare_store *s)
{
	size_t n = 0, kinds;

	for (size_t scope = 0; scope < PM_COMPARE_SCOPES; scope++) {
		pm_compare_kinds(scope, &kinds);
		n += s->of[scope].ops * kinds;
	}
	return n;
}

static void choose_all(struct choice *x)
{
	const struct pm_compare_store *s = x->c->store;
	size_t kinds;

	for (size_t scope = 0; scope < PM_COMPARE_SCOPES; scope++) {
		pm_compare_kinds(scope, &kinds);
		for (size_t i = 0; i < s->of[scope].ops; i++)
			for (size_t k = 0; k < kinds && counts(x, scope, i); k++)
				choose(x, scope, i, k);
	}
}

/* Bring the values of the chosen figures together, as the judge has them. */
static void close_gaps(struct choice *x)
{
	const size_t n = x->c->figures;

	for (size_t j = 1; j < x->c->jobs; j++)
		memmove(x->chosen + j * n, x->chosen + j * x->room, n * sizeof *x->chosen);
}

/* Means of what the job has of kinds with these names. */
static double mean_of_job(const struct choice *x, const char *name)
{
	size_t kinds;
	const struct pm_compare_kind *kind = pm_compare_kinds(PM_COMPARE_JOB, &kinds);

	for (size_t k = 0; k < kinds; k++)
		if (strcmp(kind[k].name, name) == 0)
			return mean_of(x, PM_COMPARE_JOB, 0, k);
	return NAN;
}

static int judge(struct choice *x, enum pm_difference_side *side, struct pm_err *e)
{
	struct pm_compare *c = x->c;
	struct pm_differences d = {
		.side = side, .runs = c->jobs, .value = x->chosen, .figure = c->difference
	};

	x->cpu = mean_of_job(x, "cpu_time");
	x->wall = mean_of_job(x, "duration_us");
	choose_all(x);
	close_gaps(x);
	d.figures = c->figures;
	for (size_t j = 0; j < c->jobs; j++)
		side[j] = c->job[j].side;
	if (pm_differences_judge(&d, e) < 0)
		return -1;
	c->method = d.method;
	c->judged = d.judged;
	c->partitions = d.partitions;
	return 0;
}

int pm_compare_judge(struct pm_compare *c, struct pm_err *e)
{
	struct choice x = { .c = c, .room = count_all(c->store) };
	enum pm_difference_side *side = calloc(c->jobs + 1, sizeof *side);
	int rc;

	for (size_t i = 0; i < PM_COMPARE_SCOPES; i++)
		x.value[i] = c->store->value[i];
	x.chosen = calloc(x.room * c->jobs + 1, sizeof *x.chosen);
	c->figure = calloc(x.room + 1, sizeof *c->figure);
	c->difference = calloc(x.room + 1, sizeof *c->difference);
	rc = side && x.chosen && c->figure && c->difference ? judge(&x, side, e)
							    : pm_err(e, "out of memory");
	free(side);
	free(x.chosen);
	return rc;
}
