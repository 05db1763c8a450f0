/* Read the slots of tallies. */
#include "config.h"

#include "submit/job/tallies.h"

#include "common/grow.h"
#include "common/safe/tally.h"
#include "submit/input/bounds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The host named in the header, PM_NONE if the header is not perfmon's. */
static uint32_t header_host(struct pm_images *images, const char *slot)
{
	struct pm_str field[4];
	size_t n = PM_TALLY_SLOT;

	if (slot[--n] != '\n' || memchr(slot, '\n', n))
		return PM_NONE;
	while (n > 0 && slot[n - 1] == ' ')
		n--;
	if (pm_tsv_split(slot, n, field, 4) != 4 || field[0].n != strlen(PM_TALLY_HEADER) ||
	    memcmp(field[0].p, PM_TALLY_HEADER, field[0].n) != 0 ||
	    !pm_tsv_valid(field[1].p, field[1].n) || !pm_tsv_valid(field[2].p, field[2].n))
		return PM_NONE;
	return pm_images_host(images, field[2], field[1]);
}

static bool is_text(struct pm_str s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.p, text, s.n) == 0;
}

static uint64_t slot_hash(uint32_t host, const struct pm_tally *t)
{
	uint64_t hash = pm_hashmap_mix_bytes(host, t->kind.p, t->kind.n);

	return pm_hashmap_mix_bytes(pm_hashmap_mix(hash, t->kind.n), t->key.p, t->key.n);
}

/* Merge a slot with an earlier version of it. Counts only grow, so the larger ones are later.
 * Returns whether there was an earlier version. */
static bool keep_larger(struct pm_tallies *all, uint32_t host, const struct pm_tally *t)
{
	uint64_t hash = slot_hash(host, t);
	size_t file = all->files - 1, at = 0;
	uint32_t i;

	while ((i = pm_hashindex_next(&all->by_slot, hash, &at)) != PM_NONE) {
		struct pm_tallies_item *item = &all->item[i];

		if (item->host != host || item->values != t->values || item->file == file ||
		    !is_text(t->kind, item->kind) || !is_text(t->key, item->key) ||
		    strcmp(all->file[item->file], all->file[file]) != 0)
			continue;
		for (int v = 0; v < t->values; v++)
			if (t->v[v] > item->v[v])
				item->v[v] = t->v[v];
		return true;
	}
	return false;
}

/* Whether a count is implausibly large. */
static bool is_beyond(const struct pm_tally *t)
{
	for (int v = 0; v < t->values; v++)
		if (t->v[v] > PM_BOUNDS_NUMBER)
			return true;
	return false;
}

/* Store the name of the tally being read. Returns 0 or -1. */
static int add_file(struct pm_tallies *all, const char *name)
{
	char **file = realloc(all->file, (all->files + 1) * sizeof *file);

	if (!file)
		return -1;
	all->file = file;
	file[all->files] = strdup(name);
	if (!file[all->files])
		return -1;
	all->files++;
	return 0;
}

static int add_slot(struct pm_tallies *all, uint32_t host, const struct pm_tally *t)
{
	struct pm_tallies_item *item;

	if (all->versions && keep_larger(all, host, t))
		return 0;
	if (!PM_GROW(all->item, all->count, all->cap, 64) || all->count >= PM_NONE - 1 ||
	    (all->versions &&
	     pm_hashindex_add(&all->by_slot, slot_hash(host, t), (uint32_t)all->count) < 0))
		return -1;
	item = &all->item[all->count];
	memset(item, 0, sizeof *item);
	item->host = host;
	item->file = all->files - 1;
	snprintf(item->kind, sizeof item->kind, "%.*s", (int)t->kind.n, t->kind.p);
	snprintf(item->key, sizeof item->key, "%.*s", (int)t->key.n, t->key.p);
	item->values = t->values;
	memcpy(item->v, t->v, sizeof item->v);
	all->count++;
	return 0;
}

int pm_tallies_take(struct pm_tallies *all, struct pm_images *images, const char *name,
		    const char *text, size_t n, uint32_t *host, const char **wrong,
		    struct pm_err *e)
{
	size_t counted = 0, damaged = n % PM_TALLY_SLOT;

	*wrong = NULL;
	*host = n >= PM_TALLY_SLOT ? header_host(images, text) : PM_NONE;
	if (*host == PM_NONE) {
		*wrong = "not a tally";
		return 1;
	}
	if (add_file(all, name) < 0)
		return pm_err(e, "out of memory");
	for (size_t at = PM_TALLY_SLOT; at + PM_TALLY_SLOT <= n; at += PM_TALLY_SLOT) {
		struct pm_tally t;

		if (pm_tally_parse(text + at, &t) < 0 || is_beyond(&t))
			damaged++;
		else if (t.kind.n > 0 && ++counted && add_slot(all, *host, &t) < 0)
			return pm_err(e, "out of memory");
	}
	if (damaged)
		*wrong = "damaged: some of its counts are lost";
	return counted || damaged;
}

void pm_tallies_free(struct pm_tallies *all)
{
	while (all->files)
		free(all->file[--all->files]);
	free(all->file);
	free(all->item);
	pm_hashindex_free(&all->by_slot);
	memset(all, 0, sizeof *all);
}
