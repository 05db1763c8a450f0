/* perfmon check: tests of the database. They create and write nothing, and wait for no lock. */
#include "config.h"

#include "common/cli/check.h"

#include "common/settings/readconfig.h"
#include "db/db.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Free space below SPACE_MIN does not hold one job; below SPACE_WANTED, only a few. */
#define SPACE_MIN    ((int64_t)1 << 20)
#define SPACE_WANTED ((int64_t)64 << 20)

const char *pm_check_database_missing(void)
{
	return pm_db_missing(pm_config_get(PM_SET_db));
}

/* The path of the database, to be freed; NULL if the database has no path or cannot be used, which
 * is then reported. */
static char *find_path(struct pm_check *c)
{
	const char *missing = pm_check_database_missing();
	struct pm_err e;
	char *path;

	if (missing) {
		pm_check_report(c, PM_CHECK_WARN, "load jobs with a perfmon that supports it", "%s",
				missing);
		return NULL;
	}
	path = pm_db_path(pm_config_get(PM_SET_db), &e);
	if (!path)
		pm_check_report(c, PM_CHECK_FAIL, "set PERFMON_DB to a path", "%s", e.text);
	return path;
}

/* Find the nearest existing directory above a path. `dir` has room for PATH_MAX bytes. */
static void find_directory(const char *path, char *dir)
{
	struct stat st;
	char *slash;

	snprintf(dir, PATH_MAX, "%s%s", strchr(path, '/') ? "" : "./", path);
	while ((slash = strrchr(dir, '/')) != NULL && slash != dir) {
		*slash = '\0';
		if (stat(dir, &st) == 0)
			return;
	}
	snprintf(dir, PATH_MAX, "/");
}

static void report_denied(struct pm_check *c, const char *path, int error)
{
	const char *remedy =
		error == EROFS
			? "set PERFMON_DB to a writable place, or have this one mounted read-write"
			: "set PERFMON_DB to a file of your own, or ask the owner for permission "
			  "to write";

	pm_check_report(c, PM_CHECK_FAIL, remedy, "%s cannot be written: %s", path,
			strerror(error));
}

/*
 * Whether the database is on a server; if so, the server is queried once for both the place and the
 * schema. *error gets errno, 0 if the database has a schema; ENOENT if it has none yet. On success
 * e has the database's name.
 */
static bool is_served(int *error, struct pm_err *e)
{
	struct pm_db *db = NULL;

	if (!pm_db_is_served(pm_config_get(PM_SET_db)))
		return false;
	*error = pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e) < 0 ? errno : 0;
	if (*error == 0)
		pm_err(e, "%s", pm_db_name(db));
	pm_db_close(db);
	return true;
}

void pm_check_database_place(struct pm_check *c)
{
	char *path, dir[PATH_MAX];
	struct stat st;
	struct pm_err e;
	int error;

	if (is_served(&error, &e)) {
		if (error == ENOTSUP || error == EINVAL)
			pm_check_report(c, PM_CHECK_FAIL,
					"set PERFMON_DB to a path, or to a database that meets "
					"this condition",
					"%s", e.text);
		else if (error && error != ENOENT && error != EOVERFLOW)
			pm_check_report(c, PM_CHECK_FAIL,
					"check that the server runs and accepts you: psql uses the "
					"same URL, ~/.pgpass and environment",
					"%s", e.text);
		else
			pm_check_report(c, PM_CHECK_PASS, "", "%s", e.text);
		return;
	}
	path = find_path(c);
	if (!path)
		return;
	find_directory(path, dir);
	if (stat(path, &st) < 0 && errno != ENOENT)
		pm_check_report(c, PM_CHECK_FAIL, "set PERFMON_DB to another path", "%s: %s", path,
				strerror(errno));
	else if (stat(path, &st) < 0 && access(dir, W_OK | X_OK) < 0)
		report_denied(c, dir, errno);
	else if (stat(path, &st) < 0)
		pm_check_report(c, PM_CHECK_PASS, "", "the first submit creates %s", path);
	else if (!S_ISREG(st.st_mode))
		pm_check_report(c, PM_CHECK_FAIL, "set PERFMON_DB to a file",
				"%s is not a regular file", path);
	else if (access(path, R_OK | W_OK) < 0)
		report_denied(c, path, errno);
	else if (access(dir, W_OK | X_OK) < 0)
		/* A writer creates a journal in the same directory. */
		report_denied(c, dir, errno);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "%s", path);
	free(path);
}

void pm_check_database_schema(struct pm_check *c)
{
	struct pm_db *db = NULL;
	struct pm_err e;
	struct stat st;
	char *path;
	long pid;
	int error;

	if (is_served(&error, &e)) {
		if (error == EOVERFLOW)
			pm_check_report(c, PM_CHECK_FAIL,
					"use the perfmon that wrote it, or a newer one", "%s",
					e.text);
		else if (error)
			pm_check_report(c, error == ENOENT ? PM_CHECK_PASS : PM_CHECK_WARN,
					error == ENOENT ? "" : "see database.place", "%s", e.text);
		else
			pm_check_report(c, PM_CHECK_PASS, "", "a database of perfmon");
		return;
	}
	path = find_path(c);
	if (!path)
		return;
	/* Opening would wait for the holder of an exclusive lock. */
	if (pm_db_locked(path, &pid, &e) > 0)
		pm_check_report(c, PM_CHECK_WARN, "see database.lock", "not checked: %s is locked",
				path);
	else if (stat(path, &st) < 0 || (S_ISREG(st.st_mode) && st.st_size == 0))
		pm_check_report(c, PM_CHECK_PASS, "", "nothing was ever loaded into it");
	else if (pm_db_open(&db, path, PM_DB_READ, &e) == 0)
		pm_check_report(c, PM_CHECK_PASS, "", "a database of perfmon");
	else if (errno == EOVERFLOW)
		pm_check_report(
			c, PM_CHECK_FAIL,
			"use the perfmon that wrote it, or a newer one, or set PERFMON_DB to "
			"another file",
			"%s", e.text);
	else
		pm_check_report(c, PM_CHECK_FAIL,
				"set PERFMON_DB to another file, or move this one away", "%s",
				e.text);
	pm_db_close(db);
	free(path);
}

/* Name of a process, "?" if it cannot be read. */
static void process_name(long pid, char name[64])
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/comm", pid);
	f = fopen(path, "re");
	snprintf(name, 64, "?");
	if (!f)
		return;
	if (fgets(name, 64, f))
		name[strcspn(name, "\n")] = '\0';
	fclose(f);
}

void pm_check_database_lock(struct pm_check *c)
{
	char *path, name[64], remedy[256];
	long pid = 0;
	struct pm_err e;
	int rc;

	if (pm_db_is_served(pm_config_get(PM_SET_db))) {
		pm_check_report(c, PM_CHECK_PASS, "", "the server allows several writers at once");
		return;
	}
	path = find_path(c);
	if (!path)
		return;
	rc = pm_db_locked(path, &pid, &e);
	if (rc < 0) {
		pm_check_report(c, PM_CHECK_WARN, "", "not known: %s", e.text);
	} else if (rc > 0 && pid > 0) {
		process_name(pid, name);
		snprintf(remedy, sizeof remedy,
			 "wait for process %ld, or end it if it hangs: ps -fp %ld", pid, pid);
		pm_check_report(c, PM_CHECK_FAIL, remedy,
				"%s is locked for writing by process %ld (%s)", path, pid, name);
	} else if (rc > 0) {
		pm_check_report(
			c, PM_CHECK_FAIL,
			"wait for the process that loads into it; it may run on another host",
			"%s is locked", path);
	} else {
		pm_check_report(c, PM_CHECK_PASS, "", "no process is writing to it");
	}
	free(path);
}

void pm_check_database_space(struct pm_check *c)
{
	char *path, dir[PATH_MAX];
	struct statvfs fs;
	int64_t space;

	if (pm_db_is_served(pm_config_get(PM_SET_db))) {
		pm_check_report(c, PM_CHECK_PASS, "",
				"not known: the server does not report its space");
		return;
	}
	path = find_path(c);
	if (!path)
		return;
	find_directory(path, dir);
	free(path);
	if (statvfs(dir, &fs) < 0) {
		pm_check_report(c, PM_CHECK_WARN, "", "%s: %s", dir, strerror(errno));
		return;
	}
	space = (int64_t)(geteuid() == 0 ? fs.f_bfree : fs.f_bavail) * (int64_t)fs.f_frsize;
	if (space < SPACE_MIN || (fs.f_files > 0 && fs.f_ffree == 0))
		pm_check_report(c, PM_CHECK_FAIL, "make room, or set PERFMON_DB to another place",
				"no space left: %lld kB and %llu files in %s",
				(long long)space / 1000, (unsigned long long)fs.f_ffree, dir);
	else
		pm_check_report(c, space < SPACE_WANTED ? PM_CHECK_WARN : PM_CHECK_PASS,
				"make room, or set PERFMON_DB to another place",
				"%lld MB free in %s", (long long)space / 1000000, dir);
}
