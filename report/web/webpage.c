/* The page of a job: its frame, its sections, its data. */
#include "config.h"

#include "report/web/webpage.h"

#include "report/job/report_text.h"
#include "report/print/html.h"
#include "report/web/webadvice.h"
#include "report/web/webdocument.h"
#include "report/web/webheader.h"
#include "report/web/webindex.h"
#include "report/web/webprocesses.h"
#include "report/web/websections.h"
#include "report/web/webseries.h"

#include <stdlib.h>
#include <string.h>

static void write_header(const struct pm_page *p, const struct pm_facts *f, const char *title)
{
	fputs("<header id=\"top\">\n<h1>", p->f);
	pm_html_text(p->f, title);
	fputs("</h1>\n", p->f);
	pm_webheader_write(p, f);
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
	char *text = pm_websections_text(&page, f, series, &pm_webplace_page, has);

	if (!text)
		return pm_err(e, "out of memory");
	page.f = out;
	write_header(&page, f, title);
	write_nav(out, has);
	fputs("<main>\n", out);
	pm_webadvice_write(&page, f, &pm_webplace_page, has);
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
