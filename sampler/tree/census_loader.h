/* Bring the kernel's side of a census into the kernel. Programs only; used by census.c. */
#ifndef PM_CENSUS_LOADER_H
#define PM_CENSUS_LOADER_H

#include "common/err.h"

#include <sys/types.h>

/* What is in the kernel then, in descriptors; the processes are shared memory. */
enum { PM_CENSUS_SURVEY, PM_CENSUS_PROGRAM, PM_CENSUS_TASKS, PM_CENSUS_FDS };

/* A process that loads it, and ends. */
struct pm_census_loader {
	pid_t pid; /* 0: none */
	int from;  /* it, a socket */
};

/* Start it. Returns 0, or -1 with e filled. */
int pm_census_loader_start(struct pm_census_loader *l, struct pm_err *e);

/*
 * Wait up to so many ms for its end. Returns 1 with the descriptors in fd, 0 where it is still at
 * work, or -1 with e filled.
 */
int pm_census_loader_wait(struct pm_census_loader *l, int wait_ms, int fd[PM_CENSUS_FDS],
			  struct pm_err *e);

/* End it, whatever it does; one that is over or zeroed is allowed. */
void pm_census_loader_end(struct pm_census_loader *l);

/*
 * Load it with libbpf, whose memory and descriptors stay taken: to be called in a process that ends
 * soon. Returns 0 with the descriptors in fd, or -1 with e filled.
 */
int pm_census_load(int fd[PM_CENSUS_FDS], struct pm_err *e);

#endif
