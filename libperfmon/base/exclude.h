/*
 * Programs that are not recorded, by PERFMON_EXCLUDE and PERFMON_INCLUDE.
 *
 * An excluded image writes one short line, `excluded`, as it starts (by exec or fork) and no end,
 * thread or reaped record. By that line the loader knows whose wait a parent's reaped record tells
 * of, and which recorded process is above what the program starts. An exec out of it is announced
 * as ever: the next image's counters go on from there.
 */
#ifndef PM_EXCLUDE_H
#define PM_EXCLUDE_H

#include "libperfmon/settings.h"

/*
 * Whether the program at a path of n bytes, its base name from `base` on, is excluded. Where a
 * list of patterns takes too long to tell, it is not.
 */
bool pm_exclude_matches(const struct pm_settings *s, const char *path, size_t n, size_t base);

#endif
