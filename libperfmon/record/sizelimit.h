/* Beyond max_bytes: count short images and waits in the tally instead of writing lines. */
#ifndef PM_LIBPERFMON_RECORD_SIZELIMIT_H
#define PM_LIBPERFMON_RECORD_SIZELIMIT_H

#include "common/safe/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Check the size of the record files before `bytes` more are written, and set pm.over if the limit
 * is reached. `size` is that of the record file, ignored if every process has its own.
 */
void pm_sizelimit_look(int64_t size, int64_t bytes);

/* Bytes that a process may write before it checks again. */
#define PM_SIZELIMIT_LOOK 4096

/* Exit status of an image that ends without one. */
#define PM_NO_STATUS (-1)

/*
 * Count an image whose start record was kept back (pm.folding), at its end or its last words. `r`
 * has the measurements, `status` is the exit status or PM_NO_STATUS. Returns true if the image is
 * counted: then nothing of it is to be written.
 */
bool pm_sizelimit_image(const struct pm_record *r, int status);

/*
 * Count a child that has ended, if the record files are full: its usage, NULL if unknown, and
 * whether it failed or was killed by a signal. Returns the same as pm_sizelimit_image().
 */
struct rusage;
bool pm_sizelimit_wait(const struct rusage *used, bool failed, bool killed);

/* Count the start of an excluded program. Returns the same as pm_sizelimit_image(). */
bool pm_sizelimit_excluded(void);

#endif
