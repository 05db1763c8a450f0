/* report/advice/: which cause explains which symptom, and the rules of storage and of scripts that
 * start again and again. */
#include "config.h"

#include "report/advice/verdict.h"
#include "tests/unit/report/hosts.h"

static struct pm_advice list[PM_ADVICE_RULES];

/* What a rule says; NULL: it is silent. */
static const struct pm_advice *of_rule(const char *id)
{
	const size_t n = pm_advice_list(&f, list);

	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].id, id) == 0)
			return &list[i];
	return NULL;
}

static bool effect(const char *id)
{
	const struct pm_advice *a = of_rule(id);

	ck_assert_msg(a != NULL, "%s is silent", id);
	return a->effect;
}

/* A job of one host that reads 5 GB in 100 s, for which its CPUs were idle. */
static void reader(void)
{
	two_hosts();
	f.hosts = f.hosts_count = 1;
	f.efficiency = 0.1;
	f.cpu_us = 80LL * S;
	f.time_oncpu_us = 80LL * S;
	f.time_waiting_us = 0;
	f.read_bytes = program.read_bytes = 5000000000;
	f.write_bytes = program.write_bytes = 0;
	f.rchar = program.rchar = 6000000000;
	f.wchar = 0;
	program.syscr = 60000;
	f.iowait_us.count = 30LL * S;
	snprintf(f.iowait_us.host, sizeof f.iowait_us.host, "n0");
}

START_TEST(slow_storage)
{
	reader();
	SAYS("storage: app read 5.00 GB from storage, 50.0 MB a second, in calls of 100 kB on "
	     "average; CPUs "
	     "of n0 stood idle for storage for 30.0 s in all. Move less of it");
	ck_assert_int_eq(of_rule("storage")->cost_us, 30LL * S);
	f.iowait_us.count = 10LL * S;
	SAYS("storage: ");
	f.iowait_us.count--;
	SILENT_OF("storage: ");
	/* Its own waits are told first. */
	f.cgroup.io_us = 20LL * S;
	SAYS("; for 20.0 s some of the job's processes waited for storage.");
	f.blkio_us = 10LL * S;
	SAYS("; the job's processes waited 10.0 s for storage.");
	/* It is a sum over processes beside each other: CPUs that were busy did not wait. */
	f.blkio_us = 1000LL * S;
	f.efficiency = 0.75;
	SAYS("storage: ");
	ck_assert_int_eq(of_rule("storage")->cost_us, 25LL * S);
	f.efficiency = 0.91;
	SILENT_OF("storage: ");
	f.efficiency = 0.1;
	f.blkio_us = 10LL * S;
	/* A program that moved less than a third is not told, nor what went the other way. */
	program.read_bytes = 0;
	program.write_bytes = 3000000000;
	SAYS("storage: The job read 5.00 GB from storage, 50.0 MB a second; the job's processes");
	program.read_bytes = 2000000000;
	SAYS("storage: app read 2.00 GB from storage, 20.0 MB a second, in calls");
	program.read_bytes = 5000000000;
	program.write_bytes = 0;
	/* Little was moved; or by no call: faults are told by another rule. */
	f.read_bytes = 1999999999;
	SILENT_OF("storage: ");
	f.read_bytes = 2000000000;
	SAYS("storage: ");
	f.rchar = 1999999999;
	SILENT_OF("storage: ");
	/* Writes as well. */
	f.read_bytes = f.rchar = 0;
	f.write_bytes = program.write_bytes = f.wchar = program.wchar = 3000000000;
	SAYS("storage: app wrote 3.00 GB to storage, 30.0 MB a second, in calls of 150 kB on "
	     "average");
}
END_TEST

START_TEST(files_read_again)
{
	reader();
	f.refaulted.count = 2500000000;
	snprintf(f.refaulted.host, sizeof f.refaulted.host, "n0");
	SAYS(". 2.50 GB of what n0 read had been in memory a short while before, which had no room "
	     "to keep it. Use a "
	     "host with more memory, or read each part once.");
	f.limited = true;
	f.memory = 4000000000;
	SAYS("no room to keep it: the limit of the job's control group, 4.00 GB, counts cached "
	     "files, too. Ask for more "
	     "memory, or");
	f.refaulted.count--;
	SAYS("Move less of it");
}
END_TEST

/* The verdicts on storage and memory say the same. */
START_TEST(words_of_a_reader)
{
	struct pm_verdict v[PM_VERDICTS];

	reader();
	f.limited = true;
	f.memory = 20000000000;
	f.cgroup.limit_hits = 1000;
	pm_verdicts(&f, v);
	ck_assert_str_eq(v[PM_VERDICT_IO].word, "slow");
	ck_assert_ptr_nonnull(strstr(v[PM_VERDICT_MEMORY].detail,
				     "; the rest was not the programs' own, such as cached files"));
	f.iowait_us.count = S;
	f.cgroup.limit_hits = 999;
	pm_verdicts(&f, v);
	ck_assert_str_eq(v[PM_VERDICT_IO].word, "fine");
	ck_assert_ptr_null(strstr(v[PM_VERDICT_MEMORY].detail, "cached"));
}
END_TEST

START_TEST(word_of_a_kernel)
{
	struct pm_verdict v[PM_VERDICTS];

	f.system_us = 238LL * S;
	pm_verdicts(&f, v);
	ck_assert_str_eq(v[PM_VERDICT_CPU].word, "busy, much in the kernel");
	ck_assert_ptr_nonnull(
		strstr(v[PM_VERDICT_CPU].detail, "busy on average, 33 % of it in the kernel"));
	f.system_us = 237LL * S;
	pm_verdicts(&f, v);
	ck_assert_str_eq(v[PM_VERDICT_CPU].word, "good");
	/* A low one stays one. */
	f.efficiency = 0.3;
	f.system_us = 500LL * S;
	pm_verdicts(&f, v);
	ck_assert_str_eq(v[PM_VERDICT_CPU].word, "low");
}
END_TEST

START_TEST(scripts_that_start_again)
{
	snprintf(program.label, sizeof program.label, "python3.11 point.py");
	program.runs = 140;
	program.cpu_us = 700LL * S;
	SAYS("repeated-start: python3.11 point.py ran 140 times, with 5.00 s of CPU time each, 11 "
	     "min 40 s in all. Each run "
	     "starts the interpreter");
	program.runs = 139; /* longer runs are work */
	SILENT_OF("repeated-start");
	program.runs = 19;
	program.cpu_us = 90LL * S;
	SILENT_OF("repeated-start");
	program.runs = 20;
	f.cpu_us = 270LL * S;
	f.efficiency = 0.9;
	f.cpus = 3;
	SAYS("repeated-start");
	f.cpu_us = 271LL * S;
	f.cpu_us += 2 * S;
	SILENT_OF("repeated-start");
	f.cpu_us = 270LL * S;
	/* A shell starts at once. */
	snprintf(program.label, sizeof program.label, "bash point.sh");
	SILENT_OF("repeated-start");
}
END_TEST

START_TEST(what_explains_what)
{
	/* Storage: idle CPUs, and time in the kernel. */
	reader();
	f.iowait_us.count = 90LL * S;
	f.system_us = 60LL * S;
	ck_assert(!effect("storage") && effect("single-threaded") && effect("system-time"));
	f.iowait_us.count = 12LL * S; /* less than a third of what is idle */
	ck_assert(!effect("single-threaded"));

	/* A slow node: waits for a CPU. */
	pm_facts_init(&f, 1);
	two_hosts();
	hosts[1].waiting_us = 200LL * S;
	f.time_waiting_us = 210LL * S;
	ck_assert(!effect("slow-node") && effect("waiting-for-cpu"));

	/* Swap: faults. */
	pm_facts_init(&f, 1);
	healthy();
	f.majflt = 200000;
	f.swapped.count = 900000000000;
	snprintf(f.swapped.host, sizeof f.swapped.host, "n0");
	ck_assert(!effect("swapping") && effect("major-faults"));
	f.swapped.count = 0;
	ck_assert(!effect("major-faults"));
}
END_TEST

/* A serial phase explains threads that did less, and a job that used one CPU on average. */
START_TEST(a_serial_middle)
{
	f.cpus = 2;
	f.cpu_us = 110LL * S;
	f.time_oncpu_us = f.cpu_us;
	f.efficiency = 0.55;
	f.line_us = f.wall_us;
	f.cpu.known = true;
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		f.cpu.step[i] = i < 1 || i >= PM_FACTS_STEPS - 2 ? 1.9 : 1;
	f.of_threads = (struct pm_fact_threads){ .process = 1,
						 .label = "app",
						 .threads = 2,
						 .working = 2,
						 .least = 20LL * S,
						 .most = 90LL * S,
						 .mean = 55 * S,
						 .mean_working = 55 * S };
	ck_assert(!effect("serial-phase") && effect("uneven-threads"));
	f.of_threads.working = 1;
	ck_assert(!effect("serial-phase") && effect("single-threaded"));
	f.cpu.step[0] = 1; /* two steps in parallel may be a rounding */
	SILENT_OF("serial-phase");
	ck_assert(!effect("single-threaded"));
	/* Threads that did as much each were not too few: they waited. */
	f.of_threads.working = 2;
	f.of_threads.most = 56LL * S;
	SILENT_OF("single-threaded");
	SAYS("idle-cpus");
}
END_TEST

/* Threads that take turns on too few CPUs: what the kernel needs for that is at stake, too. */
START_TEST(more_threads_than_cpus)
{
	f.cpus = 2;
	f.cpu_us = f.time_oncpu_us = 180LL * S;
	f.time_waiting_us = 400LL * S;
	f.efficiency = 0.9;
	f.system_us = 100LL * S;
	program.numtids = 12;
	f.vol_ctxsw = 2500000; /* 10 s */
	ck_assert_int_eq(of_rule("waiting-for-cpu")->cost_us, 60LL * S);
	ck_assert(effect("system-time"));
	f.vol_ctxsw--;
	ck_assert_int_eq(of_rule("waiting-for-cpu")->cost_us, 10LL * S - 1);
	ck_assert(!effect("system-time"));
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		slow_storage,     files_read_again,         words_of_a_reader,
		word_of_a_kernel, scripts_that_start_again, what_explains_what,
		a_serial_middle,  more_threads_than_cpus,
	};
	Suite *s = suite_create("report_explained");
	TCase *t = tcase_create("explained");

	tcase_add_checked_fixture(t, healthy, NULL);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
