/* Removing what was loaded, while somebody else is at work in the same place. */
#include "config.h"

#include "submit/remove.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void (*meanwhile)(const char *from, const char *to); /* behind the next rename */

/* In place of libc's. */
int rename(const char *from, const char *to)
{
	void (*then)(const char *, const char *) = meanwhile;
	int rc = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);

	meanwhile = NULL;
	if (then)
		then(from, to);
	return rc;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "a");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static const char *get(const char *path)
{
	static char text[64];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return f ? text : "none";
}

/* Note the archive a.tgz as it is, and remove it. */
static int remove_it(void)
{
	struct pm_remove r = { 0 };
	struct stat st;
	struct pm_err e;
	int rc;

	ck_assert_int_eq(stat("a.tgz", &st), 0);
	ck_assert_int_eq(pm_remove_note(&r, 0, "a.tgz", NULL, false, &st, &e), 0);
	rc = pm_remove_source(&r, 0, "a.tgz", false, &e);
	pm_remove_free(&r);
	return rc;
}

static void grows(const char *from, const char *to)
{
	(void)from;
	put(to, "more");
}

static void grows_and_comes_anew(const char *from, const char *to)
{
	put(to, "more");
	put(from, "new");
}

START_TEST(what_changed_since_it_was_read_is_put_back)
{
	put("a.tgz", "old");
	meanwhile = grows;
	ck_assert_int_eq(remove_it(), -1);
	ck_assert_str_eq(get("a.tgz"), "oldmore");
	ck_assert_str_eq(get("removing.a.tgz"), "none");
	ck_assert_int_eq(remove_it(), 0);
	ck_assert_str_eq(get("a.tgz"), "none");
}
END_TEST

START_TEST(what_is_put_back_replaces_no_file_that_was_made_meanwhile)
{
	put("a.tgz", "old");
	meanwhile = grows_and_comes_anew;
	ck_assert_int_eq(remove_it(), -1);
	ck_assert_str_eq(get("a.tgz"), "new");
	ck_assert_str_eq(get("removing.a.tgz"), "oldmore");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_remove");
	TCase *t = tcase_create("remove");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, what_changed_since_it_was_read_is_put_back);
	tcase_add_test(t, what_is_put_back_replaces_no_file_that_was_made_meanwhile);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
