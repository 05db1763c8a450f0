/* The zones of RAPL. */
#include "config.h"

#include "sampler/devices/power/powercap.h"

#include "common/grow.h"
#include "sampler/kernel/devicefile.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASS "sys/class/powercap"

/* Directories below the class, at most: type, package, part of it. */
#define DEPTH 4

struct list {
	struct pm_powercap_zone *zone;
	size_t count, capacity;
	bool short_of_memory;
};

static struct pm_powercap_zone *find_zone(const struct list *l, const char *base, size_t n)
{
	for (size_t i = 0; i < l->count; i++)
		if (strncmp(l->zone[i].base, base, n) == 0 && l->zone[i].base[n] == '\0')
			return &l->zone[i];
	return NULL;
}

/* --- walking ---------------------------------------------------------------------------------- */

static void walk(struct list *l, const char *root, const char *relative, const char *parent,
		 int depth);

/* Add a zone of RAPL unless it is there, and those in its directory. */
static void add_zone(struct list *l, const char *root, const char *path, const char *base,
		     int depth)
{
	struct pm_powercap_zone *z;

	if (strncmp(base, "intel-rapl", 10) != 0 || strlen(base) >= sizeof z->base ||
	    strlen(path) >= sizeof z->path)
		return;
	z = find_zone(l, base, strlen(base));
	if (z && strlen(path) < strlen(z->path)) {
		/* The class has it, too. */
		snprintf(z->path, sizeof z->path, "%s", path);
	} else if (!z) {
		if (!PM_GROW(l->zone, l->count, l->capacity, 8)) {
			l->short_of_memory = true;
			return;
		}
		z = &l->zone[l->count++];
		memset(z, 0, sizeof *z);
		snprintf(z->base, sizeof z->base, "%s", base);
		snprintf(z->path, sizeof z->path, "%s", path);
	}
	walk(l, root, path, base, depth);
}

/* Look through a directory: the class, where parent is "", a control type, or a zone. */
static void walk(struct list *l, const char *root, const char *relative, const char *parent,
		 int depth)
{
	const size_t parent_n = strlen(parent);
	struct dirent *entry;
	char path[512];
	DIR *dir;

	if (depth == DEPTH)
		return;
	snprintf(path, sizeof path, "%s/%s", root, relative);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)) != NULL) {
		const char *base = entry->d_name;

		if (snprintf(path, sizeof path, "%s/%s", relative, base) >= (int)sizeof path)
			continue;
		if (parent_n ? strncmp(base, parent, parent_n) == 0 && base[parent_n] == ':'
			     : strchr(base, ':') != NULL)
			add_zone(l, root, path, base, depth + 1);
		else if (!parent_n && base[0] != '.')
			walk(l, root, path, base, depth + 1);
	}
	if (dir)
		closedir(dir);
}

/* --- names ------------------------------------------------------------------------------------ */

static int compare_zones(const void *a, const void *b)
{
	const struct pm_powercap_zone *x = a, *y = b;
	const size_t xn = strlen(x->base), yn = strlen(y->base);

	/* Parents before children, and 2 before 10. */
	return xn != yn ? (xn > yn) - (xn < yn) : strcmp(x->base, y->base);
}

/* What a zone of this name and directory measures. */
static enum pm_powercap_part part_of(const char *name, const char *base)
{
	static const struct {
		const char *name;
		enum pm_powercap_part part;
	} parts[] = {
		{ "core", PM_POWERCAP_CORE },
		{ "uncore", PM_POWERCAP_UNCORE },
		{ "dram", PM_POWERCAP_DRAM },
		{ "psys", PM_POWERCAP_PSYS },
	};

	if (strncmp(base, "intel-rapl-mmio", 15) == 0)
		return PM_POWERCAP_MMIO;
	if (strncmp(name, "package-", 8) == 0)
		return PM_POWERCAP_PACKAGE;
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (strcmp(name, parts[i].name) == 0)
			return parts[i].part;
	return PM_POWERCAP_OTHER;
}

/* Name a zone, whose parent has been named. */
static void name_zone(const struct list *l, struct pm_powercap_zone *z, const char *root)
{
	const char *last = strrchr(z->base, ':');
	const struct pm_powercap_zone *parent = find_zone(l, z->base, (size_t)(last - z->base));
	char path[256], own[48];
	int n;

	snprintf(path, sizeof path, "%s/name", z->path);
	if (pm_devicefile_name(root, path, own, sizeof own) < 0)
		snprintf(own, sizeof own, "%s", z->base);
	z->part = part_of(own, z->base);
	n = snprintf(z->name, sizeof z->name, "%s%s%s", parent ? parent->name : "",
		     parent ? "/" : "", own);
	for (const struct pm_powercap_zone *other = l->zone; other < z; other++)
		if (other->part == z->part && strcmp(other->name, z->name) == 0) {
			if (n >= 0 && (size_t)n < sizeof z->name)
				snprintf(z->name + n, sizeof z->name - (size_t)n, " (%s)", z->base);
			break;
		}
}

ssize_t pm_powercap_list(const char *root, struct pm_powercap_zone **zones)
{
	struct list l = { 0 };

	*zones = NULL;
	walk(&l, root, CLASS, "", 0);
	if (l.short_of_memory) {
		free(l.zone);
		errno = ENOMEM;
		return -1;
	}
	if (!l.count) {
		errno = ENOENT;
		return -1;
	}
	qsort(l.zone, l.count, sizeof *l.zone, compare_zones);
	for (size_t i = 0; i < l.count; i++)
		name_zone(&l, &l.zone[i], root);
	*zones = l.zone;
	return (ssize_t)l.count;
}
