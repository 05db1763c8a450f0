/* Remove loaded files, provided that they are unchanged since they were read. */
#include "config.h"

#include "submit/remove.h"

#include "common/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pm_remove_note(struct pm_remove *r, size_t source, const char *directory, const char *name,
		   bool last, const struct stat *st, struct pm_err *e)
{
	struct pm_remove_file *f;

	if (!PM_GROW(r->file, r->files, r->cap, 16))
		return pm_err(e, "out of memory");
	f = &r->file[r->files];
	f->source = source;
	f->last = last;
	f->st = *st;
	if (asprintf(&f->path, "%s%s%s", directory, name ? "/" : "", name ? name : "") < 0)
		return pm_err(e, "out of memory");
	r->files++;
	return 0;
}

/* Check that a path is still the file that was read. Returns 0 or -1 with e filled. */
static int is_same(const struct pm_remove_file *f, struct pm_err *e)
{
	struct stat now;

	if (lstat(f->path, &now) < 0)
		return pm_err(e, "%s: %m", f->path);
	if (S_ISLNK(now.st_mode))
		return pm_err(e, "%s: a symbolic link", f->path);
	if (now.st_dev != f->st.st_dev || now.st_ino != f->st.st_ino ||
	    now.st_size != f->st.st_size || now.st_mtim.tv_sec != f->st.st_mtim.tv_sec ||
	    now.st_mtim.tv_nsec != f->st.st_mtim.tv_nsec)
		return pm_err(e, "%s: changed since it was read", f->path);
	return 0;
}

/*
 * Remove a file. A process may be about to append to a record file, which it opens by name, so the
 * file is renamed before it is checked. A renamed file can still be loaded should this process die
 * here.
 */
static int remove_file(const struct pm_remove_file *f, struct pm_err *e)
{
	const char *slash = strrchr(f->path, '/');
	struct pm_remove_file aside = *f;
	int rc;

	if (asprintf(&aside.path, "%.*sremoving.%s", slash ? (int)(slash + 1 - f->path) : 0,
		     f->path, slash ? slash + 1 : f->path) < 0)
		return pm_err(e, "out of memory");
	rc = rename(f->path, aside.path) < 0 ? pm_err(e, "remove %s: %m", f->path) : 0;
	if (rc == 0 && is_same(&aside, e) < 0) {
		rc = -1;
		/* link(2) fails if a new file has the name by now. */
		if (link(aside.path, f->path) == 0)
			unlink(aside.path);
	} else if (rc == 0 && unlink(aside.path) < 0) {
		rc = pm_err(e, "remove %s: %m", aside.path);
	}
	free(aside.path);
	return rc;
}

int pm_remove_source(const struct pm_remove *r, size_t source, const char *path, bool dry,
		     struct pm_err *e)
{
	bool any = false, directory = false;
	struct stat st;

	if (lstat(path, &st) < 0)
		return pm_err(e, "%s: %m", path);
	if (S_ISLNK(st.st_mode))
		return pm_err(e, "%s: a symbolic link", path);
	/* Check all files before removing the first one. */
	for (size_t i = 0; i < r->files; i++) {
		if (r->file[i].source != source)
			continue;
		if (is_same(&r->file[i], e) < 0)
			return -1;
		any = true;
		directory = directory || strcmp(r->file[i].path, path) != 0;
	}
	if (!any)
		return pm_err(e, "%s: neither a directory nor an archive of jobs", path);
	/* If this process is killed before it has removed all files, the next submit removes the
	 * rest: metadata go last and still identify the job. */
	for (int last = 0; last < 2 && !dry; last++)
		for (size_t i = 0; i < r->files; i++)
			if (r->file[i].source == source && r->file[i].last == last &&
			    remove_file(&r->file[i], e) < 0)
				return -1;
	if (!dry && directory && rmdir(path) < 0)
		return errno == ENOTEMPTY || errno == EEXIST
			       ? pm_err(e, "%s: it contains other files", path)
			       : pm_err(e, "remove %s: %m", path);
	return 0;
}

void pm_remove_free(struct pm_remove *r)
{
	for (size_t i = 0; i < r->files; i++)
		free(r->file[i].path);
	free(r->file);
	memset(r, 0, sizeof *r);
}
