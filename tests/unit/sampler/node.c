/* Sources of the node on recorded trees: cpu beside its times, vmstat, numa, pressure, load. */
#include "config.h"

#include "tests/unit/sampler/source.h"

/* --- cpu: what follows the CPUs --------------------------------------------------------------- */

#define CPUS "cpu  30 0 0 0 0 0 0 0 0 0\ncpu0 10 0 0 0 0 0 0 0 0 0\ncpu1 20 0 0 0 0 0 0 0 0 0\n"

START_TEST(stat_rest)
{
	root_put("proc/stat", CPUS "intr 8885917 17 0\nctxt 38014093\nbtime 1418183276\n"
				   "processes 26442\nprocs_running 2\nprocs_blocked 1\n"
				   "softirq 5057579 250191 1481983 1647 211099 186066 0 1783454 "
				   "622196 12499 508444\n");
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_known("interrupts", "", 8885917);
	check_known("context_switches", "", 38014093);
	check_known("forks", "", 26442);
	check_known("running", "", 2);
	check_known("blocked", "", 1);
	check_known("softirqs", "", 5057579);
	check_known("softirqs", "hi", 250191);
	check_known("softirqs", "timer", 1481983);
	check_known("softirqs", "irq_poll", 0);
	check_known("softirqs", "rcu", 508444);
	ck_assert_int_eq(objects("softirqs"), 10);
	/* Fewer lines and kinds, as Linux 2.6.31 had; in another order. */
	root_put("proc/stat", CPUS "softirq 12 3 4\nprocs_running 5\nintr 6\n");
	sample();
	check_known("softirqs", "", 12);
	check_known("softirqs", "timer", 4);
	check_unknown("softirqs", "net_tx", PM_REASON_unsupported);
	check_known("running", "", 5);
	check_known("interrupts", "", 6);
	check_unknown("blocked", "", PM_REASON_absent);
	check_unknown("forks", "", PM_REASON_absent);
	/* Garbage in one line is that line's alone. */
	root_put("proc/stat", CPUS "intr x\nctxt 1x\nprocesses 18446744073709551615\n"
				   "softirq 7 1 y 3\nprocs_blocked 9\nprocs_running 8");
	sample();
	check_unknown("interrupts", "", PM_REASON_parse);
	check_unknown("context_switches", "", PM_REASON_parse);
	check_unknown("forks", "", PM_REASON_parse);
	check_known("softirqs", "", 7);
	check_known("softirqs", "hi", 1);
	check_unknown("softirqs", "timer", PM_REASON_parse);
	check_known("blocked", "", 9);
	check_unknown("running", "", PM_REASON_absent); /* its line was cut */
	end();
}
END_TEST

/* --- cpu: allocated --------------------------------------------------------------------------- */

/* One line of /proc/stat for each of these CPUs: all columns from a base. */
static void put_cpus(const int *cpu, const int *base, int n)
{
	char text[4096] = "cpu  1 2 3 4 5 6 7 8 9 10\n";

	for (int i = 0; i < n; i++) {
		size_t at = strlen(text);

		snprintf(text + at, sizeof text - at, "cpu%d %d %d %d %d %d %d %d %d %d %d\n",
			 cpu[i], base[i] + 1, base[i] + 2, base[i] + 3, base[i] + 4, base[i] + 5,
			 base[i] + 6, base[i] + 7, base[i] + 8, base[i] + 9, base[i] + 10);
	}
	strcat(text, "intr 1\n");
	root_put("proc/stat", text);
}

#define STATUS(list) "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t" list "\nMems_allowed:\t1\n"

/* user, nice, system, irq, softirq; not guest, which is in user, nor guest_nice */
#define BUSY(ticks) (5 * (ticks)*10000)
#define IDLE(ticks) (2 * (ticks)*10000)

START_TEST(allocated)
{
	job = 77;
	root_put("proc/77/status", STATUS("1-2,5-300"));
	put_cpus((int[]){ 0, 1, 2, 3 }, (int[]){ 0, 0, 0, 0 }, 4);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_known("cpus", "", 4);
	check_known("allocated", "", 2);
	check_known("allocated_busy", "", 0);
	check_known("allocated_idle", "", 0);
	check_known("allocated_steal", "", 0);
	put_cpus((int[]){ 0, 1, 2, 3 }, (int[]){ 1000, 3, 4, 1000 }, 4);
	sample();
	check_known("allocated_busy", "", BUSY(7));
	check_known("allocated_idle", "", IDLE(7));
	check_known("allocated_steal", "", 70000);
	/* Other CPUs from now on: the sums go on, what these did before is not in them. */
	root_put("proc/77/status", STATUS("3"));
	put_cpus((int[]){ 0, 1, 2, 3 }, (int[]){ 2000, 9, 9, 1001 }, 4);
	sample();
	check_known("allocated", "", 1);
	check_known("allocated_busy", "", BUSY(8));
	/* A CPU goes offline and comes back, with less; another is there. */
	put_cpus((int[]){ 0 }, (int[]){ 2000 }, 1);
	sample();
	check_known("allocated", "", 0);
	check_known("allocated_busy", "", BUSY(8));
	put_cpus((int[]){ 0, 3 }, (int[]){ 2000, 5 }, 2);
	sample();
	check_known("allocated_busy", "", BUSY(8));
	put_cpus((int[]){ 0, 3 }, (int[]){ 2000, 6 }, 2);
	sample();
	check_known("allocated_busy", "", BUSY(9));
	/* The process ends: its last CPUs stand. */
	root_remove_path("proc/77");
	put_cpus((int[]){ 0, 3 }, (int[]){ 2000, 8 }, 2);
	sample();
	check_known("allocated", "", 1);
	check_known("allocated_busy", "", BUSY(11));
	end();
}
END_TEST

static const struct {
	const char *status;
	enum pm_reason reason;
} bad_status[] = {
	{ "", PM_REASON_parse },
	{ "Name:\tx\n", PM_REASON_absent },
	{ STATUS(""), PM_REASON_parse },
	{ STATUS("x"), PM_REASON_parse },
	{ STATUS("1-"), PM_REASON_parse },
	{ STATUS("2-1"), PM_REASON_parse },
	{ STATUS("1,"), PM_REASON_parse },
	{ STATUS("1 2"), PM_REASON_parse },
	{ STATUS("65536"), PM_REASON_parse },
	{ STATUS("0-99999999999999999999"), PM_REASON_parse },
	{ "x\nCpus_allowed_list:\t1", PM_REASON_parse },
};

/* Of a large machine: those at both ends of each range, and none beside them. */
START_TEST(allocated_many)
{
	static const int cpu[] = { 62, 63, 64, 71, 72, 255, 256, 257, 1022, 1023, 1024 };
	static const bool mine[] = { 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 0 };
	int base[11] = { 0 }, sum = 0;

	job = 77;
	root_put("proc/77/status", STATUS("63-71,256,1023,2000-65535"));
	put_cpus(cpu, base, 11);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_known("allocated", "", 5);
	for (int i = 0; i < 11; i++) {
		base[i] += 1 + i;
		sum += mine[i] ? 1 + i : 0;
		put_cpus(cpu, base, 11);
		sample();
		check_known("allocated_busy", "", BUSY(sum));
		check_known("allocated_idle", "", IDLE(sum));
	}
	end();
}
END_TEST

START_TEST(allocated_garbled)
{
	root_put("proc/self/status", bad_status[_i].status);
	put_cpus((int[]){ 0, 1 }, (int[]){ 0, 0 }, 2);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_unknown("allocated", "", bad_status[_i].reason);
	check_unknown("allocated_busy", "", bad_status[_i].reason);
	check_known("user", "cpu1", 10000);
	root_put("proc/self/status", STATUS("0-1"));
	sample();
	check_known("allocated", "", 2);
	/* The times of one of them are garbage once: what it did counts when they are read again.
	 */
	root_put("proc/stat", "cpu  1 2 3 4 5 6 7 8\ncpu0 x\ncpu1 1 2 3 4 5 6 7 8 9 10\nintr 1\n");
	sample();
	check_known("allocated", "", 2);
	check_unknown("allocated_busy", "", PM_REASON_parse);
	put_cpus((int[]){ 0, 1 }, (int[]){ 4, 0 }, 2);
	sample();
	check_known("allocated_busy", "", BUSY(4));
	end();
}
END_TEST

START_TEST(allocated_absent)
{
	put_cpus((int[]){ 0 }, (int[]){ 0 }, 1);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_unknown("allocated", "", PM_REASON_absent);
	check_unknown("allocated_busy", "", PM_REASON_absent);
	check_known("cpus", "", 1);
	end();
}
END_TEST

/* --- vmstat ----------------------------------------------------------------------------------- */

/* Linux 3.x counted some by zone; its keys need not come in our order. */
START_TEST(vmstat_zones)
{
	root_put("proc/vmstat", "nr_free_pages 977769\npgpgin 3\npgpgout 4\npgalloc_dma 12\n"
				"pgalloc_dma32 100\npgalloc_normal 1000\npgalloc_movable 0\n"
				"pgsteal_kswapd_dma 1\npgsteal_kswapd_dma32 2\n"
				"pgsteal_kswapd_normal 4\npgsteal_kswapd_high 8\n"
				"pgscan_direct_dma32 67\npgscan_direct_normal 6796\n"
				"pgscan_direct_throttle 50\nallocstall 83165\n"
				"workingset_refault 157066\nnuma_hit 2601972389\noom_kill_x 7\n");
	ck_assert_int_eq(begin(&pm_source_vmstat), 0);
	sample();
	check_known("pgpgin", "", 3 * 1024);
	check_known("pgpgout", "", 4 * 1024);
	check_known("pgalloc", "", 1112);
	check_known("pgsteal_kswapd", "", 15);
	check_known("pgscan_direct", "", 6863);
	check_known("allocstall", "", 83165);
	check_known("refault", "", 157066);
	check_known("numa_hit", "", 2601972389);
	check_unknown("refault_file", "", PM_REASON_absent);
	check_unknown("oom_kill", "", PM_REASON_absent);
	check_unknown("pgfault", "", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(vmstat_garbled)
{
	root_put("proc/vmstat", "pgfault 1 2\npgmajfault -1\npgalloc_dma x\npgalloc_normal 5\n"
				"pgpgin 9223372036854775807\npswpin \npswpout\n\n \npgfree 8\n"
				"pgfree 9\nallocstall_dma 9223372036854775807\n"
				"allocstall_normal 1\noom_kill 3");
	ck_assert_int_eq(begin(&pm_source_vmstat), 0);
	sample();
	check_unknown("pgfault", "", PM_REASON_parse);
	check_unknown("pgmajfault", "", PM_REASON_parse);
	check_unknown("pgalloc", "", PM_REASON_parse); /* a part of it is not known */
	check_unknown("pgpgin", "", PM_REASON_parse);
	check_unknown("pswpin", "", PM_REASON_parse);
	check_unknown("pswpout", "", PM_REASON_parse);
	check_known("pgfree", "", 8);
	check_unknown("allocstall", "", PM_REASON_parse);
	check_unknown("oom_kill", "", PM_REASON_parse); /* cut: it may have had more digits */
	root_put("proc/vmstat", "pgfault 77\n");
	sample();
	check_known("pgfault", "", 77);
	check_unknown("pgfree", "", PM_REASON_absent);
	end();
}
END_TEST

/* --- numa ------------------------------------------------------------------------------------- */

#define NODE "sys/devices/system/node/"

START_TEST(numa)
{
	root_put(NODE "node0/meminfo",
		 "Node 0 MemTotal:       134182340 kB\nNode 0 MemFree:        53030372 kB\n"
		 "Node 0 MemUsed:        81151968 kB\nNode 0 Active:  5456380 kB\n"
		 "Node 0 FilePages:      70170916 kB\nNode 0 AnonPages:        788196 kB\n"
		 "Node 0 HugePages_Total:     12\n");
	root_put(NODE "node0/numastat", "numa_hit 193460335812\nnuma_miss 12624528\n"
					"numa_foreign 59858623300\ninterleave_hit 57146\n"
					"local_node 193454780853\nother_node 18179487\n");
	root_put(NODE "node10/meminfo", "Node 10 MemTotal: x kB\nNode 10 MemFree: 5 kB\nNode 10\n");
	root_put(NODE "nodex/meminfo", "");
	root_put(NODE "online", "0,10\n");
	ck_assert_int_eq(begin(&pm_source_numa), 0);
	sample();
	ck_assert_int_eq(objects("total"), 2);
	check_known("total", "node0", 134182340L * 1024);
	check_known("used", "node0", 81151968L * 1024);
	check_known("file", "node0", 70170916L * 1024);
	check_known("anonymous", "node0", 788196L * 1024);
	check_known("huge_pages", "node0", 12);
	check_unknown("shared", "node0", PM_REASON_absent);
	check_known("hit", "node0", 193460335812);
	check_known("foreign", "node0", 59858623300);
	check_known("interleave", "node0", 57146);
	check_known("local", "node0", 193454780853);
	check_known("other", "node0", 18179487);
	check_unknown("total", "node10", PM_REASON_parse);
	check_known("free", "node10", 5 * 1024);
	check_unknown("hit", "node10", PM_REASON_absent);
	/* A node whose memory is unplugged. */
	root_remove_path(NODE "node0");
	sample();
	check_unknown("total", "node0", PM_REASON_absent);
	check_unknown("hit", "node0", PM_REASON_absent);
	check_known("free", "node10", 5 * 1024);
	end();
}
END_TEST

START_TEST(numa_closed)
{
	char path[128];

	root_put(NODE "node0/meminfo", "Node 0 MemTotal: 1 kB\n");
	root_put(NODE "node0/numastat", "numa_hit 1\n");
	snprintf(path, sizeof path, "%s/" NODE "node0/numastat", root);
	PM_SURE(chmod(path, 0) == 0);
	root_become_plain_user();
	ck_assert_int_eq(begin(&pm_source_numa), 0);
	sample();
	root_become_self();
	check_known("total", "node0", 1024);
	check_unknown("hit", "node0", PM_REASON_permission);
	end();
}
END_TEST

START_TEST(numa_none)
{
	root_put(NODE "online", "0\n");
	ck_assert_int_eq(begin(&pm_source_numa), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

/* --- pressure --------------------------------------------------------------------------------- */

START_TEST(pressure)
{
	root_put("proc/pressure/cpu",
		 "some avg10=1.05 avg60=61.63 avg300=100.00 total=167297981\n");
	root_put("proc/pressure/io", "some avg10=0.18 avg60=0.34 avg300=0.10 total=159886802\n"
				     "full avg10=0.17 avg60=0.33 avg300=0.09 total=159229614\n");
	root_put("proc/pressure/irq", "full avg10=0.00 avg60=0.00 avg300=0.00 total=8494\n");
	ck_assert_int_eq(begin(&pm_source_pressure), 0);
	sample();
	ck_assert_int_eq(objects("some"), 3);
	check_known("some", "cpu", 167297981);
	check_known("some_avg10", "cpu", 105);
	check_known("some_avg60", "cpu", 6163);
	check_known("some_avg300", "cpu", 10000);
	check_unknown("full", "cpu", PM_REASON_unsupported); /* before Linux 5.13 */
	check_known("full", "io", 159229614);
	check_known("full_avg10", "io", 17);
	check_known("full_avg300", "io", 9);
	check_unknown("some", "irq", PM_REASON_unsupported);
	check_known("full", "irq", 8494);
	/* Garbage, a cut. */
	root_put("proc/pressure/cpu", "some avg10=1.05 avg60=x avg300=100.00 total=1\n");
	root_put("proc/pressure/io", "some avg10=0.18 avg60=0.34 avg300=0.10 total=159886802\n"
				     "full avg10=0.17 avg60=0.33 avg300=0.09 total=15922");
	root_remove_path("proc/pressure/irq");
	sample();
	check_unknown("some", "cpu", PM_REASON_parse);
	check_unknown("some_avg10", "cpu", PM_REASON_parse);
	check_known("some", "io", 159886802);
	check_unknown("full", "io", PM_REASON_parse);
	check_unknown("full", "irq", PM_REASON_absent);
	end();
}
END_TEST

START_TEST(pressure_none)
{
	ck_assert_int_eq(begin(&pm_source_pressure), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/proc/pressure/cpu"));
	pm_sink_free(&sink);
}
END_TEST

/* --- load ------------------------------------------------------------------------------------- */

static const struct {
	const char *loadavg, *uptime;
	int64_t load1, load15, runnable, tasks, up; /* -1: parse, -2: absent */
} loads[] = {
	{ "0.21 0.37 0.39 1/719 19737\n", "976.27 1507.09\n", 21, 39, 1, 719, 976270000 },
	{ "12345.67 0.37 10 1/719 19737\n", "5 6\n", 1234567, 1000, 1, 719, 5000000 },
	{ "0.21 0.37 0.39\n", "976.27\n", -1, -1, -1, -1, -1 },
	{ "0.21 0.37 0.39 1/719", "976.2", -1, -1, -1, -1, -1 },
	{ "", "", -1, -1, -1, -1, -1 },
	{ "0.21 -0.37 0.39 1/719 7\n", ".5 7\n", -1, -1, -1, -1, -1 },
	{ "1 2 3 4/5 6\n", "99999999999999999.5 7\n", 100, 300, 4, 5, -1 },
	{ NULL, "1.5 7\n", -2, -2, -2, -2, 1500000 },
	{ "1 2 3 4/5 6\n", NULL, 100, 300, 4, 5, -2 },
};

static void check_load(const char *metric, int64_t value)
{
	if (value >= 0)
		check_known(metric, "", value);
	else
		check_unknown(metric, "", value == -1 ? PM_REASON_parse : PM_REASON_absent);
}

START_TEST(load)
{
	if (loads[_i].loadavg)
		root_put("proc/loadavg", loads[_i].loadavg);
	if (loads[_i].uptime)
		root_put("proc/uptime", loads[_i].uptime);
	ck_assert_int_eq(begin(&pm_source_load), 0);
	sample();
	check_load("load1", loads[_i].load1);
	check_load("load15", loads[_i].load15);
	check_load("runnable", loads[_i].runnable);
	check_load("tasks", loads[_i].tasks);
	check_load("uptime", loads[_i].up);
	end();
}
END_TEST

START_TEST(load_none)
{
	ck_assert_int_eq(begin(&pm_source_load), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/proc/loadavg: No such file"));
	pm_sink_free(&sink);
}
END_TEST

/* --- the recorded machine --------------------------------------------------------------------- */

START_TEST(fixture)
{
	fixture_put("proc/stat proc/vmstat proc/loadavg proc/pressure sys/devices/system/node");
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_known("softirqs", "", 5057579);
	check_known("softirqs", "sched", 622196);
	check_known("forks", "", 26442);
	end();
	ck_assert_int_eq(begin(&pm_source_vmstat), 0);
	sample();
	check_known("pgfault", "", 2320168809);
	check_known("pgscan_kswapd", "", 107656 + 358784);
	check_known("pgalloc", "", (int64_t)12 + 611781566 + 2287227526);
	check_known("thp_fault_alloc", "", 142261);
	check_known("pgpgout", "", (int64_t)1541180581 * 1024);
	check_known("oom_kill", "", 0);
	check_unknown("thp_split_page", "", PM_REASON_absent); /* before Linux 4.5 */
	end();
	ck_assert_int_eq(begin(&pm_source_load), 0);
	sample();
	check_known("load1", "", 21);
	check_known("tasks", "", 719);
	check_unknown("uptime", "", PM_REASON_absent);
	end();
	ck_assert_int_eq(begin(&pm_source_pressure), 0);
	sample();
	check_known("some", "cpu", 14036781);
	check_known("full_avg60", "io", 34);
	check_unknown("full", "irq", PM_REASON_parse); /* recorded without its newline */
	end();
	ck_assert_int_eq(begin(&pm_source_numa), 0);
	sample();
	ck_assert_int_eq(objects("total"), 3);
	check_known("used", "node1", (int64_t)94582940 * 1024);
	check_known("miss", "node2", 9858626709);
	end();
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void setup(void)
{
	root_make();
	job = 0;
}

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_node");
	TCase *t = tcase_create("node");
	char path[512];

	tcase_add_checked_fixture(t, setup, root_remove);
	tcase_add_test(t, stat_rest);
	tcase_add_test(t, allocated);
	tcase_add_test(t, allocated_many);
	tcase_add_loop_test(t, allocated_garbled, 0, COUNT(bad_status));
	tcase_add_test(t, allocated_absent);
	tcase_add_test(t, vmstat_zones);
	tcase_add_test(t, vmstat_garbled);
	tcase_add_test(t, numa);
	tcase_add_test(t, numa_closed);
	tcase_add_test(t, numa_none);
	tcase_add_test(t, pressure);
	tcase_add_test(t, pressure_none);
	tcase_add_loop_test(t, load, 0, COUNT(loads));
	tcase_add_test(t, load_none);
	if (fixture_path(path, sizeof path) == 0)
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
