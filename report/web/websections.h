/* The sections of a page: what is readable without its script. */
#ifndef PM_REPORT_WEB_WEBSECTIONS_H
#define PM_REPORT_WEB_WEBSECTIONS_H

#include "report/print/page.h"
#include "report/query/facts.h"
#include "report/web/webseries.h"

#include <stdbool.h>

#define PM_WEBSECTIONS 20

/* The name by which links refer to a section, and its title. */
const char *pm_websection_id(int section);
const char *pm_websection_title(int section);

/* Write all sections that have something to say; `has` tells which. Returns 0, or -1 if out of
 * memory. */
int pm_websections_write(const struct pm_page *p, const struct pm_facts *f,
			 const struct pm_webseries *series, bool has[PM_WEBSECTIONS]);

#endif
