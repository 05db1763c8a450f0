/*
 * Descriptors that the collector opens in the program's process.
 *
 * A program may rely on its descriptors being 0, 1, 2, 3, ..., list the ones below its limit, or
 * close them all. So descriptors that the collector keeps open lie beyond the soft limit. If the
 * program has used up its descriptors, the limit is raised just while the collector opens one.
 */
#ifndef PM_LIBPERFMON_BASE_DESCRIPTORS_H
#define PM_LIBPERFMON_BASE_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/*
 * openat(2) for a descriptor that is closed again at once. Returns the descriptor or a negative
 * error number. pm_descriptors_open takes paths relative to the working directory.
 */
long pm_descriptors_openat(int at, const char *path, int flags, int mode);
long pm_descriptors_open(const char *path, int flags, int mode);

/* The limit while descriptors are opened. */
struct pm_descriptors {
	struct rlimit before, raised;
	int base; /* lowest number of descriptors that stay open */
	bool locked;
	bool refused; /* the program's limit leaves no room */
};

/* Raise the limit before opening `count` descriptors that stay open, with signals blocked.
 * pm_descriptors_end must follow. */
void pm_descriptors_begin(struct pm_descriptors *d, uint32_t count);
void pm_descriptors_end(const struct pm_descriptors *d);

/* Move a descriptor, just opened on an anonymous inode, to d->base or beyond, close-on-exec.
 * Returns its new number, or a negative error number; the old number is closed either way. */
int pm_descriptors_hide(const struct pm_descriptors *d, int fd);

/* Whether a descriptor is open on the kernel's anonymous inode, as hidden descriptors are. */
bool pm_descriptors_is_anonymous(int fd);

/* In a fork child: release the lock, which no other thread holds now. */
void pm_descriptors_reset(void);

#endif
