/* The table of node summaries as data. Programs only. */
#ifndef PM_COMMON_RECORD_NODESUMMARIES_H
#define PM_COMMON_RECORD_NODESUMMARIES_H

#include <stdbool.h>

enum pm_nodesummary_id {
#define PM_NODESUMMARY(id, unit, title, main, help) PM_NODESUMMARY_##id,
#include "common/record/nodesummaries.def"
#undef PM_NODESUMMARY
	PM_NODESUMMARIES
};

struct pm_nodesummary_info {
	const char *name, *unit; /* unit MiB: 1 048 576 bytes */
	const char *title;
	bool main;
	const char *help;
};

extern const struct pm_nodesummary_info pm_nodesummary_info[PM_NODESUMMARIES];

#endif
