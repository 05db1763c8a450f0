/* The report as text: programs, failures and the time line. */
#include "config.h"

#include "report/report_text.h"

#include "report/cells.h"
#include "report/table.h"
#include "report/text.h"

#include <math.h>
#include <string.h>

/* "gcc x212": the label, and how often where it is more than once. */
static const char *label_runs(const struct pm_page *p, char *dst, const char *label, int64_t runs)
{
	char n[PM_FORMAT_MAX];

	if (runs > 1)
		snprintf(dst, PM_LABEL_MAX + PM_FORMAT_MAX, "%s %s%s", label,
			 p->utf8 ? "\xc3\x97" : "x", pm_format_count(n, runs));
	else
		snprintf(dst, PM_LABEL_MAX + PM_FORMAT_MAX, "%s", label);
	return dst;
}

static int programs_by_cpu(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 16, 0 }, { "CPU time", true, 0, 0 },
		{ "Share", true, 0, 0 },     { "", false, 0, 3 },
		{ "In kernel", true, 0, 2 }, { "Longest run", true, 0, 1 },
	};
	char name[PM_LABEL_MAX + PM_FORMAT_MAX], bar[PM_BAR_SIZE];
	struct pm_table t;

	pm_page_heading(p, "Programs by CPU time");
	pm_table_init(&t, p, column, 6, 2);
	for (size_t i = 0; i < f->by_cpu_n; i++) {
		const struct pm_fact_program *x = &f->by_cpu[i];
		double share = pm_format_ratio(x->cpu_us, f->cpu_us);

		pm_table_cell(&t, label_runs(p, name, x->label, x->runs));
		pm_cells_duration(&t, x->cpu_us);
		pm_cells_share(&t, share);
		pm_table_cell(&t, pm_page_bar(p, bar, share, 10));
		pm_cells_duration(&t, x->system_us);
		pm_cells_duration(&t, x->longest_us);
	}
	return pm_table_finish(&t);
}

static int programs_by_rss(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 16, 0 },
		{ "Peak of one", true, 0, 0 },
		{ "Of the host", true, 0, 1 },
	};
	char name[PM_LABEL_MAX + PM_FORMAT_MAX];
	struct pm_table t;

	pm_page_heading(p, "Programs by memory");
	pm_table_init(&t, p, column, 3, 2);
	for (size_t i = 0; i < f->by_rss_n; i++) {
		const struct pm_fact_program *x = &f->by_rss[i];

		pm_table_cell(&t, label_runs(p, name, x->label, x->runs));
		pm_cells_bytes(&t, x->rss);
		pm_cells_share(&t, pm_format_ratio(x->rss, f->memory));
	}
	return pm_table_finish(&t);
}

static int programs_by_io(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 16, 0 },    { "Read", true, 0, 0 },
		{ "from storage", true, 0, 0 }, { "Written", true, 0, 0 },
		{ "to storage", true, 0, 0 },
	};
	char name[PM_LABEL_MAX + PM_FORMAT_MAX];
	struct pm_table t;

	pm_page_heading(p, "Programs by input and output");
	pm_table_init(&t, p, column, 5, 2);
	for (size_t i = 0; i < f->by_io_n; i++) {
		const struct pm_fact_program *x = &f->by_io[i];

		pm_table_cell(&t, label_runs(p, name, x->label, x->runs));
		pm_cells_bytes(&t, x->rchar);
		pm_cells_bytes(&t, x->read_bytes);
		pm_cells_bytes(&t, x->wchar);
		pm_cells_bytes(&t, x->write_bytes);
	}
	return pm_table_finish(&t);
}

int pm_report_programs(const struct pm_page *p, const struct pm_facts *f)
{
	if (f->by_cpu_n == 0)
		return 0;
	if (programs_by_cpu(p, f) < 0 || programs_by_rss(p, f) < 0)
		return -1;
	return programs_by_io(p, f);
}

int pm_report_failures(const struct pm_page *p, const struct pm_facts *f)
{
	static const struct pm_table_column column[] = {
		{ "Program", false, 12, 0 },
		{ "Ended with", false, 0, 0 },
		{ "First one", false, 20, 1 },
	};
	char name[PM_LABEL_MAX + PM_FORMAT_MAX], text[PM_COMMAND_MAX + PM_FORMAT_MAX];
	struct pm_table t;

	if (f->failures == 0)
		return 0;
	pm_page_heading(p, "Failed processes");
	pm_table_init(&t, p, column, 3, 2);
	for (size_t i = 0; i < f->failures; i++) {
		const struct pm_fact_failure *x = &f->failure[i];

		pm_table_cell(&t, label_runs(p, name, x->label, x->count));
		if (x->exit_signal >= 0)
			pm_format_signal(text, x->exit_signal);
		else
			snprintf(text, sizeof text, "status %lld", (long long)x->exit_status);
		pm_table_cell(&t, text);
		snprintf(text, sizeof text, "pid %lld: %s", (long long)x->pid, x->command);
		pm_table_cell(&t, text);
	}
	return pm_table_finish(&t);
}

/* One character for a value between 0 and top: nothing is blank, anything is visible. */
static const char *level(const struct pm_page *p, double v, double top)
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
	n = top > 0 ? (int)(v / top * 8 + 0.5) : 0;
	if (n == 0 && v > top / 1000)
		n = 1;
	if (n > 8)
		n = 8;
	return p->utf8 ? block[n] : ascii[n];
}

static void line(const struct pm_page *p, const char *name, const struct pm_fact_line *l,
		 double top, const char *scale)
{
	char cut[2 * PM_FORMAT_MAX];

	if (!l->known)
		return;
	fprintf(p->f, "  %-14s  |", name);
	for (int i = 0; i < PM_FACTS_STEPS; i++)
		fputs(level(p, l->step[i], top), p->f);
	fputc('|', p->f);
	/* On a narrow page the scale has a line of its own. */
	if (p->width >= 18 + PM_FACTS_STEPS + 2 + 22) {
		pm_text_fit(cut, sizeof cut, scale, p->width - 18 - PM_FACTS_STEPS - 3, p->utf8);
		fprintf(p->f, " %s\n", cut);
	} else {
		fprintf(p->f, "\n  %-14s   %s\n", "", scale);
	}
}

static void axis(const struct pm_page *p, const struct pm_facts *f)
{
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	pm_format_duration(a, f->line_us / 2);
	pm_format_duration(b, f->line_us);
	fprintf(p->f, "  %-14s  |0 s%*s%*s|\n", "", PM_FACTS_STEPS / 2 + 3 - 3, a,
		PM_FACTS_STEPS / 2 - 3, b);
}

static void phases(const struct pm_page *p, const struct pm_facts *f)
{
	for (size_t i = 0; i < f->phases; i++) {
		const struct pm_fact_phase *x = &f->phase[i];
		double step = (double)f->line_us / PM_FACTS_STEPS;
		int first = (int)((double)x->start_us / step),
		    last = (int)((double)x->end_us / step);
		char name[64], t[PM_FORMAT_MAX];
		int used = pm_text_fit(name, sizeof name, x->label, 14, p->utf8);

		fprintf(p->f, "  %s%*s  |", name, 14 - used, "");
		for (int k = 0; k < PM_FACTS_STEPS; k++)
			fputs(k >= first && k <= last ? p->utf8 ? "\xe2\x94\x81" : "=" : " ", p->f);
		fputc('|', p->f);
		if (p->width >= 18 + PM_FACTS_STEPS + 2 + 14)
			fprintf(p->f, " %s", pm_format_duration(t, x->end_us - x->start_us));
		fputc('\n', p->f);
	}
}

void pm_report_line(const struct pm_page *p, const struct pm_facts *f)
{
	char scale[3 * PM_FORMAT_MAX], a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	if (f->line_us <= 0 || (!f->cpu.known && !f->active.known))
		return;
	pm_page_heading(p, f->sampled ? "Time line (sampled)"
				      : "Time line (from start, end and CPU time of each process)");
	if (f->cpu.known) {
		double top = f->cpus > f->cpu.peak ? (double)f->cpus : f->cpu.peak;

		snprintf(scale, sizeof scale, "full height: %s CPUs; peak %s",
			 pm_format_number(a, top), pm_format_number(b, f->cpu.peak));
		line(p, "CPUs busy", &f->cpu, top, scale);
	}
	if (f->rss_line.known) {
		snprintf(scale, sizeof scale, "full height: %s",
			 pm_format_bytes(a, (int64_t)f->rss_line.peak));
		line(p, "Memory", &f->rss_line, f->rss_line.peak, scale);
	}
	if (f->active.known) {
		snprintf(scale, sizeof scale, "full height: %s",
			 pm_format_number(a, f->active.peak));
		line(p, "Processes", &f->active, f->active.peak, scale);
	}
	axis(p, f);
	phases(p, f);
}
