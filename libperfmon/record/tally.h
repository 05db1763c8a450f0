/* Count in the host's tally. */
#ifndef PM_LIBPERFMON_RECORD_TALLY_H
#define PM_LIBPERFMON_RECORD_TALLY_H

#include "common/safe/tally.h"

#include <stdbool.h>

/*
 * Add the values of `t` to a slot of the same kind and key, or to a free one. Tries the `count`
 * slots from `first` on, beginning with number `begin` (modulo count), and skips busy ones. Never
 * waits, and gives up at the first sign of trouble: no tally, no locks, a file size limit. Returns
 * whether the values were added. Async-signal-safe, no signal to the program.
 */
bool pm_tally_add(const struct pm_tally *t, unsigned first, unsigned count, unsigned begin);

/* With a file per process: add to the bytes that all processes have written. Returns the sum, or -1
 * if unknown. */
int64_t pm_tally_size(int64_t bytes);

#endif
