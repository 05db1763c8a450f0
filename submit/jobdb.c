/* Load the jobs of a database of perfmon, such as an archive of `retire --to`: every row is copied.
 */
#include "config.h"

#include "submit/loading.h"

#include "common/grow.h"
#include "common/job/jobidentity.h"
#include "common/log.h"
#include "common/now.h"
#include "common/trusted.h"
#include "db/copy.h"
#include "sql/schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Number of jobs that fail after which it is not those that are at fault. */
#define FAILED_MAX 20

#define SHOWN PM_JOBIDENTITY_SHOWN("")

/* Open a database by its path, whatever the path looks like. Returns 0 or -1 with e filled. */
static int open_path(struct pm_db **db, const char *path, enum pm_db_mode mode, struct pm_err *e)
{
	char *setting;
	int rc;

	/* sqlite:// would begin a URL. */
	if (asprintf(&setting, "sqlite:%s", path + (strncmp(path, "//", 2) == 0)) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_open(db, setting, mode, e);
	free(setting);
	return rc;
}

/* Whether an SQLite database at a path is perfmon's own. Returns 1, 0, or -1 with e filled. */
static int is_jobdb(const char *path, struct pm_err *e)
{
	struct pm_db *db;
	struct pm_stmt *q;
	int rc;

	if (open_path(&db, path, PM_DB_OTHER, e) < 0)
		return -1;
	rc = pm_db_prepare(db,
			   "SELECT 1 FROM sqlite_master WHERE type = 'table' AND "
			   "name = 'schema_version'",
			   &q, e);
	if (rc == 0) {
		rc = pm_db_step(q, e);
		pm_db_finish(q);
	}
	pm_db_close(db);
	return rc;
}

/* Check that nobody else could have written a file, which may name any user for a job; a missing
 * one is fine. Returns 0 or -1 with e filled. */
static int check_owner(const char *path, const char *suffix, struct pm_err *e)
{
	struct stat st;
	char *name;
	int rc = 0;

	if (asprintf(&name, "%s%s", path, suffix) < 0)
		return pm_err(e, "out of memory");
	if (lstat(name, &st) < 0)
		rc = errno == ENOENT && *suffix ? 0 : pm_err(e, "%s: %m", name);
	else if (!S_ISREG(st.st_mode))
		rc = pm_err(e, "%s: not a regular file", name);
	else if (st.st_uid != geteuid() && st.st_uid != 0)
		rc = pm_err(e,
			    "%s: belongs to uid %u, who could name any user for its jobs: only "
			    "databases of root and of the user who submits are loaded",
			    name, (unsigned)st.st_uid);
	else if (pm_trusted_others_write(&st))
		rc = pm_err(e,
			    "%s: others may write to it, and name any user for its jobs: chmod "
			    "go-w",
			    name);
	free(name);
	return rc;
}

/* Check that a directory, whose path was resolved, is no place where others can put a log beside
 * the database. Returns 0 or -1 with e filled. */
static int check_place(const char *directory, struct pm_err *e)
{
	struct stat st;

	if (stat(directory, &st) < 0)
		return pm_err(e, "%s: %m", directory);
	if (pm_trusted_others_write(&st))
		return pm_err(e,
			      "%s: others may write to it, and could put a journal beside the "
			      "database: move that to a directory of your own",
			      directory);
	return 0;
}

char *pm_jobdb_trusted_path(const char *path, struct pm_err *e)
{
	static const char *const suffix[] = { "", "-wal", "-shm", "-journal" };
	char *real = realpath(path, NULL), *slash, *directory = NULL;
	int rc = -1;

	if (!real) {
		pm_err(e, "%s: %m", path);
		return NULL;
	}
	slash = strrchr(real, '/');
	*slash = '\0';
	directory = pm_trusted_directory(slash == real ? "/" : real, e);
	*slash = '/';
	if (directory)
		rc = check_place(directory, e);
	for (size_t i = 0; i < sizeof suffix / sizeof suffix[0] && rc == 0; i++)
		rc = check_owner(real, suffix[i], e);
	free(directory);
	if (rc == 0)
		return real;
	free(real);
	return NULL;
}

/* Check that what should be tables is not views, which could compute rows for ever. Returns 0 or -1
 * with e filled. */
static int check_tables(struct pm_db *db, const char *path, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT name FROM sqlite_master WHERE type = 'view'", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (pm_schema_find(pm_db_text(q, 0, NULL))) {
			rc = pm_err(e, "%s: %s is not a table", path, pm_db_text(q, 0, NULL));
			break;
		}
	pm_db_finish(q);
	return rc;
}

/* Check that a database is not the index of a directory of archives, which has no job whole: the
 * tag is manage/archivedir.h's. Returns 0 or -1 with e filled. */
static int check_index(struct pm_db *db, const char *path, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(
		    db,
		    "SELECT 1 FROM tag_set t WHERE t.id = 0 AND t.name = 'archive' AND NOT EXISTS "
		    "(SELECT 1 FROM host h WHERE h.job_id = t.job_id) LIMIT 1",
		    &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	return rc > 0 ? pm_err(e,
			       "%s: the index of archives, not an archive: submit the files beside "
			       "it that have the jobs",
			       path)
		      : rc;
}

/* Report a job to the caller; `id` is its number in `db`. Returns 0 or -1 with e filled. */
static int report_job(struct pm_loading *l, struct pm_db *db, int64_t id, struct pm_load_result *r,
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (!l->o->done)
		return 0;
	if (pm_db_prepare(db,
			  "SELECT " SHOWN ", processes, threads, coalesce(problems, ''), "
			  "coalesce(rejected, 0), (SELECT coalesce(sum(l.lines), 0) FROM load l "
			  "WHERE l.job_id = job.id) FROM job WHERE id = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		r->jobid = pm_db_text(q, 0, NULL);
		r->processes = pm_db_int(q, 1);
		r->threads = pm_db_int(q, 2);
		r->problems = pm_db_text(q, 3, NULL);
		r->rejected = pm_db_int(q, 4);
		r->lines = pm_db_int(q, 5);
		l->o->done(l->o->ctx, r);
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Warn of a job that is loaded, but with other rows than the source has. Returns 1 then, 0, or -1
 * with e filled. */
static int compare_job(struct pm_loading *l, struct pm_db *from, int64_t job, struct pm_db *to,
		       const char *path, struct pm_err *e)
{
	enum pm_copy_match match;
	const char *table;

	if (pm_copy_compare(from, job, to, "", &match, &table, e) < 0)
		return -1;
	if (match == PM_COPY_SAME || match == PM_COPY_NONE)
		return 0;
	pm_warn("%s: its job #%lld is in the database with other rows in table %s, and stays so; "
		"--replace takes it from here",
		path, (long long)job, table);
	l->faulty = true;
	return 1;
}

/* Load one job. Returns 0 or -1 with e filled. */
static int load_job(struct pm_loading *l, struct pm_db *from, int64_t job, const char *path,
		    struct pm_err *e)
{
	struct pm_load_result r = { .source = path };
	struct pm_db *real = l->o->dry ? l->o->real : NULL;
	enum pm_copy_state state;
	int64_t id;
	int rc = 1;

	l->began_us = pm_now_monotonic_us();
	/* A dry run loads into a database in memory: see copy_real_job in loadjob.c. */
	if (real) {
		rc = pm_copy_find(from, job, real, &r.job_id, e);
		if (rc > 0)
			rc = pm_copy_job(real, l->db, r.job_id, false, false, &state, e);
	}
	if (rc < 0 || pm_copy_job(from, l->db, job, l->o->replace, false, &state, e) < 0)
		return -1;
	if (state == PM_COPY_GONE)
		return 0;
	rc = state == PM_COPY_THERE ? compare_job(l, from, job, l->db, path, e) : 0;
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	rc = pm_copy_find(from, job, l->db, &id, e);
	if (rc <= 0)
		return rc;
	if (!l->o->dry)
		r.job_id = id;
	r.state = state == PM_COPY_NEW     ? PM_LOAD_NEW
		  : state == PM_COPY_THERE ? PM_LOAD_UNCHANGED
					   : PM_LOAD_REPLACED;
	r.elapsed_us = pm_now_monotonic_us() - l->began_us;
	return report_job(l, l->db, id, &r, e);
}

/* List the jobs of a database. Returns 0 with *id to be freed, or -1 with e filled. */
static int list_jobs(struct pm_db *db, int64_t **id, size_t *n, struct pm_err *e)
{
	struct pm_stmt *q;
	size_t room = 0;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM job ORDER BY id", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		if (!PM_GROW(*id, *n, room, 64)) {
			rc = pm_err(e, "out of memory");
			break;
		}
		(*id)[(*n)++] = pm_db_int(q, 0);
	}
	pm_db_finish(q);
	return rc;
}

int pm_jobdb_load(struct pm_loading *l, const char *path, struct pm_err *e)
{
	struct pm_err untrusted;
	/* First: opening a database may change what lies beside it. */
	char *real = pm_jobdb_trusted_path(path, &untrusted);
	struct pm_db *from = NULL;
	int64_t *id = NULL;
	size_t n = 0, failed = 0;
	int rc = is_jobdb(real ? real : path, e);

	if (rc <= 0) {
		free(real);
		return rc < 0 ? -1 : 1;
	}
	if (real)
		rc = open_path(&from, real, PM_DB_READ, e);
	else {
		*e = untrusted;
		rc = -1;
	}
	if (rc == 0)
		rc = check_tables(from, path, e);
	if (rc == 0)
		rc = check_index(from, path, e);
	if (rc == 0)
		rc = list_jobs(from, &id, &n, e);
	if (rc == 0 && n == 0)
		rc = pm_err(e, "%s: no job in it", path);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct pm_err why;

		if (load_job(l, from, id[i], path, &why) == 0)
			continue;
		failed++;
		pm_err_prefix(&why, "%s: job #%lld", path, (long long)id[i]);
		pm_warn("%s", why.text);
		if (failed == FAILED_MAX)
			rc = pm_err(e, "%s: given up after %zu jobs that could not be loaded", path,
				    failed);
	}
	if (rc == 0 && failed > 0)
		rc = pm_err(e, "%s: %zu of %zu jobs could not be loaded", path, failed, n);
	pm_db_close(from);
	free(real);
	free(id);
	return rc;
}
