/* analysis/numbers/segments.c: dates of models, and steps between them. */
#include "config.h"

#include "analysis/numbers/segments.h"

#include "tests/unit/main.h"

static struct pm_segment at(const char *text)
{
	struct pm_segment s;

	ck_assert_msg(pm_segment_parse(text, &s), "%s", text);
	return s;
}

static void check_after(const char *from, const char *step, int steps, const char *want)
{
	const struct pm_segment w = at(want);
	struct pm_segment_step by;
	struct pm_segment s;

	ck_assert(pm_segment_step_parse(step, &by));
	s = pm_segment_after(at(from), by, steps);
	ck_assert_msg(pm_segment_compare(&s, &w) == 0, "%s and %d of %s: %04d%02d%02d", from, steps,
		      step, s.year, s.month, s.day);
}

START_TEST(dates)
{
	static const char *const none[] = { "",         "1854",     "185401011", "18541301",
					    "18540001", "18540100", "18540229",  "19000229",
					    "1854 101", "-8540101", "0000" };
	struct pm_segment s;

	/* The second is one. */
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(pm_segment_parse(none[i], &s) == (i == 1), "%s", none[i]);
	s = at("20000229");
	ck_assert(s.year == 2000 && s.month == 2 && s.day == 29);
	s = at("185407");
	ck_assert(s.year == 1854 && s.month == 7 && s.day == 1);
}
END_TEST

START_TEST(steps)
{
	static const char *const none[] = {
		"", "y", "0y", "5", "5w", "5yy", "-5y", " 5y", "100001d"
	};
	struct pm_segment_step step;

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_msg(!pm_segment_step_parse(none[i], &step), "%s", none[i]);
	check_after("18540101", "5y", 31, "20090101");
	check_after("18540101", "1m", 13, "18550201");
	check_after("20240131", "1m", 1, "20240229");
	check_after("20240131", "1m", 13, "20250228");
	check_after("20231231", "1d", 1, "20240101");
	check_after("20240228", "10d", 2, "20240319");
	check_after("20000101", "1d", 366, "20010101");
	check_after("19000101", "1d", 365, "19010101");
	ck_assert(pm_segment_step_parse("100000y", &step));
	ck_assert_int_eq(pm_segment_after(at("99990101"), step, 10000).year, 10000);
	ck_assert(pm_segment_step_parse("100000d", &step));
	ck_assert_int_eq(pm_segment_after(at("18540101"), step, 10000).year, 10000);
}
END_TEST

static void check_step(const char *const *text, size_t n, int years, int months, int days)
{
	struct pm_segment s[8];
	struct pm_segment_step step;
	bool any;

	for (size_t i = 0; i < n; i++)
		s[i] = at(text[i]);
	any = pm_segment_step_of(s, n, &step);
	ck_assert(any == (years + months + days > 0));
	ck_assert_msg(step.years == years && step.months == months && step.days == days,
		      "%s: %dy %dm %dd", text[0], step.years, step.months, step.days);
}

START_TEST(step_of_some)
{
	check_step((const char *[]){ "18540101", "18590101", "18690101" }, 3, 5, 0, 0);
	check_step((const char *[]){ "18540101", "18540701", "18560101" }, 3, 0, 6, 0);
	check_step((const char *[]){ "20240105", "20240115", "20240204" }, 3, 0, 0, 10);
	check_step((const char *[]){ "20231231", "20240101" }, 2, 0, 0, 1);
	check_step((const char *[]){ "20240101", "20240101" }, 2, 0, 0, 0);
	check_step((const char *[]){ "20240101" }, 1, 0, 0, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("segments");
	TCase *t = tcase_create("segments");

	tcase_add_test(t, dates);
	tcase_add_test(t, steps);
	tcase_add_test(t, step_of_some);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
