/*
 * What is known of a process tree beyond what /proc tells: who belongs whose parents are gone, and
 * what those used that are gone. Kept in memory that outlives the process that follows the tree, so
 * that the next one goes on with it. Programs only.
 */
#ifndef PM_TREE_MEMORY_H
#define PM_TREE_MEMORY_H

#include "sampler/member.h"

/* Members kept at most; a larger tree is not kept. */
#define PM_TREE_MEMORY_MAX 4096

/* A tree at its latest scan. */
struct pm_tree_kept {
	uint32_t count; /* of members */
	bool seen;      /* false: there is nothing kept */
	int64_t lost[PM_TREE_COUNTERS];
	struct pm_tree_kept_member {
		pid_t pid, ppid;
		bool parent;
		int64_t start;
		int64_t whole[PM_TREE_COUNTERS], waited[PM_TREE_COUNTERS];
	} member[PM_TREE_MEMORY_MAX];
};

/* Of zeros to begin with. One copy is whole whenever the process that writes ends. */
struct pm_tree_memory {
	uint32_t current;
	struct pm_tree_kept copy[2];
};

/* Keep a tree. Members have their parents before them. */
void pm_tree_memory_keep(struct pm_tree_memory *memory, const struct pm_member *member,
			 size_t count, const int64_t lost[PM_TREE_COUNTERS]);

/* What is kept, or NULL. */
const struct pm_tree_kept *pm_tree_memory_kept(const struct pm_tree_memory *memory);

/* Keep what another memory has. */
void pm_tree_memory_copy(struct pm_tree_memory *to, const struct pm_tree_memory *from);

/* Keep nothing. */
void pm_tree_memory_forget(struct pm_tree_memory *memory);

#endif
