/* One word to the events that it stands for, each tried. */
#include "config.h"

#include "wrapper/events_word.h"
#include "common/nomem.h"
#include "common/papi.h"
#include "common/uncounted.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEVELS (PM_EXCLUDE_USER | PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV)

void pm_events_set_state(struct pm_events_word *w, enum pm_trial_state state, const char *reason,
			 const char *why)
{
	w->state = state;
	w->reason = reason;
	snprintf(w->why, sizeof w->why, "%s", why);
}

/* A clock runs in all of them, whatever is asked for. */
static const char *domain_name(const struct pm_event *e)
{
	if (pm_event_how(e) == PM_HOW_CLOCK)
		return "all";
	if (e->exclude & PM_EXCLUDE_KERNEL)
		return "user";
	return e->exclude & PM_EXCLUDE_USER ? "kernel" : "all";
}

/* Put the domain that was asked for into an event whose name does not say it. */
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

/* Whether it opens, or need not be. */
static int try(const struct pm_event *e)
{
	int fd;

	if (pm_event_how(e) != PM_HOW_DIRECT)
		return 0;
	fd = pm_trial_open(e);
	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/* Try an event; ease what nobody asked for explicitly. Sets the word's state and domain. */
static void try_event(struct pm_events_word *w, struct pm_event *e, const char *domain)
{
	char why[PM_TRIAL_WHY_MAX];
	struct pm_event eased;
	int error;

	choose_domain(e, domain);
	error = try(e);
	eased = *e;
	if ((error == EACCES || error == EPERM) && !e->domain_asked && !e->kernel_only &&
	    strcmp(domain, "all") == 0) {
		eased.exclude |= PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV;
		pm_trial_explain(why, e, error);
		error = try(&eased);
		if (error == 0)
			snprintf(w->why, sizeof w->why, "%s", why);
		*e = eased;
	} else if (error == EINVAL && !e->domain_asked && e->exclude & LEVELS) {
		/* Counters that cannot tell the levels apart, such as those of msr. */
		eased.exclude &= (uint8_t)~LEVELS;
		if (try(&eased) == 0) {
			*e = eased;
			error = 0;
		}
	}
	w->domain = domain_name(e);
	if (error) {
		pm_trial_explain(why, e, error);
		pm_events_set_state(w, pm_trial_state(error), pm_uncounted_of_error(error), why);
	}
}

/* Resolve and try the terms of a derived event into `term`. Returns 0, or -1 with w's state set. */
static int try_terms(struct pm_events_word *w, struct pm_event term[], const char *domain)
{
	for (unsigned i = 0; i < w->known.terms; i++) {
		struct pm_eventname found;

		if (!pm_eventname_find(w->known.term[i], &found) || found.terms) {
			char why[2 * PM_EVENTNAME_MAX];

			snprintf(why, sizeof why, "nothing knows its part %s", w->known.term[i]);
			pm_events_set_state(w, PM_TRIAL_UNSUPPORTED, PM_UNCOUNTED_TEXT(unsupported),
					    why);
			return -1;
		}
		term[i] = found.event;
		try_event(w, &term[i], domain);
		if (w->state == PM_TRIAL_OK && found.refused[0])
			pm_events_set_state(w, PM_TRIAL_UNSUPPORTED, PM_UNCOUNTED_TEXT(unsupported),
					    found.refused);
		if (w->state != PM_TRIAL_OK && w->state != PM_TRIAL_LIMITED)
			return -1;
	}
	return 0;
}

/* Whether a name says itself where it counts: ":u", ":k=1". */
static int has_domain(const char *name)
{
	while ((name = strchr(name, ':'))) {
		size_t n = strcspn(++name, ":"), letters = strspn(name, "ukh");

		if (letters && (letters == n || name[letters] == '='))
			return 1;
	}
	return 0;
}

/* Append where to count to the name that PAPI is told. Presets take none. Returns the domain. */
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

/* Try an event that PAPI reads, as try_event. */
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
		/* The numbers are PAPI's: EPERM, and those that mean that others count. */
		pm_events_set_state(w,
				    error == -15                  ? PM_TRIAL_DENIED
				    : error == -8 || error == -10 ? PM_TRIAL_LIMITED
								  : PM_TRIAL_UNSUPPORTED,
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

		pm_events_set_state(w, PM_TRIAL_UNKNOWN, PM_UNCOUNTED_TEXT(unknown),
				    "nothing here knows this name");
		if (pm_eventname_is_papi(name) &&
		    pm_eventname_describe(&pm_eventname_papi, missing, sizeof missing) < 0)
			snprintf(w->why, sizeof w->why, "PAPI is missing: %s", missing);
		return 0;
	}
	w->source = source->name;
	if (w->known.refused[0]) {
		pm_events_set_state(w, PM_TRIAL_UNSUPPORTED, PM_UNCOUNTED_TEXT(unsupported),
				    w->known.refused);
		return 0;
	}
	if (w->known.terms)
		return try_terms(w, term, domain) == 0 ? w->known.terms : 0;
	if (w->known.event.scope != PM_EVENT_PERF) {
		try_papi(w, domain);
		term[0] = w->known.event;
		return w->state == PM_TRIAL_OK || w->state == PM_TRIAL_LIMITED;
	}
	term[0] = w->known.event;
	try_event(w, &term[0], domain);
	w->known.event = term[0];
	/* What is used up here need not be so in the programs. */
	return w->state == PM_TRIAL_OK || w->state == PM_TRIAL_LIMITED;
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
