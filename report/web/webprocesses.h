/*
 * The processes of a job as columns of a page: a row for each, in depth-first order of the tree. Of
 * a job with more processes than the page takes, the shortest ones without longer descendants are
 * folded: those below one process make one row with their sums.
 */
#ifndef PM_REPORT_WEB_WEBPROCESSES_H
#define PM_REPORT_WEB_WEBPROCESSES_H

#include "report/facts/facts.h"
#include "report/web/column.h"
#include "report/rows/names.h"

#include "db/db.h"

#include <jansson.h>

/* Columns that every page has; those of processcolumns.def follow. */
enum pm_web_column {
	PM_WEB_PARENT,
	PM_WEB_HOST,
	PM_WEB_PROGRAM,
	PM_WEB_START,
	PM_WEB_DURATION,
	PM_WEB_CPU,
	PM_WEB_END,
	PM_WEB_COUNT,
	PM_WEB_TAGS,
	PM_WEB_COMMAND,
#define PM_WEBCOLUMN(id, sql, code, type, unit, factor, fold, title) PM_WEB_##id,
#include "report/web/processcolumns.def"
#undef PM_WEBCOLUMN
	PM_WEB_COLUMNS
};

struct pm_webprocesses {
	struct pm_column *column[PM_WEB_COLUMNS];
	struct pm_workqueue *queue; /* that compresses them */
	struct pm_names programs, tagsets, ends;
	int64_t rows, processes;
	int64_t folded_rows, folded; /* rows that stand for several processes, and those */
	int64_t folded_unknown[PM_WEB_COLUMNS]; /* of those whose value is unknown */
	int64_t fold_us;                        /* processes below this were folded; 0: none were */
	/* Processes whose rows are asked for, by id, and their rows; -1: folded, or not there. */
	int64_t *asked, *asked_row;
	size_t asks, next_ask;
	int64_t command_us; /* shorter processes have no command in the page; 0: all have */
	int64_t strays;     /* rows whose parent is not in the page */
	size_t ticks;       /* clock ticks per second of the hosts */
};

/* The row of a process that is on the job's critical path; -1 where it has none of its own. */
int64_t pm_webprocesses_row(const struct pm_webprocesses *w, int64_t process);

/*
 * Read the processes of a job, at most about `most` rows. f has its facts, with all hosts. Returns
 * 0 or -1 with e filled; call pm_webprocesses_free() in either case.
 */
int pm_webprocesses_read(struct pm_webprocesses *w, struct pm_db *db, const struct pm_facts *f,
			 int64_t most, struct pm_err *e);
void pm_webprocesses_free(struct pm_webprocesses *w);

/* Describe the columns, for the index of the page. Returns a new object, NULL if out of memory. */
json_t *pm_webprocesses_index(const struct pm_webprocesses *w);

/* Write the columns as elements of the page. */
void pm_webprocesses_write(const struct pm_webprocesses *w, FILE *f);

#endif
