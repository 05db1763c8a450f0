/*
 * The sources of event names: our own table, the kernel's devices in sysfs, libpfm4, PAPI. Each
 * source is one file. Libraries are opened only when a name needs them, since linking them would
 * slow down every start of perfmon.
 */
#ifndef PM_WRAPPER_EVENTS_EVENTNAME_H
#define PM_WRAPPER_EVENTS_EVENTNAME_H

#include "common/safe/events.h"

#include <stdbool.h>

/* Most native events of a derived one (PAPI_EVENTS_IN_DERIVED_EVENT), and sizes with their NULs. */
#define PM_EVENTNAME_TERMS_MAX   8
#define PM_EVENTNAME_MAX         256
#define PM_EVENTNAME_FORMULA_MAX 512

/* A source's description of an event. */
struct pm_eventname {
	struct pm_event event; /* without its name; meaningless for a derived event */
	char description[PM_EVENTNAME_MAX];
	/* A derived event: names of native events that another source knows, and the formula for
	 * the value in reverse Polish notation: N0 (the first term), N1 ..., numbers and + - * /,
	 * separated by blanks. */
	unsigned terms;
	char term[PM_EVENTNAME_TERMS_MAX][PM_EVENTNAME_MAX];
	char formula[PM_EVENTNAME_FORMULA_MAX];
	/* If event.scope says that PAPI reads the event: COMPONENT:EVENT, and the unit, "" for a
	 * plain count. */
	char papi[PM_EVENT_PAPI_MAX + 1];
	char unit[64];
	/* Why the event cannot be counted although the source knows it; "": it can. */
	char refused[PM_EVENTNAME_MAX];
};

/* Called with every name that a source can list; returns a value other than 0 to end the list. */
typedef int pm_eventname_fn(void *ctx, const char *name, const char *description);

/* A source. One that perfmon was built without has only a name; every other source has `find`. */
struct pm_eventname_source {
	const char *name;
	/* Returns 0 with *found filled, or -1: this source does not know the name. */
	int (*find)(const char *name, struct pm_eventname *found);
	/* Call fn with every name. NULL: this source lists no names. */
	void (*each)(pm_eventname_fn *fn, void *ctx);
	/* Describe the source for `check`: its version and its processors or components, or why it
	 * is unusable. Returns 0 if it is usable, else -1. NULL: always usable. */
	int (*describe)(char *text, size_t size);
};

extern const struct pm_eventname_source pm_eventname_sysfs, pm_eventname_pfm, pm_eventname_papi;

/* All sources in the order in which they are asked, ending with NULL. */
extern const struct pm_eventname_source *const pm_eventname_sources[];

/* Describe a source as its own function does, or say that perfmon was built without it. */
int pm_eventname_describe(const struct pm_eventname_source *s, char *text, size_t size);

/* Call fn with every name that a source lists. */
void pm_eventname_list(const struct pm_eventname_source *s, pm_eventname_fn *fn, void *ctx);

/* Ask all sources. Returns the first source that can have the event counted, else the first that
 * knows the name (found->refused says why not), else NULL. */
const struct pm_eventname_source *pm_eventname_find(const char *name, struct pm_eventname *found);

/* Prefix of a name: PAPI shall read the event, even if another source could. */
#define PM_EVENTNAME_PAPI "papi:"

/* Whether a name is PAPI's: it begins with "papi:" or PAPI_, or names a component (NAME:::EVENT).
 */
bool pm_eventname_is_papi(const char *name);

/*
 * Try an event that PAPI reads, COMPONENT:EVENT: add, start and read it once, since PAPI's queries
 * also accept events that cannot be counted. Returns 0, or PAPI's error number (< 0) with its
 * meaning in `why`.
 */
int pm_eventname_papi_try(const char *text, char why[PM_EVENTNAME_MAX]);

/* Make the entry of PERFMON_EVENTS that names PAPI's library. The name in *e lives as long as the
 * process. Returns 0, or -1 without a usable library. */
int pm_eventname_papi_library(struct pm_event *e);

/*
 * Make the formula of a preset from PAPI's description (PAPI_event_info_t: derived, postfix) of
 * `terms` events. `hz`: cycles per second, the value of # in a postfix; 0: unknown.
 * Returns 0, or -1: the kind is unknown, or the postfix is malformed.
 */
int pm_eventname_formula(const char *derived, const char *postfix, unsigned terms, double hz,
			 char formula[PM_EVENTNAME_FORMULA_MAX]);

#endif
