/* Excluded programs in the loader: no row, no hole in the tree, no CPU time lost or counted twice.
 */
#include "config.h"

#include "tests/unit/submit/submit.h"

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const char rows[] = "SELECT exename, coalesce(parent_id, 0), depth, cpu_time, "
			   "inclusive_cpu_time, end_reason FROM process ORDER BY id";
static const char excluded[] =
	"SELECT exename, images, cpu_time FROM excluded_program ORDER BY exename";
static const char totals[] = "SELECT processes, cpu_time, excluded, excluded_cpu_us, without_end, "
			     "reaped_only, rejected FROM job";

/* Load lines and compare the rows, what was excluded, and the job's totals. */
static void expect(const char *const *line, const char *want_rows, const char *want_excluded,
		   const char *want_totals)
{
	struct test_job j;

	test_begin(&j);
	test_records(&j, "n0-1.tsv", line);
	test_load(&j);
	ck_assert_msg(j.rc >= 0, "%s", j.e.text);
	ck_assert_str_eq(test_query(&j, rows), want_rows);
	ck_assert_str_eq(test_query(&j, excluded), want_excluded);
	ck_assert_str_eq(test_query(&j, totals), want_totals);
	test_end(&j);
}

#define TOP "record=start pid=10 ppid=1 image_us=1000 exename=top path=/top"
#define TOP_END                                                                                    \
	"record=end pid=10 image_us=1000 end_us=2000 end_reason=exit exitcode=0 exename=top "      \
	"usertime=7 systemtime=0 cutime=100 cstime=0 numtids=1"
#define SHELL                                                                                      \
	"record=excluded pid=20 ppid=10 image_us=1100 exename=sh usertime=0 systemtime=0 "         \
	"starttime=6"
#define SHELL_GONE "record=reaped pid=20 ppid=10 end_us=1900 exitcode=0 usertime=90 systemtime=10"
#define APP        "record=start pid=30 ppid=20 image_us=1200 exename=app path=/app starttime=7"
#define APP_END                                                                                    \
	"record=end pid=30 image_us=1200 end_us=1800 end_reason=exit exitcode=0 exename=app "      \
	"starttime=7 usertime=60 systemtime=5 cutime=0 cstime=0 numtids=1"

/* A recorded program starts an excluded one, which starts a recorded one: whatever file and line
 * comes first, it loads to the same. */
START_TEST(any_order)
{
	static const char *const line[] = { TOP, SHELL, SHELL_GONE, APP };
	struct test_job j;

	/* Every number below 4! names an order: its digits to the bases 4, 3, 2 and 1. The ends
	 * come first or last. */
	for (int n = 0; n < 48; n++) {
		const char *left[4], *mixed[7] = { TOP_END, [4] = TOP_END, [5] = APP_END };
		int digits = n / 2, at = 0;

		memcpy(left, line, sizeof left);
		if (n % 2) {
			mixed[1] = APP_END;
			at = 2;
		}
		for (int k = 0; k < 4; k++) {
			int take = digits % (4 - k);

			digits /= 4 - k;
			mixed[at + k] = left[take];
			left[take] = left[3 - k];
		}
		test_begin(&j);
		test_records(&j, "n0-1.tsv", mixed);
		test_load(&j);
		ck_assert_int_ge(j.rc, 0);
		ck_assert_str_eq(test_query(&j, rows), "top 0 0 7 72 exit;app 1 1 65 65 exit");
		ck_assert_str_eq(test_query(&j, excluded), "sh 1 35");
		test_end(&j);
	}
	expect(LINES(TOP, TOP_END, SHELL, SHELL_GONE, APP, APP_END),
	       "top 0 0 7 72 exit;app 1 1 65 65 exit", "sh 1 35", "2 72 1 35 0 0 0");
}
END_TEST

/* The images of one process: what it had used before an exec belongs to the image before. */
START_TEST(exec_chains)
{
	static const char rest[] = "record=start pid=20 ppid=10 image_us=1300 exename=app "
				   "starttime=6 usertime=51 systemtime=0";
	static const char rest_end[] =
		"record=end pid=20 image_us=1300 end_us=1800 end_reason=exit exitcode=0 "
		"exename=app starttime=6 usertime=80 systemtime=0 cutime=0 cstime=0 numtids=1 "
		"rchar=900";

	/* Announced: the exec and the loading of the next program are that program's. */
	expect(LINES(TOP, TOP_END, SHELL,
		     "record=end pid=20 image_us=1100 end_us=1299 end_reason=exec exename=sh "
		     "starttime=6 usertime=50 systemtime=0 cutime=0 cstime=0 rchar=600",
		     rest, rest_end),
	       "top 0 0 7 37 exit;app 1 1 30 30 exit", "sh 1 50", "2 37 1 50 0 0 0");
	/* Unannounced, by a raw system call: as the next image found it. */
	expect(LINES(TOP, TOP_END, SHELL, rest, rest_end), "top 0 0 7 36 exit;app 1 1 29 29 exit",
	       "sh 1 51", "2 36 1 51 0 0 0");
	/* What the shell waited for and left no record is in the last image's account. */
	expect(LINES(TOP, TOP_END, SHELL, rest,
		     "record=end pid=20 image_us=1300 end_us=1800 end_reason=exit exitcode=0 "
		     "exename=app starttime=6 usertime=80 systemtime=0 cutime=13 cstime=1 "
		     "numtids=1"),
	       "top 0 0 7 36 exit;app 1 1 29 29 exit", "sh 1 65", "2 36 1 65 0 0 0");
	/* A recorded program before it: that is above what the shell starts. */
	expect(LINES(TOP, TOP_END,
		     "record=start pid=20 ppid=10 image_us=1050 exename=env starttime=6",
		     "record=end pid=20 image_us=1050 end_us=1099 end_reason=exec exename=env "
		     "starttime=6 usertime=10 systemtime=0 cutime=0 cstime=0 numtids=1",
		     "record=excluded pid=20 ppid=10 image_us=1100 exename=sh usertime=11 "
		     "systemtime=0 starttime=6",
		     SHELL_GONE, APP, APP_END),
	       "top 0 0 7 82 exit;env 1 1 10 75 exec;app 2 2 65 65 exit", "sh 1 25",
	       "3 82 1 25 0 0 0");
	/* What recorded children of the last image account for is theirs. */
	expect(LINES(TOP, TOP_END, SHELL, rest,
		     "record=end pid=20 image_us=1300 end_us=1800 end_reason=exit exitcode=0 "
		     "exename=app starttime=6 usertime=80 systemtime=0 cutime=13 cstime=1 "
		     "numtids=1",
		     "record=start pid=30 ppid=20 image_us=1400 exename=kid starttime=9",
		     "record=end pid=30 image_us=1400 end_us=1500 end_reason=exit exitcode=0 "
		     "exename=kid starttime=9 usertime=4 systemtime=0 cutime=0 cstime=0 numtids=1"),
	       "top 0 0 7 40 exit;app 1 1 29 33 exit;kid 2 2 4 4 exit", "sh 1 61",
	       "3 40 1 61 0 0 0");
	/* A failed exec is no exec. */
	expect(LINES(TOP, TOP_END, SHELL,
		     "record=end pid=20 image_us=1100 end_us=1299 end_reason=exec exename=sh "
		     "starttime=6 usertime=50 systemtime=0 cutime=0 cstime=0",
		     "record=resumed pid=20 image_us=1100 end_us=1300 starttime=6", SHELL_GONE),
	       "top 0 0 7 7 exit", "sh 1 100", "1 7 1 100 0 0 0");
	/* The program that an excluded one becomes is static: it has its row as ever. */
	expect(LINES(TOP, TOP_END, SHELL,
		     "record=end pid=20 image_us=1100 end_us=1299 end_reason=exec exename=sh "
		     "starttime=6 usertime=50 systemtime=0 cutime=0 cstime=0",
		     SHELL_GONE),
	       "top 0 0 7 57 exit;- 1 1 50 50 exit", "sh 1 50", "2 57 1 50 1 1 0");
}
END_TEST

/* Excluded programs below excluded ones: the wait for the uppermost holds all of them. */
START_TEST(below_each_other)
{
	expect(LINES(TOP, TOP_END, SHELL, SHELL_GONE,
		     "record=excluded pid=25 ppid=20 image_us=1150 exename=dash usertime=0 "
		     "systemtime=0 starttime=6",
		     "record=start pid=30 ppid=25 image_us=1200 exename=app starttime=7", APP_END),
	       "top 0 0 7 72 exit;app 1 1 65 65 exit", "dash 1 -;sh 1 35", "2 72 2 35 0 0 0");
	/* A killed program, whose parent tells nothing: what it used is not known apart. */
	expect(LINES(TOP, TOP_END, SHELL, SHELL_GONE, APP), "top 0 0 7 7 exit;app 1 1 - - running",
	       "sh 1 100", "2 7 1 100 1 0 0");
	/* One that went out of reach of its file, in its last words. */
	expect(LINES(TOP, TOP_END, SHELL, SHELL_GONE, APP,
		     "record=last pid=30 image_us=1200 end_us=1500 last_call=chroot starttime=7 "
		     "exename=app usertime=40 systemtime=2 cutime=3 cstime=0 numtids=1"),
	       "top 0 0 7 49 exit;app 1 1 42 42 running", "sh 1 55", "2 49 1 55 1 0 0");
	/* One that outlives the shell was not waited for by it. */
	expect(LINES(TOP, TOP_END, SHELL, SHELL_GONE, APP,
		     "record=end pid=30 image_us=1200 end_us=1950 end_reason=exit exitcode=0 "
		     "exename=app starttime=7 usertime=600 systemtime=5 cutime=0 cstime=0 "
		     "numtids=1"),
	       "top 0 0 7 612 exit;app 1 1 605 605 exit", "sh 1 100", "2 612 1 100 0 0 0");
}
END_TEST

/* Nobody recorded is above, or waited. */
START_TEST(on_top)
{
	expect(LINES(SHELL, APP, APP_END), "app 0 0 65 65 exit", "sh 1 -", "1 65 1 - 0 0 0");
	expect(LINES(SHELL), "", "sh 1 -", "0 - 1 - - - 0");
	expect(LINES(SHELL, "record=excluded pid=20 ppid=10 image_us=1200 exename=sh starttime=6 "
			    "usertime=40 systemtime=0"),
	       "", "sh 2 40", "0 - 2 40 - - 0");
}
END_TEST

/* What a process had used before an excluded program: by the end before it, else as that found it.
 */
START_TEST(used_before)
{
	static const struct {
		const char *before, *found, *want;
	} c[] = {
		{ "usertime=10 systemtime=1", "usertime=30 systemtime=2", "sh 1 89" },
		{ NULL, "usertime=30 systemtime=2", "sh 1 68" },
		{ NULL, "exename=sh", "sh 1 100" },
		{ "numtids=1", "usertime=30 systemtime=2", "sh 1 68" },
		{ "usertime=100 systemtime=1", "exename=sh", "sh 1 0" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char end[256], sh[256];
		struct test_job j;

		snprintf(end, sizeof end,
			 "record=end pid=20 image_us=1050 end_us=1099 end_reason=exec starttime=6 "
			 "%s",
			 c[i].before ? c[i].before : "");
		snprintf(sh, sizeof sh,
			 "record=excluded pid=20 ppid=10 image_us=1100 exename=sh starttime=6 %s",
			 c[i].found);
		test_begin(&j);
		test_records(
			&j, "n0-1.tsv",
			LINES(TOP, TOP_END, SHELL_GONE,
			      "record=start pid=20 ppid=10 image_us=1050 exename=env starttime=6",
			      sh, c[i].before ? end : NULL));
		test_load(&j);
		ck_assert_int_ge(j.rc, 0);
		ck_assert_str_eq(test_query(&j, excluded), c[i].want);
		test_end(&j);
	}
}
END_TEST

/* A child that ended in the very microsecond of its parent was waited for; hosts are told apart. */
START_TEST(limits)
{
	struct test_job j;

	expect(LINES(TOP, TOP_END, SHELL, SHELL_GONE, APP,
		     "record=end pid=30 image_us=1200 end_us=1900 end_reason=exit exitcode=0 "
		     "exename=app starttime=7 usertime=60 systemtime=5 cutime=0 cstime=0 "
		     "numtids=1"),
	       "top 0 0 7 72 exit;app 1 1 65 65 exit", "sh 1 35", "2 72 1 35 0 0 0");
	test_begin(&j);
	test_records(&j, "n0-1.tsv",
		     LINES(TOP, TOP_END, SHELL, SHELL_GONE, TOP " boot_id=boot-b hostname=n1",
			   SHELL " boot_id=boot-b hostname=n1",
			   SHELL " boot_id=boot-b hostname=n1 pid=21"));
	test_load(&j);
	ck_assert_str_eq(
		test_query(&j, "SELECT h.hostname, x.exename, x.images, x.cpu_time FROM "
			       "excluded_program x JOIN host h ON h.job_id = x.job_id AND h.id = "
			       "x.host_id ORDER BY 1"),
		"n0 sh 1 100;n1 sh 2 -");
	test_end(&j);
}
END_TEST

/* Lines that no collector writes. */
START_TEST(hostile)
{
	expect(LINES(SHELL, SHELL, "record=start pid=20 ppid=10 image_us=1100 starttime=6", TOP,
		     "record=excluded pid=10 ppid=1 image_us=1000", "record=excluded pid=11 ppid=1",
		     "record=excluded pid=0 ppid=1 image_us=5",
		     "record=thread pid=20 image_us=1100 tid=20 usertime=3 systemtime=0"),
	       "top 0 0 - - running", "sh 1 -", "1 - 1 - 1 0 5");
	/* Excluded programs that are each other's parents. */
	expect(LINES("record=excluded pid=20 ppid=21 image_us=1100 exename=a",
		     "record=excluded pid=21 ppid=20 image_us=1100 exename=b",
		     "record=start pid=22 ppid=21 image_us=1200 exename=c path=/c",
		     "record=reaped pid=20 ppid=21 end_us=1500 exitcode=0 usertime=5 systemtime=0"),
	       "c 0 0 - - running", "a 1 5;b 1 -", "1 - 2 5 1 0 0");
	/* No name, no times, all of it at once; a wait that knows less than the children. */
	expect(LINES(TOP, TOP_END, "record=excluded pid=20 ppid=10 image_us=1100 starttime=6",
		     "record=reaped pid=20 ppid=10 end_us=1900 exitcode=0 usertime=1 systemtime=1",
		     APP, APP_END),
	       "top 0 0 7 72 exit;app 1 1 65 65 exit", " 1 0", "2 72 1 0 0 0 0");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/rows/excluded.c");
	TCase *t = tcase_create("rules");

	tcase_add_test(t, any_order);
	tcase_add_test(t, exec_chains);
	tcase_add_test(t, below_each_other);
	tcase_add_test(t, on_top);
	tcase_add_test(t, used_before);
	tcase_add_test(t, limits);
	tcase_add_test(t, hostile);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
