/* The index of a directory of archives. */
#include "config.h"

#include "manage/archivedir.h"

#include "common/log.h"
#include "db/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pm_archivedir_find(struct pm_archivedir *a, struct pm_db *db, int64_t job,
		       char name[PM_ARCHIVEDIR_NAME], struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t id;
	int rc = a->index ? pm_copy_find(db, job, a->index, &id, e) : 0;

	if (rc <= 0)
		return rc;
	if (pm_db_prepare(a->index,
			  "SELECT value FROM tag_set WHERE job_id = ? AND id = 0 AND name = "
			  "'" PM_ARCHIVEDIR_TAG "'",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	rc = pm_db_step(q, e);
	/* Of a path from elsewhere nothing is opened. */
	if (rc > 0 && pm_archivedir_is_name(pm_db_text(q, 0, NULL)))
		snprintf(name, PM_ARCHIVEDIR_NAME, "%s", pm_db_text(q, 0, NULL));
	else if (rc > 0)
		rc = 0;
	pm_db_finish(q);
	return rc;
}

int pm_archivedir_mark(struct pm_db *db, int64_t job, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	char *note;
	int rc;

	if (asprintf(&note, PM_ARCHIVEDIR_NOTE "%s", name) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db,
			   "UPDATE job SET problems = CASE WHEN problems IS NULL THEN '' ELSE "
			   "problems || '; ' END || ? WHERE id = ?",
			   &q, e);
	if (rc == 0) {
		pm_db_bind_str(q, 1, note);
		pm_db_bind_int(q, 2, job);
		rc = pm_db_run(q, e);
		pm_db_finish(q);
	}
	free(note);
	return rc;
}

int pm_archivedir_note(struct pm_archivedir *a, struct pm_db *db, int64_t job, const char *name,
		       struct pm_err *e)
{
	struct pm_userdays days = { 0 };
	enum pm_copy_state state;
	struct pm_stmt *q;
	int64_t id;
	int rc = pm_copy_within(db, a->index, job, PM_COPY_REPLACE | PM_COPY_BRIEF, &days, &state,
				e);

	if (rc == 0)
		rc = pm_userdays_apply(&days, a->index, e);
	pm_userdays_free(&days);
	if (rc < 0)
		return -1;
	rc = state == PM_COPY_GONE ? 0 : pm_copy_find(db, job, a->index, &id, e);
	if (rc <= 0)
		return rc;
	if (pm_db_prepare(a->index,
			  "INSERT INTO tag_set (job_id, id, name, value) VALUES (?, 0, "
			  "'" PM_ARCHIVEDIR_TAG "', ?) ON CONFLICT (job_id, id, name) DO UPDATE "
			  "SET value = excluded.value",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	pm_db_bind_str(q, 2, name);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc < 0 ? -1 : pm_archivedir_mark(a->index, id, name, e);
}

/* Note all jobs of an open archive. */
static int note_jobs(struct pm_archivedir *a, struct pm_db *db, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM job ORDER BY id", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (pm_archivedir_note(a, db, pm_db_int(q, 0), name, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}

/* Note all jobs of the archive that is an entry of a folder. */
static int note_file(struct pm_archivedir *a, int folder, const char *in, const char *entry,
		     struct pm_err *e)
{
	char name[2 * NAME_MAX + 2], *path = NULL, *setting = NULL;
	struct pm_db *db = NULL;
	int rc = -1;

	snprintf(name, sizeof name, "%s/%s", in, entry);
	if (!pm_archivedir_is_name(name))
		return 0;
	if (asprintf(&path, "%s/%s", a->path, name) < 0 ||
	    asprintf(&setting, "sqlite:%s", path) < 0)
		pm_err(e, "out of memory");
	else if (pm_archivedir_check(folder, entry, path, false, e) > 0)
		rc = pm_db_open(&db, setting, PM_DB_READ, e);
	if (rc < 0 && errno == ENOENT) {
		/* Killed before it had a table. */
		e->text[0] = '\0';
		rc = 0;
	} else if (rc == 0) {
		rc = note_jobs(a, db, name, e);
	}
	pm_db_close(db);
	free(setting);
	free(path);
	return rc;
}

/* Note all jobs of the archives of a folder. */
static int note_folder(struct pm_archivedir *a, const char *in, struct pm_err *e)
{
	int fd = openat(a->dir, in, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!d) {
		if (fd >= 0)
			close(fd);
		/* A file or a link is no folder of a cluster. */
		return errno == ENOTDIR || errno == ELOOP ? 0 : pm_err(e, "%s/%s: %m", a->path, in);
	}
	while (rc == 0 && (entry = readdir(d)) != NULL)
		rc = note_file(a, fd, in, entry->d_name, e);
	closedir(d);
	return rc;
}

/* Note the jobs of all archives, in one transaction. */
static int note_all(struct pm_archivedir *a, struct pm_err *e)
{
	int fd = openat(a->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return pm_err(e, "%s: %m", a->path);
	}
	rc = pm_db_begin(a->index, e);
	while (rc == 0 && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.')
			rc = note_folder(a, entry->d_name, e);
	if (rc == 0)
		rc = pm_db_commit(a->index, e);
	if (rc < 0)
		pm_db_rollback(a->index);
	closedir(d);
	return rc;
}

/* Whether the index has a job. Returns 1, 0 or -1 with e filled. */
static int has_jobs(struct pm_archivedir *a, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(a->index, "SELECT 1 FROM job LIMIT 1", &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc;
}

int pm_archivedir_index(struct pm_archivedir *a, struct pm_err *e)
{
	char *path = NULL, *setting = NULL;
	int rc, there;

	if (asprintf(&path, "%s/" PM_ARCHIVEDIR_INDEX, a->path) < 0 ||
	    asprintf(&setting, "sqlite:%s", path) < 0) {
		free(path);
		return pm_err(e, "out of memory");
	}
	rc = there = pm_archivedir_check(a->dir, PM_ARCHIVEDIR_INDEX, path, false, e);
	errno = 0;
	if (rc >= 0 && (there || !a->dry))
		rc = pm_db_open(&a->index, setting, a->dry ? PM_DB_READ : PM_DB_WRITE_SURE, e);
	/* A dry run reads an index that was killed before it had a table as none. */
	if (rc < 0 && a->dry && errno == ENOENT) {
		e->text[0] = '\0';
		rc = 0;
	}
	if (rc == 0 && a->index && !a->dry && (rc = has_jobs(a, e)) == 0) {
		rc = note_all(a, e);
		if (rc < 0)
			pm_err_prefix(e, "make %s from the archives", path);
	}
	free(setting);
	free(path);
	return rc < 0 ? -1 : 0;
}
