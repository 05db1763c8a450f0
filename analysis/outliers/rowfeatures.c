/* Features of rows that are no jobs. */
#include "config.h"

#include "analysis/outliers/rowfeatures.h"

#include "sql/schema.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct kind {
	const char *plural, *usual, *table;
} kinds[] = {
	[PM_ROWS_OPERATIONS] = { "operations", "duration_us,cpu_time,processes", "process" },
	[PM_ROWS_PROCESSES] = { "processes", "duration_us,cpu_time", "process" },
	[PM_ROWS_THREADS] = { "threads", "duration_us,cpu_time", "thread_row" },
};

const char *pm_rowfeatures_sql(enum pm_rowkind kind, const struct pm_feature *feature)
{
	const bool threads = kind == PM_ROWS_THREADS;

	if (threads && strcmp(feature->name, "cpu_time") == 0)
		return "usertime + systemtime";
	if (!threads && strcmp(feature->name, "threads") == 0)
		return "numtids";
	return pm_schema_index(pm_schema_find(kinds[kind].table), feature->name) >= 0
		       ? feature->name
		       : NULL;
}

/* The processes of an operation are counted; each other figure is one of its processes. */
static bool has(enum pm_rowkind kind, const struct pm_feature *feature)
{
	return (kind == PM_ROWS_OPERATIONS && strcmp(feature->name, "processes") == 0) ||
	       pm_rowfeatures_sql(kind, feature);
}

int pm_rowfeatures_choose(struct pm_jobfeatures *x, enum pm_rowkind kind, const char *words,
			  struct pm_err *e)
{
	const bool all = words && strcmp(words, "*") == 0;
	size_t n = 0;

	if (pm_jobfeatures_choose(x, words ? words : kinds[kind].usual, e) < 0)
		return -1;
	for (size_t k = 0; k < x->features; k++) {
		if (has(kind, x->feature[k])) {
			x->feature[n++] = x->feature[k];
		} else if (!all) {
			errno = EINVAL;
			return pm_err(e, "'%s' is no figure of %s", x->feature[k]->name,
				      kinds[kind].plural);
		}
	}
	x->features = n;
	return 0;
}
