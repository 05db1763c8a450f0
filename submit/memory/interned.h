/* String table: each distinct text is stored once and referred to by its number. */
#ifndef PM_SUBMIT_MEMORY_INTERNED_H
#define PM_SUBMIT_MEMORY_INTERNED_H

#include "common/safe/tsv.h"

#include <stddef.h>
#include <stdint.h>

/* Number of a text that was not interned. */
#define PM_INTERNED_NONE UINT32_MAX

struct pm_word {
	uint32_t at, n; /* offset and length in text */
};

struct pm_interned {
	char *text; /* the texts, concatenated */
	size_t len, text_cap;
	struct pm_word *word;
	size_t count, cap;
	uint16_t *slot; /* hash table of numbers + 1, 0: free */
	size_t slots;   /* a power of two */
};

/* Free the table and make it empty; an all-zero struct is an empty table. */
void pm_interned_free(struct pm_interned *w);

/* Intern a text. Returns its number, or PM_INTERNED_NONE if the text is too long, the table is
 * full, or there is no memory. */
uint32_t pm_interned_add(struct pm_interned *w, const char *p, size_t n);

/* The text of a number, valid until the next pm_interned_add. */
static inline struct pm_str pm_interned_get(const struct pm_interned *w, uint32_t i)
{
	return (struct pm_str){ w->text + w->word[i].at, w->word[i].n };
}

#endif
