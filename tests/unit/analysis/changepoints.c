/* analysis/numbers/changepoints.c: levels of known places, corners, and series of one level. */
#include "config.h"

#include "analysis/numbers/changepoints.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <math.h>
#include <string.h>

#define MOST 200

static double y[MOST];
static uint64_t state;

static double normal(void)
{
	double u = ((double)(random_next(&state) >> 11) + 0.5) / 9007199254740992.0;
	double v = ((double)(random_next(&state) >> 11) + 0.5) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* The changes of the first n values, as "12:100>110 ". */
static const char *changes_of(size_t n)
{
	static char text[1024];
	struct pm_changepoint *change;
	size_t changes, used = 0;
	struct pm_err e;

	text[0] = '\0';
	ck_assert_int_eq(pm_changepoints_find(y, n, &change, &changes, &e), 0);
	for (size_t i = 0; i < changes; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%zu:%.0f>%.0f ",
					 change[i].at, change[i].before, change[i].after);
	free(change);
	return text;
}

/* Levels of so many values each, with noise of so much. */
static size_t make(const double *level, const size_t *length, size_t levels, double noise)
{
	size_t n = 0;

	for (size_t i = 0; i < levels; i++)
		for (size_t k = 0; k < length[i]; k++)
			y[n++] = level[i] * (1 + noise * normal());
	return n;
}

START_TEST(one)
{
	static const double level[] = { 100, 110 };
	static const size_t length[] = { 12, 9 };

	state = 1;
	ck_assert_str_eq(changes_of(make(level, length, 2, 0)), "12:100>110 ");
	/* What is not known is not there. */
	y[3] = y[12] = NAN;
	ck_assert_str_eq(changes_of(21), "13:100>110 ");
	/* One run that stands out is no level. */
	make(level, length, 2, 0);
	y[5] = 1000;
	ck_assert_str_eq(changes_of(21), "12:100>110 ");
	for (size_t i = 0; i < 21; i++)
		y[i] = i == 10 ? 500 : 100;
	ck_assert_str_eq(changes_of(21), "");
}
END_TEST

START_TEST(several)
{
	static const double level[] = { 100, 130, 90, 100 };
	static const size_t length[] = { 30, 20, 25, 40 };
	struct pm_changepoint *change;
	size_t changes, n;
	struct pm_err e;

	state = 2;
	n = make(level, length, 4, 0.02);
	ck_assert_int_eq(pm_changepoints_find(y, n, &change, &changes, &e), 0);
	ck_assert_uint_eq(changes, 3);
	for (size_t i = 0, at = 0; i < 3; i++) {
		at += length[i];
		/* The last one of a level may be as the next one's. */
		ck_assert_uint_le(change[i].at > at ? change[i].at - at : at - change[i].at, 1);
		ck_assert_double_eq_tol(change[i].before, level[i], 2);
		ck_assert_double_eq_tol(change[i].after, level[i + 1], 2);
	}
	free(change);
}
END_TEST

START_TEST(corners)
{
	for (size_t i = 0; i < MOST; i++)
		y[i] = NAN;
	ck_assert_str_eq(changes_of(0), "");
	ck_assert_str_eq(changes_of(MOST), "");
	for (size_t i = 0; i < MOST; i++)
		y[i] = 5;
	ck_assert_str_eq(changes_of(MOST), "");
	/* So few are no evidence, however far apart; six and six are. */
	for (size_t n = 1; n <= 6; n++) {
		for (size_t i = 0; i < 2 * n; i++)
			y[i] = i < n ? 100 : 200;
		ck_assert_str_eq(changes_of(2 * n), n < 5    ? ""
						    : n == 5 ? "5:100>200 "
							     : "6:100>200 ");
	}
	/* From nothing to something, and a change of which nobody cares. */
	for (size_t i = 0; i < 20; i++)
		y[i] = i < 10 ? 0 : 7;
	ck_assert_str_eq(changes_of(20), "10:0>7 ");
	for (size_t i = 0; i < 20; i++)
		y[i] = i < 10 ? 1000 : 1010;
	ck_assert_str_eq(changes_of(20), "");
}
END_TEST

/* Of series of one level two in a hundred have a change at most. */
START_TEST(none)
{
	const size_t series = 300;
	size_t called = 0;

	state = 5;
	for (size_t i = 0; i < series; i++) {
		for (size_t k = 0; k < 40; k++) {
			const double v = normal();

			/* Normal, with far ones, and discrete. */
			y[k] = 100 + (i % 3 == 0   ? 5 * v
				      : i % 3 == 1 ? 5 * v * v * v
						   : round(2 * v));
		}
		called += *changes_of(40) != '\0';
	}
	printf("# called in %zu of %zu series\n", called, series);
	ck_assert_uint_le(50 * called, series);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("changepoints");
	TCase *t = tcase_create("changepoints");

	tcase_add_test(t, one);
	tcase_add_test(t, several);
	tcase_add_test(t, corners);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
