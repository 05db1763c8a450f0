/* Format values of a query's row as cells of a table. Unknown values become "unknown". */
#ifndef PM_REPORT_PRINT_CELL_H
#define PM_REPORT_PRINT_CELL_H

#include "report/print/table.h"

#include "db/db.h"

#include <stdint.h>

/* Append a cell: numbers formatted by report/print/format.h, text made safe by common/text.h.
 * `field` decodes escaped text, `plain` takes unescaped text. */
void pm_cell_duration(struct pm_table *t, int64_t us);
void pm_cell_bytes(struct pm_table *t, int64_t bytes);
void pm_cell_share(struct pm_table *t, double share);
void pm_cell_number(struct pm_table *t, double v);
void pm_cell_energy(struct pm_table *t, int64_t uj);
void pm_cell_power(struct pm_table *t, int64_t uw);
void pm_cell_count(struct pm_table *t, int64_t n);
void pm_cell_id(struct pm_table *t, int64_t n); /* digits without grouping */
void pm_cell_field(struct pm_table *t, struct pm_stmt *q, int i);
void pm_cell_plain(struct pm_table *t, struct pm_stmt *q, int i);
void pm_cell_host(struct pm_table *t, struct pm_stmt *q, int i); /* plain; without a name unknown */

/* Describe how a process ended in `dst` of PM_FORMAT_MAX bytes: "0", "status 1", "SIGKILL", "exec",
 * "running", "unknown". reason may be NULL. Returns dst. */
const char *pm_cell_ending(char *dst, const char *reason, int64_t status, int64_t signal);

#endif
