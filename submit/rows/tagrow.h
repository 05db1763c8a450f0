/* What a process adds to the totals of its set of tags, as its row is written. */
#ifndef PM_SUBMIT_ROWS_TAGROW_H
#define PM_SUBMIT_ROWS_TAGROW_H

#include "common/safe/record.h"
#include "db/tagsums.h"

/* The column of records that has a figure, -1 for cpu_time, which is computed. */
extern const int pm_tagrow_column[PM_TAGSUM_FIGURES];

/* Add the row of a process that has a set of tags; `cpu` is its CPU time, -1: unknown. Returns 0 or
 * -1 with e filled. */
int pm_tagrow_add(struct pm_tagsums *s, int64_t set, const struct pm_record *row, int64_t cpu,
		  struct pm_err *e);

#endif
