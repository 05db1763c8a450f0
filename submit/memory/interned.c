/* A hash table with an end to its growth: what does not fit is the caller's to keep. */
#include "config.h"

#include "submit/words.h"

#include <stdlib.h>
#include <string.h>

/* The longest text, how many of them there are at most, and how far one may lie from where its hash
 * says. */
#define LONGEST 255
#define MOST    4096
#define PROBES  8

void pm_words_free(struct pm_words *w)
{
	free(w->text);
	free(w->word);
	free(w->slot);
	memset(w, 0, sizeof *w);
}

/* By its length, its beginning and its end. */
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

/* Where a text is, or would go, NULL for nowhere. */
static uint16_t *find(const struct pm_words *w, const char *p, size_t n)
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

/* An array with room for so many, or NULL, when it stays as it is. */
static void *more(void *p, size_t need, size_t *cap, size_t size)
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

/* Twice as many places. Returns 0 or -1. */
static int spread(struct pm_words *w)
{
	size_t slots = w->slots ? 2 * w->slots : 128;
	uint16_t *slot = calloc(slots, sizeof slot[0]);

	if (!slot)
		return -1;
	free(w->slot);
	w->slot = slot;
	w->slots = slots;
	for (size_t i = 0; i < w->count; i++) {
		uint16_t *to = find(w, w->text + w->word[i].at, w->word[i].n);

		/* One that finds no place stays, for those who know its number. */
		if (to)
			*to = (uint16_t)(i + 1);
	}
	return 0;
}

uint32_t pm_words_add(struct pm_words *w, const char *p, size_t n)
{
	uint16_t *slot = n <= LONGEST ? find(w, p, n) : NULL;
	void *grown;

	if (slot && *slot)
		return *slot - 1U;
	if (n > LONGEST || w->count == MOST || (2 * w->count >= w->slots && spread(w) < 0))
		return PM_WORDS_NONE;
	slot = find(w, p, n);
	if (!slot)
		return PM_WORDS_NONE;
	grown = more(w->word, w->count + 1, &w->cap, sizeof w->word[0]);
	if (!grown)
		return PM_WORDS_NONE;
	w->word = grown;
	grown = more(w->text, w->len + n, &w->text_cap, 1);
	if (!grown)
		return PM_WORDS_NONE;
	w->text = grown;
	if (n)
		memcpy(w->text + w->len, p, n);
	w->word[w->count] = (struct pm_word){ (uint32_t)w->len, (uint32_t)n };
	w->len += n;
	*slot = (uint16_t)(w->count + 1);
	return (uint32_t)w->count++;
}
