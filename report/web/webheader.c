/* What a page says of a job first. */
#include "config.h"

#include "report/web/webheader.h"

#include "report/advice/verdict.h"
#include "report/job/report_text.h"
#include "report/print/html.h"

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

void pm_webheader_write(const struct pm_page *p, const struct pm_facts *f)
{
	fputs("<div class=\"facts\">\n", p->f);
	pm_report_header(p, f);
	fputs("</div>\n", p->f);
	write_figures(p->f, f);
}
