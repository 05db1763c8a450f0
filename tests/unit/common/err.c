/* err.c: messages of the caller's. */
#include "config.h"

#include "common/err.h"

#include "tests/unit/main.h"

#include <errno.h>
#include <string.h>

START_TEST(message_and_errno)
{
	struct pm_err e = { "" };

	errno = ENOENT;
	ck_assert_int_eq(pm_err(&e, "open %s: %m", "x"), -1);
	ck_assert_str_eq(e.text, "open x: No such file or directory");
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(pm_err_prefix(&e, "load %d", 7), -1);
	ck_assert_str_eq(e.text, "load 7: open x: No such file or directory");
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

START_TEST(null_is_allowed)
{
	ck_assert_int_eq(pm_err(NULL, "text"), -1);
	ck_assert_int_eq(pm_err_prefix(NULL, "text"), -1);
}
END_TEST

START_TEST(long_messages_say_that_they_are_cut)
{
	struct pm_err e;
	char text[2 * sizeof e.text];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	pm_err(&e, "%s", text);
	ck_assert_uint_eq(strlen(e.text), sizeof e.text - 1);
	ck_assert_str_eq(e.text + sizeof e.text - 5, "x...");
	pm_err_prefix(&e, "what");
	ck_assert_uint_eq(strlen(e.text), sizeof e.text - 1);
	ck_assert_mem_eq(e.text, "what: xxx", 9);
	ck_assert_str_eq(e.text + sizeof e.text - 4, "...");
	/* The longest that fits is left alone. */
	text[sizeof e.text - 1] = '\0';
	pm_err(&e, "%s", text);
	ck_assert_str_eq(e.text, text);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("err");
	TCase *t = tcase_create("err");

	tcase_add_test(t, message_and_errno);
	tcase_add_test(t, null_is_allowed);
	tcase_add_test(t, long_messages_say_that_they_are_cut);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
