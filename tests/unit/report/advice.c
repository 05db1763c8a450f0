/* report/advice/: every rule speaks where it should and is silent where it should not. */
#include "config.h"

#include "tests/unit/report/advice.h"

#include <math.h>

START_TEST(healthy_jobs_get_none)
{
	SILENT();
}
END_TEST

START_TEST(nothing_known_gives_none)
{
	pm_facts_init(&f, 1);
	SILENT();
	f.wall_us = 100LL * S;
	SILENT();
	f.cpu_us = 200LL * S;
	SILENT();
}
END_TEST

START_TEST(tiny_jobs_get_none)
{
	/* Everything wrong at once, but in a blink. */
	f.wall_us = S / 10;
	f.cpu_us = S / 20;
	f.system_us = S / 20;
	f.efficiency = 0.06;
	f.short_runs = 100000;
	f.short_cpu_us = S / 20;
	f.majflt = 100000;
	f.time_waiting_us = 100LL * S;
	f.coverage = 0.1;
	SILENT();
	f.wall_us = 10LL * S; /* long, but it hardly did anything: waiting is what it did */
	f.time_waiting_us = 0;
	ck_assert_int_eq(strncmp(said(), "mostly-waiting: ", 16), 0);
}
END_TEST

START_TEST(failed_command)
{
	f.exit_status = 3;
	SAYS("job-failed: The job's command ended with status 3");
	f.exit_status = PM_UNKNOWN;
	SILENT();
	f.exit_signal = SIGTERM;
	SAYS("ended by SIGTERM");
	f.wall_us = S / 100; /* whatever its size */
	SAYS("ended by SIGTERM");
}
END_TEST

START_TEST(crashes)
{
	f.failures = 1;
	failure.exit_signal = SIGKILL;
	SAYS("crashed: 2 processes of app ended by SIGKILL (sender not recorded: a person, a time "
	     "limit, another program, the process itself, or the kernel for lack of memory).");
	f.oom_kills = 0;
	SAYS("crashed: 2 processes of app ended by SIGKILL (sender not recorded: a person, a time "
	     "limit, another program or the process itself, but not the kernel for lack of "
	     "memory).");
	f.oom_kills = PM_UNKNOWN;
	failure.exit_signal = SIGSEGV;
	failure.count = 1;
	SAYS("crashed: 1 process of app ended by SIGSEGV: it crashed.");
	failure.exit_signal = SIGPIPE;
	SILENT();
	failure.exit_signal = PM_UNKNOWN;
	failure.exit_status = 1;
	SILENT();
}
END_TEST

/* All that crashed are told of, not the first alone, and none that was asked to end. */
START_TEST(several_crashes)
{
	static const int signals[] = { SIGSEGV, SIGTERM, SIGKILL, SIGABRT, SIGBUS, SIGXCPU };
	static struct pm_fact_failure several[6];

	for (size_t i = 0; i < 6; i++) {
		several[i] = failure;
		several[i].exit_signal = signals[i];
		several[i].count = (int64_t)i + 1;
		snprintf(several[i].label, sizeof several[i].label, "app%zu", i);
	}
	f.failure = several;
	f.failures = 3;
	SAYS("crashed: 1 process of app0 ended by SIGSEGV: it crashed; 3 processes of app2 ended "
	     "by SIGKILL (sender not recorded: a person");
	f.failures = 6;
	SAYS("4 processes of app3 ended by SIGABRT: it crashed; and 11 processes more.");
	ck_assert_ptr_null(strstr(said(), "SIGTERM"));
	/* Who sent SIGKILL is not known of any; that is said once. */
	several[0].exit_signal = several[3].exit_signal = SIGKILL;
	SAYS("1 process of app0 ended by SIGKILL (sender not recorded: a person, a time limit, "
	     "another program, the process itself, or the kernel for lack of memory); 3 processes "
	     "of app2 ended by "
	     "SIGKILL; 4 processes of "
	     "app3 ended by SIGKILL; and");
}
END_TEST

START_TEST(coverage)
{
	f.coverage = 0.5;
	SAYS("low-coverage: Only 50 %");
	f.coverage = 0.81;
	SILENT();
	f.coverage = NAN;
	SILENT();
}
END_TEST

START_TEST(memory)
{
	f.rss = 15000000000;
	SAYS("memory-limit: One process held 15.0 GB at its peak, 94 % of the host's 16.0 GB");
	f.limited = true;
	SAYS("memory-limit: One process held 15.0 GB at its peak, 94 % of what its control group "
	     "may use, 16.0 GB");
	f.limited = false;
	f.rss = 13000000000;
	SILENT();
	f.rss_tree = 15500000000;
	SAYS("The job's processes held 15.5 GB");
	f.hosts_count = 2; /* the sum over two hosts says nothing about either */
	SILENT();
	f.memory = PM_UNKNOWN;
	f.rss = 15000000000;
	SILENT();
}
END_TEST

START_TEST(one_thread)
{
	f.cpu_us = 98LL * S;
	f.efficiency = 0.98 / 8;
	program.cpu_us = 94LL * S;
	program.numtids = 1;
	SAYS("single-threaded: The job kept 0.98 of its 8 CPUs busy: app has one thread and used "
	     "96 %");
	ck_assert_ptr_null(strstr(said(), "idle-cpus"));
	program.runs = 3; /* one after the other */
	SAYS("hardly ran in parallel");
	program.runs = 1;
	program.numtids = 8;
	SAYS("hardly ran in parallel");
	f.sampled = true;
	f.busy_at_most[1] = 0.92;
	SAYS("most of it in app (96 % of the CPU time): for 92 % of the time no more than one was "
	     "busy. "
	     "Let that part run in parallel, too, or ask for one CPU.");
	f.busy_at_most[1] = 0.97;
	SAYS("hardly ran in parallel");
	f.sampled = false;
	f.cpus = 1;
	f.efficiency = 0.98;
	SILENT();
}
END_TEST

START_TEST(idle_by_the_average)
{
	f.cpu_us = 400LL * S;
	f.efficiency = 0.5;
	SAYS("idle-cpus: On average 4 of 8 allocated CPUs were busy (50 %)");
	f.efficiency = 0.71;
	f.cpu_us = 568LL * S;
	SILENT();
	f.efficiency = NAN;
	f.cpus = PM_UNKNOWN;
	SILENT();
}
END_TEST

START_TEST(idle_by_samples)
{
	f.cpu_us = 480LL * S;
	f.efficiency = 0.6;
	f.sampled = true;
	for (int n = 0; n < 64; n++)
		f.busy_at_most[n] = n < 5 ? 0.02 : n < 8 ? 0.91 : 1;
	SAYS("idle-cpus: For 91 % of the time the job used no more CPU time than 5 of its 8 CPUs "
	     "could "
	     "give.");
	/* Busy by turns: no CPU count fits, the average speaks. */
	for (int n = 0; n < 64; n++)
		f.busy_at_most[n] = n < 8 ? 0.5 : 1;
	SAYS("idle-cpus: On average");
}
END_TEST

START_TEST(waiting_for_a_cpu)
{
	f.time_waiting_us = 720LL * S;
	SAYS("waiting-for-cpu: Threads that could have run waited 12 min 00 s for a free CPU, 50 "
	     "%");
	SAYS("on average 14 threads shared 8 CPUs");
	f.running = 1; /* of what ended alone */
	ck_assert_ptr_null(strstr(said(), "waiting-for-cpu"));
	f.running = 0;
	f.time_waiting_us = 150LL * S;
	SILENT();
	f.time_waiting_us = 720LL * S;
	f.time_oncpu_us = PM_UNKNOWN;
	SILENT();
}
END_TEST

/* More threads than CPUs, which were not the job's half of the time: to start fewer is no help. */
START_TEST(others_keep_the_cpus)
{
	f.time_oncpu_us = 400LL * S;
	f.cpu_us = 400LL * S;
	f.efficiency = 0.5;
	f.time_waiting_us = 420LL * S;
	SAYS("though the job used 4 of its 8 on average. Other work on the host used "
	     "them");
	ck_assert_ptr_null(strstr(said(), "Start fewer"));
	f.time_oncpu_us = 660LL * S;
	SAYS("Start fewer");
	f.cpus = PM_UNKNOWN;
	f.efficiency = NAN;
	SAYS("threads got 6.6 CPUs. How many CPUs the job was allowed is not recorded");
	ck_assert_ptr_null(strstr(said(), "Start fewer"));
}
END_TEST

/* What still runs has CPU time that is not known: no rule on how busy the job was. */
START_TEST(running_jobs_are_not_idle)
{
	f.cpu_us = 20LL * S;
	f.efficiency = NAN;
	f.system_us = S;
	SAYS("mostly-waiting");
	f.running = 1;
	SILENT();
}
END_TEST

START_TEST(a_busy_host_is_not_the_jobs_fault)
{
	/* One thread that gets half of a CPU. */
	f.cpu_us = 55LL * S;
	f.efficiency = 0.07;
	program.cpu_us = 54LL * S;
	program.numtids = 1;
	f.time_oncpu_us = 55LL * S;
	f.time_waiting_us = 44LL * S;
	f.system_us = S;
	ck_assert_int_eq(strncmp(said(), "waiting-for-cpu: ", 17), 0);
	SAYS("Other work on the host used them");
	ck_assert_ptr_null(strchr(strchr(said(), '\n') + 1, ':'));
}
END_TEST

START_TEST(waiting_for_something)
{
	f.cpu_us = 20LL * S;
	f.system_us = S;
	f.efficiency = 0.025;
	SAYS("mostly-waiting: The job mostly waited: 20.0 s of CPU time in 1 min 40 s, and no "
	     "wait for");
	f.read_bytes = 5000000000;
	SAYS("while it moved 5.00 GB");
	f.blkio_us = 40LL * S;
	SAYS("waited 40.0 s for storage");
	ck_assert_ptr_null(strstr(said(), "idle-cpus"));
	/* For a CPU: a fifth of the time is not what it did most, half of it is. */
	f.time_oncpu_us = 20LL * S;
	f.time_waiting_us = 25LL * S;
	SAYS("waiting-for-cpu");
	SAYS("mostly-waiting");
	f.time_waiting_us = 35LL * S;
	SAYS("waiting-for-cpu");
	ck_assert_ptr_null(strstr(said(), "mostly-waiting"));
	f.time_waiting_us = 0;
	f.wall_us = 9LL * S;
	f.cpu_us = 4LL * S;
	SILENT();
}
END_TEST

START_TEST(kernel_time)
{
	f.system_us = 360LL * S;
	program.system_us = 300LL * S;
	SAYS("system-time: 50 % of the CPU time was spent in the kernel, 83 % of that by app.");
	program.system_us = PM_UNKNOWN;
	f.most_threads = 2;
	SAYS("spent in the kernel. What for is not known of all processes. Threads that fight over "
	     "a lock look like this");
	f.most_threads = 1;
	f.runs = f.majflt = f.minflt = f.vol_ctxsw = f.syscr = f.syscw = f.rchar = f.wchar = 0;
	SAYS("Reads, writes, page faults, sleeps and starts do not account for it. See which calls "
	     "it makes: strace -c -f, or perf trace -s.");
	f.system_us = 200LL * S;
	SILENT();
}
END_TEST

START_TEST(short_lives)
{
	f.short_runs = 5000;
	f.short_cpu_us = 160LL * S;
	SAYS("short-processes: 5 000 processes lived less than 50 ms each; together they used 2 "
	     "min");
	f.short_cpu_us = 140LL * S;
	SILENT();
	f.short_cpu_us = 160LL * S;
	f.short_runs = 99;
	SILENT();
}
END_TEST

START_TEST(tiny_calls)
{
	program.tiny_reads = 2000000;
	program.tiny_read_bytes = 40000000;
	SAYS("tiny-io: app made 2 000 000 read calls of 20 bytes each on average. Read in larger");
	program.tiny_reads = 99999;
	SILENT();
	program.tiny_writes = 100000;
	program.tiny_write_bytes = 2000000;
	SAYS("tiny-io: app made 100 000 write calls of 20 bytes each on average. Write in larger");
	program.tiny_reads = 2000000;
	SAYS("app made 2 000 000 read calls of 20 bytes each and 100 000 write calls of 20 bytes "
	     "each on average. Read and write in larger");
	program.tiny_writes = 99999;
	program.tiny_reads = 99999;
	SILENT();
	program.tiny_reads = program.tiny_writes = PM_UNKNOWN;
	SILENT();
}
END_TEST

/* One sentence names several programs, and counts the rest. */
START_TEST(tiny_calls_of_several)
{
	static struct pm_fact_program several[5];

	for (size_t i = 0; i < 5; i++) {
		several[i] = program;
		snprintf(several[i].label, sizeof several[i].label, "app%zu", i);
		several[i].tiny_reads = i == 1 ? 5 : 100000;
		several[i].tiny_read_bytes = 100000;
		several[i].tiny_writes = i == 4 ? 200000 : 0;
		several[i].tiny_write_bytes = 0;
	}
	f.by_tiny = several;
	f.by_tiny_n = 4;
	SAYS("tiny-io: app0 made 100 000 read calls of 1 bytes each on average, app2 made 100 000 "
	     "read calls of 1 bytes each on average, app3 made");
	ck_assert_ptr_null(strstr(said(), "app1"));
	f.by_tiny_n = 5;
	SAYS(", and so did 1 more program. Read and write in larger");
}
END_TEST

START_TEST(major_faults)
{
	f.majflt = 5000;
	SAYS("major-faults: Memory had to be read from storage 5 000 times (50 a second)");
	f.majflt = 1500;
	SILENT();
	f.majflt = 900;
	f.wall_us = 6LL * S;
	f.cpu_us = 43LL * S;
	f.system_us = S;
	SILENT();
}
END_TEST

START_TEST(waiting_for_memory)
{
	count();
	f.metrics = 2;
	SAYS("memory-bound: Programs completed only 0.50 instructions per cycle and missed the "
	     "last-level cache 20 times per 1000");
	metric[1].value = 9;
	SILENT();
	metric[1].value = 20;
	metric[0].value = 0.9;
	SILENT();
	metric[0].value = NAN;
	SILENT();
	metric[0].value = 0.5;
	metric[0].processes = 9; /* less than half of those that were counted */
	SILENT();
	metric[0].processes = 10;
	f.metrics = 1;
	SILENT();
}
END_TEST

START_TEST(multiplexed_events)
{
	count();
	SILENT();
	counter[0].ratio = 0.49;
	counter[1].ratio = 0.1;
	SAYS("multiplexed: There were more events");
	SAYS("flops was counted only 10 % of the time");
	counter[1].ratio = 0.5;
	SAYS("cycles was counted only 49 %");
	counter[0].known = 0;
	SILENT();
}
END_TEST

START_TEST(lost_counters)
{
	count();
	counter[1].reasons = 2;
	counter[1].reason[0] = (struct pm_fact_reason){ "EMFILE", 20 };
	counter[1].reason[1] = (struct pm_fact_reason){ "closed", 2 };
	SAYS("counters-closed: Counters were lost in 2 of 20 processes");
	counter[1].reason[1].count = 1;
	SILENT();
}
END_TEST

START_TEST(gpus_without_work)
{
	f.gpu.seen = f.gpu.sampled = 4;
	f.gpu.idle = 4;
	SILENT(); /* nobody asked for them */
	f.gpu.asked = 0;
	SAYS("idle-gpus: The job had GPUs and used none: no sample of 4 GPUs");
	f.wall_us = 59LL * S;
	SILENT();
	f.wall_us = 60LL * S;
	f.gpu.idle = 3;
	SILENT(); /* the others may be another job's, and the busy one the job's */
	f.gpu.asked = f.gpu.most = 4;
	SAYS("idle-gpus: 3 of the job's 4 GPUs were never busy");
	f.gpu.most = 8;
	SILENT();
	f.gpu.most = 4;
	f.gpu.idle = 0;
	SILENT();
	f.gpu.sampled = 0; /* unknown is not idle */
	SILENT();
	f.gpu.asked = 0;
	f.gpu.sampled = f.gpu.idle = 3; /* the fourth may have been busy */
	SILENT();
}
END_TEST

START_TEST(slow_by_heat_or_power)
{
	struct pm_fact_slow *power = &f.slow[PM_FACTS_GPU_POWER],
			    *heat = &f.slow[PM_FACTS_GPU_HEAT], *cpu = &f.slow[PM_FACTS_CPU_HEAT];

	*power = (struct pm_fact_slow){ 0.19, "GPU-a", "n0" };
	*heat = (struct pm_fact_slow){ 0.009, "GPU-b", "n1" };
	*cpu = (struct pm_fact_slow){ 0.009, "package-1", "n2" };
	SILENT();
	power->share = 0.2;
	SAYS("slowed: For 20 % of the time the power limit kept the clocks of GPU GPU-a on n0 "
	     "low.");
	heat->share = 0.05;
	cpu->share = 1.05;
	SAYS("low; for 5.0 % of the time heat kept the clocks of GPU GPU-b on n1 low; "
	     "for 100 % of the time heat slowed processor package-1 on n2 down.");
}
END_TEST

/* Failures come before risks, those before costs; costs by the time at stake, doubtful figures
 * among them; what has none comes last. */
START_TEST(ordered_by_what_is_at_stake)
{
	struct pm_advice list[PM_ADVICE_RULES];
	size_t n;

	count();
	counter[0].ratio = 0.1;        /* multiplexed: no cost */
	f.system_us = 360LL * S;       /* 360 s of 7.2 CPUs: 50 s */
	f.coverage = 0.4;              /* 60 s */
	program.tiny_reads = 20LL * S; /* 20 s, but 15 s in the kernel, of 7.2 CPUs: 2.1 s */
	f.rss = 15000000000;
	f.exit_status = 1;
	n = pm_advice_list(&f, list);
	ck_assert_uint_eq(n, 6);
	ck_assert_str_eq(list[0].id, "job-failed");
	ck_assert_str_eq(list[1].id, "memory-limit");
	ck_assert_str_eq(list[2].id, "low-coverage");
	ck_assert_str_eq(list[3].id, "system-time");
	ck_assert_str_eq(list[4].id, "tiny-io");
	ck_assert_str_eq(list[5].id, "multiplexed");
	ck_assert_int_eq(list[0].cost_us, 100LL * S);
	ck_assert_int_eq(list[1].cost_bytes, 15000000000);
	ck_assert_int_eq(list[1].cost_us, PM_UNKNOWN);
	ck_assert_int_eq(list[2].cost_us, 60LL * S);
	ck_assert_int_eq(list[3].cost_us, 50LL * S);
	ck_assert_int_eq(list[4].cost_us, 2083333);
	ck_assert_int_eq(list[5].cost_us, PM_UNKNOWN);
	f.coverage = 0.6; /* 40 s: less than the time in the kernel */
	pm_advice_list(&f, list);
	ck_assert_str_eq(list[2].id, "system-time");
	ck_assert_str_eq(list[3].id, "low-coverage");
	/* Reads that take a third of the time in the kernel explain it. */
	program.tiny_reads = 200LL * S;
	program.system_us = 119LL * S;
	pm_advice_list(&f, list);
	ck_assert_str_eq(list[2].id, "system-time");
	program.system_us = 120LL * S;
	ck_assert_uint_eq(pm_advice_list(&f, list), 6);
	ck_assert_str_eq(list[2].id, "low-coverage");
	ck_assert_str_eq(list[3].id, "tiny-io");
	ck_assert_str_eq(list[5].id, "system-time");
	ck_assert(list[5].effect && !list[3].effect);
}
END_TEST

/* What an output links to: section, program, process; and how it names what is at stake. */
START_TEST(subjects_and_stakes)
{
	struct pm_advice list[PM_ADVICE_RULES];
	char stake[2 * PM_FORMAT_MAX];

	program.tiny_writes = 20LL * S;
	ck_assert_uint_eq(pm_advice_list(&f, list), 1);
	ck_assert_str_eq(list[0].program, "app");
	ck_assert_str_eq(pm_advice_section(list[0].section), "io");
	ck_assert_str_eq(pm_advice_severity(list[0].severity), "cost");
	ck_assert_int_eq(list[0].pid, PM_UNKNOWN);
	ck_assert_str_eq(pm_advice_stake(stake, &list[0]), "up to 2.08 s of wall time");
	program.tiny_writes = 0;
	f.rss = 15000000000;
	ck_assert_uint_eq(pm_advice_list(&f, list), 1);
	ck_assert_str_eq(pm_advice_severity(list[0].severity), "risk");
	ck_assert_str_eq(pm_advice_stake(stake, &list[0]), "15.0 GB");
	ck_assert_str_eq(list[0].program, "");
	f.rss = 0;
	f.failures = 1;
	failure.exit_signal = SIGSEGV;
	failure.pid = 77;
	ck_assert_uint_eq(pm_advice_list(&f, list), 1);
	ck_assert_str_eq(pm_advice_severity(list[0].severity), "failed");
	ck_assert_str_eq(pm_advice_section(list[0].section), "failures");
	ck_assert_int_eq(list[0].pid, 77);
	ck_assert_str_eq(pm_advice_stake(stake, &list[0]), "");
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		healthy_jobs_get_none,
		ordered_by_what_is_at_stake,
		subjects_and_stakes,
		nothing_known_gives_none,
		tiny_jobs_get_none,
		failed_command,
		crashes,
		coverage,
		memory,
		one_thread,
		idle_by_the_average,
		idle_by_samples,
		waiting_for_a_cpu,
		others_keep_the_cpus,
		running_jobs_are_not_idle,
		several_crashes,
		tiny_calls_of_several,
		a_busy_host_is_not_the_jobs_fault,
		waiting_for_something,
		kernel_time,
		short_lives,
		tiny_calls,
		major_faults,
		waiting_for_memory,
		multiplexed_events,
		lost_counters,
		gpus_without_work,
		slow_by_heat_or_power,
	};
	Suite *s = suite_create("report_advice");
	TCase *t = tcase_create("advice");

	tcase_add_checked_fixture(t, healthy, NULL);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
