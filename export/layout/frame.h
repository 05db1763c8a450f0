/* DataFrames of pandas in HDF5 files: the table format, which holds no pickled values. */
#ifndef PM_EXPORT_LAYOUT_FRAME_H
#define PM_EXPORT_LAYOUT_FRAME_H

#include "export/format.h"
#include "export/hdf5/hdf5.h"
#include "export/hdf5/pytable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame, whose key is NAME_JOB. Its rows are written twice: first by pm_frame_look, which finds
 * what columns are like, then by pm_frame_write. Both have it as `own` of their file. */
struct pm_frame {
	struct pm_hdf5 *h;
	const char *name, *job;
	uint64_t rows;
	bool *partial; /* of each column: a value is no whole number, or is not known */
	size_t width;  /* bytes of the longest text */
	struct pm_hdf5_pytable *to;
	int64_t group; /* -1 at first */
};

/*
 * What pandas.read_csv() makes of the same table: a column is of integers where every value is
 * known, else of doubles, with NaN for what is not known; texts are objects, an empty one is NaN.
 * Columns are in blocks by their types. Of a frame without rows nothing is to be written.
 */
extern const struct pm_export_format pm_frame_look, pm_frame_write;

void pm_frame_free(struct pm_frame *f);

#endif
