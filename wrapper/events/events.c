/* Resolve the words of the setting options into PERFMON_EVENTS, a list of events ready to open. */
#include "config.h"

#include "wrapper/events/events.h"

#include "common/log.h"
#include "common/nomem.h"
#include "common/safe/uncounted.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of PERFMON_EVENTS. */
struct entry {
	struct pm_event event;
	char name[4 * PM_EVENTNAME_MAX]; /* escaped */
	char papi[PM_EVENT_PAPI_MAX + 1];
};

struct entries {
	struct entry *entry;
	size_t count;
};

/* Add an entry unless the list has an entry of this name. Returns 0, or -1 if the list is full. */
static int add_entry(struct entries *all, const char *name, const struct pm_event *event,
		     const char *papi)
{
	struct entry *e = &all->entry[all->count];
	struct pm_buf b;

	if (all->count == PM_EVENTS_MAX)
		return -1;
	pm_buf_init(&b, e->name, sizeof e->name - 1);
	pm_tsv_escape_item(&b, name, strlen(name), 1);
	e->name[b.len] = '\0';
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->entry[i].name, e->name) == 0)
			return 0;
	e->event = *event;
	e->event.name = (struct pm_str){ e->name, b.len };
	snprintf(e->papi, sizeof e->papi, "%s", papi);
	e->event.papi = (struct pm_str){ e->papi, strlen(e->papi) };
	all->count++;
	return 0;
}

/* Add the events to be opened for a word, or one entry with the reason why there are none. If there
 * is no room for all of them, add none and set the word's state to limited. */
static void add_word(struct entries *all, struct pm_events_word *w, const struct pm_event *term,
		     unsigned terms)
{
	size_t before = all->count;
	int rc = 0;

	/* A preset of one native event is that event. */
	if (terms == 1)
		rc = add_entry(all, w->name, term, w->known.papi);
	else
		for (unsigned i = 0; i < terms && rc == 0; i++)
			rc = add_entry(all, w->known.term[i], &term[i], "");
	if (terms == 0)
		rc = add_entry(all, w->name,
			       &(struct pm_event){ .reason = { w->reason, strlen(w->reason) } },
			       "");
	if (rc < 0) {
		char why[64];

		all->count = before;
		snprintf(why, sizeof why, "a job can have %d events", PM_EVENTS_MAX);
		pm_events_set_state(w, PM_TRYOPEN_LIMITED, PM_UNCOUNTED_TEXT(E2BIG), why);
	}
}

/* The sort key of an entry: events of one device stand together, so that they can form one group.
 */
static unsigned sort_key(const struct pm_event *e)
{
	if (e->reason.n)
		return UINT32_MAX;
	if (e->scope != PM_EVENT_PERF)
		return UINT32_MAX - 1;
	switch (e->type) {
	case PERF_TYPE_SOFTWARE:
		return 0;
	case PERF_TYPE_BREAKPOINT:
		return 1;
	case PERF_TYPE_TRACEPOINT:
		return 2;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return 3;
	default:
		return e->type;
	}
}

/* Make the value of PERFMON_EVENTS: entries by sort key, those of the same key in the user's order.
 */
static char *make_text(const struct entries *all)
{
	struct pm_event library = { 0 };
	size_t size = 1;
	struct pm_buf b;
	char *text;

	for (size_t i = 0; i < all->count && !library.name.n; i++)
		if (all->entry[i].event.scope != PM_EVENT_PERF)
			pm_eventname_papi_library(&library);
	if (library.name.n)
		size += library.name.n + PM_EVENT_ENTRY_MAX + 1;
	for (size_t i = 0; i < all->count; i++)
		size += all->entry[i].event.name.n + PM_EVENT_ENTRY_MAX + PM_EVENT_REASON_MAX + 1;
	text = malloc(size);
	if (!text)
		pm_nomem();
	pm_buf_init(&b, text, size - 1);
	if (library.name.n)
		pm_event_format(&b, &library);
	for (size_t done = 0, from = 0; done < all->count;) {
		size_t next = UINT32_MAX;

		for (size_t i = 0; i < all->count; i++) {
			size_t at = sort_key(&all->entry[i].event);

			if (at == from) {
				done++;
				if (b.len)
					pm_buf_ch(&b, ' ');
				pm_event_format(&b, &all->entry[i].event);
			} else if (at > from && at < next) {
				next = at;
			}
		}
		from = next;
	}
	text[b.len] = '\0';
	return text;
}

static int is_repeated(const struct pm_events *ev, const char *name)
{
	for (size_t i = 0; i < ev->words; i++)
		if (strcmp(ev->word[i].name, name) == 0)
			return 1;
	return 0;
}

/* Resolve one word of the list, without the blanks around it, unless it is a flag. */
static void add_name(struct pm_events *ev, struct entries *all, const char *p, size_t n,
		     const char *domain)
{
	struct pm_event term[PM_EVENTNAME_TERMS_MAX];
	char *name;

	while (n > 0 && (*p == ' ' || *p == '\t')) {
		p++;
		n--;
	}
	while (n > 0 && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	if (n == 0 || pm_event_is_flag(p, n))
		return;
	name = strndup(p, n);
	if (!name)
		pm_nomem();
	if (n >= PM_EVENTNAME_MAX) {
		pm_warn("options: an event name of %zu bytes is too long", n);
	} else if (!is_repeated(ev, name)) {
		struct pm_events_word *w;
		unsigned terms;

		ev->word = realloc(ev->word, (ev->words + 1) * sizeof *ev->word);
		if (!ev->word)
			pm_nomem();
		w = &ev->word[ev->words];
		terms = pm_events_resolve_word(w, name, domain, term);
		ev->words++;
		add_word(all, w, term, terms);
	}
	free(name);
}

void pm_events_resolve(struct pm_events *ev, const char *options, const char *domain)
{
	struct entries all = { 0 };

	memset(ev, 0, sizeof *ev);
	all.entry = calloc(PM_EVENTS_MAX + 1, sizeof *all.entry);
	if (!all.entry)
		pm_nomem();
	while (*options) {
		size_t n = pm_event_word(options);

		add_name(ev, &all, options, n, domain);
		options += n + (options[n] == ',');
	}
	ev->text = make_text(&all);
	free(all.entry);
}

void pm_events_free(struct pm_events *ev)
{
	for (size_t i = 0; i < ev->words; i++)
		pm_events_forget(&ev->word[i]);
	free(ev->word);
	free(ev->text);
	memset(ev, 0, sizeof *ev);
}

/* Warn about word i together with all later words of the same state and reason. */
static void warn_alike(const struct pm_events *ev, size_t i)
{
	const struct pm_events_word *w = &ev->word[i];
	char names[1024];
	size_t n = 0;

	for (size_t k = i; k < ev->words && n < sizeof names; k++)
		if (ev->word[k].state == w->state && strcmp(ev->word[k].why, w->why) == 0)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
					      ev->word[k].name);
	if (w->state == PM_TRYOPEN_OK)
		pm_warn("%s: counted in user mode only: %s", names, w->why);
	else
		pm_warn("%s: not counted: %s (%s)", names, w->why, w->reason);
}

static void warn_unknown(const struct pm_events_word *w)
{
	char near[512];

	if (strncmp(w->why, "PAPI ", 5) == 0) {
		pm_warn("%s: not counted: %s", w->name, w->why);
		return;
	}
	pm_events_suggest(near, sizeof near, w->name);
	if (*near)
		pm_warn("'%s' is neither a flag of options nor a known event; did you mean %s?",
			w->name, near);
	else
		pm_warn("'%s' is neither a flag of options nor a known event; see perfmon events",
			w->name);
}

void pm_events_warn(const struct pm_events *ev)
{
	for (size_t i = 0; i < ev->words; i++) {
		const struct pm_events_word *w = &ev->word[i];
		int seen = 0;

		if (w->state == PM_TRYOPEN_UNKNOWN)
			warn_unknown(w);
		if (w->state == PM_TRYOPEN_UNKNOWN || !w->why[0])
			continue;
		for (size_t k = 0; k < i; k++)
			seen |= ev->word[k].state == w->state &&
				strcmp(ev->word[k].why, w->why) == 0;
		if (!seen)
			warn_alike(ev, i);
	}
}
