/*
 * Blocks of samples read ahead of their use. They are written series by series, but lie in the
 * store tick by tick: one after the other, each would bring a page of the file of its own, for a
 * node of many series and days millions.
 */
#ifndef PM_SUBMIT_JOB_SERIESAHEAD_H
#define PM_SUBMIT_JOB_SERIESAHEAD_H

#include "submit/job/seriesstore.h"

struct pm_seriesahead;

/* A block with what the store has of it. */
struct pm_series_ahead {
	struct pm_series_block block;
	struct pm_series_coded coded;
	struct pm_str deviations, unknown;
};

/* Begin to read n blocks of s in `order`, which stay as they are meanwhile. Returns NULL if out of
 * memory. */
struct pm_seriesahead *pm_seriesahead_new(struct pm_series *s, const uint32_t *order, size_t n);
void pm_seriesahead_free(struct pm_seriesahead *a);

/* The next block, valid until the next call. Returns NULL with e filled if it cannot be read. */
const struct pm_series_ahead *pm_seriesahead_next(struct pm_seriesahead *a, struct pm_err *e);

#endif
