/* A directory of archives: checks, names, open files. */
#include "config.h"

#include "manage/archivedir.h"

#include "common/grow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Longest folder name; the rest of a longer name of a cluster is replaced by a hash. */
#define FOLDER_MAX  180
#define FOLDER_ROOM (FOLDER_MAX + 18)

/* The folder of jobs without a cluster. The encoded name of none begins like that. */
#define NO_CLUSTER "_"

static bool is_plain(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (!first && (c == '.' || c == '_' || c == '-'));
}

/* Name the folder of a cluster, whose name is any text: letters, digits, and inside also ._- stand
 * for themselves, other bytes are %HH. */
static void name_folder(const char *cluster, char folder[FOLDER_ROOM])
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
	bool cut = false;
	size_t n = 0;

	for (const char *p = cluster; *p; p++) {
		unsigned char byte = (unsigned char)*p;
		bool plain = is_plain(*p, p == cluster);

		hash = (hash ^ byte) * 0x100000001b3u;
		cut = cut || n + (plain ? 1 : 3) > FOLDER_MAX;
		if (!cut && plain)
			folder[n++] = *p;
		else if (!cut)
			n += (size_t)snprintf(folder + n, FOLDER_ROOM - n, "%%%02X", byte);
	}
	folder[n] = '\0';
	if (cut)
		snprintf(folder + n, FOLDER_ROOM - n, "~%016llx", (unsigned long long)hash);
	else if (n == 0)
		snprintf(folder, FOLDER_ROOM, NO_CLUSTER);
}

/* A name that name_file makes: one folder, and a file that ends in .db. */
bool pm_archivedir_is_name(const char *name)
{
	const char *slash = strchr(name, '/');
	size_t n = strlen(name);

	if (!slash || slash == name || name[0] == '.' || n >= PM_ARCHIVEDIR_NAME || n < 5 ||
	    strcmp(name + n - 3, ".db") != 0)
		return false;
	for (const char *p = name; *p; p++)
		if (!is_plain(*p, false) && *p != '%' && *p != '~' && p != slash)
			return false;
	return slash[1] != '.';
}

static void name_file(const char *cluster, int64_t end_us, char name[PM_ARCHIVEDIR_NAME])
{
	char folder[FOLDER_ROOM];
	time_t end = (time_t)(end_us / 1000000);
	struct tm tm;

	name_folder(cluster, folder);
	/* Times come from records, which may say anything. */
	if (end_us < 0 || !gmtime_r(&end, &tm) || tm.tm_year > 9999 - 1900)
		snprintf(name, PM_ARCHIVEDIR_NAME, "%s/undated.db", folder);
	else
		snprintf(name, PM_ARCHIVEDIR_NAME, "%s/%04d-%02d.db", folder, tm.tm_year + 1900,
			 tm.tm_mon + 1);
}

static int check_status(const struct stat *st, const char *path, bool folder, struct pm_err *e)
{
	if (S_ISLNK(st->st_mode))
		return pm_err(e, "%s: a symbolic link; links are not followed", path);
	if (folder ? !S_ISDIR(st->st_mode) : !S_ISREG(st->st_mode))
		return pm_err(e, "%s: not a %s", path, folder ? "directory" : "regular file");
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return pm_err(e, "%s: belongs to uid %u, who could change its content", path,
			      (unsigned)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return pm_err(e, "%s: others may write to it: chmod go-w", path);
	if (!folder && st->st_nlink > 1)
		return pm_err(e, "%s: has %lu hard links", path, (unsigned long)st->st_nlink);
	return 0;
}

int pm_archivedir_check(int dir, const char *entry, const char *path, bool folder, struct pm_err *e)
{
	struct stat st;

	if (fstatat(dir, entry, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : pm_err(e, "%s: %m", path);
	if (check_status(&st, path, folder, e) < 0)
		return -1;
	/* Moved into itself, a database would lose the job. */
	if (!folder && pm_db_is_file(&st))
		return pm_err(e, "%s: is the database itself", path);
	return 1;
}

/* Open a directory, created if missing unless in a dry run: then -1 with errno ENOENT and e empty.
 * Returns a descriptor or -1. */
static int open_directory(int parent, const char *entry, const char *path, bool dry,
			  struct pm_err *e)
{
	struct stat st;
	int fd;

	e->text[0] = '\0';
	if (!dry && mkdirat(parent, entry, 0700) == 0) {
		/* A file in a directory whose own entry was never written is lost. */
		fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (parent != AT_FDCWD && (fd < 0 || fsync(fd) < 0)) {
			pm_err(e, "write the directory of %s: %m", path);
			if (fd >= 0)
				close(fd);
			return -1;
		}
		if (fd >= 0)
			close(fd);
	} else if (!dry && errno != EEXIST) {
		return pm_err(e, "create directory %s: %m", path);
	}
	if (fstatat(parent, entry, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT && dry ? -1 : pm_err(e, "%s: %m", path);
	if (check_status(&st, path, true, e) < 0) {
		errno = EPERM;
		return -1;
	}
	fd = openat(parent, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pm_err(e, "%s: %m", path);
	if (fstat(fd, &st) == 0 && check_status(&st, path, true, e) == 0)
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/* Write the entry of a new directory in its parent, which a path names. */
static int sync_parent(const char *path, struct pm_err *e)
{
	const char *slash = strrchr(path, '/');
	char *parent =
		slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
	int fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int rc = fd < 0 ? -1 : fsync(fd);

	if (rc < 0)
		pm_err(e, "write the directory of %s: %m", path);
	if (fd >= 0)
		close(fd);
	free(parent);
	return rc;
}

int pm_archivedir_open(struct pm_archivedir *a, const char *path, bool dry, struct pm_err *e)
{
	size_t n = strlen(path);
	struct stat st;
	bool new;

	*a = (struct pm_archivedir){ .dir = -1, .dry = dry };
	/* "link/" would be the directory behind the link. */
	while (n > 1 && path[n - 1] == '/')
		n--;
	a->path = strndup(path, n);
	if (!a->path)
		return pm_err(e, "out of memory");
	new = lstat(a->path, &st) < 0 && errno == ENOENT;
	a->dir = open_directory(AT_FDCWD, a->path, a->path, dry, e);
	if (a->dir < 0)
		return dry && errno == ENOENT && !e->text[0] ? 0 : -1;
	if (new &&sync_parent(a->path, e) < 0)
		return -1;
	return pm_archivedir_index(a, e);
}

void pm_archivedir_shut(struct pm_archivedir *a)
{
	for (size_t i = 0; i < a->files; i++)
		pm_db_close(a->file[i].db);
	a->files = 0;
}

void pm_archivedir_close(struct pm_archivedir *a)
{
	pm_archivedir_shut(a);
	free(a->file);
	pm_db_close(a->index);
	if (a->dir >= 0)
		close(a->dir);
	free(a->path);
}

int pm_archivedir_place(struct pm_archivedir *a, struct pm_db *db, int64_t job,
			char name[PM_ARCHIVEDIR_NAME], struct pm_err *e)
{
	int rc = pm_archivedir_find(a, db, job, name, e);
	struct pm_stmt *q;

	if (rc != 0)
		return rc;
	if (pm_db_prepare(db,
			  "SELECT cluster, coalesce(end_us, start_us, epoch_us) FROM job "
			  "WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc > 0)
		name_file(pm_db_text(q, 0, NULL), pm_db_int(q, 1), name);
	pm_db_finish(q);
	return rc;
}

/* Open a database below the directory whose folder is open and checked. */
static int open_database(struct pm_archivedir *a, int folder, const char *name, const char *path,
			 struct pm_db **db, struct pm_err *e)
{
	int there = pm_archivedir_check(folder, strchr(name, '/') + 1, path, false, e);
	char *setting;
	int rc;

	if (there < 0 || (a->dry && there == 0))
		return there;
	if (asprintf(&setting, "sqlite:%s", path) < 0)
		return pm_err(e, "out of memory");
	/* A commit must survive a power failure before the job is deleted elsewhere. */
	rc = pm_db_open(db, setting, a->dry ? PM_DB_READ : PM_DB_WRITE_SURE, e);
	if (rc == 0 && there == 0 && fsync(folder) < 0) {
		rc = pm_err(e, "write the directory of %s: %m", path);
		pm_db_close(*db);
	}
	free(setting);
	return rc;
}

static int open_file(struct pm_archivedir *a, const char *name, struct pm_db **db, struct pm_err *e)
{
	size_t n = (size_t)(strchr(name, '/') - name);
	char entry[PM_ARCHIVEDIR_NAME], *path = NULL, *folder = NULL;
	int fd = -1, rc = -1;

	snprintf(entry, sizeof entry, "%.*s", (int)n, name);
	if (asprintf(&folder, "%s/%s", a->path, entry) < 0 ||
	    asprintf(&path, "%s/%s", a->path, name) < 0) {
		pm_err(e, "out of memory");
		goto out;
	}
	fd = open_directory(a->dir, entry, folder, a->dry, e);
	if (fd < 0) {
		rc = a->dry && errno == ENOENT && !e->text[0] ? 0 : -1;
		goto out;
	}
	rc = open_database(a, fd, name, path, db, e);
out:
	if (fd >= 0)
		close(fd);
	free(folder);
	free(path);
	return rc;
}

int pm_archivedir_file(struct pm_archivedir *a, const char *name, struct pm_db **db,
		       struct pm_err *e)
{
	struct pm_archivedir_file *f;

	*db = NULL;
	for (size_t i = 0; i < a->files; i++)
		if (strcmp(a->file[i].name, name) == 0) {
			*db = a->file[i].db;
			return 0;
		}
	if (!PM_GROW(a->file, a->files, a->room, 8))
		return pm_err(e, "out of memory");
	if (a->dir < 0)
		return 0;
	if (open_file(a, name, db, e) < 0)
		return -1;
	f = &a->file[a->files++];
	snprintf(f->name, sizeof f->name, "%s", name);
	f->db = *db;
	return 0;
}
