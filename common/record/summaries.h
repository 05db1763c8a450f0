/* The table of node summaries as data. Programs only. */
#ifndef PM_COMMON_RECORD_SUMMARIES_H
#define PM_COMMON_RECORD_SUMMARIES_H

#include <stdbool.h>

enum pm_summary_id {
#define PM_SUMMARY(id, unit, title, main, help) PM_SUM_##id,
#include "common/record/summaries.def"
#undef PM_SUMMARY
	PM_SUMMARIES
};

struct pm_summary_info {
	const char *name, *unit; /* unit MiB: 1 048 576 bytes */
	const char *title;
	bool main;
	const char *help;
};

extern const struct pm_summary_info pm_summary_info[PM_SUMMARIES];

#endif
