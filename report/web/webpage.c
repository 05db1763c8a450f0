/* The page of a job: its frame, its sections, its data. */
#include "config.h"

#include "report/web/webpage.h"

#include "common/memtext.h"
#include "report/advice/verdict.h"
#include "report/job/report_text.h"
#include "report/print/html.h"
#include "report/web/webadvice.h"
#include "report/web/webdocument.h"
#include "report/web/webindex.h"
#include "report/web/webprocesses.h"
#include "report/web/websections.h"
#include "report/web/webseries.h"

#include <stdlib.h>
#include <string.h>

/* The six numbers, each with the word that judges it. */
static void write_figures(FILE *out, const struct pm_facts *f)
{
	static const char *const level[] = { [PM_VERDICT_NONE] = "unknown",
					     [PM_VERDICT_GOOD] = "good",
					     [PM_VERDICT_FAIR] = "fair",
					     [PM_VERDICT_BAD] = "bad" };
	struct pm_verdict v[PM_VERDICTS];

	pm_verdicts(f, v);
	fputs("<ul class=\"figures\">\n", out);
	for (int i = 0; i < PM_VERDICTS; i++) {
		fprintf(out, "<li class=\"%s\"><span class=\"name\">%s</span> <strong>",
			level[v[i].level], v[i].name);
		pm_html_text(out, v[i].number);
		fprintf(out, "</strong> <em>%s</em> <small>", v[i].word);
		pm_html_text(out, v[i].detail);
		fputs("</small></li>\n", out);
	}
	fputs("</ul>\n", out);
}

static void write_header(const struct pm_page *p, const struct pm_facts *f, const char *title)
{
	fputs("<header id=\"top\">\n<h1>", p->f);
	pm_html_text(p->f, title);
	fputs("</h1>\n<div class=\"facts\">\n", p->f);
	pm_report_header(p, f);
	fputs("</div>\n", p->f);
	write_figures(p->f, f);
	fputs("</header>\n", p->f);
}

static void write_nav(FILE *out, const bool has[PM_WEBSECTIONS])
{
	fputs("<nav id=\"sections\" aria-label=\"Sections\"><a href=\"#advice\">Advice</a>", out);
	for (int i = 0; i < PM_WEBSECTIONS; i++)
		if (has[i])
			fprintf(out, " <a href=\"#%s\">%s</a>", pm_websection_id(i),
				pm_websection_title(i));
	fputs("</nav>\n", out);
}

/* Write what stands between head and data: the sections are written first, since header and advice
 * refer to them. */
static int write_body(FILE *out, const struct pm_facts *f, const struct pm_webseries *series,
		      const char *title, struct pm_err *e)
{
	struct pm_page page = { .width = 200, .utf8 = true, .form = &pm_html_form };
	bool has[PM_WEBSECTIONS];
	char *text = NULL;
	size_t size;
	int rc;

	page.f = open_memstream(&text, &size);
	if (!page.f)
		return pm_err(e, "out of memory");
	rc = pm_websections_write(&page, f, series, has);
	if (!pm_memtext_end(page.f, &text) || rc < 0) {
		free(text);
		return pm_err(e, "out of memory");
	}
	page.f = out;
	write_header(&page, f, title);
	write_nav(out, has);
	fputs("<main>\n", out);
	pm_webadvice_write(&page, f, has);
	fputs(text, out);
	fputs("</main>\n", out);
	free(text);
	return 0;
}

int pm_webpage_write(FILE *out, struct pm_db *db, const struct pm_facts *f, int64_t rows,
		     struct pm_err *e)
{
	struct pm_webprocesses processes = { .rows = 0 };
	struct pm_webseries series = { .n = 0 };
	char title[PM_REPORT_NAME], *index = NULL;
	int rc = -1;

	pm_report_name(title, f);
	if (pm_webprocesses_read(&processes, db, f, rows, e) < 0 ||
	    pm_webseries_read(&series, db, f, e) < 0)
		goto out;
	index = pm_webindex(db, f, title, &processes, &series, e);
	if (!index)
		goto out;
	pm_webdocument_begin(out, title, true);
	if (write_body(out, f, &series, title, e) < 0)
		goto out;
	fprintf(out, "<script type=\"application/json\" id=\"pm-index\">%s</script>\n", index);
	pm_webprocesses_write(&processes, out);
	pm_webseries_write(&series, out);
	pm_webdocument_end(out, true);
	rc = 0;
out:
	free(index);
	pm_webprocesses_free(&processes);
	pm_webseries_free(&series);
	return rc;
}
