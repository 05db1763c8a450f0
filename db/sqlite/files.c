/*
 * SQLite protects a database with POSIX locks, and a process loses all its locks on a file when it
 * closes any descriptor of that file (fcntl(2); https://sqlite.org/howtocorrupt.html, 2.2). Nothing
 * else in this process may open a file of an open database.
 */
#include "config.h"

#include "db/sqlite/files.h"

#include "db/engine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const ending[PM_SQLITE_BESIDE] = {
	[PM_SQLITE_LOG] = "-wal",
	[PM_SQLITE_INDEX] = "-shm",
	[PM_SQLITE_JOURNAL] = "-journal",
};

/* No lock: while other threads open files, no database is opened or closed. */
static struct {
	struct pm_sqlite_opened *first;
} opened;

char *pm_sqlite_files_beside(const char *database, enum pm_sqlite_beside which)
{
	char *path;

	return asprintf(&path, "%s%s", database, ending[which]) < 0 ? NULL : path;
}

bool pm_sqlite_files_has_log(const char *path)
{
	char *real = realpath(path, NULL);
	char *log = real ? pm_sqlite_files_beside(real, PM_SQLITE_LOG) : NULL;
	struct stat st;
	bool more = log && stat(log, &st) == 0 && st.st_size > 0;

	free(log);
	free(real);
	return more;
}

const char *pm_sqlite_files_ending(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < PM_SQLITE_BESIDE; i++) {
		size_t n = strlen(ending[i]);

		if (len > n && strcmp(path + len - n, ending[i]) == 0)
			return path + len - n;
	}
	return NULL;
}

void pm_sqlite_files_opened(struct pm_sqlite_opened *s, const char *path)
{
	*s = (struct pm_sqlite_opened){ .path = path, .next = opened.first };
	opened.first = s;
}

void pm_sqlite_files_closed(struct pm_sqlite_opened *s)
{
	for (struct pm_sqlite_opened **at = &opened.first; *at; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			return;
		}
}

static bool is_at(const char *path, const struct stat *st)
{
	struct stat there;

	return path && stat(path, &there) == 0 && there.st_dev == st->st_dev &&
	       there.st_ino == st->st_ino;
}

static bool is_of(const struct pm_sqlite_opened *s, const struct stat *st)
{
	/* Allocates nothing: for lack of memory a file could be mistaken for one of these and left
	 * out of a load. */
	char beside[PATH_MAX + 16];
	bool found;

	/* A database without a file has no name to match. */
	if (!s->path || !s->path[0])
		return false;
	found = is_at(s->path, st);
	for (enum pm_sqlite_beside i = 0; !found && i < PM_SQLITE_BESIDE; i++) {
		/* A longer path could not be opened. */
		if (snprintf(beside, sizeof beside, "%s%s", s->path, ending[i]) <
		    (int)sizeof beside)
			found = is_at(beside, st);
	}
	return found;
}

bool pm_sqlite_is_file(const struct stat *st)
{
	for (const struct pm_sqlite_opened *s = opened.first; s; s = s->next)
		if (is_of(s, st))
			return true;
	return false;
}
