/* Hash table of bounded size: texts that do not fit are stored by the caller. */
#include "config.h"

#include "submit/memory/interned.h"

#include <stdlib.h>
#include <string.h>

/* Longest text, maximum number of texts, and length of a probe sequence. */
#define LONGEST 255
#define MOST    4096
#define PROBES  8

void pm_interned_free(struct pm_interned *w)
{
	free(w->text);
	free(w->word);
	free(w->slot);
	memset(w, 0, sizeof *w);
}

/* Hash of a text's length, first and last eight bytes. */
static size_t hash_of(const char *p, size_t n)
{
	uint64_t first = 0, last = 0;

	if (n >= sizeof first) {
		memcpy(&first, p, sizeof first);
		memcpy(&last, p + n - sizeof last, sizeof last);
	} else if (n) {
		memcpy(&first, p, n);
	}
	first = (first + n) * 0x9e3779b97f4a7c15 ^ (last + n) * 0xc2b2ae3d27d4eb4f;
	return (size_t)(first >> 40);
}

/* Slot of a text, or the free slot for it; NULL if the probe sequence has neither. */
static uint16_t *find_slot(const struct pm_interned *w, const char *p, size_t n)
{
	size_t at = hash_of(p, n);

	for (size_t i = 0; i < PROBES && w->slots; i++) {
		uint16_t *slot = &w->slot[(at + i) & (w->slots - 1)];
		const struct pm_word *have = *slot ? &w->word[*slot - 1] : NULL;

		if (!have || (have->n == n && memcmp(w->text + have->at, p, n) == 0))
			return slot;
	}
	return NULL;
}

/* Grow an array to at least `need` elements. Returns the array, or NULL if out of memory, leaving
 * the old array as it was. */
static void *grow_array(void *p, size_t need, size_t *cap, size_t size)
{
	size_t n = *cap ? *cap : 64;
	void *grown;

	while (n < need)
		n *= 2;
	if (n == *cap)
		return p;
	grown = realloc(p, n * size);
	if (grown)
		*cap = n;
	return grown;
}

/* Double the slots and insert all texts again. Returns 0 or -1. */
static int double_slots(struct pm_interned *w)
{
	size_t slots = w->slots ? 2 * w->slots : 128;
	uint16_t *slot = calloc(slots, sizeof slot[0]);

	if (!slot)
		return -1;
	free(w->slot);
	w->slot = slot;
	w->slots = slots;
	for (size_t i = 0; i < w->count; i++) {
		uint16_t *to = find_slot(w, w->text + w->word[i].at, w->word[i].n);

		/* A text without a slot can no longer be found, but its number stays valid. */
		if (to)
			*to = (uint16_t)(i + 1);
	}
	return 0;
}

uint32_t pm_interned_add(struct pm_interned *w, const char *p, size_t n)
{
	uint16_t *slot = n <= LONGEST ? find_slot(w, p, n) : NULL;
	void *grown;

	if (slot && *slot)
		return *slot - 1U;
	if (n > LONGEST || w->count == MOST || (2 * w->count >= w->slots && double_slots(w) < 0))
		return PM_INTERNED_NONE;
	slot = find_slot(w, p, n);
	if (!slot)
		return PM_INTERNED_NONE;
	grown = grow_array(w->word, w->count + 1, &w->cap, sizeof w->word[0]);
	if (!grown)
		return PM_INTERNED_NONE;
	w->word = grown;
	grown = grow_array(w->text, w->len + n, &w->text_cap, 1);
	if (!grown)
		return PM_INTERNED_NONE;
	w->text = grown;
	if (n)
		memcpy(w->text + w->len, p, n);
	w->word[w->count] = (struct pm_word){ (uint32_t)w->len, (uint32_t)n };
	w->len += n;
	*slot = (uint16_t)(w->count + 1);
	return (uint32_t)w->count++;
}
