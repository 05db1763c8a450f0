/* Draw charts. */
#include "config.h"

#include "report/draw/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sizes of fonts in points; lengths in mm. */
#define TITLE_SIZE   8.5
#define TEXT_SIZE    7
#define LINE_HEIGHT  3.6
#define LEFT         19. /* of the labels of values */
#define LABEL_HEIGHT 2.6
#define LEGEND       43. /* of an entry of the legend */
#define SAMPLE       7.  /* of the line in it */
#define BELOW        9.  /* of labels of times, and the note */

/* A line of so few values shows each as a dot. */
#define DOTS 60

#define GREY  0x666666
#define LIGHT 0xd0d0d0

/* Okabe and Ito's palette, which the colour-blind can tell apart; yellow is too light on paper. */
static const uint32_t colours[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
				    0xe69f00, 0x56b4e9, 0x000000 };

/* In grey the dashes tell lines apart. */
static const double dashes[PM_CHART_LINES][4] = {
	{ 0 },      { 1.8, 0.8 }, { 0.5, 0.6 },           { 2.4, 0.6, 0.5, 0.6 },
	{ 3.5, 1 }, { 1, 0.5 },   { 1.8, 0.5, 1.8, 1.2 }, { 0.5, 1.2 },
};

static const struct pm_canvas_font title_font = { .size = TITLE_SIZE, .bold = true },
				   text_font = { .size = TEXT_SIZE, .colour = 0x333333 },
				   grey_font = { .size = TEXT_SIZE, .colour = GREY };

/* Where the values are drawn. */
struct plot {
	double x, y, width, height;
	struct pm_ticks time, value;
};

static double place_x(const struct plot *p, double seconds)
{
	return p->x + p->width * pm_ticks_place(&p->time, seconds);
}

static double place_y(const struct plot *p, double v)
{
	return p->y + p->height * (1 - pm_ticks_place(&p->value, v));
}

/* The axis of values: over all that is drawn of the lines. */
static void scale_values(struct plot *p, const struct pm_chart *chart)
{
	double least = INFINITY, most = -INFINITY, positive = INFINITY;

	for (size_t i = 0; i < chart->lines; i++) {
		const struct pm_line *l = chart->line[i].line;

		for (size_t k = 0; k < l->n; k++) {
			const double mean = pm_line_cell_mean(&l->cell[k]);

			least = fmin(least, l->cell[k].least);
			most = fmax(most, l->cell[k].most);
			if (l->cell[k].least > 0)
				positive = fmin(positive, l->cell[k].least);
			if (mean > 0)
				positive = fmin(positive, mean);
		}
	}
	if (chart->log)
		pm_ticks_log(&p->value, positive, most, chart->unit);
	else
		pm_ticks_linear(&p->value, least, most, chart->unit);
	/* The greatest value does not lie on the frame. */
	if (p->value.log)
		p->value.high *= 1.2;
	else
		p->value.high += (p->value.high - p->value.low) * 0.03;
}

static void draw_axes(struct pm_canvas *c, const struct plot *p, const struct pm_chart *chart)
{
	const struct pm_canvas_pen frame = { GREY, 1, 0.2, { 0 } }, grid = { LIGHT, 1, 0.1, { 0 } };
	const double bottom = p->y + p->height;
	struct pm_canvas_font note = grey_font;
	char caption[192];
	double end = 0, label_y = bottom + LINE_HEIGHT;

	for (size_t i = 0; i < p->value.n; i++) {
		const struct pm_tick *t = &p->value.tick[i];
		const double y = place_y(p, t->at), length = *t->label ? 1.2 : 0.6;

		if (y < p->y - 0.01 || y > bottom + 0.01)
			continue;
		if (*t->label) {
			pm_canvas_move(c, p->x, y);
			pm_canvas_line(c, p->x + p->width, y);
			pm_canvas_stroke(c, &grid);
		}
		/* From below; labels do not overlap. */
		if (*t->label && label_y - y >= LABEL_HEIGHT) {
			pm_canvas_text(c, &text_font, p->x - 1.8, y + 0.9, PM_CANVAS_RIGHT,
				       t->label);
			label_y = y;
		}
		pm_canvas_move(c, p->x - length, y);
		pm_canvas_line(c, p->x, y);
		pm_canvas_stroke(c, &frame);
	}
	for (size_t i = 0; i < p->time.n; i++) {
		const double x = place_x(p, p->time.tick[i].at);

		pm_canvas_move(c, x, p->y);
		pm_canvas_line(c, x, bottom);
		pm_canvas_stroke(c, &grid);
		pm_canvas_move(c, x, bottom);
		pm_canvas_line(c, x, bottom + 1.2);
		pm_canvas_stroke(c, &frame);
		/* No label runs into the one before, nor out of the chart. */
		if (x - pm_canvas_width(c, &text_font, p->time.tick[i].label) / 2 < end)
			continue;
		pm_canvas_text(c, &text_font, x, bottom + 4, PM_CANVAS_MIDDLE,
			       p->time.tick[i].label);
		end = x + pm_canvas_width(c, &text_font, p->time.tick[i].label) / 2 + 1;
	}
	pm_canvas_rectangle(c, p->x, p->y, p->width, p->height);
	pm_canvas_stroke(c, &frame);
	snprintf(caption, sizeof caption, "%s since %s", p->time.unit, chart->origin);
	pm_canvas_text(c, &grey_font, p->x + p->width, bottom + 4 + LINE_HEIGHT, PM_CANVAS_RIGHT,
		       caption);
	note.width = p->width - pm_canvas_width(c, &grey_font, caption) - 4;
	if (*chart->note)
		pm_canvas_text(c, &note, p->x, bottom + 4 + LINE_HEIGHT, PM_CANVAS_LEFT,
			       chart->note);
}

/* The pen of line number i of a chart. */
static struct pm_canvas_pen pen_of(const struct pm_chart *chart, size_t i)
{
	struct pm_canvas_pen pen = { .opacity = 1, .width = 0.3 };
	size_t number = 0;

	for (size_t k = 0; k < i; k++)
		number += chart->line[k].style == PM_CHART_SOLID;
	if (chart->line[i].style == PM_CHART_RANGE)
		return (struct pm_canvas_pen){ GREY, 1, 0.25, { 0 } };
	if (chart->line[i].style == PM_CHART_PART && number > 0)
		number--;
	pen.colour = colours[number % (sizeof colours / sizeof colours[0])];
	memcpy(pen.dash, dashes[number % PM_CHART_LINES], sizeof pen.dash);
	if (chart->line[i].style == PM_CHART_PART) {
		pen.width = 0.4;
		pen.dash[0] = 0.5;
		pen.dash[1] = 0.7;
		pen.dash[2] = 0;
	}
	return pen;
}

/* Where a cell of a line is on the axis of time: values are told at the end of their time where
 * they are levels, and stand for all of it else. */
static double time_of(const struct pm_chart_line *l, const struct pm_line_cell *x)
{
	return l->level && l->line->width == 0 ? x->to : (x->from + x->to) / 2;
}

/* Fill from the least to the greatest values of each run of cells without a gap. */
static void draw_band(struct pm_canvas *c, const struct plot *p, const struct pm_chart_line *l,
		      const struct pm_canvas_pen *pen)
{
	const struct pm_canvas_pen band = { pen->colour, 0.2, 0, { 0 } };
	const struct pm_line_cell *cell = l->line->cell;

	for (size_t i = 0, end; i < l->line->n; i = end) {
		bool any = false;

		for (end = i + 1; end < l->line->n && !cell[end].gap;)
			end++;
		for (size_t k = i; k < end; k++)
			any = any || cell[k].most > cell[k].least;
		if (!any)
			continue;
		pm_canvas_move(c, place_x(p, time_of(l, &cell[i])), place_y(p, cell[i].most));
		for (size_t k = i; k < end; k++)
			pm_canvas_line(c, place_x(p, time_of(l, &cell[k])),
				       place_y(p, cell[k].most));
		for (size_t k = end; k-- > i;)
			pm_canvas_line(c, place_x(p, time_of(l, &cell[k])),
				       place_y(p, cell[k].least));
		pm_canvas_fill(c, &band);
	}
}

static void draw_line(struct pm_canvas *c, const struct plot *p, const struct pm_chart_line *l,
		      const struct pm_canvas_pen *pen)
{
	const struct pm_line_cell *cell = l->line->cell;
	const size_t n = l->line->n;
	bool drawn = false;

	for (size_t i = 0; i < n; i++) {
		const double x = place_x(p, time_of(l, &cell[i]));
		const double y = place_y(p, pm_line_cell_mean(&cell[i]));

		if (i == 0 || cell[i].gap)
			pm_canvas_move(c, x, y);
		else
			pm_canvas_line(c, x, y);
	}
	pm_canvas_stroke(c, pen);
	/* A value between two gaps has no line. */
	for (size_t i = 0; i < n; i++) {
		const bool alone = (i == 0 || cell[i].gap) && (i + 1 == n || cell[i + 1].gap);

		if ((n > DOTS || l->style == PM_CHART_PART) && !alone)
			continue;
		pm_canvas_dot(c, place_x(p, time_of(l, &cell[i])),
			      place_y(p, pm_line_cell_mean(&cell[i])), n > DOTS ? 0.3 : 0.45);
		drawn = true;
	}
	if (drawn)
		pm_canvas_fill(c, pen);
}

/* The entries of the legend, in rows from the right. Returns its height. */
static double draw_legend(struct pm_canvas *c, const struct pm_chart *chart, double x, double y,
			  double width)
{
	const size_t in_row = width < LEGEND ? 1 : (size_t)(width / LEGEND);
	struct pm_canvas_font font = text_font;
	size_t n = 0;

	font.width = LEGEND - SAMPLE - 3;
	for (size_t i = 0; i < chart->lines; i++) {
		const struct pm_chart_line *l = &chart->line[i];
		struct pm_canvas_pen pen = pen_of(chart, i);
		const double left = x + LEGEND * (double)(n % in_row);
		const double middle = y + LINE_HEIGHT * (double)(n / in_row) - 0.9;

		if (!*l->name)
			continue;
		if (l->style == PM_CHART_RANGE) {
			const struct pm_canvas_pen band = { pen.colour, 0.2, 0, { 0 } };

			pm_canvas_rectangle(c, left, middle - 1, SAMPLE, 2);
			pm_canvas_fill(c, &band);
		}
		pen.width = 0.45;
		pm_canvas_move(c, left, middle);
		pm_canvas_line(c, left + SAMPLE, middle);
		pm_canvas_stroke(c, &pen);
		pm_canvas_text(c, &font, left + SAMPLE + 1, middle + 0.9, PM_CANVAS_LEFT, l->name);
		n++;
	}
	return LINE_HEIGHT * (double)((n + in_row - 1) / in_row);
}

/* Copy n bytes as a text, as far as there is room. */
static const char *take(char text[512], const char *from, size_t n)
{
	n = n < 511 ? n : 511;
	memcpy(text, from, n);
	text[n] = '\0';
	return text;
}

/* Write a text in lines of a width, broken at blanks. */
static void draw_words(struct pm_canvas *c, const struct pm_canvas_font *font, double x, double y,
		       double width, const char *text)
{
	char line[512];
	size_t fits = 0;

	for (;;) {
		const size_t blanks = strspn(text + fits, " ");
		const size_t next = fits + blanks + strcspn(text + fits + blanks, " ");

		if (next > fits &&
		    (fits == 0 || pm_canvas_width(c, font, take(line, text, next)) <= width)) {
			fits = next;
			continue;
		}
		pm_canvas_text(c, font, x, y, PM_CANVAS_LEFT, take(line, text, fits));
		if (next == fits)
			return;
		y += LINE_HEIGHT;
		text += fits + blanks;
		fits = 0;
	}
}

/* In place of a chart: a frame with the reason. */
static void draw_nothing(struct pm_canvas *c, const struct pm_chart *chart, double x, double y,
			 double width, double height)
{
	const struct pm_canvas_pen frame = { LIGHT, 1, 0.3, { 1, 1 } };

	pm_canvas_rectangle(c, x, y, width, height);
	pm_canvas_stroke(c, &frame);
	draw_words(c, &text_font, x + 4, y + 2 + LINE_HEIGHT, width - 8, chart->nothing);
}

void pm_chart_draw(struct pm_canvas *c, const struct pm_chart *chart, double x, double y,
		   double width, double height)
{
	struct pm_canvas_font figures = text_font, title = title_font;
	struct plot p = { .x = x + LEFT, .width = width - LEFT - 4 };

	title.width = width * 0.55;
	pm_canvas_text(c, &title, x, y + 3, PM_CANVAS_LEFT, chart->title);
	figures.width = width - pm_canvas_width(c, &title, chart->title) - 3;
	pm_canvas_text(c, &figures, x + width, y + 3, PM_CANVAS_RIGHT, chart->figures);
	y += 4.5;
	height -= 4.5;
	if (*chart->nothing) {
		draw_nothing(c, chart, x, y, width, fmin(height, 16));
		return;
	}
	p.y = y + 1.5 + draw_legend(c, chart, p.x, y + 3, p.width);
	p.height = y + height - BELOW - p.y;
	if (p.height < 8)
		p.height = 8;
	pm_ticks_time(&p.time, chart->from, chart->to);
	scale_values(&p, chart);
	draw_axes(c, &p, chart);
	pm_canvas_clip(c, p.x - 0.5, p.y - 0.5, p.width + 1, p.height + 1);
	for (size_t i = 0; i < chart->lines; i++) {
		const struct pm_canvas_pen pen = pen_of(chart, i);

		/* The bands of many lines would hide each other. */
		if (chart->lines <= 3 || chart->line[i].style == PM_CHART_RANGE)
			draw_band(c, &p, &chart->line[i], &pen);
	}
	for (size_t i = 0; i < chart->lines; i++) {
		const struct pm_canvas_pen pen = pen_of(chart, i);

		draw_line(c, &p, &chart->line[i], &pen);
	}
	pm_canvas_unclip(c);
}
