/* perfmon dbsize: disk space of the database, its tables, indexes and jobs. */
#include "config.h"

#include "manage/dbsize.h"

#include "common/cli/verb.h"
#include "common/settings/readconfig.h"
#include "db/usage.h"
#include "report/print/options.h"
#include "sql/schema.h"

#include <stdlib.h>
#include <string.h>

/* Jobs that are shown without --limit. */
#define TOP_JOBS 10

static int grow_list(void **list, size_t n, size_t size, struct pm_err *e)
{
	void *p;

	/* The list doubles at powers of two. */
	if (n & (n - 1))
		return 0;
	p = realloc(*list, (n ? 2 * n : 1) * size);
	if (!p)
		return pm_err(e, "out of memory");
	*list = p;
	return 0;
}

static int add_part(void *ctx, const struct pm_usage_part *part, struct pm_err *e)
{
	struct pm_dbsize *d = ctx;
	struct pm_dbsize_part *p;

	if (grow_list((void **)&d->part, d->parts, sizeof *d->part, e) < 0)
		return -1;
	p = &d->part[d->parts++];
	*p = (struct pm_dbsize_part){ .index = part->index, .bytes = part->bytes, .rows = -1 };
	p->name = strdup(part->name);
	p->table = strdup(part->table);
	return p->name && p->table ? 0 : pm_err(e, "out of memory");
}

static int add_space(void *ctx, const char *name, int64_t bytes, struct pm_err *e)
{
	struct pm_dbsize *d = ctx;

	if (grow_list((void **)&d->space, d->spaces, sizeof *d->space, e) < 0)
		return -1;
	d->space[d->spaces].bytes = bytes;
	d->space[d->spaces].name = strdup(name);
	return d->space[d->spaces++].name ? 0 : pm_err(e, "out of memory");
}

static int add_jobs(struct pm_dbsize *d, struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "SELECT id FROM job ORDER BY id", &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		if (grow_list((void **)&d->job, d->jobs, sizeof *d->job, e) < 0) {
			rc = -1;
			break;
		}
		d->job[d->jobs++] = (struct pm_dbsize_job){ .id = pm_db_int(q, 0) };
	}
	pm_db_finish(q);
	return rc;
}

static int by_id(const void *a, const void *b)
{
	const struct pm_dbsize_job *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The largest first. */
static int by_bytes(const void *a, const void *b)
{
	const struct pm_dbsize_job *x = a, *y = b;
	double u = x->bytes > 0 ? x->bytes : (double)x->rows,
	       v = y->bytes > 0 ? y->bytes : (double)y->rows;

	return u != v ? (u < v) - (u > v) : by_id(a, b);
}

/* Bytes of a table with its indexes; unknown if one of them is. */
static int64_t bytes_of(const struct pm_dbsize *d, const char *table)
{
	int64_t sum = 0;

	for (size_t i = 0; i < d->parts; i++) {
		if (strcmp(d->part[i].table, table) != 0)
			continue;
		if (d->part[i].bytes < 0)
			return PM_USAGE_UNKNOWN;
		sum += d->part[i].bytes;
	}
	return sum;
}

/* Count the rows of a table per job, and add to each job its share of the table's bytes. */
static int count_rows(struct pm_dbsize *d, struct pm_db *db, const char *table, int64_t *rows,
		      struct pm_err *e)
{
	int64_t bytes = bytes_of(d, table);
	struct pm_stmt *q;
	char sql[160];
	int rc;

	for (size_t i = 0; i < d->jobs; i++)
		d->job[i].here = 0;
	*rows = 0;
	snprintf(sql, sizeof sql, "SELECT job_id, count(*) FROM %s GROUP BY job_id", table);
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		struct pm_dbsize_job key = { .id = pm_db_int(q, 0) }, *job;

		*rows += pm_db_int(q, 1);
		job = d->jobs ? bsearch(&key, d->job, d->jobs, sizeof key, by_id) : NULL;
		if (job)
			job->here = pm_db_int(q, 1);
	}
	pm_db_finish(q);
	for (size_t i = 0; i < d->jobs; i++) {
		d->job[i].rows += d->job[i].here;
		if (bytes > 0 && *rows > 0)
			d->job[i].bytes += (double)bytes * (double)d->job[i].here / (double)*rows;
	}
	return rc;
}

/* Add to each job its share of table job, whose indexes may be large. */
static void share_job_table(struct pm_dbsize *d)
{
	int64_t bytes = bytes_of(d, "job");

	for (size_t i = 0; i < d->jobs && bytes > 0; i++)
		d->job[i].bytes += (double)bytes / (double)d->jobs;
}

static int count_all(struct pm_db *db, const char *table, int64_t *rows, struct pm_err *e)
{
	struct pm_stmt *q;
	char sql[160];
	int rc;

	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	*rows = rc > 0 ? pm_db_int(q, 0) : 0;
	pm_db_finish(q);
	return rc < 0 ? -1 : 0;
}

/* Count the rows of the schema's tables; tables that others added are not counted. */
static int count_tables(struct pm_dbsize *d, struct pm_db *db, struct pm_err *e)
{
	for (size_t i = 0; i < d->parts; i++) {
		struct pm_dbsize_part *p = &d->part[i];
		const struct pm_schema_table *t = p->index ? NULL : pm_schema_find(p->name);
		bool of_jobs = t && pm_schema_index(t, "job_id") >= 0;

		if (t && (of_jobs ? count_rows(d, db, t->name, &p->rows, e)
				  : count_all(db, t->name, &p->rows, e)) < 0)
			return -1;
	}
	share_job_table(d);
	return 0;
}

static int measure_database(struct pm_dbsize *d, struct pm_db *db, struct pm_err *e)
{
	int rc;

	if (pm_usage_whole(db, &d->bytes, &d->unused, e) < 0)
		return -1;
	if ((d->what & (PM_DBSIZE_TABLES | PM_DBSIZE_INDEXES | PM_DBSIZE_JOBS)) &&
	    pm_usage_parts(db, add_part, d, e) < 0)
		return -1;
	if (d->what & PM_DBSIZE_SPACES) {
		rc = pm_usage_spaces(db, add_space, d, e);
		if (rc < 0)
			return -1;
		d->spaceless = rc > 0;
	}
	if ((d->what & PM_DBSIZE_JOBS) && add_jobs(d, db, e) < 0)
		return -1;
	if ((d->what & (PM_DBSIZE_TABLES | PM_DBSIZE_JOBS)) && count_tables(d, db, e) < 0)
		return -1;
	if (d->jobs)
		qsort(d->job, d->jobs, sizeof d->job[0], by_bytes);
	return 0;
}

static void free_all(struct pm_dbsize *d)
{
	for (size_t i = 0; i < d->parts; i++) {
		free(d->part[i].name);
		free(d->part[i].table);
	}
	for (size_t i = 0; i < d->spaces; i++)
		free(d->space[i].name);
	free(d->part);
	free(d->space);
	free(d->job);
}

/* The parts that an operand asks for; 0 for an unknown word. */
static unsigned asked_parts(const char *word)
{
	static const struct {
		const char *word;
		unsigned what;
	} words[] = {
		{ "all", PM_DBSIZE_ALL },           { "database", PM_DBSIZE_DATABASE },
		{ "table", PM_DBSIZE_TABLES },      { "index", PM_DBSIZE_INDEXES },
		{ "job", PM_DBSIZE_JOBS },          { "jobs", PM_DBSIZE_JOBS },
		{ "tables", PM_DBSIZE_TABLES },     { "indexes", PM_DBSIZE_INDEXES },
		{ "tablespace", PM_DBSIZE_SPACES },
	};

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strcmp(words[i].word, word) == 0)
			return words[i].what;
	return 0;
}

int pm_verb_dbsize(const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_dbsize d = { 0 };
	int status = PM_EXIT_FAILED;
	struct pm_db *db = NULL;
	struct pm_page page;
	int64_t limit;

	for (int i = 0; i < cli->argc; i++) {
		unsigned what = asked_parts(cli->argv[i]);

		if (!what) {
			pm_err(e,
			       "unknown part '%s': give all, database, table, index, tablespace or "
			       "job",
			       cli->argv[i]);
			return PM_EXIT_USAGE;
		}
		d.what |= what;
	}
	if (!d.what)
		d.what = PM_DBSIZE_DATABASE | PM_DBSIZE_TABLES | PM_DBSIZE_JOBS;
	if (pm_options_page(cli, &page, e) < 0 || pm_options_limit(cli, TOP_JOBS, &limit, e) < 0)
		return PM_EXIT_USAGE;
	if (pm_db_open(&db, pm_config_get(PM_SET_db), PM_DB_READ, e) == 0 &&
	    measure_database(&d, db, e) == 0) {
		d.limit = (uint64_t)limit < d.jobs ? (size_t)limit : d.jobs;
		if ((cli->given[PM_OPT_json] ? pm_dbsize_json : pm_dbsize_text)(&d, db, &page, e) ==
			    0 &&
		    pm_options_flush(e) == 0)
			status = PM_EXIT_OK;
	}
	free_all(&d);
	pm_db_close(db);
	return status;
}
