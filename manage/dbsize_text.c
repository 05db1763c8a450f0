/* The results of dbsize as text. */
#include "config.h"

#include "manage/dbsize.h"

#include "common/terminal.h"

#include "common/text.h"
#include "manage/jobs.h"
#include "report/print/cell.h"
#include "report/print/format.h"

#include <string.h>

static int64_t or_unknown(int64_t n)
{
	return n < 0 ? PM_UNKNOWN : n;
}

static void put_safe(struct pm_table *t, const char *text)
{
	char s[256];

	pm_text_safe(s, sizeof s, text, strlen(text), t->page->utf8);
	pm_table_cell(t, s);
}

static int finish_table(struct pm_table *t, struct pm_err *e)
{
	return pm_table_finish(t) < 0 ? pm_err(e, "print a table: out of memory") : 0;
}

static int64_t index_bytes(const struct pm_dbsize *d, const char *table)
{
	int64_t sum = 0;

	for (size_t i = 0; i < d->parts; i++) {
		if (!d->part[i].index || strcmp(d->part[i].table, table) != 0)
			continue;
		if (d->part[i].bytes < 0)
			return -1;
		sum += d->part[i].bytes;
	}
	return sum;
}

static int print_tables(const struct pm_dbsize *d, const struct pm_page *p, struct pm_err *e)
{
	static const struct pm_table_column look[] = {
		{ "Table", false, 0, 0 },
		{ "Rows", true, 0, 0 },
		{ "Size", true, 0, 0 },
		{ "Indexes", true, 0, 0 },
	};
	struct pm_table t;

	pm_page_heading(p, "Tables");
	pm_table_init(&t, p, look, 4, 2);
	for (size_t i = 0; i < d->parts; i++) {
		const struct pm_dbsize_part *part = &d->part[i];

		if (part->index)
			continue;
		put_safe(&t, part->name);
		pm_cell_count(&t, or_unknown(part->rows));
		pm_cell_bytes(&t, or_unknown(part->bytes));
		pm_cell_bytes(&t, or_unknown(index_bytes(d, part->name)));
	}
	return finish_table(&t, e);
}

static int print_indexes(const struct pm_dbsize *d, const struct pm_page *p, struct pm_err *e)
{
	static const struct pm_table_column look[] = {
		{ "Index", false, 0, 0 },
		{ "Table", false, 0, 0 },
		{ "Size", true, 0, 0 },
	};
	struct pm_table t;

	pm_page_heading(p, "Indexes");
	pm_table_init(&t, p, look, 3, 2);
	for (size_t i = 0; i < d->parts; i++) {
		if (!d->part[i].index)
			continue;
		put_safe(&t, d->part[i].name);
		put_safe(&t, d->part[i].table);
		pm_cell_bytes(&t, or_unknown(d->part[i].bytes));
	}
	return finish_table(&t, e);
}

static int print_spaces(const struct pm_dbsize *d, const struct pm_page *p, struct pm_err *e)
{
	static const struct pm_table_column look[] = {
		{ "Tablespace", false, 0, 0 },
		{ "Size", true, 0, 0 },
	};
	struct pm_table t;

	if (d->spaceless) {
		pm_page_heading(p, "Tablespaces");
		pm_page_text(p, "  ", "SQLite has none: the database is one file.");
		return 0;
	}
	pm_page_heading(p, "Tablespaces");
	pm_table_init(&t, p, look, 2, 2);
	for (size_t i = 0; i < d->spaces; i++) {
		put_safe(&t, d->space[i].name);
		pm_cell_bytes(&t, or_unknown(d->space[i].bytes));
	}
	return finish_table(&t, e);
}

static int print_jobs(const struct pm_dbsize *d, struct pm_db *db, const struct pm_page *p,
		      struct pm_err *e)
{
	static const struct pm_table_column look[] = {
		{ "Job", false, 12, 0 },
		{ "Processes", true, 0, 0 },
		{ "Rows", true, 0, 0 },
		{ "Estimated size", true, 0, 0 },
	};
	struct pm_table t;

	pm_page_heading(p, d->limit < d->jobs ? "Largest jobs" : "Jobs");
	pm_table_init(&t, p, look, 4, 2);
	for (size_t i = 0; i < d->limit; i++) {
		const struct pm_dbsize_job *job = &d->job[i];
		struct pm_jobs_one one;
		int rc = pm_jobs_read(&one, db, job->id, e);

		if (rc < 0) {
			pm_table_discard(&t);
			return -1;
		}
		if (rc == 0)
			continue;
		pm_table_cell(&t, one.name);
		pm_cell_count(&t, one.processes);
		pm_cell_count(&t, job->rows);
		pm_cell_bytes(&t, job->bytes > 0 ? (int64_t)job->bytes : PM_UNKNOWN);
	}
	return finish_table(&t, e);
}

int pm_dbsize_text(const struct pm_dbsize *d, struct pm_db *db, const struct pm_page *p,
		   struct pm_err *e)
{
	char bytes[PM_FORMAT_MAX], unused[PM_FORMAT_MAX], name[1024];

	pm_text_safe(name, sizeof name, pm_db_name(db), strlen(pm_db_name(db)), p->utf8);
	pm_terminal_print(p->f, "%s: %s", name, pm_format_bytes(bytes, or_unknown(d->bytes)));
	if (d->unused > 0)
		fprintf(p->f, ", %s of it free for later loads",
			pm_format_bytes(unused, d->unused));
	fputc('\n', p->f);
	if (((d->what & PM_DBSIZE_TABLES) && print_tables(d, p, e) < 0) ||
	    ((d->what & PM_DBSIZE_INDEXES) && print_indexes(d, p, e) < 0) ||
	    ((d->what & PM_DBSIZE_SPACES) && print_spaces(d, p, e) < 0))
		return -1;
	return d->what & PM_DBSIZE_JOBS ? print_jobs(d, db, p, e) : 0;
}
