/*
 * Descriptors of the collector in a process whose descriptors are the program's.
 *
 * A program may count on its descriptors being 0, 1, 2, 3, ..., list those below its limit, or
 * close them all. Descriptors that stay open lie beyond the soft limit, and one that is needed for
 * a moment, where the program has used up its own, does not count against it: the limit is raised
 * for the moment of opening alone.
 */
#ifndef PM_DESCRIPTORS_H
#define PM_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/*
 * openat(2), for a moment. Returns the descriptor or a negative error number. The other one is
 * relative to the working directory.
 */
long pm_descriptors_openat(int at, const char *path, int flags, int mode);
long pm_descriptors_open(const char *path, int flags, int mode);

/* The limit while descriptors are opened. */
struct pm_descriptors {
	struct rlimit before, raised;
	int base; /* lowest number of those that stay */
	bool locked;
	bool refused; /* the program's limit leaves no room */
};

/* Before opening `count` descriptors that stay, with signals blocked. What was begun must be ended.
 */
void pm_descriptors_begin(struct pm_descriptors *d, uint32_t count);
void pm_descriptors_end(const struct pm_descriptors *d);

/* Move a descriptor, just opened on an anonymous inode, out of sight, close-on-exec. Returns its
 * new number, or a negative error number; the old one is closed either way. */
int pm_descriptors_hide(const struct pm_descriptors *d, int fd);

/* Whether a number is open on the kernel's anonymous inode, as one that was hidden is. */
bool pm_descriptors_is_anonymous(int fd);

/* A fork child: no other thread is about to open. */
void pm_descriptors_reset(void);

#endif
