/* report/advice/: causes of slowness that groups of processes, control groups and nodes tell; each
 * rule speaks where it should and is silent where it should not. */
#include "config.h"

#include "tests/unit/report/hosts.h"

/* What a rule puts at stake, in us; -2: it is silent. */
static int64_t stake_of(const char *rule)
{
	struct pm_advice list[PM_ADVICE_RULES];
	const size_t n = pm_advice_list(&f, list);

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].id, rule) == 0)
			return list[i].cost_us;
	return -2;
}

START_TEST(quota)
{
	f.cgroup.periods = 1000;
	f.cgroup.throttled = 840;
	f.cgroup.throttled_us = 160LL * S;
	SAYS("cpu-quota: The CPU quota of the job's control group stopped it in 84 % of the "
	     "quota's "
	     "periods; its threads stood still for 2 min 40 s in all, since they wanted more CPU "
	     "than it allows: they got 7.2 CPUs on average. Ask for more CPUs");
	/* It explains why threads waited. */
	f.time_waiting_us = 320LL * S;
	ck_assert_ptr_null(strstr(said(), "waiting-for-cpu"));
	f.time_waiting_us++;
	SAYS("waiting-for-cpu");
	f.time_waiting_us = 0;
	f.cgroup.throttled = 99;
	SILENT();
	f.cgroup.throttled = 100;
	SAYS("cpu-quota");
	f.cgroup.throttled_us = S - 1;
	SILENT();
	f.cgroup.throttled_us = f.cgroup.throttled = 0;
	SILENT();
}
END_TEST

/* A quota that cost a little does not hide that the job waited for something else. */
START_TEST(quota_of_a_waiting_job)
{
	f.cpu_us = 10LL * S;
	f.efficiency = 0.0125;
	f.most_threads = 1;
	f.cgroup.periods = 100;
	f.cgroup.throttled = 12;
	f.cgroup.throttled_us = 29LL * S; /* a third of 90 s is more */
	SAYS("cpu-quota");
	SAYS("mostly-waiting");
	f.cgroup.throttled_us = 30LL * S;
	SAYS("cpu-quota");
	SILENT_OF("mostly-waiting");
	f.running = 1; /* the CPU time of the others is known alone */
	SILENT_OF("they got");
}
END_TEST

/* Whose effect time in the kernel is, and what accounts for a tenth of it. */
START_TEST(time_in_the_kernel)
{
	struct pm_advice list[PM_ADVICE_RULES];
	size_t n;

	f.cpus = 8;
	f.system_us = 500LL * S;
	f.majflt = 5000;
	f.blkio_us = 300LL * S;
	n = pm_advice_list(&f, list);
	ck_assert_uint_eq(n, 2);
	ck_assert_str_eq(list[0].id, "major-faults");
	ck_assert_str_eq(list[1].id, "system-time");
	ck_assert(list[1].effect && !list[0].effect);
	SAYS("system-time: 69 % of the CPU time was spent in the kernel. What for is not known of "
	     "all processes.");
	f.majflt = 1666667; /* 50 s of 500 */
	SAYS("in the kernel. Its counts: 1 666 667 faults that read from storage.");
	f.majflt--;
	SAYS("What for is not known of all processes. ");
	f.majflt = 1666667;
	f.runs = 100000;
	f.syscr = 20000000;
	f.syscw = 30000000;
	f.rchar = f.wchar = 0;
	f.minflt = 50000000;
	f.vol_ctxsw = 12500000;
	SAYS("Its counts: 100 000 programs started, 50 000 000 reads and writes, 50 000 000 page "
	     "faults, "
	     "as of memory allocated and freed again, 1 666 667 faults that read from storage, "
	     "12 500 000 times that a thread went to sleep, as at locks and barriers and in waits "
	     "for "
	     "storage or the network.");
	/* Fewer calls that move more. */
	f.runs = f.minflt = f.vol_ctxsw = f.majflt = 0;
	f.syscr = 10000;
	f.syscw = 0;
	f.rchar = 249949999999;
	SAYS("do not account for it");
	f.rchar++;
	SAYS("Its counts: 10 000 reads and writes.");
	/* Threads that sleep often. */
	f.most_threads = 2;
	f.syscr = f.rchar = 0;
	f.vol_ctxsw = 100000; /* in 100 s */
	SAYS("Reads, writes, page faults and starts do not account for it. Threads went to sleep "
	     "1 000 times a second, as they do where they fight over a lock. See which");
	f.vol_ctxsw--;
	SAYS("Reads, writes, page faults, sleeps and starts do not account for it. Threads that "
	     "fight over a lock look like this");
	f.vol_ctxsw = 0;
	f.majflt = 5000;
	f.blkio_us = 100LL * S; /* too little for it */
	n = pm_advice_list(&f, list);
	ck_assert_str_eq(list[0].id, "system-time");
	ck_assert(!list[0].effect);
}
END_TEST

/* Who had the CPUs, where the nodes were sampled. */
START_TEST(others_on_the_host)
{
	f.hosts = 1;
	f.cpus = 4;
	hosts[0].cpu_us = 200LL * S;
	f.cpu_us = f.time_oncpu_us = 200LL * S;
	f.efficiency = 0.5;
	f.time_waiting_us = 150LL * S;
	SAYS("the job used 2 of its 4 on average. Other work on the host used them, its threads "
	     "wanted to run "
	     "at the "
	     "same moments, or they are bound");
	hosts[0].summary[PM_NODESUMMARY_cpu_avg_utilization_pct] = 95;
	SAYS("the job used 2 of its 4 on average. Other work on the host used 1.8 CPUs meanwhile: "
	     "ask for "
	     "CPUs of "
	     "its own, or the whole node.");
	hosts[0].summary[PM_NODESUMMARY_cpu_avg_utilization_pct] = 51;
	SAYS("the job used 2 of its 4 on average. Hardly anything else used the others: its "
	     "threads wanted "
	     "to run at "
	     "the "
	     "same moments, or are bound to the same CPUs.");
	/* A tenth of the CPUs of one host, in a job of many. */
	hosts[0].summary[PM_NODESUMMARY_cpu_avg_utilization_pct] = 95;
	f.cpus = 40;
	f.cpu_us = f.time_oncpu_us = 2000LL * S;
	f.time_waiting_us = 1500LL * S;
	SAYS("the job used 20 of its 40 on average. Other work on the host used 1.8 CPUs");
	f.cpus = 4;
	/* Its own threads: of which program. */
	f.time_oncpu_us = f.cpu_us = 390LL * S;
	f.time_waiting_us = 400LL * S;
	program.numtids = 16;
	SAYS("on average 7.9 threads shared 4 CPUs. A process of app had 16 threads. Start fewer");
	program.numtids = 4;
	SAYS("threads shared 4 CPUs. Start fewer at a time");
	program.runs = 5;
	SAYS("threads shared 4 CPUs. app ran 5 times. Start fewer at a time");
}
END_TEST

static void timeline(int serial_from, int serial_steps, double serial, double else_busy)
{
	f.cpu.known = true;
	f.line_start_us = 1000LL * S;
	f.line_us = 96LL * S;
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		f.cpu.step[i] =
			i >= serial_from && i < serial_from + serial_steps ? serial : else_busy;
}

START_TEST(serial)
{
	struct pm_advice list[PM_ADVICE_RULES];

	timeline(10, 12, 1.0, 7.5);
	SAYS("serial-phase: For 24.0 s, from 20.0 s after its start on, the job used one CPU, else "
	     "7.5 on average. Let");
	f.phases = 1;
	f.phase[0] = (struct pm_fact_phase){ "reader", 5, 20LL * S, 44LL * S };
	SAYS("else 7.5 on average; reader ran then. Let");
	ck_assert_uint_eq(pm_advice_list(&f, list), 1);
	ck_assert_int_eq(list[0].start_us, 1020LL * S);
	ck_assert_int_eq(list[0].end_us, 1044LL * S);
	ck_assert_str_eq(list[0].program, "reader");
	f.phase[0].end_us = 96LL * S; /* the whole job's */
	f.phase[0].start_us = 0;
	ck_assert_ptr_null(strstr(said(), "reader"));
	timeline(10, 4, 1.0, 7.5);
	SILENT();
	timeline(10, 5, 1.0, 7.5);
	SAYS("serial-phase");
	timeline(10, 12, 0.1, 7.5); /* it waited */
	SILENT();
	timeline(10, 12, 1.0, 1.9);
	SILENT();
	timeline(10, 12, 1.0, NAN);
	SILENT();
	timeline(10, 12, 1.0, 7.5);
	f.cpus = 1;
	SILENT();
}
END_TEST

START_TEST(locks)
{
	f.sleeper = (struct pm_fact_sleeper){ "app", 7, 1, 4, 1000000, 4, 100LL * S, 100LL * S };
	SAYS("lock-contention: The 4 threads of app (pid 7 on n0) went to sleep 10 000 times a "
	     "second, "
	     "not "
	     "to read or write files: they wait for each other at locks or barriers, or for "
	     "messages, and used 1 of 4 CPUs.");
	f.sleeper.sleeping = 1; /* it waits for a timer, or for other processes */
	SILENT();
	f.sleeper.sleeping = 2;
	SAYS("lock-contention");
	f.sleeper.switches = 199999;
	SILENT();
	f.sleeper.switches = 200000;
	SAYS("lock-contention");
	f.sleeper.cpu_us = 320LL * S; /* busy all the same */
	SILENT();
	f.sleeper.cpu_us--;
	SAYS("lock-contention");
	f.sleeper.switches = 9999;
	f.sleeper.wall_us = 2LL * S;
	f.sleeper.cpu_us = S;
	SILENT();
	f.sleeper.switches = 10000;
	SAYS("lock-contention");
	f.time_waiting_us = 720LL * S; /* they wait for CPUs, too */
	SAYS("lock-contention");
	SAYS("waiting-for-cpu");
}
END_TEST

START_TEST(many_starts)
{
	f.start_us = 50LL * S;
	f.runs = 200;
	f.burst = (struct pm_fact_burst){ 100, 53LL * S, 300LL * S };
	SAYS("start-burst: 100 processes started in one second, 3.00 s into the job, and waited 5 "
	     "min "
	     "00 s for a CPU:");
	f.burst.starts = 63;
	SILENT();
	f.burst.starts = 64;
	SAYS("start-burst");
	f.runs = 1281; /* it always starts so many */
	SILENT();
	f.runs = 1280;
	SAYS("start-burst");
	f.burst.waiting_us = 6400000 - 1; /* of 64: a tenth of a second each is a thousandth */
	SILENT();
	f.burst.waiting_us++;
	SAYS("start-burst");
	f.cpus = 1;
	f.efficiency = NAN;
	f.burst.starts = 49;
	SILENT();
}
END_TEST

/* A run of four ranks, the busiest of which used so much CPU time; the mean is 20 s. */
static struct pm_ranks_run run;
static struct pm_ranks parallel = { .run = &run, .runs = 1 };

static void busiest(int64_t most_us)
{
	const double mean = 20.0 * S, most = (double)most_us;

	run = (struct pm_ranks_run){ .ranks = 4, .busiest_host = 2 };
	run.spread[PM_RANKS_CPU] = (struct pm_ranks_spread){
		.known = 4, .least = 5.0 * S, .mean = mean, .most = most, .most_at = 3
	};
	run.imbalance = (most - mean) / most;
	run.cost_us = run.imbalance * most;
	f.parallel = &parallel;
}

START_TEST(ranks)
{
	busiest(60LL * S);
	SAYS("uneven-ranks: MPI ranks had uneven work: rank 3 on n1 used 1 min 00 s of CPU time, "
	     "the "
	     "mean is 20.0 s, the least 5.00 s (rank 0). The others wait for it");
	busiest(24999999);
	SILENT();
	busiest(25LL * S);
	SAYS("uneven-ranks");
	run.imbalance = NAN;
	SILENT();
	busiest(25LL * S);
	f.wall_us = 126LL * S; /* a small part of it */
	SILENT();
}
END_TEST

START_TEST(nodes)
{
	SILENT();
	hosts[1].cpu_us = 600LL * S;
	SAYS("uneven-nodes: Hosts had uneven work: n1 kept each of its CPUs busy for 2 min 30 s, "
	     "the "
	     "mean of all is 2 min 00 s.");
	hosts[1].cpu_us = 599LL * S;
	SILENT();
	hosts[1].cpu_us = PM_UNKNOWN;
	SILENT();
	hosts[1].cpu_us = 0;
	SAYS("uneven-nodes: 1 of 2 hosts did next to nothing: n0 used 6 min 00 s of CPU time.");
	/* With a rank that explains it, hosts that did nothing alone. */
	busiest(60LL * S);
	SAYS("uneven-nodes");
	hosts[1].cpu_us = 100LL * S;
	ck_assert_ptr_null(strstr(said(), "uneven-nodes"));
	f.hosts = 1;
	f.parallel = NULL;
	SILENT();
}
END_TEST

START_TEST(one_slow_node)
{
	f.hosts = 3;
	hosts[2].frequency_hz = 1.5e9;
	SAYS("slow-node: n2 was slow: its clocks ran at 1.5 GHz on average, those of the other "
	     "hosts "
	     "at 3 GHz.");
	hosts[2].cpu_us = 100LL * S; /* clocks of the idle are low */
	ck_assert_ptr_null(strstr(said(), "slow-node"));
	hosts[2].cpu_us = 360LL * S;
	hosts[2].frequency_hz = 2.55e9;
	SILENT();
	hosts[1].frequency_hz = NAN;
	SILENT();
	/* Of those whose clocks are known. */
	hosts[2].frequency_hz = 2.5e9;
	SAYS("n2 was slow: its clocks ran at 2.5 GHz on average, those of the other hosts at 3 "
	     "GHz.");
	snprintf(hosts[2].cpu_model, sizeof hosts[2].cpu_model, "small");
	SAYS("All wait for the slowest: have the node checked"); /* what the others have is unknown
								  */
	for (size_t i = 0; i < 2; i++)
		snprintf(hosts[i].cpu_model, sizeof hosts[i].cpu_model, "large");
	SAYS("All wait for the slowest: it has another processor, ask for nodes of one kind.");
	for (size_t i = 0; i < 3; i++)
		hosts[i].cpu_model[0] = '\0';
	hosts[2].frequency_hz = 2.55e9;
	hosts[1].waiting_us = 200LL * S;
	SAYS("slow-node: n1 was slow: threads there waited 3 min 20 s for a free CPU, 36 % of the "
	     "time they wanted to run, on the other hosts 10.0 s on average.");
	/* Long for all, and yet three times as long; then not. */
	hosts[0].waiting_us = hosts[2].waiting_us = 66LL * S;
	SAYS("slow-node: n1 was slow");
	hosts[0].waiting_us = hosts[2].waiting_us = 67LL * S;
	SILENT();
	hosts[1].waiting_us = 80LL * S;
	SILENT();
	hosts[0].waiting_us = PM_UNKNOWN;
	hosts[2].waiting_us = 10LL * S;
	hosts[1].waiting_us = 200LL * S;
	SAYS("n1 was slow: threads there waited 3 min 20 s");
	hosts[2].waiting_us = PM_UNKNOWN;
	SILENT();
}
END_TEST

/* Waits for a CPU cost no more than those on the critical path. */
START_TEST(waits_off_the_path)
{
	struct pm_criticalpath_step step[3] = {
		{ .process = 1, .doing = { 60e6, 3e6, NAN, 0 } },
		{ .process = 0, .doing = { NAN, NAN, NAN, NAN } },
		{ .process = 2, .doing = { 30e6, 2e6, NAN, 0 } },
	};
	struct pm_criticalpath path = { .step = step, .steps = 3 };

	f.time_waiting_us = 720LL * S;
	f.path = &path;
	f.hosts = 1;
	ck_assert_int_eq(stake_of("waiting-for-cpu"), 5LL * S);
	path.open = true;
	ck_assert_int_gt(stake_of("waiting-for-cpu"), 5LL * S);
	path.open = false;
	/* Ranks wait for each other, of which the path does not know. */
	f.ranks = 2;
	ck_assert_int_gt(stake_of("waiting-for-cpu"), 5LL * S);
	f.ranks = 0;
	ck_assert_int_eq(stake_of("waiting-for-cpu"), 5LL * S);
	step[2].doing.queue_us = NAN; /* of a process that was killed */
	ck_assert_int_gt(stake_of("waiting-for-cpu"), 5LL * S);
	f.path = NULL;
}
END_TEST

/* Threads that worked, and did not work alike; helpers that slept are not meant. */
START_TEST(threads_of_uneven_work)
{
	f.of_threads = (struct pm_fact_threads){ .process = 3,
						 .label = "app",
						 .pid = 7,
						 .host = 1,
						 .threads = 6,
						 .working = 6,
						 .least = 1 * S,
						 .most = 60LL * S,
						 .mean = 27e6,
						 .mean_working = 27e6 };
	SAYS("uneven-threads: The 6 threads of app (pid 7 on n0) had uneven work: the busiest used "
	     "1 min 00 s of CPU time, the mean of the 6 that worked is 27.0 s.");
	ck_assert_int_eq(stake_of("uneven-threads"), 33LL * S);
	f.of_threads.mean_working = 48e6 + 1;
	SILENT();
	f.of_threads.mean_working = 48e6;
	SAYS("uneven-threads");
	f.of_threads.working = 2; /* two compute, four are helpers */
	SILENT();
	f.of_threads.working = 3;
	SAYS("uneven-threads");
	f.of_threads.most = 20LL * S - 1; /* of 100 s */
	f.of_threads.mean_working = 1;
	SILENT();
	f.of_threads.most = 20LL * S;
	SAYS("uneven-threads");
	f.of_threads.threads = f.of_threads.working = 1;
	SILENT();
}
END_TEST

/* Ranks of one thread on more CPUs than ranks. */
START_TEST(ranks_of_one_thread)
{
	f.ranks = 4;
	f.most_threads = 1;
	f.cpu_us = 380LL * S;
	f.efficiency = 0.475;
	SAYS("idle-cpus: The 4 ranks have one thread each, and 8 CPUs: on average 3.8 were busy. "
	     "Give the ranks threads, start more of them, or ask for fewer CPUs.");
	f.most_threads = 2;
	SAYS("idle-cpus: On average 3.8 of 8 allocated CPUs were busy");
}
END_TEST

START_TEST(lost_segments)
{
	f.retransmits.count = 5000;
	f.retransmits.of = 100000;
	snprintf(f.retransmits.host, sizeof f.retransmits.host, "n1");
	SAYS("network: TCP sent 5 000 segments again on n1, 5.0 % of all that the host sent:");
	f.retransmits.of = 500001;
	SILENT();
	f.retransmits.of = 99900;
	f.retransmits.count = 999;
	SILENT();
}
END_TEST

START_TEST(a_full_network)
{
	for (size_t i = 0; i < 2; i++) {
		hosts[i].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 5000;
		hosts[i].summary[PM_NODESUMMARY_total_net_io_ext_recv_mb] = 5000;
	}
	SILENT(); /* its CPUs were busy all the same */
	f.efficiency = 0.69;
	f.cpu_us = 552LL * S;
	ck_assert_ptr_null(strstr(said(), "network: ")); /* 52 MB/s fill no link */
	for (size_t i = 0; i < 2; i++)
		hosts[i].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 10000;
	SAYS("network: Each host sent 105 MB and received 52.4 MB a second through its network "
	     "while "
	     "CPUs were idle: about what a link of 1 Gbit/s carries.");
	hosts[0].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 130000;
	hosts[1].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 70000;
	SAYS("carries. If theirs is one, it is the limit");
	SAYS("a link of 10 Gbit/s");
	hosts[0].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 10000;
	hosts[1].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 20000;
	ck_assert_ptr_null(
		strstr(said(), "network: ")); /* more than the one, little of the other */
	hosts[1].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 5000;
	hosts[0].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 0;
	ck_assert_ptr_null(strstr(said(), "network: "));
	hosts[0].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = NAN;
	ck_assert_ptr_null(strstr(said(), "network: "));
	/* What a job waits for that hardly uses a CPU. */
	hosts[0].summary[PM_NODESUMMARY_total_net_io_ext_sent_mb] = 5000;
	f.cpu_us = 20LL * S;
	f.system_us = S;
	f.efficiency = 0.025;
	f.hosts = 1;
	SAYS("mostly-waiting: The job mostly waited: 20.0 s of CPU time in 1 min 40 s, while its "
	     "hosts "
	     "sent and received 10.5 GB through their networks.");
	f.cgroup.io_us = 10LL * S;
	SAYS("For 10.0 s some of its processes waited for storage.");
	f.cgroup.io_us--;
	SAYS("through their networks");
}
END_TEST

START_TEST(how_often_it_woke)
{
	f.cpu_us = 20LL * S;
	f.system_us = S;
	f.efficiency = 0.025;
	f.vol_ctxsw = 100000;
	SAYS("no wait for storage was recorded. Its threads slept and woke all the time: locks");
	f.vol_ctxsw--;
	SAYS("no wait for storage was recorded. Usual reasons");
	f.vol_ctxsw = 999;
	SAYS("Its threads hardly woke: they slept, or waited for another program");
}
END_TEST

START_TEST(gpus_with_little_work)
{
	f.gpu.seen = f.gpu.sampled = 4;
	f.gpu.asked = f.gpu.most = 4;
	f.gpu.busy = 0.12;
	SAYS("low-gpu: 4 GPUs were used, and busy 12 % of the time on average, while the job kept "
	     "90 % "
	     "of its 8 CPUs busy. Often the GPU's work waits for what the CPUs prepare");
	SAYS("or ask for more CPUs or fewer GPUs.");
	f.efficiency = 0.79;
	SAYS("on average, the CPUs 79 % of it. Often it waits for input");
	f.efficiency = 0.9;
	f.gpu.busy = 0.3;
	SILENT();
	f.gpu.busy = NAN;
	SILENT();
	/* Those that were never busy are not meant. */
	f.gpu.busy = 0.29;
	f.gpu.idle = 1;
	SILENT_OF("low-gpu");
	f.gpu.busy = 0.225;
	SILENT_OF("low-gpu");
	f.gpu.busy = 0.22;
	SAYS("low-gpu: 3 GPUs were used, and busy 29 % of the time on average");
	f.gpu.busy = 0;
	f.gpu.idle = 4;
	ck_assert_ptr_null(strstr(said(), "low-gpu"));
	f.gpu.idle = 0;
	f.gpu.asked = PM_UNKNOWN;
	SILENT();
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		quota,
		quota_of_a_waiting_job,
		time_in_the_kernel,
		others_on_the_host,
		serial,
		locks,
		many_starts,
		ranks,
		nodes,
		one_slow_node,
		waits_off_the_path,
		threads_of_uneven_work,
		ranks_of_one_thread,
		lost_segments,
		a_full_network,
		how_often_it_woke,
		gpus_with_little_work,
	};
	Suite *s = suite_create("report_causes");
	TCase *t = tcase_create("causes");

	tcase_add_checked_fixture(t, two_hosts, NULL);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
