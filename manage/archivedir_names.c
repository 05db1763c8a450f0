/* The archives of a directory of them. */
#include "config.h"

#include "manage/archivedir.h"

#include "common/grow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct names {
	char (*name)[PM_ARCHIVENAME];
	size_t n, room;
};

/* Open an entry as a directory to read. Returns NULL with errno. */
static DIR *open_entries(int dir, const char *entry)
{
	int fd = openat(dir, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !d)
		close(fd);
	return d;
}

/* Add the archives of a folder. Returns 0 or -1 with e filled. */
static int add_folder(struct pm_archivedir *a, struct names *all, const char *in, struct pm_err *e)
{
	char name[2 * NAME_MAX + 2];
	struct dirent *entry;
	DIR *d = open_entries(a->dir, in);
	int rc = 0;

	/* A file or a link is no folder of a cluster. */
	if (!d)
		return errno == ENOTDIR || errno == ELOOP ? 0 : pm_err(e, "%s/%s: %m", a->path, in);
	while (rc == 0 && (entry = readdir(d)) != NULL) {
		snprintf(name, sizeof name, "%s/%s", in, entry->d_name);
		if (!pm_archivename_is(name) || !pm_archivename_is_made(name))
			continue;
		if (!PM_GROW(all->name, all->n, all->room, 64)) {
			rc = pm_err(e, "out of memory");
			continue;
		}
		/* It fits, as pm_archivename_is() says. */
		memcpy(all->name[all->n++], name, strlen(name) + 1);
	}
	closedir(d);
	return rc;
}

int pm_archivedir_names(struct pm_archivedir *a, char (**name)[PM_ARCHIVENAME], size_t *n,
			struct pm_err *e)
{
	struct names all = { .name = NULL };
	struct dirent *entry;
	DIR *d = open_entries(a->dir, ".");
	int rc = d ? 0 : pm_err(e, "%s: %m", a->path);

	while (rc == 0 && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.')
			rc = add_folder(a, &all, entry->d_name, e);
	if (d)
		closedir(d);
	*name = all.name;
	*n = all.n;
	return rc;
}
