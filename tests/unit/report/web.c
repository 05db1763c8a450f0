/* report/web: sums of columns, codes, steps of a line, numbers of texts: known answers. */
#include "config.h"

#include "report/web/column.h"
#include "report/rows/names.h"
#include "report/web/stepline.h"
#include "tests/unit/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *written(struct pm_column *c)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_int_eq(pm_column_finish(c, NULL), 0);
	pm_column_write(c, f);
	fclose(f);
	return text;
}

START_TEST(sums_are_exact)
{
	struct pm_column *c = pm_column_new(PM_COLUMN_PLAIN, NULL);
	char sum[PM_COLUMN_SUM];

	ck_assert_str_eq(pm_column_sum(c, sum), "0");
	for (int i = 0; i < 3; i++)
		pm_column_add(c, INT64_MAX - 1);
	pm_column_add(c, INT64_MIN);
	pm_column_add(c, -5); /* the code has no negative numbers */
	pm_column_add(c, 8);
	ck_assert_str_eq(pm_column_sum(c, sum), "27670116110564327426");
	ck_assert_int_eq(c->unknown, 2);
	ck_assert(pm_column_wide(c));
	free(written(c));
	pm_column_free(c);
}
END_TEST

START_TEST(wide_is_what_a_double_does_not_hold)
{
	struct pm_column *c = pm_column_new(PM_COLUMN_DELTA, NULL);

	pm_column_add(c, (INT64_C(1) << 53) - 1);
	ck_assert(!pm_column_wide(c));
	pm_column_add(c, 1);
	ck_assert(pm_column_wide(c));
	pm_column_free(c);
}
END_TEST

/* Bytes of the same numbers are the same, whoever compresses them; others differ. */
START_TEST(codes_tell_numbers_apart)
{
	struct pm_workqueue *queue = pm_column_queue();

	ck_assert_ptr_nonnull(queue);
	for (int code = PM_COLUMN_PLAIN; code <= PM_COLUMN_DELTA_PLANES; code++) {
		struct pm_column *c[3];
		char *text[3];

		for (int k = 0; k < 3; k++) {
			c[k] = pm_column_new((enum pm_column_code)code, k == 1 ? queue : NULL);
			for (int i = 0; i < 40000; i++)
				pm_column_add(c[k], i % 7 ? (int64_t)i * i % 70001 : INT64_MIN);
			pm_column_add(c[k], k == 2);
			text[k] = written(c[k]);
		}
		ck_assert_str_eq(text[0], text[1]);
		ck_assert_str_ne(text[0], text[2]);
		for (int k = 0; k < 3; k++) {
			free(text[k]);
			pm_column_free(c[k]);
		}
	}
	pm_workqueue_free(queue);
}
END_TEST

static void step(const struct pm_stepline *l, size_t i, double mean, double least, double most)
{
	ck_assert_double_eq_tol(pm_stepline_mean(&l->step[i]), mean, 1e-12);
	ck_assert_double_eq_tol(l->step[i].least, least, 1e-12);
	ck_assert_double_eq_tol(l->step[i].most, most, 1e-12);
}

START_TEST(steps_weigh_values_by_time)
{
	struct pm_stepline l;

	ck_assert_int_eq(pm_stepline_init(&l, 4, 10), 0);
	pm_stepline_add(&l, -5, 5, 1, 1, 1);
	pm_stepline_add(&l, 5, 15, 3, 2, 6);
	pm_stepline_add(&l, 15, 15, 99, 99, 99); /* no time */
	pm_stepline_add(&l, 12, 11, 99, 99, 99); /* nor this */
	pm_stepline_add(&l, 38, 1e18, 7, 7, 7);
	pm_stepline_unknown(&l, 22, 31, 2);
	step(&l, 0, 2, 1, 6);
	step(&l, 1, 3, 2, 6);
	ck_assert(isnan(pm_stepline_mean(&l.step[2])));
	ck_assert_int_eq(l.step[2].reason, 2);
	step(&l, 3, 7, 7, 7);
	ck_assert_double_eq(l.step[1].us, 5);
	ck_assert_double_eq(l.step[3].us, 2);
	pm_stepline_clear(&l);
	ck_assert(isnan(pm_stepline_mean(&l.step[0])));
	free(l.step);
}
END_TEST

START_TEST(a_sum_is_unknown_where_a_part_is)
{
	struct pm_stepline sum, part;

	ck_assert_int_eq(pm_stepline_init(&sum, 3, 10), 0);
	ck_assert_int_eq(pm_stepline_init(&part, 3, 10), 0);
	pm_stepline_add(&part, 0, 30, 2, 1, 4);
	pm_stepline_sum(&sum, &part, true);
	pm_stepline_clear(&part);
	pm_stepline_add(&part, 5, 20, 3, 3, 5);
	pm_stepline_sum(&sum, &part, false);
	step(&sum, 0, 5, 4, 9);
	step(&sum, 1, 5, 4, 9);
	ck_assert(isnan(pm_stepline_mean(&sum.step[2])));
	free(sum.step);
	free(part.step);
}
END_TEST

START_TEST(each_text_has_one_number)
{
	struct pm_names n;

	ck_assert_int_eq(pm_names_init(&n), 0);
	ck_assert_int_eq(pm_names_number(&n, "a"), 0);
	ck_assert_int_eq(pm_names_number(&n, ""), 1);
	ck_assert_int_eq(pm_names_number(&n, "a"), 0);
	ck_assert_int_eq(pm_names_number(&n, "b"), 2);
	ck_assert_uint_eq(json_array_size(n.list), 3);
	pm_names_free(&n);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_web");
	TCase *t = tcase_create("web");

	tcase_add_test(t, sums_are_exact);
	tcase_add_test(t, wide_is_what_a_double_does_not_hold);
	tcase_add_test(t, codes_tell_numbers_apart);
	tcase_add_test(t, steps_weigh_values_by_time);
	tcase_add_test(t, a_sum_is_unknown_where_a_part_is);
	tcase_add_test(t, each_text_has_one_number);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
