/* The rules by which records become rows of a tree: lineage.c and rows.c through the loader. */
#include "config.h"

#include "tests/unit/submit/submit.h"

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* pid, generation, parent's pid, cpu_time, inclusive, end_reason, exitcode, exitsignal */
#define ROWS                                                                                       \
	"SELECT p.pid, p.generation, (SELECT q.pid FROM process q WHERE q.job_id = p.job_id AND "  \
	"q.id = p.parent_id), p.cpu_time, p.inclusive_cpu_time, p.end_reason, p.exitcode, "        \
	"p.exitsignal FROM process p ORDER BY p.id"

START_TEST(exec_takes_off_what_was_before)
{
	test_expect(
		LINES("record=start pid=10 ppid=1 image_us=1000 usertime=0 systemtime=0",
		      "record=end pid=10 image_us=1000 end_us=1100 end_reason=exec usertime=30 "
		      "systemtime=10 "
		      "rchar=100 own_rchar=40 minflt=50 own_minflt=5 own_cpu_us=4 numtids=1",
		      "record=start pid=10 ppid=1 image_us=1200 usertime=31 systemtime=11",
		      "record=end pid=10 image_us=1200 end_us=1300 end_reason=exec usertime=80 "
		      "systemtime=12 "
		      "rchar=150 own_rchar=20 minflt=60 own_minflt=20 own_cpu_us=5 numtids=1",
		      "record=start pid=10 ppid=1 image_us=1400 usertime=81 systemtime=13",
		      "record=end pid=10 image_us=1400 end_us=1500 end_reason=exit exitcode=0 "
		      "usertime=100 "
		      "systemtime=20 rchar=1150 minflt=61 numtids=1"),
		"SELECT generation, usertime, systemtime, rchar, minflt, end_reason, exitcode FROM "
		"process "
		"ORDER BY image_us",
		/* 2nd: system 2 less 5 own leaves -3 to take off user 50; minflt 10 less 20 is 0 */
		"0 30 6 60 45 exec -;1 47 0 30 0 exec -;2 20 8 1000 1 exit 0");
}
END_TEST

START_TEST(exec_without_end_before_takes_off_its_own_start)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000 usertime=0 systemtime=0",
			  "record=start pid=10 ppid=1 image_us=1200 usertime=31 systemtime=11",
			  "record=end pid=10 image_us=1200 end_us=1300 end_reason=exit exitcode=0 "
			  "usertime=80 systemtime=12 rchar=150 numtids=1"),
		    "SELECT generation, usertime, systemtime, rchar, end_reason FROM process ORDER "
		    "BY image_us",
		    "0 - - - running;1 49 1 - exit");
}
END_TEST

START_TEST(fork_links_to_the_image_alive_then)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=end pid=10 image_us=1000 end_us=1100 end_reason=exec usertime=5 "
			  "systemtime=0 numtids=1",
			  "record=start pid=10 ppid=1 image_us=1101",
			  "record=start pid=11 ppid=10 image_us=1050 starttime=6",
			  "record=end pid=11 image_us=1050 starttime=6 end_us=1060 end_reason=exit "
			  "exitcode=2 "
			  "usertime=7 systemtime=0 numtids=1",
			  "record=start pid=12 ppid=10 image_us=1150 starttime=7",
			  "record=end pid=12 image_us=1150 starttime=7 end_us=1160 end_reason=exit "
			  "exitcode=0 "
			  "usertime=9 systemtime=0 numtids=1",
			  "record=end pid=10 image_us=1101 end_us=1200 end_reason=exit exitcode=0 "
			  "usertime=8 "
			  "systemtime=0 numtids=1"),
		    "SELECT id, parent_id, depth, pid, generation, cpu_time, inclusive_cpu_time "
		    "FROM process ORDER BY id",
		    "1 - 0 10 0 5 12;2 1 1 11 0 7 7;3 - 0 10 1 3 12;4 3 1 12 0 9 9");
}
END_TEST

START_TEST(a_pid_used_again_is_another_process)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=end pid=10 image_us=1000 end_us=1100 end_reason=exit exitcode=0 "
			  "usertime=5 "
			  "systemtime=0 numtids=1",
			  "record=start pid=10 ppid=1 image_us=2000 starttime=9",
			  "record=end pid=10 image_us=2000 starttime=9 end_us=2100 end_reason=exit "
			  "exitcode=0 "
			  "usertime=6 systemtime=0 numtids=1",
			  "record=start pid=11 ppid=10 image_us=1050 starttime=6",
			  "record=start pid=12 ppid=10 image_us=2050 starttime=10"),
		    "SELECT pid, generation, usertime, depth, parent_id FROM process ORDER BY id",
		    "10 0 5 0 -;11 0 - 1 1;10 0 6 0 -;12 0 - 1 3");
}
END_TEST

/* A process that forks and leaves at once may have ended before its child gets to run. */
START_TEST(a_child_that_begins_late_has_its_parent)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=start pid=11 ppid=10 image_us=1010 starttime=6",
			  "record=end pid=11 image_us=1010 starttime=6 end_us=1020 "
			  "end_reason=exit exitcode=5 numtids=1",
			  "record=reaped pid=11 ppid=10 starttime=\\N end_us=1021 exitcode=5 "
			  "usertime=1 systemtime=0",
			  "record=start pid=12 ppid=11 image_us=1025 starttime=7",
			  /* the pid again, long after */
			  "record=start pid=13 ppid=11 image_us=9000000 starttime=900"),
		    "SELECT p.pid, (SELECT q.pid FROM process q WHERE q.id = p.parent_id) FROM "
		    "process p ORDER BY p.pid",
		    "10 -;11 10;12 11;13 -");
	/* the pid again at once, by a process known by its reaped line alone */
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=start pid=11 ppid=10 image_us=1010 starttime=6",
			  "record=end pid=11 image_us=1010 starttime=6 end_us=1020 "
			  "end_reason=exit exitcode=5 numtids=1",
			  "record=reaped pid=11 ppid=10 starttime=\\N end_us=1021 exitcode=5 "
			  "usertime=1 systemtime=0",
			  "record=start pid=12 ppid=11 image_us=1025 starttime=7",
			  "record=reaped pid=11 ppid=10 starttime=\\N end_us=1030 exitcode=6 "
			  "usertime=1 systemtime=0"),
		    "SELECT q.exitcode FROM process p JOIN process q ON q.id = p.parent_id WHERE "
		    "p.pid = 12",
		    "6");
}
END_TEST

START_TEST(hosts_and_namespaces_with_equal_pids_stay_apart)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=start pid=11 ppid=10 image_us=1010",
			  "record=start pid=10 ppid=1 image_us=1000 boot_id=boot-b hostname=n1",
			  "record=start pid=11 ppid=10 image_us=1010 boot_id=boot-b hostname=n1",
			  "record=start pid=10 ppid=1 image_us=1000 pid_ns=2",
			  "record=start pid=11 ppid=10 image_us=1010 pid_ns=2",
			  "record=start pid=12 ppid=11 image_us=1020 pid_ns=3"),
		    "SELECT p.pid, p.pid_ns, h.hostname, q.pid, q.pid_ns, q.host_id = p.host_id "
		    "FROM process p JOIN "
		    "host h ON h.id = p.host_id LEFT JOIN process q ON q.id = p.parent_id ORDER BY "
		    "p.host_id, "
		    "p.pid_ns, p.pid",
		    "10 1 n0 - - -;11 1 n0 10 1 1;10 2 n0 - - -;11 2 n0 10 2 1;12 3 n0 - - -;"
		    "10 1 n1 - - -;11 1 n1 10 1 1");
}
END_TEST

/* Whatever line comes first: files of a job are read in any order. */
START_TEST(equal_times_have_an_order)
{
	static const char *const want = "1 20;2 21;3 22";
	const char *query = "SELECT id, pid FROM process ORDER BY id";

	test_expect(LINES("record=start pid=20 ppid=1 image_us=1000 starttime=1",
			  "record=start pid=21 ppid=1 image_us=1000 starttime=2",
			  "record=start pid=22 ppid=1 image_us=1000 starttime=3"),
		    query, want);
	test_expect(LINES("record=start pid=22 ppid=1 image_us=1000 starttime=3",
			  "record=start pid=20 ppid=1 image_us=1000 starttime=1",
			  "record=start pid=21 ppid=1 image_us=1000 starttime=2"),
		    query, want);
}
END_TEST

/* strace and its like are told of an end before the parent is. */
START_TEST(a_tracers_wait_is_about_the_same_end)
{
	test_expect(
		LINES("record=start pid=5 ppid=1 image_us=900 starttime=2",
		      "record=start pid=10 ppid=1 image_us=1000 starttime=3",
		      /* one that recorded itself, one that did not */
		      "record=start pid=11 ppid=10 image_us=1050 starttime=6",
		      "record=end pid=11 image_us=1050 starttime=6 end_us=1060 end_reason=exit "
		      "exitcode=2 usertime=7 systemtime=1 cutime=0 cstime=0 numtids=1",
		      "record=reaped pid=11 ppid=5 starttime=\\N end_us=1070 exitcode=2 usertime=7 "
		      "systemtime=3 minflt=9 vol_ctxsw=1",
		      "record=reaped pid=11 ppid=10 starttime=\\N end_us=1080 exitcode=2 "
		      "usertime=7 "
		      "systemtime=4 minflt=9 vol_ctxsw=2",
		      "record=reaped pid=12 ppid=5 starttime=\\N end_us=1090 exitsignal=9 "
		      "usertime=1 "
		      "systemtime=1 minflt=5",
		      "record=reaped pid=12 ppid=10 starttime=\\N end_us=1091 exitsignal=9 "
		      "usertime=1 "
		      "systemtime=1 minflt=5",
		      /* four times were cut to microseconds, hardly five */
		      "record=reaped pid=13 ppid=5 starttime=\\N end_us=1090 exitsignal=9 "
		      "usertime=5 systemtime=1 minflt=5",
		      "record=reaped pid=13 ppid=10 starttime=\\N end_us=1091 exitsignal=9 "
		      "usertime=1 systemtime=1 minflt=5",
		      "record=reaped pid=14 ppid=5 starttime=\\N end_us=1090 exitsignal=9 "
		      "usertime=6 systemtime=1 minflt=5",
		      "record=reaped pid=14 ppid=10 starttime=\\N end_us=1091 exitsignal=9 "
		      "usertime=1 systemtime=1 minflt=5"),
		"SELECT pid, ppid, (SELECT q.pid FROM process q WHERE q.id = p.parent_id), "
		"end_reason "
		"FROM process p ORDER BY pid",
		"5 1 - running;10 1 - running;11 10 10 exit;12 10 10 signal;13 10 10 signal;"
		"14 5 5 signal;14 10 10 signal");
}
END_TEST

/* A pid comes back for a program that nobody saw, while the process it meant before was never
 * waited for: who waits tells them apart. */
START_TEST(a_strangers_wait_is_about_another_process)
{
	test_expect(
		LINES("record=start pid=10 ppid=1 image_us=900 starttime=1",
		      "record=start pid=40 ppid=10 image_us=910 starttime=2",
		      "record=start pid=20 ppid=10 image_us=920 starttime=3",
		      /* killed, its parent gone; the pid again, and again with the same usage */
		      "record=start pid=30 ppid=20 image_us=1000 starttime=4",
		      "record=reaped pid=30 ppid=40 starttime=\\N end_us=2000 exitcode=3 "
		      "usertime=7 "
		      "systemtime=1 minflt=9",
		      "record=reaped pid=30 ppid=10 starttime=\\N end_us=5000000 exitcode=3 "
		      "usertime=8 systemtime=1 minflt=9",
		      /* ended by itself, and left to the one above its parent */
		      "record=start pid=31 ppid=20 image_us=1100 starttime=5",
		      "record=end pid=31 image_us=1100 starttime=5 end_us=1160 end_reason=exit "
		      "exitcode=0 usertime=7 systemtime=1 cutime=0 cstime=0 numtids=1",
		      "record=reaped pid=31 ppid=10 starttime=\\N end_us=2000 exitcode=0 "
		      "usertime=7 "
		      "systemtime=3 minflt=9",
		      /* the same, but its pid came back for a child of the other one */
		      "record=start pid=32 ppid=20 image_us=1100 starttime=5",
		      "record=end pid=32 image_us=1100 starttime=5 end_us=1160 end_reason=exit "
		      "exitcode=0 usertime=7 systemtime=1 cutime=0 cstime=0 numtids=1",
		      "record=reaped pid=32 ppid=40 starttime=\\N end_us=2000 exitcode=0 "
		      "usertime=5 "
		      "systemtime=3 minflt=9",
		      /* a tracer that came when it was there already */
		      "record=start pid=33 ppid=20 image_us=1100 starttime=5",
		      "record=start pid=50 ppid=10 image_us=1200 starttime=6",
		      "record=reaped pid=33 ppid=50 starttime=\\N end_us=2000 exitsignal=9 "
		      "usertime=5 systemtime=3 minflt=9",
		      "record=reaped pid=33 ppid=20 starttime=\\N end_us=2010 exitsignal=9 "
		      "usertime=5 systemtime=3 minflt=9"),
		"SELECT pid, image_us, ppid, end_reason, coalesce(exitcode, -exitsignal) "
		"FROM process WHERE pid BETWEEN 30 AND 33 ORDER BY pid, coalesce(image_us, end_us)",
		"30 1000 20 running -;30 - 40 exit 3;30 - 10 exit 3;31 1100 20 exit 0;"
		"32 1100 20 exit 0;32 - 40 exit 0;33 1100 20 signal -9");
}
END_TEST

START_TEST(links_in_a_circle_are_cut)
{
	struct test_job j;

	test_begin(&j);
	test_records(&j, "n0-1.tsv",
		     LINES("record=start pid=10 ppid=12 image_us=1000",
			   "record=start pid=11 ppid=10 image_us=1000",
			   "record=start pid=12 ppid=11 image_us=1000",
			   "record=start pid=13 ppid=12 image_us=1000",
			   "record=start pid=14 ppid=14 image_us=1000"));
	test_load(&j);
	ck_assert_int_eq(j.rc, 1);
	ck_assert_str_eq(test_query(&j, "SELECT pid, parent_id, depth FROM process ORDER BY id"),
			 "14 - 0;10 - 0;11 2 1;12 3 2;13 4 3");
	ck_assert_ptr_nonnull(strstr(test_query(&j, "SELECT problems FROM job"), "cycle"));
	test_end(&j);
}
END_TEST

START_TEST(a_killed_process_gets_what_its_parent_was_told)
{
	test_expect(
		LINES("record=start pid=10 ppid=1 image_us=1000",
		      /* an exec chain, then two children of its own, waited for, then SIGKILL */
		      "record=start pid=20 ppid=10 image_us=1010 starttime=6",
		      "record=end pid=20 image_us=1010 starttime=6 end_us=1020 end_reason=exec "
		      "usertime=100 "
		      "systemtime=10 minflt=7 numtids=1",
		      "record=start pid=20 ppid=10 image_us=1021 starttime=6 usertime=101 "
		      "systemtime=10",
		      "record=start pid=21 ppid=20 image_us=1030 starttime=7",
		      "record=end pid=21 image_us=1030 starttime=7 end_us=1040 end_reason=exit "
		      "exitcode=0 "
		      "usertime=300 systemtime=0 numtids=1",
		      "record=reaped pid=21 ppid=20 end_us=1041 exitcode=0 usertime=310 "
		      "systemtime=5 minflt=3 starttime=\\N",
		      "record=reaped pid=20 ppid=10 end_us=1100 exitsignal=9 usertime=1000 "
		      "systemtime=50 minflt=40 "
		      "rssmax=777 starttime=\\N"),
		"SELECT pid, generation, usertime, systemtime, minflt, rssmax, end_reason, "
		"exitcode, exitsignal, "
		"end_us, duration_us FROM process ORDER BY pid, image_us",
		"10 0 - - - - running - - - -;"
		"20 0 100 10 7 - exec - - 1020 -;"
		/* 1000 - 310 of the child - 100 of the image before; 50 - 5 - 10; 40 - 3 - 7 */
		"20 1 590 35 30 777 signal - 9 1100 79;"
		"21 0 300 0 - - exit 0 - 1040 -");
}
END_TEST

START_TEST(a_child_known_by_its_reaped_line_alone_gets_a_row)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=reaped pid=20 ppid=10 end_us=1100 exitcode=4 usertime=70 "
			  "systemtime=7 rssmax=5 "
			  "starttime=\\N"),
		    ROWS ";", "10 0 - - 77 running - -;20 - 10 77 77 exit 4 -");
}
END_TEST

START_TEST(an_unseen_parent_leaves_what_its_recorded_children_used)
{
	/* 10 starts a static shell 20, which starts 21: recorded, but 20 writes nothing of it. */
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=start pid=21 ppid=20 image_us=1050 starttime=7",
			  "record=end pid=21 image_us=1050 starttime=7 end_us=1090 end_reason=exit "
			  "exitcode=0 usertime=40 "
			  "systemtime=4 cutime=10 cstime=1 minflt=8 cminflt=2 inblock=3 numtids=1",
			  "record=reaped pid=20 ppid=10 end_us=1100 exitcode=0 usertime=70 "
			  "systemtime=7 minflt=30 inblock=9 "
			  "starttime=\\N"),
		    "SELECT pid, (SELECT pid FROM process q WHERE q.id = p.parent_id), usertime, "
		    "systemtime, minflt, "
		    "inblock, inclusive_cpu_time FROM process p ORDER BY id",
		    "10 - - - - - 66;20 10 20 2 20 - 66;21 20 40 4 8 3 44");
}
END_TEST

START_TEST(an_exec_into_an_unseen_program_gets_a_row)
{
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=start pid=20 ppid=10 image_us=1010 starttime=6",
			  "record=end pid=20 image_us=1010 starttime=6 end_us=1020 end_reason=exec "
			  "usertime=100 "
			  "systemtime=10 numtids=1",
			  "record=start pid=21 ppid=20 image_us=1030 starttime=7",
			  /* outlives 20, which therefore did not wait for it */
			  "record=end pid=21 image_us=1030 starttime=7 end_us=1200 end_reason=exit "
			  "exitcode=0 "
			  "usertime=3 systemtime=1 numtids=1",
			  "record=reaped pid=20 ppid=10 end_us=1100 exitcode=1 usertime=500 "
			  "systemtime=30 starttime=\\N"),
		    ROWS,
		    "10 0 - - 534 running - -;20 0 10 110 110 exec - -;"
		    "20 1 10 420 424 exit 1 -;21 0 20 4 4 exit 0 -");
}
END_TEST

START_TEST(a_reaped_line_belongs_to_the_latest_process_of_its_pid)
{
	test_expect(LINES("record=start pid=20 ppid=10 image_us=1000 starttime=6",
			  "record=end pid=20 image_us=1000 starttime=6 end_us=1020 end_reason=exit "
			  "exitcode=0 usertime=1 "
			  "systemtime=0 numtids=1",
			  "record=reaped pid=20 ppid=10 end_us=1100 exitcode=0 usertime=1 "
			  "systemtime=0 starttime=\\N",
			  /* the pid again, by a static program; and again by a recorded one */
			  "record=reaped pid=20 ppid=10 end_us=1200 exitcode=7 usertime=2 "
			  "systemtime=0 starttime=\\N",
			  "record=start pid=20 ppid=10 image_us=1300 starttime=9",
			  "record=reaped pid=20 ppid=10 end_us=1400 exitsignal=15 usertime=3 "
			  "systemtime=0 starttime=\\N"),
		    "SELECT image_us, end_reason, exitcode, exitsignal, usertime FROM process "
		    "ORDER BY end_us",
		    "1000 exit 0 - 1;- exit 7 - 2;1300 signal - 15 3");
}
END_TEST

START_TEST(the_wait_status_decides_over_the_end)
{
	test_expect(LINES("record=start pid=20 ppid=10 image_us=1000",
			  "record=end pid=20 image_us=1000 end_us=1020 end_reason=exit exitcode=0 "
			  "usertime=1 "
			  "systemtime=0 numtids=1",
			  "record=reaped pid=20 ppid=10 end_us=1100 exitsignal=11 usertime=1 "
			  "systemtime=0 starttime=\\N"),
		    "SELECT end_reason, exitcode, exitsignal, end_us FROM process",
		    "signal - 11 1020");
}
END_TEST

START_TEST(resumed_cancels_the_exec)
{
	test_expect(LINES("record=start pid=20 ppid=10 image_us=1000",
			  "record=end pid=20 image_us=1000 end_us=1010 end_reason=exec usertime=1 "
			  "systemtime=0 numtids=2",
			  "record=thread pid=20 image_us=1000 tid=20 usertime=1 systemtime=0",
			  "record=resumed pid=20 image_us=1000 end_us=1011",
			  "record=end pid=20 image_us=1000 end_us=1012 end_reason=exec usertime=2 "
			  "systemtime=0 numtids=2",
			  "record=thread pid=20 image_us=1000 tid=20 usertime=2 systemtime=0",
			  "record=resumed pid=20 image_us=1000 end_us=1013",
			  "record=end pid=20 image_us=1000 end_us=1020 end_reason=exit exitcode=1 "
			  "usertime=9 systemtime=0 "
			  "numtids=2",
			  "record=thread pid=20 image_us=1000 tid=20 usertime=5 systemtime=0",
			  "record=thread pid=20 image_us=1000 tid=21 usertime=4 systemtime=0"),
		    "SELECT generation, end_reason, exitcode, cpu_time, (SELECT count(*) FROM "
		    "thread_row), (SELECT "
		    "count(*) FROM reject), (SELECT sum(usertime) FROM thread) FROM process",
		    "0 exit 1 9 2 0 9");
}
END_TEST

START_TEST(a_rejected_line_makes_no_row)
{
	test_expect(LINES("record=start pid=20 ppid=10 image_us=1000",
			  "record=resumed pid=21 image_us=1000 end_us=1011",
			  "record=resumed pid=20 image_us=1000 end_us=1011 boot_id=boot-b"),
		    "SELECT pid, (SELECT count(*) FROM host), (SELECT count(*) FROM reject) FROM "
		    "process",
		    "20 1 2");
}
END_TEST

START_TEST(threads_over_an_exec)
{
	test_expect(LINES("record=start pid=20 ppid=10 image_us=1000",
			  "record=end pid=20 image_us=1000 end_us=1010 end_reason=exec usertime=30 "
			  "systemtime=0 numtids=2",
			  "record=thread pid=20 image_us=1000 tid=20 usertime=10 systemtime=0 "
			  "rchar=500 own_rchar=20",
			  "record=thread pid=20 image_us=1000 tid=21 usertime=20 systemtime=0",
			  "record=start pid=20 ppid=10 image_us=1020",
			  "record=end pid=20 image_us=1020 end_us=1030 end_reason=exit exitcode=0 "
			  "usertime=90 systemtime=0 "
			  "numtids=2",
			  "record=thread pid=20 image_us=1020 tid=25 usertime=45 systemtime=0",
			  "record=thread pid=20 image_us=1020 tid=20 usertime=25 systemtime=0 "
			  "rchar=900"),
		    "SELECT p.generation, t.id, t.tid, t.usertime, t.rchar FROM thread_row t JOIN "
		    "process p ON p.id = "
		    "t.process_id ORDER BY p.generation, t.id",
		    "0 1 20 10 480;0 2 21 20 -;1 1 20 15 400;1 2 25 45 -");
}
END_TEST

START_TEST(a_single_threaded_image_before_gives_the_main_threads_base)
{
	test_expect(LINES("record=start pid=20 ppid=10 image_us=1000",
			  "record=end pid=20 image_us=1000 end_us=1010 end_reason=exec usertime=30 "
			  "systemtime=0 numtids=1",
			  "record=start pid=20 ppid=10 image_us=1020",
			  "record=end pid=20 image_us=1020 end_us=1030 end_reason=exit exitcode=0 "
			  "usertime=90 systemtime=0 "
			  "numtids=2",
			  "record=thread pid=20 image_us=1020 tid=20 usertime=50 systemtime=0",
			  "record=thread pid=20 image_us=1020 tid=21 usertime=40 systemtime=0"),
		    "SELECT tid, usertime FROM thread ORDER BY process_id, tid",
		    "20 30;20 20;21 40");
}
END_TEST

START_TEST(order_of_lines_does_not_matter)
{
	static const char *const line[] = {
		"record=start pid=10 ppid=1 image_us=1000",
		"record=start pid=20 ppid=10 image_us=1010 starttime=6",
		"record=end pid=20 image_us=1010 starttime=6 end_us=1020 end_reason=exec "
		"usertime=100 systemtime=10 "
		"numtids=1",
		"record=start pid=20 ppid=10 image_us=1021 starttime=6 usertime=101 systemtime=10",
		"record=reaped pid=20 ppid=10 end_us=1100 exitsignal=9 usertime=1000 systemtime=50 "
		"starttime=\\N",
		"record=end pid=10 image_us=1000 end_us=1200 end_reason=exit exitcode=0 usertime=3 "
		"systemtime=1 numtids=1",
	};
	enum { COUNT = sizeof line / sizeof line[0] };

	for (int turn = 0; turn < COUNT; turn++) {
		const char *turned[COUNT + 1] = { NULL };

		for (int i = 0; i < COUNT; i++)
			turned[i] = line[(i + turn) % COUNT];
		test_expect(turned, ROWS,
			    "10 0 - 4 1054 exit 0 -;20 0 10 110 110 exec - -;20 1 10 940 940 "
			    "signal - 9");
	}
}
END_TEST

START_TEST(last_words_count_where_there_is_no_end)
{
	static const char *const line[] = {
		/* An end follows: in whatever order they are read, it wins. */
		"record=start pid=10 ppid=1 image_us=1000",
		"record=last pid=10 image_us=1000 end_us=1100 last_call=setuid usertime=5 "
		"systemtime=0 rssmax=50 numtids=1",
		"record=end pid=10 image_us=1000 end_us=1200 end_reason=exit exitcode=0 usertime=9 "
		"systemtime=0 rssmax=70 numtids=2",
		/* A wait follows: of the last words the later ones, less what was before. */
		"record=start pid=20 ppid=10 image_us=1010 starttime=6",
		"record=end pid=20 image_us=1010 starttime=6 end_us=1020 end_reason=exec "
		"usertime=100 systemtime=0 rchar=1000 numtids=1",
		"record=start pid=20 ppid=10 image_us=1021 start_us=1021 starttime=6 usertime=100",
		"record=last pid=20 image_us=1021 starttime=6 end_us=1030 last_call=unshare "
		"usertime=110 systemtime=0 rchar=1010 duration_us=9 rssmax=900 numtids=1",
		"record=last pid=20 image_us=1021 starttime=6 end_us=1040 last_call=chroot "
		"usertime=120 systemtime=0 rchar=1900 own_rchar=100 duration_us=19 rssmax=1000 "
		"numtids=1",
		"record=reaped pid=20 ppid=10 end_us=1100 exitsignal=9 usertime=400 systemtime=7 "
		"starttime=\\N",
		/* Nothing follows. */
		"record=start pid=30 ppid=10 image_us=1050 starttime=7",
		"record=last pid=30 image_us=1050 starttime=7 end_us=1060 last_call=seccomp "
		"usertime=3 systemtime=1 duration_us=10 rssmax=11 numtids=1",
		/* An exec was announced, and failed. */
		"record=start pid=40 ppid=10 image_us=1050 starttime=8",
		"record=last pid=40 image_us=1050 starttime=8 end_us=1060 last_call=setuid "
		"usertime=4 systemtime=0 numtids=1",
	};
	enum { COUNT = sizeof line / sizeof line[0] };

	for (int turn = 0; turn < COUNT; turn++) {
		const char *turned[COUNT + 1] = { NULL };

		for (int i = 0; i < COUNT; i++)
			turned[i] = line[(i + turn) % COUNT];
		test_expect(turned,
			    "SELECT pid, last_call, end_reason, exitcode, exitsignal, usertime, "
			    "systemtime, rchar, rssmax, end_us, duration_us FROM process "
			    "WHERE pid <> 20 OR generation = 1 ORDER BY pid",
			    "10 - exit 0 - 9 0 - 70 1200 -;"
			    "20 chroot signal - 9 300 7 800 1000 1100 79;"
			    "30 seccomp running - - 3 1 - 11 - -;"
			    "40 setuid running - - 4 0 - - - -");
		test_expect(turned, "SELECT without_end FROM job", "3");
	}
}
END_TEST

START_TEST(an_exec_that_failed_leaves_the_last_words)
{
	test_expect(
		LINES("record=start pid=10 ppid=1 image_us=1000",
		      "record=last pid=10 image_us=1000 end_us=1100 last_call=setuid "
		      "usertime=5 systemtime=0 numtids=1",
		      "record=end pid=10 image_us=1000 end_us=1200 end_reason=exec usertime=9 "
		      "systemtime=0 numtids=1",
		      "record=resumed pid=10 image_us=1000 end_us=1201",
		      "record=last pid=10 image_us=1000 end_us=1300 usertime=6 systemtime=0"),
		"SELECT last_call, end_reason, usertime, (SELECT reason FROM reject) FROM process",
		"setuid running 5 last_call: missing");
}
END_TEST

START_TEST(after_a_stop_a_process_without_end_is_unknown)
{
	struct test_job j;

	test_begin(&j);
	test_meta(&j, "job-n0.json",
		  "{\"format\":\"perfmon-job-1\",\"job\":{\"user\":\"u\",\"uid\":7,\"jobid\":\"1\","
		  "\"epoch_us\":5},"
		  "\"host\":{\"hostname\":\"n0\",\"boot_id\":\"boot-a\",\"cpus_allowed\":2},"
		  "\"start\":{\"time_us\":900,\"monotonic_us\":100},"
		  "\"stop\":{\"time_us\":2000,\"monotonic_us\":1100,\"exit_status\":3,\"charged_"
		  "cpu_us\":200}}");
	test_records(&j, "n0-7.tsv",
		     LINES("record=start pid=10 ppid=1 image_us=1000",
			   "record=start pid=11 ppid=10 image_us=1001",
			   "record=end pid=11 image_us=1001 end_us=2001 end_reason=exit exitcode=1 "
			   "usertime=100 "
			   "systemtime=30 own_cpu_us=20 numtids=3 rssmax=50"));
	test_load(&j);
	ck_assert_int_eq(j.rc, 0);
	ck_assert_str_eq(test_query(&j, "SELECT pid, end_reason FROM process ORDER BY id"),
			 "10 unknown;11 exit");
	ck_assert_str_eq(
		test_query(&j,
			   "SELECT start_us, end_us, duration_us, exit_status, processes, threads, "
			   "failed, running, without_end, late, cpus, cpu_time, charged_cpu_us, "
			   "coverage, efficiency, rssmax, rchar, ranks FROM job"),
		"900 2000 1000 3 2 4 1 0 1 1 2 110 200 - 0.055 50 - -");
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/tree/lineage.c and rows.c");
	TCase *t = tcase_create("rules");

	tcase_add_test(t, exec_takes_off_what_was_before);
	tcase_add_test(t, exec_without_end_before_takes_off_its_own_start);
	tcase_add_test(t, fork_links_to_the_image_alive_then);
	tcase_add_test(t, a_pid_used_again_is_another_process);
	tcase_add_test(t, a_child_that_begins_late_has_its_parent);
	tcase_add_test(t, hosts_and_namespaces_with_equal_pids_stay_apart);
	tcase_add_test(t, equal_times_have_an_order);
	tcase_add_test(t, a_tracers_wait_is_about_the_same_end);
	tcase_add_test(t, a_strangers_wait_is_about_another_process);
	tcase_add_test(t, links_in_a_circle_are_cut);
	tcase_add_test(t, a_killed_process_gets_what_its_parent_was_told);
	tcase_add_test(t, a_child_known_by_its_reaped_line_alone_gets_a_row);
	tcase_add_test(t, an_unseen_parent_leaves_what_its_recorded_children_used);
	tcase_add_test(t, an_exec_into_an_unseen_program_gets_a_row);
	tcase_add_test(t, a_reaped_line_belongs_to_the_latest_process_of_its_pid);
	tcase_add_test(t, the_wait_status_decides_over_the_end);
	tcase_add_test(t, resumed_cancels_the_exec);
	tcase_add_test(t, a_rejected_line_makes_no_row);
	tcase_add_test(t, threads_over_an_exec);
	tcase_add_test(t, a_single_threaded_image_before_gives_the_main_threads_base);
	tcase_add_test(t, order_of_lines_does_not_matter);
	tcase_add_test(t, last_words_count_where_there_is_no_end);
	tcase_add_test(t, an_exec_that_failed_leaves_the_last_words);
	tcase_add_test(t, after_a_stop_a_process_without_end_is_unknown);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
