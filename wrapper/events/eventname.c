/* The sources of event names; the first of them is our own table. */
#include "config.h"

#include "wrapper/events/eventname.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static int table_find(const char *name, struct pm_eventname *found)
{
	if (pm_event_find(&found->event, name, strlen(name)) < 0)
		return -1;
	for (size_t i = 0; i < PM_EVENT_ROWS; i++)
		if (pm_event_info[i].type == found->event.type &&
		    pm_event_info[i].config == found->event.config)
			snprintf(found->description, sizeof found->description, "%s",
				 pm_event_info[i].help);
	if (found->event.type == PERF_TYPE_BREAKPOINT)
		snprintf(found->description, sizeof found->description, "accesses of an address");
	else if (found->event.type == PERF_TYPE_RAW)
		snprintf(found->description, sizeof found->description,
			 "raw code of this processor");
	return 0;
}

static void table_each(pm_eventname_fn *fn, void *ctx)
{
	for (size_t i = 0; i < PM_EVENT_ROWS; i++) {
		char name[PM_EVENTNAME_MAX];

		/* The second name is the one of perf(1), which people type. */
		const char *p = strchr(pm_event_info[i].names, ' ') + 1;

		snprintf(name, sizeof name, "%.*s", (int)strcspn(p, " "), p);
		if (fn(ctx, name, pm_event_info[i].help) != 0)
			return;
	}
}

/* Find PAPI's presets that equal an event of the kernel on every processor; asked last, for
 * machines without PAPI, or with a processor that PAPI does not know. */
static int preset_find(const char *name, struct pm_eventname *found)
{
	static const struct {
		const char *name, *event;
	} same[] = {
		{ "PAPI_TOT_CYC", "cycles" },       { "PAPI_TOT_INS", "instructions" },
		{ "PAPI_REF_CYC", "ref-cycles" },   { "PAPI_BR_INS", "branches" },
		{ "PAPI_BR_MSP", "branch-misses" },
	};

	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
		if (strcmp(name, same[i].name) == 0)
			return table_find(same[i].event, found);
	return -1;
}

/* No `each`: PAPI lists the presets. */
static const struct pm_eventname_source preset = { .name = "kernel", .find = preset_find };

static const struct pm_eventname_source table = { .name = "kernel",
						  .find = table_find,
						  .each = table_each };

const struct pm_eventname_source *const pm_eventname_sources[] = {
	&table, &pm_eventname_sysfs, &pm_eventname_pfm, &pm_eventname_papi, &preset, NULL
};

int pm_eventname_describe(const struct pm_eventname_source *s, char *text, size_t size)
{
	if (s->find)
		return s->describe(text, size);
	snprintf(text, size, "perfmon was built without it");
	return -1;
}

void pm_eventname_list(const struct pm_eventname_source *s, pm_eventname_fn *fn, void *ctx)
{
	if (s->each)
		s->each(fn, ctx);
}

const struct pm_eventname_source *pm_eventname_find(const char *name, struct pm_eventname *found)
{
	const struct pm_eventname_source *refused = NULL;
	struct pm_eventname one;

	for (size_t i = 0; pm_eventname_sources[i]; i++) {
		memset(&one, 0, sizeof one);
		if (!pm_eventname_sources[i]->find ||
		    pm_eventname_sources[i]->find(name, &one) < 0 || (one.refused[0] && refused))
			continue;
		*found = one;
		if (!one.refused[0])
			return pm_eventname_sources[i];
		/* A later source may be able to have the event counted. */
		refused = pm_eventname_sources[i];
	}
	return refused;
}
