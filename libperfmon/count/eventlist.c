/* List the events that an image counts. */
#include "config.h"

#include "libperfmon/count/eventlist.h"

#include "common/safe/uncounted.h"

#include <string.h>

/* The entries of PERFMON_EVENTS. */
static uint32_t list_resolved(const char *text, struct pm_event list[PM_EVENTS_MAX],
			      struct pm_event *library)
{
	struct pm_str rest = { text, strlen(text) }, item;
	uint32_t n = 0;

	while (n < PM_EVENTS_MAX && pm_tsv_next_item(&rest, &item)) {
		if (pm_event_parse(&list[n], item.p, item.n) < 0)
			continue;
		if (list[n].scope == PM_EVENT_LIBRARY)
			*library = list[n];
		else
			n++;
	}
	return n;
}

/* List the words of PERFMON_OPTIONS that are no flags: events that the kernel has by itself. */
static uint32_t list_named(const char *text, struct pm_event list[PM_EVENTS_MAX])
{
	uint32_t count = 0;

	while (*text && count < PM_EVENTS_MAX) {
		size_t n = pm_event_word(text);
		struct pm_event *e = &list[count];

		if (n > 0 && !pm_event_is_flag(text, n)) {
			if (pm_event_find(e, text, n) < 0)
				*e = (struct pm_event){ .name = { text, n },
							.reason = { PM_UNCOUNTED_TEXT(wrapper),
								    sizeof "wrapper" - 1 } };
			count++;
		}
		text += n + (text[n] == ',');
	}
	return count;
}

/* The list of PERFMON_EVENTS, or NULL. */
static const char *resolved_list(const struct pm_settings *s)
{
	return pm_settings_first(s, PM_ENV_events, PM_ENVS);
}

static const char *options_list(const struct pm_settings *s)
{
	return pm_settings_first(s, PM_ENV_options, PM_ENV_papiex_options, PM_ENVS);
}

bool pm_eventlist_is_any(const struct pm_settings *s)
{
	const char *text = options_list(s);
	size_t n;

	if (resolved_list(s))
		return true;
	for (; text && *text; text += n + (text[n] == ',')) {
		n = pm_event_word(text);
		if (n > 0 && !pm_event_is_flag(text, n))
			return true;
	}
	return false;
}

size_t pm_eventlist_bytes(const struct pm_settings *s)
{
	const char *resolved = resolved_list(s), *options = options_list(s);

	if (resolved)
		return strlen(resolved);
	return options ? strlen(options) + PM_EVENTS_MAX * sizeof "wrapper" : 0;
}

uint32_t pm_eventlist_read(const struct pm_settings *s, struct pm_event list[PM_EVENTS_MAX],
			   struct pm_event *library, bool *escaped)
{
	const char *resolved = resolved_list(s), *options = options_list(s);

	*escaped = resolved != NULL;
	*library = (struct pm_event){ 0 };
	if (resolved)
		return list_resolved(resolved, list, library);
	return options ? list_named(options, list) : 0;
}
