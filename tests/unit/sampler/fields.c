/* Which line of which file each metric of the node is, and in which unit: every one of them. */
#include "config.h"

#include "tests/unit/sampler/source.h"

/* A line of a file and the metric that has its number. */
struct field {
	const char *key, *unit, *metric;
	int64_t scale; /* the metric's unit in one of the file's */
};

/* proc_meminfo(5) */
static const struct field meminfo[] = {
	{ "MemTotal:", " kB", "total", 1024 },
	{ "MemFree:", " kB", "free", 1024 },
	{ "MemAvailable:", " kB", "available", 1024 },
	{ "Buffers:", " kB", "buffers", 1024 },
	{ "Cached:", " kB", "cached", 1024 },
	{ "SwapCached:", " kB", "swap_cached", 1024 },
	{ "Active:", " kB", "active", 1024 },
	{ "Inactive:", " kB", "inactive", 1024 },
	{ "Active(anon):", " kB", NULL, 0 },
	{ "Inactive(anon):", " kB", NULL, 0 },
	{ "Unevictable:", " kB", "unevictable", 1024 },
	{ "Mlocked:", " kB", "locked", 1024 },
	{ "SwapTotal:", " kB", "swap_total", 1024 },
	{ "SwapFree:", " kB", "swap_free", 1024 },
	{ "Dirty:", " kB", "dirty", 1024 },
	{ "Writeback:", " kB", "writeback", 1024 },
	{ "AnonPages:", " kB", "anonymous", 1024 },
	{ "Mapped:", " kB", "mapped", 1024 },
	{ "Shmem:", " kB", "shared", 1024 },
	{ "Slab:", " kB", NULL, 0 },
	{ "SReclaimable:", " kB", "slab_reclaimable", 1024 },
	{ "SUnreclaim:", " kB", "slab_unreclaimable", 1024 },
	{ "KernelStack:", " kB", "kernel_stack", 1024 },
	{ "PageTables:", " kB", "page_tables", 1024 },
	{ "NFS_Unstable:", " kB", NULL, 0 },
	{ "WritebackTmp:", " kB", NULL, 0 },
	{ "CommitLimit:", " kB", "commit_limit", 1024 },
	{ "Committed_AS:", " kB", "committed", 1024 },
	{ "AnonHugePages:", " kB", "huge_anonymous", 1024 },
	{ "ShmemHugePages:", " kB", NULL, 0 },
	{ "HugePages_Total:", "", "huge_pages", 1 },
	{ "HugePages_Free:", "", "huge_pages_free", 1 },
	{ "HugePages_Rsvd:", "", NULL, 0 },
	{ "HugePages_Surp:", "", NULL, 0 },
	{ "Hugepagesize:", " kB", "huge_page_size", 1024 },
	{ "Hugetlb:", " kB", NULL, 0 },
	{ NULL, NULL, NULL, 0 },
};

/* proc_vmstat(5); what the kernel counts in kB and what it counts in pages or times. */
static const struct field vmstat[] = {
	{ "nr_free_pages", "", NULL, 0 },
	{ "numa_hit", "", "numa_hit", 1 },
	{ "numa_miss", "", "numa_miss", 1 },
	{ "numa_foreign", "", "numa_foreign", 1 },
	{ "numa_interleave", "", "numa_interleave", 1 },
	{ "numa_local", "", "numa_local", 1 },
	{ "numa_other", "", "numa_other", 1 },
	{ "workingset_nodes", "", NULL, 0 },
	{ "workingset_refault_anon", "", "refault_anonymous", 1 },
	{ "workingset_refault_file", "", "refault_file", 1 },
	{ "workingset_refault", "", "refault", 1 },
	{ "workingset_activate_anon", "", NULL, 0 },
	{ "nr_dirty", "", NULL, 0 },
	{ "nr_dirtied", "", "dirtied", 1 },
	{ "nr_written", "", "written", 1 },
	{ "pgpgin", "", "pgpgin", 1024 },
	{ "pgpgout", "", "pgpgout", 1024 },
	{ "pswpin", "", "pswpin", 1 },
	{ "pswpout", "", "pswpout", 1 },
	{ "pgalloc_device", "", "pgalloc", 1 },
	{ "allocstall_high", "", "allocstall", 1 },
	{ "pgskip_normal", "", NULL, 0 },
	{ "pgfree", "", "pgfree", 1 },
	{ "pgactivate", "", "pgactivate", 1 },
	{ "pgdeactivate", "", "pgdeactivate", 1 },
	{ "pgfault", "", "pgfault", 1 },
	{ "pgmajfault", "", "pgmajfault", 1 },
	{ "pgsteal_kswapd", "", "pgsteal_kswapd", 1 },
	{ "pgsteal_direct", "", "pgsteal_direct", 1 },
	{ "pgsteal_khugepaged", "", NULL, 0 },
	{ "pgscan_kswapd", "", "pgscan_kswapd", 1 },
	{ "pgscan_direct", "", "pgscan_direct", 1 },
	{ "pgscan_direct_throttle", "", NULL, 0 },
	{ "slabs_scanned", "", "slabs_scanned", 1 },
	{ "oom_kill", "", "oom_kill", 1 },
	{ "numa_pte_updates", "", "numa_pte_updates", 1 },
	{ "numa_huge_pte_updates", "", NULL, 0 },
	{ "numa_hint_faults", "", "numa_hint_faults", 1 },
	{ "numa_hint_faults_local", "", "numa_hint_faults_local", 1 },
	{ "numa_pages_migrated", "", "numa_pages_migrated", 1 },
	{ "pgmigrate_success", "", "pgmigrate_success", 1 },
	{ "pgmigrate_fail", "", "pgmigrate_fail", 1 },
	{ "compact_stall", "", "compact_stall", 1 },
	{ "compact_fail", "", "compact_fail", 1 },
	{ "compact_success", "", "compact_success", 1 },
	{ "thp_fault_alloc", "", "thp_fault_alloc", 1 },
	{ "thp_fault_fallback", "", "thp_fault_fallback", 1 },
	{ "thp_fault_fallback_charge", "", NULL, 0 },
	{ "thp_collapse_alloc", "", "thp_collapse_alloc", 1 },
	{ "thp_collapse_alloc_failed", "", NULL, 0 },
	{ "thp_split_page", "", "thp_split_page", 1 },
	{ "thp_split_page_failed", "", NULL, 0 },
	{ NULL, NULL, NULL, 0 },
};

static const struct field node_meminfo[] = {
	{ "Node 4 MemTotal:", " kB", "total", 1024 },
	{ "Node 4 MemFree:", " kB", "free", 1024 },
	{ "Node 4 MemUsed:", " kB", "used", 1024 },
	{ "Node 4 SwapCached:", " kB", NULL, 0 },
	{ "Node 4 Dirty:", " kB", "dirty", 1024 },
	{ "Node 4 Writeback:", " kB", NULL, 0 },
	{ "Node 4 FilePages:", " kB", "file", 1024 },
	{ "Node 4 Mapped:", " kB", NULL, 0 },
	{ "Node 4 AnonPages:", " kB", "anonymous", 1024 },
	{ "Node 4 Shmem:", " kB", "shared", 1024 },
	{ "Node 4 Slab:", " kB", "slab", 1024 },
	{ "Node 4 SReclaimable:", " kB", NULL, 0 },
	{ "Node 4 AnonHugePages:", " kB", "huge_anonymous", 1024 },
	{ "Node 4 HugePages_Total:", "", "huge_pages", 1 },
	{ "Node 4 HugePages_Free:", "", "huge_pages_free", 1 },
	{ "Node 4 HugePages_Surp:", "", NULL, 0 },
	{ NULL, NULL, NULL, 0 },
};

static const struct field numastat[] = {
	{ "numa_hit", "", "hit", 1 },
	{ "numa_miss", "", "miss", 1 },
	{ "numa_foreign", "", "foreign", 1 },
	{ "interleave_hit", "", "interleave", 1 },
	{ "local_node", "", "local", 1 },
	{ "other_node", "", "other", 1 },
	{ NULL, NULL, NULL, 0 },
};

/* What the line at place i says. */
static int64_t number(int i)
{
	return 1000 + 7 * i;
}

/* Write the file, its lines as they are or from the last to the first. */
static void put(const char *path, const struct field *field, bool backwards)
{
	char text[8192] = "";
	int count = 0;

	while (field[count].key)
		count++;
	for (int i = 0; i < count; i++) {
		const int k = backwards ? count - 1 - i : i;
		const size_t n = strlen(text);

		snprintf(text + n, sizeof text - n, "%s %d%s\n", field[k].key, (int)number(k),
			 field[k].unit);
	}
	root_put(path, text);
}

/* Check every metric. Returns how many there are. */
static size_t check(const struct field *field, const char *object)
{
	size_t metrics = 0;

	for (int i = 0; field[i].key; i++)
		if (field[i].metric) {
			check_known(field[i].metric, object, number(i) * field[i].scale);
			metrics++;
		}
	return metrics;
}

START_TEST(memory)
{
	put("proc/meminfo", meminfo, _i);
	ck_assert_int_eq(begin(&pm_source_memory), 0);
	sample();
	/* And the two that are computed. */
	ck_assert_uint_eq(check(meminfo, "") + 2, sink.count);
	check_known("used", "", (number(0) - number(2)) * 1024);
	check_known("swap_used", "", (number(12) - number(13)) * 1024);
	end();
}
END_TEST

START_TEST(virtual_memory)
{
	put("proc/vmstat", vmstat, _i);
	ck_assert_int_eq(begin(&pm_source_vmstat), 0);
	sample();
	ck_assert_uint_eq(check(vmstat, ""), sink.count);
	end();
}
END_TEST

START_TEST(numa)
{
	put("sys/devices/system/node/node4/meminfo", node_meminfo, _i);
	put("sys/devices/system/node/node4/numastat", numastat, _i);
	ck_assert_int_eq(begin(&pm_source_numa), 0);
	sample();
	ck_assert_uint_eq(check(node_meminfo, "node4") + check(numastat, "node4"), sink.count);
	end();
}
END_TEST

static const char *const averages[] = { "avg10", "avg60", "avg300" };

START_TEST(pressure)
{
	static const char *const kinds[] = { "some", "full" };
	static const char *const resources[] = { "cpu", "memory", "io", "irq" };
	char text[256], path[64], metric[32];

	for (int r = 0; r < 4; r++) {
		snprintf(path, sizeof path, "proc/pressure/%s", resources[r]);
		snprintf(text, sizeof text,
			 "some avg10=%d.01 avg60=%d.02 avg300=%d.03 total=%d04\n"
			 "full avg10=%d.05 avg60=%d.06 avg300=%d.07 total=%d08\n",
			 r, r, r, r + 1, r, r, r, r + 1);
		root_put(path, text);
	}
	ck_assert_int_eq(begin(&pm_source_pressure), 0);
	sample();
	ck_assert_uint_eq(sink.count, 4 * 8);
	for (int r = 0; r < 4; r++)
		for (int k = 0; k < 2; k++) {
			check_known(kinds[k], resources[r], 100 * (r + 1) + 4 * (k + 1));
			for (int a = 0; a < 3; a++) {
				snprintf(metric, sizeof metric, "%s_%s", kinds[k], averages[a]);
				check_known(metric, resources[r], 100 * r + 4 * k + a + 1);
			}
		}
	end();
}
END_TEST

START_TEST(load)
{
	root_put("proc/loadavg", "1.01 2.02 3.03 4/5 19737\n");
	root_put("proc/uptime", "6.000007 8.00\n");
	ck_assert_int_eq(begin(&pm_source_load), 0);
	sample();
	check_known("load1", "", 101);
	check_known("load5", "", 202);
	check_known("load15", "", 303);
	check_known("runnable", "", 4);
	check_known("tasks", "", 5);
	check_known("uptime", "", 6000007);
	end();
}
END_TEST

/* Documentation/admin-guide/iostats.rst of Linux: the fields behind the name, in their order. */
static const struct {
	const char *metric;
	int64_t scale;
} diskstats[] = {
	{ "reads", 1 },		{ "read_merges", 1 },	   { "read_bytes", 512 },
	{ "read_time", 1000 },	{ "writes", 1 },	   { "write_merges", 1 },
	{ "write_bytes", 512 }, { "write_time", 1000 },	   { "in_flight", 1 },
	{ "io_time", 1000 },	{ "queue_time", 1000 },	   { "discards", 1 },
	{ "discard_merges", 1 }, { "discard_bytes", 512 }, { "discard_time", 1000 },
	{ "flushes", 1 },	{ "flush_time", 1000 },
};

#define DISKSTATS ((int)(sizeof diskstats / sizeof diskstats[0]))

START_TEST(disk)
{
	char text[512] = "8 0 sda";

	for (int i = 0; i < DISKSTATS; i++)
		snprintf(text + strlen(text), 16, " %d", (int)number(i));
	root_put("proc/diskstats", strcat(text, " 18 19\n"));
	ck_assert_int_eq(begin(&pm_source_disk), 0);
	sample();
	for (int i = 0; i < DISKSTATS; i++) {
		check_known(diskstats[i].metric, "sda", number(i) * diskstats[i].scale);
		check_known(diskstats[i].metric, "", number(i) * diskstats[i].scale);
	}
	ck_assert_uint_eq(sink.count, 2 * DISKSTATS);
	end();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_fields");
	TCase *t = tcase_create("fields");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_loop_test(t, memory, 0, 2);
	tcase_add_loop_test(t, virtual_memory, 0, 2);
	tcase_add_loop_test(t, numa, 0, 2);
	tcase_add_test(t, pressure);
	tcase_add_test(t, load);
	tcase_add_test(t, disk);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
