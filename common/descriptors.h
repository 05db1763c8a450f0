/* Close descriptors that a new process of perfmon must not inherit. Programs and the plugin of
 * Slurm. */
#ifndef PM_COMMON_DESCRIPTORS_H
#define PM_COMMON_DESCRIPTORS_H

/* Close all descriptors from `first` on. Safe after fork() in a process with threads: nothing is
 * allocated. Errors of close() are ignored. */
void pm_descriptors_close(int first);

#endif
