/* The report as text: counters, and the metrics computed from them. */
#include "config.h"

#include "report/job/report_text.h"

#include "common/safe/uncounted.h"
#include "report/print/cell.h"
#include "report/print/table.h"
#include "report/rows/counters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Print the events counted by `whom` (processes, hosts). */
static int print_events(const struct pm_page *p, const struct pm_fact_counter *counter, size_t n,
			const char *whom)
{
	const struct pm_table_column column[] = {
		{ "Event", false, 16, 0 },    { "Total", true, 0, 0 },        { whom, true, 0, 0 },
		{ "Unknown in", true, 0, 0 }, { "Time counted", true, 0, 1 },
	};
	struct pm_table t;

	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < n; i++) {
		const struct pm_fact_counter *x = &counter[i];
		bool rate = strcmp(x->scope, "rate") == 0;

		pm_table_cell(&t, x->name);
		if (rate)
			pm_table_cell(&t, "");
		else
			pm_cell_count(&t, x->sum);
		pm_cell_count(&t, x->known);
		pm_cell_count(&t, x->unknown);
		if (rate)
			pm_table_cell(&t, "a rate: no total");
		/* Several processes read the same counter of the node. */
		else if (*x->scope)
			pm_table_cell(&t, "per node: largest");
		else if (x->known)
			pm_cell_share(&t, x->ratio);
		else
			pm_table_cell(&t, "");
	}
	return pm_table_finish(&t);
}

static int print_metrics(const struct pm_page *p, const struct pm_fact_metric *metric, size_t n,
			 const char *whom)
{
	const struct pm_table_column column[] = {
		{ "Derived metric", false, 24, 0 },
		{ "Value", true, 0, 0 },
		{ whom, true, 0, 0 },
		{ "Time counted", true, 0, 1 },
	};
	struct pm_table t;

	if (n == 0)
		return 0;
	fputc('\n', p->f);
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < n; i++) {
		const struct pm_fact_metric *x = &metric[i];
		char text[PM_COUNTERS_TEXT + PM_FORMULA_DOMAIN];

		snprintf(text, sizeof text, "%s%s%s", x->info->label, *x->domain ? " " : "",
			 x->domain);
		pm_table_cell(&t, text);
		pm_table_cell(&t, pm_counters_value(text, x->value, x->info->unit));
		pm_cell_count(&t, x->processes);
		if (x->processes)
			pm_cell_share(&t, x->ratio);
		else
			pm_table_cell(&t, "");
	}
	return pm_table_finish(&t);
}

/* A reason for unknown values: the names of its events, and the smallest and the largest number of
 * processes per event. */
struct told {
	char names[1024];
	size_t len, others;
	int64_t least, most;
};

static void add_event(struct told *t, const struct pm_fact_counter *x, int64_t count)
{
	if (count < t->least)
		t->least = count;
	if (count > t->most)
		t->most = count;
	if (t->len + strlen(x->name) + 3 > sizeof t->names)
		t->others++;
	else
		t->len += (size_t)snprintf(t->names + t->len, sizeof t->names - t->len, "%s%s",
					   t->len ? ", " : "", x->name);
}

/* Collect the events with a reason, from event `first` on. Returns false where an earlier event has
 * the reason, which has then been printed already. */
static bool collect_reason(struct told *t, const struct pm_facts *f, size_t first,
			   const char *reason)
{
	*t = (struct told){ .least = INT64_MAX };
	for (size_t i = 0; i < f->counters; i++)
		for (size_t k = 0; k < f->counter[i].reasons; k++) {
			const struct pm_fact_reason *r = &f->counter[i].reason[k];

			if (strcmp(r->text, reason) != 0)
				continue;
			if (i < first)
				return false;
			add_event(t, &f->counter[i], r->count);
		}
	return true;
}

static void print_reasons(const struct pm_page *p, const struct pm_facts *f)
{
	char text[2048], more[48] = "", n[PM_FORMAT_MAX];
	struct told t;

	for (size_t i = 0; i < f->counters; i++)
		for (size_t k = 0; k < f->counter[i].reasons; k++) {
			const char *reason = f->counter[i].reason[k].text;

			if (!collect_reason(&t, f, i, reason))
				continue;
			if (t.others)
				snprintf(more, sizeof more, " and %zu others", t.others);
			snprintf(text, sizeof text, "%s%s: unknown in %s%s: %s%s%s%s", t.names,
				 more, t.least < t.most ? "up to " : "",
				 pm_format_things(n, t.most, t.most == 1 ? "process" : "processe"),
				 pm_uncounted_words(reason), *reason ? " (" : "", reason,
				 *reason ? ")" : "");
			pm_page_text(p, "  - ", text);
		}
}

int pm_report_counters(const struct pm_page *p, const struct pm_facts *f)
{
	int64_t without = pm_format_since(f->processes, f->counted);
	char n[PM_FORMAT_MAX], text[256];

	if (f->counters == 0)
		return 0;
	pm_page_heading(p, "Counters");
	if (print_events(p, f->counter, f->counters, "Processes") < 0 ||
	    print_metrics(p, f->metric, f->metrics, "Processes") < 0)
		return -1;
	print_reasons(p, f);
	if (f->counters_cut)
		pm_page_textf(p, "  - ", "More events: perfmon list counters%s", f->named);
	if (without > 0) {
		snprintf(
			text, sizeof text,
			"%s left no record of counters: killed, still running, or known from their "
			"parents alone. The totals leave them out.",
			pm_format_things(n, without, without == 1 ? "process" : "processe"));
		pm_page_text(p, "  - ", text);
	}
	return 0;
}

int pm_report_events(const struct pm_page *p, const struct pm_facts *f)
{
	if (f->sampled_counters == 0)
		return 0;
	pm_page_heading(p, "Sampled counters");
	if (print_events(p, f->sampled_counter, f->sampled_counters, "Hosts") < 0 ||
	    print_metrics(p, f->sampled_metric, f->sampled_metrics, "Hosts") < 0)
		return -1;
	for (size_t i = 0; i < f->sampled_counters; i++) {
		const struct pm_fact_counter *x = &f->sampled_counter[i];
		char text[PM_PROCESSNAME_MAX + 128], n[PM_FORMAT_MAX];

		for (size_t k = 0; k < x->reasons; k++) {
			const struct pm_fact_reason *r = &x->reason[k];

			snprintf(text, sizeof text, "%s: unknown on %s (%s)", x->name,
				 pm_format_things(n, r->count, "host"), r->text);
			pm_page_text(p, "  - ", text);
		}
	}
	return 0;
}
