/* The layout colmet: its tables, as rows. */
#ifndef PM_EXPORT_LAYOUT_COLMET_H
#define PM_EXPORT_LAYOUT_COLMET_H

#include "export/layout.h"
#include "export/layout/grid.h"
#include "export/layout/hosts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of texts in its files; the jobs of a node that have more are left empty. */
#define PM_COLMET_NAME 255
#define PM_COLMET_JOBS 8192

/* Columns in front of those of a table; the last one in tables of nodes alone. */
enum pm_colmet_head {
	PM_COLMET_TIMESTAMP, /* s since 1970, rounded down */
	PM_COLMET_HOSTNAME,
	PM_COLMET_JOB_ID,
	PM_COLMET_METRIC_BACKEND,
	PM_COLMET_INVOLVED_JOBS, /* a list in JSON */
	PM_COLMET_HEADS
};
extern const char *const pm_colmet_head[PM_COLMET_HEADS];

enum pm_colmet_how {
	PM_COLMET_WHOLE,
	PM_COLMET_REAL,
	PM_COLMET_BEGIN, /* of the job, in s since 1970 */
	PM_COLMET_AGE    /* since then, in us */
};

struct pm_colmet_column {
	char *name;
	enum pm_colmet_how how;
	struct pm_grid_column is; /* its object is owned */
	char *label[2];           /* of counter_N: what its mapping says of it; NULL: nothing */
	bool complete;            /* every value is known, and a whole number */
};

struct pm_colmet_table {
	const char *name, *sources;
	const char *mapping; /* the file that says what its columns counter_N are; NULL: none */
	bool node;           /* of job 0 */
	struct pm_colmet_column *column;
	size_t n, room;
	uint64_t rows; /* of all hosts */
};

/* What the files have of a job. */
struct pm_colmet {
	struct pm_layout_ask *a;
	struct pm_hosts hosts;
	char *jobid;      /* UTF-8 */
	int64_t number;   /* the job id as a number; -1: it is none */
	int64_t start_us; /* INT64_MIN: unknown */
	struct pm_colmet_table *table;
	size_t tables;
};

/* A row; texts live until the next one. */
struct pm_colmet_row {
	int64_t time_us;
	const char *host;
	const char *jobs;                    /* on the node, of tables of nodes; "": not known */
	const struct pm_export_value *value; /* of each column that is read */
};

/* Receive a row. Returns 0, or -1 with e filled. */
typedef int pm_colmet_take(void *self, const struct pm_colmet_row *row, struct pm_err *e);

/* Find the tables of a job with their columns, and read them once: how many rows they have, what is
 * complete, and how many faults, which a->damaged gets. Returns 0, or -1 with e filled; to be freed
 * in either case. */
int pm_colmet_find(struct pm_colmet *c, struct pm_layout_ask *a, struct pm_err *e);
void pm_colmet_free(struct pm_colmet *c);

/* Read what the tables have into their columns' `complete` and their `rows`, as part of
 * pm_colmet_find(). Returns 0, or -1 with e filled. */
int pm_colmet_check(struct pm_colmet *c, struct pm_err *e);

/* Read the rows of a table, host by host in the order of time, with `count` columns from `first`
 * on, and with the jobs on the node or not. Returns 0, or -1 with e filled. */
int pm_colmet_rows(struct pm_colmet *c, const struct pm_colmet_table *t, size_t first, size_t count,
		   bool jobs, pm_colmet_take *take, void *self, struct pm_err *e);

/* Write the metrics that --columns names, or all, as one object of JSON with a list for each:
 * what colmet's extractor prints. Returns 0, or -1 with e filled. */
int pm_colmet_extract(struct pm_colmet *c, struct pm_err *e);

#endif
