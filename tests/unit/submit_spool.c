/* A spool's entry that becomes another one while it is loaded is not moved away unloaded. */
#include "config.h"

#include "tests/unit/main.h"

#include "submit/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64];
static struct pm_spool spool;
static struct pm_err e;

static void begin(void)
{
	strcpy(dir, "spool.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_msg(pm_spool_open(&spool, dir, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_spool_lock(&spool, &e), 0);
}

static void end(void)
{
	char command[128];

	pm_spool_close(&spool);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static void put(int at, const char *name, const char *text)
{
	int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
}

static void expect(int at, const char *name, const char *text)
{
	char got[64] = "";
	int fd = openat(at, name, O_RDONLY);

	ck_assert_msg(fd >= 0, "%s is not there", name);
	ck_assert_int_ge(read(fd, got, sizeof got - 1), 0);
	close(fd);
	ck_assert_str_eq(got, text);
}

static struct stat look(const char *name)
{
	int64_t due = INT64_MAX;
	struct stat st;
	int fd;

	ck_assert_int_eq(pm_spool_look(&spool, name, 0, &fd, &st, &due, &e), PM_SPOOL_TAKE);
	close(fd);
	return st;
}

START_TEST(moved)
{
	struct stat st;

	put(spool.dir, "a.tgz", "one");
	put(spool.loaded, "a.tgz", "older");
	st = look("a.tgz");
	ck_assert_int_eq(pm_spool_move(&spool, "a.tgz", &st, false, "why", false, &e), 0);
	expect(spool.loaded, "a.tgz", "older");
	expect(spool.loaded, "1.a.tgz", "one");
	ck_assert_int_eq(faccessat(spool.loaded, "1.a.tgz.reason", F_OK, 0), 0);
	ck_assert_int_lt(faccessat(spool.dir, "a.tgz", F_OK, 0), 0);
}
END_TEST

/* Another archive was renamed over it: that one was not loaded. */
START_TEST(replaced)
{
	struct stat st;

	put(spool.dir, "a.tgz", "one");
	put(spool.dir, "new", "two");
	st = look("a.tgz");
	ck_assert_int_eq(renameat(spool.dir, "new", spool.dir, "a.tgz"), 0);
	ck_assert_int_eq(pm_spool_move(&spool, "a.tgz", &st, false, NULL, _i, &e), 0);
	expect(spool.dir, "a.tgz", "two");
	ck_assert_int_lt(faccessat(spool.loaded, "a.tgz", F_OK, 0), 0);
}
END_TEST

/* More was written to it. */
START_TEST(grown)
{
	struct stat st;

	put(spool.dir, "a.tgz", "one");
	st = look("a.tgz");
	put(spool.dir, "a.tgz", "one and more");
	ck_assert_int_eq(pm_spool_move(&spool, "a.tgz", &st, false, NULL, true, &e), 0);
	expect(spool.dir, "a.tgz", "one and more");
}
END_TEST

START_TEST(young)
{
	int64_t due = INT64_MAX;
	struct stat st;
	int fd;

	put(spool.dir, "a.tgz", "one");
	ck_assert_int_eq(
		pm_spool_look(&spool, "a.tgz", (int64_t)3600 * 1000000, &fd, &st, &due, &e),
		PM_SPOOL_LEAVE);
	ck_assert(due > 0 && due <= (int64_t)3600 * 1000000);
	ck_assert_int_eq(pm_spool_look(&spool, "b.tgz", 0, &fd, &st, &due, &e), PM_SPOOL_LEAVE);
}
END_TEST

/* Names that leave no room for what is put in front or behind. */
START_TEST(long_names)
{
	char name[NAME_MAX + 1];
	struct stat st;

	memset(name, 'x', NAME_MAX);
	strcpy(name + NAME_MAX - 4, ".tgz");
	for (int i = 0; i < 3; i++) {
		put(spool.dir, name, "one");
		st = look(name);
		ck_assert_msg(pm_spool_move(&spool, name, &st, true, "why", false, &e) == 0, "%s",
			      e.text);
	}
	expect(spool.failed, name, "one");
	ck_assert_int_lt(faccessat(spool.dir, name, F_OK, 0), 0);
}
END_TEST

/* Another holder of the lock, in the same process even: it is the open file that has it. */
START_TEST(locked)
{
	struct pm_spool other;

	ck_assert_int_eq(pm_spool_open(&other, dir, &e), 0);
	ck_assert_int_eq(pm_spool_lock(&other, &e), 1);
	pm_spool_close(&spool);
	ck_assert_int_eq(pm_spool_lock(&other, &e), 0);
	pm_spool_close(&other);
	ck_assert_int_eq(pm_spool_open(&spool, dir, &e), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("spool");
	TCase *t = tcase_create("directory");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, moved);
	tcase_add_loop_test(t, replaced, 0, 2);
	tcase_add_test(t, grown);
	tcase_add_test(t, young);
	tcase_add_test(t, long_names);
	tcase_add_test(t, locked);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
