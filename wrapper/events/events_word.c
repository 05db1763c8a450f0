/* Resolve one word into the events that it stands for, and try each. */
#include "config.h"

#include "wrapper/events/events_word.h"

#include "common/nomem.h"
#include "common/safe/papi.h"
#include "common/safe/uncounted.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVELS (PM_EXCLUDE_USER | PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV)

void pm_events_set_state(struct pm_events_word *w, enum pm_tryopen_state state, const char *reason,
			 const char *why)
{
	w->state = state;
	w->reason = reason;
	snprintf(w->why, sizeof w->why, "%s", why);
}

/* The domain that an event counts: a clock runs in all domains, whatever the event excludes. */
static const char *domain_name(const struct pm_event *e)
{
	if (pm_event_how(e) == PM_HOW_CLOCK)
		return "all";
	if (e->exclude & PM_EXCLUDE_KERNEL)
		return "user";
	return e->exclude & PM_EXCLUDE_USER ? "kernel" : "all";
}

/* Set the domain of an event unless its name says the domain. */
static void choose_domain(struct pm_event *e, const char *domain)
{
	uint8_t other = e->exclude & (uint8_t)~LEVELS;

	if (e->domain_asked)
		return;
	if (e->kernel_only || strcmp(domain, "all") == 0)
		e->exclude = other;
	else if (strcmp(domain, "kernel") == 0)
		e->exclude = other | PM_EXCLUDE_USER | PM_EXCLUDE_HV;
	else
		e->exclude = other | PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV;
}

/* Open an event and close it, if events of its kind are opened at all. Returns 0 or an error
 * number. */
static int try_open(const struct pm_event *e)
{
	int fd;

	if (pm_event_how(e) != PM_HOW_DIRECT)
		return 0;
	fd = pm_tryopen_open(e);
	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/* Try an event. If it is refused and its name asks for no levels, try once more: with fewer levels
 * if permission is lacking, with all if the counter cannot tell levels apart. Sets the word's state
 * and domain. */
static void try_event(struct pm_events_word *w, struct pm_event *e, const char *domain)
{
	char why[PM_TRYOPEN_WHY_MAX];
	struct pm_event eased;
	int error;

	choose_domain(e, domain);
	error = try_open(e);
	eased = *e;
	if ((error == EACCES || error == EPERM) && !e->domain_asked && !e->kernel_only &&
	    strcmp(domain, "all") == 0) {
		eased.exclude |= PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV;
		pm_tryopen_explain(why, e, error);
		error = try_open(&eased);
		if (error == 0)
			snprintf(w->why, sizeof w->why, "%s", why);
		*e = eased;
	} else if (error == EINVAL && !e->domain_asked && e->exclude & LEVELS) {
		/* Counters that cannot tell the levels apart, such as those of the PMU msr. */
		eased.exclude &= (uint8_t)~LEVELS;
		if (try_open(&eased) == 0) {
			*e = eased;
			error = 0;
		}
	}
	w->domain = domain_name(e);
	if (error) {
		pm_tryopen_explain(why, e, error);
		pm_events_set_state(w, pm_tryopen_state(error), pm_uncounted_of_error(error), why);
	}
}

/* Resolve and try the terms of a derived event into `term`. Returns 0, or -1 with w's state set. */
static int try_terms(struct pm_events_word *w, struct pm_event term[], const char *domain)
{
	for (unsigned i = 0; i < w->known.terms; i++) {
		struct pm_eventname found;

		if (!pm_eventname_find(w->known.term[i], &found) || found.terms) {
			char why[2 * PM_EVENTNAME_MAX];

			snprintf(why, sizeof why, "its component %s is not a known single event",
				 w->known.term[i]);
			pm_events_set_state(w, PM_TRYOPEN_UNSUPPORTED,
					    PM_UNCOUNTED_TEXT(unsupported), why);
			return -1;
		}
		term[i] = found.event;
		try_event(w, &term[i], domain);
		if (w->state == PM_TRYOPEN_OK && found.refused[0])
			pm_events_set_state(w, PM_TRYOPEN_UNSUPPORTED,
					    PM_UNCOUNTED_TEXT(unsupported), found.refused);
		if (w->state != PM_TRYOPEN_OK && w->state != PM_TRYOPEN_LIMITED)
			return -1;
	}
	return 0;
}

/* Whether a name has a domain of its own: ":u", ":k=1". */
static int has_domain(const char *name)
{
	while ((name = strchr(name, ':'))) {
		size_t n = strcspn(++name, ":"), letters = strspn(name, "ukh");

		if (letters && (letters == n || name[letters] == '='))
			return 1;
	}
	return 0;
}

/* Append the domain to the event's name for PAPI; presets take none. Returns the domain. */
static const char *put_papi_domain(struct pm_eventname *known, const char *domain)
{
	const char *name = strchr(known->papi, ':') + 1;
	size_t n = strlen(known->papi);
	struct pm_event e;

	if (strncmp(known->papi, "perf_event:", 11) != 0)
		return "all";
	if (pm_event_find(&e, name, strlen(name)) == 0) {
		choose_domain(&e, domain);
		domain = domain_name(&e);
	}
	if (strncmp(name, "PAPI_", 5) == 0)
		return "user";
	if (!has_domain(name) && strcmp(domain, "user") != 0)
		snprintf(known->papi + n, sizeof known->papi - n, "%s",
			 strcmp(domain, "kernel") == 0 ? ":u=0:k=1" : ":u=1:k=1");
	return domain;
}

/* Try an event that PAPI reads; if "all" is refused, in user mode only. Sets the word's state and
 * domain. */
static void try_papi(struct pm_events_word *w, const char *domain)
{
	char why[PM_EVENTNAME_MAX], plain[sizeof w->known.papi];
	int error;

	snprintf(plain, sizeof plain, "%s", w->known.papi);
	w->domain = put_papi_domain(&w->known, domain);
	error = pm_eventname_papi_try(w->known.papi, why);
	if (error && strcmp(domain, "all") == 0 && strcmp(plain, w->known.papi) != 0 &&
	    pm_eventname_papi_try(plain, w->why) == 0) {
		snprintf(w->why, sizeof w->why, "%s", why);
		snprintf(w->known.papi, sizeof w->known.papi, "%s", plain);
		w->domain = "user";
	} else if (error) {
		/* PAPI_EPERM; PAPI_ECNFLCT and PAPI_EISRUN, which mean that the counters are in
		 * use. */
		pm_events_set_state(w,
				    error == -15                  ? PM_TRYOPEN_DENIED
				    : error == -8 || error == -10 ? PM_TRYOPEN_LIMITED
								  : PM_TRYOPEN_UNSUPPORTED,
				    pm_papi_error(error), why);
	}
}

unsigned pm_events_resolve_word(struct pm_events_word *w, const char *name, const char *domain,
				struct pm_event term[PM_EVENTNAME_TERMS_MAX])
{
	const struct pm_eventname_source *source;

	memset(w, 0, sizeof *w);
	w->reason = w->domain = w->source = "";
	w->name = strdup(name);
	if (!w->name)
		pm_nomem();
	source = pm_eventname_find(name, &w->known);
	if (!source) {
		char missing[PM_EVENTNAME_MAX];

		pm_events_set_state(w, PM_TRYOPEN_UNKNOWN, PM_UNCOUNTED_TEXT(unknown),
				    "no source of events knows this name");
		if (pm_eventname_is_papi(name) &&
		    pm_eventname_describe(&pm_eventname_papi, missing, sizeof missing) < 0)
			snprintf(w->why, sizeof w->why, "PAPI is missing: %s", missing);
		return 0;
	}
	w->source = source->name;
	if (w->known.refused[0]) {
		pm_events_set_state(w, PM_TRYOPEN_UNSUPPORTED, PM_UNCOUNTED_TEXT(unsupported),
				    w->known.refused);
		return 0;
	}
	if (w->known.terms)
		return try_terms(w, term, domain) == 0 ? w->known.terms : 0;
	if (w->known.event.scope != PM_EVENT_PERF) {
		try_papi(w, domain);
		term[0] = w->known.event;
		return w->state == PM_TRYOPEN_OK || w->state == PM_TRYOPEN_LIMITED;
	}
	term[0] = w->known.event;
	try_event(w, &term[0], domain);
	w->known.event = term[0];
	/* Resources that are used up here may be free in the programs. */
	return w->state == PM_TRYOPEN_OK || w->state == PM_TRYOPEN_LIMITED;
}

void pm_events_try(struct pm_events_word *w, const char *name, const char *domain)
{
	struct pm_event term[PM_EVENTNAME_TERMS_MAX];

	pm_events_resolve_word(w, name, domain, term);
}

void pm_events_forget(struct pm_events_word *w)
{
	free(w->name);
	w->name = NULL;
}
