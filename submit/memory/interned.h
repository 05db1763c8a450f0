/* Texts that many records have in common, by number: kept once. Programs only. */
#ifndef PM_WORDS_H
#define PM_WORDS_H

#include "common/tsv.h"

#include <stddef.h>
#include <stdint.h>

/* For texts that are not kept. */
#define PM_WORDS_NONE UINT32_MAX

struct pm_word {
	uint32_t at, n; /* in text */
};

struct pm_words {
	char *text; /* one behind the other */
	size_t len, text_cap;
	struct pm_word *word;
	size_t count, cap;
	uint16_t *slot; /* number + 1 by hash, 0: free */
	size_t slots;   /* a power of two */
};

/* Free it; one of zeros is empty. */
void pm_words_free(struct pm_words *w);

/* The number of a text, added where it is new. Returns PM_WORDS_NONE where it is too long, there
 * are too many already, or no memory. */
uint32_t pm_words_add(struct pm_words *w, const char *p, size_t n);

/* The text of a number. It stays until the next one is added. */
static inline struct pm_str pm_words_get(const struct pm_words *w, uint32_t i)
{
	return (struct pm_str){ w->text + w->word[i].at, w->word[i].n };
}

#endif
