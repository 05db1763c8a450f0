/* Numbered things of /sys and lists of numbers. Programs only. */
#ifndef PM_LIST_H
#define PM_LIST_H

#include <stdint.h>
#include <sys/types.h>

/*
 * The numbers N of the entries prefixN of the directory root/relative, in rising order. *numbers is
 * to be freed by the caller. Returns how many, or -1 with errno set.
 */
ssize_t pm_list_directory(const char *root, const char *relative, const char *prefix,
			  int64_t **numbers);

#endif
