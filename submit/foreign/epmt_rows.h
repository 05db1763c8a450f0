/* Convert a process of EPMT's database to lines of papiex's CSV. */
#ifndef PM_SUBMIT_FOREIGN_EPMT_ROWS_H
#define PM_SUBMIT_FOREIGN_EPMT_ROWS_H

#include "common/archive.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Data of a process in the database; missing parts are NULL. */
struct pm_epmt_process {
	json_t *column;  /* columns of the table, by papiex's names */
	json_t *tags;    /* object */
	json_t *threads; /* threads_df: papiex's data of each thread, in one of three forms */
	json_t *sums;    /* threads_sums: object */
};

struct pm_epmt_rows {
	const struct pm_archive_sink *sink;
	const char *metrics; /* names of a flat threads_df's values, comma-separated, or NULL */
	char *names;         /* the last line of names written */
	char *text;
	size_t len, cap;
};

/* Write the lines of a process, preceded by a line of names if that differs from the last one.
 * Returns 0 or -1 with e filled. */
int pm_epmt_rows_write(struct pm_epmt_rows *w, const struct pm_epmt_process *p, struct pm_err *e);
void pm_epmt_rows_free(struct pm_epmt_rows *w);

/* Start of the first thread of threads_df, microseconds since 1970; 0 if unknown. */
int64_t pm_epmt_rows_start(const json_t *threads);

/* Parse the JSON of a column, which may be a JSON string containing JSON; NULL if it is not JSON.
 */
json_t *pm_epmt_rows_json(const char *text);

/* Tags of a process: an object, or a text NAME:VALUE;.... Returns a new reference; NULL: none. */
json_t *pm_epmt_rows_tags(const char *text);

#endif
