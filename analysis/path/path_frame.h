/* The processes that the walk along the critical path is in, and their children. Between path_*.c
 * alone. */
#ifndef PM_ANALYSIS_PATH_PATH_FRAME_H
#define PM_ANALYSIS_PATH_PATH_FRAME_H

#include "analysis/path/path.h"

/* Times beyond it, some nine thousand years, are none: sums and differences of a few within it do
 * not overflow. */
#define PM_PATH_MOST (INT64_C(1) << 58)

/* A child process of the one that the walk is in: its images in `order`, and its times. */
struct pm_path_child {
	uint32_t first, images; /* in order of the frame, by start */
	int64_t start_us, end_us;
	bool background; /* its parent did not wait for it */
	bool unended;    /* its end is not known */
};

/* A process that the walk is in, and its children on the path. */
struct pm_path_frame {
	uint32_t *image; /* images of the process, by start; owned */
	uint32_t images;
	struct pm_path_child
		*child; /* owned; after pm_path_choose() those on the path only, by end */
	size_t children;
	uint32_t *order;        /* images of the children; owned */
	int64_t from_us, at_us; /* its start, and how far the walk has come */
	int64_t shift_us;       /* what is added to its times and those of its descendants */
};

struct pm_path_walk {
	const struct pm_path_image *image;
	uint32_t *child_at, *child; /* children of image i: child[child_at[i]] to child_at[i + 1];
				     * those of no image are at n */
	size_t n;
	struct pm_path_frame *frame;
	size_t frames, room;
	struct pm_path *path;
};

/* Gather the child processes of the images of a frame, or the top-level processes, and reduce them
 * to those on the path, by their end. Returns 0, or -1 if out of memory. */
int pm_path_choose(struct pm_path_walk *w, struct pm_path_frame *f);

/* Order of images by process, and by start within; for qsort_r(3) of their numbers, with the images
 * as context. */
int pm_path_by_process(const void *a, const void *b, void *images);

/* Whether two images are known to be of one process. */
bool pm_path_same_process(const struct pm_path_image *x, const struct pm_path_image *y);

#endif
