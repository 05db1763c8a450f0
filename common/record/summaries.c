/* The table of node summaries. */
#include "config.h"

#include "common/record/summaries.h"

const struct pm_summary_info pm_summary_info[PM_SUMMARIES] = {
#define PM_SUMMARY(id, unit, title, main, help) [PM_SUM_##id] = { #id, unit, title, main, help },
#include "common/record/summaries.def"
#undef PM_SUMMARY
};
