/* Beyond max_bytes: short images and waits as totals in the tally instead of lines. */
#ifndef PM_FOLD_H
#define PM_FOLD_H

#include "common/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Take note of `bytes` more that are to be written, and of how large the record files are by now:
 * `size` is that of the record file, ignored where every process has its own. Sets pm.over.
 */
void pm_fold_look(int64_t size, int64_t bytes);

/* Bytes that a process may write before it looks again. */
#define PM_FOLD_LOOK 4096

/* Exit status of an image that ends otherwise than by one. */
#define PM_NO_STATUS (-1)

/*
 * The image whose start record waits (pm.folding) ends, or says its last words, as `r` has measured
 * it; `status` is its exit status or PM_NO_STATUS. Returns true where it is counted, and nothing of
 * it is to be written.
 */
bool pm_fold_image(const struct pm_record *r, int status);

/*
 * A child is gone, and the record files are full (pm.over): what it used, NULL where that is not
 * known, and whether it failed or was ended by a signal. Returns as pm_fold_image.
 */
struct rusage;
bool pm_fold_wait(const struct rusage *used, bool failed, bool killed);

/* An excluded program began. Returns as pm_fold_image. */
bool pm_fold_excluded(void);

#endif
