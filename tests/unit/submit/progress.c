/* What a load says of how far it is. */
#include "config.h"

#include "submit/job/progress.h"
#include "tests/unit/main.h"

#include <stdlib.h>

static int64_t clock_us;

static int64_t now(void)
{
	return clock_us;
}

START_TEST(it_says_how_much_how_fast_and_how_long)
{
	struct pm_progress p = { .now = now };
	char *said = NULL;
	size_t n;

	p.out = open_memstream(&said, &n);
	clock_us = 1000000;
	pm_progress_begin(&p, "reading", "MB", 1000000, 0, 40000000);
	clock_us += 400000;
	pm_progress_add(&p, 1000000);
	fflush(p.out);
	ck_assert_str_eq(said, "");
	clock_us += 600000;
	pm_progress_add(&p, 9000000);
	fflush(p.out);
	ck_assert_str_eq(said, "\rreading: 10 of 40 MB, 10/s, 3 s left\033[K\r");
	clock_us += 100000;
	pm_progress_add(&p, 1000000);
	ck_assert_uint_eq(n, sizeof "\rreading: 10 of 40 MB, 10/s, 3 s left\033[K\r" - 1);
	pm_progress_end(&p);
	pm_progress_end(&p);
	ck_assert_str_eq(said, "\rreading: 10 of 40 MB, 10/s, 3 s left\033[K\r\r\033[K");
	fclose(p.out);
	free(said);
}
END_TEST

START_TEST(what_is_not_known_is_not_said)
{
	struct pm_progress p = { .now = now };
	char *said = NULL;
	size_t n;

	p.out = open_memstream(&said, &n);
	clock_us = 5;
	pm_progress_begin(&p, "writing", "processes", 1, 0, 0);
	clock_us += 2000000;
	pm_progress_at(&p, 0);
	fflush(p.out);
	ck_assert_str_eq(said, "");
	pm_progress_at(&p, 500);
	fflush(p.out);
	ck_assert_str_eq(said, "\rwriting: 500 processes, 250/s\033[K\r");
	fclose(p.out);
	free(said);
	/* What was done before it began took none of the time. */
	p = (struct pm_progress){ .now = now, .out = open_memstream(&said, &n) };
	pm_progress_begin(&p, "reading", "lines", 1, 100, 400);
	clock_us += 2000000;
	pm_progress_add(&p, 100);
	fflush(p.out);
	ck_assert_str_eq(said, "\rreading: 200 of 400 lines, 50/s, 4 s left\033[K\r");
	fclose(p.out);
	free(said);
	pm_progress_begin(NULL, "", "", 1, 0, 1);
	pm_progress_add(NULL, 1);
	pm_progress_end(NULL);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("progress");
	TCase *t = tcase_create("all");

	tcase_add_test(t, it_says_how_much_how_fast_and_how_long);
	tcase_add_test(t, what_is_not_known_is_not_said);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
