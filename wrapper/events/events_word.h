/* One word of the setting options: resolved and tried. */
#ifndef PM_WRAPPER_EVENTS_WORD_H
#define PM_WRAPPER_EVENTS_WORD_H

#include "common/events.h"
#include "wrapper/eventname.h"
#include "wrapper/trial.h"

/* What became of one name. Texts are "" where there is nothing to say. */
struct pm_events_word {
	char *name; /* as the user wrote it */
	enum pm_trial_state state;
	const char *reason; /* token for records */
	char why[2 *
		 PM_TRIAL_WHY_MAX]; /* clause for people; with state ok, what is less than asked */
	const char *domain;         /* user, kernel or all */
	const char *source;         /* who knew the name */
	struct pm_eventname known;
};

/* Resolve and try one name. The caller calls pm_events_forget. */
void pm_events_try(struct pm_events_word *w, const char *name, const char *domain);
void pm_events_forget(struct pm_events_word *w);

/* The same; the events to open for it go to `term`, as many as the return value. */
unsigned pm_events_resolve_word(struct pm_events_word *w, const char *name, const char *domain,
				struct pm_event term[PM_EVENTNAME_TERMS_MAX]);

/* Set what became of a word: see there. `reason` stays the caller's, `why` is copied. */
void pm_events_set_state(struct pm_events_word *w, enum pm_trial_state state, const char *reason,
			 const char *why);

#endif
