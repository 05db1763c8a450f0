/*
 * The processes of a job: a root process and its descendants, followed over time and each counted
 * once. Programs only.
 *
 * A process belongs to the tree when its parent does at the moment it is first seen. It stays
 * until it is gone, whoever becomes its parent when its own exits, and its later children belong
 * too. It is known by (pid, start time), so a reused pid is not mistaken for it. A process whose
 * parent came and went between two scans (a daemon's double fork) is not found.
 */
#ifndef PM_TREE_H
#define PM_TREE_H

#include "sampler/tree_value.h"

#include <sys/types.h>

/* The whole tree at its last scan. */
struct pm_tree_sum {
	/*
	 * What the living processes have used and the ones they waited for, plus what the others
	 * had used when they were last seen. Never falls. What a process that nobody in the tree
	 * waits for used between the last scan and its end is missing.
	 */
	struct pm_tree_value counter[PM_TREE_COUNTERS];
	struct pm_tree_value processes; /* zombies are not counted */
	struct pm_tree_value threads;
	struct pm_tree_value rss; /* B; shared pages count in every process */
	struct pm_tree_value vms; /* B */
};

struct pm_tree;

/*
 * Follow the process `pid` and its descendants below root. Nothing is read yet.
 * Returns the tree, or NULL with e filled.
 */
struct pm_tree *pm_tree_open(const char *root, pid_t pid, struct pm_err *e);

/*
 * Read /proc: drop processes that are gone, add new ones. Keeps up to a part of the descriptor
 * limit open; beyond it files are opened for each reading.
 * Returns how many processes of the tree live (zombies do not).
 */
size_t pm_tree_scan(struct pm_tree *t);

/* Add up the tree. Everything is absent when the root process was never seen. */
void pm_tree_total(const struct pm_tree *t, struct pm_tree_sum *sum);

/* Release the tree; NULL is allowed. */
void pm_tree_close(struct pm_tree *t);

#endif
