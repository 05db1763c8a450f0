/* Add what Slurm's accounting knows to jobs that are loaded. */
#include "config.h"

#include "submit/sacct.h"

#include "common/job/jobidentity.h"
#include "db/annotations.h"
#include "db/db.h"
#include "db/jobrow.h"
#include "submit/sacctline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Row of the job that a line means. Returns it, 0 for none, -1 with e filled. */
static int64_t find(struct pm_db *db, const struct pm_sacct_job *job, struct pm_err *e)
{
	static const char sql[] = "SELECT id FROM job WHERE " PM_JOBIDENTITY_SHOWN(
		"") " = ? AND scheduler = 'slurm' AND "
		    "(cluster = ? OR ? = 1 OR cluster = '') AND (\"user\" = ? OR ? = 1) ORDER "
		    "BY " PM_JOBIDENTITY_LATEST " LIMIT 1";
	struct pm_stmt *q;
	int64_t id;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, job->jobid);
	pm_db_bind_str(q, 2, job->cluster);
	pm_db_bind_int(q, 3, !*job->cluster);
	pm_db_bind_str(q, 4, job->user);
	pm_db_bind_int(q, 5, !*job->user);
	rc = pm_db_step(q, e);
	id = rc > 0 ? pm_db_int(q, 0) : rc;
	pm_db_finish(q);
	return id;
}

static int note(struct pm_db *db, int64_t id, const char *name, const char *value, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(
		    db,
		    "INSERT INTO annotation (job_id, name, value) VALUES (?, ?, ?) ON CONFLICT "
		    "(job_id, name) DO UPDATE SET value = excluded.value",
		    &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, id);
	pm_db_bind_str(q, 2, name);
	pm_db_bind_str(q, 3, value);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

static int note_number(struct pm_db *db, int64_t id, const char *name, int64_t v, struct pm_err *e)
{
	char text[24];

	if (v <= 0)
		return 0;
	snprintf(text, sizeof text, "%lld", (long long)v);
	return note(db, id, name, text, e);
}

/* Returns 1 where the job is in the database, 0 where it is not, -1 with e filled. */
static int add(struct pm_db *db, const struct pm_sacct_job *job, struct pm_err *e)
{
	int64_t id = find(db, job, e);

	if (id <= 0)
		return (int)id;
	if (pm_jobrow_lock_notes(db, id, e) < 0 ||
	    (*job->state && note(db, id, "sacct.state", job->state, e) < 0) ||
	    note_number(db, id, "sacct.timelimit_s", job->timelimit_s, e) < 0 ||
	    note_number(db, id, "sacct.memory_node_mb", job->memory_node_mb, e) < 0 ||
	    note_number(db, id, "sacct.memory_cpu_mb", job->memory_cpu_mb, e) < 0 ||
	    note_number(db, id, "sacct.submit_us", job->submit_us, e) < 0 ||
	    pm_annotations_store(db, id, e) < 0)
		return -1;
	return 1;
}

static int add_all(struct pm_db *db, FILE *f, struct pm_sacct_result *r, struct pm_err *e)
{
	struct pm_sacct_header h;
	struct pm_sacct_job job;
	bool first = true;
	char *line = NULL;
	size_t room = 0;
	int rc = 0;

	errno = 0;
	for (ssize_t n; rc >= 0 && (n = getline(&line, &room, f)) >= 0;) {
		line[strcspn(line, "\r\n")] = '\0';
		if (first) {
			rc = pm_sacct_header(&h, line, e);
			first = false;
			continue;
		}
		rc = pm_sacct_line(&job, &h, line);
		r->wrong += rc < 0;
		if (rc <= 0) {
			rc = 0;
			continue;
		}
		rc = add(db, &job, e);
		r->told += rc > 0;
		r->missing += rc == 0;
	}
	if (rc >= 0 && ferror(f))
		rc = pm_err(e, "read: %m");
	else if (rc >= 0 && first)
		rc = pm_err(e, "it is empty");
	free(line);
	return rc < 0 ? -1 : 0;
}

int pm_sacct_load(const char *setting, const char *path, struct pm_sacct_result *r,
		  struct pm_err *e)
{
	const bool standard = strcmp(path, "-") == 0;
	struct pm_db *db = NULL;
	FILE *f = standard ? stdin : fopen(path, "re");
	int rc = -1;

	*r = (struct pm_sacct_result){ 0 };
	if (!f)
		return pm_err(e, "open %s: %m", path);
	if (pm_db_open(&db, setting, PM_DB_WRITE, e) == 0 && pm_db_begin(db, e) == 0) {
		rc = add_all(db, f, r, e);
		if (rc < 0)
			pm_err_prefix(e, "--sacct %s", path);
		else
			rc = pm_db_commit(db, e);
		if (rc < 0)
			pm_db_rollback(db);
	}
	pm_db_close(db);
	if (!standard)
		fclose(f);
	return rc;
}
