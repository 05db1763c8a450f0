/*
 * submit/job/nodesummary.c: the summaries of a node against values worked out by hand. Every vector
 * is a series file, read by submit/job/series.c;
 */
#include "config.h"

#include "submit/job/nodesummary.h"
#include "submit/job/series.h"
#include "submit/job/seriessummary.h"
#include "tests/unit/main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pm_images images;
static struct pm_series series;
static struct pm_series_file file;
static struct pm_nodesummary_of got;

static void line(const char *text)
{
	const char *why = "";
	struct pm_err e;
	int rc = pm_series_line(&file, text, strlen(text), &why, &e);

	ck_assert_msg(rc == 0, "%s: %s", text, rc > 0 ? why : e.text);
}

static void header(void)
{
	line("perfmon-series-1\tn\tb\t1000000\t.");
}

/* The series that the vectors have, numbered from 1; kinds and units follow from the source. */
static void declare(void)
{
	static const char *const name[] = {
		"cpu\tuser\tcpu0",        "cpu\tnice\tcpu0",       "cpu\tsystem\tcpu0",
		"cpu\tidle\tcpu0",        "cpu\tiowait\tcpu0",     "cpu\tuser\tcpu1",
		"cpu\tnice\tcpu1",        "cpu\tsystem\tcpu1",     "cpu\tidle\tcpu1",
		"cpu\tiowait\tcpu1",      "cpu\tcpus\t",           "memory\ttotal\t",
		"memory\tused\t",         "filesystem\tused\t/",   "filesystem\tavailable\t/",
		"disk\tread_bytes\t",     "disk\twrite_bytes\t",   "network\ttx_bytes\tlo",
		"network\trx_bytes\tlo",  "network\ttx_bytes\t",   "network\trx_bytes\t",
		"cpu\tguest\tcpu0",       "disk\tread_bytes\tsda", "network\ttx_bytes\teth0",
		"filesystem\tused\t/tmp",
	};

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		char text[128];
		int gauge = (i >= 10 && i < 15) || i == 24;

		snprintf(text, sizeof text, "series\t%zu\t%s\tx\t%s\t.", i + 1, name[i],
			 gauge ? "gauge" : "counter");
		line(text);
	}
}

/* A tick at this monotonic second; the wall clock is another matter. */
static void tick(double second, const char *values)
{
	static int64_t wall = 5000000;
	char text[1024];

	snprintf(text, sizeof text, "tick\t%lld\t%lld\t%s\t.", (long long)(wall += 7),
		 (long long)(second * 1e6), values);
	line(text);
}

static void make(void)
{
	pm_images_init(&images);
	pm_series_init(&series);
	pm_series_file_init(&file, &series, &images);
	header();
	declare();
}

static void unmake(void)
{
	pm_series_file_free(&file);
	pm_series_free(&series);
	pm_images_free(&images);
}

static int take_summary(void *ctx, uint32_t host, const struct pm_nodesummary_of *n,
			const struct pm_energy_meters *meters, struct pm_err *e)
{
	(void)ctx;
	(void)meters;
	(void)e;
	ck_assert_uint_eq(host, 0);
	got = *n;
	return 0;
}

/* Sum up what was read. */
static void sum(void)
{
	struct pm_err e;

	ck_assert_int_eq(pm_series_file_end(&file, &e), 0);
	ck_assert_int_eq(pm_series_sum_up(&series, 1, take_summary, NULL, &e), 0);
}

/* All 18 in the order of summaries.def; NAN: unknown. */
static void expect(const double want[PM_NODESUMMARIES], int samples, int unknown, int resets)
{
	sum();
	for (int i = 0; i < PM_NODESUMMARIES; i++)
		ck_assert_msg(
			isnan(want[i]) ? isnan(got.value[i]) : fabs(got.value[i] - want[i]) < 1e-9,
			"%s: %.12g, not %.12g", pm_nodesummary_info[i].name, got.value[i], want[i]);
	ck_assert_int_eq(got.samples, samples);
	ck_assert_int_eq(got.unknown, unknown);
	ck_assert_int_eq(got.resets, resets);
}

#define U NAN

START_TEST(zero_samples)
{
	const double want[PM_NODESUMMARIES] = {
		U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U
	};

	expect(want, 0, 0, 0);
}
END_TEST

/* Levels are known, what needs two samples is not. */
START_TEST(one_sample)
{
	const double want[PM_NODESUMMARIES] = { U, U,  U,  U, U, U, U, U, U,
						U, 25, 80, U, U, U, U, U, U };

	tick(100, "1=5000000 2=0 3=0 4=0 5=0 6=0 7=0 8=0 9=9 10=0 11=2 12=400 13=100 14=80 15=20 "
		  "16=1 17=1 18=1 19=1 20=1 21=1");
	expect(want, 1, 0, 0);
}
END_TEST

/*
 * Two CPUs, 10 s apart. Between the samples: cpu0 busy 10 of 10 and cpu1 10 of 10 (100 %); 10 and 6
 * (80 %); 4 and 0 (20 %, of the idle time some is iowait); 0 and 0. Means: 100, 80, 20, 0: 50.
 * 40 s of 2 CPUs are 80/3600 h. Counters stood at large values when the job began.
 */
START_TEST(two_cpus)
{
	const double want[PM_NODESUMMARIES] = { 100, 100, 100,         50,          25, 50,
						50,  75,  80 / 3600.0, 40 / 3600.0, 50, 75,
						3,   4,   1,           1.5,         10, 20 };

	tick(0, "1=700000000 2=5 3=6 4=9000000 5=0 6=1 7=2 8=3 9=4000000 10=0 11=2 12=400 13=100 "
		"14=50 15=50 16=1073741824 17=1073741824 18=1048576 19=1048576 20=7 21=9");
	tick(10, "1=709000000 2=500005 3=500006 4=9000000 5=0 6=10000001 7=2 8=3 9=4000000 10=0 "
		 "11=2 12=400 13=200 14=75 15=25 16=1074790400 17=1073741824 18=1048576 "
		 "19=1048576 20=10485767 21=9 22=9 23=99999999999 24=9999999999 25=1000000");
	tick(20, "1=719000000 2=500005 3=500006 4=9000000 5=0 6=16000001 7=2 8=3 9=8000000 10=0 "
		 "11=2 12=400 13=100 14=10 15=90 16=1076887552 17=1073741824 18=2097152 "
		 "19=2621440 20=10485767 21=9");
	tick(30, "1=719000000 2=4500005 3=500006 4=12000000 5=3000000 6=16000001 7=2 8=3 "
		 "9=18000000 10=0 11=2 12=400 13=100 14=10 15=90 16=1076887552 17=1077936128 "
		 "18=2097152 19=2621440 20=10485767 21=20971529");
	tick(40, "1=719000000 2=4500005 3=500006 4=22000000 5=3000000 6=16000001 7=2 8=3 "
		 "9=28000000 10=0 11=2 12=400 13=0 14=0 15=100 16=1076887552 17=1077936128 "
		 "18=2097152 19=2621440 20=10485767 21=20971529");
	expect(want, 5, 0, 0);
}
END_TEST

/* One CPU: busiest and idlest are the same. 5 s: 60 % and 100 %. No disks, no network. */
START_TEST(one_cpu)
{
	const double want[PM_NODESUMMARIES] = { 100, 100, 100,         80,         50, 50,
						100, 100, 10 / 3600.0, 2 / 3600.0, U,  U,
						U,   U,   U,           U,          U,  U };

	tick(0, "1=0 2=0 3=0 4=0 11=1");
	tick(5, "1=2000000 2=0 3=1000000 4=2000000 11=1 16=\\N:absent 20=\\N:absent");
	tick(10, "1=6000000 2=0 3=2000000 4=2000000 11=1 16=\\N:absent 20=\\N:absent");
	expect(want, 3, 0, 0);
}
END_TEST

/*
 * Samples count by the time between them: 100 % for 1 s, 0 % for 9 s. The mean is 10 %, not 50 %,
 * and so the unused hours are those that were idle.
 */
START_TEST(unequal_intervals)
{
	const double want[PM_NODESUMMARIES] = { 100, 100, 100,         10,         10, 10,
						10,  10,  10 / 3600.0, 9 / 3600.0, U,  U,
						U,   U,   U,           U,          U,  U };

	tick(0, "1=0 2=0 3=0 4=0 11=1");
	tick(1, "1=1000000 2=0 3=0 4=0 11=1");
	tick(10, "1=1000000 2=0 3=0 4=9000000 11=1");
	expect(want, 3, 0, 0);
}
END_TEST

/*
 * An unknown sample is left out of the mean and counted, and nothing is lost by it: the counters'
 * next values stand for the time since the last known ones. 0 s to 20 s: 50 %; to 30 s: 100 %.
 */
START_TEST(unknown_in_between)
{
	const double want[PM_NODESUMMARIES] = { 100,       100, 100, 200 / 3.0,   100 / 3.0,
						100 / 3.0, 100, 100, 30 / 3600.0, 10 / 3600.0,
						50,        U,   2,   U,           U,
						U,         U,   U };

	tick(0, "1=0 2=0 3=0 4=0 11=1 12=100 13=50 16=0");
	tick(10, "1=\\N:parse 2=\\N:parse 3=\\N:parse 4=\\N:parse 11=\\N:parse 12=100 13=\\N:parse "
		 "16=\\N:late");
	tick(20, "1=10000000 2=0 3=0 4=10000000 11=1 12=100 13=20 16=1048576");
	tick(30, "1=20000000 2=0 3=0 4=10000000 11=1 12=100 13=20 16=2097152");
	expect(want, 4, 1, 0);
}
END_TEST

/* A CPU that is not known in a sample is left out of that one: 100 % of cpu0, then (50 + 0) / 2. */
START_TEST(unknown_cpu)
{
	tick(0, "1=0 2=0 3=0 4=0 6=0 7=0 8=0 9=0");
	tick(10, "1=10000000 2=0 3=0 4=0 6=\\N:parse 7=0 8=0 9=10000000");
	tick(20, "1=15000000 2=0 3=0 4=5000000 6=0 7=0 8=0 9=20000000");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_avg], 100, 1e-9);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_min], 100, 1e-9);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_cpu_avg_utilization_pct], 62.5, 1e-9);
	ck_assert_int_eq(got.unknown, 0);
}
END_TEST

/*
 * Counters that fall began anew: what is known is the rest. CPUs: 100 % until 10 s, then a reset,
 * then 50 %: the mean is of 20 s. Disk: 1 MiB, reset, 2 MiB more.
 */
START_TEST(reset_counters)
{
	const double want[PM_NODESUMMARIES] = { 100, 100, 100, 75,          50,
						50,  100, 100, 30 / 3600.0, 7.5 / 3600.0,
						U,   U,   3,   U,           U,
						U,   U,   U };

	tick(0, "1=90000000 2=0 3=0 4=0 11=1 16=1048576");
	tick(10, "1=100000000 2=0 3=0 4=0 11=1 16=2097152");
	tick(20, "1=0 2=0 3=0 4=1000000 11=1 16=524288");
	tick(30, "1=5000000 2=0 3=0 4=6000000 11=1 16=2621440");
	expect(want, 4, 1, 2);
}
END_TEST

/* The kernel's idle times may fall a little: that is no reset. */
START_TEST(idle_times_fall)
{
	tick(0, "1=0 2=0 3=0 4=50 5=100");
	tick(10, "1=10000000 2=0 3=0 4=40 5=90");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_cpu_avg_utilization_pct], 100, 1e-9);
	ck_assert_int_eq(got.resets, 0);
}
END_TEST

/* Two samples in one tick of the kernel's clock say nothing, and cost nothing. */
START_TEST(faster_than_the_kernel)
{
	tick(0, "1=0 2=0 3=0 4=0");
	tick(0.004, "1=0 2=0 3=0 4=0");
	tick(0.010, "1=10000 2=0 3=0 4=0");
	tick(0.020, "1=10000 2=0 3=0 4=10000");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_cpu_avg_utilization_pct], 50, 1e-9);
	ck_assert_int_eq(got.unknown, 1);
}
END_TEST

/*
 * Files of a node come in any order, and the wall clock may be set: the monotonic clock counts. A
 * sampler that is started again declares its series anew; what happened meanwhile is the job's.
 */
START_TEST(any_order)
{
	tick(20, "1=10000000 2=0 3=0 4=10000000 11=1 16=3145728");
	tick(30, "1=20000000 2=0 3=0 4=10000000 11=1 16=4194304");
	header();
	declare();
	tick(0, "1=0 2=0 3=0 4=0 11=1 16=1048576");
	tick(10, "1=0 2=0 3=0 4=10000000 11=1 16=1048576");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_cpu_avg_utilization_pct], 200 / 3.0, 1e-9);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_total_disk_io_read_mb], 3, 1e-9);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_node_cpu_hours], 30 / 3600.0, 1e-12);
	ck_assert_int_eq(got.resets, 0);
}
END_TEST

/* A host whose boot id is not known is a host all the same. */
START_TEST(unknown_boot)
{
	line("perfmon-series-1\tn\t\\N\t1000000\t.");
	ck_assert_str_eq(images.host[1].hostname, "n");
	ck_assert_str_eq(images.host[1].boot_id, "");
}
END_TEST

/* CPUs that come and go count for as long as they are online. */
START_TEST(cpus_come_and_go)
{
	tick(0, "11=4");
	tick(10, "11=4");
	tick(20, "11=\\N:late");
	tick(30, "11=2");
	tick(40, "12=1 13=1");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_node_cpu_hours], 100 / 3600.0, 1e-12);
	ck_assert(isnan(got.value[PM_NODESUMMARY_node_unused_cpu_hours]));
}
END_TEST

/* Without times of each CPU those of all together give the mean; the extremes are unknown. */
START_TEST(all_together)
{
	line("series\t30\tcpu\tuser\t\tus\tcounter\t.");
	line("series\t31\tcpu\tnice\t\tus\tcounter\t.");
	line("series\t32\tcpu\tsystem\t\tus\tcounter\t.");
	line("series\t33\tcpu\tidle\t\tus\tcounter\t.");
	tick(0, "30=0 31=0 32=0 33=0");
	tick(10, "30=5000000 31=0 32=0 33=15000000");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_cpu_avg_utilization_pct], 25, 1e-9);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_avg], 25, 1e-9);
	ck_assert(isnan(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_max]));
	ck_assert(isnan(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_min]));
}
END_TEST

/* Without the times of each CPU the sampler tells of the busiest and the idlest; with them it does
 * not count. */
START_TEST(busiest_told)
{
	line("series\t30\tcpu\tbusiest\t\t0.01%\tgauge\t.");
	line("series\t31\tcpu\tidlest\t\t0.01%\tgauge\t.");
	line("series\t32\tcpu\tbusiest\t\t0.01%\tmax\t.");
	tick(0, "30=\\N:absent 31=\\N:absent");
	tick(10, "30=8012 31=500");
	tick(20, "30=7000 31=900 32=9033");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_max], 90.33, 1e-9);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_min], 9, 1e-9);
}
END_TEST

START_TEST(busiest_computed)
{
	line("series\t30\tcpu\tbusiest\t\t0.01%\tgauge\t.");
	tick(0, "1=0 2=0 3=0 4=0 30=9999");
	tick(10, "1=5000000 2=0 3=0 4=5000000 30=9999");
	sum();
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_cpu_pct_per_cpu_max], 50, 1e-9);
}
END_TEST

/* Of thinned samples the largest counts, not the last. */
START_TEST(largest_of_thinned)
{
	struct pm_nodesummary *n = pm_nodesummary_new();
	struct pm_err e;

	pm_nodesummary_value(n, pm_nodesummary_role("memory", "total", "", "gauge"), true, 100, &e);
	pm_nodesummary_value(n, pm_nodesummary_role("memory", "used", "", "gauge"), true, 10, &e);
	pm_nodesummary_value(n, pm_nodesummary_role("memory", "used", "", "max"), true, 90, &e);
	pm_nodesummary_value(n, pm_nodesummary_role("memory", "used", "", "min"), true, 99, &e);
	pm_nodesummary_value(n, pm_nodesummary_role("filesystem", "used", "/", "max"), true, 60,
			     &e);
	pm_nodesummary_value(n, pm_nodesummary_role("filesystem", "used", "/", "gauge"), true, 50,
			     &e);
	pm_nodesummary_value(n, pm_nodesummary_role("filesystem", "available", "/", "gauge"), true,
			     50, &e);
	pm_nodesummary_value(n, pm_nodesummary_role("filesystem", "available", "/", "max"), true,
			     70, &e);
	pm_nodesummary_tick(n, 1);
	pm_nodesummary_finish(n, &got);
	pm_nodesummary_free(n);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_mem_percent], 90, 1e-9);
	ck_assert_double_eq_tol(got.value[PM_NODESUMMARY_max_t_disk_usage_percent], 60, 1e-9);
}
END_TEST

/* Absurd series neither crash nor end in numbers that are none. */
START_TEST(absurd)
{
	static const char *const odd[] = { "cpu", "cpu-1", "cpu+1", "cpu99999", "cpu0x", "xcpu0" };
	const char *const most =
		"1=9223372036854775807 2=9223372036854775807 3=9223372036854775807 "
		"4=-9223372036854775807 11=9223372036854775807 12=0 13=5 14=1 "
		"15=-1 16=9223372036854775807";

	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
		ck_assert_int_eq(pm_nodesummary_role("cpu", "user", odd[i], "counter").part,
				 PM_NODESUMMARY_NOTHING);
	ck_assert_int_eq(pm_nodesummary_role("cpu", "user", "cpu65534", "counter").object, 65535);
	ck_assert_int_eq(pm_nodesummary_role("cpu", "user", "cpu0", "gauge").part,
			 PM_NODESUMMARY_NOTHING);
	tick(0,
	     "1=-9223372036854775807 2=0 3=0 4=9223372036854775807 11=-5 16=-9223372036854775807");
	tick(9e9, most);
	tick(9e9, most);
	sum();
	/* ticks of one time are one */
	ck_assert_int_eq(got.samples, 2);
}
END_TEST

static Suite *suite(void)
{
	const TTest *const tests[] = {
		zero_samples,      one_sample,
		two_cpus,          one_cpu,
		unequal_intervals, unknown_in_between,
		unknown_cpu,       reset_counters,
		idle_times_fall,   faster_than_the_kernel,
		any_order,         cpus_come_and_go,
		all_together,      busiest_told,
		busiest_computed,  largest_of_thinned,
		unknown_boot,      absurd,
	};
	Suite *s = suite_create("submit_node");
	TCase *t = tcase_create("node");

	tcase_add_checked_fixture(t, make, unmake);
	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
		tcase_add_test(t, tests[i]);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
