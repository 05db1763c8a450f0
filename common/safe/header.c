/* The record file's header line, one constant: the preload writes it without formatting. */
#include "config.h"

#include "common/safe/columns.h"

#define PM_STRING_(x) #x
#define PM_STRING(x) PM_STRING_(x)

const char pm_column_header[] = "perfmon-tsv-" PM_STRING(PM_FORMAT_VERSION)
#define PM_COLUMN(id, kind, unit, scope, records, since, source, help) "\t" #id
#include "common/safe/columns.def"
#undef PM_COLUMN
	"\t.\n";

const size_t pm_column_header_len = sizeof pm_column_header - 1;

#define PM_IS_TEXT_KEY 0
#define PM_IS_TEXT_TEXT 1
#define PM_IS_TEXT_LIST 1
#define PM_IS_TEXT_GAUGE 0
#define PM_IS_TEXT_TIME 0
#define PM_IS_TEXT_COUNTER 0
#define PM_IS_TEXT_CHILDREN 0
#define PM_IS_TEXT_PEAK 0
#define PM_IS_TEXT_SPAN 0
#define PM_IS_TEXT_OWN 0
#define PM_IS_TEXT_WORK 0

const unsigned char pm_column_is_text[PM_COLUMNS] = {
#define PM_COLUMN(id, kind, unit, scope, records, since, source, help)                             \
	[PM_COL_##id] = PM_IS_TEXT_##kind,
#include "common/safe/columns.def"
#undef PM_COLUMN
};
