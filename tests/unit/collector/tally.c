/*
 * What the collector counts in the tally of its host, where it writes no lines: those that were
 * lost, and short images and waits beyond max_bytes. By a clock that the tests turn.
 */
#include "config.h"

#include "common/safe/tally.h"

#include "libperfmon/base/state.h"
#include "libperfmon/record/identity.h"
#include "libperfmon/record/lost.h"
#include "libperfmon/record/recordfile.h"
#include "libperfmon/record/sizelimit.h"
#include "libperfmon/record/tally.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TALLY "host-7.tally"

/* In place of the collector's. */
struct pm_state pm;
__thread struct pm_thread pm_self;
static int64_t now_ns;
static struct pm_record start;

int64_t pm_clock_ns(int clock)
{
	(void)clock;
	return now_ns;
}

int64_t pm_ticks(int64_t boottime_ns)
{
	return boottime_ns / pm.tick_ns;
}

const struct pm_record *pm_identity_start(void)
{
	return &start;
}

/* An empty tally, in place of one that is there. */
static void make_tally(void)
{
	char slot[PM_TALLY_SLOT];
	FILE *f = fopen(TALLY, "w");

	ck_assert_ptr_nonnull(f);
	memset(slot, ' ', sizeof slot);
	slot[sizeof slot - 1] = '\n';
	for (int i = 0; i < PM_TALLY_COUNT; i++)
		ck_assert_uint_eq(fwrite(slot, 1, sizeof slot, f), sizeof slot);
	ck_assert_int_eq(fclose(f), 0);
}

static void set_up(void)
{
	pm_unit_set_up();
	umask(022);
	pm.hostname = (struct pm_str){ "host", 4 };
	pm.exename = (struct pm_str){ "prog", 4 };
	pm.pid = 1000;
	pm.uid = 7;
	pm.tick_ns = 10000000;
	now_ns = INT64_C(1000000000000);
	ck_assert_int_eq(pm_recordfile_place(pm_unit_dir), 0);
	pm_recordfile_name();
	make_tally();
}

/* What a slot holds, without what fills it up. */
static const char *slot(unsigned n)
{
	static char text[PM_TALLY_SLOT + 1];
	int fd = open(TALLY, O_RDONLY);
	size_t len = PM_TALLY_SLOT - 1;

	ck_assert_int_eq(pread(fd, text, PM_TALLY_SLOT, (off_t)n * PM_TALLY_SLOT), PM_TALLY_SLOT);
	ck_assert_int_eq(text[len], '\n');
	close(fd);
	while (len > 0 && text[len - 1] == ' ')
		len--;
	text[len] = '\0';
	return text;
}

/* The one slot of a range that is taken; "" for none. */
static const char *taken(unsigned first, unsigned count)
{
	static char found[PM_TALLY_SLOT];

	found[0] = '\0';
	for (unsigned i = first; i < first + count; i++) {
		const char *text = slot(i);

		if (*text) {
			ck_assert_str_eq(found, "");
			snprintf(found, sizeof found, "%s", text);
		}
	}
	return found;
}

static const char *anywhere(void)
{
	return taken(0, PM_TALLY_COUNT);
}

static bool add(const char *kind, const char *key, int values, unsigned begin)
{
	const struct pm_tally t = {
		{ kind, strlen(kind) }, { key, strlen(key) }, values, { 3, 400, 5, 6, 7, 80 }
	};

	return pm_tally_add(&t, 10, 3, begin);
}

START_TEST(sums)
{
	const struct pm_tally less = { { "six", 3 }, { "", 0 }, 6, { 1, 1, 1, 1, 1, 79 } };
	const struct pm_tally more = { { "six", 3 }, { "", 0 }, 6, { 1, 1, 1, 1, 1, 81 } };

	/* A program may have closed its standard input: that number is as good as any. */
	close(0);
	ck_assert(add("kind", "key", 2, 4));
	ck_assert_int_lt(fcntl(0, F_GETFD), 0);
	ck_assert_str_eq(anywhere(), "kind\tkey\t3\t400\t.");
	ck_assert(add("kind", "key", 2, 4));
	ck_assert_str_eq(slot(11), "kind\tkey\t6\t800\t.");
	/* Another key, another kind, another number of values: each is another sum. */
	ck_assert(add("kind", "kez", 2, 1));
	ck_assert_str_eq(slot(12), "kind\tkez\t3\t400\t.");
	ck_assert(add("kin", "key", 2, 1));
	ck_assert_str_eq(slot(10), "kin\tkey\t3\t400\t.");
	ck_assert(!add("kind", "key", 3, 1) && !add("kind", "ke", 2, 0));
	ck_assert_str_eq(slot(11), "kind\tkey\t6\t800\t.");
	ck_assert_str_eq(taken(0, 10), "");
	ck_assert_str_eq(taken(13, PM_TALLY_COUNT - 13), "");
	/* The sixth value is a peak. */
	make_tally();
	ck_assert(add("six", "", 6, 0) && pm_tally_add(&less, 10, 3, 0));
	ck_assert_str_eq(anywhere(), "six\t\t4\t401\t6\t7\t8\t80\t.");
	ck_assert(pm_tally_add(&more, 10, 3, 0));
	ck_assert_str_eq(anywhere(), "six\t\t5\t402\t7\t8\t9\t81\t.");
}
END_TEST

static void write_at(off_t at, const char *text)
{
	int fd = open(TALLY, O_WRONLY);

	ck_assert_int_eq(pwrite(fd, text, strlen(text), at), (ssize_t)strlen(text));
	close(fd);
}

/* Add under a file size limit, in a child, for libcheck writes files of its own. Returns 0 where it
 * was done, 1 where not, and more for a signal. */
static int add_below(rlim_t limit)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct rlimit r;

		getrlimit(RLIMIT_FSIZE, &r);
		r.rlim_cur = limit;
		setrlimit(RLIMIT_FSIZE, &r);
		_exit(add("kind", "key", 2, 2) ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Slots that are damaged, that somebody is writing, or that lie beyond the file size limit. */
START_TEST(slots_that_are_passed_over)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = PM_TALLY_SLOT };
	int fd = open(TALLY, O_RDWR);

	write_at(11 * PM_TALLY_SLOT, "garbage");
	ck_assert(add("kind", "key", 2, 1));
	ck_assert_str_eq(slot(11), "garbage");
	ck_assert_str_eq(slot(12), "kind\tkey\t3\t400\t.");

	make_tally();
	for (int i = 10; i <= 12; i += 2) {
		l.l_start = i * PM_TALLY_SLOT;
		ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &l), 0);
	}
	ck_assert(add("kind", "key", 2, 0) && add("kind", "key", 2, 2));
	ck_assert_str_eq(anywhere(), "kind\tkey\t6\t800\t.");
	ck_assert_str_eq(slot(11), "kind\tkey\t6\t800\t.");
	close(fd);

	make_tally();
	ck_assert_int_eq(add_below(11 * PM_TALLY_SLOT), 0);
	ck_assert_str_eq(anywhere(), "kind\tkey\t3\t400\t.");
	ck_assert_str_eq(slot(10), "kind\tkey\t3\t400\t.");
	ck_assert_int_eq(add_below(11 * PM_TALLY_SLOT - 1), 1);
	ck_assert_str_eq(anywhere(), "kind\tkey\t3\t400\t.");
}
END_TEST

START_TEST(no_tally)
{
	ck_assert_int_eq(truncate(TALLY, 11 * PM_TALLY_SLOT - 1), 0);
	ck_assert(!add("kind", "key", 2, 0));
	make_tally();
	/* Somebody else's file by another name, or reached by a link. */
	ck_assert_int_eq(rename(TALLY, "other"), 0);
	ck_assert_int_eq(symlink("other", TALLY), 0);
	ck_assert(!add("kind", "key", 2, 0));
	ck_assert_int_eq(unlink(TALLY), 0);
	ck_assert(!add("kind", "key", 2, 0));
	ck_assert_int_lt(access(TALLY, F_OK), 0);
	ck_assert_int_eq(pm_tally_size(1), -1);
	ck_assert_int_eq(link("other", TALLY), 0);
	pm.root = true;
	ck_assert(add("kind", "key", 2, 0) == (geteuid() != 0));
	ck_assert_int_eq(unlink("other"), 0);
	ck_assert(add("kind", "key", 2, 0));
}
END_TEST

START_TEST(size_of_all_files)
{
	for (unsigned i = 0; i < PM_TALLY_SPARE; i++) {
		const struct pm_tally t = { { "size", 4 }, { "", 0 }, 1, { 1 << i } };

		ck_assert(pm_tally_add(&t, PM_TALLY_SIZE + i, 1, 0));
	}
	ck_assert_int_eq(pm_tally_size(1000), 1255);
	ck_assert_int_eq(pm_tally_size(1), 1256);

	/* The limit counts what all processes wrote. */
	pm.per_process = true;
	pm.max_bytes = 2000;
	pm_sizelimit_look(INT64_MAX, 743);
	ck_assert(!pm.over);
	pm_sizelimit_look(0, 1);
	ck_assert(pm.over);
	/* Where there is one file for all its size counts. */
	pm.per_process = pm.over = false;
	pm_sizelimit_look(1999, 1000);
	ck_assert(!pm.over);
	pm_sizelimit_look(2000, 0);
	ck_assert(pm.over);
	pm_sizelimit_look(0, 0);
	ck_assert(pm.over);
}
END_TEST

START_TEST(lost_lines)
{
	static const struct {
		int error;
		const char *name;
		enum pm_lost reason;
	} row[] = {
		{ EFBIG, "EFBIG", PM_LOST_EFBIG },    { ENOSPC, "ENOSPC", PM_LOST_ENOSPC },
		{ EDQUOT, "EDQUOT", PM_LOST_EDQUOT }, { EMFILE, "EMFILE", PM_LOST_EMFILE },
		{ ENFILE, "ENFILE", PM_LOST_ENFILE }, { ENOENT, "ENOENT", PM_LOST_ENOENT },
		{ EACCES, "EACCES", PM_LOST_EACCES }, { EROFS, "EROFS", PM_LOST_EROFS },
		{ EIO, "EIO", PM_LOST_EIO },          { EINVAL, "OTHER", PM_LOST_OTHER },
		{ EISDIR, "OTHER", PM_LOST_OTHER },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		char want[64];

		make_tally();
		/* The newline in front ends the line of an earlier write. */
		pm_lost_count(row[i].error, "\na\nbc\n", 6);
		snprintf(want, sizeof want, "lost\t%s\t2\t6\t.", row[i].name);
		ck_assert_str_eq(anywhere(), want);
		ck_assert_str_eq(
			taken(PM_TALLY_LOST + row[i].reason * PM_TALLY_SPARE, PM_TALLY_SPARE),
			want);
	}
	make_tally();
	pm_lost_count(EFBIG, "\nabc", 4);
	ck_assert_str_eq(anywhere(), "");
	ck_assert(!pm.owes);
}
END_TEST

/* What cannot be counted now is counted later, by the process that lost it. */
START_TEST(lost_lines_kept_in_mind)
{
	char moved[sizeof pm_unit_dir + 8];

	ck_assert_int_eq(unlink(TALLY), 0);
	pm_lost_count(ENOSPC, "\na\nb\n", 5);
	pm_lost_count(ENOSPC, "\nc\n", 3);
	ck_assert(pm.owes);
	pm_lost_flush();
	ck_assert(pm.owes);
	make_tally();
	pm_lost_flush();
	ck_assert(!pm.owes);
	ck_assert_str_eq(anywhere(), "lost\tENOSPC\t3\t8\t.");
	pm_lost_flush();
	ck_assert_str_eq(anywhere(), "lost\tENOSPC\t3\t8\t.");

	ck_assert_int_eq(unlink(TALLY), 0);
	pm_lost_count(ENOSPC, "\na\nb\n", 5);
	pm_lost_count(EFBIG, "\na\nb\n", 5);
	make_tally();
	pm.pid++;
	pm_lost_flush();
	ck_assert_str_eq(anywhere(), "");
	ck_assert_int_eq(unlink(TALLY), 0);
	pm_lost_count(EIO, "\nd\n", 3);
	make_tally();
	pm_lost_flush();
	ck_assert_str_eq(anywhere(), "lost\tEIO\t1\t3\t.");

	/* Another directory of the same name has another tally. */
	make_tally();
	ck_assert(pm_recordfile_remember());
	pm.departed = true;
	pm_lost_count(EIO, "\nd\n", 3);
	ck_assert_str_eq(anywhere(), "lost\tEIO\t1\t3\t.");
	snprintf(moved, sizeof moved, "%s.moved", pm_unit_dir);
	ck_assert_int_eq(rename(pm_unit_dir, moved), 0);
	ck_assert_int_eq(mkdir(pm_unit_dir, 0700), 0);
	ck_assert_int_eq(chdir(pm_unit_dir), 0);
	make_tally();
	pm_lost_count(EIO, "\nd\n", 3);
	ck_assert_str_eq(anywhere(), "");
	ck_assert(pm.owes);
	ck_assert_int_eq(unlink(TALLY), 0);
	ck_assert_int_eq(rmdir(pm_unit_dir), 0);
	ck_assert_int_eq(rename(moved, pm_unit_dir), 0);
	ck_assert_int_eq(chdir(pm_unit_dir), 0);
}
END_TEST

/* An image that ends, or says its last words. */
static bool image(int64_t image_us, int64_t user, int64_t system, int64_t duration, int64_t own,
		  const char *reason, int status, int64_t rssmax)
{
	struct pm_record r;

	pm.image.real_us = image_us;
	pm_record_clear(&r);
	pm_record_int(&r, PM_COL_usertime, user);
	pm_record_int(&r, PM_COL_systemtime, system);
	pm_record_int(&r, PM_COL_duration_us, duration);
	pm_record_int(&r, PM_COL_own_cpu_us, own);
	pm_record_int(&r, PM_COL_rssmax, rssmax);
	if (reason)
		pm_record_text(&r, PM_COL_end_reason, reason, 4);
	return pm_sizelimit_image(&r, status);
}

START_TEST(short_images)
{
	static const struct {
		int64_t user, system, duration, own;
		const char *reason;
		int status;
		int64_t age; /* clock ticks that the process lived before the image began */
		const char *want;
	} row[] = {
		/* The collector's own time is system time, and what there is more of it user time.
		 */
		{ 5000, 3000, 5000, 1000, "exit", 0, 0, "1\t5000\t2000\t5000\t0\t77" },
		{ 5000, 3000, 5000, 3000, "exit", 0, 0, "1\t5000\t0\t5000\t0\t77" },
		{ 5000, 3000, 5000, 4000, "exit", 0, 0, "1\t4000\t0\t5000\t0\t77" },
		{ 5000, 3000, 5000, 9000, "exit", 0, 0, "1\t0\t0\t5000\t0\t77" },
		{ 5000, 3000, 5000, 0, "exit", 1, 0, "1\t5000\t3000\t5000\t1\t77" },
		{ 5000, 3000, 5000, 0, "exit", 255, 0, "1\t5000\t3000\t5000\t1\t77" },
		{ 5000, 3000, 5000, 0, NULL, PM_NO_STATUS, 0, "1\t5000\t3000\t5000\t0\t77" },
		/* What a process that is older used before, 1000 and 500, is not the image's. */
		{ 5000, 3000, 5000, 0, "exit", 0, 2, "1\t5000\t3000\t5000\t0\t77" },
		{ 5000, 3000, 5000, 0, "exit", 0, 3, "1\t4000\t2500\t5000\t0\t77" },
		{ 900, 400, 5000, 0, "exit", 0, 3, "1\t0\t0\t5000\t0\t77" },
		/* What goes on to exec at once is its process's start, counted by the next image.
		 */
		{ 5000, 3000, 5000, 0, "exec", PM_NO_STATUS, 0, "1\t0\t0\t5000\t0\t77" },
		{ 5000, 3000, 19999, 0, "exec", PM_NO_STATUS, 0, "1\t0\t0\t19999\t0\t77" },
		{ 5000, 3000, 20000, 0, "exec", PM_NO_STATUS, 0, "1\t5000\t3000\t20000\t0\t77" },
		{ 5000, 3000, 5000, 0, "exec", PM_NO_STATUS, 3, "1\t4000\t2500\t5000\t0\t77" },
		/* perfmon.conf(5): what lived for ten seconds is not short. */
		{ 5000, 3000, 9999999, 0, "exit", 0, 0, "1\t5000\t3000\t9999999\t0\t77" },
		{ 5000, 3000, 10000000, 0, "exit", 0, 0, NULL },
	};

	pm_record_int(&start, PM_COL_usertime, 1000);
	pm_record_int(&start, PM_COL_systemtime, 500);
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		char want[128] = "";
		bool folded;

		make_tally();
		pm.starttime = pm_ticks(now_ns - row[i].duration * 1000) - row[i].age;
		folded = image((int64_t)i + 1, row[i].user, row[i].system, row[i].duration,
			       row[i].own, row[i].reason, row[i].status, 77);
		if (row[i].want)
			snprintf(want, sizeof want, "folded\tprog\t%s\t.", row[i].want);
		ck_assert_msg(folded == (row[i].want != NULL) && strcmp(anywhere(), want) == 0,
			      "row %zu: %s", i, anywhere());
	}
}
END_TEST

/* What was counted at an exec that failed is not counted again. */
START_TEST(images_counted_twice)
{
	pm.starttime = pm_ticks(now_ns);
	ck_assert(image(1, 5000, 3000, 5000, 2000, NULL, PM_NO_STATUS, 50));
	ck_assert(image(1, 9000, 7000, 8000, 3000, "exit", 3, 60));
	ck_assert_str_eq(anywhere(), "folded\tprog\t1\t9000\t4000\t8000\t1\t60\t.");
	ck_assert(image(2, 100, 200, 300, 50, "exit", 0, 40));
	ck_assert_str_eq(anywhere(), "folded\tprog\t2\t9100\t4150\t8300\t1\t60\t.");
	/* What found no place is counted the next time, whole. */
	ck_assert_int_eq(unlink(TALLY), 0);
	ck_assert(!image(3, 5000, 3000, 5000, 2000, NULL, PM_NO_STATUS, 50));
	make_tally();
	ck_assert(image(3, 6000, 3000, 5000, 2000, "exit", 0, 50));
	ck_assert_str_eq(anywhere(), "folded\tprog\t1\t6000\t1000\t5000\t0\t50\t.");
}
END_TEST

START_TEST(programs_without_a_total)
{
	static char name[PM_TALLY_KEY_MAX + 2];
	char want[PM_TALLY_SLOT];

	memset(name, 'x', sizeof name - 1);
	pm.exename = (struct pm_str){ name, PM_TALLY_KEY_MAX };
	ck_assert(pm_sizelimit_excluded());
	snprintf(want, sizeof want, "excluded\t%.*s\t1\t.", PM_TALLY_KEY_MAX, name);
	ck_assert_str_eq(anywhere(), want);
	ck_assert_str_eq(taken(PM_TALLY_FOLDED, PM_TALLY_COUNT - PM_TALLY_FOLDED), want);
	make_tally();
	pm.exename.n++;
	ck_assert(pm_sizelimit_excluded());
	ck_assert_str_eq(anywhere(), "excluded\t\t1\t.");
	ck_assert_str_eq(taken(PM_TALLY_OTHERS, PM_TALLY_SPARE), "excluded\t\t1\t.");
	/* No room is left for one more program. */
	make_tally();
	for (unsigned i = PM_TALLY_FOLDED; i < PM_TALLY_COUNT; i++)
		write_at((off_t)i * PM_TALLY_SLOT, "folded\tother\t1\t1\t1\t1\t1\t1\t.");
	pm.exename = (struct pm_str){ "prog", 4 };
	ck_assert(pm_sizelimit_excluded() && pm_sizelimit_excluded());
	ck_assert_str_eq(taken(0, PM_TALLY_FOLDED), "excluded\t\t2\t.");
}
END_TEST

START_TEST(waits)
{
	struct rusage ru = { .ru_utime = { 2, 3 }, .ru_stime = { 4, 5 } };
	FILE *f;

	/* While the record files have room each child has a line; others may have filled them since
	 * this process wrote. */
	ck_assert(!pm_sizelimit_wait(&ru, false, false));
	pm.max_bytes = 100;
	ck_assert(!pm_sizelimit_wait(&ru, false, false));
	f = fopen(pm.file, "w");
	ck_assert(f && fprintf(f, "%099d", 0) == 99 && fflush(f) == 0);
	ck_assert(!pm_sizelimit_wait(&ru, false, false));
	ck_assert_str_eq(anywhere(), "");
	ck_assert(fputc('0', f) == '0' && fclose(f) == 0);
	ck_assert(pm_sizelimit_wait(&ru, false, false) && pm.over);
	ck_assert_str_eq(anywhere(), "children\t\t1\t2000003\t4000005\t0\t0\t.");
	ck_assert_str_eq(taken(PM_TALLY_CHILDREN, PM_TALLY_SPARE),
			 "children\t\t1\t2000003\t4000005\t0\t0\t.");
	ck_assert(pm_sizelimit_wait(NULL, true, false));
	ck_assert(pm_sizelimit_wait(NULL, true, false));
	ck_assert(pm_sizelimit_wait(NULL, false, true));
	ck_assert_str_eq(anywhere(), "children\t\t4\t2000003\t4000005\t2\t1\t.");
	make_tally();
	ru.ru_utime.tv_sec = 5;
	ru.ru_utime.tv_usec = 999994;
	ck_assert(pm_sizelimit_wait(&ru, false, false));
	ru.ru_stime.tv_usec = 6;
	ck_assert(!pm_sizelimit_wait(&ru, false, false));
	ck_assert_str_eq(anywhere(), "children\t\t1\t5999994\t4000005\t0\t0\t.");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/record/tally.c");
	TCase *t = tcase_create("tally");

	tcase_add_checked_fixture(t, set_up, pm_unit_tear_down);
	tcase_add_test(t, sums);
	tcase_add_test(t, slots_that_are_passed_over);
	tcase_add_test(t, no_tally);
	tcase_add_test(t, size_of_all_files);
	tcase_add_test(t, lost_lines);
	tcase_add_test(t, lost_lines_kept_in_mind);
	tcase_add_test(t, short_images);
	tcase_add_test(t, images_counted_twice);
	tcase_add_test(t, programs_without_a_total);
	tcase_add_test(t, waits);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
