/* Source "memory": the node's memory and swap, from /proc/meminfo (proc_meminfo(5)). */
#include "config.h"

#include "sampler/sources/keyfile.h"
#include "sampler/sources/onefile.h"

/* clang-format off */
/* Lines to read. X(name in capitals, name, unit, key in the file, its unit, scale, help) */
#define KEYS(X) \
	X(TOTAL, "total", "B", "MemTotal:", "kB", 1024, "total memory of the node") \
	X(FREE, "free", "B", "MemFree:", "kB", 1024, "unused memory") \
	X(AVAILABLE, "available", "B", "MemAvailable:", "kB", 1024, \
		"memory available to programs without swapping") \
	X(BUFFERS, "buffers", "B", "Buffers:", "kB", 1024, "cache of block devices") \
	X(CACHED, "cached", "B", "Cached:", "kB", 1024, "page cache, shared memory included") \
	X(SWAP_CACHED, "swap_cached", "B", "SwapCached:", "kB", 1024, \
		"memory of pages that are also in swap space") \
	X(ACTIVE, "active", "B", "Active:", "kB", 1024, "memory used recently") \
	X(INACTIVE, "inactive", "B", "Inactive:", "kB", 1024, \
		"memory not used for a while: reclaimed first") \
	X(UNEVICTABLE, "unevictable", "B", "Unevictable:", "kB", 1024, \
		"memory that cannot be reclaimed") \
	X(LOCKED, "locked", "B", "Mlocked:", "kB", 1024, "memory locked by mlock(2)") \
	X(SWAP_TOTAL, "swap_total", "B", "SwapTotal:", "kB", 1024, "swap space") \
	X(SWAP_FREE, "swap_free", "B", "SwapFree:", "kB", 1024, "unused swap space") \
	X(DIRTY, "dirty", "B", "Dirty:", "kB", 1024, "page cache waiting to be written") \
	X(WRITEBACK, "writeback", "B", "Writeback:", "kB", 1024, \
		"page cache being written") \
	X(ANONYMOUS, "anonymous", "B", "AnonPages:", "kB", 1024, \
		"anonymous memory of programs") \
	X(MAPPED, "mapped", "B", "Mapped:", "kB", 1024, "page cache mapped by programs") \
	X(SHARED, "shared", "B", "Shmem:", "kB", 1024, "shared memory and tmpfs") \
	X(SLAB_RECLAIMABLE, "slab_reclaimable", "B", "SReclaimable:", "kB", 1024, \
		"reclaimable kernel objects") \
	X(SLAB_UNRECLAIMABLE, "slab_unreclaimable", "B", "SUnreclaim:", "kB", 1024, \
		"unreclaimable kernel objects") \
	X(KERNEL_STACK, "kernel_stack", "B", "KernelStack:", "kB", 1024, "kernel stacks") \
	X(PAGE_TABLES, "page_tables", "B", "PageTables:", "kB", 1024, "page tables") \
	X(COMMIT_LIMIT, "commit_limit", "B", "CommitLimit:", "kB", 1024, \
		"limit on committed memory when overcommit is off") \
	X(COMMITTED, "committed", "B", "Committed_AS:", "kB", 1024, \
		"memory committed to programs") \
	X(HUGE_ANONYMOUS, "huge_anonymous", "B", "AnonHugePages:", "kB", 1024, \
		"anonymous memory in huge pages") \
	X(HUGE_PAGES, "huge_pages", "n", "HugePages_Total:", "", 1, \
		"pages in the huge page pool") \
	X(HUGE_PAGES_FREE, "huge_pages_free", "n", "HugePages_Free:", "", 1, \
		"unused pages in the huge page pool") \
	X(HUGE_PAGE_SIZE, "huge_page_size", "B", "Hugepagesize:", "kB", 1024, \
		"size of a page in the huge page pool")

enum {
#define NUMBER(id, name, unit, key, file_unit, scale, help) id,
	KEYS(NUMBER)
	USED, SWAP_USED
};

static const struct pm_metric metrics[] = {
#define METRIC(id, name, unit, key, file_unit, scale, help) \
	[id] = { name, unit, help, NULL, false, PM_METRIC_GAUGE },
	KEYS(METRIC)
	[USED] = { "used", "B", "total minus available", NULL, false, PM_METRIC_GAUGE },
	[SWAP_USED] = { "swap_used", "B", "swap_total minus swap_free", NULL, false, PM_METRIC_GAUGE },
};

static const struct pm_keyfile_row rows[] = {
#define ROW(id, name, unit, key, file_unit, scale, help) { key, file_unit, scale, false },
	KEYS(ROW)
};
/* clang-format on */

static const struct pm_keyfile keys = { rows, sizeof rows / sizeof rows[0], 0 };

static int memory_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		       struct pm_unavailable *why)
{
	(void)sink;
	return pm_onefile_open(state, target, "proc/meminfo", why);
}

/* Put minuend - subtrahend, or the reason why one of them is unknown. */
static void put_difference(struct pm_sink *sink, int series, int minuend, int subtrahend)
{
	const struct pm_series *a = &sink->series[minuend], *b = &sink->series[subtrahend];

	if (!a->known)
		pm_sink_unknown(sink, series, a->reason);
	else if (!b->known)
		pm_sink_unknown(sink, series, b->reason);
	else
		pm_sink_value(sink, series, a->value - b->value);
}

static void memory_sample(void *state, struct pm_sink *sink)
{
	const char *text;
	ssize_t n = pm_onefile_read(state, sink, &text);

	if (n < 0)
		return;
	pm_keyfile_put(&keys, text, (size_t)n, sink, 0);
	put_difference(sink, USED, TOTAL, AVAILABLE);
	put_difference(sink, SWAP_USED, SWAP_TOTAL, SWAP_FREE);
}

const struct pm_source pm_source_memory = {
	.name = "memory",
	.help = "the node's memory and swap",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.open = memory_open,
	.sample = memory_sample,
	.close = pm_onefile_close,
};
