/* A hash table of pids with open addressing. */
#include "config.h"

#include "sampler/tree/pidmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64 /* a power of two: capacities only double */

void pm_pidmap_init(struct pm_pidmap *m, size_t size)
{
	memset(m, 0, sizeof *m);
	m->size = size;
}

void pm_pidmap_free(struct pm_pidmap *m)
{
	free(m->pid);
	free(m->value);
	pm_pidmap_init(m, m->size);
}

/* The place of a pid, or the free place where it belongs. Some place is always free. */
static size_t find_place(const struct pm_pidmap *m, pid_t pid)
{
	size_t i = (uint32_t)pid * 2654435761U & (m->capacity - 1);

	while (m->pid[i] && m->pid[i] != pid)
		i = (i + 1) & (m->capacity - 1);
	return i;
}

void *pm_pidmap_get(const struct pm_pidmap *m, pid_t pid)
{
	size_t i;

	if (!m->count || pid <= 0)
		return NULL;
	i = find_place(m, pid);
	return m->pid[i] ? m->value + i * m->size : NULL;
}

/* Move all entries to a table of this capacity. Returns 0, or -1 when memory is short. */
static int rehash(struct pm_pidmap *m, size_t capacity)
{
	const struct pm_pidmap old = *m;

	m->pid = calloc(capacity, sizeof *m->pid);
	m->value = calloc(capacity, m->size);
	if (!m->pid || !m->value) {
		free(m->pid);
		free(m->value);
		*m = old;
		return -1;
	}
	m->capacity = capacity;
	for (size_t i = 0; i < old.capacity; i++)
		if (old.pid[i]) {
			size_t to = find_place(m, old.pid[i]);

			m->pid[to] = old.pid[i];
			memcpy(m->value + to * m->size, old.value + i * m->size, m->size);
		}
	free(old.pid);
	free(old.value);
	return 0;
}

void *pm_pidmap_put(struct pm_pidmap *m, pid_t pid)
{
	size_t i;

	if (4 * (m->count + 1) > 3 * m->capacity &&
	    rehash(m, m->capacity ? 2 * m->capacity : FIRST_CAPACITY) < 0)
		return NULL;
	i = find_place(m, pid);
	if (!m->pid[i]) {
		m->pid[i] = pid;
		memset(m->value + i * m->size, 0, m->size);
		m->count++;
	}
	return m->value + i * m->size;
}

/* Free place i and put the entries after it anew, up to the next free place, so that lookups still
 * find them. */
static void remove_at(struct pm_pidmap *m, size_t i)
{
	m->pid[i] = 0;
	m->count--;
	for (size_t j = (i + 1) & (m->capacity - 1); m->pid[j]; j = (j + 1) & (m->capacity - 1)) {
		const pid_t pid = m->pid[j];
		size_t to;

		m->pid[j] = 0;
		to = find_place(m, pid);
		m->pid[to] = pid;
		if (to != j)
			memcpy(m->value + to * m->size, m->value + j * m->size, m->size);
	}
}

void pm_pidmap_remove(struct pm_pidmap *m, pid_t pid)
{
	size_t i;

	if (!m->count || pid <= 0)
		return;
	i = find_place(m, pid);
	if (m->pid[i])
		remove_at(m, i);
}

void pm_pidmap_sweep(struct pm_pidmap *m, bool (*gone)(void *context, pid_t pid, void *value),
		     void *context)
{
	pid_t *doomed = m->count ? malloc(m->count * sizeof *doomed) : NULL;
	size_t n = 0;

	/* Removal moves other entries, so ask about all entries first. If out of memory, remove
	 * nothing. */
	for (size_t i = 0; doomed && i < m->capacity; i++)
		if (m->pid[i] && gone(context, m->pid[i], m->value + i * m->size))
			doomed[n++] = m->pid[i];
	for (size_t i = 0; i < n; i++)
		remove_at(m, find_place(m, doomed[i]));
	free(doomed);
}
