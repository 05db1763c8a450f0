/*
 * Descriptors of processes that are files of DRM drivers, /dev/dri/: which a descriptor is costs a
 * system call, so that those that are not are remembered for a minute.
 */
#ifndef PM_SAMPLER_SOURCES_JOB_DRMFDS_H
#define PM_SAMPLER_SOURCES_JOB_DRMFDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pm_drmfds {
	struct pm_drmfds_process *process; /* owned */
	size_t count, room, next;
	int64_t forget_us; /* when to forget, on the monotonic clock */
};

/* Begin a reading. A zeroed one remembers nothing. */
void pm_drmfds_begin(struct pm_drmfds *f, int64_t now_us);

/*
 * Call is_client for each descriptor of a process below root that is a file of a DRM driver; it
 * returns false for one that shall not be told again before a minute has passed. Returns 0, or -1
 * with errno set where the process cannot be read.
 */
int pm_drmfds_look(struct pm_drmfds *f, const char *root, pid_t pid, int64_t start,
		   bool (*is_client)(void *ctx, pid_t pid, int fd), void *ctx);

/* End a reading: processes that were not looked at are gone. */
void pm_drmfds_end(struct pm_drmfds *f);

void pm_drmfds_free(struct pm_drmfds *f);

#endif
