/* Groups of comparable jobs. A control character says whether a text is of tags or of a name, and
 * the end of the former how long the first one is: users choose both. */
#include "config.h"

#include "analysis/select/jobgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF_TAGS '\1'
#define OF_NAME '\2'

char *pm_jobgroup_make(const char *name, const char *experiment, const char *component)
{
	const char *first = experiment ? experiment : "", *second = component ? component : "";
	char *group;

	if (!experiment && !component)
		return !name || !*name                               ? strdup("")
		       : asprintf(&group, "%c%s", OF_NAME, name) < 0 ? NULL
								     : group;
	return asprintf(&group, "%c%s%s/%zu", OF_TAGS, first, second, strlen(first)) < 0 ? NULL
											 : group;
}

struct pm_jobgroup pm_jobgroup_split(const char *group)
{
	const char *end = strrchr(group, '/');
	struct pm_jobgroup g = { .tags = *group == OF_TAGS && end,
				 .first = *group ? group + 1 : group };

	if (!g.tags) {
		g.n = strlen(g.first);
		return g;
	}
	g.n = strtoul(end + 1, NULL, 10);
	g.second = g.first + g.n;
	g.m = (size_t)(end - g.second);
	return g;
}
