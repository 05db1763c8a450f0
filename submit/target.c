/* Find or write the row of a gathered job: a new job, an addition to a loaded one, or its
 * replacement. */
#include "config.h"

#include "submit/job.h"

#include "common/job/job.h"
#include "common/memtext.h"
#include "db/annotations.h"
#include "db/erase.h"
#include "db/jobrow.h"
#include "sql/schema.h"
#include "submit/job/keytext.h"
#include "submit/memory/filemem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest gap, in microseconds, between records without metadata of one job. */
#define SLACK_US 60000000

/* Row id that a query finds, 0 if none, or -1 with e filled; finishes the query. */
static int64_t finish_id_query(struct pm_stmt *q, struct pm_err *e)
{
	int rc = pm_db_step(q, e);
	int64_t id = rc > 0 ? pm_db_int(q, 0) : rc;

	pm_db_finish(q);
	return id;
}

/* SQL conditions: the job's user and its id, as in records and directories, match; the job has this
 * host. With EXISTS, PostgreSQL may read the hosts of all jobs into a hash. */
#define ITS_NAME "(j.\"user\" = ? OR j.uid = ?) AND (" PM_JOBIDENTITY_SHOWN("j.") ") = ?"
#define ITS_HOST                                                                                   \
	"(SELECT 1 FROM host h WHERE h.job_id = j.id AND (h.boot_id = ? OR "                       \
	"(h.boot_id IS NULL AND h.hostname = ?)) LIMIT 1) = 1"

/*
 * Queries for the job that records without metadata belong to: of this user and id, the latest job
 * that began before them and was not over then. The job has this host; else it is of a batch
 * system, whose ids are unique at any one time in a cluster.
 */
#define OF_RECORDS(condition)                                                                      \
	"SELECT j.id FROM job j WHERE " ITS_NAME " AND (" condition ITS_HOST                       \
	") AND j.epoch_us <= ? AND (j.end_us IS NULL OR j.running > 0 OR j.end_us >= ? - "         \
	"60000000) ORDER BY j.epoch_us DESC LIMIT 1"

static const char of_records_here[] = OF_RECORDS("");
static const char of_records[] = OF_RECORDS("j.scheduler <> 'none' OR ");

/* Query for a job made from records alone that began in the time span of the gathered metadata or
 * records. */
static const char of_times[] =
	"SELECT j.id FROM job j WHERE " ITS_NAME " AND j.scheduler IS NULL AND " ITS_HOST
	" AND j.epoch_us >= ? AND j.epoch_us <= ? ORDER BY j.epoch_us LIMIT 1";

/* Find a job by one of these queries, host by host. Returns its row id, 0 if none, or -1 with e
 * filled. */
static int64_t find_by_query(struct pm_db *db, const char *sql, const struct pm_gather *g,
			     const struct pm_meta *id, int64_t low, int64_t high, struct pm_err *e)
{
	const char *task = id->text[PM_JOB_job_array_task];
	int64_t job = 0;
	char *name;

	if (asprintf(&name, "%s%s%s", id->text[PM_JOB_job_jobid], task[0] ? "_" : "", task) < 0)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < g->images.hosts && job == 0; i++) {
		struct pm_stmt *q;

		job = -1;
		if (pm_db_prepare(db, sql, &q, e) < 0)
			break;
		pm_db_bind_str(q, 1, id->text[PM_JOB_job_user]);
		pm_db_bind_int(q, 2, id->number[PM_JOB_job_uid]);
		pm_db_bind_str(q, 3, name);
		pm_db_bind_str(q, 4, g->images.host[i].boot_id);
		pm_db_bind_str(q, 5, g->images.host[i].hostname);
		pm_db_bind_int(q, 6, low);
		pm_db_bind_int(q, 7, high);
		job = finish_id_query(q, e);
	}
	free(name);
	return job;
}

/* Latest time in the records, 0 if none. */
static int64_t latest_time(const struct pm_gather *g)
{
	int64_t last = 0;

	for (size_t i = 0; i < g->images.images; i++, pm_filemem_trim()) {
		const struct pm_image *x = &g->images.image[i];

		last = x->image_us > last ? x->image_us : last;
		last = x->end_us > last ? x->end_us : last;
	}
	return last;
}

int64_t pm_place_find(struct pm_db *db, const struct pm_gather *g, const struct pm_meta *id,
		      struct pm_err *e)
{
	int64_t epoch = id->number[PM_JOB_job_epoch_us], last = INT64_MAX;
	const struct pm_jobidentity whole = pm_job_identity_of(id);
	int64_t job = pm_jobrow_find(db, &whole, e);

	if (job != 0)
		return job;
	if (g->nameless) {
		job = find_by_query(db, of_records_here, g, id, epoch, epoch, e);
		if (job == 0)
			job = find_by_query(db, of_records, g, id, epoch, epoch, e);
		/* A later part of the same records may have been loaded first. */
		return job ? job
			   : find_by_query(db, of_times, g, id, epoch, latest_time(g) + SLACK_US,
					   e);
	}
	for (size_t i = 0; i < g->metas; i++)
		if (g->meta[i].set[PM_JOB_stop_time_us])
			last = g->meta[i].number[PM_JOB_stop_time_us];
	return find_by_query(db, of_times, g, id, epoch, last, e);
}

/* Read a number by a query about a job and, unless `host` is 0, a host. Returns 0 or -1 with e
 * filled. */
static int query_number(struct pm_db *db, const char *sql, int64_t job, int64_t host, int64_t *out,
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

/* Run a statement about a job, with a second parameter unless it is 0. Returns 0 or -1 with e
 * filled. */
static int run_statement(struct pm_db *db, const char *sql, int64_t job, int64_t second,
			 struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	if (second)
		pm_db_bind_int(q, 2, second);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

/* Delete the job's rows from the tables that have no index by host, with one statement per table:
 * otherwise the database would scan all of the job's rows there for each deleted host. Returns 0 or
 * -1 with e filled. */
static int delete_unordered(struct pm_db *db, int64_t job, struct pm_err *e)
{
	/* Not every engine cascades deletes to these tables, so delete from each. */
	static const char *const sql[] = {
		"DELETE FROM counter WHERE job_id = ?",
		"DELETE FROM thread_row WHERE job_id = ?",
		"DELETE FROM process WHERE job_id = ?",
		"DELETE FROM sample_block WHERE job_id = ?",
		"DELETE FROM tick_block WHERE job_id = ?",
		"DELETE FROM series_summary WHERE job_id = ?",
		"DELETE FROM series WHERE job_id = ?",
	};

	for (size_t i = 0; i < sizeof sql / sizeof sql[0]; i++)
		if (run_statement(db, sql[i], job, 0, e) < 0)
			return -1;
	return 0;
}

int pm_place_delete_hosts(struct pm_db *db, int64_t job, const int64_t *host, size_t n,
			  struct pm_err *e)
{
	int64_t hosts = 0;

	if (n > 1 &&
	    query_number(db, "SELECT count(*) FROM host WHERE job_id = ?", job, 0, &hosts, e) < 0)
		return -1;
	if (n > 1 && hosts == (int64_t)n && delete_unordered(db, job, e) < 0)
		return -1;
	/* Totals are computed again. */
	if (n > 0 &&
	    (run_statement(db, "DELETE FROM program_summary WHERE job_id = ?", job, 0, e) < 0 ||
	     run_statement(db, "DELETE FROM tag_summary WHERE job_id = ?", job, 0, e) < 0))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (run_statement(db, "DELETE FROM host WHERE job_id = ? AND id = ?", job, host[i],
				  e) < 0)
			return -1;
	if (n == 0)
		return 0;
	/* Delete tag sets that no remaining process has. */
	return run_statement(
		db,
		"DELETE FROM tag_set WHERE job_id = ? AND id > 0 AND id NOT IN (SELECT tag_set "
		"FROM process WHERE job_id = ? AND tag_set IS NOT NULL)",
		job, job, e);
}

int pm_place_clear(struct pm_db *db, int64_t job, struct pm_err *e)
{
	/* Deleting hosts and files cascades to their remaining rows and content. */
	static const char *const sql[] = {
		"DELETE FROM program_summary WHERE job_id = ?",
		"DELETE FROM tag_summary WHERE job_id = ?",
		"DELETE FROM tag_set WHERE job_id = ?",
		"DELETE FROM host WHERE job_id = ?",
		"DELETE FROM reject WHERE job_id = ?",
		"DELETE FROM load WHERE job_id = ?",
		"UPDATE job SET problems = NULL WHERE id = ?",
	};

	if (delete_unordered(db, job, e) < 0)
		return -1;
	for (size_t i = 0; i < sizeof sql / sizeof sql[0]; i++)
		if (run_statement(db, sql[i], job, 0, e) < 0)
			return -1;
	return 0;
}

/* Find the highest ids in use by the job. Returns 0 or -1 with e filled. */
static int find_base(struct pm_db *db, struct pm_write_base *b, struct pm_err *e)
{
	const struct {
		const char *sql;
		int64_t *out;
	} part[] = {
		{ "SELECT coalesce(max(id), 0) FROM host WHERE job_id = ?", &b->host },
		{ "SELECT coalesce(max(id), 0) FROM process WHERE job_id = ?", &b->process },
		{ "SELECT coalesce(max(id), 0) FROM tag_set WHERE job_id = ?", &b->tag_set },
		{ "SELECT coalesce(max(id), 0) FROM series WHERE job_id = ?", &b->series },
		{ "SELECT coalesce(max(id), 0) FROM tick_block WHERE job_id = ?", &b->tick_block },
		{ "SELECT coalesce(max(id), 0) FROM load WHERE job_id = ?", &b->load },
		{ "SELECT coalesce(max(id), 0) FROM reject WHERE job_id = ?", &b->reject },
	};

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
		if (query_number(db, part[i].sql, b->job_id, 0, part[i].out, e) < 0)
			return -1;
	return 0;
}

/* The alphabetically first host name in the metadata, or NULL. */
static const char *first_name(const struct pm_gather *g)
{
	const char *name = NULL;

	for (size_t i = 0; i < g->metas; i++) {
		const char *host = g->meta[i].text[PM_JOB_host_hostname];

		if (host && (!name || strcmp(host, name) < 0))
			name = host;
	}
	return name;
}

/*
 * Whether the files' metadata take precedence over the job's row: the host with the first name
 * wins, so that the order of loading does not matter. Returns 1, 0 or -1 with e filled.
 */
static int takes_precedence(struct pm_db *db, const struct pm_gather *g, int64_t job,
			    struct pm_err *e)
{
	const char *name = first_name(g);
	struct pm_stmt *q;
	int rc;

	if (g->nameless)
		return 0;
	if (pm_db_prepare(db, "SELECT count(*) FROM host WHERE job_id = ? AND hostname < ?", &q,
			  e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	pm_db_bind_str(q, 2, name ? name : "");
	rc = pm_db_step(q, e);
	if (rc > 0)
		rc = pm_db_int(q, 0) == 0;
	pm_db_finish(q);
	return rc;
}

/* Whether these metadata are those of the first gathered host: another host, loaded before and
 * written again now, may take precedence. */
static bool is_first(const struct pm_gather *g, const struct pm_meta *m)
{
	const char *name = first_name(g), *host = m->text[PM_JOB_host_hostname];

	return !name || (host && strcmp(host, name) == 0);
}

/* A file may have any name, but not say that rows of the job were deleted by intent. SQLite's LIKE
 * takes upper case for lower. */
static void blunt_mark(char *text)
{
	for (char *at = text; (at = strcasestr(at, PM_ERASE_MARK)); at++)
		*strchr(at, ':') = ';';
}

/* Combine the stored problems of the remaining hosts with those of the new files, into a text that
 * the caller frees. Returns 0 or -1 with e filled. */
static int join_problems(struct pm_db *db, const struct pm_gather *g, int64_t job, char **all,
			 struct pm_err *e)
{
	struct pm_err fresh = g->problems;
	struct pm_stmt *q;
	const char *old;
	int rc;

	*all = NULL;
	blunt_mark(fresh.text);
	if (pm_db_prepare(db,
			  "SELECT problems FROM job WHERE id = ? AND EXISTS (SELECT 1 FROM host h "
			  "WHERE h.job_id = job.id)",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	old = rc > 0 ? pm_db_text(q, 0, NULL) : NULL;
	if (rc >= 0) {
		const char *more = old && strstr(old, fresh.text) ? "" : fresh.text;

		rc = asprintf(all, "%s%s%s", old ? old : "", old && *more ? "; " : "", more);
		if (rc < 0)
			pm_err(e, "out of memory");
	}
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Insert the job's row, or update it: existing values are overwritten with `first`, else only unset
 * ones are filled. Returns 0 or -1 with e filled. */
static int write_job(struct pm_db *db, struct pm_gather *g, const struct pm_meta *m,
		     struct pm_write_base *b, bool first, struct pm_err *e)
{
	const char *column = !b->job_id ? "\"%s\", "
			     : first    ? "\"%1$s\" = coalesce(?, \"%1$s\"), "
					: "\"%1$s\" = coalesce(\"%1$s\", ?), ";
	char *sql = NULL, *problems;
	size_t size, n = 0;
	FILE *out;
	struct pm_stmt *q;
	int (*prepare)(struct pm_db *, const char *, struct pm_stmt **, struct pm_err *);
	int64_t id;
	int rc, at;

	if (join_problems(db, g, b->job_id, &problems, e) < 0)
		return -1;
	out = open_memstream(&sql, &size);
	if (!out) {
		free(problems);
		return pm_err(e, "out of memory");
	}
	fputs(b->job_id ? "UPDATE job SET " : "INSERT INTO job (", out);
	for (int k = 0; k < PM_JOB_KEYS; k++) {
		if (pm_job_info[k].section != PM_JOB_IN_job)
			continue;
		/* Quote the columns: some are keywords. */
		fprintf(out, column, pm_job_info[k].column);
		n++;
	}
	fputs(b->job_id ? "problems = ? WHERE id = ?" : "problems) VALUES (", out);
	for (size_t i = 0; i < n && !b->job_id; i++)
		fputs("?, ", out);
	if (!b->job_id)
		fputs("?)", out);
	prepare = b->job_id ? pm_db_prepare : pm_db_prepare_id;
	rc = pm_memtext_end(out, &sql) ? prepare(db, sql, &q, e) : pm_err(e, "out of memory");
	free(sql);
	if (rc < 0) {
		free(problems);
		return -1;
	}
	at = pm_write_bind_meta(q, 1, m, false);
	if (problems[0])
		pm_db_bind_str(q, at, problems);
	if (b->job_id)
		pm_db_bind_int(q, at + 1, b->job_id);
	if (b->job_id) {
		rc = pm_db_run(q, e);
	} else {
		id = pm_db_run_id(q, e);
		rc = id < 0 ? -1 : 0;
		b->job_id = id < 0 ? 0 : id;
	}
	pm_db_finish(q);
	free(problems);
	return rc < 0 ? pm_err_prefix(e, "write the job") : 0;
}

struct tag_writer {
	struct pm_stmt *q;
	int64_t job_id;
	struct pm_err *e;
};

static int write_tag(void *ctx, const char *name, const char *value)
{
	struct pm_str key = { name, strlen(name) };
	char room[PM_KEYTEXT_MAX + 1];
	struct tag_writer *w = ctx;

	key = pm_keytext(key, room);
	pm_db_bind_int(w->q, 1, w->job_id);
	pm_db_bind_text(w->q, 2, key.p, key.n);
	pm_db_bind_str(w->q, 3, value);
	return pm_db_run(w->q, w->e);
}

static int by_host(const void *a, const void *b)
{
	const struct pm_meta *const *x = a, *const *y = b;
	const char *n = (*x)->text[PM_JOB_host_hostname], *o = (*y)->text[PM_JOB_host_hostname];

	return strcmp(n ? n : "", o ? o : "");
}

/* Maps of the metadata that have their own tables. The first statement keeps an existing value of a
 * name, the second overwrites it. */
static const struct map {
	enum pm_job_key key;
	const char *sql[2];
} map[] = {
	{ PM_JOB_job_tags,
	  { "INSERT INTO tag_set (job_id, id, name, value) VALUES (?, 0, ?, ?) "
	    "ON CONFLICT DO NOTHING",
	    "INSERT INTO tag_set (job_id, id, name, value) VALUES (?, 0, ?, ?) "
	    "ON CONFLICT (job_id, id, name) DO UPDATE SET value = excluded.value" } },
	{ PM_JOB_job_annotations,
	  { "INSERT INTO annotation (job_id, name, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
	    "INSERT INTO annotation (job_id, name, value) VALUES (?, ?, ?) "
	    "ON CONFLICT (job_id, name) DO UPDATE SET value = excluded.value" } },
};

/* Write a map of all hosts' metadata; among several values of a name the first host's wins. Returns
 * 0 or -1 with e filled. */
static int write_map(struct pm_db *db, const struct map *k, const struct pm_meta **meta, size_t n,
		     int64_t job_id, bool first, struct pm_err *e)
{
	struct tag_writer w = { .job_id = job_id, .e = e };
	int rc = pm_db_prepare(db, k->sql[first], &w.q, e);

	for (size_t i = 0; i < n && rc == 0; i++) {
		/* When values are overwritten, the last one written wins. */
		const struct pm_meta *m = meta[first ? n - 1 - i : i];

		if (m->set[k->key])
			rc = pm_meta_each(m->text[k->key], write_tag, &w);
	}
	pm_db_finish(w.q);
	return rc < 0 ? pm_err_prefix(e, "write the job's %s", pm_job_info[k->key].name) : 0;
}

static int write_maps(struct pm_db *db, const struct pm_gather *g, int64_t job_id, bool first,
		      struct pm_err *e)
{
	const struct pm_meta **meta = calloc(g->metas + 1, sizeof *meta);
	int rc = meta ? 0 : pm_err(e, "out of memory");

	for (size_t i = 0; i < g->metas && rc == 0; i++)
		meta[i] = &g->meta[i];
	if (rc == 0 && g->metas)
		qsort(meta, g->metas, sizeof *meta, by_host);
	for (size_t k = 0; k < sizeof map / sizeof map[0] && rc == 0; k++)
		rc = write_map(db, &map[k], meta, g->metas, job_id, first, e);
	free(meta);
	return rc;
}

/* Move the epoch of a job made from records alone to its earliest record. Returns 0 or -1 with e
 * filled. */
static int lower_epoch(struct pm_db *db, int64_t job, int64_t epoch, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db,
			  "UPDATE job SET epoch_us = ? WHERE id = ? AND epoch_us > ? AND scheduler "
			  "IS NULL",
			  &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, epoch);
	pm_db_bind_int(q, 2, job);
	pm_db_bind_int(q, 3, epoch);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc;
}

int pm_place_problems(struct pm_db *db, int64_t job, const char *more, struct pm_err *e)
{
	char text[sizeof((struct pm_err *)0)->text];
	struct pm_stmt *q;
	int rc;

	more += strspn(more, "; ");
	if (!*more)
		return 0;
	snprintf(text, sizeof text, "%s", more);
	blunt_mark(text);
	if (pm_db_prepare(
		    db,
		    "UPDATE job SET problems = coalesce(problems || '; ', '') || ? "
		    "WHERE id = ? AND (problems IS NULL OR replace(problems, ?, '') = problems)",
		    &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, text);
	pm_db_bind_int(q, 2, job);
	pm_db_bind_str(q, 3, text);
	rc = pm_db_run(q, e);
	pm_db_finish(q);
	return rc < 0 ? pm_err_prefix(e, "write the job") : 0;
}

int pm_place_job(struct pm_db *db, struct pm_gather *g, const struct pm_meta *id, int64_t job,
		 struct pm_write_base *base, struct pm_err *e)
{
	int first = job ? takes_precedence(db, g, job, e) : 1;

	memset(base, 0, sizeof *base);
	base->job_id = job;
	if (job && g->nameless && lower_epoch(db, job, id->number[PM_JOB_job_epoch_us], e) < 0)
		return -1;
	if (first < 0 || write_job(db, g, id, base, first > 0 && is_first(g, id), e) < 0 ||
	    find_base(db, base, e) < 0)
		return -1;
	if (write_maps(db, g, base->job_id, first > 0, e) < 0)
		return -1;
	/* The table has what people noted in the database, too. */
	return job ? pm_annotations_store(db, job, e) : 0;
}
