/* The processes of a tree, and an index of them by pid. */
#ifndef PM_SAMPLER_TREE_MEMBERS_H
#define PM_SAMPLER_TREE_MEMBERS_H

#include "sampler/tree/process.h"

#include <stddef.h>

struct pm_members {
	struct pm_process *member;
	size_t count, capacity;
	struct pm_members_entry *by_pid; /* sorted, with room for every member */
	size_t indexed;
};

/* Make room for one more member. Returns 0, or -1 when memory is short. */
int pm_members_room(struct pm_members *m);

/* Make the index anew, after members came or went. */
void pm_members_index(struct pm_members *m);

/* The member with this pid, as of the last pm_members_index, or NULL. */
struct pm_process *pm_members_find(const struct pm_members *m, pid_t pid);

/* Free the memory of the members, which the caller has closed. */
void pm_members_free(struct pm_members *m);

#endif
