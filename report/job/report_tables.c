/* The report as text: programs, failures and the timeline. */
#include "config.h"

#include "report/advice/memoryuse.h"
#include "report/job/report_text.h"

#include "common/text.h"
#include "report/print/cell.h"
#include "report/print/table.h"

#include <math.h>
#include <string.h>

static int programs_by_cpu(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 16, 0 },   { "Runs", true, 0, 0 },
		{ "CPU time", true, 0, 0 },    { "Share", true, 0, 0 },
		{ "", false, 0, 3 },           { "In kernel", true, 0, 2 },
		{ "Longest run", true, 0, 1 }, { "Energy, estimated", true, 0, -1 },
	};
	char bar[PM_BAR_SIZE], text[PM_FORMAT_MAX];
	struct pm_table t;

	pm_page_heading(p, "Programs by CPU time");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < f->by_cpu_n; i++) {
		const struct pm_fact_program *x = &f->by_cpu[i];
		double share = pm_format_ratio(x->cpu_us, f->cpu_us);
		double energy = pm_facts_energy(f, x);

		pm_table_cell(&t, x->label);
		pm_cell_count(&t, x->runs);
		pm_cell_duration(&t, x->cpu_us);
		pm_cell_share(&t, share);
		pm_table_cell(&t, pm_page_bar(p, bar, share, 10));
		pm_cell_duration(&t, x->system_us);
		pm_cell_duration(&t, x->longest_us);
		pm_table_cell(&t,
			      f->energy.uj == PM_UNKNOWN
				      ? ""
				      : pm_format_energy(text, isnan(energy) ? PM_UNKNOWN
									     : (int64_t)energy));
	}
	return pm_table_finish(&t);
}

static int programs_by_rss(const struct pm_page *p, const struct pm_facts *f)
{
	struct pm_table_column column[] = {
		{ "Program", false, 16, 0 },
		{ "Runs", true, 0, 0 },
		{ "Largest process", true, 0, 0 },
		{ "", true, 0, 1 },
	};
	bool limited;
	const int64_t memory = pm_memoryuse_allowed(f, &limited);
	struct pm_table t;

	column[3].title = limited              ? "Of the limit"
			  : f->hosts_count > 1 ? "Of the smallest host"
					       : "Of the host";
	pm_page_heading(p, "Programs by memory");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < f->by_rss_n; i++) {
		const struct pm_fact_program *x = &f->by_rss[i];

		pm_table_cell(&t, x->label);
		pm_cell_count(&t, x->runs);
		pm_cell_bytes(&t, x->rss);
		pm_cell_share(&t, pm_format_ratio(x->rss, memory));
	}
	return pm_table_finish(&t);
}

static int programs_by_io(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 16, 0 }, { "Runs", true, 0, 0 },
		{ "Read", true, 0, 0 },      { "from storage", true, 0, 0 },
		{ "Written", true, 0, 0 },   { "to storage", true, 0, 0 },
	};
	struct pm_table t;

	pm_page_heading(p, "Programs by input and output");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < f->by_io_n; i++) {
		const struct pm_fact_program *x = &f->by_io[i];

		pm_table_cell(&t, x->label);
		pm_cell_count(&t, x->runs);
		pm_cell_bytes(&t, x->rchar);
		pm_cell_bytes(&t, x->read_bytes);
		pm_cell_bytes(&t, x->wchar);
		pm_cell_bytes(&t, x->write_bytes);
	}
	return pm_table_finish(&t);
}

int pm_report_programs(const struct pm_page *p, const struct pm_facts *f)
{
	if (f->by_cpu_n == 0)
		return 0;
	return programs_by_cpu(p, f) < 0 || programs_by_rss(p, f) < 0 ? -1 : 0;
}

int pm_report_io(const struct pm_page *p, const struct pm_facts *f)
{
	return f->by_cpu_n ? programs_by_io(p, f) : 0;
}

int pm_report_failures(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 12, 0 },
		{ "Times", true, 0, 0 },
		{ "Ended with", false, 0, 0 },
		{ "First one", false, 20, 1 },
	};
	char host[PM_PROCESSNAME_MAX + 16], text[PM_COMMAND_MAX + PM_FORMAT_MAX + sizeof host];
	struct pm_table t;

	if (f->failures == 0)
		return 0;
	pm_page_heading(p, "Failed processes");
	pm_table_init(&t, p, column, sizeof column / sizeof column[0], 2);
	for (size_t i = 0; i < f->failures; i++) {
		const struct pm_fact_failure *x = &f->failure[i];

		pm_table_cell(&t, x->label);
		pm_cell_count(&t, x->count);
		if (x->exit_signal >= 0)
			pm_format_signal(text, x->exit_signal);
		else if (x->exit_status == PM_UNKNOWN)
			snprintf(text, sizeof text, "a signal");
		else
			snprintf(text, sizeof text, "status %lld", (long long)x->exit_status);
		pm_table_cell(&t, text);
		pm_facts_on(host, f, x->host, " on ");
		if (x->pid == PM_UNKNOWN)
			snprintf(text, sizeof text, "pid unknown%s: %s", host, x->command);
		else
			snprintf(text, sizeof text, "pid %lld%s: %s", (long long)x->pid, host,
				 x->command);
		pm_table_cell(&t, text);
	}
	if (pm_table_finish(&t) < 0)
		return -1;
	if (f->failures_more > 0)
		pm_page_pairf(p, "", "and %s more; --limit shows more lines",
			      pm_format_things(text, f->failures_more,
					       f->failures_more == 1 ? "process" : "processe"));
	return 0;
}

/* Width of the timeline: names, steps, and a figure at the right. */
#define WIDTH (19 + PM_FACTS_STEPS + 13)

/* The character for a value between 0 and top: a blank for 0, visible for any larger value. */
static const char *level_character(const struct pm_page *p, double v, double top)
{
	static const char *const block[] = { " ",
					     "\xe2\x96\x81",
					     "\xe2\x96\x82",
					     "\xe2\x96\x83",
					     "\xe2\x96\x84",
					     "\xe2\x96\x85",
					     "\xe2\x96\x86",
					     "\xe2\x96\x87",
					     "\xe2\x96\x88" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "%", "#" };
	int n;

	if (isnan(v))
		return "?";
	n = !(top > 0) ? 0 : v >= top ? 8 : (int)(v / top * 8 + 0.5);
	if (n == 0 && v > top / 1000)
		n = 1;
	return p->utf8 ? block[n] : ascii[n];
}

static void print_line(const struct pm_page *p, const char *name, const struct pm_fact_line *l,
		       double top, const char *scale)
{
	if (!l->known)
		return;
	fprintf(p->f, "  %-14s  |", name);
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		fputs(level_character(p, l->step[i], top), p->f);
	fprintf(p->f, "| %s\n", scale);
}

static void print_axis(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	pm_format_duration(a, f->line_us / 2);
	pm_format_duration(b, f->line_us);
	fprintf(p->f, "  %-14s  |0 s%*s%*s|\n", "", PM_FACTS_STEPS / 2 + 3 - 3, a,
		PM_FACTS_STEPS / 2 - 3, b);
}

static void print_phases(const struct pm_page *p, const struct pm_facts *f)
{
	for (size_t i = 0; i < f->phases; i++) {
		const struct pm_fact_phase *x = &f->phase[i];
		double step = (double)f->line_us / PM_FACTS_STEPS;
		const double first = floor((double)x->start_us / step),
			     last = floor((double)x->end_us / step);
		char name[64], t[PM_FORMAT_MAX];
		int used = pm_text_fit(name, sizeof name, x->label, 14, p->utf8);

		fprintf(p->f, "  %s%*s  |", name, 14 - used, "");
		for (int k = 0; k < PM_FACTS_STEPS; k++)
			fputs(k >= first && k <= last ? p->utf8 ? "\xe2\x94\x81" : "=" : " ", p->f);
		fputc('|', p->f);
		fprintf(p->f, " %s\n",
			pm_format_duration(t, pm_format_since(x->end_us, x->start_us)));
	}
}

static bool has_unknown(const struct pm_fact_line *l)
{
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		if (l->known && isnan(l->step[i]))
			return true;
	return false;
}

void pm_report_line(const struct pm_page *p, const struct pm_facts *f)
{
	char scale[PM_FORMAT_MAX + 8], a[PM_FORMAT_MAX];

	if (f->line_us <= 0 || (!f->cpu.known && !f->active.known) || p->width < WIDTH)
		return;
	pm_page_heading(p, f->sampled ? "Timeline (sampled; the value at right is full height)"
				      : "Timeline (estimated: each process's CPU time spread over "
					"its life)");
	if (f->cpu.known) {
		double top = f->cpus > f->cpu.peak ? (double)f->cpus : f->cpu.peak;

		snprintf(scale, sizeof scale, "%s CPU%s", pm_format_number(a, top),
			 top == 1 ? "" : "s");
		print_line(p, "CPUs busy", &f->cpu, top, scale);
	}
	if (f->rss_line.known)
		print_line(p, "Memory", &f->rss_line, f->rss_line.peak,
			   pm_format_bytes(a, f->rss_tree));
	if (f->active.known) {
		double top = f->active.peak > 1 ? f->active.peak : 1;

		print_line(p, "Processes", &f->active, top, pm_format_number(a, top));
	}
	print_axis(p, f);
	print_phases(p, f);
	if (has_unknown(&f->cpu) || has_unknown(&f->rss_line))
		pm_page_text(p, "  ", "? marks times without samples.");
}
