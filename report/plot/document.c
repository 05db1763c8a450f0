/* Write a report as a PDF. */
#include "config.h"

#include "report/plot/document.h"

#include "common/outfile.h"
#include "report/plot/documentpages.h"
#include "report/plot/plotchart.h"
#include "report/plot/plotlist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lengths in mm: margins, where the content begins and how far it is from the end of the page. */
#define MARGIN 15.
#define TOP    24.
#define BOTTOM 16.

/* The font of the text in points, and the height of its lines in mm. */
#define TEXT_SIZE   8.3
#define TEXT_HEIGHT 3.85

/* Room for a line of the text. */
#define LINE_SIZE (4 * PM_DOCUMENT_COLUMNS + 64)

/* Height of a chart: the largest, and of the reason why there is none. */
#define CHART_MOST   86.
#define CHART_REASON 25.

static const struct paper {
	const char *name;
	double width, height;
} papers[] = {
	{ "A4", 210, 297 },
	{ "Letter", 215.9, 279.4 },
};

struct state {
	const struct pm_document *d;
	const struct paper *paper;
	struct pm_canvas *c;
	struct pm_documentpages pages;
	struct pm_plotread_job about;
	struct pm_plotread plot[PM_PLOTS];
	size_t page; /* being drawn, from 1 */
	int outline; /* entry of the outline below which the page's entries go */
};

static const struct paper *find_paper(const char *name)
{
	for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++)
		if (!name || strcasecmp(papers[i].name, name) == 0)
			return &papers[i];
	return NULL;
}

int pm_document_can(struct pm_err *e)
{
	return pm_canvas_check(e);
}

int pm_document_paper(const char *paper, struct pm_err *e)
{
	return find_paper(paper) ? 0 : pm_err(e, "--paper %s: A4 or Letter is needed", paper);
}

/* What every page has: whose job it is, and which page of how many. */
static void draw_frame(struct state *s)
{
	static const struct pm_canvas_font bold = { .size = 8, .bold = true };
	static const struct pm_canvas_font grey = { .size = 7, .colour = 0x666666 };
	static const struct pm_canvas_pen pen = { 0x666666, 1, 0.25, { 0 } };
	const double width = s->paper->width - 2 * MARGIN, foot = s->paper->height - 9;
	const char *const name[] = { "Job ID: ", "User: ", "Nodes: ", "Date: " };
	const double share[] = { 0.3, 0.26, 0.14, 0.3 };
	char nodes[32], text[96];
	const char *const value[] = { s->d->job, s->d->user, nodes, s->d->date };
	double x = MARGIN + 2;

	snprintf(nodes, sizeof nodes, "%lld", (long long)s->d->nodes);
	pm_canvas_rectangle(s->c, MARGIN, 9, width, 7);
	pm_canvas_stroke(s->c, &pen);
	for (int i = 0; i < 4; i++) {
		struct pm_canvas_font font = bold;

		pm_canvas_text(s->c, &grey, x, 13.6, PM_CANVAS_LEFT, name[i]);
		font.width = share[i] * (width - 4) - pm_canvas_width(s->c, &grey, name[i]) - 2;
		pm_canvas_text(s->c, &font, x + pm_canvas_width(s->c, &grey, name[i]), 13.6,
			       PM_CANVAS_LEFT, value[i]);
		x += share[i] * (width - 4);
	}
	pm_canvas_text(s->c, &grey, MARGIN, foot, PM_CANVAS_LEFT, "perfmon " PACKAGE_VERSION);
	if (s->page > 1) {
		pm_canvas_link(s->c, 1);
		pm_canvas_text(s->c, &grey, s->paper->width / 2, foot, PM_CANVAS_MIDDLE,
			       "Contents: page 1");
		pm_canvas_unlink(s->c);
	}
	snprintf(text, sizeof text, "page %zu of %zu", s->page, s->pages.n);
	pm_canvas_text(s->c, &grey, MARGIN + width, foot, PM_CANVAS_RIGHT, text);
}

/* Entries of the contents, which lead to pages of plots. */
static size_t draw_contents(struct state *s, double y)
{
	static const struct pm_canvas_font font = { .size = 7.5, .colour = 0x0072b2 };
	const double column = (s->paper->width - 2 * MARGIN) / 3;
	size_t n = 0;

	for (size_t i = 0; i < s->pages.n; i++) {
		char title[96], text[128];

		if (i > 0 && s->pages.page[i].kind == PM_DOCUMENTPAGES_TEXT)
			continue;
		pm_documentpages_title(title, &s->pages.page[i]);
		snprintf(text, sizeof text, "%zu  %s", i + 1, title);
		if (s->c) {
			pm_canvas_link(s->c, (int)i + 1);
			pm_canvas_text(s->c, &font, MARGIN + column * (double)(n % 3),
				       y + 4 * (double)(n / 3), PM_CANVAS_LEFT, text);
			pm_canvas_unlink(s->c);
		}
		n++;
	}
	return (n + 2) / 3;
}

/* Draw a page of the text; its headings are in the outline. */
static void draw_text(struct state *s, const struct pm_documentpages_page *page, double y)
{
	struct pm_canvas_font font = { .size = TEXT_SIZE, .mono = true };
	const char *line = page->text;

	for (size_t i = 0; i < page->lines; i++) {
		const size_t n = strcspn(line, "\n");
		char text[LINE_SIZE];

		font.bold = line == s->d->text || pm_documentpages_heading(s->d->text, line);
		if (snprintf(text, sizeof text, "%.*s", (int)n, line) > 0)
			pm_canvas_text(s->c, &font, MARGIN, y + TEXT_HEIGHT * (double)(i + 1),
				       PM_CANVAS_LEFT, text);
		if (font.bold && line != s->d->text)
			pm_canvas_outline(s->c, s->outline, text);
		line += n + (line[n] != '\0');
	}
}

/* Make a chart of a plot for a page. */
static void make_chart(const struct state *s, size_t plot, bool whole, struct pm_chart *chart)
{
	const struct pm_plots_info *info = &pm_plots_info[plot];
	const struct pm_plotchart x = {
		.name = info->name,
		.average = info->average,
		.log = info->log,
		.unit = info->unit,
	};

	if (whole)
		pm_plotchart_whole(chart, &x, &s->about, &s->plot[plot]);
	else
		pm_plotchart_nodes(chart, &x, &s->about, &s->plot[plot]);
}

static void draw_plots(struct state *s, const struct pm_documentpages_page *page)
{
	static const struct pm_canvas_font font = { .size = 11, .bold = true };
	const double width = s->paper->width - 2 * MARGIN;
	double y = TOP + 9, height = s->paper->height - y - BOTTOM, share;
	size_t charts = 0, reasons = 0;
	char title[96];

	pm_documentpages_title(title, page);
	pm_canvas_text(s->c, &font, MARGIN, TOP + 3, PM_CANVAS_LEFT, title);
	pm_canvas_outline(s->c, s->outline, title);
	for (size_t i = 0; i < PM_PLOTS; i++)
		if (pm_plots_info[i].page == page->plots) {
			charts += !s->plot[i].nothing[0];
			reasons += s->plot[i].nothing[0] != '\0';
		}
	share = (height - CHART_REASON * (double)reasons) / (double)(charts ? charts : 1);
	share = fmin(share, CHART_MOST);
	for (size_t i = 0; i < PM_PLOTS; i++) {
		struct pm_chart chart;

		if (pm_plots_info[i].page != page->plots)
			continue;
		height = s->plot[i].nothing[0] ? CHART_REASON : share;
		make_chart(s, i, page->kind != PM_DOCUMENTPAGES_NODES, &chart);
		pm_chart_draw(s->c, &chart, MARGIN, y, width, height - 4);
		y += height;
	}
}

/* An entry of the outline above those of some pages, before the first of them. */
static void begin_part(struct state *s, const struct pm_documentpages_page *page)
{
	static const char *const part[] = {
		[PM_DOCUMENTPAGES_TEXT] = "Report",
		[PM_DOCUMENTPAGES_WHOLE] = "Plots of all nodes",
		[PM_DOCUMENTPAGES_NODES] = "Plots per node",
		[PM_DOCUMENTPAGES_NOTHING] = "Plots of all nodes",
	};

	if (page == s->pages.page || strcmp(part[page->kind], part[page[-1].kind]) != 0)
		s->outline = pm_canvas_outline(s->c, 0, part[page->kind]);
}

static void draw_pages(struct state *s)
{
	for (size_t i = 0; i < s->pages.n; i++) {
		const struct pm_documentpages_page *page = &s->pages.page[i];
		double y = TOP - 3;

		s->page = i + 1;
		if (i > 0)
			pm_canvas_page(s->c);
		draw_frame(s);
		begin_part(s, page);
		if (page->kind != PM_DOCUMENTPAGES_TEXT) {
			draw_plots(s, page);
			continue;
		}
		if (i == 0)
			y += 4 * (double)draw_contents(s, TOP - 2);
		draw_text(s, page, y);
	}
}

/* Read the plots. Returns 0 or -1 with e filled. */
static int read_plots(struct state *s, struct pm_db *db, bool has[PM_PLOTS_PAGES], struct pm_err *e)
{
	for (size_t i = 0; i < PM_PLOTS; i++) {
		const struct pm_plots_info *info = &pm_plots_info[i];
		struct pm_plots_series series[PM_PLOTLIST_SERIES];
		const size_t n = pm_plotlist_series(info, series);

		if (pm_plotread(&s->plot[i], &s->about, db, series, n, info->average, e) < 0)
			return -1;
		has[info->page] = has[info->page] || !s->plot[i].nothing[0];
	}
	return 0;
}

/* Plan the pages: the first has less room, for the contents. Returns 0 or -1 with e filled. */
static int plan_pages(struct state *s, const bool has[PM_PLOTS_PAGES], struct pm_err *e)
{
	const double room = s->paper->height - TOP + 3 - BOTTOM;
	/* Rows of the contents, whatever pages there are. */
	const double contents = 4 * ((2 * PM_PLOTS_PAGES + 3) / 3);

	if (pm_documentpages_text(&s->pages, s->d->text, (size_t)((room - contents) / TEXT_HEIGHT),
				  (size_t)(room / TEXT_HEIGHT)) < 0 ||
	    pm_documentpages_plots(&s->pages, has) < 0)
		return pm_err(e, "out of memory");
	return 0;
}

int pm_document_write(const struct pm_document *d, const char *path, struct pm_db *db, int64_t job,
		      struct pm_err *e)
{
	struct state *s = calloc(1, sizeof *s);
	bool has[PM_PLOTS_PAGES] = { false };
	struct pm_outfile f = { 0 };
	char title[256];
	int rc;

	if (!s)
		return pm_err(e, "out of memory");
	s->d = d;
	s->paper = find_paper(d->paper);
	rc = pm_plotread_job(&s->about, db, job, e);
	if (rc == 0)
		rc = read_plots(s, db, has, e);
	if (rc == 0)
		rc = plan_pages(s, has, e);
	if (rc == 0 && (rc = pm_outfile_open(&f, path, e)) == 0) {
		s->c = pm_canvas_new(f.f, PM_CANVAS_PDF, s->paper->width, s->paper->height, e);
		if (s->c) {
			snprintf(title, sizeof title, "Job %s", d->job);
			pm_canvas_describe(s->c, title, d->user);
			draw_pages(s);
		}
		rc = s->c ? pm_canvas_finish(s->c, e) : -1;
		rc = rc < 0 ? rc : pm_outfile_commit(&f, e);
		pm_outfile_abandon(&f);
	}
	for (size_t i = 0; i < PM_PLOTS; i++)
		pm_plotread_free(&s->plot[i]);
	pm_documentpages_free(&s->pages);
	free(s);
	return rc;
}
