/* A page for a browser that a verb writes with what it prints as text, too: --html FILE. */
#ifndef PM_REPORT_VERBPAGE_H
#define PM_REPORT_VERBPAGE_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "report/print/page.h"

/* Room for a title. */
#define PM_VERBPAGE_TITLE 512

/* Prints what comes between header and footer. Returns 0, or -1 with e filled. */
typedef int pm_verbpage_fn(const void *ctx, const struct pm_page *page, struct pm_err *e);

/*
 * Write the page in the file that --html names: head and `title`, of which control characters and
 * bytes that are not UTF-8 are made visible; what `print` prints; the command that it is of.
 * Returns 0, or -1 with e filled and the file as it was.
 */
int pm_verbpage_write(const struct pm_cli *cli, const char *title, pm_verbpage_fn *print,
		      const void *ctx, struct pm_err *e);

/* Whether more than one of --html, --json and --csv is given: then -1 with e filled, else 0. */
int pm_verbpage_check(const struct pm_cli *cli, struct pm_err *e);

#endif
