/* Values of an image or thread alone: totals minus earlier use of the process and the collector's
 * own cost. */
#ifndef PM_SUBMIT_ROWS_IMAGEROW_H
#define PM_SUBMIT_ROWS_IMAGEROW_H

#include "submit/rows/unended.h"

/* Data used by the functions below; one per job. */
struct pm_imagerow {
	struct pm_images *images;
	struct pm_waited waited;
	/* Columns that describe an image, by reaped, start, end and last records. */
	uint64_t described[4][(PM_COLUMNS + 63) / 64];
};

/* Initialize; the caller still owns images and tree. */
void pm_imagerow_init(struct pm_imagerow *x, struct pm_images *images, struct pm_lineage *tree);

/*
 * Fill `out` with the values of image i for table process, plus hostname and counters. Texts stay
 * valid until the next call. `stopped`: the image's host recorded a stop. Returns 0 or -1 with e
 * filled.
 */
int pm_imagerow_fill(struct pm_imagerow *x, uint32_t i, bool stopped, struct pm_record *out,
		     struct pm_err *e);

/* Path and arguments of image i, as pm_imagerow_fill() has them; p NULL where unknown. Returns 0 or
 * -1 with e filled. */
int pm_imagerow_names(struct pm_imagerow *x, uint32_t i, struct pm_str *path, struct pm_str *args,
		      struct pm_err *e);

/* Fill `out` with the values of one thread of image i. Returns 0 or -1 with e filled. */
int pm_imagerow_thread(struct pm_imagerow *x, uint32_t i, uint32_t thread, struct pm_record *out,
		       struct pm_err *e);

/* Whether a row belongs to a program without records of its own, named by the exec before it. */
bool pm_imagerow_is_unseen(const struct pm_record *row);

/* CPU time of a row in microseconds, or -1 if unknown. */
int64_t pm_imagerow_cpu(const struct pm_record *r);

#endif
