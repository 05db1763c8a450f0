/* The advice of a page, with links to the sections that show what each is about. */
#ifndef PM_REPORT_WEB_WEBADVICE_H
#define PM_REPORT_WEB_WEBADVICE_H

#include "report/print/page.h"
#include "report/facts/facts.h"
#include "report/web/websections.h"

/* Write the section. `has` tells which sections the job has in the page. */
void pm_webadvice_write(const struct pm_page *p, const struct pm_facts *f,
			const struct pm_webplace *place, const bool has[PM_WEBSECTIONS]);

#endif
