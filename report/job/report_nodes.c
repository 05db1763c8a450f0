/* The report as text: summaries of the samples of the job's nodes. */
#include "config.h"

#include "report/job/report_text.h"

#include "report/print/cell.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Convert v to an integer for pm_format_*; PM_UNKNOWN where v is unknown or out of range. */
static int64_t to_integer(double v)
{
	return v >= 0 && v < 9e18 ? (int64_t)v : PM_UNKNOWN;
}

/* Format a value in its unit as elsewhere in the report: MiB as bytes, h as a duration. */
static const char *format_scaled(char *text, const struct pm_nodesummary_info *s, double v)
{
	if (strcmp(s->unit, "MiB") == 0)
		return pm_format_bytes(text, to_integer(v * 1048576));
	if (strcmp(s->unit, "h") == 0)
		return pm_format_duration(text, to_integer(v * 3600e6));
	return pm_format_share(text, v / 100);
}

/* A host's name for people. */
static const char *shown(const char *host)
{
	return *host ? host : "unknown host";
}

/* Append the cells of a summary over several nodes. */
static void put_spread(struct pm_table *t, const struct pm_nodesummary_info *s,
		       const struct pm_fact_node *n)
{
	char least[PM_FORMAT_MAX], mean[PM_FORMAT_MAX], most[PM_FORMAT_MAX];
	char outlier[PM_PROCESSNAME_MAX + 16] = "";
	bool high = n->most - n->mean >= n->mean - n->least;

	format_scaled(least, s, n->least);
	format_scaled(most, s, n->most);
	pm_table_cell(t, least);
	pm_table_cell(t, format_scaled(mean, s, n->mean));
	pm_table_cell(t, most);
	if (strcmp(least, most) != 0)
		snprintf(outlier, sizeof outlier, "%s (%s)",
			 shown(high ? n->most_host : n->least_host), high ? "most" : "least");
	pm_table_cell(t, outlier);
	pm_cell_count(t, n->hosts);
}

/* Print whether the job shared nodes with other batch jobs. */
static void print_sharing(const struct pm_page *p, const struct pm_facts *f, size_t sampled)
{
	const struct pm_fact_host *most = NULL;
	char a[PM_FORMAT_MAX], line[PM_PROCESSNAME_MAX + 3 * PM_FORMAT_MAX];
	int64_t shared = 0;

	for (size_t i = 0; i < f->hosts; i++) {
		const struct pm_fact_host *h = &f->host[i];

		if (h->jobs == PM_UNKNOWN || h->jobs < 2)
			continue;
		shared++;
		if (!most || h->jobs > most->jobs)
			most = h;
	}
	if (!most)
		return;
	if (sampled == 1)
		snprintf(line, sizeof line, "Batch jobs on the node at once: up to %" PRId64 ".",
			 most->jobs);
	else
		snprintf(line, sizeof line,
			 "Batch jobs at once: up to %" PRId64 " on %s; more than one on %s.",
			 most->jobs, pm_facts_hostname(most), pm_format_things(a, shared, "node"));
	pm_page_text(p, "  ", line);
}

/* Print notes below the table. */
static void print_notes(const struct pm_page *p, const struct pm_facts *f, size_t sampled, bool all)
{
	char a[PM_FORMAT_MAX], line[2 * PM_FORMAT_MAX];
	int64_t resets = 0;

	for (size_t i = 0; i < f->hosts; i++)
		resets += f->host[i].resets > 0;
	if (sampled < f->hosts) {
		snprintf(line, sizeof line, "Not sampled: %s of the job.",
			 pm_format_things(a, (int64_t)(f->hosts - sampled), "host"));
		pm_page_text(p, "  ", line);
	}
	print_sharing(p, f, sampled);
	if (resets) {
		snprintf(line, sizeof line, "A counter was reset on %s: totals are lower bounds.",
			 pm_format_things(a, resets, "node"));
		pm_page_text(p, "  ", line);
	}
	if (sampled > 1)
		pm_page_text(p, "  ", "The outlier is the node farthest from the mean.");
	if (sampled > 1 && all)
		pm_page_textf(p, "  ", "Each node: perfmon list summaries%s", f->named);
	else if (!all)
		pm_page_textf(p, "  ", "More: perfmon report --all%s", f->named);
}

int pm_report_nodes(const struct pm_page *p, const struct pm_facts *f, bool all)
{
	struct pm_table_column column[] = {
		{ "", false, 16, 0 },   { "Least", true, 0, 0 },    { "Mean", true, 0, 1 },
		{ "Most", true, 0, 0 }, { "Outlier", false, 0, 0 }, { "Nodes", true, 0, 2 },
	};
	size_t columns = sizeof column / sizeof column[0];
	size_t sampled = pm_facts_sampled(f);
	struct pm_table t;

	if (sampled == 0)
		return 0;
	if (sampled == 1) {
		columns = 2;
		for (int k = 0; k < PM_NODESUMMARIES; k++) {
			struct pm_fact_node n = pm_facts_node(f, (enum pm_nodesummary_id)k);

			if (n.hosts)
				column[1].title = shown(n.most_host);
		}
	}
	pm_page_heading(p, "Nodes (sampled; includes other jobs and the system)");
	pm_table_init(&t, p, column, columns, 2);
	for (int k = 0; k < PM_NODESUMMARIES; k++) {
		const struct pm_nodesummary_info *s = &pm_nodesummary_info[k];
		struct pm_fact_node n = pm_facts_node(f, (enum pm_nodesummary_id)k);
		char text[PM_FORMAT_MAX];

		if (!all && (!s->main || n.hosts == 0))
			continue;
		pm_table_cell(&t, s->title);
		if (sampled == 1)
			pm_table_cell(&t, format_scaled(text, s, n.mean));
		else
			put_spread(&t, s, &n);
	}
	if (pm_table_finish(&t) < 0)
		return -1;
	print_notes(p, f, sampled, all);
	return 0;
}
