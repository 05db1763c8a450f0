/* Tag sets: processes of a job with the same tags share their names and values. */
#ifndef PM_SUBMIT_ROWS_TAGSET_H
#define PM_SUBMIT_ROWS_TAGSET_H

#include "common/safe/tsv.h"
#include "db/db.h"

struct pm_tagset;

/* Create a writer of a job's tag sets, numbered from last + 1. Returns NULL with e filled. */
struct pm_tagset *pm_tagset_new(struct pm_db *db, int64_t job_id, int64_t last, struct pm_err *e);
void pm_tagset_free(struct pm_tagset *s);

/*
 * Number of the set of a process's tags, NAME:VALUE;NAME:VALUE. The first process with a set writes
 * its rows. A bare NAME has the value 1; of several values of a name the last counts. A set not
 * seen for long may get a second number and the same rows again. Returns 0 if there are no tags, or
 * -1 with e filled.
 */
int64_t pm_tagset_number(struct pm_tagset *s, struct pm_str tags, struct pm_err *e);

#endif
