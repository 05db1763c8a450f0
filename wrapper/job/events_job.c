/* The events of a job in its metadata and in the environment of its programs. */
#include "config.h"

#include "common/log.h"
#include "common/nomem.h"
#include "common/settings/readconfig.h"
#include "wrapper/events/events.h"
#include "wrapper/job/job.h"
#include "wrapper/metadata/metadata.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Descriptors left free for the command, its sampler and its job. */
#define DESCRIPTORS_SPARED 32

/* Number of settings whose resolved events a job keeps. */
#define SETTINGS_MAX 16

static void set_text(json_t *object, const char *key, const char *text)
{
	if (*text)
		json_object_set_new(object, key, pm_metadata_string(text));
}

json_t *pm_events_describe(const struct pm_events_word *w)
{
	json_t *one = json_object(), *terms = json_array();

	set_text(one, "name", w->name);
	set_text(one, "state", pm_tryopen_state_name(w->state));
	set_text(one, "reason", w->reason);
	set_text(one, "why", w->why);
	set_text(one, "description", w->known.description);
	set_text(one, "domain", w->domain);
	set_text(one, "source", w->source);
	/* A preset has an event that is all zero: this gives the method of its terms, which are
	 * processor events. */
	if (w->state == PM_TRYOPEN_OK || w->state == PM_TRYOPEN_LIMITED)
		set_text(one, "how", pm_event_how_name(pm_event_how(&w->known.event)));
	set_text(one, "scope", pm_event_scope_name(w->known.event.scope));
	set_text(one, "unit", w->known.unit);
	for (unsigned i = 0; i < w->known.terms; i++)
		json_array_append_new(terms, pm_metadata_string(w->known.term[i]));
	if (w->known.terms)
		json_object_set(one, "terms", terms);
	json_decref(terms);
	if (w->known.terms > 1)
		set_text(one, "formula", w->known.formula);
	return one;
}

/* Make an object of the settings in force, the key of their resolved events. */
static json_t *pack_settings(void)
{
	char *options = pm_events_options(NULL, NULL);
	json_t *settings = json_pack("{s:o, s:s}", "options", pm_metadata_string(options), "domain",
				     pm_config_get(PM_SET_counter_domain));

	free(options);
	return settings;
}

/* Find the document's entry for the settings in force. Returns a borrowed reference or NULL. */
static json_t *find_counters(const json_t *doc)
{
	json_t *list = json_object_get(doc, "counters"), *wanted = pack_settings(), *one,
	       *found = NULL;
	size_t i;

	json_array_foreach (list, i, one)
		if (json_equal(json_object_get(one, "options"),
			       json_object_get(wanted, "options")) &&
		    json_equal(json_object_get(one, "domain"), json_object_get(wanted, "domain")))
			found = one;
	json_decref(wanted);
	return found;
}

/* Put the events into a document, replacing events of the same names. Events resolved for other
 * settings stay: the steps of a job may use different settings in turn. */
static void record_events(json_t *doc, const struct pm_events *ev)
{
	json_t *list = json_object_get(doc, "events"), *counters = find_counters(doc), *all;

	if (!json_is_array(list)) {
		list = json_array();
		json_object_set_new(doc, "events", list);
	}
	for (size_t i = 0; i < ev->words; i++) {
		json_t *one = pm_events_describe(&ev->word[i]), *old;
		const char *name = json_string_value(json_object_get(one, "name"));
		size_t k;

		json_array_foreach (list, k, old) {
			const char *other = json_string_value(json_object_get(old, "name"));

			if (other && strcmp(other, name) == 0)
				break;
		}
		if (k < json_array_size(list))
			json_array_set_new(list, k, one);
		else
			json_array_append_new(list, one);
	}
	if (!counters) {
		all = json_object_get(doc, "counters");
		if (!json_is_array(all)) {
			all = json_array();
			json_object_set_new(doc, "counters", all);
		}
		if (json_array_size(all) >= SETTINGS_MAX)
			json_array_remove(all, 0);
		json_array_append_new(all, pack_settings());
		counters = json_array_get(all, json_array_size(all) - 1);
	}
	json_object_set_new(counters, "export", pm_metadata_string(ev->text));
}

static void resolve_settings(struct pm_events *ev)
{
	char *options = pm_events_options(NULL, NULL);

	pm_events_resolve(ev, options, pm_config_get(PM_SET_counter_domain));
	pm_events_warn(ev);
	free(options);
}

void pm_events_start(json_t *doc)
{
	struct pm_events ev;

	resolve_settings(&ev);
	if (ev.words > 0)
		record_events(doc, &ev);
	pm_events_free(&ev);
}

/* Find the value of PERFMON_EVENTS for the settings in force. Returns a borrowed text or NULL. */
static const char *find_value(const json_t *doc)
{
	return json_string_value(json_object_get(find_counters(doc), "export"));
}

/* Add resolved events to this host's metadata, unless another task has done so. Returns 0 or -1
 * with e filled. */
static int remember_events(const struct pm_jobdir *d, const char *host, const struct pm_events *ev,
			   struct pm_err *e)
{
	struct pm_jobdir own;
	json_t *doc;
	int rc;

	/* Open the directory again: closing this descriptor releases the lock. If the caller's
	 * descriptor were locked, we would wait for ourselves. */
	if (pm_jobdir_open(d->path, &own, e) < 0)
		return -1;
	rc = pm_job_lock(&own, e);
	doc = rc == 0 ? pm_metadata_read(own.fd, host, e) : NULL;
	rc = -1;
	if (doc && find_value(doc)) {
		rc = 0;
	} else if (doc) {
		record_events(doc, ev);
		rc = pm_metadata_write(own.fd, host, doc, e);
	}
	json_decref(doc);
	pm_jobdir_close(&own);
	return rc;
}

char *pm_events_value(const struct pm_jobdir *d)
{
	char host[256], *text = NULL;
	struct pm_events ev;
	const char *value;
	struct pm_err e;
	json_t *doc;

	pm_jobdir_host(host, sizeof host);
	doc = pm_metadata_read(d->fd, host, &e);
	value = find_value(doc);
	if (value)
		text = strdup(value);
	if (!text) {
		resolve_settings(&ev);
		text = strdup(ev.text);
		if (ev.words > 0 && remember_events(d, host, &ev, &e) < 0)
			pm_info("the events are not in the job's metadata: %s", e.text);
		pm_events_free(&ev);
	}
	json_decref(doc);
	if (!text)
		pm_nomem();
	return text;
}

/* Open an event for the life of the process. Returns 0, or -1 if the event does not open or would
 * take a descriptor that the command may need. */
static int hold_event(const struct pm_event *e)
{
	int fd = pm_tryopen_open(e);
	struct rlimit limit;

	if (fd >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    (rlim_t)fd + DESCRIPTORS_SPARED <= limit.rlim_cur)
		return 0;
	if (fd >= 0)
		close(fd);
	return -1;
}

void pm_events_hold(const char *value)
{
	/* An event that stands for all events of threads. */
	const struct pm_event any = { .type = PERF_TYPE_SOFTWARE,
				      .config = PERF_COUNT_SW_DUMMY,
				      .exclude = PM_EXCLUDE_KERNEL | PM_EXCLUDE_HV };
	struct pm_str rest = { value, strlen(value) }, item;
	struct pm_event e;
	bool first = true;

	while (pm_tsv_next_item(&rest, &item)) {
		if (pm_event_parse(&e, item.p, item.n) < 0 || e.reason.n ||
		    pm_event_how(&e) != PM_HOW_DIRECT)
			continue;
		if (first && hold_event(&any) < 0)
			return;
		first = false;
		if (e.type == PERF_TYPE_SOFTWARE && hold_event(&e) < 0)
			return;
	}
}
