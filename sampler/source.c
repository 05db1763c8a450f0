/* The table of sources. */
#include "config.h"

#include "sampler/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct pm_source *const pm_source_table[PM_SOURCES] = {
#define PM_SOURCE(id) [PM_SOURCE_##id] = &pm_source_##id,
#include "sampler/sources.def"
#undef PM_SOURCE
};

const char *pm_metric_kind_name(enum pm_metric_kind kind)
{
	static const char *const names[PM_METRIC_KINDS] = {
		[PM_METRIC_GAUGE] = "gauge", [PM_METRIC_COUNTER] = "counter",
		[PM_METRIC_MIN] = "min",     [PM_METRIC_MAX] = "max",
		[PM_METRIC_SUM] = "sum",     [PM_METRIC_COUNT] = "count",
	};

	return names[kind];
}

int pm_source_unavailable(struct pm_unavailable *why, const char *path)
{
	why->reason = pm_reason_errno(errno);
	return pm_err(&why->err, "%s: %m", path);
}

int pm_source_no_tree(struct pm_unavailable *why)
{
	why->reason = PM_REASON_absent;
	return pm_err(&why->err, "no process to follow: give --pid");
}

/* The source with this name of n bytes, or PM_SOURCES. */
static size_t find_source(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < PM_SOURCES; i++)
		if (strlen(pm_source_table[i]->name) == n &&
		    memcmp(pm_source_table[i]->name, name, n) == 0)
			break;
	return i;
}

int pm_source_select(const char *list, bool selected[PM_SOURCES], struct pm_err *e)
{
	const bool all = !list || strcmp(list, "all") == 0;

	for (size_t i = 0; i < PM_SOURCES; i++)
		selected[i] = all;
	if (all)
		return 0;
	for (const char *p = list;;) {
		size_t n = strcspn(p, ","), i = find_source(p, n);

		if (i == PM_SOURCES) {
			char names[512] = "";

			for (i = 0; i < PM_SOURCES; i++) {
				size_t at = strlen(names);

				snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
					 pm_source_table[i]->name);
			}
			return pm_err(e, "unknown source '%.*s'; known are %s and all", (int)n, p,
				      names);
		}
		selected[i] = true;
		if (p[n] == '\0')
			return 0;
		p += n + 1;
	}
}
