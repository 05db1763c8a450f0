/* Compact storage of records: common texts and sets of columns are stored once. */
#ifndef PM_SUBMIT_MEMORY_PACKED_H
#define PM_SUBMIT_MEMORY_PACKED_H

#include "common/err.h"
#include "common/safe/record.h"
#include "submit/memory/blobs.h"
#include "submit/memory/interned.h"

#include <stdint.h>

#define PM_PACKED_WORDS ((PM_COLUMNS + 63) / 64)

/* Set of columns that have a value. Records of one kind use only a few sets. */
struct pm_packed_set {
	uint64_t bits[PM_PACKED_WORDS];
};

#define PM_PACKED_SETS 255

struct pm_packed {
	struct pm_blobs store;
	struct pm_interned words;
	uint32_t last[PM_COLUMNS]; /* latest interned text of each column, plus 1; 0: none */
	struct pm_packed_set *set; /* array of PM_PACKED_SETS */
	size_t sets;
	uint8_t at[256]; /* set number by hash; 0: none */
};

/* Start empty; free the storage: an all-zero struct is allowed. */
void pm_packed_init(struct pm_packed *k);
void pm_packed_free(struct pm_packed *k);

/* Append a record to the store as one item. Returns its offset, or 0 with e filled. */
uint64_t pm_packed_put(struct pm_packed *k, const struct pm_record *r, struct pm_err *e);

/* Read a record back; its texts stay valid until the next pm_packed_put. Returns 0 or -1 with e
 * filled. */
int pm_packed_get(struct pm_packed *k, uint64_t offset, struct pm_record *r, struct pm_err *e);

#endif
