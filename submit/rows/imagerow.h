/* What an image or thread used by itself: totals with what came before and the collector's own
 * cost taken off. Programs only. */
#ifndef PM_ROWS_H
#define PM_ROWS_H

#include "submit/waited.h"

/* What the functions below look at, one per job. */
struct pm_rows {
	struct pm_images *images;
	struct pm_waited waited;
	/* Columns that describe an image, by reaped, start, end and last records. */
	uint64_t described[4][(PM_COLUMNS + 63) / 64];
};

/* Set it up; images and tree stay the caller's. */
void pm_rows_init(struct pm_rows *x, struct pm_images *images, struct pm_lineage *tree);

/*
 * Values of an image, as the table process has them; hostname and counters too. Texts stay valid
 * until the next call. `stopped` says that its host has a stop. Returns 0 or -1 with e filled.
 */
int pm_rows_image(struct pm_rows *x, uint32_t i, bool stopped, struct pm_record *out,
		  struct pm_err *e);

/* Values of one thread of image i. Returns 0 or -1 with e filled. */
int pm_rows_thread(struct pm_rows *x, uint32_t i, uint32_t thread, struct pm_record *out,
		   struct pm_err *e);

/* Whether a row is of a program without records of its own, named by the exec before it. */
bool pm_rows_is_unseen(const struct pm_record *row);

/* CPU time of a row, microseconds, or -1 where it is unknown. */
int64_t pm_rows_cpu(const struct pm_record *r);

#endif
