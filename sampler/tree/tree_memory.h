/*
 * Knowledge of a process tree that /proc does not have: members whose parents are gone, and the
 * counters of processes that are gone. The memory outlives the process that follows the tree, so
 * that its successor can go on with it.
 */
#ifndef PM_SAMPLER_TREE_TREE_MEMORY_H
#define PM_SAMPLER_TREE_TREE_MEMORY_H

#include "sampler/tree/process.h"

/* Members kept at most; a larger tree is not kept. */
#define PM_TREE_MEMORY_MAX 4096

/* A tree at its latest scan. */
struct pm_tree_kept {
	uint32_t count; /* members */
	bool seen;      /* false: nothing is kept here */
	int64_t lost[PM_TREE_COUNTERS];
	struct pm_tree_kept_member {
		pid_t pid, ppid;
		bool parent;
		int64_t start;
		int64_t whole[PM_TREE_COUNTERS], waited[PM_TREE_COUNTERS];
	} member[PM_TREE_MEMORY_MAX];
};

/* Zeroed at first. Two copies: one is complete even if the writer dies while it writes. */
struct pm_tree_memory {
	uint32_t current;
	struct pm_tree_kept copy[2];
};

/* Keep a tree. Parents come before their children. */
void pm_tree_memory_keep(struct pm_tree_memory *memory, const struct pm_process *member,
			 size_t count, const int64_t lost[PM_TREE_COUNTERS]);

/* The tree that is kept, or NULL. */
const struct pm_tree_kept *pm_tree_memory_kept(const struct pm_tree_memory *memory);

/* Keep the tree of another memory, if it has one. */
void pm_tree_memory_copy(struct pm_tree_memory *to, const struct pm_tree_memory *from);

/* Keep nothing. */
void pm_tree_memory_forget(struct pm_tree_memory *memory);

#endif
