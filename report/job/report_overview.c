/* The first screen of a report: outcome, six numbers with a verdict each, the first advice. */
#include "config.h"

#include "report/job/report_text.h"

#include "common/text.h"
#include "report/advice/advice.h"
#include "report/advice/request.h"
#include "report/advice/verdict.h"

#include <math.h>
#include <string.h>

/* Advice on the screen, and lines for each: 22 lines in all at most, as less leaves one that has 24
 * by itself. */
#define ADVICE       3
#define ADVICE_LINES 2

/* Cells of a bar, the narrowest page with bars; columns of a verdict, and of what is at stake. */
#define CELLS 10
#define BARS  100
#define WORD  14
#define STAKE 11

static enum pm_style style_of(enum pm_verdict_level level)
{
	static const enum pm_style style[] = {
		[PM_VERDICT_NONE] = PM_STYLE_PLAIN,
		[PM_VERDICT_GOOD] = PM_STYLE_GOOD,
		[PM_VERDICT_FAIR] = PM_STYLE_FAIR,
		[PM_VERDICT_BAD] = PM_STYLE_BAD,
	};

	return style[level];
}

/* Cut a text to the columns that are left. */
static const char *cut(const struct pm_page *p, char *dst, size_t cap, const char *text, int used)
{
	pm_text_fit(dst, cap, text, p->width > used + 8 ? p->width - used : 8, p->utf8);
	return dst;
}

/* A number in a line: name, on wide pages a bar, number, verdict, detail. */
static void print_number(const struct pm_page *p, const struct pm_verdict *v)
{
	const bool bars = p->width >= BARS;
	char bar[PM_BAR_SIZE], text[PM_VERDICT_MAX];

	fprintf(p->f, "  %-15s ", v->name);
	if (bars && isnan(v->share))
		fprintf(p->f, "%*s", CELLS + 1, "");
	else if (bars)
		fprintf(p->f, "%s ", pm_page_bar(p, bar, v->share, p->utf8 ? CELLS : CELLS - 2));
	fprintf(p->f, "%9s", v->number);
	if (*v->word)
		fprintf(p->f, "  %s%s%s", pm_page_style(p, style_of(v->level)), v->word,
			pm_page_style(p, PM_STYLE_PLAIN));
	if (*v->detail)
		fprintf(p->f, "%*s  %s", (*v->word ? WORD : WORD + 2) - pm_text_columns(v->word),
			"",
			cut(p, text, sizeof text, v->detail,
			    18 + (bars ? CELLS + 1 : 0) + 9 + 2 + WORD + 2));
	fputc('\n', p->f);
}

static void print_outcome(const struct pm_page *p, const struct pm_facts *f)
{
	char outcome[PM_VERDICT_MAX], t[PM_FORMAT_MAX], h[PM_FORMAT_MAX], line[2 * PM_VERDICT_MAX],
		text[2 * PM_VERDICT_MAX];

	if (*f->command)
		fprintf(p->f, "  %-15s %s\n", "Command", cut(p, text, sizeof text, f->command, 18));
	if (f->end_us >= 0)
		fprintf(p->f, "  %-15s %s\n", "Time",
			cut(p, text, sizeof text, pm_format_span(t, f->start_us, f->end_us), 18));
	snprintf(line, sizeof line, ", %s%s on %s", pm_format_duration(t, f->wall_us),
		 f->open ? " so far" : "",
		 f->hosts_count == 1 && f->hosts ? pm_facts_hostname(&f->host[0])
						 : pm_format_things(h, f->hosts_count, "host"));
	pm_verdict_outcome(outcome, f);
	fprintf(p->f, "  %-15s %s%s%s%s\n", "Outcome",
		pm_page_style(p, style_of(pm_verdict_of_outcome(f))), outcome,
		pm_page_style(p, PM_STYLE_PLAIN),
		cut(p, text, sizeof text, line, 18 + pm_text_columns(outcome)));
}

/* What to ask for the next time, in one line. */
static void print_next(const struct pm_page *p, const struct pm_facts *f)
{
	struct pm_request list[PM_REQUESTS];
	size_t n = pm_requests(f, list), len = 0;
	char line[2 * PM_REQUESTS * PM_REQUEST_MAX], text[sizeof line];

	for (size_t i = 0; i < n; i++)
		if (*list[i].next)
			len += (size_t)snprintf(line + len, sizeof line - len, "%s%s: %s (had %s)",
						len ? "; " : "", list[i].name, list[i].next,
						list[i].asked);
	if (len)
		fprintf(p->f, "  %-15s %s\n", "Ask next for", cut(p, text, sizeof text, line, 18));
}

/* Write a text in at most ADVICE_LINES lines, from the column of advice on. */
static void print_cut(const struct pm_page *p, const char *text)
{
	const int column = 2 + STAKE + 1;
	char fitted[PM_ADVICE_MAX + 8];

	/* Lines break at words: a line may lose some columns. */
	pm_text_fit(fitted, sizeof fitted, text, ADVICE_LINES * (p->width - column) - 8, p->utf8);
	pm_page_wrap(p, column, fitted);
}

static void print_advice(const struct pm_page *p, const struct pm_facts *f)
{
	struct pm_advice list[PM_ADVICE_RULES];
	size_t n = pm_advice_list(f, list), len = 0;
	char t[PM_FORMAT_MAX], line[PM_COMMAND_MAX + 2 * PM_FORMAT_MAX], text[sizeof line];

	fprintf(p->f, "\n%s  %-*s Advice%s\n", pm_page_style(p, PM_STYLE_BOLD), STAKE,
		n ? "At stake" : "", pm_page_style(p, PM_STYLE_PLAIN));
	for (size_t i = 0; i < n && i < ADVICE; i++) {
		const struct pm_advice *a = &list[i];

		fprintf(p->f, "  %s%-*s%s ",
			pm_page_style(p, a->severity <= PM_ADVICE_RISK      ? PM_STYLE_BAD
					 : a->severity <= PM_ADVICE_SYMPTOM ? PM_STYLE_FAIR
									    : PM_STYLE_PLAIN),
			STAKE,
			a->cost_us > 0      ? pm_format_duration(t, a->cost_us)
			: a->cost_bytes > 0 ? pm_format_bytes(t, a->cost_bytes)
					    : "-",
			pm_page_style(p, PM_STYLE_PLAIN));
		print_cut(p, a->text);
	}
	if (n == 0) {
		fprintf(p->f, "  %-*s ", STAKE, "");
		print_cut(p, pm_advice_none(f));
	}
	if (n > ADVICE)
		len = (size_t)snprintf(line, sizeof line, "%s more; all",
				       pm_format_things(t, (int64_t)(n - ADVICE),
							n == ADVICE + 1 ? "advice" : "piece"));
	snprintf(line + len, sizeof line - len,
		 "%s: perfmon report --all%s; a part: --section NAME,...", len ? "" : "All",
		 f->named);
	fprintf(p->f, "%s\n", cut(p, text, sizeof text, line, 0));
}

void pm_report_overview(const struct pm_page *p, const struct pm_facts *f)
{
	struct pm_verdict v[PM_VERDICTS];

	print_outcome(p, f);
	fputc('\n', p->f);
	pm_verdicts(f, v);
	for (int i = 0; i < PM_VERDICTS; i++)
		print_number(p, &v[i]);
	print_next(p, f);
	print_advice(p, f);
}

void pm_report_screen(const struct pm_page *p, const struct pm_facts *f)
{
	pm_report_title(p, f);
	pm_report_overview(p, f);
}
