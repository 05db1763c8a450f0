/* The pages of a document: which there are, and what each shows. */
#ifndef PM_REPORT_PLOT_DOCUMENTPAGES_H
#define PM_REPORT_PLOT_DOCUMENTPAGES_H

#include "report/plot/plots.h"

#include <stdbool.h>
#include <stddef.h>

enum pm_documentpages_kind {
	PM_DOCUMENTPAGES_TEXT,
	PM_DOCUMENTPAGES_WHOLE,   /* plots of all nodes */
	PM_DOCUMENTPAGES_NODES,   /* plots per node */
	PM_DOCUMENTPAGES_NOTHING, /* why there are no such plots */
};

struct pm_documentpages_page {
	enum pm_documentpages_kind kind;
	const char *text; /* of TEXT: its first line, in the text of the document */
	size_t lines;
	enum pm_plots_page plots;
};

struct pm_documentpages {
	struct pm_documentpages_page *page;
	size_t n, room;
};

/* Break a text into pages of `lines` lines, the first of `first`. A heading, behind an empty line
 * and with indented lines below it, is never the last of a page, and short sections stay together.
 * Returns 0, or -1 if out of memory. */
int pm_documentpages_text(struct pm_documentpages *p, const char *text, size_t first, size_t lines);

/* Add the pages of plots: those of all nodes, then those per node, of the pages of plots that have
 * values; those of SKA's report without any have one page that says why. Returns 0, or -1 if out of
 * memory. */
int pm_documentpages_plots(struct pm_documentpages *p, const bool has[PM_PLOTS_PAGES]);

/* Whether the line at `line`, of the text that begins at `text`, is a heading. */
bool pm_documentpages_heading(const char *text, const char *line);

/* The title of a page of plots. Writes 96 bytes. */
void pm_documentpages_title(char *title, const struct pm_documentpages_page *page);

void pm_documentpages_free(struct pm_documentpages *p);

#endif
