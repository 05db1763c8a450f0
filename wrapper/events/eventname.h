/*
 * Who knows names of events: our own table, the kernel's devices in sysfs, libpfm4, PAPI. Each is
 * one file; the libraries are opened when a name asks for them, since linking them would cost every
 * start of perfmon.
 */
#ifndef PM_WRAPPER_EVENTNAME_H
#define PM_WRAPPER_EVENTNAME_H

#include "common/events.h"

#include <stdbool.h>

/* Most native events of a derived one (PAPI_EVENTS_IN_DERIVED_EVENT), and sizes with their NULs. */
#define PM_EVENTNAME_TERMS_MAX   8
#define PM_EVENTNAME_MAX         256
#define PM_EVENTNAME_FORMULA_MAX 512

/* What a source knows of a name. */
struct pm_eventname {
	struct pm_event event; /* where there are no terms; its name is not set */
	char description[PM_EVENTNAME_MAX];
	/* A derived event: names that another source knows, and in reverse polish notation how they
	 * make the value: N0 is the first, numbers stand for themselves, + - * /, blanks between.
	 */
	unsigned terms;
	char term[PM_EVENTNAME_TERMS_MAX][PM_EVENTNAME_MAX];
	char formula[PM_EVENTNAME_FORMULA_MAX];
	/* Where event.scope says that PAPI reads it: its component and its name there, as
	 * COMPONENT:EVENT, and its unit, "" for a plain count. */
	char papi[PM_EVENT_PAPI_MAX + 1];
	char unit[64];
	/* Why what the source knows cannot be counted; "" where it can. */
	char refused[PM_EVENTNAME_MAX];
};

/* Told of every name that a source can list; a value other than 0 ends the list. */
typedef int pm_eventname_fn(void *ctx, const char *name, const char *description);

/* What perfmon was built without has a name alone; no other one lacks `find`. */
struct pm_eventname_source {
	const char *name;
	/* Returns 0 with *found filled, or -1: this source does not know the name. */
	int (*find)(const char *name, struct pm_eventname *found);
	/* Tell fn of every name. NULL: others list them. */
	void (*each)(pm_eventname_fn *fn, void *ctx);
	/* Describe the source for `check`: version and what it knows; or why there is nothing.
	 * Returns 0 when it is there, else -1. NULL: always there. */
	int (*describe)(char *text, size_t size);
};

extern const struct pm_eventname_source pm_eventname_sysfs, pm_eventname_pfm, pm_eventname_papi;

/* All sources in the order in which they are asked, NULL at the end. */
extern const struct pm_eventname_source *const pm_eventname_sources[];

/* Describe a source as its own function does, or say that perfmon was built without it. */
int pm_eventname_describe(const struct pm_eventname_source *s, char *text, size_t size);

/* Tell fn of every name of a source. */
void pm_eventname_list(const struct pm_eventname_source *s, pm_eventname_fn *fn, void *ctx);

/* Ask all sources. Returns the one that knows the name, and can have it counted where any can; or
 * NULL. */
const struct pm_eventname_source *pm_eventname_find(const char *name, struct pm_eventname *found);

/* What has PAPI read an event that others could, in front of its name. */
#define PM_EVENTNAME_PAPI "papi:"

/* Whether only PAPI can know such a name: it begins with "papi:" or PAPI_, or is one of a component
 * (NAME:::EVENT). */
bool pm_eventname_is_papi(const char *name);

/*
 * Add and start an event that PAPI reads, COMPONENT:EVENT, and read it once: a query says yes where
 * this says no. Returns 0, or PAPI's error number (< 0) with its meaning in `why`.
 */
int pm_eventname_papi_try(const char *text, char why[PM_EVENTNAME_MAX]);

/* The entry of PERFMON_EVENTS that names PAPI's library; its name lives as long as the process.
 * Returns 0, or -1 without one. */
int pm_eventname_papi_library(struct pm_event *e);

/*
 * The formula of a preset as PAPI describes it (PAPI_event_info_t: derived, postfix) for `terms`
 * events; `hz` is what # stands for, cycles per second, 0 where it is not known.
 * Returns 0, or -1: the kind is not known, or the postfix is malformed.
 */
int pm_eventname_formula(const char *derived, const char *postfix, unsigned terms, double hz,
			 char formula[PM_EVENTNAME_FORMULA_MAX]);

#endif
