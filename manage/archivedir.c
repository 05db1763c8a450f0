/* A directory of archives: checks, and open files. */
#include "config.h"

#include "manage/archivedir.h"

#include "common/grow.h"
#include "common/log.h"
#include "common/trusted.h"
#include "db/migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Name of the lock file; no folder of a cluster has it. */
#define LOCK "_lock"

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

int pm_archivedir_sync(int dir, const char *path, struct pm_err *e)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 ? -1 : fsync(fd);

	if (rc < 0)
		pm_err(e, "write the directory of %s: %m", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

int pm_archivedir_folder(int parent, const char *entry, const char *path, bool dry,
			 struct pm_err *e)
{
	struct stat st;
	int fd;

	e->text[0] = '\0';
	if (!dry && mkdirat(parent, entry, 0700) < 0 && errno != EEXIST)
		return pm_err(e, "create directory %s: %m", path);
	/* Also of one that is there: who made it may have been killed before this. */
	if (!dry && pm_archivedir_sync(parent, path, e) < 0)
		return -1;
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

/* Resolve the path of the directory, which need not exist, and check that nobody else can exchange
 * what is above it. Returns the parent's descriptor with a->path, a->real and *entry, its name
 * there, or -1 with e filled. */
static int open_parent(struct pm_archivedir *a, const char *path, const char **entry,
		       struct pm_err *e)
{
	size_t n = strlen(path);
	char *above, *real;
	int fd = -1;

	/* "link/" and "link/." would be the directory behind the link. */
	while (n > 1 && (path[n - 1] == '/' || (path[n - 1] == '.' && n > 2 && path[n - 2] == '/')))
		n--;
	a->path = strndup(path, n);
	if (!a->path)
		return pm_err(e, "out of memory");
	*entry = strrchr(a->path, '/') ? strrchr(a->path, '/') + 1 : a->path;
	if (!**entry || strcmp(*entry, ".") == 0 || strcmp(*entry, "..") == 0)
		return pm_err(e, "%s: give the directory by its name", path);
	above = *entry == a->path ? strdup(".") : strndup(a->path, (size_t)(*entry - a->path));
	real = above ? pm_trusted_directory(above, e) : NULL;
	if (!above || (real && asprintf(&a->real, "%s/%s", real[1] ? real : "", *entry) < 0)) {
		a->real = NULL;
		pm_err(e, "out of memory");
	}
	if (a->real && (fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		pm_err(e, "%s: %m", real);
	free(real);
	free(above);
	return fd;
}

/* Keep other calls away until the directory is closed. Returns 0, or -1 with e filled and a->busy
 * set if one works there. */
static int lock_directory(struct pm_archivedir *a, struct pm_err *e)
{
	a->lock = openat(a->dir, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (a->lock < 0)
		return pm_err(e, "%s/" LOCK ": %m", a->path);
	if (flock(a->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	a->busy = errno == EWOULDBLOCK;
	return a->busy ? pm_err(e, "%s: another perfmon moves jobs there", a->path)
		       : pm_err(e, "lock %s/" LOCK ": %m", a->path);
}

int pm_archivedir_open(struct pm_archivedir *a, const char *path, bool dry, struct pm_err *e)
{
	const char *entry = NULL;
	int parent;

	*a = (struct pm_archivedir){ .dir = -1, .lock = -1, .dry = dry };
	parent = open_parent(a, path, &entry, e);
	if (parent < 0)
		return -1;
	a->dir = pm_archivedir_folder(parent, entry, a->path, dry, e);
	close(parent);
	if (a->dir < 0)
		return dry && errno == ENOENT && !e->text[0] ? 0 : -1;
	if (!dry && lock_directory(a, e) < 0)
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
	if (a->lock >= 0)
		close(a->lock);
	if (a->dir >= 0)
		close(a->dir);
	free(a->real);
	free(a->path);
}

int pm_archivedir_place(struct pm_archivedir *a, struct pm_db *db, int64_t job,
			char name[PM_ARCHIVENAME], struct pm_err *e)
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
		pm_archivename_make(name, pm_db_text(q, 0, NULL), pm_db_int(q, 1));
	pm_db_finish(q);
	return rc;
}

static void ignore_step(void *ctx, const struct pm_migrate_step *step)
{
	(void)ctx;
	(void)step;
}

/* Bring a database to the present version of the schema. Returns 0 or -1 with e filled. */
static int migrate(const char *setting, struct pm_err *e)
{
	struct pm_db *db;
	int from;

	if (pm_db_open(&db, setting, PM_DB_MIGRATE, e) < 0)
		return -1;
	from = pm_migrate_run(db, false, ignore_step, NULL, e);
	if (from >= 0)
		pm_info("%s: schema version %d was upgraded", pm_db_name(db), from);
	pm_db_close(db);
	return from < 0 ? -1 : 0;
}

int pm_archivedir_database(struct pm_archivedir *a, int dir, const char *entry, const char *path,
			   enum pm_db_mode mode, struct pm_db **db, struct pm_err *e)
{
	int there = pm_archivedir_check(dir, entry, path, false, e), rc;
	char *setting;
	struct stat st;

	*db = NULL;
	if (a->dry)
		mode = PM_DB_LOOK;
	if (there < 0 || (there == 0 && mode != PM_DB_WRITE_SURE))
		return there;
	if (asprintf(&setting, "sqlite:%s%s", a->real, path + strlen(a->path)) < 0)
		return pm_err(e, "out of memory");
	errno = 0;
	rc = pm_db_open(db, setting, mode, e);
	if (rc < 0 && errno == ESTALE && migrate(setting, e) == 0)
		rc = pm_db_open(db, setting, mode, e);
	free(setting);
	if (rc < 0) {
		*db = NULL;
		if (errno != ENOENT || mode == PM_DB_WRITE_SURE)
			return -1;
		/* Killed before it had a table. */
		e->text[0] = '\0';
		return 0;
	}
	/* The engine opens by a path. */
	if (fstatat(dir, entry, &st, AT_SYMLINK_NOFOLLOW) < 0 || !pm_db_is_file(&st))
		rc = pm_err(e, "%s: it was exchanged for another file", path);
	if (rc == 0 && there == 0)
		rc = pm_archivedir_sync(dir, path, e);
	if (rc == 0)
		return 1;
	pm_db_close(*db);
	*db = NULL;
	return -1;
}

static int open_file(struct pm_archivedir *a, const char *name, struct pm_db **db, struct pm_err *e)
{
	size_t n = (size_t)(strchr(name, '/') - name);
	char entry[PM_ARCHIVENAME], *path = NULL, *folder = NULL;
	int fd = -1, rc = -1;

	snprintf(entry, sizeof entry, "%.*s", (int)n, name);
	if (asprintf(&folder, "%s/%s", a->path, entry) < 0 ||
	    asprintf(&path, "%s/%s", a->path, name) < 0) {
		pm_err(e, "out of memory");
		goto out;
	}
	fd = pm_archivedir_folder(a->dir, entry, folder, a->dry, e);
	if (fd < 0) {
		rc = a->dry && errno == ENOENT && !e->text[0] ? 0 : -1;
		goto out;
	}
	/* A commit must survive a power failure before the job is deleted elsewhere. */
	rc = pm_archivedir_database(a, fd, strchr(name, '/') + 1, path, PM_DB_WRITE_SURE, db, e);
out:
	if (fd >= 0)
		close(fd);
	free(folder);
	free(path);
	return rc < 0 ? -1 : 0;
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
