/* A page for a browser that a verb writes with what it prints as text, too: --html FILE. */
#ifndef PM_REPORT_VERBPAGE_H
#define PM_REPORT_VERBPAGE_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "common/outfile.h"
#include "report/print/page.h"

/* Room for a title. */
#define PM_VERBPAGE_TITLE 512

struct pm_verbpage {
	const struct pm_cli *cli;
	struct pm_page page; /* what is printed on it comes between header and footer */
	struct pm_outfile out;
};

/*
 * Begin the page in the file that --html names: head, and `title`, of which control characters and
 * bytes that are not UTF-8 are made visible. Returns 0, or -1 with e filled.
 */
int pm_verbpage_open(struct pm_verbpage *v, const struct pm_cli *cli, const char *title,
		     struct pm_err *e);

/* Finish the page, with the command that it is of, and give the file its name. Returns 0, or -1
 * with e filled and no file. */
int pm_verbpage_commit(struct pm_verbpage *v, struct pm_err *e);

/* Remove what was written, unless it was committed; nothing for a page that was not opened. */
void pm_verbpage_abandon(struct pm_verbpage *v);

/* Whether more than one of --html, --json and --csv is given: then -1 with e filled, else 0. */
int pm_verbpage_check(const struct pm_cli *cli, struct pm_err *e);

#endif
