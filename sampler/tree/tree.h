/*
 * The processes of a job: a root process and its descendants, followed over time and each counted
 * once.
 *
 * A process belongs to the tree when its parent does at the moment it is first seen. It stays a
 * member until it is gone, even when its parent exits and another process adopts it; its later
 * children belong too. Members are identified by (pid, start time), so a reused pid is never
 * mistaken. A process whose parent came and went between two scans (a daemon's double fork) is
 * found if a source of births is set (pm_tree_births).
 */
#ifndef PM_SAMPLER_TREE_TREE_H
#define PM_SAMPLER_TREE_TREE_H

#include "common/err.h"
#include "sampler/tree/tree_value.h"

#include <stdbool.h>
#include <sys/types.h>

/* The whole tree at its last scan. */
struct pm_tree_sum {
	/*
	 * Use by living processes and by the children they waited for, plus use by the other gone
	 * processes as last seen. Never falls. If no member waits for a process, its use between
	 * the last scan and its end is missing.
	 */
	struct pm_tree_value counter[PM_TREE_COUNTERS];
	struct pm_tree_value processes; /* zombies are not counted */
	struct pm_tree_value threads;
	struct pm_tree_value rss;    /* B; shared pages count in every process */
	struct pm_tree_value vms;    /* B */
	struct pm_tree_value shared; /* B; the part of rss that others may have mapped, too */
};

struct pm_tree;

/*
 * Follow the process `pid`, 0 for none, and its descendants below root. Nothing is read yet.
 * Returns the tree, or NULL with e filled.
 */
struct pm_tree *pm_tree_open(const char *root, pid_t pid, struct pm_err *e);

/*
 * From now on a new process for which `belongs` returns true is a member, whatever its parent. With
 * a rule the tree may be opened without a root, pid 0.
 */
void pm_tree_rule(struct pm_tree *t, bool (*belongs)(void *ctx, pid_t pid), void *ctx);

/* Set the function that returns whether a new process descends from the tree, even when its parents
 * lived only between two scans; NULL: no such source any more. */
void pm_tree_births(struct pm_tree *t, bool (*born)(void *ctx, pid_t pid), void *ctx);

struct pm_tree_memory;

/* Resume the tree kept in memory (tree_memory.h), if any, and keep each scan there. To be called
 * before the first scan; the memory stays the caller's and must outlive the tree. */
void pm_tree_remember(struct pm_tree *t, struct pm_tree_memory *memory);

struct pm_census;

/* Read members by a census (census.h) as soon as one can be taken. The census stays the caller's
 * and must outlive the tree. To be called before the first scan. */
void pm_tree_census(struct pm_tree *t, struct pm_census *census);

/* Leave out the process `pid` and its children: the sampler, by default the calling process. */
void pm_tree_leave_out(struct pm_tree *t, pid_t pid);

/*
 * Read /proc: drop processes that are gone, add new ones. Keeps up to a part of the descriptor
 * limit open; beyond it files are opened for each reading.
 * Returns how many processes of the tree live (zombies do not).
 */
size_t pm_tree_scan(struct pm_tree *t);

/* One process of the tree, as of its last scan. */
struct pm_tree_process {
	pid_t pid;
	int64_t start;    /* ticks after boot */
	const char *name; /* the command name; valid until the next scan */
	int64_t threads;
	bool ended;               /* its leader ended; other threads, if any, run on */
	bool ran;                 /* used CPU time since the previous scan, or may have */
	struct pm_tree_value cpu; /* us, without its children's */
	struct pm_tree_value rss; /* B */
	/* Its census entry, valid until the next scan; NULL where it was read from /proc. */
	const struct pm_census_task *told;
};

/* The number of processes, zombies included, and the process at place i below that number. The root
 * process is at 0 as long as it is there. */
size_t pm_tree_count(const struct pm_tree *t);
struct pm_tree_process pm_tree_process(const struct pm_tree *t, size_t i);

/* Whether a process belonged to the tree at the last scan. */
bool pm_tree_has(const struct pm_tree *t, pid_t pid);

/* Set the command name of a process of the tree that the caller learnt between two scans: this
 * spares the next scan from reading it. */
void pm_tree_name(struct pm_tree *t, pid_t pid, const char *name);

/* Add up the tree. Everything is absent when the root process was never seen. */
void pm_tree_total(const struct pm_tree *t, struct pm_tree_sum *sum);

/* Release the tree; NULL is allowed. */
void pm_tree_close(struct pm_tree *t);

#endif
