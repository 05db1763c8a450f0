/* One pass over the processes of a job. */
#include "config.h"

#include "report/rows/processpass.h"

#include "report/rows/query_row.h"

/* Columns of the query. */
enum column {
#define COLUMN(name) COLUMN_##name,
	PM_PROCESSPASS_NUMBERS(COLUMN) PM_PROCESSPASS_TEXTS(COLUMN)
#undef COLUMN
};

static void read_row(struct pm_processpass_row *row, struct pm_stmt *q)
{
#define NUMBER(name) row->name = pm_query_int(q, COLUMN_##name);
#define TEXT(name)   row->name = pm_db_text(q, COLUMN_##name, NULL);
	PM_PROCESSPASS_NUMBERS(NUMBER)
	PM_PROCESSPASS_TEXTS(TEXT)
#undef NUMBER
#undef TEXT
}

int pm_processpass(struct pm_db *db, int64_t job, struct pm_labels *labels,
		   const struct pm_processpass_taker *taker, size_t n, struct pm_err *e)
{
	/* In the order of the tree. It is that of SQLite's key; PostgreSQL sorts. */
	static const char sql[] = "SELECT "
#define COLUMN(name) #name ", "
		PM_PROCESSPASS_NUMBERS(COLUMN) PM_PROCESSPASS_TEXTS(COLUMN)
#undef COLUMN
			"1 FROM process WHERE job_id = ? ORDER BY id";
	struct pm_processpass_row row;
	struct pm_stmt *q;
	int rc;

	if (pm_query_prepare(db, sql, job, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0) {
		read_row(&row, q);
		row.label = pm_labels_number(labels, row.exename, row.args, row.thread_name);
		if (row.label < 0)
			rc = pm_err(e, "label processes: out of memory");
		for (size_t i = 0; i < n && rc >= 0; i++)
			rc = taker[i].take(taker[i].ctx, &row, e);
		if (rc < 0)
			break;
	}
	pm_db_finish(q);
	return rc;
}
