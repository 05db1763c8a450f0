/* Which lines are the same, and which process each is about, on both sides of every limit:
 * images.c, match.c and lineage.c through the loader. */
#include "config.h"

#include "tests/unit/submit/submit.h"

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

#define PARENT "record=start pid=10 ppid=1 image_us=1000"
#define CHILD  "record=start pid=20 ppid=10 image_us=1010 starttime=6"
#define WAIT                                                                                       \
	"record=reaped pid=20 ppid=10 end_us=1100 exitcode=0 usertime=7 systemtime=0 "             \
	"starttime=\\N"

/* Load lines behind those two of a process and its child; compare rejected lines and rows. */
static void check(const char *const *line, const char *sql, const char *want)
{
	struct test_job j;
	size_t at;

	test_begin(&j);
	test_records(&j, "n0-1.tsv", line);
	test_load(&j);
	ck_assert_msg(j.rc >= 0, "%s", j.e.text);
	for (at = 0; line[at + 1]; at++)
		continue;
	ck_assert_msg(strcmp(test_query(&j, sql), want) == 0, "%s: %s", line[at],
		      test_query(&j, sql));
	test_end(&j);
}

static const char rejects[] = "SELECT line, reason FROM reject ORDER BY line";

START_TEST(duplicates)
{
	/* Of a start, an end, a thread, a wait each that differs in one thing, and one that does
	 * not. */
	check(LINES(PARENT, CHILD,
		    "record=start pid=20 ppid=10 image_us=1010 starttime=6 exename=x",
		    "record=start pid=20 ppid=10 image_us=1011 starttime=6",
		    "record=start pid=21 ppid=10 image_us=1010 starttime=6",
		    "record=start pid=20 ppid=10 image_us=1010 starttime=6 pid_ns=2",
		    "record=start pid=20 ppid=10 image_us=1010 starttime=6 boot_id=boot-b",
		    "record=excluded pid=20 ppid=10 image_us=1010 starttime=6"),
	      rejects,
	      "3 duplicate: this image started before;8 duplicate: this image started before");
	check(LINES(PARENT, "record=end pid=10 image_us=1000 end_us=2000 end_reason=exit",
		    "record=end pid=10 image_us=1000 end_us=2001 end_reason=exec"),
	      "SELECT end_us, end_reason, (SELECT reason FROM reject) FROM process",
	      "2000 exit duplicate: this image ended before");
	check(LINES(PARENT, "record=thread pid=10 image_us=1000 tid=10 start_us=5 usertime=1",
		    "record=thread pid=10 image_us=1000 tid=10 start_us=5 usertime=2",
		    "record=thread pid=10 image_us=1000 tid=10 start_us=6 usertime=3",
		    "record=thread pid=10 image_us=1000 tid=11 start_us=5 usertime=4",
		    "record=thread pid=10 image_us=1000 tid=12 usertime=5",
		    "record=thread pid=10 image_us=1000 tid=12 usertime=6",
		    "record=thread pid=10 image_us=1001 tid=10 start_us=5 usertime=7"),
	      "SELECT (SELECT group_concat(line || reason) FROM reject), group_concat(usertime) "
	      "FROM "
	      "(SELECT usertime FROM thread_row ORDER BY usertime)",
	      "3duplicate: this thread has been read before,7duplicate: this thread has been read before "
	      "1,3,4,5,7");
	check(LINES("record=reaped pid=20 ppid=10 start_us=900 end_us=1100 exitcode=0",
		    "record=reaped pid=20 ppid=10 start_us=900 end_us=1100 exitcode=1",
		    "record=reaped pid=20 ppid=10 start_us=901 end_us=1100 exitcode=2",
		    "record=reaped pid=20 ppid=10 start_us=900 end_us=1101 exitcode=3",
		    "record=reaped pid=20 ppid=11 start_us=900 end_us=1100 exitcode=4",
		    "record=reaped pid=21 ppid=10 start_us=900 end_us=1100 exitcode=5",
		    "record=reaped pid=20 ppid=10 start_us=900 end_us=1100 exitcode=6 pid_ns=2",
		    "record=reaped pid=20 ppid=10 end_us=1100 exitcode=7"),
	      rejects, "2 duplicate: this process has been reaped before");
}
END_TEST

/* A thread that was measured before the exec that failed stays, what was measured with it does not.
 */
START_TEST(threads_of_an_exec_that_failed)
{
	check(LINES(PARENT, "record=thread pid=10 image_us=1000 tid=11 end_us=1098 usertime=1",
		    "record=thread pid=10 image_us=1000 tid=12 end_us=1100 usertime=2",
		    "record=thread pid=10 image_us=1000 tid=13 end_us=1099 usertime=3",
		    "record=thread pid=10 image_us=1000 tid=14 end_us=1101 usertime=4",
		    "record=thread pid=10 image_us=1000 tid=15 usertime=5",
		    "record=end pid=10 image_us=1000 end_us=1100 end_reason=exec usertime=9",
		    "record=resumed pid=10 image_us=1000 end_us=1102",
		    "record=thread pid=10 image_us=1000 tid=11 end_us=1103 usertime=6",
		    "record=resumed pid=10 image_us=1000 end_us=1104"),
	      "SELECT (SELECT group_concat(line || ' ' || reason) FROM reject), "
	      "group_concat(usertime) "
	      "FROM (SELECT usertime FROM thread_row ORDER BY usertime)",
	      "10 resumed without an exec before it 1,3,6");
	/* Nor does it matter that it ended before it began. */
	check(LINES("record=start pid=10 ppid=1 image_us=1000",
		    "record=end pid=10 image_us=1000 end_us=900 end_reason=exec",
		    "record=resumed pid=10 image_us=1000 end_us=901",
		    "record=end pid=10 image_us=1000 end_us=1000 end_reason=exit"),
	      "SELECT problems LIKE '%clock%', (SELECT end_us FROM process) FROM job", "0 1000");
	check(LINES("record=start pid=10 ppid=1 image_us=1000",
		    "record=end pid=10 image_us=1000 end_us=999 end_reason=exit"),
	      "SELECT problems LIKE '%1 processes end before they start: the clock was set%' FROM "
	      "job",
	      "1");
	/* An end that is none by exec is not taken back. */
	check(LINES(PARENT, "record=end pid=10 image_us=1000 end_us=1100 end_reason=exit",
		    "record=resumed pid=10 image_us=1000 end_us=1101"),
	      "SELECT end_us, (SELECT reason FROM reject) FROM process",
	      "1100 resumed without an exec before it");
}
END_TEST

/* A boot is a host, whatever its name; without a boot the name is. */
START_TEST(hosts)
{
	check(LINES("record=start pid=10 ppid=1 image_us=1000 hostname=\\N",
		    "record=start pid=11 ppid=1 image_us=1000 hostname=n5",
		    "record=start pid=12 ppid=1 image_us=1000 hostname=n6",
		    "record=start pid=13 ppid=1 image_us=1000 boot_id=\\N hostname=n5",
		    "record=start pid=14 ppid=1 image_us=1000 boot_id=\\N hostname=n6",
		    "record=start pid=15 ppid=1 image_us=1000 boot_id=\\N hostname=n5",
		    "record=start pid=16 ppid=1 image_us=1000 boot_id=boot-b hostname=n5"),
	      "SELECT h.boot_id, h.hostname, group_concat(p.pid) FROM host h JOIN (SELECT * FROM "
	      "process "
	      "ORDER BY pid) p ON p.host_id = h.id GROUP BY h.id ORDER BY min(p.pid)",
	      "boot-a n5 10,11,12;- n5 13,15;- n6 14;boot-b n5 16");
}
END_TEST

/* Of last words those said last count, of one time those read first. */
START_TEST(last_words)
{
	check(LINES(PARENT,
		    "record=last pid=10 image_us=1000 end_us=1200 last_call=chroot usertime=1",
		    "record=last pid=10 image_us=1000 end_us=1199 last_call=unshare usertime=2",
		    "record=last pid=10 image_us=1000 end_us=1200 last_call=seccomp usertime=3",
		    CHILD,
		    "record=last pid=20 image_us=1010 end_us=1200 last_call=chroot usertime=4",
		    "record=last pid=20 image_us=1010 end_us=1201 last_call=unshare usertime=5"),
	      "SELECT pid, last_call, usertime, (SELECT count(*) FROM reject) FROM process ORDER "
	      "BY pid",
	      "10 chroot 1 0;20 unshare 5 0");
}
END_TEST

#define PARENTS                                                                                    \
	"SELECT p.pid, coalesce(q.pid || ' ' || coalesce(q.image_us, 'unseen'), '-') FROM "        \
	"process "                                                                                 \
	"p LEFT JOIN process q ON q.id = p.parent_id WHERE p.pid >= 30 ORDER BY p.pid"

START_TEST(parents)
{
	/* Of two processes of one pid that which began first where the child began, by ticks where
	 * these are known. */
	check(LINES("record=start pid=10 ppid=1 image_us=1000 starttime=3",
		    "record=start pid=10 ppid=1 image_us=2000 starttime=9",
		    "record=start pid=30 ppid=10 image_us=1999 starttime=8",
		    "record=start pid=31 ppid=10 image_us=2000 starttime=8",
		    "record=start pid=32 ppid=10 image_us=2000 starttime=9",
		    "record=start pid=33 ppid=10 image_us=2000 starttime=\\N",
		    "record=start pid=34 ppid=10 image_us=2001 starttime=8",
		    "record=start pid=35 ppid=10 image_us=1000 starttime=3",
		    "record=start pid=36 ppid=10 image_us=999 starttime=3",
		    "record=start pid=37 ppid=10 image_us=1000 starttime=2",
		    "record=start pid=38 ppid=38 image_us=1000",
		    "record=start pid=39 ppid=10 image_us=2000 pid_ns=2"),
	      PARENTS,
	      "30 10 1000;31 10 1000;32 10 2000;33 10 2000;34 10 1000;35 10 1000;36 -;37 -;38 -;39 "
	      "-");
	/* One that was waited for is gone; a child may come to say that it began a second later. */
	check(LINES("record=start pid=20 ppid=1 image_us=1000 starttime=3",
		    "record=end pid=20 image_us=1000 starttime=3 end_us=1050 end_reason=exit "
		    "exitcode=0",
		    "record=reaped pid=20 ppid=1 end_us=1100 exitcode=0 starttime=\\N",
		    "record=start pid=21 ppid=1 image_us=1000 starttime=3",
		    "record=end pid=21 image_us=1000 starttime=3 end_us=1050 end_reason=exit "
		    "exitcode=0",
		    "record=start pid=30 ppid=20 image_us=1001050 starttime=300",
		    "record=start pid=31 ppid=20 image_us=1001051 starttime=300",
		    /* nobody knows that this one is gone */
		    "record=start pid=32 ppid=21 image_us=9000000 starttime=300",
		    /* its pid was another's, of which only the wait tells */
		    "record=reaped pid=20 ppid=1 end_us=1200 exitcode=5 starttime=\\N",
		    "record=start pid=33 ppid=20 image_us=1050 starttime=4",
		    "record=start pid=34 ppid=20 image_us=1051 starttime=4",
		    "record=start pid=35 ppid=20 image_us=1200 starttime=4",
		    "record=start pid=36 ppid=20 image_us=1201 starttime=4"),
	      PARENTS,
	      "30 20 1000;31 -;32 21 1000;33 20 1000;34 20 unseen;35 20 unseen;36 20 1000");
}
END_TEST

/* A circle is cut above its earliest process. */
START_TEST(circles)
{
	check(LINES("record=start pid=30 ppid=32 image_us=1002 starttime=\\N",
		    "record=start pid=31 ppid=30 image_us=1002 starttime=\\N",
		    "record=start pid=32 ppid=31 image_us=1002 starttime=\\N",
		    "record=start pid=33 ppid=32 image_us=1002 starttime=\\N",
		    "record=start pid=40 ppid=41 image_us=1002 starttime=\\N",
		    "record=start pid=41 ppid=40 image_us=1002 starttime=\\N"),
	      "SELECT pid, coalesce(parent_id, 0), depth, (SELECT problems LIKE '%2 links from process to parent "
	      "form a cycle%' FROM job) FROM process ORDER BY id",
	      "30 0 0 1;31 1 1 1;32 2 2 1;33 3 3 1;40 0 0 1;41 5 1 1");
}
END_TEST

/* Rows are in an order of their own where times are equal. */
START_TEST(order)
{
	static const char want[] = "n0 1 20 1000;n0 1 21 1000;n0 2 19 1000;n0 1 5 1001;n1 1 3 999";
	static const char *const line[] = {
		"record=start pid=20 ppid=1 image_us=1000 starttime=9",
		"record=start pid=21 ppid=1 image_us=1000 starttime=1",
		"record=start pid=19 ppid=1 image_us=1000 starttime=1 pid_ns=2",
		"record=start pid=5 ppid=1 image_us=1001 starttime=1",
	};

	for (int turn = 0; turn < 4; turn++) {
		const char *turned[6] = { line[turn], line[(turn + 1) % 4], line[(turn + 2) % 4],
					  line[(turn + 3) % 4],
					  "record=start pid=3 ppid=1 image_us=999 boot_id=boot-b "
					  "hostname=n1" };

		check(turned,
		      "SELECT h.hostname, p.pid_ns, p.pid, p.image_us FROM process p JOIN host h "
		      "ON "
		      "h.id = p.host_id ORDER BY p.id",
		      want);
	}
}
END_TEST

/* Two waits for one pid: of one end that a tracer was told of before, or of two processes. */
START_TEST(tracers)
{
	static const struct {
		const char *first, *second; /* beyond what both say */
		const char *want;           /* processes of that pid */
	} c[] = {
		{ "ppid=5 end_us=2000", "ppid=10 end_us=2001", "1" },
		{ "ppid=5 end_us=2000", "ppid=5 end_us=2001", "2" },
		{ "ppid=5 end_us=2000", "ppid=7 end_us=1002000", "1" },
		{ "ppid=5 end_us=2000", "ppid=7 end_us=1002001", "2" },
		/* what the kernel charges in between, and cuts */
		{ "ppid=5 end_us=2000 usertime=100", "ppid=7 end_us=2001 usertime=10100", "1" },
		{ "ppid=5 end_us=2000 usertime=100", "ppid=7 end_us=2001 usertime=10101", "2" },
		{ "ppid=5 end_us=2000 usertime=100", "ppid=7 end_us=2001 usertime=96", "1" },
		{ "ppid=5 end_us=2000 usertime=100", "ppid=7 end_us=2001 usertime=95", "2" },
		{ "ppid=5 end_us=2000 systemtime=100", "ppid=7 end_us=2001 systemtime=10101", "2" },
		/* what a process did cannot change */
		{ "ppid=5 end_us=2000 exitcode=1", "ppid=7 end_us=2001 exitcode=2", "2" },
		{ "ppid=5 end_us=2000 exitcode=\\N exitsignal=1",
		  "ppid=7 end_us=2001 exitcode=\\N exitsignal=2", "2" },
		{ "ppid=5 end_us=2000 minflt=1", "ppid=7 end_us=2001 minflt=2", "2" },
		{ "ppid=5 end_us=2000 majflt=1", "ppid=7 end_us=2001 majflt=2", "2" },
		{ "ppid=5 end_us=2000 inblock=1", "ppid=7 end_us=2001 inblock=2", "2" },
		{ "ppid=5 end_us=2000 outblock=1", "ppid=7 end_us=2001 outblock=2", "2" },
		{ "ppid=5 end_us=2000 rssmax=1", "ppid=7 end_us=2001 rssmax=2", "2" },
		{ "ppid=5 end_us=2000 minflt=1", "ppid=7 end_us=2001", "2" },
		{ "ppid=5 end_us=2000 vol_ctxsw=1", "ppid=7 end_us=2001 vol_ctxsw=2", "1" },
		{ "ppid=5 end_us=2000", "ppid=7 end_us=2001 pid_ns=2", "2" },
	};

	enum { COUNT = sizeof c / sizeof c[0] };
	static char text[2 * COUNT][256];
	const char *line[2][2 * COUNT + 1] = { 0 };
	char want[4 * COUNT] = "";

	/* A pid for each, in either order of lines. */
	for (size_t i = 0; i < COUNT; i++) {
		snprintf(text[2 * i], sizeof text[0],
			 "record=reaped pid=%zu starttime=\\N exitcode=0 %s", 20 + i, c[i].first);
		snprintf(text[2 * i + 1], sizeof text[0],
			 "record=reaped pid=%zu starttime=\\N exitcode=0 %s", 20 + i, c[i].second);
		line[0][2 * i] = line[1][2 * i + 1] = text[2 * i];
		line[0][2 * i + 1] = line[1][2 * i] = text[2 * i + 1];
		snprintf(want + strlen(want), sizeof want - strlen(want), "%s%s", i ? ";" : "",
			 c[i].want);
	}
	for (size_t i = 0; i < 2; i++)
		check(line[i], "SELECT count(*) FROM process GROUP BY pid ORDER BY pid", want);
	/* The wait of the process' own parent is the last: what comes behind it is another's. A
	 * parent that is known may come later. */
	check(LINES("record=start pid=20 ppid=5 image_us=1000",
		    "record=reaped pid=20 ppid=5 end_us=2000 starttime=\\N exitcode=0 usertime=1 "
		    "systemtime=0",
		    "record=reaped pid=20 ppid=7 end_us=2001 starttime=\\N exitcode=0 usertime=1"),
	      "SELECT count(*) FROM process", "2");
	check(LINES("record=start pid=20 ppid=7 image_us=1000",
		    "record=reaped pid=20 ppid=5 end_us=2000 starttime=\\N exitcode=0 usertime=1 "
		    "systemtime=0",
		    "record=reaped pid=20 ppid=7 end_us=9000000 starttime=\\N exitcode=0 "
		    "usertime=2 systemtime=0"),
	      "SELECT count(*), max(end_us), max(cpu_time) FROM process", "1 2000 2");
}
END_TEST

/* A wait by another than the parent is that of the process where the status is its own. */
START_TEST(waits_by_others)
{
	static const struct {
		const char *end, *wait;
		const char *want;
	} c[] = {
		{ "exitcode=3", "ppid=7 exitcode=3", "1" },
		{ "exitcode=3", "ppid=7 exitcode=4", "2" },
		{ "exitcode=3", "ppid=10 exitcode=4", "1" },
		{ "exitcode=3", "ppid=7 exitsignal=3", "2" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char end[256], wait[256];

		snprintf(end, sizeof end,
			 "record=end pid=20 image_us=1010 starttime=6 end_us=1050 "
			 "end_reason=exit %s",
			 c[i].end);
		snprintf(wait, sizeof wait, "record=reaped pid=20 starttime=\\N end_us=1060 %s",
			 c[i].wait);
		check(LINES(PARENT, CHILD, end, wait),
		      "SELECT count(*) FROM process WHERE pid = 20", c[i].want);
	}
	/* Without an end, and without a parent that is known, it is believed. */
	check(LINES(PARENT, CHILD,
		    "record=reaped pid=20 ppid=7 end_us=1060 exitcode=1 starttime=\\N"),
	      "SELECT count(*) FROM process WHERE pid = 20", "1");
	check(LINES("record=start pid=20 ppid=0 image_us=1010",
		    "record=end pid=20 image_us=1010 end_us=1050 end_reason=exit exitcode=1",
		    "record=reaped pid=20 ppid=7 end_us=1060 exitcode=2 starttime=\\N"),
	      "SELECT count(*) FROM process WHERE pid = 20", "1");
	/* A wait for an earlier end than the process began is about none that is known. */
	check(LINES(PARENT, CHILD,
		    "record=reaped pid=20 ppid=10 end_us=1009 exitcode=1 starttime=\\N"),
	      "SELECT image_us, end_us FROM process WHERE pid = 20 ORDER BY end_us IS NULL",
	      "- 1009;1010 -");
	check(LINES(PARENT, CHILD,
		    "record=reaped pid=20 ppid=10 end_us=1010 exitcode=1 starttime=\\N"),
	      "SELECT image_us, end_us FROM process WHERE pid = 20", "1010 1010");
}
END_TEST

/* What came behind an exec and was not recorded begins where the image before it ended. */
START_TEST(unseen_images)
{
	check(LINES(PARENT, CHILD,
		    "record=end pid=20 image_us=1010 starttime=6 end_us=1050 end_reason=exec", WAIT,
		    "record=start pid=30 ppid=20 image_us=1060 starttime=7",
		    "record=start pid=31 ppid=20 image_us=1040 starttime=7"),
	      "SELECT p.pid, p.image_us, p.end_us, q.pid, q.image_us, p.generation FROM process p "
	      "JOIN "
	      "process q ON q.id = p.parent_id ORDER BY p.pid, p.image_us",
	      "20 1010 1050 10 1000 0;20 1050 1100 10 1000 1;30 1060 - 20 1050 0;31 1040 - 20 1010 "
	      "0");
	/* Whatever the clock says, it comes later. */
	check(LINES(PARENT, CHILD,
		    "record=end pid=20 image_us=1010 starttime=6 end_us=1010 end_reason=exec",
		    WAIT),
	      "SELECT image_us, generation FROM process WHERE pid = 20 ORDER BY generation",
	      "1010 0;1011 1");
	check(LINES(PARENT, CHILD,
		    "record=end pid=20 image_us=1010 starttime=6 end_us=1009 end_reason=exec",
		    WAIT),
	      "SELECT image_us, generation FROM process WHERE pid = 20 ORDER BY generation",
	      "1010 0;1011 1");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/job/images.c, match.c and lineage.c");
	TCase *t = tcase_create("limits");

	tcase_add_test(t, duplicates);
	tcase_add_test(t, threads_of_an_exec_that_failed);
	tcase_add_test(t, hosts);
	tcase_add_test(t, last_words);
	tcase_add_test(t, parents);
	tcase_add_test(t, circles);
	tcase_add_test(t, order);
	tcase_add_test(t, tracers);
	tcase_add_test(t, waits_by_others);
	tcase_add_test(t, unseen_images);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
