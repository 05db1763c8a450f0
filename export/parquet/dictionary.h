/* The dictionary of a column chunk: its distinct values by number, in bounded memory. */
#ifndef PM_EXPORT_PARQUET_DICTIONARY_H
#define PM_EXPORT_PARQUET_DICTIONARY_H

#include "common/bytes.h"

/* No number: the dictionary is full, or out of memory, or too many values have one hash. */
#define PM_DICTIONARY_FULL UINT32_MAX

struct pm_dictionary {
	size_t most_bytes;     /* of its entries, as they are written */
	uint32_t most;         /* entries */
	uint32_t n;            /* entries so far */
	struct pm_bytes plain; /* the entries in encoding PLAIN */
	struct pm_bytes at;    /* of texts where each begins, as uint32_t */
	uint32_t *slot;        /* 1 more than an entry's number, by hash */
	size_t slots;          /* a power of 2, or 0 */
};

/* Begin an empty one with these bounds. */
void pm_dictionary_init(struct pm_dictionary *d, uint32_t most, size_t most_bytes);

/* Free its memory; it is empty, with the same bounds. */
void pm_dictionary_reset(struct pm_dictionary *d);

/* Number of a value, which is a new entry the first time; numbers count from 0. Returns it, or
 * PM_DICTIONARY_FULL. A number is eight bytes, a text n. */
uint32_t pm_dictionary_number(struct pm_dictionary *d, const unsigned char *p);
uint32_t pm_dictionary_text(struct pm_dictionary *d, const unsigned char *p, uint32_t n);

/* Keep the first n entries alone; no number is asked for any more until it is reset. */
void pm_dictionary_close(struct pm_dictionary *d, uint32_t n);

/* Bytes of memory that it has. */
size_t pm_dictionary_memory(const struct pm_dictionary *d);

#endif
