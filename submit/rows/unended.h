/*
 * Metrics of an image without an end record, from its parent's wait, where the kernel reports what
 * the process and the children it waited for used since its start.
 */
#ifndef PM_SUBMIT_ROWS_UNENDED_H
#define PM_SUBMIT_ROWS_UNENDED_H

#include "submit/rows/waited.h"

/*
 * Set the metrics of image i from its `reaped` and `start` records; `previous` is the end record of
 * the image before it (empty if there is none). Returns 0 or -1 with e filled.
 */
int pm_unended_metrics(struct pm_waited *x, uint32_t i, const struct pm_record *reaped,
		       const struct pm_record *start, const struct pm_record *previous,
		       struct pm_record *out, struct pm_err *e);

#endif
