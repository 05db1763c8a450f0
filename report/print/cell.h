/* Cells of a table straight from a query's row. Unknown is "unknown", or "" where `cells` say. */
#ifndef PM_CELLS_H
#define PM_CELLS_H

#include "report/table.h"

#include "db/db.h"

#include <stdint.h>

/* Values as report/format.h writes them; text as report/text.h makes it safe: `field` decodes
 * escaped text, `plain` takes it as it is. */
void pm_cells_duration(struct pm_table *t, int64_t us);
void pm_cells_bytes(struct pm_table *t, int64_t bytes);
void pm_cells_share(struct pm_table *t, double share);
void pm_cells_count(struct pm_table *t, int64_t n);
void pm_cells_id(struct pm_table *t, int64_t n); /* digits without grouping */
void pm_cells_field(struct pm_table *t, struct pm_stmt *q, int i);
void pm_cells_plain(struct pm_table *t, struct pm_stmt *q, int i);

/* How a process ended, as short text in `dst` of PM_FORMAT_MAX bytes: "0", "status 1", "SIGKILL",
 * "exec", "running", "unknown". reason may be NULL. Returns dst. */
const char *pm_cells_ending(char *dst, const char *reason, int64_t status, int64_t signal);

#endif
