/* Read a series sample by sample, over what is damaged. */
#ifndef PM_EXPORT_LAYOUT_GRIDREADER_H
#define PM_EXPORT_LAYOUT_GRIDREADER_H

#include "common/err.h"
#include "db/samples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What could not be read. */
struct pm_griddamage {
	size_t blocks;
	struct pm_err last;
};

struct pm_gridreader {
	struct pm_samples *samples; /* NULL: not open */
	struct pm_sample next;      /* unless at_end */
	bool at_end;
	struct pm_griddamage *damage;
};

/* Begin at the first sample of a series; damaged blocks are left out and counted in *damage, which
 * outlives the reader. Returns 0, or -1 with e filled. To be closed in either case. */
int pm_gridreader_open(struct pm_gridreader *r, struct pm_db *db, int64_t job, int64_t series,
		       struct pm_griddamage *damage, struct pm_err *e);

/* Go on to the next sample. Returns 0, or -1 with e filled. */
int pm_gridreader_step(struct pm_gridreader *r, struct pm_err *e);

void pm_gridreader_close(struct pm_gridreader *r);

#endif
