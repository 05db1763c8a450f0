/* The indexes beside primary and unique keys. */
#include "config.h"

#include "sql/schema.h"

#include "common/job/jobidentity.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* SQLite sorts NULL below any value anyway, and its CREATE INDEX does not accept the words. */
#define NULLS_LAST  " NULLS LAST"
#define NULLS_FIRST " NULLS FIRST"

/* PostgreSQL refuses a row whose index entry is long, and users choose these texts. */
#define BEGINNING(text) "(substr(" text ", 1, 100))"

/* The order of `perfmon list jobs`. */
#define LATEST PM_JOBIDENTITY_LATEST

/*
 * One for each way in which loaders and people look for jobs, but by their id, which begins the
 * unique key of the table: the cost of a look-up does not grow with the jobs in the database.
 * tests/e2e/db/plans.t checks that no statement reads every job unless all jobs are the answer.
 * Each index that is not in the order of time costs every load a page, so there is none that
 * another could stand for.
 */
static const struct {
	const char *name, *on, *where;
	bool postgres; /* of PostgreSQL alone: SQLite has zones (jobzones.c) */
} indexes[] = {
	{ "job_by_shown_id", "job ((" PM_JOBIDENTITY_SHOWN("") "))", "", false },
	/* With the figures, for orders by them among the jobs of a time. */
	{ "job_by_start",
	  "job (" LATEST
#define PM_JOBFIGURE(order, column) ", " #column
#include "sql/jobfigures.def"
#undef PM_JOBFIGURE
	  ")",
	  "", false },
	{ "job_by_end", "job ((" PM_SCHEMA_JOB_END("") ") DESC" NULLS_LAST ", id DESC)", "",
	  false },
	{ "job_by_user", "job (\"user\", " LATEST ")", "", false },
	/* Of those whose user has no name. */
	{ "job_by_uid", "job (uid, " LATEST ")", " WHERE \"user\" = ''", false },
	{ "job_by_name", "job (" BEGINNING("name") NULLS_FIRST ", " LATEST ")", "", false },
	{ "job_by_account", "job (" BEGINNING("account") NULLS_FIRST ", " LATEST ")", "", false },
	{ "job_by_queue", "job (" BEGINNING("queue") NULLS_FIRST ", " LATEST ")", "", false },
	{ "job_by_exit",
	  "job (exit_status DESC" NULLS_LAST ", exit_signal DESC" NULLS_LAST ", id DESC)", "",
	  false },
	{ "job_failed", "job (" LATEST ")", " WHERE " PM_SCHEMA_JOB_FAILED, false },
	{ "job_running", "job (" LATEST ")", " WHERE " PM_SCHEMA_JOB_RUNNING, false },
	{ "job_unanalyzed", "job (id)", " WHERE " PM_SCHEMA_JOB_UNANALYZED, false },
	{ "analysis_untold", "analysis (job_id)", " WHERE " PM_SCHEMA_ANALYSIS_UNTOLD, false },
	{ "model_of_job", "model_job (job_id)", "", false },
	{ "host_by_name", "host (" BEGINNING("hostname") ", job_id)", "", false },
	{ "annotation_by_name", "annotation (name, " BEGINNING("value") ")", "", false },
	{ "tag_of_job", "tag_set (name, " BEGINNING("value") ")", " WHERE id = 0", false },
#define PM_JOBFIGURE(order, column)                                                                \
	{ "job_by_" #column, "job (" #column " DESC" NULLS_LAST ", id DESC)", "", true },
#include "sql/jobfigures.def"
#undef PM_JOBFIGURE
};

const char *pm_schema_index_name(size_t i, bool zones)
{
	for (size_t k = 0; k < sizeof indexes / sizeof indexes[0]; k++)
		if (!(zones && indexes[k].postgres) && i-- == 0)
			return indexes[k].name;
	return NULL;
}

void pm_schema_write_indexes(enum pm_dialect dialect, FILE *out)
{
	fputs("\n-- for questions about all jobs\n", out);
	for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++) {
		const char *on = indexes[i].on, *next;

		if (indexes[i].postgres && dialect == PM_DIALECT_SQLITE)
			continue;
		fprintf(out, "CREATE INDEX %s ON ", indexes[i].name);
		while (dialect == PM_DIALECT_SQLITE && (next = strstr(on, " NULLS ")) != NULL) {
			fprintf(out, "%.*s", (int)(next - on), on);
			next += strlen(" NULLS ");
			on = next + strcspn(next, ",)");
		}
		fprintf(out, "%s%s;\n", on, indexes[i].where);
	}
}
