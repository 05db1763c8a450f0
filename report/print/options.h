/* Output options of the command line: the width, colours and the number of rows. */
#ifndef PM_REPORT_PRINT_OPTIONS_H
#define PM_REPORT_PRINT_OPTIONS_H

#include "report/print/page.h"

#include "common/cli/verb.h"
#include "common/err.h"

#include <stdint.h>

/* Set up the page on standard output from --width, --color, the terminal, COLUMNS, NO_COLOR and the
 * locale. Returns 0, or -1 with e filled on a bad --width or --color. */
int pm_options_page(const struct pm_cli *cli, struct pm_page *p, struct pm_err *e);

/* Read --limit, or take `otherwise` without it; 0 means no limit and gives INT64_MAX. Returns 0, or
 * -1 with e filled on a bad --limit. */
int pm_options_limit(const struct pm_cli *cli, int64_t otherwise, int64_t *limit, struct pm_err *e);

/* Read --offset, 0 without it. Returns 0, or -1 with e filled on a bad --offset. */
int pm_options_offset(const struct pm_cli *cli, int64_t *offset, struct pm_err *e);

/* Flush standard output. Returns 0, or -1 with e filled where a write failed; a reader that closed
 * its pipe early (EPIPE) is no failure. */
int pm_options_flush(struct pm_err *e);

#endif
