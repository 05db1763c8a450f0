/* A spool's entry that becomes another one while it is loaded is not moved away unloaded. */
#include "config.h"

#include "tests/unit/main.h"

#include "submit/spool.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* A process that hangs has the descriptors of the one that began it. */
START_TEST(unlocked_beside_a_process_that_hangs)
{
	struct pm_spool other;
	const pid_t child = fork();
	int rc;

	ck_assert_int_ge(child, 0);
	while (child == 0)
		pause();
	pm_spool_close(&spool);
	ck_assert_int_eq(pm_spool_open(&other, dir, &e), 0);
	rc = pm_spool_lock(&other, &e);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert_int_eq(rc, 0);
	pm_spool_close(&other);
	ck_assert_int_eq(pm_spool_open(&spool, dir, &e), 0);
}
END_TEST

/* What is no archive, and why; what cannot be said yet. */
START_TEST(looks)
{
	static const struct {
		const char *name;
		enum pm_spool_look look;
		const char *why;
	} c[] = {
		{ "none.tgz", PM_SPOOL_LEAVE, NULL },
		{ "link.tgz", PM_SPOOL_ASIDE, "a symbolic link, not a regular file" },
		{ "dir.tgz", PM_SPOOL_ASIDE, "a directory, not a regular file" },
		{ "fifo.tgz", PM_SPOOL_ASIDE, "a fifo, not a regular file" },
		{ "one.tgz", PM_SPOOL_ASIDE, "it has 2 hard links: it may be another user's file" },
		{ "a.tgz", PM_SPOOL_TAKE, NULL },
	};
	int64_t due = INT64_MAX;

	put(spool.dir, "a.tgz", "one");
	put(spool.dir, "one.tgz", "one");
	ck_assert_int_eq(linkat(spool.dir, "one.tgz", spool.dir, "two", 0), 0);
	ck_assert_int_eq(symlinkat("a.tgz", spool.dir, "link.tgz"), 0);
	ck_assert_int_eq(mkdirat(spool.dir, "dir.tgz", 0700), 0);
	ck_assert_int_eq(mkfifoat(spool.dir, "fifo.tgz", 0600), 0);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct stat st;
		int fd = -1;
		enum pm_spool_look got = pm_spool_look(&spool, c[i].name, 0, &fd, &st, &due, &e);

		ck_assert_msg(got == c[i].look, "%s: %d", c[i].name, (int)got);
		if (c[i].why)
			ck_assert_str_eq(e.text, c[i].why);
		if (got == PM_SPOOL_TAKE) {
			ck_assert_int_eq(st.st_size, 3);
			close(fd);
		}
	}
	ck_assert(due == INT64_MAX);
}
END_TEST

/* The first that will be old enough counts. */
START_TEST(youngest_waits_longest)
{
	int64_t due = 1000000, before;
	struct stat st;
	int fd;

	put(spool.dir, "a.tgz", "one");
	ck_assert_int_eq(
		pm_spool_look(&spool, "a.tgz", (int64_t)7200 * 1000000, &fd, &st, &due, &e),
		PM_SPOOL_LEAVE);
	ck_assert_int_eq(due, 1000000);
	due = INT64_MAX;
	pm_spool_look(&spool, "a.tgz", (int64_t)7200 * 1000000, &fd, &st, &due, &e);
	before = due;
	ck_assert(before > (int64_t)3600 * 1000000 && before <= (int64_t)7200 * 1000000);
	pm_spool_look(&spool, "a.tgz", (int64_t)3600 * 1000000, &fd, &st, &due, &e);
	ck_assert(due < before && due > 0);
}
END_TEST

START_TEST(archives_in_order)
{
	static const char *const name[] = { "b.tar.gz", ".c.tgz", "a.tgz",    "README",
					    "d.tar",    "e.tgz~", "job.json", "loaded.tsv" };
	static const char *const want[] = { "a.tgz", "b.tar.gz", "d.tar" };
	char **got;
	int n;

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		put(spool.dir, name[i], "");
	n = pm_spool_list(&spool, &got, &e);
	ck_assert_int_eq(n, 3);
	for (int i = 0; i < n; i++) {
		ck_assert_str_eq(got[i], want[i]);
		free(got[i]);
	}
	free(got);
}
END_TEST

/* Where others may write, they could change what is loaded. */
START_TEST(who_may_write)
{
	static const struct {
		const char *folder;
		mode_t mode;
		int rc;
		const char *why;
	} c[] = {
		{ "", 0777, -1, "anybody may write to it and it is not sticky: chmod +t or o-w" },
		{ "", 01777, 0, NULL },
		{ "", 0770, 0, NULL },
		{ "/loaded", 0770, -1, "others may write to it: chmod go-w" },
		{ "/failed", 0702, -1, "others may write to it: chmod go-w" },
		{ "/failed", 01777, -1, "others may write to it: chmod go-w" },
		{ "/failed", 0755, 0, NULL },
	};
	struct pm_spool other;
	char path[128];

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		snprintf(path, sizeof path, "%s%s", dir, c[i].folder);
		ck_assert_int_eq(chmod(path, c[i].mode), 0);
		ck_assert_msg(pm_spool_open(&other, dir, &e) == c[i].rc, "%zu: %s", i, e.text);
		if (c[i].why)
			ck_assert_msg(strstr(e.text, c[i].why) != NULL, "%s", e.text);
		if (c[i].rc == 0)
			pm_spool_close(&other);
		ck_assert_int_eq(other.dir, -1);
		ck_assert_int_eq(chmod(path, 0700), 0);
	}
	ck_assert_int_eq(symlink(dir, "spool.link"), 0);
	ck_assert_int_eq(pm_spool_open(&other, "spool.link", &e), -1);
	ck_assert_int_eq(unlink("spool.link"), 0);
}
END_TEST

/* Where it goes, with what beside it. */
START_TEST(reasons)
{
	char text[256] = "", want[64];
	struct stat st;
	int fd;

	for (int aside = 0; aside < 2; aside++) {
		put(spool.dir, "a.tgz", "one");
		st = look("a.tgz");
		ck_assert_int_eq(pm_spool_move(&spool, "a.tgz", &st, aside, aside ? "why\033" : "",
					       false, &e),
				 0);
		expect(aside ? spool.failed : spool.loaded, "a.tgz", "one");
	}
	ck_assert_int_lt(faccessat(spool.loaded, "a.tgz.reason", F_OK, 0), 0);
	fd = openat(spool.failed, "a.tgz.reason", O_RDONLY);
	ck_assert_int_gt(read(fd, text, sizeof text - 1), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	close(fd);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	snprintf(want, sizeof want, "why\\x1b\nof uid %u, 3 bytes, moved here 2",
		 (unsigned)getuid());
	ck_assert_msg(strncmp(text, want, strlen(want)) == 0, "%s", text);
	/* --remove */
	put(spool.dir, "b.tgz", "one");
	st = look("b.tgz");
	ck_assert_int_eq(pm_spool_move(&spool, "b.tgz", &st, false, NULL, true, &e), 0);
	ck_assert_int_lt(faccessat(spool.dir, "b.tgz", F_OK, 0), 0);
	ck_assert_int_lt(faccessat(spool.loaded, "b.tgz", F_OK, 0), 0);
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
	tcase_add_test(t, unlocked_beside_a_process_that_hangs);
	tcase_add_test(t, looks);
	tcase_add_test(t, youngest_waits_longest);
	tcase_add_test(t, archives_in_order);
	tcase_add_test(t, who_may_write);
	tcase_add_test(t, reasons);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
