/* report/advice/: where each rule begins to speak, and which of its sentences it then says. */
#include "config.h"

#include "tests/unit/report/advice.h"

/* What a rule says; "" where it does not speak. */
static const char *of_rule(const char *id)
{
	static struct pm_advice list[PM_ADVICE_RULES];
	size_t n = pm_advice_list(&f, list);

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].id, id) == 0)
			return list[i].text;
	return "";
}

static void nothing(void)
{
}

static void kernel_time(void)
{
	f.system_us = f.cpu_us = 500LL * S;
}

static void little_kernel_time(void)
{
	f.cpu_us = 100LL * S;
}

static void small_memory(void)
{
	f.memory = 1000000;
	f.rss = 500000;
}

static void one_cpu(void)
{
	f.cpu_us = 98LL * S;
	program.cpu_us = 94LL * S;
}

static void half_a_cpu(void)
{
	f.cpu_us = 60LL * S;
	program.cpu_us = 45LL * S;
}

static void idle(void)
{
	f.cpu_us = 60LL * S;
	f.efficiency = 0.1;
	program.cpu_us = S;
}

static void little_wait(void)
{
	f.time_oncpu_us = f.time_waiting_us = 2LL * S;
}

static void some_wait(void)
{
	f.time_oncpu_us = 80LL * S;
}

static void waits(void)
{
	f.cpu_us = 20LL * S;
}

/* For a CPU, two thirds of the time that it wanted one. */
static void waits_for_a_cpu(void)
{
	f.cpu_us = f.time_oncpu_us = 20LL * S;
}

static void shortly(void)
{
	f.short_runs = 100000;
	f.short_cpu_us = 500LL * S;
}

static void faults_at_once(void)
{
	f.wall_us = 10LL * S;
	f.cpu_us = 72LL * S;
}

/* A rule is silent at one value of a fact, and speaks at the next. */
static const struct {
	const char *rule;
	void (*set)(void);
	int64_t *whole;
	double *real;
	double silent, speaks;
} limits[] = {
	{ "job-failed", nothing, &f.exit_status, NULL, 0, 1 },
	{ "job-failed", nothing, &f.exit_signal, NULL, 0, 1 },
	{ "system-time", kernel_time, &f.wall_us, NULL, 4999999, 5000000 },
	{ "system-time", kernel_time, &f.cpu_us, NULL, 999999, 1000000 },
	{ "system-time", little_kernel_time, &f.system_us, NULL, 32999999, 33000000 },
	{ "low-coverage", nothing, NULL, &f.coverage, 0.8, 0.7999 },
	{ "memory-limit", small_memory, &f.rss, NULL, 849999, 850000 },
	{ "memory-limit", small_memory, &f.rss_tree, NULL, 849999, 850000 },
	{ "single-threaded", one_cpu, &f.cpus, NULL, 1, 2 },
	{ "single-threaded", one_cpu, &f.cpu_us, NULL, 115000001, 115000000 },
	{ "single-threaded", one_cpu, &program.cpu_us, NULL, 48999999, 49000000 },
	{ "single-threaded", half_a_cpu, &f.cpu_us, NULL, 49999999, 50000000 },
	{ "idle-cpus", idle, &f.cpus, NULL, 1, 2 },
	{ "idle-cpus", idle, &f.cpu_us, NULL, 49999999, 50000000 },
	{ "idle-cpus", idle, NULL, &f.efficiency, 0.7, 0.6999 },
	{ "waiting-for-cpu", little_wait, &f.time_waiting_us, NULL, 1999999, 2000000 },
	{ "waiting-for-cpu", some_wait, &f.time_waiting_us, NULL, 19999999, 20000000 },
	{ "waiting-for-cpu", little_wait, &f.time_oncpu_us, NULL, PM_UNKNOWN, 0 },
	{ "mostly-waiting", waits, &f.cpu_us, NULL, 50000000, 49999999 },
	{ "mostly-waiting", waits, &f.wall_us, NULL, 9999999, 41000000 },
	{ "mostly-waiting", waits_for_a_cpu, &f.time_waiting_us, NULL, 30000000, 29999999 },
	{ "short-processes", shortly, &f.short_runs, NULL, 99, 100 },
	{ "short-processes", shortly, &f.short_cpu_us, NULL, 143999999, 144000000 },
	{ "major-faults", faults_at_once, &f.majflt, NULL, 999, 1000 },
	{ "major-faults", nothing, &f.majflt, NULL, 1999, 2000 },
	{ "memory-bound", count, NULL, &metric[0].value, 0.8, 0.7999 },
	{ "memory-bound", count, NULL, &metric[1].value, 9.999, 10 },
	{ "memory-bound", count, &metric[1].processes, NULL, 9, 10 },
	{ "multiplexed", count, NULL, &counter[1].ratio, 0.5, 0.4999 },
	{ "tiny-io", nothing, &program.tiny_reads, NULL, 99999, 100000 },
	{ "tiny-io", nothing, &program.tiny_writes, NULL, 99999, 100000 },
};

static void put(int i, double value)
{
	healthy();
	limits[i].set();
	f.metrics = f.metric ? 2 : 0;
	if (limits[i].whole)
		*limits[i].whole = (int64_t)value;
	else
		*limits[i].real = value;
}

START_TEST(where_a_rule_begins)
{
	put(_i, limits[_i].silent);
	ck_assert_str_eq(of_rule(limits[_i].rule), "");
	put(_i, limits[_i].speaks);
	ck_assert_str_ne(of_rule(limits[_i].rule), "");
}
END_TEST

#define SAYS_OF(id, part) ck_assert_ptr_nonnull(strstr(of_rule(id), part))

/* Of less than a second of CPU time it says nothing that much of it is missing. */
START_TEST(coverage_of_little)
{
	f.coverage = 0.5;
	f.charged_us = S - 1;
	ck_assert_str_eq(of_rule("low-coverage"), "");
	f.charged_us = S;
	SAYS_OF("low-coverage", "Only 50 % of the job's CPU time (1.00 s) is recorded here");
}
END_TEST

START_TEST(a_command_that_was_not_started)
{
	f.unstarted = true;
	f.exit_status = 127;
	SAYS_OF("job-failed", "could not be started: it was not found (exit status 127).");
	f.exit_status = 126;
	SAYS_OF("job-failed", "it cannot be executed here (exit status 126).");
}
END_TEST

/* What is done about memory depends on who sets the limit; of all processes together where they
 * hold more than the largest. */
START_TEST(what_limits_memory)
{
	f.rss = 900;
	f.memory = 1000;
	SAYS_OF("memory-limit",
		"One process held 900 B at its peak, 90 % of the host's 1.00 kB. "
		"Little more would make the system swap or kill it: use a host with "
		"more memory.");
	f.runs = 2;
	SAYS_OF("memory-limit", ": use fewer processes per host, or use a host with more memory.");
	f.limited = true;
	SAYS_OF("memory-limit", ": use fewer processes per host, or ask for more memory.");
	/* What it needs at least, where a part of it was in swap. */
	f.hosts_count = 1;
	f.cgroup.swap = 9999999;
	SAYS_OF("memory-limit", "or ask for more memory.");
	f.cgroup.swap++;
	SAYS_OF("memory-limit", "or ask for more memory: 10.0 MB is what it held and had in swap.");
	f.cgroup.swap = PM_UNKNOWN;
	f.rss_tree = 900;
	SAYS_OF("memory-limit", "One process held");
	f.rss_tree = 901;
	SAYS_OF("memory-limit", "The job's processes held");
	f.hosts_count = 2;
	f.rss_tree = 900;
	SAYS_OF("memory-limit", "One process held");
}
END_TEST

/* By the samples up to 63 CPUs, from three quarters of the time on; else by the average. */
START_TEST(which_cpus_were_idle)
{
	idle();
	f.sampled = true;
	for (int n = 0; n < 64; n++)
		f.busy_at_most[n] = n < 6 ? 0.74 : 0.75;
	SAYS_OF("idle-cpus", "For 75 % of the time the job used no more CPU time than 6 of its 8 "
			     "CPUs could give.");
	f.cpus = 63;
	SAYS_OF("idle-cpus", "For 75 % of the time the job used no more CPU time than 6 of its 63 "
			     "CPUs could give.");
	f.cpus = 64;
	SAYS_OF("idle-cpus", "On average 0.60 of 64 allocated CPUs were busy (10 %).");
	f.cpus = 6;
	SAYS_OF("idle-cpus", "On average 0.60 of 6 allocated");
	f.cpus = 7;
	f.sampled = false;
	SAYS_OF("idle-cpus", "On average 0.60 of 7 allocated");
}
END_TEST

/* Where there were no more threads than CPUs, or others had a fifth of these, to start fewer is no
 * help. */
START_TEST(why_there_was_no_cpu)
{
	f.cpu_us = f.time_oncpu_us = 640LL * S;
	f.time_waiting_us = 160LL * S;
	SAYS_OF("waiting-for-cpu", "though the job used 6.4 of its 8 on average.");
	f.time_waiting_us++;
	SAYS_OF("waiting-for-cpu", "waited 2 min 40 s for a free CPU, 20 % of the time they "
				   "wanted to run: on average 8.0 threads shared 8 CPUs.");
	/* Below four fifths of the CPUs other work took the rest, up to a quarter more threads. */
	f.cpu_us = --f.time_oncpu_us;
	f.time_waiting_us++;
	SAYS_OF("waiting-for-cpu", "though the job used");
	f.time_waiting_us = 360LL * S + 1;
	SAYS_OF("waiting-for-cpu", "though the job used");
	f.time_waiting_us++;
	SAYS_OF("waiting-for-cpu", "on average 10 threads shared 8 CPUs.");
	f.time_waiting_us = 160LL * S + 2;
	f.cpus = 1;
	SAYS_OF("waiting-for-cpu", "on average 8.0 threads shared 1 CPU.");
	f.cpus = 0;
	SAYS_OF("waiting-for-cpu", "on average 8.0 threads got 6.4 CPUs. How many CPUs the job was "
				   "allowed is not recorded");
}
END_TEST

/* For storage by the processes' own account, else by what they moved, both ways. */
START_TEST(what_was_waited_for)
{
	waits();
	f.blkio_us = 10LL * S - 1;
	f.read_bytes = 999999999;
	f.write_bytes = 1000000000;
	SAYS_OF("mostly-waiting", "20.0 s of CPU time in 1 min 40 s, and no wait for storage");
	f.read_bytes++;
	SAYS_OF("mostly-waiting", "while it moved 2.00 GB from and to storage. Storage is");
	f.blkio_us++;
	SAYS_OF("mostly-waiting", "Its processes waited 10.0 s for storage.");
}
END_TEST

/* The program with the most time in the kernel, wherever it stands, from a fifth of it on. */
START_TEST(who_was_in_the_kernel)
{
	struct pm_fact_program several[3] = { program, program, program };

	f.system_us = f.cpu_us = 500LL * S;
	snprintf(several[1].label, sizeof several[1].label, "worst");
	several[0].system_us = 2LL * S;
	several[1].system_us = 100LL * S;
	several[2].system_us = 99LL * S;
	f.by_cpu = several;
	f.by_cpu_n = 3;
	SAYS_OF("system-time", "100 % of the CPU time was spent in the kernel, 20 % of that by "
			       "worst. What for is not known of all processes.");
	several[1].system_us--;
	SAYS_OF("system-time", "100 % of the CPU time was spent in the kernel. What for");
}
END_TEST

/* In as many processes as the event that was lost most. */
START_TEST(counters_lost_in_most)
{
	count();
	counter[0].reasons = counter[1].reasons = 1;
	counter[0].reason[0] = (struct pm_fact_reason){ "closed", 4 };
	counter[1].reason[0] = (struct pm_fact_reason){ "closed", 3 };
	SAYS_OF("counters-closed", "Counters were lost in 4 of 20 processes");
	counter[1].reason[0].count = 5;
	SAYS_OF("counters-closed", "Counters were lost in 5 of 20 processes");
	counter[0].reasons = counter[1].reasons = 0;
	ck_assert_str_eq(of_rule("counters-closed"), "");
}
END_TEST

/* Of the signals that mean a crash each says what it is; those that ask to end say nothing. */
START_TEST(signals_that_mean_a_crash)
{
	static const struct {
		int signal;
		const char *want;
	} ends[] = {
		{ SIGBUS, "2 processes of app ended by SIGBUS: it crashed." },
		{ SIGILL, "2 processes of app ended by SIGILL: it crashed." },
		{ SIGFPE, "2 processes of app ended by SIGFPE: it crashed." },
		{ SIGSYS, "2 processes of app ended by SIGSYS: it crashed." },
		{ SIGABRT, "2 processes of app ended by SIGABRT: it crashed." },
		{ SIGXCPU, "2 processes of app ended by SIGXCPU, the signal of the limit on CPU "
			   "time." },
		{ SIGXFSZ, "2 processes of app ended by SIGXFSZ, the signal of the limit on the "
			   "size of files." },
		{ SIGTERM, "" },
		{ SIGINT, "" },
		{ SIGHUP, "" },
		{ SIGALRM, "" },
		{ SIGUSR1, "" },
	};

	f.failures = 1;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		failure.exit_signal = ends[i].signal;
		ck_assert_str_eq(of_rule("crashed"), ends[i].want);
	}
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		coverage_of_little,    a_command_that_was_not_started, what_limits_memory,
		which_cpus_were_idle,  why_there_was_no_cpu,           what_was_waited_for,
		who_was_in_the_kernel, counters_lost_in_most,          signals_that_mean_a_crash,
	};
	Suite *s = suite_create("report_limits");
	TCase *t = tcase_create("limits");

	tcase_add_checked_fixture(t, healthy, NULL);
	tcase_add_loop_test(t, where_a_rule_begins, 0, (int)(sizeof limits / sizeof limits[0]));
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
