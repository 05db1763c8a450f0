/* Names of groups. */
#ifndef PM_EXPORT_HDF5_NAME_H
#define PM_EXPORT_HDF5_NAME_H

#include "common/bytes.h"

#include <stddef.h>

/* Bytes that a name has at most, without the number behind it. */
#define PM_HDF5_NAME_MAX 255

/*
 * Append any bytes as part of a name: of different ones different names. A slash, control
 * characters, bytes that are no UTF-8 and a point that comes first become \xNN, a backslash \\.
 */
void pm_hdf5_name_add(struct pm_bytes *to, const char *p, size_t n);

#endif
