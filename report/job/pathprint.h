/* The critical path of a job, printed: as tables of its programs and steps, as JSON, with notes
 * that say what the figures leave out. */
#ifndef PM_REPORT_JOB_PATHPRINT_H
#define PM_REPORT_JOB_PATHPRINT_H

#include "report/print/page.h"
#include "report/facts/criticalpath.h"

#include <jansson.h>
#include <stdint.h>

/* Print the programs with the most time on the path, at most `limit`. Returns 0, or -1 if out of
 * memory, as the next one does. */
int pm_pathprint_programs(const struct pm_page *p, const struct pm_criticalpath *path,
			  int64_t limit);

/* Print the longest steps, at most `limit`, in order of time, and a line about the others. */
int pm_pathprint_steps(const struct pm_page *p, const struct pm_criticalpath *path, int64_t limit);

/* Print what was done along the path, and what is uncertain about it. */
void pm_pathprint_notes(const struct pm_page *p, const struct pm_criticalpath *path);

/* The path as an object, with the longest steps, at most `limit`, in order of time. Returns a new
 * reference, NULL if out of memory. */
json_t *pm_pathprint_json(const struct pm_criticalpath *path, int64_t limit);

#endif
