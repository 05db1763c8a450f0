/* report/job/report_text.c: each line of a report, by the facts that decide what it says. */
#include "config.h"

#include "tests/unit/report/print.h"

#include <math.h>

START_TEST(header)
{
	snprintf(f.jobid, sizeof f.jobid, "47");
	ck_assert_int_eq(strncmp(print(80), "Job 47\n-----", 12), 0);
	snprintf(f.array_task, sizeof f.array_task, "3");
	snprintf(f.name, sizeof f.name, "train");
	snprintf(f.user, sizeof f.user, "anna");
	snprintf(f.cluster, sizeof f.cluster, "c1");
	ck_assert_int_eq(strncmp(print(60),
				 "Job 47, array task 3: train, user anna, cluster c1\n"
				 "------------------------------------------------------------\n",
				 112),
			 0);
	LINE("Command", "");
	LINE("Directory", "");
	LINE("Script", "");
	LINE("Tags", "");
	LINE("Modules", "");
	LINE("Environment", "");
	LINE("Batch system", "");
	snprintf(f.scheduler, sizeof f.scheduler, "slurm");
	LINE("Batch system", "");
	snprintf(f.account, sizeof f.account, "climate");
	LINE("Batch system", "slurm, account climate");
	snprintf(f.queue, sizeof f.queue, "long");
	LINE("Batch system", "slurm, queue long, account climate");
	*f.account = '\0';
	LINE("Batch system", "slurm, queue long");
	snprintf(f.cwd, sizeof f.cwd, "/d");
	snprintf(f.command, sizeof f.command, "c");
	snprintf(f.script, sizeof f.script, "s");
	snprintf(f.tags, sizeof f.tags, "t");
	snprintf(f.modules, sizeof f.modules, "m");
	snprintf(f.environment, sizeof f.environment, "+e");
	LINE("Command", "c");
	LINE("Directory", "/d");
	LINE("Script", "s");
	LINE("Tags", "t");
	LINE("Modules", "m");
	LINE("Environment", "changed during the job: +e");
}
END_TEST

START_TEST(times)
{
	f.start_us = 1763690000 * S;
	LINE("Time", "2025-11-21 01:53:20 UTC, end unknown");
	f.end_us = f.start_us + 60 * S;
	LINE("Time", "2025-11-21 01:53:20 to 01:54:20 UTC");
	f.running = 1;
	LINE("Time", "2025-11-21 01:53:20 to 01:54:20 UTC, still running as far as recorded");
	LINE("Wall time",
	     "unknown: neither the job nor its processes have both a start and an end");
	f.wall_us = 0;
	LINE("Wall time", "0 s");
	f.open = true;
	LINE("Wall time", "0 s so far: the job was not closed");
	LINE("Queued", "");
	f.epoch_us = f.start_us;
	f.submit_us = f.epoch_us - S + 1;
	LINE("Queued", "");
	f.submit_us--;
	LINE("Queued", "1.00 s, since 2025-11-21 01:53:19 UTC");
}
END_TEST

START_TEST(use_of_cpus)
{
	LINE("CPU time", "unknown: no process was recorded");
	LINE("Efficiency", "unknown: it needs wall time and CPU time");
	f.processes = 1;
	LINE("CPU time", "unknown: no process recorded its end");
	f.cpu_us = 3 * S;
	f.user_us = 2 * S;
	f.system_us = S;
	LINE("CPU time", "3.00 s: 2.00 s in programs, 1.00 s in the kernel");
	f.wall_us = 2 * S;
	LINE("Efficiency",
	     "unknown: how many CPUs the job was allowed is not recorded; 1.5 busy on "
	     "average");
	f.running = 1;
	LINE("Efficiency",
	     "unknown: 1 process still ran, and its CPU time is known only when it ends");
	LINE("CPU time",
	     "3.00 s: 2.00 s in programs, 1.00 s in the kernel; of the processes that ended");
	f.running = 2;
	LINE("Efficiency",
	     "unknown: 2 processes still ran, and their CPU time is known only when they end");
	f.running = 0;
	f.efficiency = 0.75;
	f.cpus = 2;
	LINE("Efficiency", "[#######################.......] 75 %: 1.5 of 2 CPUs busy on average");
	f.cpus = 1;
	LINE("Efficiency", "[#######################.......] 75 %: 1.5 of 1 CPU busy on average");
	ck_assert_ptr_nonnull(strstr(print(109), "[###############.....] 75 %"));
	ck_assert_ptr_nonnull(strstr(print(110), "[#######################.......] 75 %"));
}
END_TEST

START_TEST(memory)
{
	LINE("Memory peak", "unknown: no process recorded its peak");
	f.rss = 1000;
	snprintf(f.rss_label, sizeof f.rss_label, "a");
	LINE("Memory peak", "1.00 kB in the largest single process, a");
	f.memory = 4000;
	LINE("Memory peak",
	     "[########......................] 25 % of 4.00 kB: 1.00 kB in the largest "
	     "single process, a");
	f.memory = PM_UNKNOWN;
	f.rss_tree = 899;
	LINE("Memory peak", "1.00 kB in the largest single process, a / the sampler missed that "
			    "moment: it saw at most 899 B in all processes together");
	f.rss_tree = 900;
	LINE("Memory peak", "1.00 kB in the largest single process, a");
	f.rss_tree = 999;
	LINE("Memory peak", "1.00 kB in the largest single process, a");
	f.rss_tree = 1000;
	f.hosts_count = 1;
	LINE("Memory peak",
	     "1.00 kB in the largest single process, a / 1.00 kB in all processes "
	     "together at the busiest moment (sampled; shared memory counts in each)");
	f.hosts_count = 2;
	LINE("Memory peak",
	     "1.00 kB in the largest single process, a / 1.00 kB in all processes "
	     "together at the busiest moment, on 0 of 2 hosts (sampled; shared memory counts "
	     "in each)");
	for (int i = 0; i < 2; i++) {
		struct pm_fact_host *h = pm_facts_host(&f);

		snprintf(h->name, sizeof h->name, "n%d", i);
		h->memory = 4000 * (i + 1);
		h->rss_peak = 3000 + 900 * i;
	}
	/* n0 is fuller, though n1 held more. */
	LINE("Memory peak",
	     "[#######################.......] 75 % of 4.00 kB on n0, the fullest host: 3.00 kB in "
	     "all processes there together, sampled / 1.00 kB in the largest single process, a / "
	     "1.00 kB in all processes together at the busiest moment, all hosts (sampled; shared "
	     "memory counts in each)");
}
END_TEST

START_TEST(input_and_output)
{
	LINE("Read", "unknown: no process recorded it");
	LINE("Written", "unknown: no process recorded it");
	f.read_bytes = 0;
	LINE("Read", "unknown in unknown calls, 0 B from storage");
	f.rchar = 5000;
	f.syscr = 1;
	f.read_bytes = 5500;
	LINE("Read", "5.00 kB in 1 call, 5.50 kB from storage");
	f.read_bytes = 15400;
	LINE("Read",
	     "5.00 kB in 1 call, 15.4 kB from storage / at least 10.4 kB of that without a call: "
	     "programs, libraries and other files mapped into memory, and what is read ahead");
	f.wchar = 0;
	LINE("Written", "0 B in unknown calls, unknown to storage");
	f.syscw = 7;
	f.write_bytes = 100;
	f.cancelled_write_bytes = 5;
	LINE("Written", "0 B in 7 calls, 100 B to storage");
	f.cancelled_write_bytes = 6;
	LINE("Written", "0 B in 7 calls, 100 B to storage / 6 B were deleted before they reached "
			"storage: 94 B stored");
	f.write_bytes = 0;
	LINE("Written", "0 B in 7 calls, 0 B to storage");
}
END_TEST

START_TEST(processes)
{
	LINE("Processes", "none recorded");
	LINE("MPI ranks", "");
	LINE("Failed", "");
	f.runs = 1;
	f.programs = 1;
	LINE("Processes", "1 program run, 1 different; threads unknown");
	f.most_threads = 4;
	f.runs = 2;
	LINE("Processes", "2 programs run, 1 different; at most 4 threads in one");
	f.threads_known = 2;
	LINE("Processes", "2 programs run, 1 different; at most 4 threads in one");
	f.threads_known = 1;
	LINE("Processes", "2 programs run, 1 different; at most 4 threads in one, in the 1 process "
			  "where it is known");
	f.runs = 9;
	f.threads_known = 8;
	LINE("Processes",
	     "9 programs run, 1 different; at most 4 threads in one, in the 8 processes "
	     "where it is known");
	f.ranks = 0;
	LINE("MPI ranks", "");
	f.ranks = 1024;
	LINE("MPI ranks", "1 024");
}
END_TEST

START_TEST(failed_ones)
{
	static const struct {
		int64_t failed, killed, asked;
		const char *want;
	} cases[] = {
		{ 0, 0, 0, "none" },
		{ 0, PM_UNKNOWN, PM_UNKNOWN, "none" },
		{ 3, 0, 0, "3 ended with a status other than 0" },
		{ 3, 3, 0, "3 ended by a signal" },
		{ 3, 1, 0, "2 ended with a status other than 0, 1 by a signal" },
		{ 3, 2, 1,
		  "1 ended with a status other than 0, 1 by a signal / 1 ended by a signal that "
		  "requests the end (SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGALRM), as when a pool "
		  "ends its workers" },
		{ 2, 2, 2,
		  "none / 2 ended by a signal that requests the end (SIGTERM, SIGINT, SIGHUP, "
		  "SIGPIPE, SIGALRM), as when a pool ends its workers" },
	};

	f.processes = 5;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		f.failed = cases[i].failed;
		f.killed = cases[i].killed;
		f.asked = cases[i].asked;
		LINE("Failed", cases[i].want);
	}
	f.asked = 0;
	f.ends_known = 4;
	LINE("Failed", "2 ended by a signal, in the 4 processes where it is known");
	f.ends_known = 5;
	LINE("Failed", "2 ended by a signal");
}
END_TEST

START_TEST(coverage)
{
	static const char unknown[] =
		"unknown: no CPU accounting of the kernel covers the whole job. A job has one if "
		"it runs in a control group of its own, or, outside of a batch system, if root "
		"runs it with `perfmon -a run`";
	char want[512];

	LINE("Coverage", "unknown: no process was recorded");
	f.unstarted = true;
	LINE("Coverage", "none: there was nothing to record");
	f.processes = 1;
	LINE("Coverage", unknown);
	f.unstarted = false;
	f.processes = 0;
	f.folded = 1;
	LINE("Coverage", unknown);
	f.open = true;
	LINE("Coverage", "unknown until the job is closed");
	f.open = false;
	f.processes = 1;
	f.coverage = 0.95;
	f.charged_us = S;
	LINE("Coverage", "95 % of the 1.00 s CPU time charged by the kernel was recorded");
	f.coverage = 0.949;
	LINE("Coverage", "95 % of the 1.00 s CPU time charged by the kernel was recorded; the rest "
			 "is programs that perfmon could not see");
	f.charged_us--;
	f.excluded = 1;
	LINE("Coverage",
	     "95 % of the 1.00 s CPU time charged by the kernel was recorded or excluded");
	f.coverage = 1.02;
	f.excluded = 0;
	LINE("Coverage", "102 % of the 1.00 s CPU time charged by the kernel was recorded");
	f.coverage = 1.03;
	LINE("Coverage",
	     "103 % of the 1.00 s CPU time charged by the kernel when the job was closed");
	f.late = 2;
	LINE("Coverage", "103 % of the 1.00 s CPU time charged by the kernel when the job was "
			 "closed: some of its processes ran on");
	/* At most what is recorded of what processes that were waited for used. */
	f.coverage = NAN;
	f.charged_us = 100;
	f.cpu_us = 50;
	f.own_cpu_us = 10;
	f.excluded_us = 20;
	f.folded_us = 14;
	snprintf(want, sizeof want,
		 "%s / at most 94 %%: the processes that were waited for used 100 us of CPU time",
		 unknown);
	LINE("Coverage", want);
	f.folded_us = 15;
	LINE("Coverage", unknown);
	f.unseen = 1;
	snprintf(want, sizeof want,
		 "%s / at least 1 program was not seen: started by exec, they left no record, and "
		 "no "
		 "recorded process waited for them",
		 unknown);
	LINE("Coverage", want);
	f.unseen = 2;
	ck_assert_ptr_nonnull(strstr(line("Coverage"), " / at least 2 programs were not seen: "));
}
END_TEST

/* Up to four hosts have each its own; of more the least is named. */
START_TEST(coverage_of_hosts)
{
	f.coverage = 1;
	for (int i = 0; i < 5; i++) {
		struct pm_fact_host *h = pm_facts_host(&f);

		snprintf(h->name, sizeof h->name, "h%d", i);
		h->coverage = i == 1 ? NAN : i == 3 ? 0.25 : 0.5;
		line("Coverage");
		if (i == 0)
			ck_assert_ptr_null(strstr(text, "% on h0"));
		if (i == 2)
			ck_assert_ptr_nonnull(
				strstr(text, "  50 % on h0\n                  50 % on h2\n"));
		if (i == 3)
			ck_assert_ptr_nonnull(
				strstr(text, " 50 % on h2\n                  25 % on h3\n"));
	}
	ck_assert_ptr_nonnull(
		strstr(text, "  25 % on h3, the lowest of all hosts: perfmon list hosts\n"));
	ck_assert_ptr_null(strstr(text, "50 % on"));
}
END_TEST

START_TEST(records)
{
	f.processes = 20;
	LINE("Records", "20, one per program start and fork");
	f.tasks_unrecorded = 1;
	f.excluded = 2;
	f.excluded_us = 3;
	f.without_end = 4;
	f.running = 5;
	f.reaped_only = 26;
	f.refused.count = 6;
	snprintf(f.refused.names, sizeof f.refused.names, "r");
	f.unsuited.count = 7;
	snprintf(f.unsuited.names, sizeof f.unsuited.names, "u");
	f.silent.count = 8;
	snprintf(f.silent.names, sizeof f.silent.names, "s");
	f.killed_early = 2;
	f.departed.count = 9;
	snprintf(f.departed.names, sizeof f.departed.names, "d");
	f.unknown_cpu = 10;
	f.late = 11;
	f.folded = 12;
	f.folded_us = 13;
	f.lost = 1;
	snprintf(f.lost_reasons, sizeof f.lost_reasons, "ENOSPC 1");
	f.rejected = 14;
	snprintf(f.problems, sizeof f.problems, "odd");
	LINE("Records",
	     "20, one per program start and fork / 1 task of Slurm went unrecorded: "
	     "perfmon failed there, or would have taken longer than a second / 2 "
	     "starts of programs were excluded by the settings exclude and include; "
	     "their CPU time, 3 us, counts as covered / 4 without an end: killed, or "
	     "still running; their figures are unknown or come from their parents / 5 "
	     "still running, as far as recorded / 6 could not be started: r / 7 cannot be recorded "
	     "(known only from their parents, descendants included): "
	     "u / 8 known only from their parents, started without perfmon's "
	     "environment or as another user: s / 2 killed before they could record anything / 3 "
	     "known only from their parents: static or set-uid programs, "
	     "or started without perfmon's environment / 9 continued where nothing is recorded; "
	     "their figures include the processes that they started there: d / 10 with "
	     "unknown CPU time, left out of the totals / 11 ended after the job was "
	     "closed / 12 more short processes, which used 13 us of CPU time, began after the "
	     "record files had reached max_bytes: only totals per program were recorded (table "
	     "folded_program) / 1 line could not be written (ENOSPC 1) / 14 damaged "
	     "lines left out (table reject)");
	LINE("Problems", "odd");
	f.reaped_only = 43;
	ck_assert_ptr_nonnull(strstr(line("Records"),
				     "or started without perfmon's environment, or "
				     "perfmon could not find its collector"));
	f.reaped_only = 23;
	ck_assert_ptr_null(strstr(line("Records"), "static or set-uid"));
}
END_TEST

START_TEST(cost)
{
	LINE("Cost", "unknown: no process recorded the cost of perfmon");
	f.own_us = 5000;
	LINE("Cost", "perfmon took at least 5.00 ms of elapsed time in the job's processes");
	f.own_cpu_us = 0;
	LINE("Cost", "perfmon took at least 5.00 ms of elapsed time in the job's processes");
	f.own_cpu_us = 2500;
	f.processes = 5;
	f.cpu_us = 5000;
	LINE("Cost", "perfmon used at least 2.50 ms of CPU time in the job's processes: 500 us "
		     "each, 50 % of the job's CPU time");
	f.own_us++;
	LINE("Cost", "perfmon used at least 2.50 ms of CPU time in the job's processes: 500 us "
		     "each, 50 % of the job's CPU time / perfmon's elapsed time there was 5.00 ms, "
		     "mostly waiting for a CPU or storage");
}
END_TEST

START_TEST(advice)
{
	ck_assert_ptr_nonnull(strstr(print(1000), "\n  None: the job's wall time or CPU time is"));
	f.wall_us = f.cpu_us = S / 2;
	ck_assert_ptr_nonnull(strstr(print(1000), "\n  None: the job is too short"));
	f.open = true;
	ck_assert_ptr_nonnull(strstr(print(1000), "\n  None so far: advice takes 5 s"));
	f.processes = 0;
	ck_assert_ptr_nonnull(strstr(print(1000), "\n  None so far: advice takes 5 s"));
	f.open = false;
	f.stopped = true;
	ck_assert_ptr_nonnull(strstr(print(1000), "\n  None: no process was recorded."));
	f.processes = 1;
	f.wall_us = 5 * S;
	f.cpu_us = 5 * S;
	ck_assert_ptr_nonnull(strstr(print(1000), "\nAdvice\n  Nothing stands out.\n"));
	f.exit_status = 1;
	ck_assert_ptr_nonnull(strstr(print(1000), "\nAdvice\n  - The job's command ended with"));
	ck_assert_ptr_null(strstr(text, "Nothing stands out"));
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		header,
		times,
		use_of_cpus,
		memory,
		input_and_output,
		processes,
		failed_ones,
		coverage,
		coverage_of_hosts,
		records,
		cost,
		advice,
	};
	Suite *s = suite_create("report_lines");
	TCase *t = tcase_create("lines");

	tcase_add_checked_fixture(t, begin, end);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
