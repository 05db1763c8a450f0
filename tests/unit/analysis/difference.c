/*
 * analysis/numbers/difference.c: known answers, corners; how often a difference is called where
 * there is none, whatever the distribution, and where there is one. PM_TEST_PAIRS=2000 has more
 * pairs; the rates are printed.
 */
#include "config.h"

#include "analysis/numbers/difference.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <math.h>
#include <string.h>

#define RUNS    64
#define FIGURES 40

#define A PM_DIFFERENCE_A
#define B PM_DIFFERENCE_B
#define E PM_DIFFERENCE_EARLIER

static double value[RUNS * FIGURES];
static enum pm_difference_side side[RUNS];
static struct pm_difference figure[FIGURES];

/* Judge a runs, b, and then `earlier` ones, of `value`. */
static struct pm_differences judge(size_t a, size_t b, size_t more, size_t figures)
{
	struct pm_differences d = { .side = side,
				    .runs = a + b + more,
				    .value = value,
				    .figure = figure,
				    .figures = figures };
	struct pm_err e;

	for (size_t i = 0; i < d.runs; i++)
		side[i] = i < a ? A : i < a + b ? B : E;
	ck_assert_int_eq(pm_differences_judge(&d, &e), 0);
	return d;
}

/* --- known answers ---------------------------------------------------------------------------- */

/* Two sides apart: of the 252 assignments only two are so. */
START_TEST(apart)
{
	static const double y[] = { 10.0, 10.1, 9.9, 10.2, 9.8, 11.0, 11.1, 10.9, 11.2, 10.8 };
	struct pm_differences d;

	memcpy(value, y, sizeof y);
	figure[0].least = 0.2;
	d = judge(5, 5, 0, 1);
	ck_assert_int_eq(d.method, PM_DIFFERENCE_PERMUTATIONS);
	ck_assert_double_eq(d.partitions, 252);
	ck_assert_double_eq_tol(figure[0].p, 2.0 / 252, 1e-12);
	ck_assert(figure[0].differs);
	ck_assert_double_eq_tol(figure[0].median[A], 10, 1e-12);
	ck_assert_double_eq_tol(figure[0].median[B], 11, 1e-12);
	/* Deviations .1 .1 .2 .2, twice: their median is .15. */
	ck_assert_double_eq_tol(figure[0].noise, 0.15 / 0.6744897501960817, 1e-9);
	/* s^2 = 2 * .1 / 8, T = 1 / sqrt(.025 * .4 + .04). */
	ck_assert_double_eq_tol(figure[0].statistic, 1 / sqrt(0.025 * 0.4 + 0.04), 1e-9);
	/* The assignment that was made is the largest one in a fifth of them: no difference. */
	value[5] = 9.0;
	judge(5, 5, 0, 1);
	ck_assert(!figure[0].differs);
	ck_assert_double_gt(figure[0].p, 0.01);
}
END_TEST

/* Few: by the largest difference between two runs of a side. */
START_TEST(few)
{
	static const double y[] = { 10, 11, 10, 30, 31, 30 };

	memcpy(value, y, sizeof y);
	figure[0].least = 0.1;
	ck_assert_int_eq(judge(3, 3, 0, 1).method, PM_DIFFERENCE_FEW);
	/* s^2 = 2 * 2 / 3 / 4 = 1/3, T = 20 / sqrt(2/9 + .01), four runs more than sides. Between
	 * two runs 1 beside the noise of the other side, 2/3 by two runs more than sides. */
	ck_assert_double_eq_tol(figure[0].p,
				1.0 / 3 * pow(sqrt(2.0 / 9 + .01) / 20 / sqrt(2.0 / 3 + .01), 3),
				1e-12);
	ck_assert(figure[0].differs);
	value[3] = value[5] = 11;
	value[4] = 12;
	judge(3, 3, 0, 1);
	ck_assert(!figure[0].differs);
}
END_TEST

/* A second figure, as sure, does not take the first one's place; a third, that differs less, is
 * judged when they are done with. */
START_TEST(step_down)
{
	for (size_t i = 0; i < 10; i++) {
		value[3 * i] = (i < 5 ? 100 : 120) + (double)(i % 5);
		value[3 * i + 1] = (i < 5 ? 50 : 60) + (double)((i * 2) % 5) / 2;
		value[3 * i + 2] = (i < 5 ? 10 : 11) + (double)((i * 3) % 5) / 10;
	}
	figure[0].least = 2;
	figure[1].least = 1;
	figure[2].least = 0.2;
	judge(5, 5, 0, 3);
	for (size_t k = 0; k < 3; k++)
		ck_assert_msg(figure[k].differs, "figure %zu: p %g", k, figure[k].p);
}
END_TEST

/* --- corners ---------------------------------------------------------------------------------- */

START_TEST(unknown)
{
	/* One run each, and nothing earlier. */
	value[0] = 1;
	value[1] = 100;
	figure[0].least = 0.02;
	ck_assert_int_eq(judge(1, 1, 0, 1).method, PM_DIFFERENCE_NONE);
	ck_assert(!figure[0].differs && isnan(figure[0].p) && isnan(figure[0].noise));
	ck_assert_double_eq(figure[0].median[B], 100);
	/* Not known on one side. */
	for (size_t i = 0; i < 10; i++)
		value[i] = i < 5 ? NAN : 1 + (double)i;
	judge(5, 5, 0, 1);
	ck_assert(isnan(figure[0].p) && !figure[0].differs && isnan(figure[0].median[A]));
	ck_assert_uint_eq(figure[0].known[A], 0);
	/* Nowhere at all, and no figures, and no runs. */
	for (size_t i = 0; i < 10; i++)
		value[i] = NAN;
	judge(5, 5, 0, 1);
	ck_assert(isnan(figure[0].p) && isnan(figure[0].median[B]));
	ck_assert_uint_eq(judge(5, 5, 0, 0).judged, 0);
	ck_assert_uint_eq(judge(0, 0, 0, 1).judged, 0);
	/* The same everywhere. */
	for (size_t i = 0; i < 10; i++)
		value[i] = 7;
	ck_assert_uint_eq(judge(5, 5, 0, 1).judged, 1);
	ck_assert(figure[0].p == 1 && !figure[0].differs && figure[0].noise == 0);
}
END_TEST

/* Earlier runs tell the noise of one run on each side; where there are many, all is exact. */
START_TEST(earlier)
{
	static const struct {
		size_t a, b, more;
		enum pm_difference_method method;
	} known[] = {
		{ 1, 1, 2, PM_DIFFERENCE_NONE },          { 1, 1, 3, PM_DIFFERENCE_FEW },
		{ 1, 1, 20, PM_DIFFERENCE_FEW },          { 2, 2, 16, PM_DIFFERENCE_FEW },
		{ 2, 2, 17, PM_DIFFERENCE_PERMUTATIONS }, { 3, 3, 5, PM_DIFFERENCE_FEW },
		{ 3, 3, 6, PM_DIFFERENCE_PERMUTATIONS },  { 4, 4, 1, PM_DIFFERENCE_FEW },
		{ 4, 4, 2, PM_DIFFERENCE_PERMUTATIONS },  { 5, 5, 0, PM_DIFFERENCE_PERMUTATIONS },
		{ 1, 12, 0, PM_DIFFERENCE_FEW },          { 2, 13, 0, PM_DIFFERENCE_PERMUTATIONS },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		const size_t runs = known[i].a + known[i].b + known[i].more;
		struct pm_differences d;

		for (size_t r = 0; r < runs; r++)
			value[r] = 100 + (double)(r % 3) / 2 +
				   (r >= known[i].a && r < known[i].a + known[i].b ? 50 : 0);
		figure[0].least = 2;
		d = judge(known[i].a, known[i].b, known[i].more, 1);
		ck_assert_msg(d.method == known[i].method, "%zu: %d", i, (int)d.method);
		ck_assert_msg(figure[0].differs == (d.method != PM_DIFFERENCE_NONE), "%zu: p %g", i,
			      figure[0].p);
	}
	/* As far away as the noise goes. */
	for (size_t i = 0; i < 22; i++)
		value[i] = 100 + (double)((i * 7) % 10);
	judge(1, 1, 20, 1);
	ck_assert(!figure[0].differs);
}
END_TEST

/* More than can be tried are drawn: the answer is the same each time. */
START_TEST(drawn)
{
	double p;

	for (size_t i = 0; i < 40; i++)
		value[i] = 100 + (double)((i * 7) % 10) + (i < 20 ? 0 : 10);
	figure[0].least = 2;
	ck_assert_double_gt(judge(20, 20, 0, 1).partitions, 1e11);
	p = figure[0].p;
	ck_assert(figure[0].differs);
	judge(20, 20, 0, 1);
	ck_assert_double_eq(figure[0].p, p);
}
END_TEST

/* --- rates ------------------------------------------------------------------------------------ */

static uint64_t state;

static double uniform(void)
{
	return ((double)(random_next(&state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Noise of standard deviation 1, where there is one. */
static double plain(double scale)
{
	(void)scale;
	return normal();
}

static double lognormal(double scale)
{
	(void)scale;
	return (exp(normal()) - 1.6487) / 2.1612;
}

static double heavy(double scale) /* Student's, 2 degrees of freedom: no variance */
{
	(void)scale;
	return normal() / sqrt(-log(uniform()));
}

static double ticks(double scale) /* of 4 %: a job of a quarter of a second */
{
	return round(normal() * scale / 0.04) * 0.04 / scale;
}

static double bimodal(double scale)
{
	(void)scale;
	return (uniform() < 0.5 ? -1 : 1) + 0.1 * normal();
}

static double cold(double scale) /* each tenth run is far slower */
{
	(void)scale;
	return normal() + (uniform() < 0.1 ? 15 : 0);
}

static const struct {
	const char *name;
	double (*noise)(double scale);
} distribution[] = {
	{ "normal", plain }, { "lognormal", lognormal }, { "heavy tails", heavy },
	{ "ticks", ticks },  { "bimodal", bimodal },     { "cold", cold },
};

#define DISTRIBUTIONS ((int)(sizeof distribution / sizeof distribution[0]))

/* Runs of figures that have something in common, with noise of 1 to 3 percent; figure 0 is larger
 * by `shift` in B. */
static void make(int which, size_t a, size_t b, size_t more, size_t figures, double shift)
{
	for (size_t i = 0; i < a + b + more; i++) {
		const double all = 0.01 * distribution[which].noise(0.01);

		for (size_t k = 0; k < figures; k++) {
			const double scale = 0.01 + 0.02 * (double)((k * 7) % 10) / 9;
			double v = 100 * (1 + all + scale * distribution[which].noise(scale));

			if (k == 0 && i >= a && i < a + b)
				v *= 1 + shift;
			value[i * figures + k] = v;
			figure[k].least = 2;
		}
	}
}

static size_t pairs_of_test(void)
{
	const char *text = getenv("PM_TEST_PAIRS");

	return text ? strtoul(text, NULL, 10) : 200;
}

/* Pairs in which any figure is called, and the first one. */
static void call(int which, size_t a, size_t b, size_t more, double shift, size_t pairs,
		 size_t *any, size_t *first)
{
	*any = *first = 0;
	for (size_t i = 0; i < pairs; i++) {
		bool one = false;

		make(which, a, b, more, FIGURES, shift);
		judge(a, b, more, FIGURES);
		for (size_t k = 0; k < FIGURES; k++)
			one = one || figure[k].differs;
		*any += one;
		*first += figure[0].differs;
	}
}

/* Of pairs of one distribution a difference is called in two percent at most. */
START_TEST(false_alarms)
{
	static const size_t runs[][3] = {
		{ 5, 5, 0 }, { 6, 5, 0 }, { 1, 1, 15 }, { 1, 1, 5 }, { 3, 3, 0 }
	};
	const size_t pairs = pairs_of_test();
	size_t any, first;

	for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
		state = 1 + (uint64_t)_i;
		call(_i, runs[r][0], runs[r][1], runs[r][2], 0, pairs, &any, &first);
		printf("# %s, %zu against %zu, %zu earlier: called in %zu of %zu pairs of one "
		       "distribution\n",
		       distribution[_i].name, runs[r][0], runs[r][1], runs[r][2], any, pairs);
		fflush(stdout);
		/* Few runs do not tell how far the extreme ones are. */
		ck_assert_msg((r < 2 ? 50 : 33) * any <= pairs, "%s: %zu of %zu",
			      distribution[_i].name, any, pairs);
	}
}
END_TEST

/* Noticed: were each figure a family of its own, many would be called. */
START_TEST(one_by_one)
{
	size_t called = 0;

	state = 7;
	for (size_t i = 0; i < 100; i++) {
		bool any = false;

		make(0, 5, 5, 0, FIGURES, 0);
		for (size_t k = 0; k < FIGURES && !any; k++) {
			double all[10 * FIGURES];
			struct pm_difference own = { .least = 2 };
			struct pm_differences d = {
				.side = side, .runs = 10, .value = all, .figure = &own, .figures = 1
			};
			struct pm_err e;

			for (size_t r = 0; r < 10; r++) {
				side[r] = r < 5 ? A : B;
				all[r] = value[r * FIGURES + k];
			}
			ck_assert_int_eq(pm_differences_judge(&d, &e), 0);
			any = own.differs;
		}
		called += any;
	}
	printf("# one by one: called in %zu of 100\n", called);
	ck_assert_uint_gt(called, 10);
}
END_TEST

/* A tenth more of one figure, with noise of one percent, or of all together two. */
START_TEST(found)
{
	const size_t pairs = pairs_of_test();
	size_t any, first;

	state = 3;
	call(0, 5, 5, 0, 0.1, pairs, &any, &first);
	printf("# 10 %% more of a figure of 1.4 %% noise: found in %zu of %zu\n", first, pairs);
	ck_assert_uint_ge(first * 100, pairs * 95);
	ck_assert_uint_le((any - first) * 50, pairs);
	call(0, 1, 1, 30, 0.3, pairs, &any, &first);
	printf("# 30 %% more, one run each, 30 earlier: found in %zu of %zu\n", first, pairs);
	ck_assert_uint_ge(first * 100, pairs * 75);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("difference");
	TCase *t = tcase_create("known"), *r = tcase_create("rates");

	tcase_add_test(t, apart);
	tcase_add_test(t, few);
	tcase_add_test(t, step_down);
	tcase_add_test(t, unknown);
	tcase_add_test(t, earlier);
	tcase_add_test(t, drawn);
	suite_add_tcase(s, t);
	tcase_set_timeout(r, 600);
	tcase_add_loop_test(r, false_alarms, 0, DISTRIBUTIONS);
	tcase_add_test(r, one_by_one);
	tcase_add_test(r, found);
	suite_add_tcase(s, r);
	return s;
}

PM_UNIT_MAIN(suite)
