/* Process tree of a job's images: generations, waits, parents, depth-first order. */
#ifndef PM_SUBMIT_TREE_LINEAGE_H
#define PM_SUBMIT_TREE_LINEAGE_H

#include "submit/job/images.h"

/* Order of a job's images. Arrays are owned, indexes are those of pm_images.image. */
struct pm_lineage {
	uint32_t *order; /* images in depth-first order; rows are numbered in this order */
	uint32_t count;
	uint32_t *by_waiter; /* reaped records by (space, ppid, end_us); NULL until first needed */
	uint32_t *child_at;  /* children of image i: child[child_at[i]] up to child_at[i + 1] */
	uint32_t *child;
	size_t cycles; /* parent links cut because they formed a cycle */
};

/*
 * Match reaped records with images (adding images for those that match none), link parents and
 * number the images: sets end_us, reaped, previous, generation, parent, above, depth and id.
 * Returns 0 or -1 with e filled; the tree must be freed either way.
 */
int pm_lineage_build(struct pm_lineage *t, struct pm_images *m, struct pm_err *e);

/* Free the tree. */
void pm_lineage_free(struct pm_lineage *t);

/* Set *first to the first place in by_waiter whose (space, ppid) is not less than these arguments,
 * or to the number of reaped records if there is none. Returns 0 or -1 with e filled. */
int pm_lineage_waited(struct pm_lineage *t, struct pm_images *m, uint32_t space, uint32_t ppid,
		      size_t *first, struct pm_err *e);

#endif
