/* Processes with their jobs, as a Parquet file. */
#include "config.h"

#include "export/processfile.h"

#include "export/format.h"
#include "export/row.h"

#include "analysis/select/jobfilter.h"
#include "common/memtext.h"
#include "report/list/listing.h"
#include "sql/schema.h"

#include <stdlib.h>
#include <string.h>

/* Columns that identify the job, then times by which readers leave files out. */
static const struct own {
	const char *table, *column, *name;
} of_job[] = {
	{ "job", "cluster", "cluster" },
	{ "job", "user", "user" },
	{ "job", "jobid", "jobid" },
	{ "job", "array_task", "array_task" },
	{ "job", "restart_count", "restart_count" },
	{ "job", "epoch_us", "epoch_us" },
	{ "job", "name", "name" },
	{ "job", "account", "account" },
	{ "job", "queue", "queue" },
	{ "job", "start_us", "job_start_us" },
	{ "job", "end_us", "job_end_us" },
},
  of_host[] = {
	{ "host", "hostname", "hostname" },
	{ "host", "boot_id", "boot_id" },
};

#define OF_JOB  (sizeof of_job / sizeof of_job[0])
#define OF_HOST (sizeof of_host / sizeof of_host[0])

/* The name of a column of table process, one of which is the job's, too. */
static const char *process_name(const char *column)
{
	return strcmp(column, "jobid") == 0 ? "process_jobid" : column;
}

/* Add a column to the query and to the row. */
static void add_column(FILE *sql, struct pm_export_column *column, size_t *n,
		       const struct pm_schema_table *t, const char *of, int i, const char *name)
{
	fprintf(sql, "%s%s.\"%s\" AS \"%s\"", *n ? ", " : "", of, t->column[i].name, name);
	column[(*n)++] = pm_export_row_column(t, i, name);
}

static void add_columns(FILE *sql, struct pm_export_column *column, size_t *n,
			const struct own *own, size_t owns, const char *of)
{
	const struct pm_schema_table *t = pm_schema_find(own->table);

	for (size_t i = 0; i < owns; i++)
		add_column(sql, column, n, t, of, pm_schema_index(t, own[i].column), own[i].name);
}

/* Make the query of all rows with its columns, and prepare the row for them. Returns the query, to
 * be freed, or NULL with e filled. */
static char *make_rows(struct pm_export_row *row, struct pm_err *e)
{
	const struct pm_schema_table *t = pm_schema_find("process");
	struct pm_export_column *column = calloc(OF_JOB + t->columns + OF_HOST, sizeof *column);
	char *text = NULL;
	size_t n = 0, size;
	FILE *sql = column ? open_memstream(&text, &size) : NULL;

	*row = (struct pm_export_row){ .n = 0 };
	if (sql) {
		fputs("SELECT ", sql);
		add_columns(sql, column, &n, of_job, OF_JOB, "j");
		for (size_t i = 0; i < t->columns; i++)
			add_column(sql, column, &n, t, "t", (int)i,
				   process_name(t->column[i].name));
		add_columns(sql, column, &n, of_host, OF_HOST, "h");
		fputs(" FROM process t JOIN job j ON j.id = t.job_id"
		      " JOIN host h ON h.job_id = t.job_id AND h.id = t.host_id",
		      sql);
		text = pm_memtext_end(sql, &text);
	}
	if (!text)
		pm_err(e, "out of memory");
	else if (pm_export_row_make(row, PM_VALUES_ESCAPED, column, n, e) < 0) {
		free(text);
		text = NULL;
	} else {
		row->plain = OF_JOB;
		row->args = OF_JOB + (size_t)pm_schema_index(t, "args");
	}
	free(column);
	return text;
}

/* Select the jobs. Returns 0, or -1 with e filled. */
static int make_filter(struct pm_jobfilter *f, int64_t from_us, int64_t before_us, struct pm_err *e)
{
	*f = (struct pm_jobfilter){ .where = strdup(" WHERE " PM_PROCESSFILE_JOBS),
				    .order = PM_SCHEMA_JOB_END("") ", id" };
	if (!f->where)
		return pm_err(e, "out of memory");
	return pm_parameters_add(&f->values, NULL, from_us, e) < 0
		       ? -1
		       : pm_parameters_add(&f->values, NULL, before_us, e);
}

/* Write the rows of a listing. Returns 0, or -1 with e filled. */
static int write_rows(struct pm_export_file *x, struct pm_export_row *row, struct pm_listing *rows,
		      struct pm_err *e)
{
	int rc = pm_export_parquet.begin(x, e);

	if (rc == 0 && !pm_export_row_fits(row, rows->q))
		rc = pm_err(e, "%s: the columns of its processes are not those of the schema",
			    pm_db_name(rows->db));
	while (rc >= 0 && (rc = pm_listing_next(rows, e)) > 0) {
		rc = pm_export_row_take(row, rows->q, e);
		if (rc == 0)
			rc = pm_export_parquet.row(x, row->value, e);
		x->rows++;
	}
	if (rc == 0)
		rc = pm_export_parquet.end(x, e);
	pm_export_parquet.release(x);
	return rc;
}

int64_t pm_processfile_write(FILE *f, const char *name, struct pm_db *db, int64_t from_us,
			     int64_t before_us, const char *note, struct pm_err *e)
{
	struct pm_list_table table = *pm_list_find("processes");
	struct pm_jobfilter filter = { .where = NULL };
	const struct pm_list_ask ask = { .table = &table, .filter = &filter, .limit = INT64_MAX };
	struct pm_export_row row;
	struct pm_listing rows;
	char *sql = make_rows(&row, e);
	struct pm_export_file x = { .f = f,
				    .name = name,
				    .kind = "processes",
				    .db = db,
				    .note_key = PM_PROCESSFILE_NOTE,
				    .note = note };
	int rc = sql ? make_filter(&filter, from_us, before_us, e) : -1;

	if (rc == 0) {
		table.rows = sql;
		x.column = row.column;
		x.columns = row.n;
		rc = pm_listing_open(&rows, db, &ask, "r.*", false, e);
		if (rc == 0)
			rc = write_rows(&x, &row, &rows, e);
		pm_listing_close(&rows);
	}
	pm_jobfilter_free(&filter);
	pm_export_row_free(&row);
	free(sql);
	return rc < 0 ? -1 : (int64_t)x.rows;
}
