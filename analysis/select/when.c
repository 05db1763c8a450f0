/* Times as people write them. */
#include "config.h"

#include "analysis/select/when.h"

#include "common/settings/config_parse.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000)
#define DAY    86400

/* Read exactly n digits, up to a limit. Returns whether they are there. */
static bool digits(const char **p, int n, int most, int *value)
{
	*value = 0;
	for (int i = 0; i < n; i++, (*p)++) {
		if (!isdigit((unsigned char)**p))
			return false;
		*value = 10 * *value + (**p - '0');
	}
	return *value <= most;
}

static bool is_next(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* Read up to six digits behind a decimal point; further ones are passed over. */
static bool fraction(const char **p, int64_t *us)
{
	int64_t unit = SECOND / 10;

	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p); (*p)++, unit /= 10)
		*us += unit * (**p - '0');
	return true;
}

/* Read Z or +01:00; east of Greenwich is positive, in seconds. */
static bool zone(const char **p, int *offset)
{
	const int sign = **p == '-' ? -1 : 1;
	int hours, minutes = 0;

	*offset = 0;
	if (is_next(p, 'Z'))
		return true;
	if (!is_next(p, '+') && !is_next(p, '-'))
		return false;
	if (!digits(p, 2, 14, &hours))
		return false;
	if (**p && (is_next(p, ':'), !digits(p, 2, 59, &minutes)))
		return false;
	*offset = sign * (3600 * hours + 60 * minutes);
	return true;
}

/* What a local clock shows at a time, as seconds that grow with it. */
static int64_t shown(time_t at)
{
	struct tm tm;

	return localtime_r(&at, &tm) ? timegm(&tm) : INT64_MIN;
}

/*
 * Microseconds since 1970 at which a local clock shows a time, whose fields may be out of range;
 * the first of them where it does so twice, as clocks are set back. Where it never does, as they
 * are set forward, the moment at which they are. Returns whether there is any.
 */
static bool local(const struct tm *tm, int64_t *us)
{
	struct tm copy = *tm;
	const int64_t wanted = timegm(&copy);
	time_t first = 0, before, after = 0;
	bool any = false, found = false;

	for (int dst = -1; dst <= 1; dst++) {
		time_t at;

		copy = *tm;
		copy.tm_isdst = dst;
		/* -1 is also a time; this field is written only where mktime() succeeds. */
		copy.tm_wday = -1;
		at = mktime(&copy);
		if (copy.tm_wday < 0)
			continue;
		any = true;
		after = at + DAY;
		if (shown(at) == wanted && (!found || at < first)) {
			first = at;
			found = true;
		}
	}
	/* The clock shows less than it before the moment, and more from then on. */
	for (before = after - 2 * DAY; any && !found && after - before > 1;) {
		const time_t middle = before + (after - before) / 2;

		*(shown(middle) > wanted ? &after : &before) = middle;
	}
	*us = (int64_t)(found ? first : after) * SECOND;
	return any;
}

/* Whether there is such a day: 31 February is one of March. */
static bool is_day(const struct tm *tm)
{
	struct tm copy = *tm;

	timegm(&copy);
	return copy.tm_mon == tm->tm_mon && copy.tm_mday == tm->tm_mday;
}

/* Read a date, and a time of day behind it. */
static bool date(const char *p, int64_t *us)
{
	struct tm tm = { .tm_isdst = -1 };
	int year, month, day, offset;
	int64_t part = 0;

	if (!digits(&p, 4, 9999, &year) || !is_next(&p, '-') || !digits(&p, 2, 12, &month) ||
	    !is_next(&p, '-') || !digits(&p, 2, 31, &day) || month < 1 || day < 1)
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = day;
	if (*p == 'T' || *p == ' ') {
		p++;
		if (!digits(&p, 2, 23, &tm.tm_hour) || !is_next(&p, ':') ||
		    !digits(&p, 2, 59, &tm.tm_min))
			return false;
		if (is_next(&p, ':') &&
		    (!digits(&p, 2, 59, &tm.tm_sec) || (is_next(&p, '.') && !fraction(&p, &part))))
			return false;
	}
	if (!is_day(&tm))
		return false;
	if (!*p) {
		if (!local(&tm, us))
			return false;
		*us += part;
	} else {
		if (!zone(&p, &offset) || *p)
			return false;
		*us = (int64_t)timegm(&tm) * SECOND - offset * SECOND + part;
	}
	return true;
}

static bool seconds(const char *p, int64_t *us)
{
	char *end;
	long long whole;
	int64_t part = 0;

	if (!isdigit((unsigned char)*p) || strlen(p) > 20)
		return false;
	whole = strtoll(p, &end, 10);
	p = end;
	if (whole > INT64_MAX / SECOND / 2 || (is_next(&p, '.') && !fraction(&p, &part)))
		return false;
	*us = whole * SECOND + part;
	return *p == '\0';
}

/* The midnight that began this day, or the day before. */
static bool midnight(int64_t now_us, int days, int64_t *us)
{
	const time_t now = (time_t)(now_us / SECOND);
	struct tm tm;

	if (!localtime_r(&now, &tm))
		return false;
	tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
	tm.tm_mday -= days;
	return local(&tm, us);
}

static bool parse(const char *text, int64_t now_us, int64_t *us)
{
	struct pm_err ignored;

	if (strcmp(text, "now") == 0) {
		*us = now_us;
		return true;
	}
	if (strcmp(text, "today") == 0 || strcmp(text, "yesterday") == 0)
		return midnight(now_us, *text == 'y', us);
	if (*text == '@')
		return seconds(text + 1, us);
	if (*text == '-') {
		/* 7 of what? */
		if (pm_duration_parse(text + 1, us, &ignored) < 0 ||
		    isdigit((unsigned char)text[strlen(text) - 1]))
			return false;
		*us = now_us - *us;
		return true;
	}
	return date(text, us);
}

int pm_when_parse(const char *text, int64_t now_us, int64_t *us, struct pm_err *e)
{
	if (parse(text, now_us, us))
		return 0;
	return pm_err(e,
		      "'%s' is not a time such as 2026-11-20, 2026-11-20T08:00, yesterday or -7d",
		      text);
}
