/* Which processes of a large job a page folds, by their wall times. */
#include "config.h"

#include "report/facts/processfold.h"

#include "common/grow.h"
#include "report/print/format.h"

#include <stdlib.h>
#include <string.h>

/* Limits that are tried: powers of the square root of 2, in us, up to months. */
#define LIMITS 87 /* the next one is beyond 64 bits on the way */

/* A process on the way from the root to the one that was added last. */
struct way {
	int64_t id;
	int32_t number;
};

struct pm_processfold {
	int32_t *parent; /* of each process, its number; -1: none */
	unsigned char
		*size; /* of each: how many limits its wall time reaches, LIMITS where unknown */
	size_t n, parent_room, size_room;
	struct way *way;
	size_t ways, way_room;
};

/* The limit number i in us. */
static int64_t limit_us(int i)
{
	static const int64_t half[] = { 1000000, 1414213 };

	return (half[i % 2] << (i / 2)) / 1000000;
}

/* How many limits a wall time reaches. */
static unsigned char size_of(int64_t us)
{
	int n = 0;

	if (us == PM_UNKNOWN)
		return LIMITS;
	while (n < LIMITS && us >= limit_us(n))
		n++;
	return (unsigned char)n;
}

struct pm_processfold *pm_processfold_new(void)
{
	return calloc(1, sizeof(struct pm_processfold));
}

int pm_processfold_add(struct pm_processfold *p, int64_t id, int64_t parent, int64_t duration_us)
{
	size_t n = parent == PM_UNKNOWN ? 0 : p->ways;

	if (p->n == INT32_MAX || !PM_GROW(p->parent, p->n, p->parent_room, 4096) ||
	    !PM_GROW(p->size, p->n, p->size_room, 4096) ||
	    !PM_GROW(p->way, p->ways, p->way_room, 64))
		return -1;
	while (n > 0 && p->way[n - 1].id != parent)
		n--;
	p->parent[p->n] = n ? p->way[n - 1].number : -1;
	p->size[p->n] = size_of(duration_us);
	p->way[n] = (struct way){ id, (int32_t)p->n };
	p->ways = n + 1;
	p->n++;
	return 0;
}

void pm_processfold_complete(struct pm_processfold *p)
{
	for (size_t i = p->n; i-- > 0;)
		if (p->parent[i] >= 0 && p->size[p->parent[i]] < p->size[i])
			p->size[p->parent[i]] = p->size[i];
}

int pm_processfold_limit(const struct pm_processfold *p, int64_t most)
{
	int64_t of_size[LIMITS + 1] = { 0 }, kept = 0;
	int limit;

	for (size_t i = 0; i < p->n; i++)
		of_size[p->size[i]]++;
	for (limit = LIMITS; limit > 0; limit--) {
		if (kept + of_size[limit] > most && limit < LIMITS)
			break;
		kept += of_size[limit];
	}
	return limit + 1;
}

void pm_processfold_free(struct pm_processfold *p)
{
	if (!p)
		return;
	free(p->parent);
	free(p->size);
	free(p->way);
	free(p);
}

bool pm_processfold_folds(const struct pm_processfold *p, int limit, int64_t n)
{
	return n >= 0 && (size_t)n < p->n && p->size[n] < limit;
}

int64_t pm_processfold_limit_us(int limit)
{
	return limit > 0 ? limit_us(limit - 1) : 0;
}
