/* What the command line asks of the output: its width, how many rows. */
#ifndef PM_GIVEN_H
#define PM_GIVEN_H

#include "report/page.h"

#include "common/err.h"
#include "common/verb.h"

#include <stdint.h>

/* The page on standard output that --width, the terminal, COLUMNS and the locale give.
 * Returns 0, or -1 with e filled on a bad --width. */
int pm_given_page(const struct pm_cli *cli, struct pm_page *p, struct pm_err *e);

/* --limit, or `otherwise` without it; 0 means no limit and gives INT64_MAX. Returns 0, or -1 with
 * e filled on a bad one. */
int pm_given_limit(const struct pm_cli *cli, int64_t otherwise, int64_t *limit, struct pm_err *e);

/* Flush standard output. Returns 0, or -1 with e filled where something could not be written; a
 * reader that went away early is no failure. */
int pm_given_flush(struct pm_err *e);

#endif
