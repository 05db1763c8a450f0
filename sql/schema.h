/*
 * The database schema as data, built from columns.def and job.def, and as SQL text for either
 * engine.
 */
#ifndef PM_SQL_SCHEMA_H
#define PM_SQL_SCHEMA_H

#include "common/safe/columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Version of the schema, the row of table schema_version. */
#define PM_SCHEMA_VERSION 9

enum pm_dialect { PM_DIALECT_SQLITE, PM_DIALECT_POSTGRESQL };

enum pm_schema_type {
	PM_SCHEMA_INTEGER,
	PM_SCHEMA_REAL,
	PM_SCHEMA_TEXT,
	PM_SCHEMA_BLOB,
	PM_SCHEMA_ID, /* integer primary key that the engine assigns */
};

struct pm_schema_column {
	const char *name;
	enum pm_schema_type type;
	bool required; /* NOT NULL */
	const char *unit;
	const char *about; /* how the value was made, "sum over the processes: " or "" */
	const char *help;
};

/* How much is kept of a job; of a table, the least with which a job's rows there are kept. */
enum pm_schema_keep {
	PM_SCHEMA_NOTHING, /* of no table */
	PM_SCHEMA_SUMMARY,
	PM_SCHEMA_PROGRAMS,  /* and the totals of its programs */
	PM_SCHEMA_PROCESSES, /* and what grows with its processes */
	PM_SCHEMA_ALL, /* and what grows with its time, and what later files are merged with */
};

struct pm_schema_table {
	const char *name;
	const struct pm_schema_column *column;
	size_t columns;
	const char *keys; /* further table constraints as SQL; "" for none */
	bool narrow;      /* rows are small: WITHOUT ROWID in SQLite */
	bool bulk;        /* many rows of a job: partitioned, without references, in PostgreSQL */
	enum pm_schema_keep kept_with;
	const char *help;
};

/* Every table, in an order in which they can be created. *count gets how many. */
const struct pm_schema_table *pm_schema_tables(size_t *count);

/* Find a table. Returns NULL where there is none. */
const struct pm_schema_table *pm_schema_find(const char *table);

/* Whether the rows of a table belong to a job, and go with it to another database; those of
 * model_job go with their model. */
bool pm_schema_of_job(const struct pm_schema_table *t);

/* Position of a column within its table, from 0; -1 where it has none of that name. */
int pm_schema_index(const struct pm_schema_table *t, const char *column);

/* Whether the table process (thread_row) has this column of a record. Not stored there: record,
 * boot_id and hostname (table host has them), counters (table counter). */
bool pm_schema_in_process(enum pm_column c);
bool pm_schema_in_thread(enum pm_column c);

/* Write the whole schema, views and version row included, as SQL. Returns 0, or -1 where the
 * stream has an error. */
int pm_schema_write(enum pm_dialect dialect, FILE *out);

/* Write the tables and their columns as the generated part of perfmon-schema(5). Returns the same
 * as pm_schema_write(). */
int pm_schema_write_man(FILE *out);

/* The schema as one text, to be freed by the caller; NULL if out of memory. */
char *pm_schema_text(enum pm_dialect dialect);

/* The SQL text that is derived from the tables: the rows of table metric, the views and, in
 * PostgreSQL, functions and privileges. Returns the same as pm_schema_text(). */
char *pm_schema_derived(enum pm_dialect dialect);

/* The statement that notes a version in table schema_version, with the present time. Returns the
 * same as pm_schema_text(). */
char *pm_schema_version_row(enum pm_dialect dialect, int version);

/* The names of all columns, quoted if necessary, with commas between. Returns the text, to be freed
 * by the caller, or NULL if out of memory. */
char *pm_schema_columns(const struct pm_schema_table *t);

/*
 * "INSERT INTO t (...) VALUES (?, ...)" over every column of the table, one ? each; with `first`,
 * rows whose key exists already are skipped. Returns the text, to be freed by the caller, or NULL
 * if out of memory.
 */
char *pm_schema_insert(const struct pm_schema_table *t, bool first);

/* SQL expression: the time at which a job ended, or at least began, in microseconds; p is the
 * table's name with a point, or "". */
#define PM_SCHEMA_JOB_END(p) "coalesce(" p "end_us, " p "start_us, " p "epoch_us)"

/* SQL conditions on table job: its command failed or was killed; processes of it are running. */
#define PM_SCHEMA_JOB_FAILED  "exit_status <> 0 OR exit_signal IS NOT NULL"
#define PM_SCHEMA_JOB_RUNNING "running > 0"

/* SQL condition on table job: it is over, and perfmon analyze has not judged it since it was last
 * loaded. */
#define PM_SCHEMA_JOB_UNANALYZED "analyzed_us IS NULL AND coalesce(running, 0) = 0"

/* SQL condition on table analysis: perfmon analyze has not said what it found. */
#define PM_SCHEMA_ANALYSIS_UNTOLD "found > 0 AND told_us IS NULL"

/* SQL condition on table job, whose name in the statement is j: a model was made of it. */
#define PM_SCHEMA_JOB_IN_MODEL "EXISTS (SELECT 1 FROM model_job m WHERE m.job_id = j.id)"

/* SQL expression over table job: midnight UTC, in microseconds, of the day that a job counts for in
 * table user_day. */
#define PM_SCHEMA_JOB_DAY "(coalesce(start_us, epoch_us) / 86400000000 * 86400000000)"

/* How many jobs, by their number, have bounds of their figures together in table job_zone of
 * SQLite. */
#define PM_SCHEMA_JOB_ZONE "256"

/* What column `problems` of a job says where its processes were retired. */
#define PM_SCHEMA_RETIRED "retired: its processes"

/* SQL condition over table job, p as in PM_SCHEMA_JOB_END: its processes were retired. */
#define PM_SCHEMA_JOB_RETIRED(p) "coalesce(" p "problems, '') LIKE '%" PM_SCHEMA_RETIRED "%'"

/* Name of the index number i beside primary and unique keys; NULL after the last. zones: in a
 * database that has bounds in place of some (table job_zone). */
const char *pm_schema_index_name(size_t i, bool zones);

/* Write the indexes beside primary and unique keys, as SQL. */
void pm_schema_write_indexes(enum pm_dialect dialect, FILE *out);

/* Write table job_zone, of SQLite, and its triggers, as SQL. */
void pm_schema_write_jobzones(FILE *out);

/* Write all views but `thread` and `sample`, as SQL. */
void pm_schema_write_views(enum pm_dialect dialect, FILE *out);

/* Write the view of the samples. */
void pm_schema_write_sample_view(enum pm_dialect dialect, FILE *out);

/* SQL for PostgreSQL beside tables and views, in the order of creation: functions before the views,
 * of which it has that of samples, privileges after them. */
extern const char pm_schema_postgres[], pm_schema_postgres_ranges[], pm_schema_postgres_functions[],
	pm_schema_postgres_samples[], pm_schema_postgres_secure[], pm_schema_postgres_triggers[];

#endif
