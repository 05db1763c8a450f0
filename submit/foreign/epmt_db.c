/*
 * EPMT's tables, as its models describe them: table jobs has a row per job, table processes a row
 * per process, whose column threads_df holds papiex's data of each thread. Columns are looked up by
 * name: older and newer versions have fewer and more.
 */
#include "config.h"

#include "submit/foreign/epmt_db.h"

#include "common/log.h"
#include "db/db.h"
#include "submit/foreign/epmt_meta.h"
#include "submit/foreign/epmt_models.h"
#include "submit/foreign/epmt_rows.h"
#include "submit/foreign/epmt_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct pm_epmt_db {
	struct pm_db *db;
	struct pm_stmt *jobs; /* query at the current job */
};

int pm_epmt_db_is(int fd)
{
	static const char magic[16] = "SQLite format 3";
	char head[sizeof magic];

	return pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
	       memcmp(head, magic, sizeof magic) == 0;
}

/* Begin to read jobs. Returns 0 or -1 with e filled. */
static int begin(struct pm_epmt_db *x, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc = pm_epmt_tables(x->db, "jobs", "processes", e);

	if (rc <= 0)
		return rc < 0 ? -1 : pm_err(e, "no tables jobs and processes");
	if (pm_db_prepare(x->db, "SELECT id, jobid, threads_df FROM processes LIMIT 0", &q, e) < 0)
		return pm_err_prefix(e, "table processes");
	pm_db_finish(q);
	return pm_db_prepare(x->db, "SELECT * FROM jobs ORDER BY jobid", &x->jobs, e) < 0
		       ? pm_err_prefix(e, "table jobs")
		       : 0;
}

struct pm_epmt_db *pm_epmt_db_open(const char *path, struct pm_err *e)
{
	struct pm_epmt_db *x = calloc(1, sizeof *x);

	if (!x) {
		pm_err(e, "out of memory");
		return NULL;
	}
	if (pm_db_open(&x->db, path, PM_DB_OTHER, e) < 0) {
		free(x);
		return NULL;
	}
	if (begin(x, e) == 0)
		return x;
	pm_err_prefix(e, "%s: not a database of EPMT", path);
	pm_epmt_db_close(x);
	return NULL;
}

void pm_epmt_db_close(struct pm_epmt_db *x)
{
	if (!x)
		return;
	pm_db_finish(x->jobs);
	pm_db_close(x->db);
	free(x);
}

int pm_epmt_db_next(struct pm_epmt_db *x, struct pm_err *e)
{
	return pm_db_step(x->jobs, e);
}

/* Index of a column in the current row, -1 if missing. */
static int find_column(struct pm_stmt *q, const char *name)
{
	for (int i = 0; i < pm_db_columns(q); i++)
		if (strcmp(pm_db_column_name(q, i), name) == 0)
			return i;
	return -1;
}

static const char *text_of(struct pm_stmt *q, const char *name)
{
	int i = find_column(q, name);

	return i < 0 ? NULL : pm_db_text(q, i, NULL);
}

const char *pm_epmt_db_jobid(struct pm_epmt_db *x)
{
	return text_of(x->jobs, "jobid");
}

const char *pm_epmt_db_analyses(struct pm_epmt_db *x)
{
	return text_of(x->jobs, "analyses");
}

int pm_epmt_db_models(struct pm_epmt_db *x,
		      int (*each)(void *ctx, const struct pm_epmt_model *m, struct pm_err *e),
		      void *ctx, struct pm_err *e)
{
	return pm_epmt_models_each(x->db, each, ctx, e);
}

/* --- times ------------------------------------------------------------------------------------ */

/* Parse a local time like "2026-11-21 00:48:44.900000", perhaps with a T in between, to
 * microseconds. Returns 0 or -1. */
static int parse_clock(const char *text, int64_t *us)
{
	int year, month, day, hour, minute, second, used = 0, digits = 0;
	int64_t fraction = 0;
	struct tm tm = { 0 };

	if (!text || sscanf(text, "%4d-%2d-%2d%*1[ T]%2d:%2d:%2d%n", &year, &month, &day, &hour,
			    &minute, &second, &used) < 6)
		return -1;
	text += used;
	if (*text == '.')
		for (text++; *text >= '0' && *text <= '9'; text++, digits++)
			if (digits < 6)
				fraction = fraction * 10 + (*text - '0');
	for (; digits < 6; digits++)
		fraction *= 10;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = day;
	tm.tm_hour = hour;
	tm.tm_min = minute;
	tm.tm_sec = second;
	if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 ||
	    second > 60 || *text)
		return -1;
	*us = (int64_t)timegm(&tm) * 1000000 + fraction;
	return 0;
}

/* Parse a zone like "UTC-05:00" to microseconds ahead of UTC. Returns 0, or -1 for other zones. */
static int parse_offset(const char *zone, int64_t *us)
{
	int hours, minutes = 0, used = 0;
	char sign;

	if (!zone || strncmp(zone, "UTC", 3) != 0)
		return -1;
	if (!zone[3]) {
		*us = 0;
		return 0;
	}
	if (sscanf(zone + 3, "%c%2d:%2d%n", &sign, &hours, &minutes, &used) < 3 || zone[3 + used] ||
	    (sign != '+' && sign != '-'))
		return -1;
	*us = (int64_t)(hours * 60 + minutes) * 60000000 * (sign == '-' ? -1 : 1);
	return 0;
}

/* Offsets of zones from UTC are whole quarters of an hour, up to these. */
#define QUARTER_US  INT64_C(900000000)
#define FARTHEST_US (56 * QUARTER_US)

/* So long a process may take from the time that EPMT stored to that of papiex. */
#define APART_US INT64_C(60000000)

/*
 * Measure the offset of the job's zone from UTC. EPMT stores local times in that zone, but papiex's
 * data of a process are in microseconds since 1970: a process with both tells the offset, if their
 * difference is that of a zone. Returns 1, 0 if there is no such process, or -1 with e filled.
 */
static int measure_offset(struct pm_epmt_db *x, const char *jobid, int64_t *us, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(x->db,
			  "SELECT \"start\", threads_df FROM processes WHERE jobid = ? AND "
			  "threads_df IS NOT NULL ORDER BY id LIMIT 1",
			  &q, e) < 0)
		return -1;
	pm_db_bind_str(q, 1, jobid);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		json_t *threads = pm_epmt_rows_json(pm_db_text(q, 1, NULL));
		int64_t start = pm_epmt_rows_start(threads), shown;

		rc = start > 0 && parse_clock(pm_db_text(q, 0, NULL), &shown) == 0;
		if (rc) {
			const int64_t ahead = shown - start;

			*us = (ahead + (ahead > 0 ? QUARTER_US : -QUARTER_US) / 2) / QUARTER_US *
			      QUARTER_US;
			rc = *us >= -FARTHEST_US && *us <= FARTHEST_US &&
			     llabs(ahead - *us) <= APART_US;
		}
		json_decref(threads);
	}
	pm_db_finish(q);
	return rc;
}

/* --- a job ------------------------------------------------------------------------------------ */

struct zone {
	bool known;
	int64_t offset_us;
	const char *name; /* name of the zone if its offset is unknown */
};

static json_t *time_of(const struct zone *z, const char *text)
{
	int64_t us;

	if (parse_clock(text, &us) < 0)
		return NULL;
	return z->known ? pm_epmt_meta_time(us - z->offset_us, "UTC")
			: pm_epmt_meta_time(us, z->name);
}

/* Name of the job's first host, which the metadata describe. */
static json_t *host_of(struct pm_epmt_db *x, const char *jobid)
{
	struct pm_err ignored;
	json_t *name = NULL;
	struct pm_stmt *q;

	if (pm_db_prepare(x->db,
			  "SELECT host_id FROM processes WHERE jobid = ? AND host_id IS NOT NULL "
			  "ORDER BY id LIMIT 1",
			  &q, &ignored) < 0)
		return NULL;
	pm_db_bind_str(q, 1, jobid);
	if (pm_db_step(q, &ignored) > 0 && pm_db_text(q, 0, NULL))
		name = pm_epmt_meta_string(pm_db_text(q, 0, NULL), strlen(pm_db_text(q, 0, NULL)));
	pm_db_finish(q);
	return name;
}

static void set_value(json_t *object, const char *key, json_t *value)
{
	if (value && !json_is_null(value))
		json_object_set(object, key, value);
	json_decref(value);
}

/* A whole number, which may be stored as another type; NULL where there is none. */
static json_t *number_at(struct pm_stmt *q, int i)
{
	const enum pm_db_type type = pm_db_type(q, i);
	const char *text;

	if (type == PM_DB_INTEGER || (type == PM_DB_REAL && fabs(pm_db_real(q, i)) < 1e15 &&
				      pm_db_real(q, i) == floor(pm_db_real(q, i))))
		return json_integer(pm_db_int(q, i));
	/* What is no number is unknown, as the metadata are read. */
	text = type == PM_DB_TEXT ? pm_db_text(q, i, NULL) : NULL;
	return text ? json_string(text) : NULL;
}

/* Convert the row of a job to an object like EPMT's metadata. */
static json_t *job_object(struct pm_epmt_db *x, const json_t *info, const struct zone *z)
{
	static const char *const text[] = { "jobid", "user_id", "jobname" };
	static const char *const map[] = { "env_dict", "env_changes_dict", "tags", "annotations" };
	static const char *const when[] = { "submit", "start", "end" };
	const json_t *status = json_object_get(info, "status");
	json_t *object = json_object();
	int i = find_column(x->jobs, "exitcode");
	int64_t start, end;

	for (size_t k = 0; k < sizeof text / sizeof text[0]; k++) {
		const char *value = text_of(x->jobs, text[k]);

		if (value)
			set_value(object, text[k], pm_epmt_meta_string(value, strlen(value)));
	}
	for (size_t k = 0; k < sizeof map / sizeof map[0]; k++)
		set_value(object, map[k], pm_epmt_rows_json(text_of(x->jobs, map[k])));
	for (size_t k = 0; k < sizeof when / sizeof when[0]; k++)
		set_value(object, when[k], time_of(z, text_of(x->jobs, when[k])));
	if (parse_clock(text_of(x->jobs, "start"), &start) == 0 &&
	    parse_clock(text_of(x->jobs, "end"), &end) == 0 && end < start) {
		pm_warn("job %s: ends before it starts; its end is left out",
			pm_epmt_db_jobid(x) ? pm_epmt_db_jobid(x) : "");
		json_object_del(object, "end");
	}
	if (i >= 0)
		set_value(object, "exitcode", number_at(x->jobs, i));
	set_value(object, "job_pl_hostname", host_of(x, text_of(x->jobs, "jobid")));
	set_value(object, "job_pl_scriptname", json_incref(json_object_get(status, "script_name")));
	set_value(object, "job_el_reason", json_incref(json_object_get(status, "exit_reason")));
	return object;
}

static int pass_file(const struct pm_archive_sink *sink, const char *path, const char *text,
		     struct pm_err *e)
{
	int rc = sink->begin(sink->ctx, path, e);

	if (rc <= 0)
		return rc;
	if (sink->data(sink->ctx, text, strlen(text), e) < 0)
		return -1;
	return sink->end(sink->ctx, true, e);
}

/* Read a row of processes, renaming the columns as in papiex's rows. */
static void process_columns(struct pm_stmt *q, const struct zone *z, const json_t *env,
			    struct pm_epmt_process *p)
{
	static const char *const name[][2] = {
		{ "host_id", "hostname" }, { "exename", "exename" },   { "path", "path" },
		{ "args", "args" },        { "exitcode", "exitcode" }, { "pid", "pid" },
		{ "ppid", "ppid" },        { "pgid", "pgid" },         { "sid", "sid" },
		{ "numtids", "numtids" },
	};
	static const char *const when[] = { "start", "end" };
	const char *text;

	memset(p, 0, sizeof *p);
	p->column = json_object();
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		if ((text = text_of(q, name[i][0])) != NULL)
			set_value(p->column, name[i][1], pm_epmt_meta_string(text, strlen(text)));
	for (size_t i = 0; i < sizeof when / sizeof when[0]; i++) {
		json_t *time = time_of(z, text_of(q, when[i]));

		if (time)
			set_value(p->column, when[i], json_integer(pm_epmt_meta_utc(env, time)));
		json_decref(time);
	}
	p->tags = pm_epmt_rows_tags(text_of(q, "tags"));
	p->threads = pm_epmt_rows_json(text_of(q, "threads_df"));
	p->sums = pm_epmt_rows_json(text_of(q, "threads_sums"));
}

static int read_processes(struct pm_epmt_db *x, const char *path, const char *metrics,
			  const struct zone *z, const json_t *env,
			  const struct pm_archive_sink *sink, struct pm_err *e)
{
	struct pm_epmt_rows rows = { .sink = sink, .metrics = metrics };
	struct pm_epmt_process p;
	struct pm_stmt *q;
	int rc = sink->begin(sink->ctx, path, e);

	if (rc <= 0)
		return rc;
	rc = pm_db_prepare(x->db, "SELECT * FROM processes WHERE jobid = ? ORDER BY id", &q, e);
	if (rc < 0)
		return -1;
	pm_db_bind_str(q, 1, text_of(x->jobs, "jobid"));
	while ((rc = pm_db_step(q, e)) > 0) {
		process_columns(q, z, env, &p);
		rc = pm_epmt_rows_write(&rows, &p, e);
		json_decref(p.column);
		json_decref(p.tags);
		json_decref(p.threads);
		json_decref(p.sums);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	pm_epmt_rows_free(&rows);
	return rc < 0 ? -1 : sink->end(sink->ctx, true, e);
}

/* Member path "JOB/NAME", JOB being the job's id made a file name. Returns a new text or NULL. */
static char *member_path(const char *jobid, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", jobid, name) < 0)
		return NULL;
	for (size_t i = 0; i < strlen(jobid); i++)
		if (path[i] == '/' || (unsigned char)path[i] < ' ' || (i == 0 && path[i] == '.'))
			path[i] = '_';
	return path;
}

int pm_epmt_db_read(struct pm_epmt_db *x, const struct pm_archive_sink *sink, struct pm_err *e)
{
	const char *jobid = text_of(x->jobs, "jobid");
	json_t *info = pm_epmt_rows_json(text_of(x->jobs, "info_dict")), *object;
	const char *metrics = json_string_value(json_object_get(info, "metric_names"));
	struct zone z = { .name = json_string_value(json_object_get(info, "tz")) };
	char *meta = NULL, *path[2];
	int rc;

	if (!jobid || !*jobid) {
		json_decref(info);
		return pm_err(e, "a job without an id");
	}
	rc = measure_offset(x, jobid, &z.offset_us, e);
	z.known = rc > 0 || (rc == 0 && parse_offset(z.name, &z.offset_us) == 0);
	object = rc < 0 ? NULL : job_object(x, info, &z);
	path[0] = member_path(jobid, "job-epmt.json");
	path[1] = member_path(jobid, "papiex.csv");
	if (rc >= 0 && (!object || !path[0] || !path[1]))
		rc = pm_err(e, "out of memory");
	if (rc >= 0)
		rc = pm_epmt_meta_object(object, &meta, e);
	if (rc >= 0)
		rc = pass_file(sink, path[0], meta, e);
	if (rc >= 0)
		rc = read_processes(x, path[1], metrics, &z, object, sink, e);
	free(meta);
	free(path[0]);
	free(path[1]);
	json_decref(object);
	json_decref(info);
	return rc < 0 ? -1 : 0;
}
