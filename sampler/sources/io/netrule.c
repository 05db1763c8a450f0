/* Classify network interfaces. */
#include "config.h"

#include "sampler/sources/io/netrule.h"

#include "sampler/kernel/procfile.h"
#include "sampler/sources/keyfile.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARPHRD_ETHER    1
#define ARPHRD_LOOPBACK 772

/* The number in /sys/class/net/NAME/file, or -1. */
static int64_t read_number(const char *root, const char *name, const char *file)
{
	struct pm_procfile f;
	const char *text;
	int64_t value = -1;
	char *path;
	ssize_t n;

	if (asprintf(&path, "sys/class/net/%s/%s", name, file) < 0)
		return -1;
	if (pm_procfile_open(&f, root, path) == 0) {
		n = pm_procfile_read(&f, &text);
		if (n < 0 || pm_keyfile_number(text, (size_t)n, &value) < 0)
			value = -1;
		pm_procfile_close(&f);
	}
	free(path);
	return value;
}

/* Names of directory entries that show an interface's class. */
static const struct {
	const char *name;
	bool prefix; /* `name` is the beginning of the entry's name */
	enum pm_netrule_class class;
} entry_info[] = {
	{ "bridge", false, PM_NETRULE_STACKED },    { "bonding", false, PM_NETRULE_STACKED },
	{ "lower_", true, PM_NETRULE_STACKED },     { "device", false, PM_NETRULE_HARDWARE },
	{ "tun_flags", false, PM_NETRULE_VIRTUAL },
};

/* The class that an entry shows, or PM_NETRULE_UNKNOWN. */
static enum pm_netrule_class entry_class(const char *name)
{
	for (size_t i = 0; i < sizeof entry_info / sizeof entry_info[0]; i++)
		if (entry_info[i].prefix
			    ? strncmp(name, entry_info[i].name, strlen(entry_info[i].name)) == 0
			    : strcmp(name, entry_info[i].name) == 0)
			return entry_info[i].class;
	return PM_NETRULE_UNKNOWN;
}

enum pm_netrule_class pm_netrule_classify(const char *root, const char *name)
{
	bool is[PM_NETRULE_VIRTUAL + 1] = { false };
	int64_t type, index, link;
	struct dirent *entry;
	char *path;
	DIR *dir;

	if (asprintf(&path, "%s/sys/class/net/%s", root, name) < 0)
		return PM_NETRULE_UNKNOWN;
	dir = opendir(path);
	free(path);
	if (!dir)
		return PM_NETRULE_UNKNOWN;
	while ((entry = readdir(dir)) != NULL)
		is[entry_class(entry->d_name)] = true;
	closedir(dir);
	type = read_number(root, name, "type");
	if (type == ARPHRD_LOOPBACK)
		return PM_NETRULE_LOOPBACK;
	if (is[PM_NETRULE_STACKED])
		return PM_NETRULE_STACKED;
	/* A tap may have a device, too, but is virtual: the entry tun_flags decides. */
	if (is[PM_NETRULE_VIRTUAL])
		return PM_NETRULE_VIRTUAL;
	if (is[PM_NETRULE_HARDWARE])
		return PM_NETRULE_HARDWARE;
	index = read_number(root, name, "ifindex");
	link = read_number(root, name, "iflink");
	/* The link is in another namespace: an interface on top of one in this namespace would have
	 * a lower_ entry. */
	return type == ARPHRD_ETHER && index > 0 && link > 0 && link != index ? PM_NETRULE_UPLINK
									      : PM_NETRULE_VIRTUAL;
}
