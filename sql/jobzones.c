/*
 * SQLite's way to the jobs with the largest or the least figure: for each zone of jobs, by their
 * number, how large a figure is at least and at most. An index per figure, which jobs enter in no
 * order, would cost a load several times what the job's row does; a zone is one row that the loads
 * of its jobs share. The bounds only widen, so that they hold without being exact: whatever
 * changes or deletes a job leaves them true. analysis/select/jobtop.c asks them. PostgreSQL, where
 * loaders of one zone would wait for each other, has the indexes.
 */
#include "config.h"

#include "sql/schema.h"

/* Columns by which lists are sorted and no index is. */
static const char *const figures[] = {
#define PM_JOBFIGURE(order, column) #column,
#include "sql/jobfigures.def"
#undef PM_JOBFIGURE
};

#define FIGURES (sizeof figures / sizeof figures[0])

/* min() of SQLite is NULL where one is, and an unknown figure is less than any: least says so;
 * max() must not. */
static void write_widening(FILE *out)
{
	fputs("\tINSERT INTO job_zone VALUES (NEW.id / " PM_SCHEMA_JOB_ZONE, out);
	for (size_t i = 0; i < FIGURES; i++)
		fprintf(out, ", NEW.%1$s, NEW.%1$s", figures[i]);
	fputs(")\n\tON CONFLICT (zone) DO UPDATE SET", out);
	for (size_t i = 0; i < FIGURES; i++)
		fprintf(out,
			"%2$s\n\t\tleast_%1$s = min(least_%1$s, excluded.least_%1$s),\n"
			"\t\tmost_%1$s = max(coalesce(most_%1$s, excluded.most_%1$s), "
			"coalesce(excluded.most_%1$s, most_%1$s))",
			figures[i], i ? "," : "");
	fputs(";\nEND;\n", out);
}

void pm_schema_write_jobzones(FILE *out)
{
	fputs("\n-- bounds of the figures of each " PM_SCHEMA_JOB_ZONE
	      " jobs, in place of an index per figure; NULL in least_: some are\n"
	      "-- unknown, in most_: all are\nCREATE TABLE job_zone (\n\tzone INTEGER PRIMARY KEY, "
	      "-- number of the job / " PM_SCHEMA_JOB_ZONE "\n",
	      out);
	for (size_t i = 0; i < FIGURES; i++)
		fprintf(out, "\tleast_%1$s, most_%1$s%2$s\n", figures[i],
			i + 1 < FIGURES ? "," : "");
	/* A load inserts the row first, without its figures. */
	fputs(");\nCREATE TRIGGER job_zone_insert AFTER INSERT ON job WHEN NEW.processes IS NOT "
	      "NULL "
	      "BEGIN\n",
	      out);
	write_widening(out);
	fputs("CREATE TRIGGER job_zone_update AFTER UPDATE OF", out);
	for (size_t i = 0; i < FIGURES; i++)
		fprintf(out, "%s %s", i ? "," : "", figures[i]);
	fputs(" ON job BEGIN\n", out);
	write_widening(out);
}
