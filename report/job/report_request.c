/* The section of a report on what the job asked for, what it used, and what to ask for. */
#include "config.h"

#include "report/job/report_text.h"

#include "report/advice/request.h"
#include "report/print/cell.h"
#include "report/print/table.h"

int pm_report_request(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "", false, 0, 0 },
		{ "Requested", true, 0, 0 },
		{ "Used", true, 0, 0 },
		{ "Share", true, 0, 1 },
		{ "Ask for next time", false, 20, 0 },
	};
	struct pm_request list[PM_REQUESTS];
	size_t n = pm_requests(f, list);
	struct pm_table t;

	if (n == 0)
		return 0;
	pm_page_heading(p, "Requested and used");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < n; i++) {
		pm_table_cell(&t, list[i].name);
		pm_table_cell(&t, list[i].asked);
		pm_table_cell(&t, *list[i].used ? list[i].used : "unknown");
		pm_cell_share(&t, list[i].share);
		pm_table_cell(&t, *list[i].next ? list[i].next : list[i].fits ? "the same" : "");
	}
	return pm_table_finish(&t);
}
