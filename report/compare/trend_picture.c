/* The picture of a trend: SVG without script or style of its own, in a page for a browser. */
#include "config.h"

#include "report/compare/trend.h"

#include "report/compare/change.h"
#include "report/figure.h"
#include "report/print/format.h"
#include "report/print/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The plane in units of its own: the browser stretches it to the page. EDGE stays free on all sides
 * for the dots. */
#define WIDTH  1000
#define HEIGHT 100
#define EDGE_X 8
#define EDGE_Y 6

/* Height of the picture, and of the line above the plane for what changed, in pixels of CSS. */
#define PIXELS 150
#define ABOVE  18

/* Changes that are nearer to the one before get no text of their own: a sixth of the width. */
#define TEXT_ROOM (WIDTH / 6)

/* Least values from which on, as a part of the most, the scale does not begin at 0. */
#define NEAR 0.5

/* Changes that are told in the text. */
#define TOLD 8

/* A figure over the runs. */
struct plane {
	const struct pm_trend *t;
	size_t k;
	size_t known;           /* runs whose value is known */
	double least, most;     /* of these */
	double bottom;          /* of the scale; its top is `most` */
	int64_t from_us, to_us; /* starts of the first and the last run; equal: runs are counted */
};

static void measure(struct plane *c)
{
	const struct pm_jobfeatures_job *job = &c->t->x->job[c->t->first];

	c->least = INFINITY;
	c->most = -INFINITY;
	for (size_t i = 0; i < c->t->jobs; i++) {
		const double v = pm_trend_value(c->t, i, c->k);

		if (!isfinite(v))
			continue;
		c->known++;
		c->least = fmin(c->least, v);
		c->most = fmax(c->most, v);
	}
	c->bottom = c->least > NEAR * c->most ? c->least : fmin(c->least, 0);
	/* In the order of their starts; those without one come first. */
	c->from_us = job[0].start_us;
	c->to_us = job[c->t->jobs - 1].start_us;
	if (c->from_us <= 0 || c->to_us < c->from_us)
		c->from_us = c->to_us = 0;
}

/* Where a run is, from left to right: by its start, else by its number. */
static double x_of(const struct plane *c, size_t i)
{
	const double wide = WIDTH - 2 * EDGE_X;

	if (c->to_us > c->from_us)
		return EDGE_X + wide *
					((double)(c->t->x->job[c->t->first + i].start_us) -
					 (double)c->from_us) /
					((double)c->to_us - (double)c->from_us);
	return c->t->jobs < 2 ? WIDTH / 2.0 : EDGE_X + wide * (double)i / (double)(c->t->jobs - 1);
}

static double y_of(const struct plane *c, double v)
{
	const double high = HEIGHT - 2 * EDGE_Y;

	if (!(c->most > c->bottom))
		return HEIGHT / 2.0;
	return HEIGHT - EDGE_Y - high * (v - c->bottom) / (c->most - c->bottom);
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of all values that are known; NaN: of none, or there is no memory. */
static double median_of(const struct plane *c)
{
	double *y = c->known ? malloc(c->known * sizeof *y) : NULL, median;
	size_t n = 0;

	if (!y)
		return NAN;
	for (size_t i = 0; i < c->t->jobs; i++) {
		const double v = pm_trend_value(c->t, i, c->k);

		if (isfinite(v))
			y[n++] = v;
	}
	qsort(y, n, sizeof *y, by_value);
	median = (y[(n - 1) / 2] + y[n / 2]) / 2;
	free(y);
	return median;
}

/* A line from value to value, interrupted where one is not known; a dot on each. */
static void draw_values(FILE *f, const struct plane *c)
{
	bool down = false;

	fputs("<path class=\"line\" d=\"", f);
	for (size_t i = 0; i < c->t->jobs; i++) {
		const double v = pm_trend_value(c->t, i, c->k);

		if (isfinite(v))
			fprintf(f, "%c%.1f %.1f", down ? 'L' : 'M', x_of(c, i), y_of(c, v));
		down = isfinite(v);
	}
	fputs("\"/>\n<path class=\"dots\" d=\"", f);
	for (size_t i = 0; i < c->t->jobs; i++) {
		const double v = pm_trend_value(c->t, i, c->k);

		if (isfinite(v))
			fprintf(f, "M%.1f %.1fh0", x_of(c, i), y_of(c, v));
	}
	fputs("\"/>\n", f);
}

/* The median of each level, from its first run to the one before the next level. */
static void draw_levels(FILE *f, const struct plane *c, double median)
{
	const struct pm_changepoint *change = c->t->of[c->k].change;
	const size_t n = c->t->of[c->k].changes;

	fputs("<path class=\"level\" d=\"", f);
	for (size_t i = 0; i <= n; i++) {
		const size_t first = i ? change[i - 1].at : 0,
			     last = i < n ? change[i].at : c->t->jobs - 1;
		const double v = i ? change[i - 1].after : n ? change[0].before : median;

		if (isfinite(v))
			fprintf(f, "M%.1f %.1fH%.1f", x_of(c, first), y_of(c, v), x_of(c, last));
	}
	fputs("\"/>\n<path class=\"change\" d=\"", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "M%.1f 0V%d", x_of(c, change[i].at), HEIGHT);
	fputs("\"/>\n", f);
}

static void write_changes(FILE *f, const struct plane *c)
{
	double before = -WIDTH;

	for (size_t i = 0; i < c->t->of[c->k].changes; i++) {
		const struct pm_changepoint *change = &c->t->of[c->k].change[i];
		const double x = x_of(c, change->at);
		char text[PM_FORMAT_MAX];

		if (x - before < TEXT_ROOM)
			continue;
		before = x;
		fprintf(f, "<text x=\"%.1f%%\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			100 * x / WIDTH, ABOVE - 6,
			x < WIDTH / 10.0         ? "start"
			: x > WIDTH - WIDTH / 10 ? "end"
						 : "middle",
			pm_change_format(text, pm_trend_change_size(change)));
	}
}

/* What the picture shows, in words. */
static void write_words(FILE *f, const struct plane *c, double median)
{
	const char *unit = c->t->x->feature[c->k]->unit;
	const size_t n = c->t->of[c->k].changes, unknown = c->t->jobs - c->known;
	char a[PM_FORMAT_MAX], b[PM_FORMAT_MAX];

	if (!c->known) {
		fputs("unknown of all runs.", f);
		return;
	}
	fprintf(f, "median %s, ", pm_figure_format(a, median, unit));
	fprintf(f, "from %s to %s", pm_figure_format(a, c->least, unit),
		pm_figure_format(b, c->most, unit));
	for (size_t i = 0; i < n && i < TOLD; i++) {
		const struct pm_changepoint *change = &c->t->of[c->k].change[i];

		fprintf(f, "; %s from run #%" PRId64 " on",
			pm_change_format(a, pm_trend_change_size(change)),
			c->t->x->job[c->t->first + change->at].id);
	}
	if (n > TOLD)
		fprintf(f, "; and %zu more changes", n - TOLD);
	else if (n == 0)
		fputs("; no change", f);
	if (unknown)
		fprintf(f, "; unknown of %s", pm_format_things(a, (int64_t)unknown, "run"));
	fputc('.', f);
}

static void draw_plane(FILE *f, const struct plane *c, double median)
{
	const char *title = pm_figure_title(c->t->x->feature[c->k]->name),
		   *unit = c->t->x->feature[c->k]->unit;
	char text[PM_FORMAT_MAX];

	fputs("<div class=\"plane\"><div class=\"scale\" aria-hidden=\"true\"><span>", f);
	fputs(pm_figure_format(text, c->most, unit), f);
	if (c->bottom < c->most) {
		fputs("</span><span>", f);
		fputs(c->bottom == 0 ? "0" : pm_figure_format(text, c->bottom, unit), f);
	}
	fprintf(f, "</span></div>\n<svg role=\"img\" width=\"100%%\" height=\"%d\" aria-label=\"",
		PIXELS);
	pm_html_text(f, title);
	fprintf(f, " of %s over time: ", pm_format_things(text, (int64_t)c->t->jobs, "run"));
	write_words(f, c, median);
	fprintf(f,
		"\">\n<svg y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"preserveAspectRatio=\"none\">\n",
		ABOVE, PIXELS - ABOVE, WIDTH, HEIGHT);
	draw_levels(f, c, median);
	draw_values(f, c);
	fputs("</svg>\n", f);
	write_changes(f, c);
	fputs("</svg></div>\n", f);
}

/* When the first and the last run began. */
static void write_ends(FILE *f, const struct plane *c)
{
	char text[PM_FORMAT_MAX];

	if (c->to_us <= c->from_us)
		return;
	fprintf(f, "<div class=\"ends\" aria-hidden=\"true\"><span>%s</span>",
		pm_format_minute(text, c->from_us));
	fprintf(f, "<span>%s</span></div>\n", pm_format_minute(text, c->to_us));
}

void pm_trend_picture(const struct pm_trend *t, const struct pm_page *p)
{
	bool any = false;

	fputs("<div class=\"trends\">\n", p->f);
	for (size_t k = 0; k < t->x->features; k++) {
		struct plane c = { .t = t, .k = k };
		double median;

		measure(&c);
		median = median_of(&c);
		fputs("<figure class=\"trend\">\n<figcaption><strong>", p->f);
		pm_html_text(p->f, pm_figure_title(t->x->feature[k]->name));
		fputs("</strong> <span>", p->f);
		write_words(p->f, &c, median);
		fputs("</span></figcaption>\n", p->f);
		if (c.known) {
			draw_plane(p->f, &c, median);
			write_ends(p->f, &c);
			any = true;
		}
		fputs("</figure>\n", p->f);
	}
	fputs("</div>\n", p->f);
	if (any)
		fputs("<p class=\"sub\">Dots are runs, from left to right by their starts; the "
		      "broad "
		      "line is the median of a level, a dashed one a change. The line between dots "
		      "ends where a value is not known.</p>\n",
		      p->f);
}
