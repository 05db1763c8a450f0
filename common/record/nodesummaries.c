/* The table of node summaries. */
#include "config.h"

#include "common/record/nodesummaries.h"

const struct pm_nodesummary_info pm_nodesummary_info[PM_NODESUMMARIES] = {
#define PM_NODESUMMARY(id, unit, title, main, help)                                                \
	[PM_NODESUMMARY_##id] = { #id, unit, title, main, help },
#include "common/record/nodesummaries.def"
#undef PM_NODESUMMARY
};
