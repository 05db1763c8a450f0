/* Lines of a CSV file of papiex: names of columns, then a row per thread. Programs only. */
#ifndef PM_PAPIEX_CSV_H
#define PM_PAPIEX_CSV_H

#include "submit/papiex.h"

/*
 * Take a line, without its newline. Commas separate; a backslash in front of a comma, a backslash,
 * n, t or r makes one of them text. A line that names columns begins anew; before the first such
 * line, lines that begin with '#' are comments. Returns as pm_papiex_row.
 */
int pm_papiex_csv_line(struct pm_papiex *x, const char *line, size_t n, const char **why,
		       const char **column, struct pm_err *e);

#endif
