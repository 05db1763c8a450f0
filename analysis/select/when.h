/* Times as people write them. Programs only. */
#ifndef PM_ANALYSIS_SELECT_WHEN_H
#define PM_ANALYSIS_SELECT_WHEN_H

#include "common/err.h"

#include <stdint.h>

/*
 * Parse a time into microseconds since 1970. The forms, in the local time zone but for those that
 * name another: 2026-11-20, 2026-11-20T08:00, 2026-11-20 08:00:30.5, each with Z or +01:00 behind
 * it or not; now, today, yesterday (midnight); -7d (so long before now, units as of durations); @
 * and the seconds since 1970. A local time that is there twice, as clocks are set back, is the
 * first of the two; one that is skipped, as they are set forward, is the moment at which they are.
 * now_us: the present time. Returns 0, or -1 with e filled.
 */
int pm_when_parse(const char *text, int64_t now_us, int64_t *us, struct pm_err *e);

#endif
