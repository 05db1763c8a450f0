/* Chains of images: the images of one process, linked exec by exec. */
#ifndef PM_SUBMIT_TREE_CHAINS_H
#define PM_SUBMIT_TREE_CHAINS_H

#include "submit/job/images.h"

#include <stddef.h>

/* Images of known start in process order. Arrays are owned. */
struct pm_chains {
	struct pm_images *m;
	uint32_t *sorted; /* images of known start by (space, pid, starttime, image_us) */
	uint64_t *pid;    /* pm_chains_pid of each image in sorted */
	size_t count;
	uint32_t *last;  /* at the place of a process's first image: place of its last image */
	uint32_t *place; /* image -> its place in sorted, PM_NONE if its start is unknown */
	uint32_t known;  /* number of images before reaped records added more */
};

/* Sort the images of known start, chain each process's images and number them: sets `previous` and
 * `generation`. Returns 0 or -1 with e filled. */
int pm_chains_build(struct pm_chains *w, struct pm_err *e);

/* Include images added since, from number `first` on. Returns 0 or -1 with e filled. */
int pm_chains_add(struct pm_chains *w, size_t first, struct pm_err *e);
void pm_chains_free(struct pm_chains *w);

/* Last image of the process that image i, of known start, belongs to. */
uint32_t pm_chains_last(const struct pm_chains *w, uint32_t i);

/* Assign a reaped record to the process whose last image is i: to that image, or if it ended by an
 * exec, to its unseen successor. */
void pm_chains_reaped(struct pm_chains *w, uint32_t i, struct pm_reaped *x);

/* First image of the process that had a pid at a time, PM_NONE if unknown. */
uint32_t pm_chains_at(const struct pm_chains *w, uint32_t space, uint32_t pid, int64_t time);

/* First image of the process that image i, of known start, belongs to. */
uint32_t pm_chains_first(const struct pm_chains *w, uint32_t i);

/* First place in sorted whose (space, pid) is not less. */
size_t pm_chains_find(const struct pm_chains *w, uint32_t space, uint32_t pid);

/* First place at or after `first` whose (space, pid) is greater; `first` is from pm_chains_find. */
size_t pm_chains_end(const struct pm_chains *w, size_t first, uint32_t space, uint32_t pid);

/* Sort key of a pid in its namespace. */
static inline uint64_t pm_chains_pid(uint32_t space, uint32_t pid)
{
	return (uint64_t)space << 32 | pid;
}

/* Compare for qsort(3): less than, equal to or greater than 0. */
int pm_chains_compare(int64_t a, int64_t b);

#endif
