/*
 * Source "footprint": the memory that the processes of the job's tree really take, and their open
 * descriptors. For each reading the kernel walks the page tables of each process under a lock that
 * the process itself needs to change its memory. A reading may also wait for a process that is
 * stuck. So the source has a period and a budget.
 */
#include "config.h"

#include "sampler/kernel/procfile.h"
#include "sampler/source.h"
#include "sampler/tree/tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USS, PSS, SWAP, SWAP_PSS, MEMORY, DESCRIPTORS = MEMORY, METRICS };

/* clang-format off */
static const struct pm_metric metrics[METRICS] = {
	[USS] = { "uss", "B", "memory mapped by no other process", NULL, false, PM_METRIC_GAUGE },
	[PSS] = { "pss", "B", "proportional set size: resident memory, with shared pages divided among the processes that map them",
		NULL, false, PM_METRIC_GAUGE },
	[SWAP] = { "swap", "B", "memory swapped out", NULL, false, PM_METRIC_GAUGE },
	[SWAP_PSS] = { "swap_pss", "B", "memory swapped out, with shared pages divided among the processes that map them", NULL, false,
		PM_METRIC_GAUGE },
	[DESCRIPTORS] = { "descriptors", "n", "open file descriptors", NULL, false, PM_METRIC_GAUGE },
};
/* clang-format on */

/* The lines that make up each metric, as in proc_pid_smaps(5). smaps_rollup has each line once,
 * smaps of older kernels once per mapping. */
static const struct {
	const char *key;
	int metric;
} lines[] = {
	{ "Pss:", PSS },           { "Private_Clean:", USS },
	{ "Private_Dirty:", USS }, { "Private_Hugetlb:", USS },
	{ "Swap:", SWAP },         { "SwapPss:", SWAP_PSS },
};

#define LINES (sizeof lines / sizeof lines[0])

/* At most once in ten seconds, and at most a thousandth of a CPU's time. */
#define PERIOD_US  10000000
#define BUDGET_PPM 1000

struct state {
	const struct pm_tree *tree;
	const char *root;
	bool rollup;    /* the kernel has smaps_rollup */
	bool counts_fd; /* st_size of /proc/PID/fd is the number of descriptors */
};

/* --- memory ----------------------------------------------------------------------------------- */

/*
 * Add the lines of a text to the sums. Returns 0, or -1 where a line is cut or malformed; `found`
 * gets a bit for each metric with a line.
 */
static int add_lines(struct pm_tree_value sum[MEMORY], const char *p, const char *end,
		     unsigned *found)
{
	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		if (!newline)
			return -1;
		for (size_t i = 0; i < LINES; i++) {
			const size_t n = strlen(lines[i].key);
			const char *at = p + n;
			int64_t kb;

			if ((size_t)(newline - p) < n || memcmp(p, lines[i].key, n) != 0)
				continue;
			while (at < newline && *at == ' ')
				at++;
			if (pm_procfile_number(&at, newline + 1, &kb) < 0 ||
			    kb > INT64_MAX / 1024 - sum[lines[i].metric].value / 1024 ||
			    newline - at != 3 || memcmp(at, " kB", 3) != 0)
				return -1;
			sum[lines[i].metric].value += 1024 * kb;
			*found |= 1U << lines[i].metric;
			break;
		}
		p = newline + 1;
	}
	return 0;
}

static void spoil_sum(struct pm_tree_value *v, enum pm_reason reason)
{
	if (v->known)
		*v = (struct pm_tree_value){ .reason = reason };
}

/* Add one process. A process that is gone, or has no memory of its own, adds nothing. */
static void add_memory(struct state *s, pid_t pid, struct pm_tree_value sum[MEMORY])
{
	enum pm_reason reason = PM_REASON_parse;
	struct pm_procfile f;
	unsigned found = 0;
	char path[64];
	const char *text;
	ssize_t n = -1;

	snprintf(path, sizeof path, "proc/%d/%s", (int)pid, s->rollup ? "smaps_rollup" : "smaps");
	if (pm_procfile_open(&f, s->root, path) == 0) {
		n = pm_procfile_read(&f, &text);
		reason = n < 0 ? pm_reason_errno(errno) : reason;
		/* A file that is malformed half-way spoils all sums. */
		if (n >= 0 && add_lines(sum, text, text + n, &found) < 0) {
			found = 0;
			n = 1;
		}
		pm_procfile_close(&f);
	} else {
		reason = pm_reason_errno(errno);
	}
	if (reason == PM_REASON_absent || n == 0)
		return;
	for (int i = 0; i < MEMORY; i++)
		if (n < 0 || !(found & 1U << i))
			spoil_sum(&sum[i], found ? PM_REASON_unsupported : reason);
}

/* --- descriptors ------------------------------------------------------------------------------ */

/* The number of a process' descriptors, or -1 with errno set. */
static int64_t count_descriptors(const struct state *s, pid_t pid)
{
	struct dirent *entry;
	char path[4096];
	struct stat st;
	int64_t n = 0;
	DIR *dir;

	if (snprintf(path, sizeof path, "%s/proc/%d/fd", s->root, (int)pid) >= (int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (s->counts_fd)
		return stat(path, &st) < 0 ? -1 : st.st_size;
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void add_descriptors(const struct state *s, pid_t pid, struct pm_tree_value *sum)
{
	int64_t n = count_descriptors(s, pid);
	enum pm_reason reason = n < 0 ? pm_reason_errno(errno) : PM_REASON_absent;

	if (n >= 0)
		sum->value += n;
	else if (reason != PM_REASON_absent)
		spoil_sum(sum, reason);
}

/* --- the source ------------------------------------------------------------------------------- */

static int footprint_open(void **state, const struct pm_target *target, struct pm_sink *sink,
			  struct pm_unavailable *why)
{
	struct pm_procfile f;
	struct state *s;
	struct stat st;

	(void)sink;
	if (!target->tree)
		return pm_source_no_tree(why);
	s = calloc(1, sizeof *s);
	if (!s)
		return pm_source_unavailable(why, "footprint");
	s->tree = target->tree;
	s->root = target->root;
	s->rollup = true;
	/* Find out by this process, which surely has descriptors, what the kernel supports. */
	if (target->root[0] == '\0') {
		s->rollup = pm_procfile_open(&f, "", "proc/self/smaps_rollup") == 0;
		if (s->rollup)
			pm_procfile_close(&f);
		s->counts_fd = stat("/proc/self/fd", &st) == 0 && st.st_size > 0;
	}
	*state = s;
	return 0;
}

static void footprint_sample(void *state, struct pm_sink *sink)
{
	struct pm_tree_value sum[METRICS];
	struct state *s = state;
	const size_t count = pm_tree_count(s->tree);

	for (int i = 0; i < METRICS; i++)
		sum[i] = (struct pm_tree_value){ .known = count > 0, .reason = PM_REASON_absent };
	for (size_t i = 0; i < count; i++) {
		const struct pm_tree_process p = pm_tree_process(s->tree, i);

		if (p.ended && p.threads <= 1)
			continue;
		add_memory(s, p.pid, sum);
		add_descriptors(s, p.pid, &sum[DESCRIPTORS]);
	}
	for (int i = 0; i < METRICS; i++) {
		if (sum[i].known)
			pm_sink_value(sink, i, sum[i].value);
		else
			pm_sink_unknown(sink, i, sum[i].reason);
	}
}

static void footprint_close(void *state)
{
	free(state);
}

const struct pm_source pm_source_footprint = {
	.name = "footprint",
	.help = "unshared and proportional memory of the processes below --pid, and their file "
		"descriptors",
	.metrics = metrics,
	.metrics_count = METRICS,
	.period_us = PERIOD_US,
	.budget_ppm = BUDGET_PPM,
	.tree = true,
	.open = footprint_open,
	.sample = footprint_sample,
	.close = footprint_close,
};
