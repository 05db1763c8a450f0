/* Images to processes: those of one pid, one exec after the other. */
#ifndef PM_CHAINS_H
#define PM_CHAINS_H

#include "submit/images.h"

#include <stddef.h>

/* The images of known start in the order of their processes. Arrays are owned. */
struct pm_chains {
	struct pm_images *m;
	uint32_t *sorted; /* images of known start by (space, pid, starttime, image_us) */
	uint64_t *pid;    /* their (space, pid), in that order: pm_chains_pid */
	size_t count;
	uint32_t *last;  /* per place in sorted that begins a process: place of its last image */
	uint32_t *place; /* per image: its place in sorted, PM_NONE for one of unknown start */
	uint32_t known;  /* images before reaped records added more */
};

/* Sort the images of known start, chain those of one process and number them: sets previous and
 * generation of each. Returns 0 or -1 with e filled. */
int pm_chains_build(struct pm_chains *w, struct pm_err *e);

/* Take over images that were added, from number `first` on. Returns as above. */
int pm_chains_add(struct pm_chains *w, size_t first, struct pm_err *e);
void pm_chains_free(struct pm_chains *w);

/* Last image of the process that image i, of known start, belongs to. */
uint32_t pm_chains_last(const struct pm_chains *w, uint32_t i);

/* Note that a reaped record is about the process whose last image is i: about that image, or where
 * it ended by an exec, about what came after it. */
void pm_chains_reaped(struct pm_chains *w, uint32_t i, struct pm_reaped *x);

/* The first image of the process that a pid meant at a time, PM_NONE where none is known. */
uint32_t pm_chains_at(const struct pm_chains *w, uint32_t space, uint32_t pid, int64_t time);

/* First image of the process that image i, of known start, belongs to. */
uint32_t pm_chains_first(const struct pm_chains *w, uint32_t i);

/* First place in sorted whose (space, pid) is not less. */
size_t pm_chains_find(const struct pm_chains *w, uint32_t space, uint32_t pid);

/* First place from one on, whose (space, pid) is not greater, where it is greater. */
size_t pm_chains_end(const struct pm_chains *w, size_t first, uint32_t space, uint32_t pid);

/* A pid with its namespace. */
static inline uint64_t pm_chains_pid(uint32_t space, uint32_t pid)
{
	return (uint64_t)space << 32 | pid;
}

/* Less than, equal to or greater than 0, as qsort wants it. */
int pm_chains_compare(int64_t a, int64_t b);

#endif
