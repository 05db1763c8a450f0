/* Source "vmstat": counters of the node's memory management, from /proc/vmstat. */
#include "config.h"

#include "sampler/sources/keyfile.h"
#include "sampler/sources/onefile.h"

/* clang-format off */
/*
 * The counters that show whether memory was short, on a remote node or moved: proc_vmstat(5) and
 * Documentation/admin-guide/mm of Linux.
 * X(name, unit, key in the file, scale, by zone in older kernels, help)
 */
#define KEYS(X) \
	X("numa_hit", "n", "numa_hit", 1, false, "pages allocated on the node that was wanted") \
	X("numa_miss", "n", "numa_miss", 1, false, \
		"pages allocated here that were wanted on another node") \
	X("numa_foreign", "n", "numa_foreign", 1, false, \
		"pages wanted here that were allocated on another node") \
	X("numa_interleave", "n", "numa_interleave", 1, false, \
		"interleaved pages allocated on the node that was wanted") \
	X("numa_local", "n", "numa_local", 1, false, \
		"pages allocated on the node of the running CPU") \
	X("numa_other", "n", "numa_other", 1, false, \
		"pages allocated on another node than that of the running CPU") \
	X("refault_anonymous", "n", "workingset_refault_anon", 1, false, \
		"anonymous pages read back soon after they were reclaimed") \
	X("refault_file", "n", "workingset_refault_file", 1, false, \
		"file pages read back soon after they were reclaimed") \
	X("refault", "n", "workingset_refault", 1, false, \
		"the two above together, before Linux 5.9") \
	X("dirtied", "n", "nr_dirtied", 1, false, "pages that became dirty") \
	X("written", "n", "nr_written", 1, false, "dirty pages that were written") \
	X("pgpgin", "B", "pgpgin", 1024, false, "bytes read from block devices") \
	X("pgpgout", "B", "pgpgout", 1024, false, "bytes written to block devices") \
	X("pswpin", "n", "pswpin", 1, false, "pages read from swap") \
	X("pswpout", "n", "pswpout", 1, false, "pages written to swap") \
	X("pgalloc", "n", "pgalloc", 1, true, "pages allocated") \
	X("allocstall", "n", "allocstall", 1, true, \
		"allocations that had to reclaim memory first") \
	X("pgfree", "n", "pgfree", 1, false, "pages freed") \
	X("pgactivate", "n", "pgactivate", 1, false, "pages moved to the active list") \
	X("pgdeactivate", "n", "pgdeactivate", 1, false, "pages moved to the inactive list") \
	X("pgfault", "n", "pgfault", 1, false, "page faults, major ones included") \
	X("pgmajfault", "n", "pgmajfault", 1, false, "page faults that waited for storage") \
	X("pgsteal_kswapd", "n", "pgsteal_kswapd", 1, true, "pages reclaimed in the background") \
	X("pgsteal_direct", "n", "pgsteal_direct", 1, true, \
		"pages reclaimed by the allocating task itself") \
	X("pgscan_kswapd", "n", "pgscan_kswapd", 1, true, \
		"pages looked at for this in the background") \
	X("pgscan_direct", "n", "pgscan_direct", 1, true, \
		"pages looked at for this by the allocating task itself") \
	X("slabs_scanned", "n", "slabs_scanned", 1, false, "kernel objects looked at for reclaim") \
	X("oom_kill", "n", "oom_kill", 1, false, "processes killed for want of memory") \
	X("numa_pte_updates", "n", "numa_pte_updates", 1, false, \
		"pages marked to find out who uses them (NUMA balancing)") \
	X("numa_hint_faults", "n", "numa_hint_faults", 1, false, "faults on such pages") \
	X("numa_hint_faults_local", "n", "numa_hint_faults_local", 1, false, \
		"those from the node that has the page") \
	X("numa_pages_migrated", "n", "numa_pages_migrated", 1, false, \
		"pages moved to the node that uses them") \
	X("pgmigrate_success", "n", "pgmigrate_success", 1, false, "pages moved in memory") \
	X("pgmigrate_fail", "n", "pgmigrate_fail", 1, false, "pages that could not be moved") \
	X("compact_stall", "n", "compact_stall", 1, false, \
		"allocations that had to compact memory first") \
	X("compact_fail", "n", "compact_fail", 1, false, "compactions that made no huge page") \
	X("compact_success", "n", "compact_success", 1, false, "compactions that made one") \
	X("thp_fault_alloc", "n", "thp_fault_alloc", 1, false, "huge pages given at a fault") \
	X("thp_fault_fallback", "n", "thp_fault_fallback", 1, false, \
		"faults that got small pages in place of a huge one") \
	X("thp_collapse_alloc", "n", "thp_collapse_alloc", 1, false, \
		"huge pages made of small ones") \
	X("thp_split_page", "n", "thp_split_page", 1, false, "huge pages split")

static const struct pm_metric metrics[] = {
#define METRIC(name, unit, key, scale, zones, help) \
	{ name, unit, help, NULL, false, PM_METRIC_COUNTER },
	KEYS(METRIC)
};

static const struct pm_keyfile_row rows[] = {
#define ROW(name, unit, key, scale, zones, help) { key, "", scale, zones },
	KEYS(ROW)
};
/* clang-format on */

#define ROWS (sizeof rows / sizeof rows[0])

static const struct pm_keyfile keys = { rows, ROWS, 0 };

static int vmstat_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	(void)sink;
	return pm_onefile_open(state, target, "proc/vmstat", why);
}

static void vmstat_sample(void *state, struct pm_sink *sink)
{
	const char *text;
	ssize_t n = pm_onefile_read(state, sink, &text);

	if (n >= 0)
		pm_keyfile_put(&keys, text, (size_t)n, sink, 0);
}

const struct pm_source pm_source_vmstat = {
	.name = "vmstat",
	.help = "what the node's memory management did",
	.metrics = metrics,
	.metrics_count = ROWS,
	.open = vmstat_open,
	.sample = vmstat_sample,
	.close = pm_onefile_close,
};
