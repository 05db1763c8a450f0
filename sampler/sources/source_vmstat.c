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
	X("numa_hit", "n", "numa_hit", 1, false, "pages allocated on the intended NUMA node") \
	X("numa_miss", "n", "numa_miss", 1, false, \
		"pages allocated on a NUMA node although intended for another") \
	X("numa_foreign", "n", "numa_foreign", 1, false, \
		"pages intended for a NUMA node but allocated on another") \
	X("numa_interleave", "n", "numa_interleave", 1, false, \
		"interleaved pages allocated on the intended NUMA node") \
	X("numa_local", "n", "numa_local", 1, false, \
		"pages allocated on the running CPU's node") \
	X("numa_other", "n", "numa_other", 1, false, \
		"pages allocated on a node other than the running CPU's") \
	X("refault_anonymous", "n", "workingset_refault_anon", 1, false, \
		"anonymous pages read back soon after they were reclaimed") \
	X("refault_file", "n", "workingset_refault_file", 1, false, \
		"file pages read back soon after they were reclaimed") \
	X("refault", "n", "workingset_refault", 1, false, \
		"refaulted anonymous and file pages together, before Linux 5.9") \
	X("dirtied", "n", "nr_dirtied", 1, false, "pages that became dirty") \
	X("written", "n", "nr_written", 1, false, "dirty pages that were written") \
	X("pgpgin", "B", "pgpgin", 1024, false, "bytes read from block devices") \
	X("pgpgout", "B", "pgpgout", 1024, false, "bytes written to block devices") \
	X("pswpin", "n", "pswpin", 1, false, "pages read from swap") \
	X("pswpout", "n", "pswpout", 1, false, "pages written to swap") \
	X("pgalloc", "n", "pgalloc", 1, true, "pages allocated") \
	X("allocstall", "n", "allocstall", 1, true, \
		"allocations stalled by memory reclaim") \
	X("pgfree", "n", "pgfree", 1, false, "pages freed") \
	X("pgactivate", "n", "pgactivate", 1, false, "pages moved to the active list") \
	X("pgdeactivate", "n", "pgdeactivate", 1, false, "pages moved to the inactive list") \
	X("pgfault", "n", "pgfault", 1, false, "page faults, major ones included") \
	X("pgmajfault", "n", "pgmajfault", 1, false, "major page faults: pages read from storage") \
	X("pgsteal_kswapd", "n", "pgsteal_kswapd", 1, true, "pages reclaimed in the background") \
	X("pgsteal_direct", "n", "pgsteal_direct", 1, true, \
		"pages reclaimed directly by allocating tasks") \
	X("pgscan_kswapd", "n", "pgscan_kswapd", 1, true, \
		"pages scanned for background reclaim") \
	X("pgscan_direct", "n", "pgscan_direct", 1, true, \
		"pages scanned for direct reclaim by allocating tasks") \
	X("slabs_scanned", "n", "slabs_scanned", 1, false, "kernel objects scanned for reclaim") \
	X("oom_kill", "n", "oom_kill", 1, false, "processes killed for lack of memory") \
	X("numa_pte_updates", "n", "numa_pte_updates", 1, false, \
		"pages marked by NUMA balancing to detect their users") \
	X("numa_hint_faults", "n", "numa_hint_faults", 1, false, "faults on pages marked by NUMA balancing") \
	X("numa_hint_faults_local", "n", "numa_hint_faults_local", 1, false, \
		"NUMA balancing faults from the node that holds the page") \
	X("numa_pages_migrated", "n", "numa_pages_migrated", 1, false, \
		"pages migrated by NUMA balancing to the node that uses them") \
	X("pgmigrate_success", "n", "pgmigrate_success", 1, false, "pages migrated") \
	X("pgmigrate_fail", "n", "pgmigrate_fail", 1, false, "pages that could not be migrated") \
	X("compact_stall", "n", "compact_stall", 1, false, \
		"allocations stalled by memory compaction") \
	X("compact_fail", "n", "compact_fail", 1, false, "compactions that yielded no huge page") \
	X("compact_success", "n", "compact_success", 1, false, "compactions that yielded a huge page") \
	X("thp_fault_alloc", "n", "thp_fault_alloc", 1, false, "huge pages allocated at a page fault") \
	X("thp_fault_fallback", "n", "thp_fault_fallback", 1, false, \
		"page faults that fell back to small pages") \
	X("thp_collapse_alloc", "n", "thp_collapse_alloc", 1, false, \
		"huge pages assembled from small pages") \
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
	.help = "activity of the node's memory management",
	.metrics = metrics,
	.metrics_count = ROWS,
	.open = vmstat_open,
	.sample = vmstat_sample,
	.close = pm_onefile_close,
};
