/* Decide which block devices count. */
#include "config.h"

#include "sampler/kernel/diskrule.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prefixes of names, followed by a number, that never count, whatever /sys says. */
static const char *const excluded[] = {
	"ram",  "zram",                                 /* disks in memory */
	"loop", "fd",   "sr",                           /* files, floppies, optical disks */
	"dm-",  "md",   "md_d", "bcache", "zd", "drbd", /* made of other devices */
};

bool pm_diskrule_part(const char *name, size_t n, const char *disk)
{
	size_t disk_n = strlen(disk);

	if (n <= disk_n || disk_n == 0 || memcmp(name, disk, disk_n) != 0)
		return false;
	/* If the disk's name ends in a digit, the kernel puts a p before the part's number. */
	if (isdigit((unsigned char)disk[disk_n - 1]) && name[disk_n++] != 'p')
		return false;
	if (disk_n == n)
		return false;
	for (; disk_n < n; disk_n++)
		if (!isdigit((unsigned char)name[disk_n]))
			return false;
	return true;
}

/* Whether a directory has entries. */
static bool has_entries(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool found = false;

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir)) != NULL)
		found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(dir);
	return found;
}

/* Whether a file begins with "1". */
static bool is_one(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char c = '\0';

	if (fd < 0)
		return false;
	if (read(fd, &c, 1) < 1)
		c = '\0';
	close(fd);
	return c == '1';
}

/* root/sys/block/NAME/entry, where a slash in the device's name becomes `!`. Caller frees. */
static char *block_path(const char *root, const char *name, const char *entry)
{
	char *path;
	size_t prefix = strlen(root) + strlen("/sys/block/");

	if (asprintf(&path, "%s/sys/block/%s/%s", root, name, entry) < 0)
		return NULL;
	for (size_t i = 0; i < strlen(name); i++)
		if (path[prefix + i] == '/')
			path[prefix + i] = '!';
	return path;
}

bool pm_diskrule_counts(const char *root, const char *name)
{
	char *slaves, *hidden;
	bool counts;

	for (size_t i = 0; i < sizeof excluded / sizeof excluded[0]; i++) {
		size_t n = strlen(excluded[i]);

		if (strncmp(name, excluded[i], n) == 0 && isdigit((unsigned char)name[n]))
			return false;
	}
	slaves = block_path(root, name, "slaves");
	hidden = block_path(root, name, "hidden");
	counts = slaves && hidden && !has_entries(slaves) && !is_one(hidden);
	free(slaves);
	free(hidden);
	return counts;
}
