/* Attributes of the columns; programs only. */
#include "config.h"

#include "common/safe/columns.h"

#include <string.h>

const struct pm_column_info pm_column_info[PM_COLUMNS] = {
#define PM_TEXT_IF(kind) (PM_KIND_##kind == PM_KIND_TEXT || PM_KIND_##kind == PM_KIND_LIST)
#define PM_COLUMN(id_, kind_, unit_, scope_, records_, since_, source_, help_)                     \
	[PM_COL_##id_] = {                                                                         \
		.name = #id_,                                                                      \
		.unit = unit_,                                                                     \
		.records = records_,                                                               \
		.source = source_,                                                                 \
		.help = help_,                                                                     \
		.kind = PM_KIND_##kind_,                                                           \
		.scope = PM_SCOPE_##scope_,                                                        \
		.since = since_,                                                                   \
		.text = PM_TEXT_IF(kind_),                                                         \
		.namelen = sizeof #id_ - 1,                                                        \
	},
#include "common/safe/columns.def"
#undef PM_COLUMN
#undef PM_TEXT_IF
};

const char *pm_kind_name(enum pm_kind kind)
{
	static const char *const name[] = {
		[PM_KIND_KEY] = "KEY",           [PM_KIND_TEXT] = "TEXT",
		[PM_KIND_LIST] = "LIST",         [PM_KIND_GAUGE] = "GAUGE",
		[PM_KIND_TIME] = "TIME",         [PM_KIND_COUNTER] = "COUNTER",
		[PM_KIND_CHILDREN] = "CHILDREN", [PM_KIND_PEAK] = "PEAK",
		[PM_KIND_SPAN] = "SPAN",         [PM_KIND_OWN] = "OWN",
		[PM_KIND_WORK] = "WORK",
	};

	return name[kind];
}

int pm_column_find(const char *name, size_t len)
{
	for (int c = 0; c < PM_COLUMNS; c++)
		if (pm_column_info[c].namelen == len &&
		    memcmp(pm_column_info[c].name, name, len) == 0)
			return c;
	return -1;
}
