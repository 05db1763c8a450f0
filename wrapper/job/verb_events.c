/* perfmon events: list the events that can be counted here, after trying to open each. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/log.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "wrapper/events/events.h"
#include "wrapper/metadata/metadata.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 42

struct listing {
	const char *pattern; /* NULL: all names */
	bool all;            /* also list events that cannot be counted */
	const char *domain;
	json_t *json; /* the array to print; NULL: print text */
	size_t matched, shown;
};

/* Whether a name matches; a pattern without * ? [ matches a part of the name. */
static bool is_match(const char *pattern, const char *name)
{
	if (!pattern || fnmatch(pattern, name, FNM_CASEFOLD) == 0)
		return true;
	return !strpbrk(pattern, "*?[") && strcasestr(name, pattern);
}

/* The row of our table whose listed name this is, or NULL. */
static const struct pm_event_info *row_of(const char *name)
{
	for (size_t i = 0; i < PM_EVENT_ROWS; i++) {
		const char *listed = strchr(pm_event_info[i].names, ' ') + 1;

		if (strncmp(listed, name, strlen(name)) == 0 &&
		    (listed[strlen(name)] == ' ' || listed[strlen(name)] == '\0'))
			return &pm_event_info[i];
	}
	return NULL;
}

/* Make a list of all names of an event, beginning with `name`. */
static json_t *names_of(const char *name)
{
	const struct pm_event_info *row = row_of(name);
	json_t *names = json_array();

	json_array_append_new(names, pm_metadata_string(name));
	for (const char *p = row ? row->names : ""; *p;) {
		size_t n = strcspn(p, " ");

		if (n != strlen(name) || memcmp(p, name, n) != 0)
			json_array_append_new(names, json_stringn(p, n));
		p += n + (p[n] == ' ');
	}
	return names;
}

static bool any_match(const char *pattern, const json_t *names)
{
	json_t *name;
	size_t i;

	json_array_foreach (names, i, name)
		if (is_match(pattern, json_string_value(name)))
			return true;
	return false;
}

/* Print untrusted text on one line: escaped as a TSV field and safe for a terminal. */
static void put_text(const char *text)
{
	pm_terminal_put(stdout, text, strlen(text), true);
}

static void print_event(const struct pm_events_word *w)
{
	int pad = NAME_WIDTH - (int)strlen(w->name);

	put_text(w->name);
	printf("%*s %-7s ", pad > 0 ? pad : 0, "", w->source);
	put_text(w->known.description);
	if (w->known.unit[0]) {
		fputs(" [", stdout);
		put_text(w->known.unit);
		putchar(']');
	}
	if (pm_event_how(&w->known.event) != PM_HOW_DIRECT)
		printf(" (%s%s)", pm_event_how_name(pm_event_how(&w->known.event)),
		       w->known.event.scope == PM_EVENT_NODE ? ", for the whole node" : "");
	if (w->state != PM_TRYOPEN_OK) {
		fputs(" -- ", stdout);
		put_text(w->why);
		printf(" (%s)", w->reason);
	}
	putchar('\n');
}

/* Try an event that matched and list it. */
static void list_one(struct listing *l, const char *name, json_t *names)
{
	struct pm_events_word w;

	l->matched++;
	pm_events_try(&w, name, l->domain);
	if (w.state == PM_TRYOPEN_OK || l->all) {
		l->shown++;
		if (l->json) {
			json_t *one = pm_events_describe(&w);

			json_object_set(one, "names", names);
			json_array_append_new(l->json, one);
		} else {
			print_event(&w);
		}
	}
	pm_events_forget(&w);
}

static int list_matching(void *ctx, const char *name, const char *description)
{
	json_t *names = names_of(name);
	struct listing *l = ctx;

	(void)description;
	if (any_match(l->pattern, names))
		list_one(l, name, names);
	json_decref(names);
	return 0;
}

/* Explain an empty listing: no known event matches, or none that matches can be counted. */
static void explain_none(const struct listing *l, struct pm_err *e)
{
	char near[512] = "";

	if (l->matched) {
		pm_err(e,
		       "%zu known event%s, and none can be counted here; perfmon events --all "
		       "%s%ssays why",
		       l->matched, l->matched > 1 ? "s" : "", l->pattern ? l->pattern : "",
		       l->pattern ? " " : "");
		return;
	}
	pm_events_suggest(near, sizeof near, l->pattern);
	pm_err(e, "no known event matches '%s'%s%s%s", l->pattern, *near ? "; did you mean " : "",
	       near, *near ? "?" : "");
}

static void tell_rule(void *ctx, enum pm_setting s, const struct pm_rule *rule)
{
	(void)ctx;
	pm_info("%s: '%.*s' matches here and adds %.*s", pm_setting_info[s].name,
		(int)rule->expression_len, rule->expression, (int)rule->value_len, rule->value);
}

int pm_verb_events(const struct pm_cli *cli, struct pm_err *e)
{
	struct listing l = { .domain = pm_config_get(PM_SET_counter_domain) };
	int status = PM_EXIT_OK;

	if (cli->argc > 1) {
		pm_err(e, "events takes one pattern");
		return PM_EXIT_USAGE;
	}
	l.pattern = cli->argc ? cli->argv[0] : NULL;
	free(pm_events_options(tell_rule, NULL));
	l.all = cli->given[PM_OPT_all] || cli->given[PM_OPT_verbose];
	l.json = cli->given[PM_OPT_json] ? json_array() : NULL;
	for (size_t i = 0; pm_eventname_sources[i]; i++)
		pm_eventname_list(pm_eventname_sources[i], list_matching, &l);
	/* Try a name that no source lists: a raw code, breakpoint, tracepoint or modifier. */
	if (l.pattern && l.matched == 0) {
		struct pm_eventname found;

		if (strlen(l.pattern) < PM_EVENTNAME_MAX && pm_eventname_find(l.pattern, &found)) {
			json_t *names = names_of(l.pattern);

			list_one(&l, l.pattern, names);
			json_decref(names);
		}
	}
	if (l.json) {
		json_dumpf(l.json, stdout,
			   JSON_ENSURE_ASCII | JSON_INDENT(1) | JSON_PRESERVE_ORDER);
		putchar('\n');
		json_decref(l.json);
	}
	if (l.shown == 0) {
		explain_none(&l, e);
		status = PM_EXIT_FAILED;
	}
	return status;
}
