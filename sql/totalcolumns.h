/* Columns of the tables of totals: of series, programs, sets of tags and days; tables.c alone
 * includes it. */
#ifndef PM_SQL_TOTALCOLUMNS_H
#define PM_SQL_TOTALCOLUMNS_H

#include "sql/column.h"

static const struct pm_schema_column total_columns[] = {
	KEY("job_id", "the job"),
	KEY("series_id", "the series"),
	KEY("samples", "number of its samples"),
	KEY("known", "samples whose value is known"),
	{ "begin_us", PM_SCHEMA_INTEGER, true, "us", "", "time of its earliest sample" },
	{ "end_us", PM_SCHEMA_INTEGER, true, "us", "", "time of its latest sample" },
	INT("minimum", "the least known value"),
	INT("maximum", "the greatest known value"),
	REAL("mean", "the mean of the known values"),
};

/* A name with a unit. */
#define SUM(name, unit, help)                                                                      \
	{                                                                                          \
		name, PM_SCHEMA_INTEGER, false, unit, "", help                                     \
	}

static const struct pm_schema_column program_columns[] = {
	KEY("job_id", "the job"),
	NAME("program",
	     "label of its processes: the executable, with the script of an interpreter"),
	KEY("processes", "its rows in process"),
	KEY("runs", "those of them that are neither forks that only execute another program nor "
		    "programs that could not be started"),
	KEY("threads_known", "runs whose number of threads is known"),
	KEY("failed", "its processes that ended with a status other than 0 or by a signal"),
	KEY("killed", "its processes ended by a signal"),
#define PM_PROGRAMVALUE(id, column, unit, kind, help) SUM(column, unit, help),
#include "sql/programvalues.def"
#undef PM_PROGRAMVALUE
};

static const struct pm_schema_column tagsum_columns[] = {
	KEY("job_id", "the job"),
	KEY("tag_set", "the set of tags, as in tag_set"),
	KEY("processes", "processes that have it"),
	KEY("timed", "those of them whose start and end are known, in this order"),
	USEC("start_us", "the earliest start of a process"),
	USEC("finish_us", "the latest end of a process"),
#define PM_TAGFIGURE(column, unit, kind)                                                           \
	SUM(#column, unit, TAGFIGURE_##kind #column " in process; NULL if unknown"),               \
		KEY(#column "_known", "processes whose " #column " is known"),
#define TAGFIGURE_SUM  "sum of "
#define TAGFIGURE_PEAK "largest "
#include "sql/tagfigures.def"
#undef PM_TAGFIGURE
	/* The last: what is behind a long value takes longer to read. */
	{ "runs", PM_SCHEMA_BLOB, false, "", "",
	  "times at which one of `timed` ran, as intervals in coded bytes; NULL for none" },
};

static const struct pm_schema_column user_day_columns[] = {
	NAME("cluster", "cluster of the jobs, as in job"),
	NAME("user", "user of the jobs, as in job"),
	{ "day_us", PM_SCHEMA_INTEGER, true, "us", "", "midnight UTC at which the day began" },
	KEY("jobs", "jobs that started on the day; where the start is unknown, epoch_us counts"),
	KEY("failed", "those of them with an exit_status other than 0 or an exit_signal"),
	KEY("processes", "their processes"),
#define PM_USERDAYVALUE(id, column, unit, sql, help)                                               \
	SUM(column, unit, help), KEY(column "_jobs", "jobs whose part of " column " is known"),
#include "sql/userdayvalues.def"
#undef PM_USERDAYVALUE
};

#endif
