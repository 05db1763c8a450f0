/* The events that PAPI reads. */
#include "config.h"

#include "libperfmon/count/papi_events.h"

#include "common/safe/papi.h"
#include "common/safe/uncounted.h"

#include <errno.h>
#include <string.h>

/*
 * Properties of components (PAPI 5.7 to 7.2): whether reading one is system calls alone, and for
 * how long, in ms, it repeats the values of its last reading or its start instead of reading.
 */
static const struct component {
	char name[20];
	bool plain;
	uint16_t kept_ms;
} components[] = {
	{ "perf_event", true, 0 },     { "perf_event_uncore", true, 0 },
	{ "rapl", true, 0 },           { "powercap", true, 0 },
	{ "net", false, 1000 },        { "lmsensors", false, 200 },
	{ "sensors_ppc", false, 100 }, { "micpower", false, 50 },
	{ "coretemp", false, 4 },
};

static bool same_text(const char *a, const char *b)
{
	size_t n = strlen(a);

	return strlen(b) == n && memcmp(a, b, n) == 0;
}

/* Split COMPONENT:EVENT. Returns 0, or -1 if it is malformed. */
static int split_name(struct pm_papi_event *e, const struct pm_str *text)
{
	const char *colon = memchr(text->p, ':', text->n);
	size_t n = colon ? (size_t)(colon - text->p) : 0;

	if (n == 0 || n >= sizeof e->component || text->n - n - 1 >= sizeof e->name)
		return -1;
	memcpy(e->component, text->p, n);
	memcpy(e->name, colon + 1, text->n - n - 1);
	return 0;
}

static void take_event(struct pm_papi_events *l, uint32_t i, const struct pm_event *from)
{
	struct pm_papi_event *e = &l->one[i];

	if (from->scope == PM_EVENT_PERF || from->reason.n)
		return;
	e->scope = from->scope;
	e->type = (uint8_t)from->type;
	if (split_name(e, &from->papi) < 0)
		e->reason = PM_UNCOUNTED_TEXT(EINVAL);
	for (size_t k = 0; k < sizeof components / sizeof components[0]; k++)
		if (same_text(components[k].name, e->component)) {
			e->plain = components[k].plain;
			e->kept_ms = components[k].kept_ms;
		}
	while (e->set < i && (l->one[e->set].scope != e->scope ||
			      !same_text(l->one[e->set].component, e->component)))
		e->set++;
}

void pm_papi_events_take(struct pm_papi_events *l, const struct pm_event *list, uint32_t count)
{
	l->count = count;
	for (uint32_t i = 0; i < count; i++)
		take_event(l, i, &list[i]);
}

bool pm_papi_events_need(const struct pm_papi_events *l, const char *component)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (l->one[i].scope != PM_EVENT_PERF && same_text(l->one[i].component, component))
			return true;
	return false;
}

bool pm_papi_events_is_shared(const struct pm_papi_event *e)
{
	return e->scope == PM_EVENT_PROCESS || e->scope == PM_EVENT_NODE;
}

void pm_papi_events_find(struct pm_papi_events *l, const struct pm_papi_library *call)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct pm_papi_event *e = &l->one[i];
		int rc;

		if (e->scope == PM_EVENT_PERF || e->reason)
			continue;
		rc = call->code_of(e->name, &e->code);
		if (rc != PM_PAPI_OK)
			e->reason = pm_papi_error(rc);
	}
}

const char *pm_papi_events_convert(const struct pm_papi_event *e, long long from, int64_t *to)
{
	double real;

	*to = from;
	if (e->type == PM_PAPI_FP64) {
		memcpy(&real, &from, sizeof real);
		if (!(real > -0x1p63 && real < 0x1p63))
			return PM_UNCOUNTED_TEXT(range);
		*to = (int64_t)(real < 0 ? real - 0.5 : real + 0.5);
	} else if (e->type != PM_PAPI_INT64 && from < 0) {
		return PM_UNCOUNTED_TEXT(range);
	}
	return NULL;
}
