/* Load the BPF programs of a census. Used by census.c. */
#ifndef PM_SAMPLER_TREE_CENSUS_LOADER_H
#define PM_SAMPLER_TREE_CENSUS_LOADER_H

#include "common/err.h"

#include <sys/types.h>

/* Descriptors of the loaded objects: two programs, and the map of tasks, which can be mapped. */
enum { PM_CENSUS_SURVEY, PM_CENSUS_PROGRAM, PM_CENSUS_TASKS, PM_CENSUS_FDS };

/* The child process that loads the programs and ends. */
struct pm_census_loader {
	pid_t pid; /* 0: none */
	int from;  /* socket from the child */
};

/* Start the child. Returns 0, or -1 with e filled. */
int pm_census_loader_start(struct pm_census_loader *l, struct pm_err *e);

/*
 * Wait up to wait_ms for the child's answer, then end the child. Returns 1 with the descriptors in
 * fd, 0 while the child is still loading, or -1 with e filled.
 */
int pm_census_loader_wait(struct pm_census_loader *l, int wait_ms, int fd[PM_CENSUS_FDS],
			  struct pm_err *e);

/* Kill the child and reap it; a loader without a child, or zeroed, is allowed. */
void pm_census_loader_end(struct pm_census_loader *l);

/*
 * Load the programs with libbpf, whose memory and other descriptors are never released: call this
 * in a process that ends soon. Returns 0 with the descriptors in fd, or -1 with e filled.
 */
int pm_census_load(int fd[PM_CENSUS_FDS], struct pm_err *e);

#endif
