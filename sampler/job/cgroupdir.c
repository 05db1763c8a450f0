/* Find the directories of control groups. */
#include "config.h"

#include "sampler/job/cgroupdir.h"

#include "common/safe/procfs.h"
#include "sampler/kernel/mounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const controller[PM_CGROUPDIR_COUNT] = {
#define PM_CGROUPDIR(name, text) [PM_CGROUPDIR_##name] = text,
	PM_CGROUPDIRS(PM_CGROUPDIR)
#undef PM_CGROUPDIR
};

/* Whether a comma-separated list of n bytes has the word. */
static bool has_word(const char *list, size_t n, const char *word)
{
	const size_t word_n = strlen(word);

	for (const char *p = list, *end = list + n; p < end;) {
		const char *comma = memchr(p, ',', (size_t)(end - p));
		size_t len = (size_t)((comma ? comma : end) - p);

		if (len == word_n && memcmp(p, word, len) == 0)
			return true;
		p += len + 1;
	}
	return false;
}

/* Find the path of the job's group in a hierarchy from the text of a /proc/PID/cgroup. Returns
 * memory that the caller frees, or NULL where there is no group. */
static char *find_group(const char *text, enum pm_cgroupdir_id id)
{
	static const char deleted[] = " (deleted)";
	char *path = NULL;

	for (const char *p = text; !path && *p;) {
		size_t n = strcspn(p, "\n");
		const char *list = memchr(p, ':', n);
		const char *colon = list ? memchr(list + 1, ':', n - (size_t)(list + 1 - p)) : NULL;

		if (colon) {
			size_t list_n = (size_t)(colon - ++list);

			if (id == PM_CGROUPDIR_UNIFIED ? list_n == 0
						       : has_word(list, list_n, controller[id]))
				path = strndup(colon + 1, n - (size_t)(colon + 1 - p));
		}
		p += n + (p[n] == '\n');
	}
	if (!path)
		return NULL;
	/* The group is gone, or outside this cgroup namespace. */
	size_t n = strlen(path), gone = sizeof deleted - 1;
	if (path[0] != '/' || strstr(path, "/..") ||
	    (n > gone && strcmp(path + n - gone, deleted) == 0)) {
		free(path);
		return NULL;
	}
	pm_procfs_cgroup_job(path);
	return path;
}

/*
 * Parse a line of mountinfo, of at most n bytes: the mount point of a hierarchy (field 5) and the
 * mounted part of it (field 4). The caller frees both. PM_CGROUPDIR_COUNT stands for any hierarchy.
 * Returns false where the line is no mount of this hierarchy.
 */
static bool parse_mount(const char *line, size_t n, enum pm_cgroupdir_id id, char **point,
			char **part)
{
	char *copy = strndup(line, n), *fields = copy, *type, *at;
	char *field[5];
	bool found = false;

	if (!copy)
		return false;
	type = strstr(copy, " - ");
	if (type) {
		const char *options = strrchr(type, ' ') + 1;

		if (id == PM_CGROUPDIR_COUNT)
			found = strncmp(type, " - cgroup", 9) == 0;
		else if (id == PM_CGROUPDIR_UNIFIED)
			found = strncmp(type, " - cgroup2 ", 11) == 0;
		else
			found = strncmp(type, " - cgroup ", 10) == 0 &&
				has_word(options, strlen(options), controller[id]);
	}
	if (type)
		*type = '\0';
	for (int i = 0; found && i < 5; i++) {
		field[i] = strtok_r(i ? NULL : fields, " ", &at);
		found = field[i] != NULL;
	}
	if (found) {
		*point = strdup(field[4]);
		*part = strdup(field[3]);
		if (*point && *part) {
			pm_mounts_unescape(*point);
			pm_mounts_unescape(*part);
		} else {
			free(*point);
			free(*part);
			found = false;
		}
	}
	free(copy);
	return found;
}

static bool file_exists(const char *root, const char *directory, const char *name)
{
	bool there;
	char *path;

	if (asprintf(&path, "%s%s/%s", root, directory, name) < 0)
		return false;
	there = access(path, F_OK) == 0;
	free(path);
	return there;
}

/* The directory of a group, with the length of its mount point; NULL where there is none. */
static char *find_directory(const char *root, const char *path, enum pm_cgroupdir_id id,
			    const char *mountinfo, size_t *mount_n)
{
	char *found = NULL;

	for (const char *p = mountinfo; !found && *p;) {
		size_t n = strcspn(p, "\n"), part_n;
		char *point, *part;

		if (parse_mount(p, n, id, &point, &part)) {
			/* In a container only a part of the hierarchy may be mounted. */
			part_n = strcmp(part, "/") == 0 ? 0 : strlen(part);
			if (strncmp(path, part, part_n) != 0 ||
			    (path[part_n] != '/' && path[part_n] != '\0'))
				part_n = 0;
			*mount_n = strlen(point);
			if (asprintf(&found, "%s%s", point,
				     strcmp(path + part_n, "/") == 0 ? "" : path + part_n) < 0)
				found = NULL;
			/* The root group is the whole node's, but a namespace's root may be a
			 * job's. */
			if (found && found[*mount_n] == '\0' && part_n == 0 &&
			    (id != PM_CGROUPDIR_UNIFIED ||
			     !file_exists(root, found, "cgroup.events"))) {
				free(found);
				found = NULL;
			}
			free(point);
			free(part);
		}
		p += n + (p[n] == '\n');
	}
	return found;
}

int pm_cgroupdir_find(struct pm_cgroupdir *d, const char *root, const char *cgroup,
		      const char *mountinfo)
{
	int count = 0;

	memset(d, 0, sizeof *d);
	for (int id = 0; id < PM_CGROUPDIR_COUNT; id++) {
		char *path = find_group(cgroup, (enum pm_cgroupdir_id)id);

		if (path)
			d->path[id] = find_directory(root, path, (enum pm_cgroupdir_id)id,
						     mountinfo, &d->mount_n[id]);
		free(path);
		count += d->path[id] != NULL;
	}
	return count;
}

/* Whether a path is that of the directory, n bytes long, or one below it. */
static bool is_below(const char *path, const char *directory, size_t n)
{
	return strncmp(path, directory, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

char *pm_cgroupdir_name(const char *directory, const char *mountinfo)
{
	size_t best = 0;
	char *name = NULL;

	for (const char *p = mountinfo; *p;) {
		size_t n = strcspn(p, "\n");
		char *point, *part;

		if (parse_mount(p, n, PM_CGROUPDIR_COUNT, &point, &part)) {
			/* With nested mounts the directory is in the innermost. */
			if (strlen(point) > best && is_below(directory, point, strlen(point))) {
				best = strlen(point);
				free(name);
				if (asprintf(&name, "%s%s", strcmp(part, "/") == 0 ? "" : part,
					     directory + best) < 0)
					name = NULL;
			}
			free(point);
			free(part);
		}
		p += n + (p[n] == '\n');
	}
	while (name && *name && name[strlen(name) - 1] == '/')
		name[strlen(name) - 1] = '\0';
	if (name && !*name) {
		free(name);
		name = NULL;
	}
	return name;
}

int pm_cgroupdir_at(struct pm_cgroupdir *d, const char *root, const char *dir,
		    const char *mountinfo)
{
	char *name = pm_cgroupdir_name(dir, mountinfo);
	int count = 0;

	memset(d, 0, sizeof *d);
	for (int id = 0; name && id < PM_CGROUPDIR_COUNT; id++) {
		d->path[id] = find_directory(root, name, (enum pm_cgroupdir_id)id, mountinfo,
					     &d->mount_n[id]);
		if (d->path[id] && !file_exists(root, d->path[id], "cgroup.procs")) {
			free(d->path[id]);
			d->path[id] = NULL;
		}
		count += d->path[id] != NULL;
	}
	free(name);
	return count;
}

void pm_cgroupdir_free(struct pm_cgroupdir *d)
{
	for (int id = 0; id < PM_CGROUPDIR_COUNT; id++)
		free(d->path[id]);
	memset(d, 0, sizeof *d);
}
