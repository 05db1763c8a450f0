/* Blocks of samples in the order of the database: by series and time. */
#ifndef PM_SUBMIT_JOB_SERIESORDER_H
#define PM_SUBMIT_JOB_SERIESORDER_H

#include "submit/job/seriesstore.h"

/*
 * Order the blocks of a job. Where files of a host have samples of one series from the same span of
 * time, or the clock was set back, its blocks there are coded anew, and of samples with the same
 * time a known one is kept, of several the greatest: whichever file was read first. *order gets the
 * numbers of n blocks, to be freed by pm_filemem_free. Returns 0 or -1 with e filled.
 */
int pm_series_order(struct pm_series *s, uint32_t **order, size_t *n, struct pm_err *e);

#endif
