/* Marks of axes. */
#include "config.h"

#include "report/draw/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* About so many marks on an axis of values, and of times. */
#define STEPS      5
#define TIME_STEPS 8

/* Most decades of an axis. */
#define DECADES 12

/* The prefix for values up to `most`: *factor gets its value. */
static const char *find_prefix(double most, enum pm_ticks_prefix kind, double *factor)
{
	static const char *const large[] = { "", "k", "M", "G", "T", "P", "E" };
	static const char *const binary[] = { "", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei" };
	static const char *const small[] = { "", "m", "\xc2\xb5", "n" };
	const double base = kind == PM_TICKS_BINARY ? 1024 : 1000;
	size_t i = 0;

	*factor = 1;
	most = fabs(most);
	if (kind == PM_TICKS_NONE || !(most > 0))
		return "";
	if (kind == PM_TICKS_SI && most < 0.9995) {
		for (; i < 3 && most / *factor < 0.9995; i++)
			*factor /= 1000;
		return small[i];
	}
	/* 999.95 is written as 1.00 of the next prefix. */
	for (; i < 6 && most / *factor >= base - (base == 1000 ? 0.5 : 0); i++)
		*factor *= base;
	return kind == PM_TICKS_BINARY ? binary[i] : large[i];
}

const char *pm_ticks_value(char *text, double v, struct pm_ticks_unit unit)
{
	double factor;
	const char *prefix = find_prefix(v, unit.prefix, &factor);
	double x = v / factor;
	int digits = fabs(x) >= 99.95 ? 0 : fabs(x) >= 9.995 ? 1 : 2;

	if (!isfinite(v))
		snprintf(text, PM_TICKS_LABEL, "unknown");
	else if (x == 0)
		snprintf(text, PM_TICKS_LABEL, "0%s%s", *unit.name ? " " : "", unit.name);
	else if (fabs(x) >= 1e7 || fabs(x) < 0.005)
		snprintf(text, PM_TICKS_LABEL, "%.3g%s%s%s", x, *prefix || *unit.name ? " " : "",
			 prefix, unit.name);
	else
		snprintf(text, PM_TICKS_LABEL, "%.*f%s%s%s", digits, x,
			 *prefix || *unit.name ? " " : "", prefix, unit.name);
	return text;
}

static void put(struct pm_ticks *t, double at, const char *label)
{
	if (t->n == PM_TICKS_MAX)
		return;
	t->tick[t->n].at = at;
	snprintf(t->tick[t->n].label, sizeof t->tick[t->n].label, "%s", label);
	t->n++;
}

/* The smallest of 1, 2 and 5 times a power of ten that is not below v. */
static double round_step(double v)
{
	const double power = pow(10, floor(log10(v)));
	const double x = v / power;

	return power * (x <= 1.0001 ? 1 : x <= 2.0001 ? 2 : x <= 5.0001 ? 5 : 10);
}

/* Digits behind the point that a multiple of the step needs. */
static int digits_of(double step)
{
	double digits = -floor(log10(step) + 1e-9);

	return digits < 0 ? 0 : digits > 9 ? 9 : (int)digits;
}

void pm_ticks_linear(struct pm_ticks *t, double least, double most, struct pm_ticks_unit unit)
{
	double factor, step, first, last;
	const char *prefix;

	memset(t, 0, sizeof *t);
	if (!isfinite(least) || !isfinite(most) || least > most)
		least = most = 0;
	least = fmin(least, 0);
	most = fmax(most, 0);
	if (most - least < 1e-30)
		most = 1;
	prefix = find_prefix(fmax(most, -least), unit.prefix, &factor);
	step = round_step((most - least) / factor / STEPS);
	first = floor(least / factor / step + 1e-9);
	last = ceil(most / factor / step - 1e-9);
	t->low = first * step * factor;
	t->high = last * step * factor;
	for (double i = first; i <= last; i++) {
		char label[PM_TICKS_LABEL];

		snprintf(label, sizeof label, "%.*f%s%s%s", i == 0 ? 0 : digits_of(step), i * step,
			 *prefix || *unit.name ? " " : "", prefix, unit.name);
		put(t, i * step * factor, label);
	}
}

void pm_ticks_log(struct pm_ticks *t, double positive, double most, struct pm_ticks_unit unit)
{
	double first, last, every;
	char label[PM_TICKS_LABEL];

	if (!(positive > 0) || !(most >= positive) || !isfinite(most)) {
		pm_ticks_linear(t, 0, 0, unit);
		return;
	}
	memset(t, 0, sizeof *t);
	t->log = true;
	last = ceil(log10(most) - 1e-9);
	first = floor(log10(positive) + 1e-9);
	if (last <= first)
		last = first + 1;
	if (last - first > DECADES)
		first = last - DECADES;
	t->floor = pow(10, first);
	t->high = pow(10, last);
	every = last - first > 6 ? 2 : 1;
	snprintf(label, sizeof label, "0%s%s", *unit.name ? " " : "", unit.name);
	put(t, 0, label);
	for (double i = first; i <= last; i++) {
		double factor;
		const char *prefix = find_prefix(pow(10, i), unit.prefix, &factor);
		const double x = pow(10, i) / factor;

		snprintf(label, sizeof label, "%.*f%s%s%s", digits_of(x), x,
			 *prefix || *unit.name ? " " : "", prefix, unit.name);
		put(t, pow(10, i), fmod(i - first, every) == 0 ? label : "");
		for (int k = 2; k < 10 && i < last; k++)
			put(t, k * pow(10, i), "");
	}
}

void pm_ticks_time(struct pm_ticks *t, double from, double to)
{
	static const struct {
		double seconds, from;
		const char *name;
		double step[8]; /* in this unit, 0 at the end */
	} scale[] = {
		{ 86400, 172800, "d", { 0.25, 0.5, 1, 2, 5, 10, 20, 0 } },
		{ 3600, 7200, "h", { 0.25, 0.5, 1, 2, 3, 6, 12, 0 } },
		{ 60, 120, "min", { 0.25, 0.5, 1, 2, 5, 10, 20, 0 } },
		{ 1, 0, "s", { 1, 2, 5, 10, 15, 20, 0 } },
	};
	double span = to - from, step;
	size_t i = 0, k = 0;

	memset(t, 0, sizeof *t);
	if (!(span > 0) || !isfinite(span)) {
		to = from + 1;
		span = 1;
	}
	t->low = from;
	t->high = to;
	while (span < scale[i].from)
		i++;
	snprintf(t->unit, sizeof t->unit, "%s", scale[i].name);
	while (scale[i].step[k] > 0 && span / scale[i].seconds / scale[i].step[k] > TIME_STEPS)
		k++;
	step = scale[i].step[k] > 0 ? scale[i].step[k] : 0;
	/* Days without end, and parts of a second. */
	if (step == 0 || (scale[i].seconds == 1 && span < 3))
		step = round_step(span / scale[i].seconds / TIME_STEPS);
	for (double n = ceil(from / scale[i].seconds / step - 1e-9);
	     n * step * scale[i].seconds <= to + span * 1e-9; n++) {
		char label[PM_TICKS_LABEL];

		snprintf(label, sizeof label, "%.10g", n == 0 ? 0 : n * step);
		put(t, n * step * scale[i].seconds, label);
	}
}

double pm_ticks_place(const struct pm_ticks *t, double v)
{
	double low, step;

	if (!t->log)
		return (v - t->low) / (t->high - t->low);
	/* 0 lies below the least decade, as far as a third of a decade. */
	low = log10(t->floor);
	step = 1 / (log10(t->high) - low + 1. / 3);
	if (v < t->floor)
		return v <= 0 ? 0 : step / 3 * v / t->floor;
	return (log10(v) - low + 1. / 3) * step;
}
