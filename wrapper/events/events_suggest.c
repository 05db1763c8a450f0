/* Suggest known event names that are spelled nearly like an unknown one. */
#include "config.h"

#include "common/edits.h"
#include "wrapper/events/events.h"

#include <stdio.h>
#include <string.h>

#define NEAREST 3

struct near {
	const char *name;
	size_t limit; /* most edits for a name to count as near */
	size_t count;
	struct {
		char name[PM_EVENTNAME_MAX];
		size_t edits;
	} best[NEAREST];
};

/* Insert a name among the best, nearest first, if it is near enough. */
static void consider_name(struct near *near, const char *name, size_t edits)
{
	size_t at = near->count;

	if (edits > near->limit)
		return;
	for (size_t i = 0; i < near->count; i++)
		if (strcmp(near->best[i].name, name) == 0)
			return;
	while (at > 0 && near->best[at - 1].edits > edits)
		at--;
	if (at == NEAREST)
		return;
	if (near->count < NEAREST)
		near->count++;
	memmove(&near->best[at + 1], &near->best[at],
		(near->count - 1 - at) * sizeof near->best[0]);
	snprintf(near->best[at].name, sizeof near->best[at].name, "%s", name);
	near->best[at].edits = edits;
}

static int compare_name(void *ctx, const char *name, const char *description)
{
	struct near *near = ctx;
	const char *colons = strstr(name, "::"), *wanted = strstr(near->name, "::");
	const char *bare = colons ? colons + 2 : name;

	(void)description;
	consider_name(near, name, pm_edits(near->name, name, near->limit));
	consider_name(near, name, pm_edits(wanted ? wanted + 2 : near->name, bare, near->limit));
	return 0;
}

/* Compare with all spellings of the names in our own table. */
static void compare_table(struct near *near)
{
	for (size_t i = 0; i < PM_EVENT_ROWS; i++)
		for (const char *p = pm_event_info[i].names; *p;) {
			char name[PM_EVENTNAME_MAX];
			size_t n = strcspn(p, " ");

			snprintf(name, sizeof name, "%.*s", (int)n, p);
			compare_name(near, name, "");
			p += n + (p[n] == ' ');
		}
}

void pm_events_suggest(char *text, size_t size, const char *name)
{
	struct near near = { .name = name, .limit = 1 + strlen(name) / 5 };
	size_t n = 0;

	text[0] = '\0';
	if (strlen(name) < 2)
		return;
	compare_table(&near);
	for (size_t i = 1; pm_eventname_sources[i]; i++)
		pm_eventname_list(pm_eventname_sources[i], compare_name, &near);
	for (size_t i = 0; i < near.count && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "%s%s",
				      i == 0                ? ""
				      : i + 1 == near.count ? " or "
							    : ", ",
				      near.best[i].name);
}
