/* Keep a process tree in memory that outlives the sampling process. */
#include "config.h"

#include "sampler/tree/tree_memory.h"

#include <stddef.h>
#include <string.h>

/* The copy that is not the current one. */
static struct pm_tree_kept *other_copy(struct pm_tree_memory *memory)
{
	return &memory->copy[memory->current ? 0 : 1];
}

/* Make the other copy, complete by now, the current one. */
static void switch_copies(struct pm_tree_memory *memory)
{
	__atomic_store_n(&memory->current, memory->current ? 0 : 1, __ATOMIC_RELEASE);
}

void pm_tree_memory_keep(struct pm_tree_memory *memory, const struct pm_process *member,
			 size_t count, const int64_t lost[PM_TREE_COUNTERS])
{
	struct pm_tree_kept *kept = other_copy(memory);

	kept->seen = count <= PM_TREE_MEMORY_MAX;
	kept->count = kept->seen ? (uint32_t)count : 0;
	memcpy(kept->lost, lost, sizeof kept->lost);
	for (size_t i = 0; i < kept->count; i++) {
		const struct pm_process *m = &member[i];
		struct pm_tree_kept_member *k = &kept->member[i];

		k->pid = m->pid;
		k->ppid = (pid_t)m->stat.ppid;
		k->parent = m->parent;
		k->start = m->stat.starttime;
		for (int c = 0; c < PM_TREE_COUNTERS; c++)
			k->whole[c] = m->whole[c].value;
		memcpy(k->waited, m->waited, sizeof k->waited);
	}
	switch_copies(memory);
}

const struct pm_tree_kept *pm_tree_memory_kept(const struct pm_tree_memory *memory)
{
	const struct pm_tree_kept *kept = &memory->copy[memory->current ? 1 : 0];

	return kept->seen && kept->count <= PM_TREE_MEMORY_MAX ? kept : NULL;
}

void pm_tree_memory_copy(struct pm_tree_memory *to, const struct pm_tree_memory *from)
{
	const struct pm_tree_kept *kept = pm_tree_memory_kept(from);

	if (!kept)
		return;
	memcpy(other_copy(to), kept,
	       offsetof(struct pm_tree_kept, member) + kept->count * sizeof kept->member[0]);
	switch_copies(to);
}

void pm_tree_memory_forget(struct pm_tree_memory *memory)
{
	memory->copy[0].seen = memory->copy[1].seen = false;
}
