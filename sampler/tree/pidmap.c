/* A hash table of pids with open addressing. */
#include "config.h"

#include "sampler/pidmap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64 /* a power of two, as all others */

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

/* Where a pid is, or the free place where it belongs. Some place is always free. */
static size_t place(const struct pm_pidmap *m, pid_t pid)
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
	i = place(m, pid);
	return m->pid[i] ? m->value + i * m->size : NULL;
}

/* Move everything to a table of this capacity. Returns 0, or -1 when memory is short. */
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
			size_t to = place(m, old.pid[i]);

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
	i = place(m, pid);
	if (!m->pid[i]) {
		m->pid[i] = pid;
		memset(m->value + i * m->size, 0, m->size);
		m->count++;
	}
	return m->value + i * m->size;
}

/* Free place i and close the gap, so that what was displaced by it is found again. */
static void remove_at(struct pm_pidmap *m, size_t i)
{
	m->pid[i] = 0;
	m->count--;
	for (size_t j = (i + 1) & (m->capacity - 1); m->pid[j]; j = (j + 1) & (m->capacity - 1)) {
		const pid_t pid = m->pid[j];
		size_t to;

		m->pid[j] = 0;
		to = place(m, pid);
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
	i = place(m, pid);
	if (m->pid[i])
		remove_at(m, i);
}

void pm_pidmap_sweep(struct pm_pidmap *m, bool (*gone)(void *context, pid_t pid, void *value),
		     void *context)
{
	pid_t *doomed = m->count ? malloc(m->count * sizeof *doomed) : NULL;
	size_t n = 0;

	/* Removing moves others; so ask first. Without memory everything stays until next time. */
	for (size_t i = 0; doomed && i < m->capacity; i++)
		if (m->pid[i] && gone(context, m->pid[i], m->value + i * m->size))
			doomed[n++] = m->pid[i];
	for (size_t i = 0; i < n; i++)
		remove_at(m, place(m, doomed[i]));
	free(doomed);
}
