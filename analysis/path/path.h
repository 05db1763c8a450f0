/*
 * The critical path of a job: the chain of processes that decided its wall time. Images in, steps
 * out; knows no database.
 *
 * The walk begins at the end of the job and goes back. At time t a process is waited for if it is
 * the child that ended last before t; what lies between its end and t was the parent's own time.
 * The walk goes on inside the child, and at the child's start returns to the parent. A child that
 * ends after its parent was not waited for, nor was one during which its parent worked itself.
 */
#ifndef PM_ANALYSIS_PATH_PATH_H
#define PM_ANALYSIS_PATH_PATH_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An unknown time, and no image. */
#define PM_PATH_UNKNOWN INT64_MIN
#define PM_PATH_NONE    UINT32_MAX

/* By how much clocks of two hosts may differ, and by how much a task may be recorded before its
 * launcher on the same host, in microseconds. */
#define PM_PATH_CLOCKS_US 1000000
#define PM_PATH_HOST_US   20000

/* An image (exec or fork) of a process: 48 bytes, and 8 of the walk. */
struct pm_path_image {
	int64_t start_us, end_us; /* PM_PATH_UNKNOWN */
	int64_t busy_us;          /* least time in which it ran or was ready to run; 0: unknown */
	uint32_t parent;          /* number of the image that started the process, below its own;
				   * PM_PATH_NONE: a top-level process */
	/* Images with the same pid (0: unknown), host, starttime and parent are one process. */
	uint32_t pid, starttime;
	uint32_t sid; /* session; 0: unknown */
	uint16_t host;
	bool running;  /* it had not ended when the job was last seen */
	bool rank;     /* a task or rank of a launcher */
	bool launcher; /* a program that starts tasks on hosts and waits for them */
	bool foreign;  /* set by pm_path_attach(): it or an ancestor is a task without a parent */
	bool unended, unstarted; /* set by pm_path_complete(): its end or start was not known */
};

/* A part of the path; `image` decided the wall time between two times. */
struct pm_path_step {
	uint32_t image; /* PM_PATH_NONE: no recorded process did */
	int64_t from_us, to_us;
};

struct pm_path {
	struct pm_path_step *step; /* in order of time, without gaps; owned */
	size_t steps, room;
	size_t background; /* children that ended on the path's time while their parent worked */
	size_t unended;    /* images on the path whose end is not known: it is a lower bound */
	size_t shifted;    /* tasks whose clock was not their launcher's */
};

/*
 * Find the path of a job that lasted from start_us to end_us. Fills in unknown times of the images:
 * the end of a running one is the end of the job, of another one the last time at which it or a
 * descendant was seen; a start is at most the end less busy_us. The steps cover the job exactly.
 * Times that no clock tells, thousands of years away, are unknown; of a job with such, there are no
 * steps. Takes 8 bytes per image beside them. Returns 0, or -1 with e filled; pm_path_free() in
 * either case.
 */
int pm_path_find(struct pm_path *p, struct pm_path_image *image, size_t n, int64_t start_us,
		 int64_t end_us, struct pm_err *e);

void pm_path_free(struct pm_path *p);

/* Part of pm_path_find(): fill in unknown times, and set the parents of tasks that a launcher
 * started, on this or other hosts, to the launcher. */
void pm_path_complete(struct pm_path_image *image, size_t n, int64_t end_us);
int pm_path_attach(struct pm_path_image *image, size_t n, struct pm_err *e);

#endif
