/* Images to a process tree: generations, who waited for whom, parents, depth-first order. */
#ifndef PM_LINEAGE_H
#define PM_LINEAGE_H

#include "submit/images.h"

/* Order of a job's images. Arrays are owned, indexes are those of pm_images.image. */
struct pm_lineage {
	uint32_t *order; /* images in depth-first order, in which those with a row are numbered */
	uint32_t count;
	uint32_t *by_waiter; /* reaped records by (space, ppid, end_us), once somebody asked */
	uint32_t *child_at;  /* children of image i: child[child_at[i]] up to child_at[i + 1] */
	uint32_t *child;
	size_t cycles; /* parent links cut because they led in a circle */
};

/*
 * Match reaped records with images (adding images for those that match none), link parents and
 * number the images: sets end_us, reaped, previous, generation, parent, above, depth and id.
 * Returns 0 or -1 with e filled; the tree must be freed either way.
 */
int pm_lineage_build(struct pm_lineage *t, struct pm_images *m, struct pm_err *e);

/* Free it. */
void pm_lineage_free(struct pm_lineage *t);

/* The first of by_waiter whose (space, ppid) is not less, or their number. Returns as above. */
int pm_lineage_waited(struct pm_lineage *t, struct pm_images *m, uint32_t space, uint32_t ppid,
		      size_t *first, struct pm_err *e);

#endif
