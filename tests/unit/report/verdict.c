/* report/advice/verdict.c, request.c: the six numbers and their words; what to ask for next time.
 */
#include "config.h"

#include "report/advice/request.h"
#include "report/advice/verdict.h"
#include "tests/unit/report/advice.h"

#include <math.h>

static struct pm_verdict v[PM_VERDICTS];

/* A number with its word and detail, as "number|word|detail". */
static const char *number(enum pm_verdict_id id)
{
	static char text[2 * PM_VERDICT_MAX];

	pm_verdicts(&f, v);
	snprintf(text, sizeof text, "%s|%s|%s", v[id].number, v[id].word, v[id].detail);
	return text;
}

#define NUMBER(id, want) ck_assert_str_eq(number(PM_VERDICT_##id), want)

START_TEST(nothing_known)
{
	pm_facts_init(&f, 1);
	NUMBER(CPU, "unknown||");
	NUMBER(MEMORY, "unknown||");
	NUMBER(IO, "unknown||");
	NUMBER(WAIT, "unknown||");
	NUMBER(GPU, "none seen||");
	NUMBER(ENERGY, "unknown||no meter read");
	for (int i = 0; i < PM_VERDICTS; i++)
		ck_assert_int_eq(v[i].level, PM_VERDICT_NONE);
}
END_TEST

START_TEST(half_known)
{
	f.time_waiting_us = 80LL * S;
	f.time_oncpu_us = PM_UNKNOWN;
	ck_assert_str_eq((number(PM_VERDICT_WAIT), v[PM_VERDICT_WAIT].number), "unknown");
	ck_assert_int_eq(v[PM_VERDICT_WAIT].level, PM_VERDICT_NONE);
	f.rchar = PM_UNKNOWN;
	ck_assert_str_eq((number(PM_VERDICT_IO), v[PM_VERDICT_IO].number), "unknown");
	ck_assert_int_eq(v[PM_VERDICT_IO].level, PM_VERDICT_NONE);
}
END_TEST

START_TEST(cpu)
{
	NUMBER(CPU, "90 %|good|7.2 of 8 CPUs busy on average");
	f.efficiency = 0.7;
	NUMBER(CPU, "70 %|fair|7.2 of 8 CPUs busy on average");
	f.efficiency = 0.701;
	NUMBER(CPU, "70 %|good|7.2 of 8 CPUs busy on average");
	f.efficiency = 0.401;
	NUMBER(CPU, "40 %|fair|7.2 of 8 CPUs busy on average");
	f.efficiency = 0.4;
	f.open = true;
	NUMBER(CPU, "40 %|low|7.2 of 8 CPUs busy on average so far");
	ck_assert_int_eq(v[PM_VERDICT_CPU].level, PM_VERDICT_BAD);
	f.efficiency = NAN;
	NUMBER(CPU, "unknown||7.2 CPUs busy on average, of how many is not recorded");
	f.running = 1;
	NUMBER(CPU, "unknown||known when its processes end");
}
END_TEST

START_TEST(memory)
{
	snprintf(f.rss_label, sizeof f.rss_label, "app");
	NUMBER(MEMORY, "12 %|fine|2.00 GB of 16.0 GB in app");
	f.rss_tree = 12000000000;
	NUMBER(MEMORY, "75 %|much|12.0 GB of 16.0 GB in all processes, sampled");
	f.hosts_count = 2;
	NUMBER(MEMORY, "12 %|fine|2.00 GB of 16.0 GB in app");
	f.cgroup.limit = 2200000000;
	NUMBER(MEMORY, "91 %|near the limit|2.00 GB of 2.20 GB in app");
	f.oom_kills = 1;
	NUMBER(MEMORY, "91 %|ran out|2.00 GB of 2.20 GB in app");
	f.memory = f.cgroup.limit = PM_UNKNOWN;
	f.oom_kills = 0;
	*f.rss_label = '\0';
	NUMBER(MEMORY, "2.00 GB||2.00 GB in the largest process");
}
END_TEST

START_TEST(input_and_waits)
{
	f.rchar = 3000000;
	f.wchar = 1000000;
	NUMBER(IO, "4.00 MB|fine|storage: 1.00 MB read, 1.00 MB written");
	/* Without its programs it is not known whether calls were small. */
	f.retired = true;
	ck_assert_str_eq(number(PM_VERDICT_IO), "4.00 MB||storage: 1.00 MB read, 1.00 MB written");
	f.retired = false;
	program.tiny_reads = 60000;
	program.tiny_writes = 40000;
	NUMBER(IO, "4.00 MB|small calls|storage: 1.00 MB read, 1.00 MB written");
	ck_assert_int_eq(v[PM_VERDICT_IO].level, PM_VERDICT_FAIR);
	program.tiny_reads = 960000;
	NUMBER(IO, "4.00 MB|small calls|storage: 1.00 MB read, 1.00 MB written");
	ck_assert_int_eq(v[PM_VERDICT_IO].level, PM_VERDICT_BAD);
	f.blkio_us = 100LL * S;
	NUMBER(IO, "4.00 MB|small calls|storage: 1.00 MB read, 1.00 MB written");
	f.blkio_us = 10LL * S;
	f.efficiency = 0.8; /* CPUs that were busy did not wait */
	NUMBER(IO, "4.00 MB|slow|storage: 1.00 MB read, 1.00 MB written");
	NUMBER(WAIT, "2.7 %|fine|20.0 s for a CPU, 10.0 s for storage");
	f.time_waiting_us = 80LL * S;
	f.blkio_us = PM_UNKNOWN;
	NUMBER(WAIT, "10 %|some|1 min 20 s for a CPU");
	f.time_waiting_us = 180LL * S;
	NUMBER(WAIT, "20 %|much|3 min 00 s for a CPU");
	/* It is known of processes that ended with a record: of less than half of the job, or while
	 * some run, it says nothing. */
	f.cpu_us = 2 * f.time_oncpu_us + 2;
	NUMBER(WAIT, "unknown||");
	f.cpu_us = 2 * f.time_oncpu_us;
	NUMBER(WAIT, "20 %|much|3 min 00 s for a CPU");
	f.running = 1;
	NUMBER(WAIT, "unknown||");
	f.running = 0;
}
END_TEST

START_TEST(devices)
{
	f.gpu.seen = f.gpu.sampled = 4;
	f.gpu.busy = 0.12;
	NUMBER(GPU, "12 %|low|mean of 4 GPUs");
	f.gpu.idle = 3;
	f.gpu.busy = 0.8;
	NUMBER(GPU, "80 %|good|3 of 4 GPUs never busy");
	f.gpu.busy = NAN;
	NUMBER(GPU, "unknown||");
	f.gpu_us = 3LL * S;
	NUMBER(GPU, "unknown||3.00 s of engines");
	f.energy.uj = 12300000000;
	f.energy.mean_uw = 205000000;
	f.energy.hosts = 1;
	snprintf(f.energy.method, sizeof f.energy.method, "counter");
	NUMBER(ENERGY, "12.3 kJ||205 W on average, by counter");
}
END_TEST

static const char *outcome(void)
{
	static char text[PM_VERDICT_MAX];

	return pm_verdict_outcome(text, &f);
}

START_TEST(outcomes)
{
	ck_assert_str_eq(outcome(), "succeeded");
	ck_assert_int_eq(pm_verdict_of_outcome(&f), PM_VERDICT_GOOD);
	f.oom_kills = 1;
	ck_assert_str_eq(outcome(), "succeeded, but ran out of memory");
	ck_assert_int_eq(pm_verdict_of_outcome(&f), PM_VERDICT_BAD);
	f.exit_status = 3;
	ck_assert_str_eq(outcome(), "failed with exit status 3, out of memory");
	f.oom_kills = 0;
	f.exit_status = PM_UNKNOWN;
	f.exit_signal = SIGTERM;
	ck_assert_str_eq(outcome(), "ended by SIGTERM");
	f.exit_signal = PM_UNKNOWN;
	ck_assert_str_eq(outcome(), "ended, how is not recorded");
	ck_assert_int_eq(pm_verdict_of_outcome(&f), PM_VERDICT_NONE);
	f.open = true;
	ck_assert_str_eq(outcome(), "not closed yet");
	f.running = 2;
	ck_assert_str_eq(outcome(), "still running as far as recorded");
	f.unstarted = true;
	f.exit_status = 127;
	ck_assert_str_eq(outcome(), "not started: exit status 127");
}
END_TEST

/* All requests, a line each: "name: asked|used|next". */
static const char *requests(void)
{
	static char text[4 * 4 * PM_REQUEST_MAX];
	struct pm_request list[PM_REQUESTS];
	size_t n = pm_requests(&f, list), len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		ck_assert(!(list[i].fits && *list[i].next));
		ck_assert_int_eq(*list[i].next != '\0', list[i].next_n != PM_UNKNOWN);
		len += (size_t)snprintf(text + len, sizeof text - len, "%s: %s|%s|%s%s\n",
					list[i].name, list[i].asked, list[i].used, list[i].next,
					list[i].fits ? "fits" : "");
	}
	return text;
}

#define REQUESTS(want) ck_assert_str_eq(requests(), want)

START_TEST(only_of_batch_jobs)
{
	REQUESTS("");
	snprintf(f.scheduler, sizeof f.scheduler, "none");
	REQUESTS("");
	snprintf(f.scheduler, sizeof f.scheduler, "slurm");
	REQUESTS("CPUs: 8|7.2 on average|fits\n");
}
END_TEST

START_TEST(cpus_by_task_and_node)
{
	snprintf(f.scheduler, sizeof f.scheduler, "slurm");
	f.cpu_us = 240LL * S;
	f.efficiency = 0.3;
	REQUESTS("CPUs: 8|2.4 on average|3\n");
	/* By samples: what sufficed for 95 % of the time. */
	f.sampled = true;
	for (int n = 0; n < 64; n++)
		f.busy_at_most[n] = n < 5 ? 0.9 : 0.96;
	REQUESTS("CPUs: 8|2.4 on average|5\n");
	/* Each of the tasks has a CPU at least, and all have as many. */
	f.request.tasks = 4;
	REQUESTS("CPUs: 8 for 4 tasks|2.4 on average|fits\n");
	f.sampled = false;
	REQUESTS("CPUs: 8 for 4 tasks|2.4 on average|4: 1 a task\n");
	f.hosts_count = 2;
	REQUESTS("CPUs: 8 for 4 tasks on 2 nodes|2.4 on average|4: 1 a task\n");
	/* What failed may have needed more. */
	f.exit_status = 1;
	REQUESTS("CPUs: 8 for 4 tasks on 2 nodes|2.4 on average|\n");
	f.exit_status = 0;
	f.running = 1;
	REQUESTS("CPUs: 8 for 4 tasks on 2 nodes||\n");
	f.cpus = PM_UNKNOWN;
	REQUESTS("");
}
END_TEST

START_TEST(memory_by_node)
{
	struct pm_fact_host host[2] = { { .rss_peak = 2500000000 }, { .rss_peak = 3000000000 } };

	snprintf(f.scheduler, sizeof f.scheduler, "slurm");
	f.cpus = PM_UNKNOWN;
	f.runs = 2;
	f.limited = true;
	f.memory = 16000000000;
	REQUESTS("Memory: 16.0 GB|at least 2.00 GB (one process)|\n");
	f.runs = 1;
	REQUESTS("Memory: 16.0 GB|2.00 GB|2.41 GB, 2300 MiB\n");
	f.host = host;
	f.hosts = 2;
	f.hosts_count = 2;
	REQUESTS("Memory: 16.0 GB a node|3.00 GB|3.67 GB, 3500 MiB\n");
	f.request.memory_node = 4000000000;
	REQUESTS("Memory: 4.00 GB a node|3.00 GB|fits\n");
	f.request.memory_node = PM_UNKNOWN;
	f.request.memory_cpu = 4000000000;
	f.cpus = 8;
	f.efficiency = 0.9;
	REQUESTS("CPUs: 8 on 2 nodes|7.2 on average|fits\n"
		 "Memory: 16.0 GB a node|3.00 GB|3.67 GB, 875 MiB a CPU\n");
	f.oom_kills = 1;
	f.exit_signal = SIGKILL;
	REQUESTS("CPUs: 8 on 2 nodes|7.2 on average|\n"
		 "Memory: 16.0 GB a node|3.00 GB, then it ran out|24.1 GB, 5750 MiB a CPU\n");
	f.limited = false;
	f.request.memory_cpu = PM_UNKNOWN;
	REQUESTS("CPUs: 8 on 2 nodes|7.2 on average|\n");
}
END_TEST

START_TEST(time_and_gpus)
{
	snprintf(f.scheduler, sizeof f.scheduler, "slurm");
	f.cpus = PM_UNKNOWN;
	f.request.wall_us = 3600LL * S;
	REQUESTS("Time: 1 h 00 min|1 min 40 s|3 min 00 s\n");
	f.wall_us = 2400LL * S;
	REQUESTS("Time: 1 h 00 min|40 min 00 s|50 min 00 s\n");
	f.wall_us = 2520LL * S;
	REQUESTS("Time: 1 h 00 min|42 min 00 s|fits\n");
	f.open = true;
	REQUESTS("Time: 1 h 00 min||\n");
	f.request.wall_us = PM_UNKNOWN;
	f.request.gpus = 4;
	f.gpu.seen = f.gpu.sampled = f.gpu.most = 4;
	f.gpu.idle = 3;
	REQUESTS("GPUs: 4|1 ever busy|1\n");
	f.gpu.idle = 4;
	REQUESTS("GPUs: 4|0 ever busy|none\n");
	f.gpu.idle = 0;
	REQUESTS("GPUs: 4|4 ever busy|fits\n");
	f.gpu.most = f.gpu.seen = f.gpu.sampled = 8; /* those of others, too */
	REQUESTS("GPUs: 4||\n");
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		nothing_known,         half_known,     cpu,           memory,
		input_and_waits,       devices,        outcomes,      only_of_batch_jobs,
		cpus_by_task_and_node, memory_by_node, time_and_gpus,
	};
	Suite *s = suite_create("report_verdict");
	TCase *t = tcase_create("verdict");

	tcase_add_checked_fixture(t, healthy, NULL);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
