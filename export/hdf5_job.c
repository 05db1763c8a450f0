/* Jobs as a whole in HDF5 files. */
#include "config.h"

#include "export/hdf5_job.h"

#include "export/hdf5_samples.h"
#include "export/hdf5_table.h"
#include "export/oprows.h"
#include "export/row.h"

#include "common/job/jobidentity.h"
#include "report/list/list_columns.h"
#include "report/list/listing.h"

#include <stdlib.h>
#include <string.h>

/* The kinds of rows that a job has beside operations; samples are no table. */
static const char *const kinds[] = {
	"jobs", "processes", "threads",     "counters", "hosts",  "summaries", "energy",
	"tags", "phases",    "annotations", "analyses", "series", "rejects",
};

/* Write the rows that a listing has. Returns 0, or -1 with e filled. */
static int write_rows(struct pm_hdf5 *h, int64_t group, const struct pm_list_table *t,
		      struct pm_listing *rows, struct pm_hdf5_faults *f, struct pm_err *e)
{
	struct pm_export_row row;
	struct pm_hdf5_table *table = NULL;
	int rc = pm_export_row_init(&row, t, rows->q, e);

	if (rc == 0 && !(table = pm_hdf5_table_new(h, group, t->name, row.column, row.n, e)))
		rc = -1;
	while (rc >= 0 && (rc = pm_listing_next(rows, e)) > 0) {
		rc = pm_export_row_take(&row, rows->q, e);
		if (rc == 0)
			rc = pm_hdf5_table_row(table, row.value, e);
	}
	f->odd += row.odd;
	if (rc == 0)
		rc = pm_hdf5_table_finish(table, e);
	else
		pm_hdf5_table_free(table);
	pm_export_row_free(&row);
	return rc;
}

/* Write a table of a job, or one that is of none. Returns 0, or -1 with e filled. */
static int write_table(struct pm_hdf5 *h, int64_t group, struct pm_db *db, int64_t job,
		       const char *kind, struct pm_hdf5_faults *f, struct pm_err *e)
{
	const struct pm_list_ask ask = { .table = pm_list_find(kind),
					 .job = job,
					 .limit = INT64_MAX };
	struct pm_list_names names;
	struct pm_listing rows;
	char *columns = NULL;
	size_t count;
	int rc = pm_list_names_read(&names, db, ask.table, e);

	if (rc == 0 && !(columns = pm_list_columns_sql(&names, ask.table, NULL, &count, e)))
		rc = -1;
	if (rc == 0) {
		rc = pm_listing_open(&rows, db, &ask, columns, false, e);
		if (rc == 0)
			rc = write_rows(h, group, ask.table, &rows, f, e);
		pm_listing_close(&rows);
	}
	free(columns);
	pm_list_names_free(&names);
	return rc < 0 ? pm_err_prefix(e, "%s", kind) : 0;
}

/* Write the rows of a job's operations. Returns 0, or -1 with e filled. */
static int write_op_rows(struct pm_hdf5 *h, int64_t group, struct pm_oprows *ops,
			 struct pm_export_row *row, struct pm_err *e)
{
	struct pm_hdf5_table *table =
		pm_hdf5_table_new(h, group, PM_OPROWS, row->column, row->n, e);
	int rc = table ? 0 : -1;

	while (rc >= 0 && (rc = pm_oprows_next(ops, row, e)) > 0)
		rc = pm_hdf5_table_row(table, row->value, e);
	if (rc == 0)
		return pm_hdf5_table_finish(table, e);
	pm_hdf5_table_free(table);
	return -1;
}

/* Write the table of a job's operations. Returns 0, or -1 with e filled. */
static int write_ops(struct pm_hdf5 *h, int64_t group, struct pm_db *db, int64_t job,
		     const struct pm_cli *cli, struct pm_err *e)
{
	struct pm_export_row row = { .n = 0 };
	struct pm_oprows ops;
	int rc = pm_oprows_init(&ops, cli, &row, e) == PM_EXIT_OK ? 0 : -1;

	if (rc == 0)
		rc = pm_oprows_begin(&ops, db, job, e);
	if (rc == 0)
		rc = write_op_rows(h, group, &ops, &row, e);
	pm_oprows_free(&ops);
	pm_export_row_free(&row);
	return rc < 0 ? pm_err_prefix(e, PM_OPROWS) : 0;
}

/* Create the group of a job by its id. Returns it, or -1 with e filled. */
static int64_t make_group(struct pm_hdf5 *h, struct pm_db *db, int64_t job, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t group = -1;
	int rc;

	if (pm_db_prepare(db, "SELECT " PM_JOBIDENTITY_SHOWN("") " FROM job WHERE id = ?", &q, e) <
	    0)
		return -1;
	pm_db_bind_int(q, 1, job);
	rc = pm_db_step(q, e);
	if (rc == 0)
		pm_err(e, "the job was deleted meanwhile");
	if (rc > 0) {
		size_t n = 0;
		const char *name = pm_db_text(q, 0, &n);

		group = pm_hdf5_group(h, pm_hdf5_root(h), name ? name : "", name ? n : 0, job, e);
	}
	pm_db_finish(q);
	return group;
}

int pm_hdf5_job_write(struct pm_hdf5 *h, struct pm_db *db, int64_t job, const struct pm_cli *cli,
		      struct pm_hdf5_faults *f, struct pm_err *e)
{
	const int64_t group = make_group(h, db, job, e);
	int rc = group < 0 ? -1 : 0;

	for (size_t i = 0; rc == 0 && i < sizeof kinds / sizeof kinds[0]; i++)
		rc = write_table(h, group, db, job, kinds[i], f, e);
	if (rc == 0)
		rc = write_ops(h, group, db, job, cli, e);
	if (rc == 0)
		rc = pm_hdf5_samples_write(h, group, db, job, f, e);
	pm_hdf5_group_close(h, group);
	return rc;
}

int pm_hdf5_job_metrics(struct pm_hdf5 *h, struct pm_db *db, struct pm_hdf5_faults *f,
			struct pm_err *e)
{
	return write_table(h, pm_hdf5_root(h), db, 0, "metrics", f, e);
}
