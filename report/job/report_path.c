/* The report as text: the critical path. */
#include "config.h"

#include "report/job/report_text.h"

#include "report/job/pathprint.h"

/* Most steps that a report names: they are in the order of time, so that more of them hide the long
 * ones. */
#define STEPS 200

int pm_report_path(const struct pm_page *p, const struct pm_facts *f)
{
	const struct pm_criticalpath *path = f->path;
	const size_t steps = f->limit < STEPS ? f->limit : STEPS;

	/* A single process is its own path. */
	if (!path || path->steps == 0 || f->processes < 2)
		return 0;
	pm_page_heading(p, "Critical path: what decided the wall time");
	if (pm_pathprint_programs(p, path, (int64_t)f->limit) < 0)
		return -1;
	fputc('\n', p->f);
	if (pm_pathprint_steps(p, path, (int64_t)steps) < 0)
		return -1;
	pm_pathprint_notes(p, path);
	pm_page_textf(p, "  ", "All steps: perfmon show --critical%s", f->named);
	return 0;
}
