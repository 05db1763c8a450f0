/* Removing what was loaded, while somebody else is at work in the same place. */
#include "config.h"

#include "submit/remove.h"
#include "tests/unit/main.h"
#include "tests/unit/submit/submit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Note files of a directory, metadata last, as source 1, and remove it. Returns what is said where
 * it stays, "" where it does not. */
static const char *remove_directory(const char *path, const char *const *name, size_t n, bool dry,
				    void (*change)(void))
{
	static struct pm_err e;
	struct pm_remove r = { 0 };
	struct stat st;
	char file[64];

	e.text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		snprintf(file, sizeof file, "%s/%s", path, name[i]);
		ck_assert_int_eq(stat(file, &st), 0);
		ck_assert_int_eq(pm_remove_note(&r, 1, path, name[i], i == 0, &st, &e), 0);
	}
	if (change)
		change();
	/* of another source nothing was noted */
	ck_assert_int_eq(pm_remove_source(&r, 0, path, dry, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, ": neither a directory nor an archive of jobs"));
	e.text[0] = '\0';
	ck_assert_int_eq(pm_remove_source(&r, 1, path, dry, &e), e.text[0] ? -1 : 0);
	pm_remove_free(&r);
	ck_assert_uint_eq(r.files, 0);
	return e.text;
}

static void touch(void)
{
	static const struct timespec t[2] = { { 1700000000, 5 }, { 1700000000, 5 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, "job/b.tsv", t, 0), 0);
}

static void touch_a_little(void)
{
	struct timespec t[2];
	struct stat st;

	ck_assert_int_eq(stat("job/b.tsv", &st), 0);
	t[0] = t[1] = st.st_mtim;
	t[1].tv_nsec = t[1].tv_nsec ? t[1].tv_nsec - 1 : 1;
	ck_assert_int_eq(utimensat(AT_FDCWD, "job/b.tsv", t, 0), 0);
}

static void replace(void)
{
	struct timespec t[2];
	struct stat st;

	ck_assert_int_eq(stat("job/b.tsv", &st), 0);
	t[0] = t[1] = st.st_mtim;
	put("new", "b");
	ck_assert_int_eq(utimensat(AT_FDCWD, "new", t, 0), 0);
	ck_assert_int_eq(rename("new", "job/b.tsv"), 0);
}

static void grow(void)
{
	put("job/b.tsv", "b");
}

static void make_link(void)
{
	ck_assert_int_eq(rename("job/b.tsv", "other"), 0);
	ck_assert_int_eq(symlink("../other", "job/b.tsv"), 0);
}

START_TEST(a_directory_goes_as_a_whole_or_not_at_all)
{
	static const char *const name[] = { "job-n0.json", "a.tsv", "b.tsv" };
	static void (*const change[])(void) = { touch, touch_a_little, replace, grow, make_link };

	for (size_t i = 0; i < sizeof change / sizeof change[0]; i++) {
		const char *want = change[i] == make_link ? "job/b.tsv: a symbolic link"
							  : "job/b.tsv: changed since it was read";

		ck_assert_int_eq(mkdir("job", 0700), 0);
		put("job/job-n0.json", "m");
		put("job/a.tsv", "a");
		put("job/b.tsv", "b");
		ck_assert_str_eq(remove_directory("job", name, 3, true, NULL), "");
		ck_assert_str_eq(remove_directory("job", name, 3, true, change[i]), want);
		ck_assert_str_eq(get("job/job-n0.json"), "m");
		ck_assert_str_eq(get("job/a.tsv"), "a");
		ck_assert_int_eq(system("rm -rf job other"), 0);
	}
	ck_assert_int_eq(mkdir("job", 0700), 0);
	put("job/job-n0.json", "m");
	put("job/a.tsv", "a");
	put("job/b.tsv", "b");
	put("job/README", "r");
	/* what was not read stays, and so does the directory */
	ck_assert_str_eq(remove_directory("job", name, 3, false, NULL),
			 "job: it contains other files");
	ck_assert_str_eq(get("job/job-n0.json"), "none");
	ck_assert_str_eq(get("job/a.tsv"), "none");
	ck_assert_str_eq(get("job/README"), "r");
	ck_assert_int_eq(unlink("job/README"), 0);
	put("job/job-n0.json", "m");
	ck_assert_int_eq(symlink("job", "link"), 0);
	ck_assert_int_eq(access("link/job-n0.json", F_OK), 0);
	ck_assert_str_eq(remove_directory("job", name, 1, false, NULL), "");
	ck_assert_int_eq(access("job", F_OK), -1);
}
END_TEST

static char *seen;

/* How far the removal is when a file is about to go. */
static void look(const char *from, const char *to)
{
	(void)to;
	if (asprintf(&seen, "%s: %d %d", from, access("job/a.tsv", F_OK),
		     access("job/job-n0.json", F_OK)) < 0)
		seen = NULL;
}

/* Killed in between, what is left still says whose it is. */
START_TEST(metadata_go_last)
{
	static const char *const name[] = { "job-n0.json", "a.tsv" };

	ck_assert_int_eq(mkdir("job", 0700), 0);
	put("job/job-n0.json", "m");
	put("job/a.tsv", "a");
	meanwhile = look;
	ck_assert_str_eq(remove_directory("job", name, 2, false, NULL), "");
	ck_assert_str_eq(seen, "job/a.tsv: -1 0");
	free(seen);
}
END_TEST

START_TEST(a_link_is_no_source)
{
	struct pm_remove r = { 0 };
	struct stat st;
	struct pm_err e;

	put("a.tgz", "a");
	ck_assert_int_eq(symlink("a.tgz", "b.tgz"), 0);
	ck_assert_int_eq(stat("b.tgz", &st), 0);
	ck_assert_int_eq(pm_remove_note(&r, 0, "b.tgz", NULL, false, &st, &e), 0);
	ck_assert_int_eq(pm_remove_source(&r, 0, "b.tgz", false, &e), -1);
	ck_assert_str_eq(e.text, "b.tgz: a symbolic link");
	ck_assert_int_eq(pm_remove_source(&r, 0, "none.tgz", false, &e), -1);
	ck_assert_str_eq(e.text, "none.tgz: No such file or directory");
	pm_remove_free(&r);
	ck_assert_str_eq(get("b.tgz"), "a");
}
END_TEST

static char stays[2048];

static void note_removed(void *ctx, const char *source, const struct pm_err *why)
{
	struct test_job *j = ctx;

	ck_assert_str_eq(source, j->dir);
	snprintf(stays, sizeof stays, "%s", why ? why->text : "");
}

#define META(stop)                                                                                 \
	"{\"format\":\"perfmon-job-1\",\"job\":{\"user\":\"u\",\"uid\":7,\"jobid\":\"1\","         \
	"\"epoch_us\":5,\"scheduler\":\"none\"},\"host\":{\"hostname\":\"n0\",\"boot_id\":\"boot-" \
	"a\"},"                                                                                    \
	"\"start\":{\"time_us\":900,\"monotonic_us\":100}" stop "}"
#define CLOSED META(",\"stop\":{\"time_us\":2000,\"monotonic_us\":1100}")
#define GOOD   "record=start pid=10 ppid=1 image_us=1000 uid=7 jobid=1"

/* What is removed is over on all of its hosts, as its metadata say or those that are loaded, and
 * without faults. */
START_TEST(what_is_over_is_removed)
{
	static const struct {
		const char *before; /* metadata that are loaded already, or NULL */
		const char *meta, *line[2];
		const char *why;
	} c[] = {
		{ NULL, CLOSED, { GOOD }, NULL },
		{ NULL, META(""), { GOOD }, "a job in it has not ended" },
		{ NULL,
		  CLOSED,
		  { GOOD, "record=star pid=11 image_us=1000" },
		  "a job in it has faults" },
		{ NULL, CLOSED, { GOOD " pgid=-5" }, "a job in it has faults" },
		{ NULL, NULL, { GOOD }, "it has no metadata that show that its job has ended" },
		{ META(""), NULL, { GOOD }, "it has no metadata that show that its job has ended" },
		{ CLOSED, NULL, { GOOD }, NULL },
		{ CLOSED,
		  NULL,
		  { GOOD, GOOD " boot_id=boot-b" },
		  "it has no metadata that show that its job has ended" },
		{ CLOSED,
		  NULL,
		  { GOOD, "record=star pid=11 image_us=1000" },
		  "a job in it has faults" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_load_options o = { .done = test_done, .removed = note_removed };
		struct test_job j;
		char path[128];

		test_begin(&j);
		o.ctx = &j;
		if (c[i].before) {
			test_meta(&j, "job-n0.json", c[i].before);
			test_load(&j);
			ck_assert_int_eq(j.rc, 0);
			snprintf(path, sizeof path, "%s/job-n0.json", j.dir);
			ck_assert_int_eq(unlink(path), 0);
		}
		if (c[i].meta)
			test_meta(&j, "job-n0.json", c[i].meta);
		test_records(&j, "n0-7.tsv",
			     (const char *const[]){ c[i].line[0], c[i].line[1], NULL });
		o.remove = true;
		/* Where it stays, it does so again, and what was told before counts. */
		for (int again = 0; again < 2; again++) {
			strcpy(stays, "not told");
			ck_assert_int_ge(pm_load_source(j.db, j.dir, &o, &j.e), 0);
			ck_assert_int_eq(access(j.dir, F_OK), c[i].why ? 0 : -1);
			if (!c[i].why) {
				ck_assert_str_eq(stays, "");
				break;
			}
			ck_assert_msg(strncmp(stays, j.dir, strlen(j.dir)) == 0 &&
					      strcmp(stays + strlen(j.dir) + 2, c[i].why) == 0,
				      "%zu: %s", i, stays);
		}
		test_end(&j);
	}
}
END_TEST

/* A dry run tells what would go. */
START_TEST(dry_removal)
{
	struct pm_load_options o = {
		.done = test_done, .removed = note_removed, .remove = true, .dry = true
	};
	struct test_job j;

	test_begin(&j);
	o.ctx = &j;
	test_meta(&j, "job-n0.json", CLOSED);
	strcpy(stays, "not told");
	ck_assert_int_eq(pm_load_source(j.db, j.dir, &o, &j.e), 0);
	ck_assert_str_eq(stays, "");
	ck_assert_int_eq(access(j.dir, F_OK), 0);
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_remove");
	TCase *t = tcase_create("remove");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, what_changed_since_it_was_read_is_put_back);
	tcase_add_test(t, what_is_put_back_replaces_no_file_that_was_made_meanwhile);
	tcase_add_test(t, a_directory_goes_as_a_whole_or_not_at_all);
	tcase_add_test(t, metadata_go_last);
	tcase_add_test(t, a_link_is_no_source);
	tcase_add_test(t, what_is_over_is_removed);
	tcase_add_test(t, dry_removal);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
