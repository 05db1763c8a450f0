/*
 * SQLite holds a database by POSIX locks, which a process loses on every file that it closes a
 * descriptor of, whichever (fcntl(2); https://sqlite.org/howtocorrupt.html, 2.2): nobody else in
 * this process may open a file of a database that is open.
 */
#include "config.h"

#include "db/sqlite_files.h"

#include "db/engine.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const ending[PM_SQLITE_BESIDE] = {
	[PM_SQLITE_LOG] = "-wal",
	[PM_SQLITE_INDEX] = "-shm",
	[PM_SQLITE_JOURNAL] = "-journal",
};

/* Databases are opened and closed by one thread of a program, which opens all other files, too. */
static struct {
	struct pm_sqlite_opened *first;
} opened;

char *pm_sqlite_files_beside(const char *database, enum pm_sqlite_beside which)
{
	char *path;

	return asprintf(&path, "%s%s", database, ending[which]) < 0 ? NULL : path;
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
	/* No memory is taken: a file that cannot be told from these must not be left out of a load.
	 */
	char beside[PATH_MAX + 16];
	bool found;

	/* One without a file has nothing that others could name. */
	if (!s->path || !s->path[0])
		return false;
	found = is_at(s->path, st);
	for (enum pm_sqlite_beside i = 0; !found && i < PM_SQLITE_BESIDE; i++) {
		/* A longer one has no file that could be opened. */
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
