/* Print processes of a job as a list. */
#include "config.h"

#include "report/show/show_list.h"

#include "common/record/processname.h"
#include "report/print/cell.h"
#include "report/print/format.h"
#include "report/print/table.h"
#include "report/rows/query_row.h"

#include <stdio.h>
#include <stdlib.h>

static void print_process(struct pm_table *t, struct pm_stmt *q)
{
	char text[PM_COMMAND_MAX];

	pm_cell_id(t, pm_query_int(q, 0));
	pm_cell_id(t, pm_query_int(q, 1));
	pm_cell_host(t, q, 2);
	pm_cell_duration(t, pm_query_int(q, 3));
	pm_cell_duration(t, pm_query_int(q, 4));
	pm_cell_duration(t, pm_query_int(q, 5));
	pm_cell_duration(t, pm_query_int(q, 6));
	pm_cell_bytes(t, pm_format_scale(pm_query_int(q, 7), PM_KERNEL_KB));
	pm_table_cell(t, pm_cell_ending(text, pm_db_text(q, 8, NULL), pm_query_int(q, 9),
					pm_query_int(q, 10)));
	if (pm_db_is_null(q, 13))
		pm_table_cell(t, "");
	else
		pm_cell_id(t, pm_query_int(q, 13));
	pm_table_cell(t, pm_processname_command(text, sizeof text, pm_db_text(q, 11, NULL),
						pm_db_text(q, 12, NULL), t->page->utf8));
}

int pm_show_list(const struct pm_page *p, struct pm_db *db, int64_t job, int64_t limit,
		 const struct pm_show_filter *f, struct pm_err *e)
{
	static const struct pm_table_column columns[] = {
		{ "#", true, 0, 4 },        { "Pid", true, 0, 2 },       { "Host", false, 8, 5 },
		{ "After", true, 0, 0 },    { "Wall time", true, 0, 0 }, { "CPU time", true, 0, 0 },
		{ "Tree CPU", true, 0, 3 }, { "Peak mem.", true, 0, 1 }, { "Ended", false, 0, 0 },
		{ "Rank", true, 0, -1 },    { "Command", false, 28, 0 },
	};
	struct pm_table t;
	struct pm_stmt *q;
	int64_t rows = 0;
	bool more;
	char *sql;
	int rc;

	if (asprintf(&sql,
		     "SELECT p.id, p.pid, h.hostname, p.start_us - j.start_us, p.duration_us,"
		     " p.cpu_time, p.inclusive_cpu_time, p.rssmax, p.end_reason, p.exitcode,"
		     " p.exitsignal, p.exename, p.args, p.mpirank FROM process p"
		     " JOIN host h ON h.job_id = p.job_id AND h.id = p.host_id"
		     " JOIN job j ON j.id = p.job_id WHERE p.job_id = ?%s ORDER BY %sp.id LIMIT ?",
		     f->where, f->by_start ? "p.start_us IS NULL, p.start_us, " : "") < 0)
		return pm_err(e, "out of memory");
	rc = pm_query_prepare(db, sql, job, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	/* One more tells whether there are more. */
	pm_db_bind_int(q, 2, limit == INT64_MAX ? limit : limit + 1);
	pm_table_init(&t, p, columns, sizeof columns / sizeof columns[0], 0);
	for (; (rc = pm_db_step(q, e)) > 0 && rows < limit; rows++)
		print_process(&t, q);
	more = rc > 0;
	pm_db_finish(q);
	if (rc < 0 || !rows) {
		pm_table_discard(&t);
		if (rc == 0)
			fputs("no such processes\n", p->f);
		return rc;
	}
	if (pm_table_finish(&t) < 0)
		return pm_err(e, "print a table: out of memory");
	if (more)
		fputs("\nMore processes are not shown; --limit 0 shows all.\n", p->f);
	return 0;
}
