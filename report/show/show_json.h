/* A whole job as JSON. */
#ifndef PM_REPORT_SHOW_SHOW_JSON_H
#define PM_REPORT_SHOW_SHOW_JSON_H

#include "report/show/show_filter.h"

#include "db/db.h"

#include <stdint.h>
#include <stdio.h>

/*
 * Print {"job":{},"hosts":[],"processes":[],"threads":[],"counters":[],"tags":[],
 * "annotations":[],"series":[]}: every column of every row, at most `limit` rows of each list, row
 * by row so that memory stays constant. The filter is for processes and what is of processes.
 * Returns 0 or -1 with e filled.
 */
int pm_show_json(FILE *f, struct pm_db *db, int64_t job, int64_t limit,
		 const struct pm_show_filter *filter, struct pm_err *e);

#endif
