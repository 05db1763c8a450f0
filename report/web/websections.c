/* The sections of a page. */
#include "config.h"

#include "report/web/websections.h"

#include "common/memtext.h"
#include "report/job/report_ranks.h"
#include "report/job/report_text.h"
#include "report/print/cell.h"
#include "report/print/html.h"
#include "report/web/webindex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Series that the table without script has. */
#define SERIES_ROWS 1000

static int write_summary(const struct pm_page *p, const struct pm_facts *f)
{
	pm_report_summary(p, f);
	return 0;
}

/* The steps of the job's time line as a table. */
static int write_timeline(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "From the start", true, 0, 0 },
		{ "CPUs busy", true, 0, -1 },
		{ "Memory", true, 0, -1 },
		{ "Processes", true, 0, -1 },
	};
	struct pm_table t;

	if (f->line_us <= 0 || (!f->cpu.known && !f->active.known))
		return 0;
	pm_page_text(p, "",
		     f->sampled ? "CPU use and memory are sampled."
				: "CPU time is spread evenly over the life of each process: there "
				  "are no samples of it.");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	for (int i = 0; i < PM_FACTS_STEPS; i++) {
		const double from = (double)f->line_us * i / PM_FACTS_STEPS;

		pm_cell_duration(&t, (int64_t)from);
		if (f->cpu.known)
			pm_cell_number(&t, f->cpu.step[i]);
		else
			pm_table_cell(&t, "");
		if (f->rss_line.known)
			pm_cell_bytes(&t, isnan(f->rss_line.step[i])
						  ? PM_UNKNOWN
						  : (int64_t)f->rss_line.step[i]);
		else
			pm_table_cell(&t, "");
		if (f->active.known)
			pm_cell_number(&t, f->active.step[i]);
		else
			pm_table_cell(&t, "");
	}
	return pm_table_finish(&t);
}

static int write_tree(const struct pm_page *p, const struct pm_facts *f)
{
	if (f->processes > 0 && !f->retired)
		pm_page_textf(p, "", "As text: perfmon show%s", f->named);
	return 0;
}

static void put_program(struct pm_table *t, const struct pm_facts *f,
			const struct pm_fact_program *x)
{
	const double energy = pm_facts_energy(f, x);

	pm_table_cell(t, x->label);
	pm_cell_count(t, x->runs);
	pm_cell_duration(t, x->cpu_us);
	pm_cell_share(t, pm_format_ratio(x->cpu_us, f->cpu_us));
	pm_cell_duration(t, x->system_us);
	pm_cell_duration(t, x->cpu_us >= 0 && x->runs > 0 ? x->cpu_us / x->runs : PM_UNKNOWN);
	pm_cell_duration(t, x->longest_us);
	pm_cell_bytes(t, x->rss);
	pm_cell_bytes(t, x->rchar);
	pm_cell_bytes(t, x->wchar);
	pm_cell_bytes(t, x->read_bytes);
	pm_cell_bytes(t, x->write_bytes);
	if (f->energy.uj == PM_UNKNOWN)
		pm_table_cell(t, "");
	else
		pm_cell_energy(t, isnan(energy) ? PM_UNKNOWN : (int64_t)energy);
}

static int write_programs(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 0, 0 },
		{ "Runs", true, 0, 0 },
		{ "CPU time", true, 0, 0 },
		{ "Share", true, 0, 0 },
		{ "In kernel", true, 0, 0 },
		{ "CPU time of a run", true, 0, 0 },
		{ "Longest run", true, 0, 0 },
		{ "Largest process", true, 0, 0 },
		{ "Read", true, 0, 0 },
		{ "Written", true, 0, 0 },
		{ "From storage", true, 0, 0 },
		{ "To storage", true, 0, 0 },
		{ "Energy, estimated", true, 0, -1 },
	};
	struct pm_table t;
	char text[PM_FORMAT_MAX], line[2 * PM_FORMAT_MAX];

	if (f->by_cpu_n == 0)
		return 0;
	if (f->programs > f->by_cpu_n) {
		snprintf(line, sizeof line, "Those with the most CPU time, of %s different ones.",
			 pm_format_count(text, (int64_t)f->programs));
		pm_page_text(p, "", line);
	}
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	for (size_t i = 0; i < f->by_cpu_n; i++)
		put_program(&t, f, &f->by_cpu[i]);
	return pm_table_finish(&t);
}

/* A column of the table of hosts: whether it is known of a host, and its cell. */
struct host_column {
	struct pm_table_column column;
	bool (*known)(const struct pm_fact_host *h); /* NULL: it is shown in any case */
	void (*put)(struct pm_table *t, const struct pm_fact_host *h);
};

static void put_hostname(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_table_cell(t, pm_facts_hostname(h));
}

static void put_cpus(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_count(t, h->cpus_online);
}

static void put_allowed(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_count(t, pm_facts_cpus(h));
}

static void put_memory(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_bytes(t, h->memory);
}

static void put_model(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_table_cell(t, *h->cpu_model ? h->cpu_model : "unknown");
}

static bool knows_busy(const struct pm_fact_host *h)
{
	return !isnan(h->summary[PM_NODESUMMARY_cpu_avg_utilization_pct]);
}

static void put_busy(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_share(t, h->summary[PM_NODESUMMARY_cpu_avg_utilization_pct] / 100);
}

static bool knows_waiting(const struct pm_fact_host *h)
{
	return h->waiting_us >= 0;
}

static void put_waiting(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_duration(t, h->waiting_us);
}

static bool knows_together(const struct pm_fact_host *h)
{
	return h->rss_peak >= 0;
}

static void put_together(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_bytes(t, h->rss_peak);
}

/* What none of the hosts did is left out, too. */
static bool has_swapped(const struct pm_fact_host *h)
{
	return h->swapped > 0;
}

static void put_swapped(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_bytes(t, h->swapped);
}

static bool has_retransmitted(const struct pm_fact_host *h)
{
	return h->retransmits > 0;
}

static void put_retransmits(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_count(t, h->retransmits);
}

static void put_retransmitted(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_share(t, pm_format_ratio(h->retransmits, h->segments));
}

static void put_coverage(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_share(t, h->coverage);
}

static bool knows_energy(const struct pm_fact_host *h)
{
	return h->energy.uj >= 0;
}

static void put_energy(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_energy(t, h->energy.uj);
}

static bool knows_power(const struct pm_fact_host *h)
{
	return h->energy.mean_uw >= 0;
}

static void put_power(struct pm_table *t, const struct pm_fact_host *h)
{
	pm_cell_power(t, h->energy.mean_uw);
}

/* Whether something is known of any host. */
static bool any_host(const struct pm_facts *f, bool (*known)(const struct pm_fact_host *h))
{
	for (size_t i = 0; i < f->hosts; i++)
		if (!known || known(&f->host[i]))
			return true;
	return false;
}

static int write_hosts(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct host_column all[] = {
		{ { "Host", false, 0, 0 }, NULL, put_hostname },
		{ { "CPUs", true, 0, 0 }, NULL, put_cpus },
		{ { "allowed", true, 0, 0 }, NULL, put_allowed },
		{ { "Memory", true, 0, 0 }, NULL, put_memory },
		{ { "Processor", false, 0, 0 }, NULL, put_model },
		{ { "CPUs busy", true, 0, 0 }, knows_busy, put_busy },
		{ { "Waited for a CPU", true, 0, 0 }, knows_waiting, put_waiting },
		{ { "Job's memory", true, 0, 0 }, knows_together, put_together },
		{ { "Swapped", true, 0, 0 }, has_swapped, put_swapped },
		{ { "TCP segments sent again", true, 0, 0 }, has_retransmitted, put_retransmits },
		{ { "of those sent", true, 0, 0 }, has_retransmitted, put_retransmitted },
		{ { "Recorded", true, 0, 0 }, NULL, put_coverage },
		{ { "Energy", true, 0, 0 }, knows_energy, put_energy },
		{ { "Mean power", true, 0, 0 }, knows_power, put_power },
	};
	struct pm_table_column column[sizeof all / sizeof all[0]];
	const struct host_column *shown[sizeof all / sizeof all[0]];
	struct pm_table t;
	size_t n = 0;

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (any_host(f, all[i].known)) {
			column[n] = all[i].column;
			shown[n++] = &all[i];
		}
	pm_table_init(&t, p, column, n, 0);
	for (size_t i = 0; i < f->hosts; i++)
		for (size_t k = 0; k < n; k++)
			shown[k]->put(&t, &f->host[i]);
	return pm_table_finish(&t);
}

static int write_nodes(const struct pm_page *p, const struct pm_facts *f)
{
	if (f->hosts == 0)
		return 0;
	return write_hosts(p, f) < 0 || pm_report_nodes(p, f, true) < 0 ? -1 : 0;
}

static int write_io(const struct pm_page *p, const struct pm_facts *f)
{
	pm_report_moved(p, f);
	return pm_report_io(p, f);
}

static int write_gpu(const struct pm_page *p, const struct pm_facts *f)
{
	return pm_report_gpu_programs(p, f);
}

static int write_threads(const struct pm_page *p, const struct pm_facts *f)
{
	pm_report_processes(p, f);
	return 0;
}

static int write_energy(const struct pm_page *p, const struct pm_facts *f)
{
	pm_report_energy(p, f);
	return 0;
}

static int write_counters(const struct pm_page *p, const struct pm_facts *f)
{
	return pm_report_counters(p, f) < 0 || pm_report_events(p, f) < 0 ? -1 : 0;
}

static int write_quality(const struct pm_page *p, const struct pm_facts *f)
{
	pm_report_quality(p, f);
	return 0;
}

static int write_provenance(const struct pm_page *p, const struct pm_facts *f)
{
	char t[PM_FORMAT_MAX], zone[PM_FORMAT_MAX];

	pm_page_pairf(p, "Written by", "perfmon %s", PACKAGE_VERSION);
	if (f->start_us >= 0)
		pm_page_pairf(p, "Start of the job", "%s; %lld us since 1970 UTC",
			      pm_format_time(t, f->start_us), (long long)f->start_us);
	pm_page_pairf(p, "Start of the axis", "%s", pm_format_time(zone, f->line_start_us));
	pm_page_pairf(p, "Job in the database", "#%lld", (long long)f->job);
	pm_page_text(p, "",
		     "Sizes are decimal (1 MB = 1 000 000 bytes). Values not measured are "
		     "unknown, never 0. Times are those of the time zone that stands beside them.");
	return 0;
}

/* The phases that the job marked, and how many of them the picture leaves out. */
static int write_phases(const struct pm_page *p, const struct pm_facts *f)
{
	char n[PM_FORMAT_MAX];
	int64_t phases = 0;

	for (size_t i = 0; i < f->marks; i++)
		phases += f->mark[i].times;
	if (pm_report_marks(p, f) < 0)
		return -1;
	if (phases > PM_WEBINDEX_PHASES)
		pm_page_textf(p, "",
			      "The time line has the first %s phases, by host. All: perfmon list "
			      "phases%s",
			      pm_format_count(n, PM_WEBINDEX_PHASES), f->named);
	return 0;
}

/* The table of all series is written from the list that the page's index has. */
static int write_series(const struct pm_page *p, const struct pm_facts *f,
			const struct pm_webseries *series)
{
	static const struct pm_table_column column[] = {
		{ "Host", false, 0, 0 }, { "Source", false, 0, 0 }, { "Series", false, 0, 0 },
		{ "Least", true, 0, 0 }, { "Mean", true, 0, 0 },    { "Most", true, 0, 0 },
		{ "Unit", false, 0, 0 },
	};
	static const char *const figure[] = { "min", "mean", "max" };
	struct pm_table t;
	char n[PM_FORMAT_MAX];
	json_t *one;
	size_t i;

	if (series->n == 0)
		return 0;
	if (series->from_blocks)
		pm_page_text(p, "",
			     "Values are means of blocks of samples: the job has more "
			     "samples than a page takes one by one.");
	if (series->left_out > 0)
		pm_page_textf(p, "",
			      "Series of single CPUs and details are left out: the job has "
			      "too many for a page. All: perfmon list samples%s",
			      f->named);
	if (series->cut > 0)
		pm_page_textf(p, "",
			      "%s further series, those of the last hosts, are not in the page: it "
			      "has no more room. All: perfmon list samples%s",
			      pm_format_count(n, (int64_t)series->cut), f->named);
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 0);
	json_array_foreach (series->list, i, one) {
		const json_int_t host = json_integer_value(json_object_get(one, "host"));

		if (i == SERIES_ROWS)
			break;
		pm_table_cell(&t, host >= 0 && (size_t)host < f->hosts
					  ? pm_facts_hostname(&f->host[host])
					  : "unknown host");
		pm_table_cell(&t, json_string_value(json_object_get(one, "source")));
		pm_table_cell(&t, json_string_value(json_object_get(one, "title")));
		for (int k = 0; k < 3; k++) {
			const json_t *v = json_object_get(one, figure[k]);
			char text[PM_FORMAT_MAX] = "unknown";

			if (json_is_real(v))
				snprintf(text, sizeof text, "%.4g", json_real_value(v));
			pm_table_value(&t, json_is_real(v) ? json_real_value(v) : NAN);
			pm_table_cell(&t, text);
		}
		pm_table_cell(&t, json_string_value(json_object_get(one, "unit_shown")));
	}
	return pm_table_finish(&t);
}

/* All sections in their order. `view` has the place of a picture, which the script draws. */
static const struct section {
	const char *id, *title;
	int (*write)(const struct pm_page *p, const struct pm_facts *f);
	bool view;
	bool details; /* what it writes is the picture's table */
	bool alone; /* of the page of a job alone: its picture, or what pages of several say once */
} section[] = {
	{ "summary", "Summary", write_summary, false, false, false },
	{ "timeline", "Timeline", write_timeline, true, true, false },
	{ "tree", "Process tree", write_tree, true, false, true },
	{ "critical", "Critical path", pm_report_path, false, false, false },
	{ "programs", "Programs", write_programs, false, false, false },
	{ "request", "Requested and used", pm_report_request, false, false, false },
	{ "io", "Input and output", write_io, false, false, false },
	{ "gpu", "GPUs", write_gpu, false, false, false },
	{ "nodes", "Nodes", write_nodes, true, false, false },
	{ "series", "Time series", NULL, true, true, true },
	{ "phases", "Phases", write_phases, false, false, false },
	{ "ranks", "Ranks, hosts and steps", pm_report_ranks, false, false, false },
	{ "threads", "Processes and threads", write_threads, false, false, false },
	{ "energy", "Energy", write_energy, false, false, false },
	{ "counters", "Counters", write_counters, false, false, false },
	{ "failures", "Failures", pm_report_failures, false, false, false },
	{ "quality", "How good the data are", write_quality, false, false, false },
	{ "provenance", "Provenance", write_provenance, false, false, true },
};

const struct pm_webplace pm_webplace_page = { .prefix = "", .level = 2, .drawn = true };

#define SECTIONS ((int)(sizeof section / sizeof section[0]))

_Static_assert(sizeof section / sizeof section[0] <= PM_WEBSECTIONS, "room for all");

const char *pm_websection_id(int i)
{
	return i < SECTIONS ? section[i].id : "";
}

const char *pm_websection_title(int i)
{
	return i < SECTIONS ? section[i].title : "";
}

static void write_view(FILE *f, const struct section *s)
{
	fprintf(f, "<div class=\"view\" id=\"view-%s\"></div>\n", s->id);
	fputs("<noscript><p>The picture needs JavaScript; the tables do not.</p></noscript>\n", f);
}

/* Write a section around its content. */
static void frame_section(FILE *f, const struct section *s, const struct pm_webplace *place,
			  const char *content)
{
	fprintf(f, "<section id=\"%s%s\">\n<h%d>%s</h%d>\n", place->prefix, s->id, place->level,
		s->title, place->level);
	if (s->view && place->drawn)
		write_view(f, s);
	if (s->details)
		fprintf(f, "<details><summary>Show data</summary>\n%s</details>\n", content);
	else
		fputs(content, f);
	fputs("</section>\n", f);
}

static int write_sections(const struct pm_page *p, const struct pm_facts *f,
			  const struct pm_webseries *series, const struct pm_webplace *place,
			  bool has[PM_WEBSECTIONS])
{
	memset(has, 0, PM_WEBSECTIONS * sizeof *has);
	for (int i = 0; i < SECTIONS; i++) {
		struct pm_page inside = *p;
		char *content = NULL;
		size_t size;
		int rc;

		if (section[i].alone && !place->drawn)
			continue;
		inside.above = section[i].title;
		inside.level = place->level + 1;
		inside.f = open_memstream(&content, &size);
		if (!inside.f)
			return -1;
		rc = section[i].write ? section[i].write(&inside, f)
				      : write_series(&inside, f, series);
		if (!pm_memtext_end(inside.f, &content) || rc < 0) {
			free(content);
			return -1;
		}
		has[i] = *content != '\0';
		if (has[i])
			frame_section(p->f, &section[i], place, content);
		free(content);
	}
	return 0;
}

char *pm_websections_text(const struct pm_page *p, const struct pm_facts *f,
			  const struct pm_webseries *series, const struct pm_webplace *place,
			  bool has[PM_WEBSECTIONS])
{
	struct pm_page page = *p;
	char *text = NULL;
	size_t size;
	int rc;

	page.f = open_memstream(&text, &size);
	if (!page.f)
		return NULL;
	rc = write_sections(&page, f, series, place, has);
	if (!pm_memtext_end(page.f, &text) || rc < 0) {
		free(text);
		return NULL;
	}
	return text;
}
