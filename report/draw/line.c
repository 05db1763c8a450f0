/* Thin a quantity over time. */
#include "config.h"

#include "report/draw/line.h"

#include <math.h>
#include <stdlib.h>

/* Weight of a value of an instant, in seconds: it counts only where there are no others. */
#define INSTANT_S 1e-9

int pm_line_init(struct pm_line *l, size_t cells)
{
	*l = (struct pm_line){ .least = INFINITY, .most = -INFINITY, .room = cells };
	l->cell = malloc(cells * sizeof *l->cell);
	return l->cell ? 0 : -1;
}

void pm_line_free(struct pm_line *l)
{
	free(l->cell);
	l->cell = NULL;
	l->n = 0;
}

/* Whether a cell that ends at `to` may become part of `c`. */
static bool joins(const struct pm_line *l, const struct pm_line_cell *c,
		  const struct pm_line_cell *next)
{
	return next->to - c->from <= l->width && (!next->gap || next->from - c->to <= l->width / 2);
}

static void join(struct pm_line_cell *c, const struct pm_line_cell *next)
{
	c->to = next->to;
	c->least = fmin(c->least, next->least);
	c->most = fmax(c->most, next->most);
	c->sum += next->sum;
	c->weight += next->weight;
}

/* Merge cells until a quarter of the room is free. */
static void thin(struct pm_line *l)
{
	const double span = l->cell[l->n - 1].to - l->cell[0].from;

	l->width = fmax(l->width * 2, 2 * span / (double)l->room);
	for (;; l->width *= 2) {
		size_t n = 0;

		for (size_t i = 1; i < l->n; i++)
			if (joins(l, &l->cell[n], &l->cell[i]))
				join(&l->cell[n], &l->cell[i]);
			else
				l->cell[++n] = l->cell[i];
		l->n = n + 1;
		if (l->n <= l->room - l->room / 4)
			return;
		/* Values of one instant, however many, are one cell at any width. */
		if (!(l->width > 0))
			l->width = INSTANT_S;
	}
}

void pm_line_gap(struct pm_line *l)
{
	l->gap = true;
}

void pm_line_add(struct pm_line *l, double from, double to, double least, double mean, double most)
{
	struct pm_line_cell c = { from, to, least, most, 0, fmax(to - from, INSTANT_S), false };

	if (!isfinite(least) || !isfinite(mean) || !isfinite(most) || !(to >= from)) {
		pm_line_gap(l);
		return;
	}
	c.sum = mean * c.weight;
	c.gap = l->gap && l->n > 0;
	l->gap = false;
	l->values++;
	l->least = fmin(l->least, least);
	l->most = fmax(l->most, most);
	l->sum += c.sum;
	l->weight += c.weight;
	if (c.gap) {
		l->gaps++;
		l->gap_s += fmax(from - l->cell[l->n - 1].to, 0);
	}
	if (l->n > 0 && l->width > 0 && joins(l, &l->cell[l->n - 1], &c)) {
		join(&l->cell[l->n - 1], &c);
		return;
	}
	if (l->n == l->room)
		thin(l);
	l->cell[l->n++] = c;
}

double pm_line_cell_mean(const struct pm_line_cell *c)
{
	/* Rounding must not bring the mean out of its range. */
	return fmin(fmax(c->sum / c->weight, c->least), c->most);
}

double pm_line_mean(const struct pm_line *l)
{
	return l->weight > 0 ? fmin(fmax(l->sum / l->weight, l->least), l->most) : NAN;
}
