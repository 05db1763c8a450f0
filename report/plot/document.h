/* The report of a job as a PDF: its text, then pages of plots as SKA's sampler makes them. */
#ifndef PM_REPORT_PLOT_DOCUMENT_H
#define PM_REPORT_PLOT_DOCUMENT_H

#include "common/err.h"
#include "db/db.h"

#include <stdint.h>
#include <stdio.h>

/* Columns of the text. */
#define PM_DOCUMENT_COLUMNS 96

struct pm_document {
	const char *text; /* of a page of these columns, in UTF-8 */
	const char *job, *user, *date;
	int64_t nodes;
	const char *paper; /* one that pm_document_paper() knows; NULL: A4 */
};

/* Whether documents can be written: 0, or -1 with e filled by what is missing. */
int pm_document_can(struct pm_err *e);

/* Whether a size of paper is known. Returns 0, or -1 with e filled. */
int pm_document_paper(const char *paper, struct pm_err *e);

/* Write the document of job number `job` to a file, or with - to standard output. Returns 0 or -1
 * with e filled. */
int pm_document_write(const struct pm_document *d, const char *path, struct pm_db *db, int64_t job,
		      struct pm_err *e);

#endif
