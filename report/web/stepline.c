/* A quantity over the steps of a page's time. */
#include "config.h"

#include "report/web/stepline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int pm_stepline_init(struct pm_stepline *l, size_t n, double step_us)
{
	l->step = calloc(n ? n : 1, sizeof *l->step);
	l->n = n;
	l->step_us = step_us;
	return l->step ? 0 : -1;
}

void pm_stepline_clear(struct pm_stepline *l)
{
	memset(l->step, 0, l->n * sizeof *l->step);
}

/* Clip a span to the steps. Returns whether something of it is left, with the first and the last
 * step. */
static bool clip(const struct pm_stepline *l, double *from, double *to, size_t *first, size_t *last)
{
	const double end = (double)l->n * l->step_us;

	if (*from < 0)
		*from = 0;
	if (*to > end)
		*to = end;
	if (!(*to > *from))
		return false;
	*first = (size_t)(*from / l->step_us);
	*last = (size_t)(*to / l->step_us);
	if (*last >= l->n)
		*last = l->n - 1;
	return *first < l->n;
}

void pm_stepline_add(struct pm_stepline *l, double from, double to, double mean, double least,
		     double most)
{
	size_t first, last;

	if (!clip(l, &from, &to, &first, &last))
		return;
	for (size_t i = first; i <= last; i++) {
		double a = fmax(from, (double)i * l->step_us);
		double b = fmin(to, (double)(i + 1) * l->step_us);
		struct pm_step *s = &l->step[i];

		if (!(b > a))
			continue;
		if (!(s->us > 0) || least < s->least)
			s->least = least;
		if (!(s->us > 0) || most > s->most)
			s->most = most;
		s->sum += mean * (b - a);
		s->us += b - a;
	}
}

void pm_stepline_unknown(struct pm_stepline *l, double from, double to, int reason)
{
	size_t first, last;

	if (clip(l, &from, &to, &first, &last))
		for (size_t i = first; i <= last; i++)
			l->step[i].reason = reason;
}

void pm_stepline_sum(struct pm_stepline *to, const struct pm_stepline *from, bool first)
{
	for (size_t i = 0; i < to->n; i++) {
		struct pm_step *s = &to->step[i];
		const double a = pm_stepline_mean(s), b = pm_stepline_mean(&from->step[i]);

		if (first) {
			*s = from->step[i];
			continue;
		}
		if (!(s->us > 0) || !(from->step[i].us > 0)) {
			s->us = 0;
			continue;
		}
		s->sum = (a + b) * s->us;
		s->least += from->step[i].least;
		s->most += from->step[i].most;
	}
}

double pm_stepline_mean(const struct pm_step *s)
{
	double mean = s->us > 0 ? s->sum / s->us : NAN;

	/* Sums round: a mean is not outside of its values. */
	return isnan(mean) ? NAN : fmin(fmax(mean, s->least), s->most);
}
