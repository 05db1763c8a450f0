/* Print the rows of `perfmon list`. */
#ifndef PM_REPORT_LIST_LIST_PRINT_H
#define PM_REPORT_LIST_LIST_PRINT_H

#include "report/list/list_columns.h"
#include "report/list/listing.h"
#include "report/print/page.h"

#include <stdbool.h>
#include <stddef.h>

/* How rows are printed. */
struct pm_list_look {
	const struct pm_page *page;
	enum pm_list_form { PM_LIST_TEXT, PM_LIST_CSV, PM_LIST_JSON } form;
	bool several;        /* rows are of several jobs: lines for people have the job's number */
	const char *columns; /* SQL of columns of r; NULL: the lines for people */
	size_t count;        /* of these */
	const struct pm_list_names *names; /* theirs are among these */
};

/* Print the rows that are asked for. Returns 1 if their limit was reached, 0, or -1 with e filled.
 */
int pm_list_print(struct pm_db *db, const struct pm_list_ask *ask, const struct pm_list_look *k,
		  struct pm_err *e);

#endif
