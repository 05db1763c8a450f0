/* Lines that could not be written. */
#ifndef PM_LOST_H
#define PM_LOST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Count the lines of n bytes that were lost for a reason, an error number, in the tally. Where that
 * is out of reach, too, they are kept in mind for the next write that succeeds.
 */
void pm_lost_count(long error, const char *data, size_t n);

/* Behind a write that succeeded, where pm.owes says so: count what is kept in mind. */
void pm_lost_flush(void);

#endif
