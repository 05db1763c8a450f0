/* The report as text: phases that the job marked. */
#include "config.h"

#include "report/job/report_text.h"

#include "report/print/cell.h"

#include <math.h>

int pm_report_marks(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Phase", false, 12, 0 }, { "Times", true, 0, 3 },     { "Wall time", true, 0, 0 },
		{ "Longest", true, 0, 4 }, { "CPU time", true, 0, 0 },  { "CPUs busy", true, 0, 0 },
		{ "Started", true, 0, 2 }, { "Peak mem.", true, 0, 1 },
	};
	int64_t unended = 0;
	struct pm_table t;

	if (f->marks == 0)
		return 0;
	pm_page_heading(p, "Phases marked by the job");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < f->marks; i++) {
		const struct pm_fact_mark *m = &f->mark[i];

		unended += m->unended;
		pm_table_cell(&t, m->name);
		pm_cell_count(&t, m->times);
		pm_cell_duration(&t, m->wall_us);
		pm_cell_duration(&t, m->longest_us);
		pm_cell_duration(&t, isnan(m->cpu_us) ? PM_UNKNOWN : (int64_t)m->cpu_us);
		pm_cell_number(&t, pm_facts_busy(m));
		pm_cell_count(&t, m->processes);
		pm_cell_bytes(&t, isnan(m->memory) ? PM_UNKNOWN : (int64_t)m->memory);
	}
	if (pm_table_finish(&t) < 0)
		return -1;
	if (unended)
		pm_page_text(p, "  ",
			     "A phase whose end was not marked lasts until the end of the job.");
	if (f->marks_cut)
		pm_page_textf(p, "  ", "More phases: perfmon list phases%s", f->named);
	return 0;
}
