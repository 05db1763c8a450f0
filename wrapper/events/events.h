/*
 * The events of a job: the words of the setting options that are no flags, each resolved and tried
 * once. An event that cannot be counted does not affect the others.
 */
#ifndef PM_WRAPPER_EVENTS_EVENTS_H
#define PM_WRAPPER_EVENTS_EVENTS_H

#include "common/job/jobdir.h"
#include "common/safe/events.h"
#include "common/settings/rules.h"
#include "common/settings/settings.h"
#include "wrapper/events/events_word.h"

#include <jansson.h>

/* All events of a job. */
struct pm_events {
	struct pm_events_word *word;
	size_t words;
	char *text; /* value of PERFMON_EVENTS */
};

/* Receives a rule of events_by_host or events_by_cpu that matches. */
typedef void pm_events_rule_fn(void *ctx, enum pm_setting s, const struct pm_rule *rule);

/* The list of words for this host: the setting options, then the events of all rules of
 * events_by_host and events_by_cpu that match. Calls `each`, unless it is NULL, for each of these.
 * The caller frees the text. */
char *pm_events_options(pm_events_rule_fn *each, void *ctx);

/*
 * Resolve and try the words of an `options` list for a domain (user, kernel, all). The caller calls
 * pm_events_free. Never fails: each word has its own state. Leaves no descriptor open.
 */
void pm_events_resolve(struct pm_events *ev, const char *options, const char *domain);

/* Make a word's object for the array `events` of the job metadata. The caller decrefs the object.
 */
json_t *pm_events_describe(const struct pm_events_word *w);

/* Free the contents that pm_events_resolve allocated. */
void pm_events_free(struct pm_events *ev);

/* Warn on standard error about events that are not counted as asked, one line for each reason. */
void pm_events_warn(const struct pm_events *ev);

/* List known names that are spelled nearly like `name`, as "a, b or c" for people; "": none. */
void pm_events_suggest(char *text, size_t size, const char *name);

/*
 * Write the events of the settings in force into the metadata of a job that starts: array `events`,
 * and array `counters`, which tells later verbs that these settings are resolved already. Warns.
 */
void pm_events_start(json_t *doc);

/*
 * Get the value of PERFMON_EVENTS for the settings in force, "" without events: from this host's
 * metadata, or else resolved, with warnings, and added to the metadata. Locks the job: the caller
 * must not hold the lock of *d. The caller frees the text.
 */
char *pm_events_value(const struct pm_jobdir *d);

/*
 * Open the software events of a value of PERFMON_EVENTS, and one event that stands for all others,
 * and keep them open, not counting, as long as this process lives. The kernel patches its code when
 * the first event of all, and the first of each class, opens; every process of the job would
 * otherwise wait for that.
 */
void pm_events_hold(const char *value);

#endif
