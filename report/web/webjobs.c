/* The page of several jobs. */
#include "config.h"

#include "report/web/webjobs.h"

#include "common/text.h"
#include "report/advice/advice.h"
#include "report/advice/verdict.h"
#include "report/job/report_text.h"
#include "report/print/cell.h"
#include "report/print/html.h"
#include "report/web/webadvice.h"
#include "report/web/webheader.h"
#include "report/web/websections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns that the first advice has in the table. */
#define ADVICE_COLUMNS 100

/* Room for the prefix of ids, and for an id. */
#define PREFIX_MAX 32
#define ID_MAX     (PREFIX_MAX + 16)

/* Level of the headings of a job's sections. */
#define LEVEL 3

int pm_webjobs_begin(struct pm_webjobs *w, const struct pm_page *p, struct pm_err *e)
{
	static const struct pm_table_column column[] = {
		{ "Job", false, 0, 0 },          { "Name", false, 0, 0 },
		{ "User", false, 0, 0 },         { "Start", false, 0, 0 },
		{ "Ended", false, 0, 0 },        { "Wall time", true, 0, 0 },
		{ "CPUs", true, 0, 0 },          { "CPU efficiency", true, 0, 0 },
		{ "Memory peak", true, 0, 0 },   { "Worst figure", false, 0, 0 },
		{ "First advice", false, 0, 0 },
	};

	w->page = *p;
	w->jobs = 0;
	w->parts = tmpfile();
	if (!w->parts)
		return pm_err(e, "create a temporary file: %m");
	pm_page_text(p, "",
		     "Time lines, trees of processes and series are drawn in the page of one job: "
		     "perfmon report --html FILE JOB.");
	fputs("<section id=\"jobs\">\n<h2>Jobs</h2>\n", p->f);
	pm_table_init(&w->table, &w->page, column, sizeof column / sizeof column[0], 0);
	return 0;
}

/* The worst of the six figures: "CPU efficiency: low". */
static void put_worst(struct pm_table *t, const struct pm_facts *f)
{
	const struct pm_verdict *worst = NULL;
	struct pm_verdict v[PM_VERDICTS];
	char text[PM_VERDICT_MAX];

	pm_verdicts(f, v);
	for (int i = 0; i < PM_VERDICTS; i++)
		if (v[i].level != PM_VERDICT_NONE && (!worst || v[i].level > worst->level))
			worst = &v[i];
	if (!worst)
		snprintf(text, sizeof text, "unknown");
	else if (worst->level == PM_VERDICT_GOOD)
		snprintf(text, sizeof text, "none: all are good");
	else
		snprintf(text, sizeof text, "%s: %s", worst->name, worst->word);
	pm_table_cell(t, text);
}

static void put_advice(struct pm_table *t, const struct pm_facts *f, const char *prefix)
{
	struct pm_advice list[PM_ADVICE_RULES];
	char text[PM_ADVICE_MAX], id[ID_MAX];

	if (pm_advice_list(f, list) == 0) {
		pm_table_cell(t, "");
		return;
	}
	pm_text_fit(text, sizeof text, list[0].text, ADVICE_COLUMNS, true);
	snprintf(id, sizeof id, "%sadvice", prefix);
	pm_table_link(t, id);
	pm_table_cell(t, text);
}

static void put_row(struct pm_webjobs *w, const struct pm_facts *f, const char *id,
		    const char *prefix)
{
	struct pm_table *t = &w->table;
	char text[2 * PM_PROCESSNAME_MAX + 2];

	snprintf(text, sizeof text, "%s%s%s", f->jobid, *f->array_task ? "_" : "", f->array_task);
	pm_table_link(t, id);
	pm_table_cell(t, *text ? text : "(no id)");
	pm_table_cell(t, f->name);
	pm_table_cell(t, f->user);
	pm_table_value(t, f->start_us < 0 ? NAN : (double)f->start_us);
	pm_table_cell(t, pm_format_minute(text, f->start_us));
	pm_table_cell(t, pm_verdict_outcome(text, f));
	pm_cell_duration(t, f->wall_us);
	pm_cell_count(t, f->cpus);
	pm_cell_share(t, f->efficiency);
	pm_cell_bytes(t, f->rss);
	put_worst(t, f);
	put_advice(t, f, prefix);
}

/* Write the part of a job. Sections come first into memory, since advice refers to them. Returns
 * as pm_webjobs_add(). */
static int write_part(struct pm_webjobs *w, const struct pm_facts *f, const char *id,
		      const char *prefix, struct pm_err *e)
{
	const struct pm_webplace place = { .prefix = prefix, .level = LEVEL };
	char title[PM_REPORT_NAME], *text;
	struct pm_page page = w->page;
	bool has[PM_WEBSECTIONS];

	text = pm_websections_text(&page, f, NULL, &place, has);
	if (!text)
		return pm_err(e, "out of memory");
	page.f = w->parts;
	fprintf(page.f, "<section class=\"job\" id=\"%s\">\n<h2>", id);
	pm_html_text(page.f, pm_report_name(title, f));
	fputs("</h2>\n<p class=\"up\"><a href=\"#jobs\">All jobs</a></p>\n", page.f);
	pm_webheader_write(&page, f);
	pm_webadvice_write(&page, f, &place, has);
	fputs(text, page.f);
	fputs("</section>\n", page.f);
	free(text);
	return ferror(page.f) ? pm_err(e, "write a temporary file: %m") : 0;
}

int pm_webjobs_add(struct pm_webjobs *w, const struct pm_facts *f, struct pm_err *e)
{
	char id[PREFIX_MAX], prefix[PREFIX_MAX + 1];

	snprintf(id, sizeof id, "j%zu", ++w->jobs);
	snprintf(prefix, sizeof prefix, "%s-", id);
	put_row(w, f, id, prefix);
	return write_part(w, f, id, prefix, e);
}

int pm_webjobs_end(struct pm_webjobs *w, struct pm_err *e)
{
	char block[65536];
	size_t n;

	if (w->jobs == 0)
		pm_page_text(&w->page, "", "no jobs");
	else if (pm_table_finish(&w->table) < 0)
		return pm_err(e, "print a table: out of memory");
	fputs("</section>\n", w->page.f);
	if (fflush(w->parts) != 0)
		return pm_err(e, "write a temporary file: %m");
	rewind(w->parts);
	while ((n = fread(block, 1, sizeof block, w->parts)) > 0)
		fwrite(block, 1, n, w->page.f);
	return ferror(w->parts) ? pm_err(e, "read a temporary file: %m") : 0;
}

void pm_webjobs_free(struct pm_webjobs *w)
{
	if (!w->parts)
		return;
	pm_table_discard(&w->table);
	fclose(w->parts);
	w->parts = NULL;
}
