/* Counting in the host's tally. */
#ifndef PM_LIBPERFMON_TALLY_H
#define PM_LIBPERFMON_TALLY_H

#include "common/tally.h"

#include <stdbool.h>

/*
 * Add the values of `t` to a slot of the same kind and key, or take a free one for it: the first
 * that is not busy among `count` from `first` on, the one numbered `begin` (modulo count) coming
 * first. Never waits, and gives up at the first sign of trouble: no tally, a lock that cannot be
 * had, a file size limit in the way. Returns whether they were added. Async-signal-safe, no signal
 * to the program.
 */
bool pm_tally_add(const struct pm_tally *t, unsigned first, unsigned count, unsigned begin);

/* Where every process has its own file: add to the bytes written by all of them. Returns the sum,
 * or -1 where it is not known. */
int64_t pm_tally_size(int64_t bytes);

#endif
