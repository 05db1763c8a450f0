/* The file systems of the node that have space of their own. */
#ifndef PM_SAMPLER_KERNEL_MOUNTS_H
#define PM_SAMPLER_KERNEL_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

enum pm_mounts_kind {
	PM_MOUNTS_NONE,    /* proc, sysfs, bind mounts of files, automount points ... */
	PM_MOUNTS_LOCAL,   /* on disk or in memory */
	PM_MOUNTS_NETWORK, /* may hang when its server does */
};

/* A mount. */
struct pm_mounts_entry {
	char *point;  /* owned */
	char *device; /* major:minor, owned */
};

/* Mounts of a kind. */
struct pm_mounts {
	struct pm_mounts_entry *entry; /* owned */
	size_t count;
};

/*
 * Find the mounts of a kind in the text of a mountinfo file (proc_pid_mountinfo(5)): at most
 * `limit`, and each file system once, at its first mount point.
 * Returns 0, or -1 when memory is short; then nothing is held.
 */
int pm_mounts_parse(struct pm_mounts *m, const char *text, enum pm_mounts_kind kind, size_t limit);

/* Release what is held. */
void pm_mounts_free(struct pm_mounts *m);

/* Undo the escapes \040 and the like of mountinfo, in place. */
void pm_mounts_unescape(char *text);

#endif
