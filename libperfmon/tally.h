/* Counting in the host's tally. */
#ifndef PM_LIBPERFMON_TALLY_H
#define PM_LIBPERFMON_TALLY_H

#include "common/tally.h"

#include <stdbool.h>

/*
 * Add the values of `t` to a slot of the same kind and key, or take a free one for it: the first
 * that is nobody's and not busy among `count` from `first` on, beginning somewhere among them.
 * Never waits, and gives up at the first sign of trouble: no tally, a lock that cannot be had, a
 * file size limit in the way. Returns whether they were added. Async-signal-safe, no signal to the
 * program.
 */
bool pm_tally_add(const struct pm_tally *t, unsigned first, unsigned count);

#endif
