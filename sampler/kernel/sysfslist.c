/* List numbered entries of /sys. */
#include "config.h"

#include "sampler/kernel/sysfslist.h"

#include "common/grow.h"
#include "common/safe/tsv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

ssize_t pm_sysfslist_directory(const char *root, const char *relative, const char *prefix,
			       int64_t **numbers)
{
	size_t prefix_n = strlen(prefix), n = 0, capacity = 0;
	struct dirent *entry;
	int64_t *list = NULL;
	char *path;
	DIR *dir;

	*numbers = NULL;
	if (asprintf(&path, "%s/%s", root, relative) < 0)
		return -1;
	dir = opendir(path);
	free(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)) != NULL) {
		const char *digits = entry->d_name + prefix_n;

		if (strncmp(entry->d_name, prefix, prefix_n) != 0)
			continue;
		if (!PM_GROW(list, n, capacity, 16)) {
			free(list);
			closedir(dir);
			errno = ENOMEM;
			return -1;
		}
		if (pm_tsv_number(digits, strlen(digits), &list[n]) == 0 && list[n] >= 0 &&
		    list[n] <= INT32_MAX)
			n++;
	}
	closedir(dir);
	if (n)
		qsort(list, n, sizeof *list, compare_numbers);
	*numbers = list;
	return (ssize_t)n;
}
