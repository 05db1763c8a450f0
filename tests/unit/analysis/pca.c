/* analysis/numbers/pca.c: components that can be worked out by hand, EPMT's weights, and corners.
 */
#include "config.h"

#include "analysis/numbers/pca.h"
#include "analysis/numbers/shape.h"

#include "tests/unit/main.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool missing; /* LAPACKE */

static void setup(void)
{
	const double x[] = { 1, 2 };
	struct pm_pca p;
	struct pm_err e = { .text = "" };

	missing = pm_pca_of(&p, x, 2, 1, 1, &e) < 0;
	ck_assert(!missing || strstr(e.text, "LAPACKE"));
	pm_pca_free(&p);
}

static void check_near(double got, double want)
{
	ck_assert_msg(fabs(got - want) <= 1e-12, "%.17g, not %.17g", got, want);
}

/* Of two features the components are their sum and their difference, with shares (1 + r) / 2 and
 * (1 - r) / 2 by the correlation r. */
START_TEST(two)
{
	static const double x[] = { 1, 10, 2, 30, 3, 20, 4, 40, 5, 30 };
	struct pm_pca p;
	struct pm_err e;
	double place[2];
	const double r = 50 / sqrt(10 * 520.);

	if (missing)
		return;
	ck_assert_int_eq(pm_pca_of(&p, x, 5, 2, 1, &e), 0);
	ck_assert_uint_eq(p.components, 2);
	check_near(p.share[0] + p.share[1], 1);
	check_near(p.share[0], (1 + r) / 2);
	check_near(fabs(p.loading[0]), sqrt(.5));
	check_near(p.loading[0], p.loading[1]);
	check_near(p.loading[2], -p.loading[3]);
	/* The mean is the origin. */
	pm_pca_project(&p, (double[]){ 3, 26 }, place);
	check_near(place[0], 0);
	check_near(place[1], 0);
	pm_pca_project(&p, (double[]){ 3, NAN }, place);
	ck_assert(isnan(place[0]) && isnan(place[1]));
	pm_pca_free(&p);
	/* The first explains (1 + r) / 2 of the variance: enough for a little less. */
	ck_assert_int_eq(pm_pca_of(&p, x, 5, 2, (1 + r) / 2 - 1e-9, &e), 0);
	ck_assert_uint_eq(p.components, 1);
	pm_pca_free(&p);
	ck_assert_int_eq(pm_pca_of(&p, x, 5, 2, (1 + r) / 2 + 1e-9, &e), 0);
	ck_assert_uint_eq(p.components, 2);
	pm_pca_free(&p);
}
END_TEST

START_TEST(corners)
{
	static const double same[] = { .1, 5, .1, 5, .1, 5 }, one[] = { .1, 1, .1, 2, .1, 4 };
	struct pm_pca p;
	struct pm_err e;

	if (missing)
		return;
	ck_assert_int_eq(pm_pca_of(&p, same, 3, 2, .8, &e), 0);
	ck_assert_uint_eq(p.components, 0);
	pm_pca_free(&p);
	ck_assert_int_eq(pm_pca_of(&p, same, 0, 2, .8, &e), 0);
	ck_assert_uint_eq(p.components, 0);
	pm_pca_free(&p);
	/* What does not vary is in no component. */
	ck_assert_int_eq(pm_pca_of(&p, one, 3, 2, .8, &e), 0);
	ck_assert_uint_eq(p.components, 1);
	check_near(p.share[0], 1);
	check_near(p.loading[0], 0);
	check_near(p.loading[1], 1);
	check_near(pm_pca_importance(&p, 1), 1);
	pm_pca_free(&p);
}
END_TEST

/* EPMT's own job: shares of .6811 and .2458, scores 1 and 0: 2.8; and of operations 1 and 1: 3.8.
 */
START_TEST(weights)
{
	double share[] = { .6811, .2458 };
	const struct pm_pca p = { .components = 2, .share = share };
	char text[2][16];

	snprintf(text[0], sizeof text[0], "%.1f", pm_pca_weighted(&p, (unsigned[]){ 1, 0 }));
	snprintf(text[1], sizeof text[1], "%.1f", pm_pca_weighted(&p, (unsigned[]){ 1, 1 }));
	ck_assert_str_eq(text[0], "2.8");
	ck_assert_str_eq(text[1], "3.8");
}
END_TEST

/* Values whose shape is worked out by hand; tests/e2e/report/outliers.t has scipy. */
START_TEST(shape)
{
	static const double few[] = { 1, 2, 3, NAN, 4, 5, 6, 7 };
	static const double even[] = { -2, -1, -1, 0, 0, 1, 1, 2 };
	struct pm_distribution d;
	struct pm_shape s;
	struct pm_err e;

	ck_assert_int_eq(pm_distribution_of(&d, few, 8, &e), 0);
	pm_shape_of(&s, &d, few, 8);
	check_near(s.skewness, 0);
	check_near(s.kurtosis, -1.25);
	ck_assert(isnan(s.k2) && isnan(s.p));
	ck_assert_int_eq(pm_distribution_of(&d, even, 8, &e), 0);
	pm_shape_of(&s, &d, even, 8);
	check_near(s.skewness, 0);
	ck_assert(s.p > .5 && s.p < 1);
	ck_assert_int_eq(pm_distribution_of(&d, few, 1, &e), 0);
	pm_shape_of(&s, &d, few, 1);
	ck_assert(isnan(s.skewness) && isnan(s.kurtosis));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("pca");
	TCase *t = tcase_create("pca");

	tcase_add_checked_fixture(t, setup, NULL);
	tcase_add_test(t, two);
	tcase_add_test(t, corners);
	tcase_add_test(t, weights);
	tcase_add_test(t, shape);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
