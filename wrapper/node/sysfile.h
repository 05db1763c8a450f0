/* Small files and folders of /proc and /sys, below a root that tests choose. */
#ifndef PM_WRAPPER_NODE_SYSFILE_H
#define PM_WRAPPER_NODE_SYSFILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Read the first size - 1 bytes of the file root/directory/name, without the newlines and blanks at
 * their end. Returns the length of the text, or -1. */
ssize_t pm_sysfile_text(char *buf, size_t size, const char *root, const char *directory,
			const char *name);

/* Open the folder root/directory. Returns NULL where there is none. */
DIR *pm_sysfile_open(const char *root, const char *directory);

/* Whether a name is the prefix followed by a number. */
bool pm_sysfile_is_numbered(const char *name, const char *prefix);

#endif
