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
#include <sys/stat.h>
#include <unistd.h>

int pm_archivedir_find(struct pm_archivedir *a, struct pm_db *db, int64_t job,
		       char name[PM_ARCHIVENAME], struct pm_err *e)
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
	if (rc > 0 && pm_archivename_is(pm_db_text(q, 0, NULL)))
		snprintf(name, PM_ARCHIVENAME, "%s", pm_db_text(q, 0, NULL));
	else if (rc > 0)
		rc = 0;
	pm_db_finish(q);
	return rc;
}

int pm_archivedir_mark(struct pm_db *db, int64_t job, const char *name, struct pm_err *e)
{
	char note[sizeof PM_ARCHIVEDIR_NOTE + PM_ARCHIVENAME];

	snprintf(note, sizeof note, PM_ARCHIVEDIR_NOTE "%s", name);
	return pm_erase_note(db, job, note, e);
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

int pm_archivedir_forget(struct pm_archivedir *a, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_userdays days = { 0 };
	int64_t id;
	int rc = pm_copy_find(db, job, a->index, &id, e);

	if (rc <= 0)
		return rc;
	rc = pm_erase_job(a->index, id, &days, e);
	if (rc >= 0)
		rc = pm_userdays_apply(&days, a->index, e);
	pm_userdays_free(&days);
	return rc < 0 ? -1 : 0;
}

/* Note a job of an archive, unless another archive has it as well. Returns 0 or -1 with e filled.
 */
static int note_job(struct pm_archivedir *a, struct pm_db *db, int64_t job, const char *name,
		    struct pm_err *e)
{
	char other[PM_ARCHIVENAME];
	int rc = pm_archivedir_find(a, db, job, other, e);

	if (rc > 0 && strcmp(other, name) != 0)
		pm_warn("%s/%s: its job #%lld is in %s, too, which the index names; see which of "
			"them is right, and delete the job from the other",
			a->path, name, (long long)job, other);
	return rc != 0 ? rc < 0 ? -1 : 0 : pm_archivedir_note(a, db, job, name, e);
}

/* Note all jobs of an open archive. */
static int note_jobs(struct pm_archivedir *a, struct pm_db *db, const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM job ORDER BY id", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (note_job(a, db, pm_db_int(q, 0), name, e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}

/* Leave an archive or a folder out of the index, until the next call. */
static void skip(struct pm_archivedir *a, const struct pm_err *why)
{
	pm_warn("its jobs are not in %s/" PM_ARCHIVEDIR_INDEX ": %s", a->path, why->text);
	a->incomplete = true;
}

/* Note all jobs of the archive that is an entry of a folder, if it can be read. Returns 0 or -1
 * with e filled. */
static int note_file(struct pm_archivedir *a, int folder, const char *in, const char *entry,
		     struct pm_err *e)
{
	char name[2 * NAME_MAX + 2], *path;
	struct pm_err why;
	struct pm_db *db;
	int rc;

	snprintf(name, sizeof name, "%s/%s", in, entry);
	if (!pm_archivename_is(name))
		return 0;
	if (asprintf(&path, "%s/%s", a->path, name) < 0)
		return pm_err(e, "out of memory");
	rc = pm_archivedir_database(a, folder, entry, path, PM_DB_READ, &db, &why);
	if (rc > 0) {
		rc = note_jobs(a, db, name, &why);
		pm_db_close(db);
	}
	if (rc < 0)
		skip(a, &why);
	free(path);
	return 0;
}

/* Check that no other user can change a folder. Returns 0 or -1 with e filled. */
static int check_folder(struct pm_archivedir *a, const char *in, struct pm_err *e)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/%s", a->path, in) < 0)
		return pm_err(e, "out of memory");
	rc = pm_archivedir_check(a->dir, in, path, true, e);
	free(path);
	return rc < 0 ? -1 : 0;
}

/* Note all jobs of the archives of a folder. */
static int note_folder(struct pm_archivedir *a, const char *in, struct pm_err *e)
{
	int fd = openat(a->dir, in, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct pm_err why;

	if (!d) {
		if (fd >= 0)
			close(fd);
		/* A file or a link is no folder of a cluster. */
		return errno == ENOTDIR || errno == ELOOP ? 0 : pm_err(e, "%s/%s: %m", a->path, in);
	}
	if (check_folder(a, in, &why) < 0) {
		skip(a, &why);
		closedir(d);
		return 0;
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

/* Make the index from the archives where it has no job, or was left incomplete: then the lock file
 * is not empty. Returns 0 or -1 with e filled. */
static int complete(struct pm_archivedir *a, struct pm_err *e)
{
	static const char text[] = "the index lacks archives\n";
	struct stat st;
	int rc = fstat(a->lock, &st);

	if (rc < 0)
		return pm_err(e, "%s: %m", a->path);
	if (st.st_size == 0 && (rc = has_jobs(a, e)) != 0)
		return rc < 0 ? -1 : 0;
	if (note_all(a, e) < 0)
		return pm_err_prefix(e, "make %s/" PM_ARCHIVEDIR_INDEX " from the archives",
				     a->path);
	rc = a->incomplete ? (int)pwrite(a->lock, text, sizeof text - 1, 0) : ftruncate(a->lock, 0);
	return rc < 0 ? pm_err(e, "%s: %m", a->path) : 0;
}

int pm_archivedir_index(struct pm_archivedir *a, struct pm_err *e)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/" PM_ARCHIVEDIR_INDEX, a->path) < 0)
		return pm_err(e, "out of memory");
	rc = pm_archivedir_database(a, a->dir, PM_ARCHIVEDIR_INDEX, path, PM_DB_WRITE_SURE,
				    &a->index, e);
	if (rc > 0 && !a->dry)
		rc = complete(a, e);
	free(path);
	return rc < 0 ? -1 : 0;
}
