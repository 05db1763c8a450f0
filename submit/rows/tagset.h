/* Tag sets: processes of a job with the same tags share their names and values. Programs only. */
#ifndef PM_TAGSET_H
#define PM_TAGSET_H

#include "common/tsv.h"
#include "db/db.h"

struct pm_tagset;

/* Sets of a job get numbers above `last`. Returns NULL with e filled. */
struct pm_tagset *pm_tagset_new(struct pm_db *db, int64_t job_id, int64_t last, struct pm_err *e);
void pm_tagset_free(struct pm_tagset *s);

/*
 * The number of the set of a process's tags, NAME:VALUE;NAME:VALUE, whose rows are written with the
 * first that has it; 0 where there is none in them. A bare NAME is 1; of several values of a name
 * the last counts. What was not seen for long may get another number and the same rows again.
 * Returns -1 with e filled.
 */
int64_t pm_tagset_number(struct pm_tagset *s, struct pm_str tags, struct pm_err *e);

#endif
