/* perfmon sources: what the sampler can read here. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "sampler/cpuset.h"
#include "sampler/probe.h"
#include "sampler/source.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often a source is read at least, by the settings where they say. */
static int64_t period_us(const struct pm_source *s)
{
	const int64_t us = s->apart_us ? s->apart_us() : 0;

	return us ? us : s->period_us;
}

static void print_text(const struct pm_source *s, const struct pm_probe *p)
{
	printf("%s: %s\n", s->name, s->help);
	if (p->available)
		printf("  available\n  %lld series, %lld of them unknown; %.1f us of CPU time per "
		       "reading\n",
		       (long long)p->series, (long long)p->unknown, (double)p->cost_ns / 1000);
	else
		pm_terminal_print(stdout, "  not available (%s): %s\n",
				  pm_reason_name(p->why.reason), p->why.err.text);
	for (const char *line = p->devices, *end; line && *line; line = end + 1) {
		end = strchrnul(line, '\n');
		pm_terminal_print(stdout, "  %.*s\n", (int)(end - line), line);
		if (!*end)
			break;
	}
	if (s->period_us)
		printf("  read every %g s, beside the others\n", (double)period_us(s) / 1e6);
	if (s->longest_us)
		printf("  with longer intervals every %g s\n", (double)s->longest_us / 1e6);
	if (s->budget_ppm)
		printf("  uses at most %g %% of a CPU\n", s->budget_ppm / 1e4);
	for (size_t i = 0; i < s->metrics_count; i++) {
		const struct pm_metric *m = &s->metrics[i];

		printf("  %-22s %-7s %-2s  %s", m->name, pm_metric_kind_name(m->kind), m->unit,
		       m->help);
		if (m->object)
			printf("; per %s%s", m->object, m->whole ? " and in all" : "");
		putchar('\n');
	}
}

/* The lines of a text as an array. */
static json_t *make_lines(const char *text)
{
	json_t *lines = json_array();

	for (const char *end; text && *text; text = end + (*end != '\0')) {
		end = strchrnul(text, '\n');
		json_array_append_new(lines, json_stringn(text, (size_t)(end - text)));
	}
	return lines;
}

static json_t *make_json(const struct pm_source *s, const struct pm_probe *p)
{
	json_t *metrics = json_array(), *json;

	for (size_t i = 0; i < s->metrics_count; i++) {
		const struct pm_metric *m = &s->metrics[i];

		json_array_append_new(metrics,
				      json_pack("{s:s, s:s, s:s, s:s?, s:b, s:s}", "name", m->name,
						"kind", pm_metric_kind_name(m->kind), "unit",
						m->unit, "object", m->object, "whole",
						!m->object || m->whole, "help", m->help));
	}
	json = json_pack("{s:s, s:s, s:I, s:I, s:b, s:o}", "name", s->name, "help", s->help,
			 "period_us", (json_int_t)period_us(s), "budget_ppm",
			 (json_int_t)s->budget_ppm, "available", p->available, "metrics", metrics);
	if (p->available) {
		json_object_set_new(json, "series", json_integer(p->series));
		json_object_set_new(json, "unknown", json_integer(p->unknown));
		json_object_set_new(json, "cost_ns", json_integer(p->cost_ns));
		if (s->describe)
			json_object_set_new(json, "devices", make_lines(p->devices));
	} else {
		json_object_set_new(json, "reason", json_string(pm_reason_name(p->why.reason)));
		json_object_set_new(json, "why", json_string(p->why.err.text));
	}
	return json;
}

/* Select the sources named by the operands, or all without any. Returns 0, or -1 with e filled. */
static int read_operands(const struct pm_cli *cli, bool selected[PM_SOURCES], struct pm_err *e)
{
	for (int i = 0; i < PM_SOURCES; i++)
		selected[i] = cli->argc == 0;
	for (int i = 0; i < cli->argc; i++) {
		bool these[PM_SOURCES];

		if (pm_source_select(cli->argv[i], these, e) < 0)
			return -1;
		for (int s = 0; s < PM_SOURCES; s++)
			selected[s] = selected[s] || these[s];
	}
	return 0;
}

int pm_verb_sources(const struct pm_cli *cli, struct pm_err *e)
{
	const struct pm_own own = { 0 };
	struct pm_target target = {
		.root = pm_config_get(PM_SET_root),
		.own = &own,
		.no_cpu_series = pm_cpuset_exceeds(pm_config_get(PM_SET_root),
						   pm_config_int(PM_SET_cpu_series)),
	};
	bool selected[PM_SOURCES];
	const bool json = cli->given[PM_OPT_json] > 0;
	json_t *list;
	int result = PM_EXIT_OK;

	if (read_operands(cli, selected, e) < 0)
		return PM_EXIT_USAGE;
	/* Any process serves to show whether the sources of a job can be read here. */
	if (target.root[0] == '\0')
		target.pid = getpid();
	list = json_array();
	for (int i = 0; i < PM_SOURCES; i++) {
		struct pm_probe probe;

		if (!selected[i])
			continue;
		pm_probe_run(pm_source_table[i], &target, &probe);
		if (json)
			json_array_append_new(list, make_json(pm_source_table[i], &probe));
		else
			print_text(pm_source_table[i], &probe);
		free(probe.devices);
	}
	if (json && (json_dumpf(list, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2)) < 0 ||
		     putchar('\n') == EOF)) {
		pm_err(e, "write: %m");
		result = PM_EXIT_FAILED;
	}
	json_decref(list);
	return result;
}
