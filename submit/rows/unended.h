/*
 * An image that wrote no end, from its parent's wait: the kernel tells there what the process and
 * the children it waited for used from its birth on. Programs only.
 */
#ifndef PM_WAITED_H
#define PM_WAITED_H

#include "submit/lineage.h"

/* What it is found with. */
struct pm_waited {
	struct pm_images *images;
	struct pm_lineage *tree;
};

/*
 * Set the metrics of image i, whose reaped and start records these are and `previous` the end of
 * the image before it (empty where there is none). Returns 0 or -1 with e filled.
 */
int pm_waited_metrics(struct pm_waited *x, uint32_t i, const struct pm_record *reaped,
		      const struct pm_record *start, const struct pm_record *previous,
		      struct pm_record *out, struct pm_err *e);

#endif
