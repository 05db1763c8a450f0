/* Control groups as perf_event_open(2) takes them. Programs only. */
#ifndef PM_GROUPFD_H
#define PM_GROUPFD_H

/*
 * Open the directory of a control group in the hierarchy whose groups events are counted for, of
 * version 1 or 2, by its directory in any hierarchy. Returns a descriptor, or -1 where it has none.
 */
int pm_groupfd_open(const char *directory);

#endif
