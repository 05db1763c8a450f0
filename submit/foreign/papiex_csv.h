/* Parser of papiex's CSV files: names of columns, then a row per thread. */
#ifndef PM_SUBMIT_FOREIGN_PAPIEX_CSV_H
#define PM_SUBMIT_FOREIGN_PAPIEX_CSV_H

#include "submit/foreign/papiex.h"

/*
 * Parse a line, without its newline. Fields are separated by commas; \,, \\, \n, \t and \r are
 * escapes. A line with column names starts a new table; before the first such line, lines that
 * begin with '#' are comments. Returns the same as pm_papiex_row().
 */
int pm_papiex_csv_line(struct pm_papiex *x, const char *line, size_t n, const char **why,
		       const char **column, struct pm_err *e);

#endif
