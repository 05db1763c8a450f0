/* Pages as HTML: what of pm_page and pm_table looks like in a document; and texts in markup. */
#ifndef PM_REPORT_PRINT_HTML_H
#define PM_REPORT_PRINT_HTML_H

#include "report/print/page.h"

/* The form of a page whose parts are written as elements: h3, p, dl and table. */
extern const struct pm_page_form pm_html_form;

/* Write text as the content of an element or of an attribute in double quotes. */
void pm_html_text(FILE *f, const char *text);

#endif
