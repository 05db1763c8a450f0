/* What an image's counters hold that is not its own: takeoff.c, waited.c and rows.c through the
 * loader. */
#include "config.h"

#include "tests/unit/submit/submit.h"

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })

START_TEST(exec_does_not_write_what_announced_it)
{
	/* The first, a fork child of a moment, does not read its file of I/O. */
	test_expect(LINES("record=start pid=9 image_us=10 outblock=0",
			  "record=end pid=9 image_us=10 end_us=20 end_reason=exec outblock=8 "
			  "own_outblock=8 own_rchar=0 numtids=1",
			  "record=start pid=9 image_us=30 outblock=16",
			  "record=end pid=9 image_us=30 end_us=40 end_reason=exec outblock=32 "
			  "write_bytes=16384 own_outblock=8 numtids=1",
			  "record=start pid=9 image_us=50 outblock=40",
			  "record=end pid=9 image_us=50 end_us=60 end_reason=exec outblock=56 "
			  "write_bytes=28672 own_outblock=8 numtids=1"),
		    "SELECT generation, outblock, write_bytes FROM process ORDER BY image_us",
		    "0 0 -;1 8 4096;2 8 4096");
}
END_TEST

/* The largest memory that a wait tells is the image's own where it is larger than that of the
 * images before it, of the parent and of the children that it waited for. */
START_TEST(peak_of_a_wait)
{
	static const struct {
		int parent, before, child, reaped; /* what these had; 0: no such line */
		const char *want;
	} c[] = {
		{ 0, 0, 0, 0, "777" },   { 776, 776, 776, 776, "777" }, { 777, 1, 1, 1, "-" },
		{ 1, 777, 1, 1, "-" },   { 1, 1, 1, 777, "-" },         { 1, 1, 777, 0, "-" },
		{ 1, 1, 778, 1, "777" }, { 1, 1, 776, 0, "777" },       { 1, 1, 0, 777, "-" },
		{ 778, 0, 0, 0, "-" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *line[10] = { "record=start pid=10 ppid=1 image_us=1000",
					 "record=start pid=20 ppid=10 image_us=1010 starttime=6",
					 "record=start pid=20 ppid=10 image_us=1021 starttime=6",
					 "record=start pid=21 ppid=20 image_us=1030 starttime=7",
					 ("record=reaped pid=20 ppid=10 end_us=1100 exitsignal=9 "
					  "rssmax=777 starttime=\\N") };
		static const char *const form[] = {
			"record=end pid=10 image_us=1000 end_us=2000 end_reason=exit exitcode=0 "
			"numtids=1 rssmax=%d",
			"record=end pid=20 image_us=1010 starttime=6 end_us=1020 end_reason=exec "
			"numtids=1 rssmax=%d",
			"record=end pid=21 image_us=1030 starttime=7 end_us=1040 end_reason=exit "
			"exitcode=0 numtids=1 rssmax=%d",
			"record=reaped pid=21 ppid=20 end_us=1041 exitcode=0 starttime=\\N "
			"rssmax=%d",
		};
		const int peak[] = { c[i].parent, c[i].before, c[i].child, c[i].reaped };
		char text[4][256];
		size_t n = 5;

		for (size_t k = 0; k < 4; k++) {
			if (!peak[k])
				continue;
			snprintf(text[k], sizeof text[k], form[k], peak[k]);
			line[n++] = text[k];
		}
		test_expect(line, "SELECT rssmax FROM process WHERE pid = 20 AND image_us = 1021",
			    c[i].want);
	}
}
END_TEST

/* Of waits of the same pid those count that the process itself did; what one of them does not tell
 * is not known. */
START_TEST(children_of_a_wait)
{
	test_expect(
		LINES("record=start pid=10 ppid=1 image_us=1000",
		      "record=start pid=20 ppid=10 image_us=1010 starttime=6",
		      "record=reaped pid=19 ppid=20 end_us=1005 exitcode=0 usertime=50 "
		      "systemtime=1 "
		      "minflt=1 inblock=1 starttime=\\N",
		      "record=reaped pid=21 ppid=20 end_us=1050 exitcode=0 usertime=30 "
		      "systemtime=2 "
		      "inblock=2 starttime=\\N",
		      "record=reaped pid=22 ppid=20 end_us=1100 exitcode=0 usertime=3 systemtime=1 "
		      "inblock=1 starttime=\\N",
		      "record=reaped pid=23 ppid=20 end_us=1150 exitcode=0 usertime=5 systemtime=1 "
		      "inblock=1 starttime=\\N",
		      "record=reaped pid=24 ppid=10 end_us=1060 exitcode=0 usertime=6 systemtime=1 "
		      "inblock=1 starttime=\\N",
		      "record=reaped pid=20 ppid=10 end_us=1100 exitsignal=9 usertime=100 "
		      "systemtime=10 "
		      "minflt=50 inblock=5 starttime=\\N"),
		"SELECT usertime, systemtime, minflt, inblock FROM process WHERE pid = 20",
		"67 7 - 2");
	/* Of a recorded child of a program that wrote nothing the last image has it all. */
	test_expect(LINES("record=start pid=10 ppid=1 image_us=1000",
			  "record=start pid=21 ppid=20 image_us=1050 starttime=7",
			  "record=end pid=21 image_us=1050 starttime=7 end_us=1060 end_reason=exec "
			  "usertime=40 systemtime=1 cutime=0 cstime=0 numtids=1",
			  "record=start pid=21 ppid=20 image_us=1061 starttime=7",
			  "record=end pid=21 image_us=1061 starttime=7 end_us=1090 end_reason=exit "
			  "exitcode=0 usertime=100 systemtime=2 cutime=7 cstime=1 numtids=1",
			  "record=reaped pid=20 ppid=10 end_us=1100 exitcode=0 usertime=150 "
			  "systemtime=10 starttime=\\N"),
		    "SELECT usertime, systemtime FROM process WHERE pid = 20", "43 7");
}
END_TEST

/* The wait tells of the time until the very end, if it is not less than what the process knew. */
START_TEST(until_the_very_end)
{
	static const struct {
		const char *end, *reaped, *want;
	} c[] = {
		{ "usertime=7 systemtime=1 cutime=2 cstime=1", "usertime=10 systemtime=4", "8 3" },
		{ "usertime=7 systemtime=1 cutime=2 cstime=1", "usertime=9 systemtime=2", "7 1" },
		{ "usertime=7 systemtime=1 cutime=2 cstime=1", "usertime=8 systemtime=9", "7 1" },
		{ "usertime=7 systemtime=3 cutime=2 cstime=1", "usertime=20 systemtime=3", "7 3" },
		{ "usertime=7 systemtime=1 cutime=2", "usertime=10 systemtime=4", "7 1" },
		{ "usertime=7 systemtime=1 cstime=1", "usertime=10 systemtime=4", "7 1" },
		{ "usertime=7 systemtime=1 cutime=2 cstime=1", "usertime=10", "7 1" },
		{ "usertime=7 cutime=2 cstime=1", "usertime=10 systemtime=4", "7 -" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char end[256], reaped[256];

		snprintf(end, sizeof end,
			 "record=end pid=20 image_us=1000 end_us=1020 end_reason=exit exitcode=0 "
			 "numtids=1 %s",
			 c[i].end);
		snprintf(reaped, sizeof reaped,
			 "record=reaped pid=20 ppid=10 end_us=1100 exitcode=0 starttime=\\N %s",
			 c[i].reaped);
		test_expect(LINES("record=start pid=20 ppid=10 image_us=1000", end, reaped),
			    "SELECT usertime, systemtime FROM process", c[i].want);
	}
}
END_TEST

/* A program that writes nothing is named after what its process was about to run. */
START_TEST(names_of_unseen_programs)
{
	static const struct {
		const char *told, *want; /* exename, path, last_call */
	} c[] = {
		{ "path=/opt/bin/prog last_call=execve:static",
		  "prog /opt/bin/prog execve:static" },
		{ "path=/opt/bin/prog", "prog /opt/bin/prog execve" },
		{ "path=bin/prog", "prog - execve" },
		{ "path=prog", "prog - execve" },
		{ "path=/opt/bin/", "- /opt/bin/ execve" },
		{ "numtids=1", "- - -" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		char end[256];

		snprintf(end, sizeof end,
			 "record=end pid=20 image_us=1010 starttime=6 end_us=1020 end_reason=exec "
			 "%s",
			 c[i].told);
		test_expect(
			LINES("record=start pid=10 ppid=1 image_us=1000",
			      "record=start pid=20 ppid=10 image_us=1010 starttime=6 exename=sh "
			      "path=/bin/sh",
			      end,
			      "record=reaped pid=20 ppid=10 end_us=1100 exitcode=1 starttime=\\N"),
			"SELECT exename, path, last_call FROM process WHERE pid = 20 AND "
			"end_us = 1100",
			c[i].want);
		/* that image itself is what it was */
		test_expect(
			LINES("record=start pid=20 ppid=10 image_us=1010 starttime=6 exename=sh "
			      "path=/bin/sh",
			      end),
			"SELECT exename, path, last_call FROM process", "sh /bin/sh -");
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_takeoff");
	TCase *t = tcase_create("blocks");

	tcase_add_test(t, exec_does_not_write_what_announced_it);
	tcase_add_test(t, peak_of_a_wait);
	tcase_add_test(t, children_of_a_wait);
	tcase_add_test(t, until_the_very_end);
	tcase_add_test(t, names_of_unseen_programs);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
