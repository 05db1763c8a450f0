/* Dates of a model, and the steps between them. */
#include "config.h"

#include "analysis/numbers/segments.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The last year that is counted to: a date has four digits of them. */
#define YEAR_MAX 9999

static int days_of_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Days since 1 March of the year 0, by which months have the same pattern every year. */
static long number_of(const struct pm_segment *s)
{
	const long year = s->month > 2 ? s->year : s->year - 1;
	const int month = (s->month + 9) % 12;

	return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + s->day - 1;
}

static int digits(const char *p, int n)
{
	int value = 0;

	for (int i = 0; i < n; i++)
		value = 10 * value + (p[i] - '0');
	return value;
}

bool pm_segment_parse(const char *text, struct pm_segment *s)
{
	const size_t n = strlen(text);

	if ((n != 4 && n != 6 && n != 8) || strspn(text, "0123456789") != n)
		return false;
	s->year = digits(text, 4);
	s->month = n > 4 ? digits(text + 4, 2) : 1;
	s->day = n > 6 ? digits(text + 6, 2) : 1;
	return s->year > 0 && s->month >= 1 && s->month <= 12 && s->day >= 1 &&
	       s->day <= days_of_month(s->year, s->month);
}

bool pm_segment_step_parse(const char *text, struct pm_segment_step *step)
{
	char *end;
	const long n = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : 0;

	*step = (struct pm_segment_step){ .years = 0 };
	if (n < 1 || n > 100000 || strlen(end) != 1)
		return false;
	switch (*end) {
	case 'y':
		step->years = (int)n;
		return true;
	case 'm':
		step->months = (int)n;
		return true;
	case 'd':
		step->days = (int)n;
		return true;
	default:
		return false;
	}
}

int pm_segment_compare(const struct pm_segment *a, const struct pm_segment *b)
{
	const long x = number_of(a), y = number_of(b);

	return (x > y) - (x < y);
}

struct pm_segment pm_segment_after(struct pm_segment s, struct pm_segment_step step, int steps)
{
	const int64_t months = 12 * (int64_t)s.year + s.month - 1 +
			       steps * (12 * (int64_t)step.years + step.months);
	int64_t left = (int64_t)steps * step.days;

	if (months / 12 > YEAR_MAX)
		return (struct pm_segment){ YEAR_MAX + 1, 1, 1 };
	s.year = (int)(months / 12);
	s.month = (int)(months % 12) + 1;
	if (s.day > days_of_month(s.year, s.month))
		s.day = days_of_month(s.year, s.month);
	while (left > 0 && s.year <= YEAR_MAX) {
		const int here = days_of_month(s.year, s.month) - s.day;

		if (left <= here) {
			s.day += (int)left;
			break;
		}
		left -= here + 1;
		s.day = 1;
		s.year += s.month == 12;
		s.month = s.month % 12 + 1;
	}
	return s;
}

static int divisor(int a, int b)
{
	while (b) {
		const int rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

bool pm_segment_step_of(const struct pm_segment *s, size_t n, struct pm_segment_step *step)
{
	bool months = true, days = true;
	int years = 0, of_months = 0, of_days = 0;

	for (size_t i = 1; i < n; i++) {
		months = months && s[i].month == s[0].month;
		days = days && s[i].day == s[0].day;
		years = divisor(years, s[i].year - s[0].year);
		of_months =
			divisor(of_months, 12 * (s[i].year - s[0].year) + s[i].month - s[0].month);
		of_days = divisor(of_days, (int)(number_of(&s[i]) - number_of(&s[0])));
	}
	*step = (struct pm_segment_step){ .years = 0 };
	if (days && months)
		step->years = years;
	else if (days)
		step->months = of_months;
	else
		step->days = of_days;
	return step->years + step->months + step->days > 0;
}
