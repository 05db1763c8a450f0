/* Where a gathered job goes: new, beside what the database has of it, or in place of it. */
#include "config.h"

#include "submit/job.h"

#include "common/job.h"
#include "sql/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of the job of this identity, 0 for none, or -1. */
static int64_t find_job(struct pm_db *db, const struct pm_meta *m, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t id;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT id FROM job WHERE cluster = ? AND \"user\" = ? AND jobid = ? AND"
			  " array_task = ? AND restart_count = ? AND epoch_us = ?",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, m->text[PM_JOB_job_cluster]);
	pm_db_bind_str(q, 2, m->text[PM_JOB_job_user]);
	pm_db_bind_str(q, 3, m->text[PM_JOB_job_jobid]);
	pm_db_bind_str(q, 4, m->text[PM_JOB_job_array_task]);
	pm_db_bind_int(q, 5, m->number[PM_JOB_job_restart_count]);
	pm_db_bind_int(q, 6, m->number[PM_JOB_job_epoch_us]);
	rc = pm_db_step(q, e);
	id = rc > 0 ? pm_db_int(q, 0) : rc;
	pm_db_finish(q);
	return id;
}

/* One number that a query about a job gives, and a host where it wants one. */
static int ask(struct pm_db *db, const char *sql, int64_t job, int64_t host, int64_t *out,
	       struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	if (host)
		pm_db_bind_int(q, 2, host);
	rc = pm_db_step(q, e);
	*out = rc > 0 ? pm_db_int(q, 0) : 0;
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

static const struct pm_gather_file *find_file(const struct pm_gather *g, const char *name,
					      const char *digest)
{
	for (size_t i = 0; i < g->files; i++)
		if (strcmp(g->file[i].name, name) == 0 &&
		    (!digest || strcmp(g->file[i].digest, digest) == 0))
			return &g->file[i];
	return NULL;
}

/* 1 when every file here was loaded into the job as it is now, 0 when not, -1 on failure. */
static int all_loaded(struct pm_db *db, const struct pm_gather *g, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = 1;

	if (pm_db_prepare(db,
			  "SELECT count(*) FROM load WHERE job_id = ? AND file = ? AND digest = ?",
			  &q, e) < 0)
		return -1;
	for (size_t i = 0; i < g->files && rc > 0; i++) {
		pm_db_bind_int(q, 1, job);
		pm_db_bind_str(q, 2, g->file[i].name);
		pm_db_bind_str(q, 3, g->file[i].digest);
		rc = pm_db_step(q, e);
		if (rc > 0)
			rc = pm_db_int(q, 0) > 0;
		pm_db_reset(q);
	}
	pm_db_finish(q);
	return rc;
}

/* The host of the job in the database that is one of these hosts; from the one after `*id`.
 * Returns 1, 0 for no more, -1. */
static int shared_host(struct pm_db *db, const struct pm_gather *g, int64_t job, int64_t *id,
		       char *name, size_t size, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT id, coalesce(boot_id, ''), coalesce(hostname, '') FROM host "
			  "WHERE job_id = ? AND id > ? ORDER BY id",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, *id);
	while ((rc = pm_db_step(q, e)) > 0) {
		size_t i;

		for (i = 0; i < g->images.hosts; i++)
			if (strcmp(g->images.host[i].boot_id, pm_db_text(q, 1, NULL)) == 0 &&
			    (g->images.host[i].boot_id[0] ||
			     strcmp(g->images.host[i].hostname, pm_db_text(q, 2, NULL)) == 0))
				break;
		if (i == g->images.hosts)
			continue;
		*id = pm_db_int(q, 0);
		snprintf(name, size, "%s", pm_db_text(q, 2, NULL));
		break;
	}
	pm_db_finish(q);
	return rc;
}

/* A host is replaced as a whole, by a source that has every file it was loaded from. */
static int check_complete(struct pm_db *db, const struct pm_gather *g, int64_t job, int64_t host,
			  const char *name, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "SELECT file, source FROM load WHERE job_id = ? AND (host_id = ? OR "
			  "host_id IS NULL)",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_int(q, 2, host);
	while ((rc = pm_db_step(q, e)) > 0) {
		if (find_file(g, pm_db_text(q, 0, NULL), NULL))
			continue;
		rc = pm_err(e,
			    "host %s of this job was loaded from %s too, which was in %s and is "
			    "not here: "
			    "submit its files together",
			    name, pm_db_text(q, 0, NULL), pm_db_text(q, 1, NULL));
		break;
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Delete everything of one host. What was loaded from files of no host goes with it: a source
 * that replaces a host has those files too. */
static int delete_host(struct pm_db *db, int64_t job, int64_t host, struct pm_err *e)
{
	/* Parameters: job, host, job. Subqueries stand alone: they must run once, not per row. */
	static const char *const sql[] = {
		"DELETE FROM reject WHERE job_id = ? AND load_id IN (SELECT id FROM load WHERE "
		"(host_id = ? OR host_id IS NULL) AND job_id = ?)",
		"DELETE FROM load WHERE job_id = ? AND (host_id = ? OR host_id IS NULL) AND job_id "
		"= ?",
		"DELETE FROM tag WHERE job_id = ? AND process_id IN (SELECT id FROM process WHERE "
		"host_id = ? AND job_id = ?)",
		"DELETE FROM host WHERE job_id = ? AND id = ? AND job_id = ?",
	};

	for (size_t i = 0; i < sizeof sql / sizeof sql[0]; i++) {
		struct pm_stmt *q;
		int rc;

		if (pm_db_prepare(db, sql[i], &q, e) < 0)
			return -1;
		pm_db_bind_int(q, 1, job);
		pm_db_bind_int(q, 2, host);
		pm_db_bind_int(q, 3, job);
		rc = pm_db_run(q, e);
		pm_db_finish(q);
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Replace the hosts of the job that are gathered anew. Returns how many, or -1. */
static int replace_hosts(struct pm_db *db, const struct pm_gather *g, int64_t job, struct pm_err *e)
{
	char name[512];
	int64_t host = 0;
	int count = 0, rc;

	while ((rc = shared_host(db, g, job, &host, name, sizeof name, e)) > 0) {
		if (check_complete(db, g, job, host, name, e) < 0 ||
		    delete_host(db, job, host, e) < 0)
			return -1;
		count++;
	}
	return rc < 0 ? -1 : count;
}

/* Highest numbers the job has. */
static int find_base(struct pm_db *db, struct pm_write_base *b, struct pm_err *e)
{
	const struct {
		const char *sql;
		int64_t *out;
	} part[] = {
		{ "SELECT coalesce(max(id), 0) FROM host WHERE job_id = ?", &b->host },
		{ "SELECT coalesce(max(id), 0) FROM process WHERE job_id = ?", &b->process },
		{ "SELECT coalesce(max(id), 0) FROM series WHERE job_id = ?", &b->series },
		{ "SELECT coalesce(max(id), 0) FROM load WHERE job_id = ?", &b->load },
		{ "SELECT coalesce(max(id), 0) FROM reject WHERE job_id = ?", &b->reject },
	};

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		if (ask(db, part[i].sql, b->job_id, 0, part[i].out, e) < 0)
			return -1;
	return 0;
}

/* Insert the job's row, or write over what it says of the job. */
static int write_job(struct pm_db *db, struct pm_gather *g, const struct pm_meta *m,
		     struct pm_write_base *b, struct pm_err *e)
{
	char *sql = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&sql, &size);
	struct pm_stmt *q;
	int rc, at;

	if (!out)
		return pm_err(e, "out of memory");
	fputs(b->job_id ? "UPDATE job SET " : "INSERT INTO job (", out);
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		if (pm_job_info[k].section != PM_JOB_IN_job)
			continue;
		/* Quoted: some are keywords. */
		fprintf(out, b->job_id ? "\"%1$s\" = coalesce(?, \"%1$s\"), " : "\"%s\", ",
			pm_job_info[k].column);
		n++;
	}
	fputs(b->job_id ? "problems = ? WHERE id = ? RETURNING id" : "problems) VALUES (", out);
	for (size_t i = 0; i < n && !b->job_id; i++)
		fputs("?, ", out);
	if (!b->job_id)
		fputs("?) RETURNING id", out);
	rc = fclose(out) == 0 ? pm_db_prepare(db, sql, &q, e) : pm_err(e, "out of memory");
	free(sql);
	if (rc < 0)
		return -1;
	at = pm_write_bind_meta(q, 1, m, false);
	if (g->problems.text[0])
		pm_db_bind_str(q, at, g->problems.text);
	if (b->job_id)
		pm_db_bind_int(q, at + 1, b->job_id);
	rc = pm_db_step(q, e);
	if (rc > 0)
		b->job_id = pm_db_int(q, 0);
	pm_db_finish(q);
	return rc > 0 ? 0 : pm_err_prefix(e, "write the job");
}

struct tag_writer {
	struct pm_stmt *q;
	int64_t job_id;
	struct pm_err *e;
};

static int write_tag(void *ctx, const char *name, const char *value)
{
	struct tag_writer *w = ctx;

	pm_db_bind_int(w->q, 1, w->job_id);
	pm_db_bind_str(w->q, 2, name);
	pm_db_bind_str(w->q, 3, value);
	return pm_db_run(w->q, w->e);
}

/* A map of the metadata as rows; those of a later host add to those of an earlier one. */
static int write_map(struct pm_db *db, const struct pm_meta *m, enum pm_job_key key,
		     const char *sql, int64_t job_id, struct pm_err *e)
{
	struct tag_writer w = { .job_id = job_id, .e = e };
	int rc;

	if (!m->set[key])
		return 0;
	if (pm_db_prepare(db, sql, &w.q, e) < 0)
		return -1;
	rc = pm_meta_each(m->text[key], write_tag, &w);
	pm_db_finish(w.q);
	return rc < 0 ? pm_err_prefix(e, "write the job's %s", pm_job_info[key].name) : 0;
}

static int write_maps(struct pm_db *db, const struct pm_meta *m, int64_t job_id, struct pm_err *e)
{
	if (write_map(db, m, PM_JOB_job_tags,
		      "INSERT INTO tag (job_id, process_id, name, value) VALUES (?, 0, ?, ?) "
		      "ON CONFLICT (job_id, process_id, name) DO UPDATE SET value = excluded.value",
		      job_id, e) < 0)
		return -1;
	return write_map(db, m, PM_JOB_job_annotations,
			 "INSERT INTO annotation (job_id, name, value) VALUES (?, ?, ?) "
			 "ON CONFLICT (job_id, name) DO UPDATE SET value = excluded.value",
			 job_id, e);
}

int pm_job_place(struct pm_db *db, struct pm_gather *g, const struct pm_meta *id,
		 struct pm_write_base *base, enum pm_load_state *state, struct pm_err *e)
{
	int replaced = 0, loaded;

	memset(base, 0, sizeof *base);
	*state = PM_LOAD_NEW;
	base->job_id = find_job(db, id, e);
	if (base->job_id < 0)
		return -1;
	if (base->job_id > 0) {
		loaded = all_loaded(db, g, base->job_id, e);
		if (loaded < 0)
			return -1;
		if (loaded) {
			*state = PM_LOAD_UNCHANGED;
			return 0;
		}
		replaced = replace_hosts(db, g, base->job_id, e);
		if (replaced < 0)
			return -1;
		*state = replaced ? PM_LOAD_REPLACED : PM_LOAD_APPENDED;
	}
	if (write_job(db, g, id, base, e) < 0 || find_base(db, base, e) < 0)
		return -1;
	return write_maps(db, id, base->job_id, e);
}
