/* The name of an operation, for people and programs. */
#ifndef PM_REPORT_OPNAME_H
#define PM_REPORT_OPNAME_H

#include "report/print/table.h"

#include <jansson.h>

/* Put an operation into a table, by its key (pm_opselect_text()). Returns 0, or -1 if out of
 * memory.
 */
int pm_opname_cell(struct pm_table *t, const char *key);

/* Set the members "operation", its text, and "tags" of an object. Returns 0, or -1 if out of
 * memory.
 */
int pm_opname_pack(json_t *o, const char *key);

#endif
