/* A table in an HDF5 file: a group with a dataset for each column. */
#ifndef PM_EXPORT_HDF5_TABLE_H
#define PM_EXPORT_HDF5_TABLE_H

#include "export/hdf5/hdf5.h"
#include "export/value.h"

#include "common/err.h"

#include <stddef.h>

/* The dataset of a table that says of each value whether it is unknown: a row for each row, with a
 * flag for each column. No column has this name. */
#define PM_HDF5_TABLE_UNKNOWN "_unknown"

struct pm_hdf5_table; /* a table that is being written */

/* Begin a table below a group; its columns have to outlive it. Returns NULL with e filled. */
struct pm_hdf5_table *pm_hdf5_table_new(struct pm_hdf5 *h, int64_t parent, const char *name,
					const struct pm_export_column *column, size_t n,
					struct pm_err *e);

/* Add a row. What is not of its column's type, and does not fit, is unknown. Returns 0, or -1 with
 * e filled. */
int pm_hdf5_table_row(struct pm_hdf5_table *t, const struct pm_export_value *v, struct pm_err *e);

/* Complete the table. Returns 0, or -1 with e filled. */
int pm_hdf5_table_finish(struct pm_hdf5_table *t, struct pm_err *e);
void pm_hdf5_table_free(struct pm_hdf5_table *t); /* NULL is fine */

#endif
