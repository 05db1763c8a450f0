/* Records in the store, in few bytes. Programs only. */
#ifndef PM_PACK_H
#define PM_PACK_H

#include "common/err.h"
#include "common/record.h"
#include "submit/store.h"

#include <stdint.h>

/* Put a record into the store. Returns its offset, or 0 with e filled. */
uint64_t pm_pack_put(struct pm_store *s, const struct pm_record *r, struct pm_err *e);

/* Read a record back; its texts stay until the next one is put. Returns 0 or -1 with e filled. */
int pm_pack_get(struct pm_store *s, uint64_t offset, struct pm_record *r, struct pm_err *e);

#endif
