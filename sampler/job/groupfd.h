/* Control groups as descriptors for perf_event_open(2). */
#ifndef PM_SAMPLER_JOB_GROUPFD_H
#define PM_SAMPLER_JOB_GROUPFD_H

/*
 * Open the directory that a control group has in the perf_event hierarchy of version 1, else in
 * version 2, by its directory in any hierarchy. Returns a descriptor, or -1 where it has neither.
 */
int pm_groupfd_open(const char *directory);

#endif
