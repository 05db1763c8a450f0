/*
 * The events of a job: the words of the setting options that are no flags, each resolved and tried
 * once. One that cannot be had costs none of the others.
 */
#ifndef PM_WRAPPER_EVENTS_H
#define PM_WRAPPER_EVENTS_H

#include "common/events.h"
#include "common/jobdir.h"
#include "wrapper/events_word.h"

#include <jansson.h>

/* All of a job. */
struct pm_events {
	struct pm_events_word *word;
	size_t words;
	char *text; /* value of PERFMON_EVENTS */
};

/*
 * Resolve and try the words of an `options` list for a domain (user, kernel, all). The caller
 * frees. Never fails: what does not work is in the result. Leaves no descriptor.
 */
void pm_events_resolve(struct pm_events *ev, const char *options, const char *domain);

/* A word as an object of the array `events` in the job metadata. The caller decrefs. */
json_t *pm_events_describe(const struct pm_events_word *w);

/* Free what resolve filled. */
void pm_events_free(struct pm_events *ev);

/* Warn on standard error about what cannot be had, one line for each reason. */
void pm_events_warn(const struct pm_events *ev);

/* Names that are nearly `name`, as "a, b or c" for people; "" for none. */
void pm_events_suggest(char *text, size_t size, const char *name);

/*
 * The events of the settings in force, into the metadata of a job that starts: array `events`, and
 * array `counters`, by which later verbs know that nothing is to be resolved anew. Warns.
 */
void pm_events_start(json_t *doc);

/*
 * The value of PERFMON_EVENTS for the settings in force, "" for none: from the metadata of this
 * host where it was resolved already, else resolved, warned about and added there, for which the
 * job is locked: *d must not be. The caller frees.
 */
char *pm_events_value(const struct pm_jobdir *d);

/*
 * Open the software events of such a value and keep them open, not counting, as long as the process
 * lives, and one that stands for all others: the kernel patches its code when the first event of
 * all and the first of each class opens, for which every process of the job would wait otherwise.
 */
void pm_events_hold(const char *value);

#endif
