/* A growing array of processes, and pids sorted for binary search. */
#include "config.h"

#include "sampler/tree/members.h"

#include <stdlib.h>

struct pm_members_entry {
	pid_t pid;
	size_t member;
};

int pm_members_room(struct pm_members *m)
{
	size_t capacity = m->capacity ? 2 * m->capacity : 64;
	struct pm_members_entry *entries;
	struct pm_process *members;

	if (m->count < m->capacity)
		return 0;
	members = realloc(m->member, capacity * sizeof *members);
	if (!members)
		return -1;
	m->member = members;
	entries = realloc(m->by_pid, capacity * sizeof *entries);
	if (!entries)
		return -1;
	m->by_pid = entries;
	m->capacity = capacity;
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	const struct pm_members_entry *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void pm_members_index(struct pm_members *m)
{
	for (size_t i = 0; i < m->count; i++) {
		m->by_pid[i].pid = m->member[i].pid;
		m->by_pid[i].member = i;
	}
	m->indexed = m->count;
	if (m->indexed > 1)
		qsort(m->by_pid, m->indexed, sizeof *m->by_pid, compare_pids);
}

struct pm_process *pm_members_find(const struct pm_members *m, pid_t pid)
{
	const struct pm_members_entry key = { .pid = pid }, *hit = NULL;

	if (m->indexed)
		hit = bsearch(&key, m->by_pid, m->indexed, sizeof key, compare_pids);
	return hit ? &m->member[hit->member] : NULL;
}

void pm_members_free(struct pm_members *m)
{
	free(m->member);
	free(m->by_pid);
}
