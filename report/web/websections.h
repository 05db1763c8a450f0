/* The sections of a page: what is readable without its script. */
#ifndef PM_REPORT_WEB_WEBSECTIONS_H
#define PM_REPORT_WEB_WEBSECTIONS_H

#include "report/print/page.h"
#include "report/facts/facts.h"
#include "report/web/webseries.h"

#include <stdbool.h>

#define PM_WEBSECTIONS 20

/* How the parts of a job stand in a page. */
struct pm_webplace {
	const char *prefix; /* of all ids: a page has each once */
	int level;          /* of the headings of sections */
	bool drawn;         /* the page's script draws pictures: what is none without it is there */
};

/* The page of a job. */
extern const struct pm_webplace pm_webplace_page;

/* The name by which links refer to a section, and its title. */
const char *pm_websection_id(int section);
const char *pm_websection_title(int section);

/* All sections that have something to say, as a text that the caller frees; `has` tells which.
 * `series` is NULL where they are not drawn. Returns NULL if out of memory. */
char *pm_websections_text(const struct pm_page *p, const struct pm_facts *f,
			  const struct pm_webseries *series, const struct pm_webplace *place,
			  bool has[PM_WEBSECTIONS]);

#endif
