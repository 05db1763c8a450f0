/* Records in the store, in few bytes: what many have in common is kept once. Programs only. */
#ifndef PM_PACKED_H
#define PM_PACKED_H

#include "common/err.h"
#include "common/record.h"
#include "submit/store.h"
#include "submit/words.h"

#include <stdint.h>

#define PM_PACKED_WORDS ((PM_COLUMNS + 63) / 64)

/* Which values are set: records of a kind have a few combinations. */
struct pm_packed_set {
	uint64_t bits[PM_PACKED_WORDS];
};

#define PM_PACKED_SETS 255

struct pm_packed {
	struct pm_store store;
	struct pm_words words;
	uint32_t last[PM_COLUMNS]; /* the latest word of a column, plus 1; 0: none */
	struct pm_packed_set *set; /* PM_PACKED_SETS of them */
	size_t sets;
	uint8_t at[256]; /* a set by its hash, plus 1; 0: none */
};

/* Start empty; free what it holds: one of zeros alone is fine. */
void pm_packed_init(struct pm_packed *k);
void pm_packed_free(struct pm_packed *k);

/* Put a record into the store, as an item of it. Returns its offset, or 0 with e filled. */
uint64_t pm_packed_put(struct pm_packed *k, const struct pm_record *r, struct pm_err *e);

/* Read a record back; its texts stay until the next one is put. Returns 0 or -1 with e filled. */
int pm_packed_get(struct pm_packed *k, uint64_t offset, struct pm_record *r, struct pm_err *e);

#endif
