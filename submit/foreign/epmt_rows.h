/* A process of EPMT's database as lines of papiex's CSV. Programs only. */
#ifndef PM_EPMT_ROWS_H
#define PM_EPMT_ROWS_H

#include "common/archive.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* What the database says of a process; what is not there is NULL. */
struct pm_epmt_process {
	json_t *column;  /* of the table, by papiex's names */
	json_t *tags;    /* object */
	json_t *threads; /* threads_df: what papiex said of each, in one of three forms */
	json_t *sums;    /* threads_sums: object */
};

struct pm_epmt_rows {
	const struct pm_archive_sink *sink;
	const char *metrics; /* names of the values of a flat threads_df, commas between, or NULL */
	char *names;         /* the line of names that was written last */
	char *text;
	size_t len, cap;
};

/* Write the lines of a process, a line of names first where it is another one than before. Returns
 * 0 or -1 with e filled. */
int pm_epmt_rows_write(struct pm_epmt_rows *w, const struct pm_epmt_process *p, struct pm_err *e);
void pm_epmt_rows_free(struct pm_epmt_rows *w);

/* When the first thread of threads_df started, microseconds since 1970; 0 where it does not say. */
int64_t pm_epmt_rows_start(const json_t *threads);

/* The JSON of a column, which may be text of JSON in turn; NULL where it is none. */
json_t *pm_epmt_rows_json(const char *text);

#endif
