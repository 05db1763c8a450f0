/* Resolve and try one word of the setting options. */
#ifndef PM_WRAPPER_EVENTS_EVENTS_WORD_H
#define PM_WRAPPER_EVENTS_EVENTS_WORD_H

#include "common/safe/events.h"
#include "wrapper/events/eventname.h"
#include "wrapper/events/tryopen.h"

/* The result of resolving and trying one name. A text without content is "". */
struct pm_events_word {
	char *name; /* as the user wrote it */
	enum pm_tryopen_state state;
	const char *reason;               /* token for records */
	char why[2 * PM_TRYOPEN_WHY_MAX]; /* clause for people; with state ok, why only user mode is
					     counted */
	const char *domain;               /* user, kernel or all */
	const char *source;               /* name of the source that knows the event */
	struct pm_eventname known;
};

/* Resolve and try one name. The caller calls pm_events_forget to free *w. */
void pm_events_try(struct pm_events_word *w, const char *name, const char *domain);
void pm_events_forget(struct pm_events_word *w);

/* Like pm_events_try, and also put the events to open into `term`. Returns their number. */
unsigned pm_events_resolve_word(struct pm_events_word *w, const char *name, const char *domain,
				struct pm_event term[PM_EVENTNAME_TERMS_MAX]);

/* Set the result of a word. `reason` is kept by reference, `why` is copied. */
void pm_events_set_state(struct pm_events_word *w, enum pm_tryopen_state state, const char *reason,
			 const char *why);

#endif
