/*
 * Programs that are not recorded, by PERFMON_EXCLUDE and PERFMON_INCLUDE.
 *
 * An excluded image writes one short line, `excluded`, as it starts (by exec or fork) and no end,
 * thread or reaped record. By that line the loader knows which child a parent's reaped record is
 * about, and which recorded process is an ancestor of the program's children. An exec of the
 * program is announced as usual: the next image's counters go on from there.
 */
#ifndef PM_LIBPERFMON_BASE_EXCLUDE_H
#define PM_LIBPERFMON_BASE_EXCLUDE_H

#include "libperfmon/base/settings.h"

/*
 * Whether the program at a path of n bytes, its base name from `base` on, is excluded. A list of
 * patterns that takes too long to match excludes nothing.
 */
bool pm_exclude_matches(const struct pm_settings *s, const char *path, size_t n, size_t base);

#endif
