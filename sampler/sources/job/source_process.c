/* Source "process": the sums of the job's process tree (tree.h). */
#include "config.h"

#include "sampler/source.h"
#include "sampler/tree/tree.h"

enum { USERTIME, SYSTEMTIME, RSS, VMS, SHARED, PROCESSES, THREADS, IO };

/* clang-format off */
static const struct pm_metric metrics[] = {
	[USERTIME] = { "usertime", "us", "CPU time in user mode", NULL, false, PM_METRIC_COUNTER },
	[SYSTEMTIME] = { "systemtime", "us", "CPU time in the kernel", NULL, false, PM_METRIC_COUNTER },
	[RSS] = { "rss", "B", "resident memory; shared pages count in every process", NULL, false,
		PM_METRIC_GAUGE },
	[VMS] = { "vms", "B", "address space", NULL, false, PM_METRIC_GAUGE },
	[SHARED] = { "shared", "B", "part of rss that other processes may also map", NULL, false,
		PM_METRIC_GAUGE },
	[PROCESSES] = { "processes", "n", "processes, zombies left out", NULL, false, PM_METRIC_GAUGE },
	[THREADS] = { "threads", "n", "threads of these processes", NULL, false, PM_METRIC_GAUGE },
	/* The rest in the order of enum pm_tree_counter from PM_TREE_RCHAR. */
	[IO] = { "rchar", "B", "bytes read by system calls, page cache included", NULL, false,
		PM_METRIC_COUNTER },
	{ "wchar", "B", "bytes written by system calls, page cache included", NULL, false,
		PM_METRIC_COUNTER },
	{ "syscr", "n", "read system calls", NULL, false, PM_METRIC_COUNTER },
	{ "syscw", "n", "write system calls", NULL, false, PM_METRIC_COUNTER },
	{ "read_bytes", "B", "bytes fetched from storage", NULL, false, PM_METRIC_COUNTER },
	{ "write_bytes", "B", "bytes sent to storage", NULL, false, PM_METRIC_COUNTER },
	{ "cancelled_write_bytes", "B", "bytes whose write to storage was spared by truncation", NULL,
		false, PM_METRIC_COUNTER },
};
/* clang-format on */

#define METRICS (sizeof metrics / sizeof metrics[0])
_Static_assert(METRICS - IO == PM_TREE_COUNTERS - PM_TREE_RCHAR, "a metric per I/O counter");

static int process_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			struct pm_unavailable *why)
{
	(void)sink;
	if (!target->tree)
		return pm_source_no_tree(why);
	/* The reader process owns the tree and scans it. */
	*state = (void *)(uintptr_t)target->tree;
	return 0;
}

static void put_value(struct pm_sink *sink, int series, const struct pm_tree_value *v)
{
	if (v->known)
		pm_sink_value(sink, series, v->value);
	else
		pm_sink_unknown(sink, series, v->reason);
}

static void process_sample(void *state, struct pm_sink *sink)
{
	struct pm_tree_sum sum;

	pm_tree_total(state, &sum);
	put_value(sink, USERTIME, &sum.counter[PM_TREE_USER]);
	put_value(sink, SYSTEMTIME, &sum.counter[PM_TREE_SYSTEM]);
	put_value(sink, RSS, &sum.rss);
	put_value(sink, VMS, &sum.vms);
	put_value(sink, SHARED, &sum.shared);
	put_value(sink, PROCESSES, &sum.processes);
	put_value(sink, THREADS, &sum.threads);
	for (int c = PM_TREE_RCHAR; c < PM_TREE_COUNTERS; c++)
		put_value(sink, IO + c - PM_TREE_RCHAR, &sum.counter[c]);
}

static void process_close(void *state)
{
	(void)state;
}

const struct pm_source pm_source_process = {
	.name = "process",
	.help = "totals of the process tree below --pid",
	.metrics = metrics,
	.metrics_count = METRICS,
	.tree = true,
	.open = process_open,
	.sample = process_sample,
	.close = process_close,
};
