/* Read a group of blocks in the order of the store, hand them out in that of their use. */
#include "config.h"

#include "submit/job/seriesahead.h"

#include "common/grow.h"
#include "submit/memory/filemem.h"

#include <stdlib.h>
#include <string.h>

/* Blocks in a group, and bytes of them that are kept; of the others the store is read when it is
 * their turn. */
#define GROUP 16384
#define KEPT  ((size_t)2 << 20)

/* A block of the group: blocks of higher numbers lie behind in the store. */
struct place {
	uint32_t number, turn;
};

struct kept {
	struct pm_series_block block;
	struct pm_series_coded coded;
	size_t at; /* of deviations and reasons in bytes; SIZE_MAX: not kept */
	uint32_t deviations, unknown;
};

struct pm_seriesahead {
	struct pm_series *s;
	const uint32_t *order;
	size_t n, next;      /* blocks, handed out */
	size_t first, group; /* the group: its first block, blocks in it */
	struct place *place;
	struct kept *kept;
	char *bytes;
	size_t fill, cap;
	struct pm_series_ahead ahead; /* handed out */
};

struct pm_seriesahead *pm_seriesahead_new(struct pm_series *s, const uint32_t *order, size_t n)
{
	struct pm_seriesahead *a = calloc(1, sizeof *a);
	size_t most = n < GROUP ? n + 1 : GROUP;

	if (!a)
		return NULL;
	a->s = s;
	a->order = order;
	a->n = n;
	a->place = malloc(most * sizeof *a->place);
	a->kept = malloc(most * sizeof *a->kept);
	if (a->place && a->kept)
		return a;
	pm_seriesahead_free(a);
	return NULL;
}

void pm_seriesahead_free(struct pm_seriesahead *a)
{
	if (!a)
		return;
	free(a->place);
	free(a->kept);
	free(a->bytes);
	free(a);
}

static int by_number(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Keep a block, without the bytes of the store if there is no room. Returns 0 or -1 with e filled.
 */
static int keep_block(struct pm_seriesahead *a, const struct place *p, struct pm_err *e)
{
	struct kept *k = &a->kept[p->turn];
	struct pm_str deviations, unknown;

	k->block = a->s->block[p->number];
	k->at = SIZE_MAX;
	if (a->fill >= KEPT)
		return 0;
	if (pm_series_get_coded(a->s, &k->block, &k->coded, &deviations, &unknown, e) < 0)
		return -1;
	if (!PM_GROW_BY(a->bytes, a->fill, deviations.n + unknown.n, a->cap, 65536))
		return pm_err(e, "out of memory");
	k->at = a->fill;
	k->deviations = (uint32_t)deviations.n;
	k->unknown = (uint32_t)unknown.n;
	memcpy(a->bytes + a->fill, deviations.p, deviations.n);
	a->fill += deviations.n;
	if (unknown.n)
		memcpy(a->bytes + a->fill, unknown.p, unknown.n);
	a->fill += unknown.n;
	return 0;
}

static int read_group(struct pm_seriesahead *a, struct pm_err *e)
{
	a->first += a->group;
	a->group = a->n - a->first < GROUP ? a->n - a->first : GROUP;
	a->fill = 0;
	for (size_t i = 0; i < a->group; i++)
		a->place[i] = (struct place){ a->order[a->first + i], (uint32_t)i };
	qsort(a->place, a->group, sizeof *a->place, by_number);
	for (size_t i = 0; i < a->group; i++, pm_filemem_trim())
		if (keep_block(a, &a->place[i], e) < 0)
			return -1;
	return 0;
}

const struct pm_series_ahead *pm_seriesahead_next(struct pm_seriesahead *a, struct pm_err *e)
{
	struct pm_series_ahead *x = &a->ahead;
	const struct kept *k;

	if (a->next == a->first + a->group && read_group(a, e) < 0)
		return NULL;
	k = &a->kept[a->next++ - a->first];
	x->block = k->block;
	if (k->at == SIZE_MAX)
		return pm_series_get_coded(a->s, &x->block, &x->coded, &x->deviations, &x->unknown,
					   e) < 0
			       ? NULL
			       : x;
	x->coded = k->coded;
	x->deviations = (struct pm_str){ a->bytes + k->at, k->deviations };
	x->unknown = (struct pm_str){ a->bytes + k->at + k->deviations, k->unknown };
	return x;
}
