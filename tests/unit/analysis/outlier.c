/* analysis/numbers/outlier.c: EPMT's own expectations, and corners. */
#include "config.h"

#include "analysis/numbers/outlier.h"

#include "tests/unit/main.h"

#include <math.h>
#include <string.h>

#define N(y) (sizeof(y) / sizeof(y)[0])

static const struct pm_outlier_limits usual = { .iqr = 1.5, .madz = 3.5, .z = 3.0 };

static struct pm_distribution of(const double *y, size_t n)
{
	struct pm_distribution d;
	struct pm_err e;

	ck_assert_int_eq(pm_distribution_of(&d, y, n, &e), 0);
	return d;
}

/* The scores of values among themselves are these digits. */
static void check_scores(const double *y, size_t n, const struct pm_outlier_limits *l,
			 const char *scores)
{
	const struct pm_distribution d = of(y, n);
	char got[64] = "";

	ck_assert_uint_lt(n, sizeof got);
	for (size_t i = 0; i < n; i++)
		got[i] = (char)('0' + pm_outlier_score(pm_outlier_marks(&d, l, y[i])));
	ck_assert_str_eq(got, scores);
}

static void check_near(double got, double want)
{
	ck_assert_msg(fabs(got - want) <= 5e-5 * fmax(1, fabs(want)), "%.9g, not %.9g", got, want);
}

START_TEST(components)
{
	static const double ocean[] = { 10425623185, 6589174875, 7286331754, 6036720046, 9114150525,
					6156192011,  6815710476, 860163243,  3619324767 };

	check_scores(ocean, N(ocean), &usual, "200000021");
}
END_TEST

START_TEST(segments)
{
	static const double sums[] = { 10425623185, 6589174875,  7286331754, 6036720046, 9114150525,
				       6156192011,  26897098077, 2524023336, 3619324767 };

	check_scores(sums, N(sums), &usual, "000000200");
}
END_TEST

START_TEST(one_method)
{
	static const double few[] = { 1, 2, 3, 4, 3, 2, 1, 10 };
	static const double far[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000 };
	struct pm_distribution d = of(few, N(few));

	for (size_t i = 0; i < N(few); i++)
		ck_assert_int_eq(pm_outlier_marks(&d, &usual, few[i]) & 1U << PM_OUTLIER_IQR,
				 few[i] == 10);
	d = of(far, N(far));
	check_near(pm_distribution_z(&d, 1), .3320);
	check_near(pm_distribution_z(&d, 10), .3005);
	check_near(pm_distribution_z(&d, 1000), 3.1621);
	check_near(d.mean, 95.9091);
	check_near(d.deviation, 285.9118);
}
END_TEST

START_TEST(scores)
{
	static const double two[] = { 1, 2, 1, 1, 1, 1, 2, 1, 0, 2, 100, 100 };
	static const struct pm_outlier_limits strict = { 1.5, 2.5, 1.5 };

	check_scores(two, N(two), &usual, "000000000022");
	check_scores(two, N(two) - 1, &usual, "00000000003");
	check_scores(two, N(two), &strict, "000000000033");
}
END_TEST

static struct pm_reference reference_of(const double *y, size_t n)
{
	const struct pm_distribution d = of(y, n);
	struct pm_reference r;

	pm_reference_of(&r, &d);
	return r;
}

/* What EPMT's trained models keep. */
START_TEST(trained)
{
	static const double few[] = { 1, 2, 3, 4, 3, 2, 1, 10 };
	static const double far[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1000 };
	struct pm_reference r = reference_of(few, N(few));

	ck_assert(r.low == 4.375 && r.high == 6.625);
	/* Whose fences are the least and the greatest. */
	ck_assert(r.low - 1.5 * (r.high - r.low) == 1 && r.high + 1.5 * (r.high - r.low) == 10);
	r = reference_of(far, N(far));
	check_near(r.z.score, 3.1621);
	check_near(r.z.centre, 95.9091);
	check_near(r.z.spread, 285.9118);
	ck_assert(r.madz.centre == 6 && r.madz.spread == 3);
	check_near(r.madz.score, .6745 * 994 / 3);
	ck_assert(pm_reference_score(&r, PM_OUTLIER_Z, 1000) == r.z.score);
	ck_assert(pm_reference_score(&r, PM_OUTLIER_MADZ, 1000) == r.madz.score);
}
END_TEST

START_TEST(reference)
{
	static const double few[] = { 1, 2, 3, 4, 3, 2, 1, 10 };
	static const double same[] = { 5, 5, 5 }, large[] = { 1e15 + 1, 1e15 + 2, 1e15 + 4 };
	static const struct pm_outlier_limits wide = { 3.5, 3.5, 3.0 };
	struct pm_reference r = reference_of(few, N(few));

	ck_assert_uint_eq(pm_reference_marks(&r, &usual, 1), 0);
	ck_assert_uint_eq(pm_reference_marks(&r, &usual, 10), 0);
	ck_assert_uint_eq(pm_reference_marks(&r, &usual, 5), 0);
	ck_assert_uint_eq(pm_outlier_score(pm_reference_marks(&r, &usual, 10.5)), 3);
	ck_assert_uint_eq(pm_reference_marks(&r, &usual, .5), 1U << PM_OUTLIER_IQR);
	ck_assert_uint_eq(pm_reference_marks(&r, &usual, NAN), 0);
	/* Ranges of 2.25 more at each end. */
	ck_assert_uint_eq(pm_reference_marks(&r, &wide, -3.5), 0);
	ck_assert_uint_eq(pm_reference_marks(&r, &wide, -3.6),
			  1U << PM_OUTLIER_IQR | 1U << PM_OUTLIER_Z);
	r = reference_of(same, N(same));
	ck_assert_uint_eq(pm_reference_marks(&r, &usual, 5), 0);
	ck_assert_uint_eq(pm_outlier_score(pm_reference_marks(&r, &usual, 5.1)), 3);
	/* Pseudo-quartiles that are rounded do not make an outlier of a value of the reference. */
	r = reference_of(large, N(large));
	for (size_t i = 0; i < N(large); i++)
		ck_assert_uint_eq(pm_reference_marks(&r, &usual, large[i]), 0);
}
END_TEST

START_TEST(methods)
{
	struct pm_err e;
	unsigned set;

	ck_assert_int_eq(pm_outlier_read_methods(NULL, &set, &e), 0);
	ck_assert_uint_eq(set, PM_OUTLIER_ALL);
	ck_assert_int_eq(pm_outlier_read_methods("z,iqr", &set, &e), 0);
	ck_assert_uint_eq(set, 1U << PM_OUTLIER_Z | 1U << PM_OUTLIER_IQR);
	ck_assert_int_eq(pm_outlier_read_methods("z,", &set, &e), -1);
	ck_assert_int_eq(pm_outlier_read_methods("mad", &set, &e), -1);
}
END_TEST

START_TEST(corners)
{
	static const double none[] = { NAN, NAN }, some[] = { NAN, 7, NAN, 9 };
	static const double tenths[] = { .1, .1, .1, .1, .1, .1 };
	struct pm_distribution d = of(none, N(none));
	struct pm_reference r;

	ck_assert_uint_eq(d.known, 0);
	ck_assert_uint_eq(pm_outlier_marks(&d, &usual, 1), 0);
	pm_reference_of(&r, &d);
	ck_assert_uint_eq(pm_reference_marks(&r, &usual, 1), 0);
	d = of(NULL, 0);
	ck_assert_uint_eq(d.known, 0);
	d = of(some, N(some));
	ck_assert_uint_eq(d.known, 2);
	ck_assert(d.median == 8 && d.mean == 8 && d.deviation == 1 && d.q1 == 7.5 && d.q3 == 8.5);
	ck_assert_uint_eq(pm_outlier_marks(&d, &usual, NAN), 0);
	/* A sum of tenths divided by their number is another number. */
	d = of(tenths, N(tenths));
	ck_assert(d.mean == .1 && d.deviation == 0 && d.mad == 0);
	ck_assert_uint_eq(pm_outlier_marks(&d, &usual, .1), 0);
	ck_assert(isinf(pm_distribution_z(&d, .2)) && isinf(pm_distribution_madz(&d, .2)));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("outlier");
	TCase *t = tcase_create("outlier");

	tcase_add_test(t, components);
	tcase_add_test(t, segments);
	tcase_add_test(t, one_method);
	tcase_add_test(t, scores);
	tcase_add_test(t, trained);
	tcase_add_test(t, reference);
	tcase_add_test(t, methods);
	tcase_add_test(t, corners);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
