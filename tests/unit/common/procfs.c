/* The parsers of /proc, fed with strings: real ones, hostile ones, cut ones. */
#include "config.h"

#include "common/safe/procfs.h"

#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>

#define STAT_TAIL                                                                                  \
	" S 11 22 33 34816 44 4194304 1 2 3 4 55 66 7 8 20 0 9 0 12345 6000 70 "                   \
	"18446744073709551615"                                                                     \
	" 1 1 0 0 0 0 0 4096 0 0 0 0 17 6 0 0 88 99 0 0 0 0 0 0 0 0 0\n"

static int parse_stat(const char *text, struct pm_procfs_stat *out)
{
	return pm_procfs_stat(text, strlen(text), out);
}

START_TEST(stat_fields)
{
	struct pm_procfs_stat s;

	ck_assert_int_eq(parse_stat("10 (prog)" STAT_TAIL, &s), 0);
	ck_assert_int_eq(s.pid, 10);
	ck_assert_int_eq(s.ppid, 11);
	ck_assert_int_eq(s.pgrp, 22);
	ck_assert_int_eq(s.session, 33);
	ck_assert_int_eq(s.utime, 55);
	ck_assert_int_eq(s.stime, 66);
	ck_assert_int_eq(s.cutime, 7);
	ck_assert_int_eq(s.cstime, 8);
	ck_assert_int_eq(s.state, 'S');
	ck_assert_int_eq(s.exit_signal, 17);
	ck_assert_int_eq(s.num_threads, 9);
	ck_assert_int_eq(s.starttime, 12345);
	ck_assert_int_eq(s.processor, 6);
	ck_assert_int_eq(s.delayacct_blkio, 88);
	ck_assert_int_eq(s.guest_time, 99);
	ck_assert_int_eq(s.comm.n, 4);
	ck_assert_mem_eq(s.comm.p, "prog", 4);
	ck_assert_int_eq(parse_stat("x (prog)" STAT_TAIL, &s), 0);
	ck_assert_int_eq(s.pid, -1);
	ck_assert_int_eq(parse_stat("(prog)" STAT_TAIL, &s), 0);
	ck_assert_int_eq(s.pid, -1);
}
END_TEST

START_TEST(stat_hostile_names)
{
	static const char *const name[] = { ") S 1 2 3 (",    "",  ")",  "((((",    "a) R 0 0 0 0",
					    "new\nline) S 1", " ", "))", "\377\376" };
	char text[512];

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		struct pm_procfs_stat s;

		snprintf(text, sizeof text, "10 (%s)" STAT_TAIL, name[i]);
		ck_assert_int_eq(parse_stat(text, &s), 0);
		ck_assert_int_eq(s.comm.n, strlen(name[i]));
		ck_assert_mem_eq(s.comm.p, name[i], strlen(name[i]));
		ck_assert_int_eq(s.ppid, 11);
		ck_assert_int_eq(s.guest_time, 99);
	}
}
END_TEST

START_TEST(stat_cut_anywhere)
{
	const char *text = "10 (prog)" STAT_TAIL;
	size_t enough = (size_t)(strstr(text, " 99 ") - text) + 4;

	for (size_t n = 0; n < strlen(text); n++) {
		struct pm_procfs_stat s;

		ck_assert_int_eq(pm_procfs_stat(text, n, &s), n < enough ? -1 : 0);
	}
}
END_TEST

START_TEST(stat_garbage)
{
	static const char *const text[] = {
		"",
		"42",
		"42 (sh",
		"42 (sh)",
		"42 (sh) S",
		"10 prog S 1 2",
		"10 (prog) S x y z",
		/* fields moved by a blank; a time that is negative; one beyond 64 bits */
		"10 (prog) " STAT_TAIL,
		"10 (p) S 1 2 3 4 5 6 7 8 9 10 -11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 "
		"28 29 "
		"30 31 32 33 34 35 36 37 38 39 40 41\n",
		"10 (p) S 1 2 3 4 5 6 7 8 9 10 99999999999999999999 12 13 14 15 16 17 18 19 20 21 "
		"22 23 "
		"24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41\n",
	};
	struct pm_procfs_stat s;

	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
		ck_assert_int_eq(parse_stat(text[i], &s), -1);
	ck_assert_int_eq(
		parse_stat("10 (p) S 1 -1 -1 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 "
			   "22 23 24 25 26 27 28 29 30 31 32 33 34 -1 36 37 38 39 40 41\n",
			   &s),
		0);
	ck_assert_int_eq(s.exit_signal, -1);
}
END_TEST

START_TEST(io_fields)
{
	const char *text = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
			   "cancelled_write_bytes: 9223372036854775807\n";
	int64_t v[PM_IO_FIELDS];

	ck_assert_int_eq(pm_procfs_io(text, strlen(text), v), 0);
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(v[i], i + 1);
	ck_assert(v[6] == INT64_MAX);
	for (size_t n = 0; n < strlen(text); n++)
		ck_assert_int_eq(pm_procfs_io(text, n, v), -1);
	ck_assert_int_eq(pm_procfs_io("rchar: x\n", 9, v), -1);
}
END_TEST

START_TEST(schedstat_fields)
{
	int64_t v[3];

	ck_assert_int_eq(pm_procfs_schedstat("123 456 7\n", 10, v), 0);
	ck_assert(v[0] == 123 && v[1] == 456 && v[2] == 7);
	for (size_t n = 0; n < 10; n++)
		ck_assert_int_eq(pm_procfs_schedstat("123 456 7\n", n, v), -1);
}
END_TEST

START_TEST(peaks)
{
	const char *text =
		"Name:\tVmHWM:\nGroups:\t1 2 3\nVmPeak:\t    4000 kB\nVmSize:\t 3000 kB\n"
		"VmLck:\t 0 kB\nVmHWM:\t    2000 kB\nVmRSS:\t 10 kB\n";
	const size_t whole = (size_t)(strstr(text, "VmRSS") - text);
	int64_t peak = -1, rss = -1;

	ck_assert_int_eq(pm_procfs_peaks(text, strlen(text), &peak, &rss), 0);
	ck_assert_int_eq(peak, 4000);
	ck_assert_int_eq(rss, 2000);
	for (size_t n = 0; n < whole; n++) {
		rss = -1;
		ck_assert_int_eq(pm_procfs_peaks(text, n, &peak, &rss), -1);
		ck_assert_int_eq(rss, -1);
	}
	/* A kernel thread has no memory. */
	peak = -1;
	ck_assert_int_eq(pm_procfs_peaks("Name:\tkthreadd\n", 15, &peak, &rss), -1);
	ck_assert_int_eq(peak, -1);
}
END_TEST

START_TEST(switches)
{
	const char *text = "Name:\tnonvoluntary_ctxt_switches:\nMems_allowed_list:\t0\n"
			   "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n"
			   "x86_Thread_features:\t\n";
	const size_t whole = (size_t)(strstr(text, "x86") - text);
	int64_t own = -1, forced = -1;

	ck_assert_int_eq(pm_procfs_switches(text, strlen(text), &own, &forced), 0);
	ck_assert_int_eq(own, 150);
	ck_assert_int_eq(forced, 545);
	for (size_t n = 0; n < whole; n++) {
		forced = -1;
		ck_assert_int_eq(pm_procfs_switches(text, n, &own, &forced), -1);
		ck_assert_int_eq(forced, -1);
	}
}
END_TEST

static void is_cgroup(const char *text, const char *want)
{
	struct pm_str path;

	ck_assert_int_eq(pm_procfs_cgroup(text, strlen(text), &path), want ? 0 : -1);
	if (want) {
		ck_assert_int_eq(path.n, strlen(want));
		ck_assert_mem_eq(path.p, want, path.n);
	}
}

START_TEST(cgroups)
{
	is_cgroup("0::/system.slice/slurmd.service/job_1\n", "/system.slice/slurmd.service/job_1");
	is_cgroup("0::/\n", "/");
	is_cgroup("5:cpuset:/a\n4:cpu,cpuacct:/slurm/job_1\n1:name=systemd:/x\n0::/\n",
		  "/slurm/job_1");
	is_cgroup("4:cpuacct,cpu:/b\n", "/b");
	is_cgroup("4:cpuacct:/b\n", NULL);
	is_cgroup("0::/with:colon\n", "/with:colon");
	is_cgroup("0::/cut", NULL);
	is_cgroup("", NULL);
	is_cgroup("garbage\n", NULL);
}
END_TEST

static Suite *procfs_suite(void)
{
	Suite *s = suite_create("common/procfs");
	TCase *t = tcase_create("parsers");

	suite_add_tcase(s, t);
	tcase_add_test(t, stat_fields);
	tcase_add_test(t, stat_hostile_names);
	tcase_add_test(t, stat_cut_anywhere);
	tcase_add_test(t, stat_garbage);
	tcase_add_test(t, io_fields);
	tcase_add_test(t, schedstat_fields);
	tcase_add_test(t, peaks);
	tcase_add_test(t, switches);
	tcase_add_test(t, cgroups);
	return s;
}

PM_UNIT_MAIN(procfs_suite)
