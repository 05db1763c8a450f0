/* Add the rows of processes to the totals of their tags. */
#include "config.h"

#include "submit/rows/tagrow.h"

#define PM_COL_cpu_time (-1)

const int pm_tagrow_column[PM_TAGSUM_FIGURES] = {
#define PM_TAGFIGURE(column, unit, kind) [PM_TAGSUM_##column] = PM_COL_##column,
#include "sql/tagfigures.def"
#undef PM_TAGFIGURE
};

int pm_tagrow_add(struct pm_tagsums *s, int64_t set, const struct pm_record *row, int64_t cpu,
		  struct pm_err *e)
{
	struct pm_tagsum_process p = {
		.set = set,
		.start_us = pm_record_get(row, PM_COL_start_us, PM_KNOWNSUM_UNKNOWN),
		.end_us = pm_record_get(row, PM_COL_end_us, PM_KNOWNSUM_UNKNOWN),
	};

	for (size_t i = 0; i < PM_TAGSUM_FIGURES; i++)
		p.value[i] = pm_tagrow_column[i] < 0
				     ? (cpu < 0 ? PM_KNOWNSUM_UNKNOWN : cpu)
				     : pm_record_get(row, (enum pm_column)pm_tagrow_column[i],
						     PM_KNOWNSUM_UNKNOWN);
	return pm_tagsums_add(s, &p) < 0 ? pm_err(e, "out of memory") : 0;
}
