/* report/advice/: what is said of memory, by limits, kills, swap and faults. */
#include "config.h"

#include "tests/unit/report/hosts.h"

START_TEST(killed_for_memory)
{
	f.oom_kills = 3;
	f.failures = 1;
	failure.exit_signal = SIGKILL;
	failure.pid = 9;
	f.rss = 900000000;
	f.memory = 1000000000;
	f.limited = true;
	SAYS("out-of-memory: The kernel killed 3 processes of the job for lack of memory (SIGKILL: "
	     "app): its control group may use 1.00 GB, of which 900 MB in one process are "
	     "recorded. Ask for more memory");
	ck_assert_ptr_null(strstr(said(), "crashed"));
	ck_assert_ptr_null(strstr(said(), "memory-limit"));
	f.limited = false;
	f.rss_tree = 950000000;
	SAYS(": the host has 1.00 GB, of which 950 MB in all processes were sampled.");
	failure.count = 4; /* one more than the kernel killed for memory */
	SAYS("crashed: 4 processes of app ended by SIGKILL (sender not recorded");
	f.oom_kills = 0;
	ck_assert_ptr_null(strstr(said(), "out-of-memory"));
	f.failures = 0;
	f.rss = f.rss_tree = PM_UNKNOWN;
	SILENT();
	f.oom_kills = 1;
	SAYS("The kernel killed 1 process of the job for lack of memory: the host has 1.00 GB. "
	     "Ask");
}
END_TEST

/* Each host has its own memory: the one that came closest counts. */
START_TEST(memory_of_hosts)
{
	hosts[0].memory = 2500000000;
	hosts[1].rss_peak = 15200000000;
	SAYS("memory-limit: The job's processes held 15.2 GB on n1 at its peak, 95 % of the host's "
	     "16.0 GB. Little more");
	hosts[1].rss_peak = 13500000000; /* n0 is at 80 % */
	SILENT();
	hosts[0].memory_limit = 2200000000;
	SAYS("memory-limit: One process held 2.00 GB on n0 at its peak, 91 % of what its control "
	     "group may use, 2.20 GB.");
	hosts[0].group_limit = 2100000000; /* lowered since */
	SAYS("95 % of what its control group may use, 2.10 GB.");
	hosts[0].group_anonymous = 2100000000;
	SAYS("memory-limit: The job's processes held 2.10 GB on n0 at its peak, 100 % of");
	hosts[0] = hosts[1];
	hosts[1].rss_peak = hosts[0].rss_peak = PM_UNKNOWN;
	hosts[1].rss = hosts[0].rss = PM_UNKNOWN; /* retired */
	f.rss = 15200000000;
	SAYS("memory-limit: One process held 15.2 GB at its peak, 95 % of the host's 16.0 GB.");
	hosts[1].memory++; /* which of them it was is not known */
	SILENT();
}
END_TEST

START_TEST(memory_of_the_group)
{
	f.hosts = (size_t)(f.hosts_count = 1);
	f.cgroup.limit = 4000000000;
	f.cgroup.anonymous = 3500000000;
	SAYS("memory-limit: The job's processes held 3.50 GB at its peak, 88 % of what its control "
	     "group may use, 4.00 GB. Little more");
	f.cgroup.anonymous = 2100000000;
	SILENT();
	f.cgroup.limit_hits = 9; /* page cache reaches the limit, too */
	SILENT();
	f.cgroup.limit_hits = 10;
	SAYS("52 % of what its control group may use, 4.00 GB, and reached the limit 10 times.");
	f.cgroup.anonymous = 1900000000;
	f.rss = 1900000000;
	SILENT();
	f.cgroup.limit = 64000000000; /* above the host's memory */
	f.cgroup.anonymous = 15000000000;
	f.cgroup.limit_hits = 0;
	SILENT();
}
END_TEST

/* Reaching a limit tells of short memory only where programs hold much of it. */
START_TEST(faults_below_a_limit)
{
	f.hosts = (size_t)(f.hosts_count = 1);
	f.majflt = 5000;
	f.blkio_us = 300LL * S;
	f.cgroup.limit = 4000000000;
	f.cgroup.limit_hits = 10;
	f.rss = f.cgroup.anonymous = 400000000;
	SAYS("major-faults");
	SAYS("limit of its control group 10 times, which may have taken away what is read again; "
	     "or");
	f.cgroup.anonymous = 2000000000;
	SAYS("which took away what is read again");
	SAYS("memory-limit: The job's processes held 2.00 GB at its peak, 50 % of what its control "
	     "group may use, 4.00 GB, and reached the limit 10 times. What did not fit was "
	     "swapped, or dropped");
	f.cgroup.anonymous = 3600000000;
	f.cgroup.limit_hits = 0; /* mapped input, read once */
	SAYS("Little more would make");
}
END_TEST

START_TEST(swap)
{
	f.swapped.count = 2000000000;
	snprintf(f.swapped.host, sizeof f.swapped.host, "n1");
	SAYS("swapping: 2.00 GB went to and from swap on n1, 20.0 MB a second: it was "
	     "short of memory, and what it holds had to be read back.");
	f.swapped.count = 9999999;
	SILENT();
	f.swapped.count = 10000000;
	SAYS("swapping");
	f.wall_us++;
	SILENT();
	f.cgroup.swap = 9999999;
	SILENT();
	f.cgroup.swap = 10000000;
	SAYS("swapping: Up to 10.0 MB of the job's memory was in swap");
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		killed_for_memory, memory_of_hosts, memory_of_the_group, faults_below_a_limit, swap,
	};
	Suite *s = suite_create("report_memory");
	TCase *t = tcase_create("memory");

	tcase_add_checked_fixture(t, two_hosts, NULL);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
