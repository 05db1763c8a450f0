/* Combine lines. */
#include "config.h"

#include "report/draw/combine.h"

#include "common/grow.h"

#include <math.h>
#include <stdlib.h>

/* A line is known in a step if it covers this share of it. */
#define COVERED 0.5

/* Most steps: of lines, and between them. */
#define STEPS_MAX 16384

static bool add_step(struct pm_combine *c, double from, double to)
{
	if (c->n == STEPS_MAX)
		return true;
	if (!PM_GROW(c->cell, c->n, c->room, 64))
		return false;
	c->cell[c->n++] = (struct pm_combine_cell){ from, to, 0, INFINITY, -INFINITY, 0 };
	return true;
}

/* Add steps of about `width` between two times. */
static bool fill(struct pm_combine *c, double from, double to, double width)
{
	double n = width > 0 ? floor((to - from) / width + 0.5) : 0;

	n = fmin(n, STEPS_MAX);
	for (double i = 0; i < n; i++)
		if (!add_step(c, from + (to - from) * i / n, from + (to - from) * (i + 1) / n))
			return false;
	return true;
}

int pm_combine_begin(struct pm_combine *c, const struct pm_line *steps, double from, double to)
{
	double width = 0;
	size_t spans = 0;

	*c = (struct pm_combine){ .cell = NULL };
	for (size_t i = 0; i < steps->n; i++)
		if (steps->cell[i].to > steps->cell[i].from) {
			width += steps->cell[i].to - steps->cell[i].from;
			spans++;
		}
	width = spans ? width / (double)spans : 0;
	for (size_t i = 0; i < steps->n; i++) {
		const struct pm_line_cell *x = &steps->cell[i];

		if (x->from > from && !fill(c, from, x->from, width))
			return -1;
		/* An instant stands for no time, unless there is nothing else. */
		if ((x->to > x->from || !spans) && !add_step(c, x->from, x->to))
			return -1;
		from = fmax(from, x->to);
	}
	return from < to && !fill(c, from, to, width) ? -1 : 0;
}

void pm_combine_add(struct pm_combine *c, const struct pm_line *l)
{
	size_t first = 0;

	c->lines++;
	c->width = fmax(c->width, l->width);
	for (size_t i = 0; i < c->n; i++) {
		struct pm_combine_cell *x = &c->cell[i];
		const double length = x->to - x->from;
		double sum = 0, weight = 0, mean;

		while (first < l->n && l->cell[first].to < x->from)
			first++;
		for (size_t k = first; k < l->n && l->cell[k].from <= x->to; k++) {
			const struct pm_line_cell *y = &l->cell[k];
			double share = fmin(x->to, y->to) - fmax(x->from, y->from);

			if (length == 0)
				share = 1;
			if (share <= 0)
				continue;
			sum += share * pm_line_cell_mean(y);
			weight += share;
		}
		if (weight <= 0 || weight < COVERED * length)
			continue;
		mean = sum / weight;
		x->sum += mean;
		x->least = fmin(x->least, mean);
		x->most = fmax(x->most, mean);
		x->known++;
	}
}

static int prepare(const struct pm_combine *c, struct pm_line *l)
{
	return pm_line_init(l, c->n < 8 ? 8 : c->n);
}

int pm_combine_end(const struct pm_combine *c, bool average, struct pm_line *whole,
		   struct pm_line *part)
{
	*part = (struct pm_line){ .cell = NULL };
	if (prepare(c, whole) < 0 || prepare(c, part) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		const struct pm_combine_cell *x = &c->cell[i];
		const bool all = x->known == c->lines;
		const double v = average && x->known ? x->sum / (double)x->known : x->sum;

		if (all || x->known == 0)
			pm_line_gap(part);
		if (!all)
			pm_line_gap(whole);
		if (x->known)
			pm_line_add(all ? whole : part, x->from, x->to, v, v, v);
	}
	whole->width = part->width = c->width;
	return 0;
}

int pm_combine_range(const struct pm_combine *c, struct pm_line *range)
{
	if (prepare(c, range) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++) {
		const struct pm_combine_cell *x = &c->cell[i];

		if (x->known)
			pm_line_add(range, x->from, x->to, x->least, x->sum / (double)x->known,
				    x->most);
		else
			pm_line_gap(range);
	}
	range->width = c->width;
	return 0;
}

void pm_combine_free(struct pm_combine *c)
{
	free(c->cell);
	c->cell = NULL;
}
