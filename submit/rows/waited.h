/*
 * What a process wrote of the children that it waited for: in each, the kernel's account of the
 * child and of all that the child itself waited for.
 */
#ifndef PM_SUBMIT_ROWS_WAITED_H
#define PM_SUBMIT_ROWS_WAITED_H

#include "submit/tree/lineage.h"

/* Metrics of a reaped record; they include the children that its process waited for. The first two
 * are the CPU times. */
#define PM_WAITED_METRICS 8
extern const enum pm_column pm_waited_metrics[PM_WAITED_METRICS];

/* Data the function below needs; the caller owns both. */
struct pm_waited {
	struct pm_images *images;
	struct pm_lineage *tree;
};

/*
 * Add up the waits of image i's process, of all its images, that it wrote of later than after_us
 * and until until_us: *sum has the metrics, unknown where one wait lacks it, and *last_us is the
 * time of the last, INT64_MIN for none. Times in us. Returns 0 or -1 with e filled.
 */
int pm_waited_sum(struct pm_waited *x, uint32_t i, int64_t after_us, int64_t until_us,
		  struct pm_record *sum, int64_t *last_us, struct pm_err *e);

#endif
