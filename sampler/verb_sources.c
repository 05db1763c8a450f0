/* perfmon sources: what the sampler can read here. */
#include "config.h"

#include "common/config.h"
#include "common/verb.h"
#include "sampler/source.h"
#include "sampler/tree.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

static const char *kind_name(const struct pm_metric *m)
{
	return m->kind == PM_METRIC_COUNTER ? "counter" : "gauge";
}

/* Whether the source can be opened; fills why where it cannot. */
static bool available(const struct pm_source *source, const struct pm_target *target,
		      struct pm_unavailable *why)
{
	struct pm_sink sink;
	void *state;
	bool result;

	if (pm_sink_init(&sink, source) < 0) {
		pm_source_unavailable(why, source->name);
		return false;
	}
	result = source->open(&state, target, &sink, why) == 0;
	if (result)
		source->close(state);
	pm_sink_free(&sink);
	return result;
}

static void print_text(const struct pm_source *s, const struct pm_unavailable *why)
{
	printf("%s: %s\n", s->name, s->help);
	if (why)
		printf("  not available (%s): %s\n", pm_reason_name(why->reason), why->err.text);
	else
		printf("  available\n");
	for (size_t i = 0; i < s->metrics_count; i++) {
		const struct pm_metric *m = &s->metrics[i];

		printf("  %-22s %-7s %-2s  %s", m->name, kind_name(m), m->unit, m->help);
		if (m->object)
			printf("; per %s%s", m->object, m->whole ? " and in all" : "");
		putchar('\n');
	}
}

static json_t *make_json(const struct pm_source *s, const struct pm_unavailable *why)
{
	json_t *metrics = json_array();

	for (size_t i = 0; i < s->metrics_count; i++) {
		const struct pm_metric *m = &s->metrics[i];

		json_array_append_new(metrics, json_pack("{s:s, s:s, s:s, s:s?, s:b, s:s}", "name",
							 m->name, "kind", kind_name(m), "unit",
							 m->unit, "object", m->object, "whole",
							 !m->object || m->whole, "help", m->help));
	}
	return json_pack("{s:s, s:s, s:b, s:s?, s:s?, s:o}", "name", s->name, "help", s->help,
			 "available", why == NULL, "reason",
			 why ? pm_reason_name(why->reason) : NULL, "why",
			 why ? why->err.text : NULL, "metrics", metrics);
}

int pm_verb_sources(const struct pm_cli *cli, struct pm_err *e)
{
	const uint64_t cost_ns[PM_SOURCES] = { 0 };
	const struct pm_own own = { .cost_ns = cost_ns };
	struct pm_target target = { .root = pm_config_get(PM_SET_root), .own = &own };
	const bool json = cli->given[PM_OPT_json] > 0;
	struct pm_tree *tree;
	json_t *list;
	int result = PM_EXIT_OK;

	if (cli->argc) {
		pm_err(e, "sources takes no operands: '%s'", cli->argv[0]);
		return PM_EXIT_USAGE;
	}
	/* Any process will do to see whether there are trees to follow here. */
	target.tree = tree = pm_tree_open(target.root, getpid(), NULL);
	list = json_array();
	for (int i = 0; i < PM_SOURCES; i++) {
		struct pm_unavailable why;
		bool there = available(pm_source_table[i], &target, &why);

		if (json)
			json_array_append_new(list,
					      make_json(pm_source_table[i], there ? NULL : &why));
		else
			print_text(pm_source_table[i], there ? NULL : &why);
	}
	if (json && (json_dumpf(list, stdout, JSON_INDENT(2)) < 0 || putchar('\n') == EOF)) {
		pm_err(e, "write: %m");
		result = PM_EXIT_FAILED;
	}
	json_decref(list);
	pm_tree_close(tree);
	return result;
}
