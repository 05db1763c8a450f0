/* Lines that could not be written. */
#ifndef PM_LIBPERFMON_RECORD_LOST_H
#define PM_LIBPERFMON_RECORD_LOST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Count lost lines, of n bytes, in the tally, by the error number that is the reason. If the tally
 * is also out of reach, the counts wait for the next write that succeeds.
 */
void pm_lost_count(long error, const char *data, size_t n);

/* After a write that succeeded, if pm.owes is set: add the waiting counts to the tally. */
void pm_lost_flush(void);

#endif
