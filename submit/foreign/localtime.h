/* Convert local times of named time zones to UTC. */
#ifndef PM_SUBMIT_FOREIGN_LOCALTIME_H
#define PM_SUBMIT_FOREIGN_LOCALTIME_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the name of a zone, which may be NULL, is safe: the C library uses it as a file name. */
bool pm_localtime_is_zone(const char *zone);

/* Convert microseconds since 1970 by the clock of a safe zone, NULL: that of this program, to UTC.
 * An unknown zone counts as UTC, with a warning the first time. Sets TZ meanwhile. */
int64_t pm_localtime_utc(int64_t clock_us, const char *zone);

#endif
