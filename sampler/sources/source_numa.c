/* Source "numa": memory of each NUMA node, from /sys/devices/system/node/nodeN. */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/kernel/sysfslist.h"
#include "sampler/sources/keyfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
/* X(name, unit, kind, key in the file, its unit, scale, help): the lines of nodeN/meminfo ... */
#define MEMINFO(X) \
	X("total", "B", GAUGE, "MemTotal:", "kB", 1024, "total memory of the NUMA node") \
	X("free", "B", GAUGE, "MemFree:", "kB", 1024, "unused memory") \
	X("used", "B", GAUGE, "MemUsed:", "kB", 1024, "total minus free: page cache included") \
	X("dirty", "B", GAUGE, "Dirty:", "kB", 1024, "page cache waiting to be written") \
	X("file", "B", GAUGE, "FilePages:", "kB", 1024, "page cache, shared memory included") \
	X("anonymous", "B", GAUGE, "AnonPages:", "kB", 1024, "anonymous memory of programs") \
	X("shared", "B", GAUGE, "Shmem:", "kB", 1024, "shared memory and tmpfs") \
	X("slab", "B", GAUGE, "Slab:", "kB", 1024, "kernel objects") \
	X("huge_anonymous", "B", GAUGE, "AnonHugePages:", "kB", 1024, "anonymous memory in huge pages") \
	X("huge_pages", "n", GAUGE, "HugePages_Total:", "", 1, "pages in the huge page pool") \
	X("huge_pages_free", "n", GAUGE, "HugePages_Free:", "", 1, "unused pages in the huge page pool")
/* ... and of nodeN/numastat. */
#define NUMASTAT(X) \
	X("hit", "n", COUNTER, "numa_hit", "", 1, "pages allocated on this node as intended") \
	X("miss", "n", COUNTER, "numa_miss", "", 1, "pages allocated on this node although intended for another") \
	X("foreign", "n", COUNTER, "numa_foreign", "", 1, "pages intended for this node but allocated on another") \
	X("interleave", "n", COUNTER, "interleave_hit", "", 1, "interleaved pages allocated on this node as intended") \
	X("local", "n", COUNTER, "local_node", "", 1, "pages allocated on this node by its own CPUs") \
	X("other", "n", COUNTER, "other_node", "", 1, "pages allocated on this node by CPUs of other nodes")

static const struct pm_metric metrics[] = {
#define METRIC(name, unit, kind, key, file_unit, scale, help) \
	{ name, unit, help, "node", false, PM_METRIC_##kind },
	MEMINFO(METRIC)
	NUMASTAT(METRIC)
};

#define ROW(name, unit, kind, key, file_unit, scale, help) { key, file_unit, scale, false },
static const struct pm_keyfile_row meminfo_rows[] = { MEMINFO(ROW) };
static const struct pm_keyfile_row numastat_rows[] = { NUMASTAT(ROW) };
/* clang-format on */

#define MEMINFO_ROWS (sizeof meminfo_rows / sizeof meminfo_rows[0])

static const struct {
	const char *name;
	struct pm_keyfile keys;
} file_info[] = {
	{ "meminfo", { meminfo_rows, MEMINFO_ROWS, 2 } }, /* lines begin with "Node N" */
	{ "numastat", { numastat_rows, sizeof numastat_rows / sizeof numastat_rows[0], 0 } },
};

#define FILES ((int)(sizeof file_info / sizeof file_info[0]))

/* Maximum number of NUMA nodes; further ones are not sampled. */
#define NODES_MAX 64

struct state {
	size_t count;
	struct node {
		struct pm_procfile file[FILES]; /* path NULL: could not be opened */
		enum pm_reason reason[FILES];   /* why it could not be opened */
		int first[FILES];
	} node[NODES_MAX];
};

static void numa_close(void *state)
{
	struct state *s = state;

	for (size_t i = 0; i < s->count; i++)
		for (int f = 0; f < FILES; f++)
			pm_procfile_close(&s->node[i].file[f]);
	free(s);
}

static void open_node(struct node *node, const struct pm_target *target, struct pm_sink *sink,
		      int64_t number)
{
	size_t metric = 0;
	char object[32];

	snprintf(object, sizeof object, "node%d", (int)number);
	for (int f = 0; f < FILES; f++) {
		bool whole = true;
		char path[128];

		snprintf(path, sizeof path, "sys/devices/system/node/%s/%s", object,
			 file_info[f].name);
		if (pm_procfile_open(&node->file[f], target->root, path) < 0)
			node->reason[f] = pm_reason_errno(errno);
		for (size_t i = 0; i < file_info[f].keys.count; i++) {
			int series = pm_sink_series(sink, metric++, object);

			if (i == 0)
				node->first[f] = series;
			whole = whole && series >= 0;
		}
		if (!whole) /* out of memory */
			node->first[f] = -1;
	}
}

static int numa_open(void **state, const struct pm_target *target, struct pm_sink *sink,
		     struct pm_unavailable *why)
{
	struct state *s = calloc(1, sizeof *s);
	int64_t *number = NULL;
	ssize_t n;

	if (!s)
		return pm_source_unavailable(why, "numa");
	n = pm_sysfslist_directory(target->root, "sys/devices/system/node", "node", &number);
	if (n <= 0) {
		if (n == 0)
			errno = ENOENT;
		pm_source_unavailable(why, "/sys/devices/system/node/node*");
		free(s);
		return -1;
	}
	for (ssize_t i = 0; i < n && s->count < NODES_MAX; i++)
		open_node(&s->node[s->count++], target, sink, number[i]);
	free(number);
	*state = s;
	return 0;
}

static void numa_sample(void *state, struct pm_sink *sink)
{
	struct state *s = state;

	for (size_t i = 0; i < s->count; i++)
		for (int f = 0; f < FILES; f++) {
			struct node *node = &s->node[i];
			const struct pm_keyfile *keys = &file_info[f].keys;
			enum pm_reason reason = node->reason[f];
			const char *text;
			ssize_t n = -1;

			if (node->first[f] < 0)
				continue;
			if (node->file[f].path) {
				n = pm_procfile_read(&node->file[f], &text);
				reason = pm_reason_errno(errno);
			}
			if (n >= 0)
				pm_keyfile_put(keys, text, (size_t)n, sink, node->first[f]);
			for (int k = 0; n < 0 && k < (int)keys->count; k++)
				pm_sink_unknown(sink, node->first[f] + k, reason);
		}
}

const struct pm_source pm_source_numa = {
	.name = "numa",
	.help = "memory of each NUMA node",
	.metrics = metrics,
	.metrics_count = sizeof metrics / sizeof metrics[0],
	.open = numa_open,
	.sample = numa_sample,
	.close = numa_close,
};
