/* The report as a PDF: its text, and plots. */
#include "config.h"

#include "report/job/report_pdf.h"

#include "report/job/report_text.h"
#include "report/plot/document.h"

#include <stdio.h>
#include <stdlib.h>

int pm_report_pdf(const char *path, const char *paper, struct pm_db *db, const struct pm_facts *f,
		  bool all, struct pm_err *e)
{
	char *text = NULL, date[PM_FORMAT_MAX], job[4 * PM_PROCESSNAME_MAX];
	struct pm_page page = { .width = PM_DOCUMENT_COLUMNS, .utf8 = true };
	struct pm_document d = {
		.job = job, .user = f->user, .date = date, .nodes = f->hosts_count, .paper = paper
	};
	size_t size;
	int rc;

	page.f = open_memstream(&text, &size);
	if (!page.f)
		return pm_err(e, "out of memory");
	rc = pm_report_text(&page, f, all);
	if (ferror(page.f))
		rc = -1;
	if (fclose(page.f) != 0 || rc < 0) {
		free(text);
		return pm_err(e, "report: out of memory");
	}
	pm_format_time(date, f->start_us);
	snprintf(job, sizeof job, "%s%s%s", f->jobid, *f->array_task ? "_" : "", f->array_task);
	d.text = text;
	rc = pm_document_write(&d, path, db, f->job, e);
	free(text);
	return rc;
}
