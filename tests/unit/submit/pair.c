/* Reaped records that do not name their process: pair.c through the loader. */
#include "config.h"

#include "tests/unit/submit/submit.h"

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* The process that waits, and what libc waits for inside it. */
#define PARENT    "record=start pid=10 ppid=1 image_us=1000 start_us=1000"
#define NAMELESS  "record=reaped pid=\\N ppid=10 starttime=\\N "
#define SHELL     "record=start pid=20 ppid=10 image_us=1010 start_us=1010 starttime=6 minflt=3"
#define SHELL_END "record=end pid=20 image_us=1010 starttime=6 end_us=1050 end_reason=exit "

#define ROWS                                                                                       \
	"SELECT p.pid, (SELECT q.pid FROM process q WHERE q.id = p.parent_id), p.end_reason, "     \
	"p.exitcode, p.exitsignal, p.cpu_time, p.start_us, p.end_us FROM process p "               \
	"WHERE p.pid IS NULL OR p.pid <> 10 ORDER BY p.pid IS NULL, p.pid, p.image_us"

START_TEST(the_one_shell_of_the_window_is_told)
{
	/* killed: nobody else knows */
	test_expect(LINES(PARENT, SHELL,
			  NAMELESS "start_us=1005 end_us=1060 exitsignal=9 usertime=7 systemtime=1 "
				   "minflt=90"),
		    ROWS, "20 10 signal - 9 8 1010 1060");
	/* what the shell became by an exec that was not recorded */
	test_expect(LINES(PARENT, SHELL,
			  "record=end pid=20 image_us=1010 starttime=6 end_us=1020 end_reason=exec "
			  "usertime=2 systemtime=0 minflt=60 numtids=1",
			  NAMELESS "start_us=1005 end_us=1060 exitcode=3 usertime=7 systemtime=1 "
				   "minflt=90"),
		    ROWS, "20 10 exec - - 2 1010 1020;20 10 exit 3 - 6 1020 1060");
	/* one that told its end: the wait adds what came behind it */
	test_expect(LINES(PARENT, SHELL,
			  SHELL_END
			  "exitcode=3 usertime=5 systemtime=1 cutime=0 cstime=0 minflt=88 "
			  "cminflt=0 numtids=1",
			  NAMELESS "start_us=1005 end_us=1060 exitcode=3 usertime=7 systemtime=1 "
				   "minflt=90"),
		    ROWS, "20 10 exit 3 - 8 1010 1050");
}
END_TEST

START_TEST(a_child_that_nobody_saw_gets_a_row_without_a_pid)
{
	test_expect(LINES(PARENT, NAMELESS "start_us=1005 end_us=1060 exitcode=4 usertime=7 "
					   "systemtime=1 minflt=90"),
		    ROWS, "- 10 exit 4 - 8 1005 1060");
	/* two of them, and what they used unknown in one */
	test_expect(LINES(PARENT,
			  NAMELESS "start_us=1005 end_us=1060 exitcode=4 usertime=7 systemtime=1 "
				   "minflt=90",
			  NAMELESS "start_us=1070 end_us=1080 exitcode=5"),
		    ROWS " , p.end_us", "- 10 exit 4 - 8 1005 1060;- 10 exit 5 - - 1070 1080");
}
END_TEST

START_TEST(a_process_that_it_cannot_be_is_left_alone)
{
	/* before the call; another status; outlives it; waited for by itself; another's child */
	test_expect(
		LINES(PARENT, "record=start pid=19 ppid=10 image_us=1001 starttime=5", SHELL,
		      SHELL_END "exitcode=0 usertime=5 systemtime=1 minflt=88 numtids=1",
		      "record=start pid=21 ppid=10 image_us=1011 starttime=7",
		      "record=end pid=21 image_us=1011 starttime=7 end_us=1100 end_reason=exit "
		      "exitcode=4 usertime=1 systemtime=1 minflt=9 numtids=1",
		      "record=start pid=22 ppid=10 image_us=1012 starttime=8",
		      "record=reaped pid=22 ppid=10 starttime=\\N end_us=1055 exitcode=4 "
		      "usertime=1 systemtime=1 minflt=50",
		      "record=start pid=23 ppid=19 image_us=1013 starttime=9",
		      NAMELESS "start_us=1005 end_us=1060 exitcode=4 usertime=7 systemtime=1 "
			       "minflt=90"),
		"SELECT pid, exitcode FROM process WHERE pid IS NULL OR pid <> 10 ORDER BY pid IS "
		"NULL, pid",
		"19 -;20 0;21 4;22 4;23 -;- 4");
}
END_TEST

START_TEST(what_could_be_about_several_is_about_none)
{
	/* two alike: neither is given it, and no third row counts the time again */
	test_expect(LINES(PARENT, SHELL,
			  "record=start pid=21 ppid=10 image_us=1011 starttime=7 minflt=3",
			  NAMELESS "start_us=1005 end_us=1060 exitcode=4 usertime=7 systemtime=1 "
				   "minflt=90"),
		    "SELECT pid, end_reason FROM process ORDER BY pid",
		    "10 running;20 running;21 running");
	/* one shell, two calls of different threads: which of them ran it? */
	test_expect(LINES(PARENT, SHELL, NAMELESS "start_us=1005 end_us=1060 exitcode=4",
			  NAMELESS "start_us=1006 end_us=1061 exitcode=4"),
		    "SELECT pid, end_reason FROM process ORDER BY pid", "10 running;20 running");
}
END_TEST

/* Page faults tell processes of one moment apart. */
START_TEST(the_one_of_equal_page_faults_is_it)
{
	test_expect(LINES(PARENT, SHELL,
			  SHELL_END
			  "exitcode=0 usertime=5 systemtime=1 cutime=0 cstime=0 minflt=70 "
			  "cminflt=18 numtids=1",
			  "record=start pid=21 ppid=10 image_us=1011 starttime=7",
			  "record=end pid=21 image_us=1011 starttime=7 end_us=1049 end_reason=exit "
			  "exitcode=0 usertime=1 systemtime=1 cutime=0 cstime=0 minflt=9 numtids=1",
			  "record=start pid=22 ppid=10 image_us=1012 starttime=8 minflt=2",
			  NAMELESS "start_us=1005 end_us=1060 exitcode=0 usertime=9 systemtime=1 "
				   "minflt=90"),
		    "SELECT pid, cpu_time, end_reason FROM process WHERE pid <> 10 ORDER BY pid",
		    "20 10 exit;21 2 exit;22 - running");
}
END_TEST

START_TEST(without_a_status)
{
	/* nothing seen: what they used together */
	test_expect(LINES(PARENT, NAMELESS "start_us=1005 end_us=1060 usertime=7 systemtime=1 "
					   "minflt=90"),
		    ROWS, "- 10 unknown - - 8 1005 1060");
	/* one that told its end: nothing is new, and nothing counts twice */
	test_expect(LINES(PARENT, SHELL,
			  SHELL_END "exitcode=3 usertime=5 systemtime=1 minflt=40 numtids=1",
			  NAMELESS "start_us=1005 end_us=1060 usertime=7 systemtime=1 minflt=90"),
		    ROWS, "20 10 exit 3 - 6 1010 1050");
	/* one that did not */
	test_expect(LINES(PARENT, SHELL,
			  NAMELESS "start_us=1005 end_us=1060 usertime=7 systemtime=1 minflt=90"),
		    ROWS, "20 10 unknown - - 8 1010 1060");
	/* beside one that outlives the wait */
	test_expect(LINES(PARENT, SHELL, "record=start pid=21 ppid=10 image_us=1011 starttime=7",
			  "record=end pid=21 image_us=1011 starttime=7 end_us=1090 end_reason=exit "
			  "exitcode=0 usertime=1 systemtime=0 minflt=1 numtids=1",
			  NAMELESS "start_us=1005 end_us=1060 usertime=7 systemtime=1 minflt=90"),
		    "SELECT pid, cpu_time FROM process WHERE pid <> 10 ORDER BY pid", "20 8;21 1");
	/* two of them */
	test_expect(LINES(PARENT, SHELL, "record=start pid=21 ppid=10 image_us=1011 starttime=7",
			  NAMELESS "start_us=1005 end_us=1060 usertime=7 systemtime=1 minflt=90"),
		    "SELECT pid, cpu_time FROM process ORDER BY pid", "10 -;20 -;21 -");
}
END_TEST

/* Each time of a wait less that of the children it holds. */
START_TEST(a_wait_tells_the_times_to_the_very_end)
{
	test_expect(LINES(PARENT, SHELL,
			  SHELL_END
			  "exitcode=0 usertime=5 systemtime=1 cutime=1 cstime=2 minflt=88 "
			  "cminflt=0 numtids=1",
			  "record=reaped pid=20 ppid=10 starttime=6 end_us=1060 exitcode=0 "
			  "usertime=9 systemtime=6 minflt=90"),
		    "SELECT pid, usertime, systemtime FROM process WHERE pid = 20", "20 8 4");
	/* One that is less than the end says: neither is taken. */
	test_expect(LINES(PARENT, SHELL,
			  SHELL_END
			  "exitcode=0 usertime=5 systemtime=1 cutime=1 cstime=2 minflt=88 "
			  "cminflt=0 numtids=1",
			  "record=reaped pid=20 ppid=10 starttime=6 end_us=1060 exitcode=0 "
			  "usertime=9 systemtime=2 minflt=90"),
		    "SELECT pid, usertime, systemtime FROM process WHERE pid = 20", "20 5 1");
}
END_TEST

START_TEST(what_an_earlier_process_of_its_pid_waited_for_is_not_its_own)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=start pid=20 ppid=10 image_us=1010",
			  "record=reaped pid=30 ppid=20 end_us=1100 exitcode=0 usertime=50 "
			  "systemtime=0 minflt=1",
			  "record=reaped pid=20 ppid=10 end_us=1200 exitsignal=9 usertime=60 "
			  "systemtime=0 minflt=2",
			  "record=reaped pid=20 ppid=10 end_us=2000 exitcode=0 usertime=55 "
			  "systemtime=0 minflt=3"),
		    "SELECT pid, end_us, cpu_time FROM process WHERE pid > 10 ORDER BY end_us",
		    "30 1100 50;20 1200 10;20 2000 55");
}
END_TEST

START_TEST(unknown_usage_leaves_the_rest_of_a_wait_unknown)
{
	test_expect(LINES("record=start pid=9 ppid=1 image_us=900", PARENT,
			  NAMELESS "start_us=1005 end_us=1060 exitcode=0",
			  "record=reaped pid=10 ppid=9 starttime=\\N end_us=1100 exitsignal=9 "
			  "usertime=50 systemtime=5 minflt=300"),
		    "SELECT pid, cpu_time, minflt, exitsignal FROM process ORDER BY pid IS NULL, "
		    "pid",
		    "9 - - -;10 - - 9;- - - -");
}
END_TEST

START_TEST(lines_that_tell_too_little_are_rejected)
{
	test_expect(LINES(PARENT, NAMELESS "end_us=1060 exitcode=0",
			  "record=reaped pid=\\N ppid=\\N starttime=\\N start_us=1005 end_us=1060 "
			  "exitcode=0",
			  "record=reaped pid=30 ppid=10 starttime=\\N end_us=1060",
			  NAMELESS "start_us=1005 end_us=1060 exitcode=0 exitsignal=9",
			  NAMELESS "start_us=1005 end_us=1070 exitcode=0",
			  NAMELESS "start_us=1005 end_us=1070 exitcode=0"),
		    "SELECT reason FROM reject ORDER BY line",
		    "start_us: missing or out of range;reaped with neither pid nor ppid;"
		    "reaped with neither exitcode nor exitsignal;"
		    "reaped with both exitcode and exitsignal;"
		    "duplicate: this process has been reaped before");
}
END_TEST

/* --- inits of pid namespaces --- */

#define INIT     "record=start pid=1 ppid=0 pid_ns=2 image_us=1010 starttime=6 minflt=3"
#define INIT_END "record=end pid=1 pid_ns=2 image_us=1010 starttime=6 end_us=1050 end_reason=exit "
#define INITS                                                                                      \
	"SELECT p.pid, p.pid_ns, (SELECT q.pid FROM process q WHERE q.id = p.parent_id), "         \
	"p.end_reason, p.exitcode, p.exitsignal, p.cpu_time FROM process p WHERE p.pid <> 10 "     \
	"ORDER BY p.pid_ns, p.pid, p.image_us"

START_TEST(an_init_gets_what_its_parent_was_told)
{
	test_expect(LINES(PARENT, INIT,
			  INIT_END "exitcode=3 usertime=5 systemtime=1 cutime=0 cstime=0 minflt=88 "
				   "numtids=1",
			  "record=start pid=2 ppid=1 pid_ns=2 image_us=1015 starttime=7",
			  "record=end pid=2 ppid=1 pid_ns=2 image_us=1015 starttime=7 end_us=1016 "
			  "end_reason=exit exitcode=0 usertime=1 systemtime=0 numtids=1",
			  "record=reaped pid=1298 ppid=10 starttime=\\N end_us=1060 exitcode=3 "
			  "usertime=6 systemtime=1 minflt=88"),
		    INITS, "1 2 10 exit 3 - 7;2 2 1 exit 0 - 1");
	/* killed */
	test_expect(LINES(PARENT, INIT,
			  "record=reaped pid=1298 ppid=10 starttime=\\N end_us=1060 exitsignal=9 "
			  "usertime=6 systemtime=1 minflt=88"),
		    INITS, "1 2 10 signal - 9 7");
	/* became a static program */
	test_expect(LINES(PARENT, INIT,
			  "record=end pid=1 pid_ns=2 image_us=1010 starttime=6 end_us=1020 "
			  "end_reason=exec usertime=2 systemtime=0 minflt=60 numtids=1",
			  "record=reaped pid=1298 ppid=10 starttime=\\N end_us=1060 exitcode=4 "
			  "usertime=6 systemtime=1 minflt=88"),
		    INITS, "1 2 10 exec - - 2;1 2 10 exit 4 - 5");
}
END_TEST

START_TEST(inits_of_one_moment_are_told_apart)
{
	test_expect(LINES(PARENT, INIT,
			  INIT_END "exitcode=0 usertime=5 systemtime=1 minflt=88 numtids=1",
			  "record=start pid=1 ppid=0 pid_ns=3 image_us=1011 starttime=7 minflt=3",
			  "record=end pid=1 pid_ns=3 image_us=1011 starttime=7 end_us=1051 "
			  "end_reason=exit exitcode=0 usertime=5 systemtime=1 minflt=188 numtids=1",
			  "record=reaped pid=1299 ppid=10 starttime=\\N end_us=1060 exitcode=0 "
			  "usertime=8 systemtime=1 minflt=188",
			  "record=reaped pid=1298 ppid=10 starttime=\\N end_us=1061 exitcode=0 "
			  "usertime=6 systemtime=1 minflt=90"),
		    "SELECT pid_ns, end_us, cpu_time, (SELECT q.pid FROM process q WHERE q.id = "
		    "p.parent_id) FROM process p WHERE pid = 1 ORDER BY pid_ns",
		    "2 1050 6 10;3 1051 6 10");
}
END_TEST

START_TEST(never_two_inits_for_one_wait_nor_two_waits_for_one_init)
{
	/* two killed ones, one wait */
	test_expect(LINES(PARENT, INIT,
			  "record=start pid=1 ppid=0 pid_ns=3 image_us=1011 "
			  "starttime=7 minflt=3",
			  "record=reaped pid=1298 ppid=10 starttime=\\N end_us=1060 exitsignal=9 "
			  "usertime=6 systemtime=1 minflt=88"),
		    INITS, "1298 1 10 signal - 9 7;1 2 - running - - -;1 3 - running - - -");
	/* one killed one, two waits */
	test_expect(LINES(PARENT, INIT,
			  "record=reaped pid=1298 ppid=10 starttime=\\N end_us=1060 exitsignal=9 "
			  "usertime=6 systemtime=1 minflt=88",
			  "record=reaped pid=1299 ppid=10 starttime=\\N end_us=1061 exitsignal=9 "
			  "usertime=6 systemtime=1 minflt=88"),
		    INITS, "1298 1 10 signal - 9 7;1299 1 10 signal - 9 7;1 2 - running - - -");
}
END_TEST

START_TEST(a_wait_that_cannot_be_an_inits_is_not)
{
	/* before it began; while its namespace was alive; by one who came later; other host */
	test_expect(LINES(PARENT, INIT,
			  "record=start pid=5 ppid=1 pid_ns=2 image_us=1040 starttime=9",
			  "record=reaped pid=30 ppid=10 starttime=\\N end_us=1009 exitcode=0 "
			  "usertime=6 systemtime=1 minflt=88",
			  "record=reaped pid=31 ppid=10 starttime=\\N end_us=1030 exitcode=0 "
			  "usertime=6 systemtime=1 minflt=88",
			  "record=start pid=11 ppid=10 image_us=1012 starttime=8",
			  "record=reaped pid=32 ppid=11 starttime=\\N end_us=1080 exitcode=0 "
			  "usertime=6 systemtime=1 minflt=88",
			  "record=reaped pid=33 ppid=10 starttime=\\N end_us=1080 exitcode=0 "
			  "usertime=6 systemtime=1 minflt=88 boot_id=boot-b hostname=n1"),
		    "SELECT pid, end_reason FROM process WHERE pid_ns = 2 ORDER BY pid",
		    "1 running;5 running");
}
END_TEST

START_TEST(one_of_too_many_children_is_not_guessed)
{
	/* The first may be it; the others ended otherwise, and are looked at all the same. */
	for (int children = 64; children <= 65; children++) {
		char text[2 * 65 + 1][128];
		const char *line[2 * 65 + 3];
		size_t n = 0;

		line[n++] = PARENT;
		for (int i = 0; i < children; i++) {
			snprintf(text[n - 1], sizeof text[0],
				 "record=start pid=%d ppid=10 image_us=%d start_us=%d starttime=6 "
				 "minflt=3",
				 100 + i, 1010 + i, 1010 + i);
			line[n] = text[n - 1];
			n++;
			if (i == 0)
				continue;
			snprintf(text[n - 1], sizeof text[0],
				 "record=end pid=%d image_us=%d starttime=6 end_us=1100 "
				 "end_reason=exit exitcode=5 numtids=1",
				 100 + i, 1010 + i);
			line[n] = text[n - 1];
			n++;
		}
		line[n++] = NAMELESS "start_us=1005 end_us=1200 exitcode=3 usertime=7 systemtime=1 "
				     "minflt=90";
		line[n] = NULL;
		test_expect(
			line,
			"SELECT end_reason, exitcode, (SELECT count(*) FROM process) FROM process "
			"WHERE pid = 100",
			children == 64 ? "exit 3 65" : "running - 66");
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/tree/reaped_guess.c");
	TCase *t = tcase_create("pairs");

	tcase_add_test(t, the_one_shell_of_the_window_is_told);
	tcase_add_test(t, a_child_that_nobody_saw_gets_a_row_without_a_pid);
	tcase_add_test(t, a_process_that_it_cannot_be_is_left_alone);
	tcase_add_test(t, what_could_be_about_several_is_about_none);
	tcase_add_test(t, the_one_of_equal_page_faults_is_it);
	tcase_add_test(t, without_a_status);
	tcase_add_test(t, a_wait_tells_the_times_to_the_very_end);
	tcase_add_test(t, what_an_earlier_process_of_its_pid_waited_for_is_not_its_own);
	tcase_add_test(t, unknown_usage_leaves_the_rest_of_a_wait_unknown);
	tcase_add_test(t, lines_that_tell_too_little_are_rejected);
	tcase_add_test(t, an_init_gets_what_its_parent_was_told);
	tcase_add_test(t, inits_of_one_moment_are_told_apart);
	tcase_add_test(t, never_two_inits_for_one_wait_nor_two_waits_for_one_init);
	tcase_add_test(t, a_wait_that_cannot_be_an_inits_is_not);
	tcase_add_test(t, one_of_too_many_children_is_not_guessed);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
