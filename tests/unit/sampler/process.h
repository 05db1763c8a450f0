/* Recorded processes for tests of the process tree, and the tree that is read from them. */
#ifndef PM_TESTS_UNIT_SAMPLER_PROCESS_H
#define PM_TESTS_UNIT_SAMPLER_PROCESS_H

#include "sampler/tree/tree.h"

#include "tests/unit/sampler/root.h"

#define TICK 10000 /* us per clock tick of 100 Hz */

/* What is recorded of a process. */
struct process {
	pid_t pid, ppid;
	int64_t utime, stime, cutime, cstime;
	int64_t rss, start, threads;
	char state;
	bool thread; /* of another process, not a leader */
	const char *name;
};

static struct pm_tree *tree;
static struct pm_tree_sum sum;

static void record(struct process p)
{
	char path[64], text[512];

	snprintf(path, sizeof path, "proc/%d/stat", p.pid);
	snprintf(text, sizeof text,
		 "%d (%s) %c %d 1 1 0 -1 4194304 0 0 0 0 %jd %jd %jd %jd 20 0 %jd 0 %jd 0 0 "
		 "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		 p.pid, p.name ? p.name : "a) b", p.state ? p.state : 'S', p.ppid,
		 (intmax_t)p.utime, (intmax_t)p.stime, (intmax_t)p.cutime, (intmax_t)p.cstime,
		 (intmax_t)(p.threads ? p.threads : 1), (intmax_t)(p.start ? p.start : p.pid),
		 p.thread ? -1 : 17);
	root_put(path, text);
	snprintf(path, sizeof path, "proc/%d/statm", p.pid);
	snprintf(text, sizeof text, "%jd %jd 3 4 0 5 0\n", (intmax_t)p.rss * 2, (intmax_t)p.rss);
	root_put(path, text);
}

__attribute__((unused)) static void record_io(pid_t pid, int64_t rchar, int64_t wchar)
{
	char path[64], text[512];

	snprintf(path, sizeof path, "proc/%d/io", pid);
	snprintf(text, sizeof text,
		 "rchar: %jd\nwchar: %jd\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
		 "cancelled_write_bytes: 7\n",
		 (intmax_t)rchar, (intmax_t)wchar);
	root_put(path, text);
}

__attribute__((unused)) static void forget(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "proc/%d", pid);
	root_remove_path(path);
}

__attribute__((unused)) static void tree_begin(void)
{
	root_make();
	record((struct process){ .pid = 1, .rss = 1000000 });
}

__attribute__((unused)) static void tree_end(void)
{
	pm_tree_close(tree);
	tree = NULL;
	root_remove();
}

/* Scan, opening the tree of process 100 first. */
__attribute__((unused)) static size_t scan(void)
{
	size_t living;

	if (!tree)
		tree = pm_tree_open(root, 100, NULL);
	PM_SURE(tree);
	living = pm_tree_scan(tree);
	pm_tree_total(tree, &sum);
	return living;
}

#endif
