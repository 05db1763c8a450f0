/* What a page says of a job first: its identity, and six figures with a verdict each. */
#ifndef PM_REPORT_WEB_WEBHEADER_H
#define PM_REPORT_WEB_WEBHEADER_H

#include "report/print/page.h"
#include "report/facts/facts.h"

/* Write both, in the form of HTML. */
void pm_webheader_write(const struct pm_page *p, const struct pm_facts *f);

#endif
