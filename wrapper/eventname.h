/*
 * Who knows names of events: our own table, the kernel's devices in sysfs, libpfm4, PAPI. Each is
 * one file; the libraries are opened when a name asks for them, since linking them would cost every
 * start of perfmon.
 */
#ifndef PM_WRAPPER_EVENTNAME_H
#define PM_WRAPPER_EVENTNAME_H

#include "common/events.h"

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
	/* Why perf_event_open(2) cannot count what the source knows; "" where it can. */
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

/*
 * The formula of a preset as PAPI describes it (PAPI_event_info_t: derived, postfix) for `terms`
 * events; `hz` is what # stands for, cycles per second, 0 where it is not known.
 * Returns 0, or -1: the kind is not known, or the postfix is malformed.
 */
int pm_eventname_formula(const char *derived, const char *postfix, unsigned terms, double hz,
			 char formula[PM_EVENTNAME_FORMULA_MAX]);

#endif
