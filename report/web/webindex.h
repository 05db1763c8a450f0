/* The index of a page: what its data are, as one JSON object. */
#ifndef PM_REPORT_WEB_WEBINDEX_H
#define PM_REPORT_WEB_WEBINDEX_H

#include "report/web/webprocesses.h"
#include "report/web/webseries.h"

/* Phases that the picture of a page has. */
#define PM_WEBINDEX_PHASES 5000

/*
 * Describe a job: its hosts, programs, phases, the columns of its processes, its series and its
 * time line. Returns the text, which the caller frees and which has no < in it, or NULL with e
 * filled.
 */
char *pm_webindex(struct pm_db *db, const struct pm_facts *f, const char *title,
		  const struct pm_webprocesses *processes, const struct pm_webseries *series,
		  struct pm_err *e);

#endif
