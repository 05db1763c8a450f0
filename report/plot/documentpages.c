/* Plan the pages of a document. */
#include "config.h"

#include "report/plot/documentpages.h"

#include "common/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A heading has so many lines below it on its page. */
#define WITH_HEADING 3

/* A section that fits a page is kept together where the page before is so full, in parts of it. */
#define FULL 0.6

static int add_page(struct pm_documentpages *p, struct pm_documentpages_page page)
{
	if (!PM_GROW(p->page, p->n, p->room, 16))
		return -1;
	p->page[p->n++] = page;
	return 0;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

bool pm_documentpages_heading(const char *text, const char *line)
{
	/* The first line is the title, with a rule below it. */
	return line - text >= 2 && line[-1] == '\n' && line[-2] == '\n' && *line != ' ' &&
	       *line != '\n' && *next_line(line) == ' ';
}

/* Lines of the section that begins with a heading. */
static size_t section_lines(const char *text, const char *heading)
{
	size_t n = 1;

	for (heading = next_line(heading); *heading && !pm_documentpages_heading(text, heading);
	     n++)
		heading = next_line(heading);
	return n;
}

int pm_documentpages_text(struct pm_documentpages *p, const char *text, size_t first, size_t lines)
{
	const char *line = text;

	while (*line) {
		struct pm_documentpages_page page = { .kind = PM_DOCUMENTPAGES_TEXT };
		const size_t room = p->n == 0 ? first : lines;
		const char *heading = NULL, *end;
		size_t before = 0;

		while (*line == '\n') /* no page begins with empty lines */
			line++;
		if (!*line)
			break;
		page.text = end = line;
		for (; *end && page.lines < room; page.lines++, end = next_line(end))
			if (page.lines > 0 && pm_documentpages_heading(text, end)) {
				heading = end;
				before = page.lines;
			}
		if (*end && heading &&
		    (page.lines - before <= WITH_HEADING ||
		     ((double)before >= FULL * (double)room &&
		      section_lines(text, heading) <= lines))) {
			page.lines = before;
			end = heading;
		}
		if (add_page(p, page) < 0)
			return -1;
		line = end;
	}
	return 0;
}

int pm_documentpages_plots(struct pm_documentpages *p, const bool has[PM_PLOTS_PAGES])
{
	for (int i = 0; i < PM_PLOTS_PAGES; i++) {
		const struct pm_documentpages_page page = {
			.kind = has[i] ? PM_DOCUMENTPAGES_WHOLE : PM_DOCUMENTPAGES_NOTHING,
			.plots = (enum pm_plots_page)i,
		};

		if ((has[i] || pm_plots_always(page.plots)) && add_page(p, page) < 0)
			return -1;
	}
	for (int i = 0; i < PM_PLOTS_PAGES; i++) {
		const struct pm_documentpages_page page = {
			.kind = PM_DOCUMENTPAGES_NODES,
			.plots = (enum pm_plots_page)i,
		};

		if (has[i] && add_page(p, page) < 0)
			return -1;
	}
	return 0;
}

void pm_documentpages_title(char *title, const struct pm_documentpages_page *page)
{
	static const char *const of[] = {
		[PM_DOCUMENTPAGES_TEXT] = "",
		[PM_DOCUMENTPAGES_WHOLE] = ": all nodes",
		[PM_DOCUMENTPAGES_NODES] = ": per node",
		[PM_DOCUMENTPAGES_NOTHING] = ": not sampled",
	};

	snprintf(title, 96, "%s%s",
		 page->kind == PM_DOCUMENTPAGES_TEXT ? "Report" : pm_plots_page_name[page->plots],
		 of[page->kind]);
}

void pm_documentpages_free(struct pm_documentpages *p)
{
	free(p->page);
	*p = (struct pm_documentpages){ .page = NULL };
}
