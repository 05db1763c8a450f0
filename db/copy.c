/* Copy jobs between databases: table by table of the schema, a row at a time. */
#include "config.h"

#include "db/copy.h"

#include "common/memtext.h"
#include "db/engine.h"
#include "db/erase.h"
#include "db/jobrow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bind the value of a column as a parameter. Text and bytes stay the row's: see pm_db_bind_text. */
static void bind_column(struct pm_stmt *to, int parameter, struct pm_stmt *from, int column)
{
	const void *p;
	size_t n;

	switch (pm_db_type(from, column)) {
	case PM_DB_INTEGER:
		pm_db_bind_int(to, parameter, pm_db_int(from, column));
		break;
	case PM_DB_REAL:
		pm_db_bind_real(to, parameter, pm_db_real(from, column));
		break;
	case PM_DB_TEXT:
		p = pm_db_text(from, column, &n);
		pm_db_bind_text(to, parameter, p, n);
		break;
	case PM_DB_BLOB:
		p = pm_db_blob(from, column, &n);
		pm_db_bind_blob(to, parameter, p, n);
		break;
	case PM_DB_NULL:
		break;
	}
}

/* Prepare the query of a job's rows, columns in the order of the schema; `more` is a further
 * condition, or "". */
static int prepare_rows(struct pm_db *db, const struct pm_schema_table *t, int64_t job,
			const char *more, struct pm_stmt **q, struct pm_err *e)
{
	const char *key = strcmp(t->name, "job") == 0 ? "id" : "job_id";
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	for (size_t i = 0; i < t->columns; i++)
		fprintf(out, "%s\"%s\"", i ? ", " : "SELECT ", t->column[i].name);
	fprintf(out, " FROM %s WHERE %s = ?%s", t->name, key, more);
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare(db, sql, q, e) : pm_err(e, "out of memory");
	free(sql);
	if (rc == 0)
		pm_db_bind_int(*q, 1, job);
	return rc;
}

/* The identity of the job that is the current row of `row`, whose texts it borrows. */
static struct pm_jobidentity read_identity(const struct pm_schema_table *t, struct pm_stmt *row)
{
	struct pm_jobidentity id = {
		.cluster = pm_db_text(row, pm_schema_index(t, "cluster"), NULL),
		.user = pm_db_text(row, pm_schema_index(t, "user"), NULL),
		.jobid = pm_db_text(row, pm_schema_index(t, "jobid"), NULL),
		.array_task = pm_db_text(row, pm_schema_index(t, "array_task"), NULL),
		.restart_count = pm_db_int(row, pm_schema_index(t, "restart_count")),
		.epoch_us = pm_db_int(row, pm_schema_index(t, "epoch_us")),
	};

	return id;
}

/* Insert a job's own row under a number, with 0 under a new one. Returns the number, or -1 with e
 * filled. */
static int64_t insert_job(struct pm_db *to, const struct pm_schema_table *t, struct pm_stmt *row,
			  int64_t number, struct pm_err *e)
{
	/* Column 0 is the number. */
	size_t size, first = number ? 0 : 1;
	struct pm_stmt *q;
	char *sql = NULL;
	int64_t id;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return pm_err(e, "out of memory");
	for (size_t i = first; i < t->columns; i++)
		fprintf(out, "%s\"%s\"", i > first ? ", " : "INSERT INTO job (", t->column[i].name);
	for (size_t i = first; i < t->columns; i++)
		fputs(i > first ? ", ?" : ") VALUES (?", out);
	fputc(')', out);
	rc = pm_memtext_end(out, &sql) ? pm_db_prepare_id(to, sql, &q, e)
				       : pm_err(e, "out of memory");
	free(sql);
	if (rc < 0)
		return -1;
	if (number)
		pm_db_bind_int(q, 1, number);
	for (size_t i = 1; i < t->columns; i++)
		bind_column(q, (int)(i - first) + 1, row, (int)i);
	id = pm_db_run_id(q, e);
	pm_db_finish(q);
	return id;
}

/* Copy the job's rows of a table, with `more` as prepare_rows. Returns 0 or -1 with e filled. */
static int copy_rows(struct pm_db *from, struct pm_db *to, const struct pm_schema_table *t,
		     int64_t job, const char *more, int64_t id, struct pm_err *e)
{
	int key = pm_schema_index(t, "job_id"), rc;
	struct pm_stmt *read = NULL, *write = NULL;

	rc = prepare_rows(from, t, job, more, &read, e);
	if (rc == 0)
		rc = pm_db_insert(to, t->name, false, &write, e);
	while (rc == 0 && (rc = pm_db_step(read, e)) > 0) {
		for (int i = 0; i < (int)t->columns; i++)
			if (i != key)
				bind_column(write, i + 1, read, i);
		pm_db_bind_int(write, key + 1, id);
		rc = pm_db_run(write, e);
	}
	pm_db_finish(read);
	pm_db_finish(write);
	return rc < 0 ? pm_err_prefix(e, "table %s", t->name) : 0;
}

/* Copy the job with all its rows, inside the transaction. */
static int copy_all(struct pm_db *from, struct pm_db *to, struct pm_stmt *row, int64_t job,
		    int64_t number, bool brief, struct pm_userdays *days, struct pm_err *e)
{
	size_t n;
	const struct pm_schema_table *t = pm_schema_tables(&n);
	int64_t id = insert_job(to, pm_schema_find("job"), row, number, e);

	if (id < 0)
		return -1;
	/* Set 0 has the tags of the job itself. */
	if (brief &&
	    (copy_rows(from, to, pm_schema_find("tag_set"), job, " AND id = 0", id, e) < 0 ||
	     copy_rows(from, to, pm_schema_find("annotation"), job, "", id, e) < 0))
		return -1;
	for (size_t i = 0; i < n && !brief; i++)
		if (pm_schema_of_job(&t[i]) && copy_rows(from, to, &t[i], job, "", id, e) < 0)
			return -1;
	return pm_userdays_note(days, to, id, 1, e);
}

/* Lock the job, delete the old copy if it is to be replaced, and copy, inside the transaction.
 * Returns 0 or -1. */
static int place_job(struct pm_db *from, struct pm_db *to, struct pm_stmt *row, int64_t job,
		     int how, struct pm_userdays *days, enum pm_copy_state *state, struct pm_err *e)
{
	const struct pm_jobidentity id = read_identity(pm_schema_find("job"), row);
	bool replace = how & PM_COPY_REPLACE;
	int64_t old;

	if (pm_db_lock_job(to, id.jobid, id.array_task, e) < 0)
		return -1;
	old = pm_jobrow_find(to, &id, e);
	if (old < 0)
		return -1;
	*state = old == 0 ? PM_COPY_NEW : replace ? PM_COPY_REPLACED : PM_COPY_THERE;
	if (*state == PM_COPY_THERE)
		return 0;
	if (old > 0 && pm_erase_job(to, old, days, e) < 0)
		return -1;
	return copy_all(from, to, row, job, old, how & PM_COPY_BRIEF, days, e);
}

/* Find what a copy would do. Returns 0 or -1. */
static int predict_state(struct pm_db *to, struct pm_stmt *row, bool replace,
			 enum pm_copy_state *state, struct pm_err *e)
{
	const struct pm_jobidentity id = read_identity(pm_schema_find("job"), row);
	int64_t old = to ? pm_jobrow_find(to, &id, e) : 0;

	*state = old == 0 ? PM_COPY_NEW : replace ? PM_COPY_REPLACED : PM_COPY_THERE;
	return old < 0 ? -1 : 0;
}

/* Query the job's own row. Returns 1 with *row, to be finished; 0 if there is no such job; -1 with
 * e filled. While the query is open, all reads of an SQLite database see one snapshot. */
static int find_row(struct pm_db *from, int64_t job, struct pm_stmt **row, struct pm_err *e)
{
	int rc = prepare_rows(from, pm_schema_find("job"), job, "", row, e);

	if (rc == 0)
		rc = pm_db_step(*row, e);
	if (rc > 0)
		return 1;
	pm_db_finish(*row);
	*row = NULL;
	return rc;
}

int pm_copy_within(struct pm_db *from, struct pm_db *to, int64_t job, int how,
		   struct pm_userdays *days, enum pm_copy_state *state, struct pm_err *e)
{
	struct pm_stmt *row = NULL;
	int rc = find_row(from, job, &row, e);

	*state = PM_COPY_GONE;
	if (rc > 0)
		rc = place_job(from, to, row, job, how, days, state, e);
	pm_db_finish(row);
	return rc;
}

int pm_copy_find(struct pm_db *from, int64_t job, struct pm_db *to, int64_t *id, struct pm_err *e)
{
	struct pm_stmt *row = NULL;
	int rc = find_row(from, job, &row, e);

	if (rc > 0) {
		const struct pm_jobidentity identity = read_identity(pm_schema_find("job"), row);

		*id = pm_jobrow_find(to, &identity, e);
		rc = *id < 0 ? -1 : *id > 0;
	}
	pm_db_finish(row);
	return rc;
}

int pm_copy_job(struct pm_db *from, struct pm_db *to, int64_t job, bool replace, bool dry,
		enum pm_copy_state *state, struct pm_err *e)
{
	struct pm_userdays days = { 0 };
	struct pm_stmt *row = NULL;
	int rc;

	*state = PM_COPY_GONE;
	rc = find_row(from, job, &row, e);
	if (rc <= 0)
		return rc;
	if (dry) {
		rc = predict_state(to, row, replace, state, e);
		goto out;
	}
	rc = pm_db_begin(to, e);
	if (rc < 0)
		goto out;
	rc = place_job(from, to, row, job, replace ? PM_COPY_REPLACE : PM_COPY_ALL, &days, state,
		       e);
	if (rc == 0)
		rc = pm_userdays_apply(&days, to, e);
	if (rc == 0)
		rc = pm_db_commit(to, e);
	if (rc < 0)
		pm_db_rollback(to);
out:
	pm_userdays_free(&days);
	pm_db_finish(row);
	return rc < 0 ? -1 : 0;
}
