/* The format bulk: rows as documents for the bulk interface of Elasticsearch and OpenSearch, lines
 * of JSON: what to do, then the document. */
#include "config.h"

#include "export/format.h"
#include "export/json.h"

#include "common/digest.h"
#include "common/job/jobidentity.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The columns that tell rows of a job apart, with its own number in front. */
static const struct key {
	const char *kind;
	const char *column[4];
} keys[] = {
	{ "jobs", { "id" } },
	{ "processes", { "job_id", "id" } },
	{ "threads", { "job_id", "process_id", "id" } },
	{ "counters", { "job_id", "process_id", "thread_id", "name" } },
	{ "hosts", { "job_id", "id" } },
	{ "summaries", { "job_id", "host_id" } },
	{ "energy", { "job_id", "host_id", "id" } },
	{ "tags", { "job_id", "process_id", "name" } },
	{ "phases", { "job_id", "host_id", "id" } },
	{ "annotations", { "job_id", "name" } },
	{ "analyses", { "job_id", "name", "model" } },
	{ "series", { "job_id", "id" } },
	{ "samples", { "job_id", "series_id", "time_us", "monotonic_us" } },
	{ "rejects", { "job_id", "id" } },
	{ "metrics", { "name" } },
	{ "ops", { "job_id", "only", "tags" } },
};

#define KEYS  (sizeof keys / sizeof keys[0])
#define PARTS (sizeof keys[0].column / sizeof keys[0].column[0])

/* The columns whose time is that of a document, the first one that there is. */
static const char *const times[] = { "time_us", "start_us", "begin_us", "epoch_us" };

/* Hexadecimal digits of a document's id. */
#define ID 32

struct own {
	size_t key[PARTS], parts;
	bool of_job; /* the first part is the number of a job */
	size_t time; /* SIZE_MAX: none */
	int64_t job; /* whose identity this is */
	char *identity;
};

static size_t find_column(const struct pm_export_file *x, const char *name)
{
	for (size_t i = 0; i < x->columns; i++)
		if (strcmp(x->column[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static const struct key *find_key(const char *kind)
{
	for (size_t i = 0; i < KEYS; i++)
		if (strcmp(keys[i].kind, kind) == 0)
			return &keys[i];
	return NULL;
}

static int begin(struct pm_export_file *x, struct pm_err *e)
{
	const struct key *key = find_key(x->kind);
	struct own *o = calloc(1, sizeof *o);

	x->own = o;
	if (!o)
		return pm_err(e, "out of memory");
	if (!key)
		return pm_err(e, "export %s: not as bulk", x->kind);
	for (size_t i = 0; i < PARTS && key->column[i]; i++) {
		o->key[o->parts] = find_column(x, key->column[i]);
		if (o->key[o->parts++] == SIZE_MAX)
			return pm_err(
				e,
				"--format bulk: --columns have to have %s, of which the id of a "
				"document is made",
				key->column[i]);
	}
	o->of_job = strcmp(x->kind, "metrics") != 0;
	o->time = SIZE_MAX;
	for (size_t i = 0; o->time == SIZE_MAX && i < sizeof times / sizeof times[0]; i++)
		o->time = find_column(x, times[i]);
	return 0;
}

static void release(struct pm_export_file *x)
{
	struct own *o = x->own;

	if (o)
		free(o->identity);
	free(o);
	x->own = NULL;
}

/* Find what identifies a job in every database. Returns 0, or -1 with e filled. */
static int find_identity(struct own *o, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (o->identity && o->job == job)
		return 0;
	free(o->identity);
	o->identity = NULL;
	o->job = job;
	if (pm_db_prepare(db, "SELECT " PM_JOBIDENTITY_COLUMNS " FROM job WHERE id = ?", &q, e) < 0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc > 0) {
		const struct pm_jobidentity id = { .cluster = pm_db_text(q, 0, NULL),
						   .user = pm_db_text(q, 1, NULL),
						   .jobid = pm_db_text(q, 2, NULL),
						   .array_task = pm_db_text(q, 3, NULL),
						   .restart_count = pm_db_int(q, 4),
						   .epoch_us = pm_db_int(q, 5) };

		o->identity = pm_jobidentity_text(&id);
		rc = o->identity ? 0 : pm_err(e, "out of memory");
	} else if (rc == 0) {
		rc = pm_err(e, "job #%lld was deleted meanwhile", (long long)job);
	}
	pm_db_finish(q);
	return rc;
}

/* Add a text to a digest, so that no two lists of texts are the same. */
static void add_part(struct pm_digest *d, const char *p, size_t n)
{
	const uint64_t length = htole64(n);

	pm_digest_add(d, &length, sizeof length);
	pm_digest_add(d, p, n);
}

static void add_value(struct pm_digest *d, const struct pm_export_value *v)
{
	char s[PM_EXPORT_NUMBER];

	if (v->type == PM_DB_TEXT)
		add_part(d, v->text, v->length);
	else if (v->type == PM_DB_INTEGER)
		add_part(d, s, pm_export_integer(s, v->integer));
	else if (v->type == PM_DB_REAL)
		add_part(d, s, pm_export_real(s, v->real));
	else
		add_part(d, "", 0);
}

/* Make the id of a document: the same one for the same row, from whatever database it comes.
 * Returns 0, or -1 with e filled. */
static int make_id(struct pm_export_file *x, const struct pm_export_value *v,
		   char id[PM_DIGEST_TEXT], struct pm_err *e)
{
	struct own *o = x->own;
	struct pm_digest d;

	pm_digest_init(&d);
	add_part(&d, x->kind, strlen(x->kind));
	if (o->of_job) {
		if (find_identity(o, x->db, v[o->key[0]].integer, e) < 0)
			return -1;
		add_part(&d, o->identity, strlen(o->identity));
	}
	for (size_t i = o->of_job ? 1 : 0; i < o->parts; i++)
		add_value(&d, &v[o->key[i]]);
	pm_digest_text(&d, id);
	id[ID] = '\0';
	return 0;
}

/* Write a time in us as the member @timestamp, where it is one. */
static void put_time(FILE *f, const struct pm_export_value *v)
{
	const time_t s = v->integer / 1000000;
	char text[40];
	struct tm t;

	if (v->type != PM_DB_INTEGER || v->integer < 0 || !gmtime_r(&s, &t) || t.tm_year > 8099 ||
	    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &t) == 0)
		return;
	fprintf(f, "\"@timestamp\":\"%s.%06dZ\",", text, (int)(v->integer % 1000000));
}

static int row(struct pm_export_file *x, const struct pm_export_value *v, struct pm_err *e)
{
	const struct own *o = x->own;
	char id[PM_DIGEST_TEXT];

	if (make_id(x, v, id, e) < 0)
		return -1;
	fprintf(x->f, "{\"index\":{\"_index\":\"%s%s\",\"_id\":\"%s\"}}\n{", x->index_prefix,
		x->kind, id);
	if (o->time != SIZE_MAX)
		put_time(x->f, &v[o->time]);
	/* Members of texts that are JSON would be fields of the index, of which it has few. */
	if (pm_json_members(x->f, x->column, v, x->columns, true) < 0)
		return pm_err(e, "%s: out of memory or not writable", x->name);
	fputs("}\n", x->f);
	return 0;
}

static int end(struct pm_export_file *x, struct pm_err *e)
{
	(void)x, (void)e;
	return 0;
}

const struct pm_export_format pm_export_bulk = { "bulk", ".bulk", begin, row, end, release, NULL };
