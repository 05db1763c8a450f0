/* Numbers of pickles, and the constructors of data: datetimes and time zones. */
#include "config.h"

#include "submit/foreign/pickle.h"

#include "submit/foreign/pickle_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int pm_pickle_number(struct pm_pickle_value *v, int op, const char *line, size_t n)
{
	char text[64], *end;

	memset(v, 0, sizeof *v);
	if (n == 2 && op == 'I' && line[0] == '0' && (line[1] == '0' || line[1] == '1')) {
		v->type = PM_PICKLE_BOOL;
		v->u.truth = line[1] == '1';
		return 0;
	}
	if (n > 0 && op == 'L' && line[n - 1] == 'L')
		n--;
	if (n == 0 || n >= sizeof text || memchr(line, '\0', n))
		return -1;
	memcpy(text, line, n);
	text[n] = '\0';
	errno = 0;
	if (op != 'F') {
		v->type = PM_PICKLE_INT;
		v->u.number = strtoll(text, &end, 10);
		if (*end == '\0' && errno == 0)
			return 0;
	}
	v->type = PM_PICKLE_FLOAT;
	v->u.real = strtod(text, &end);
	return *end == '\0' ? 0 : -1;
}

void pm_pickle_long(struct pm_pickle_value *v, const unsigned char *s, size_t n)
{
	bool negative = n && s[n - 1] & 0x80;
	uint64_t bits = negative ? UINT64_MAX : 0;

	memset(v, 0, sizeof *v);
	if (n <= 8) {
		v->type = PM_PICKLE_INT;
		for (size_t i = n; i > 0; i--)
			bits = bits << 8 | s[i - 1];
		v->u.number = (int64_t)bits;
		return;
	}
	/* No caller needs the exact value. */
	v->type = PM_PICKLE_FLOAT;
	v->u.real = negative ? -INFINITY : INFINITY;
}

enum constructor { DATETIME, TIMEDELTA, TIMEZONE, ENCODE, PYTZ, PYTZ_UTC, ZONEINFO };

int pm_pickle_name(struct pm_pickle_value *v, const char *module, size_t module_n, const char *what,
		   size_t n)
{
	static const struct {
		const char *module, *name;
		enum constructor is;
	} known[] = {
		{ "datetime", "datetime", DATETIME },
		{ "datetime", "timedelta", TIMEDELTA },
		{ "datetime", "timezone", TIMEZONE },
		/* Protocols before 3 write the bytes of a datetime this way. */
		{ "_codecs", "encode", ENCODE },
		{ "pytz", "_p", PYTZ },
		{ "pytz", "_UTC", PYTZ_UTC },
		{ "zoneinfo", "ZoneInfo._unpickle", ZONEINFO },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i].module) == module_n && strlen(known[i].name) == n &&
		    memcmp(known[i].module, module, module_n) == 0 &&
		    memcmp(known[i].name, what, n) == 0) {
			memset(v, 0, sizeof *v);
			v->type = PM_PICKLE_NAME;
			v->u.number = known[i].is;
			return 0;
		}
	return -1;
}

/* Arguments of a constructor: at most four. */
struct arguments {
	const struct pm_pickle_value *v[4];
	uint32_t at[4];
	size_t count;
};

static int is_type(const struct arguments *a, size_t i, enum pm_pickle_type type)
{
	return i < a->count && a->v[i]->type == type;
}

/* Days since 1970 of a date of the Gregorian calendar (Hinnant, days_from_civil). */
static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - (month <= 2), era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* Build a datetime from ten bytes, and perhaps a zone. Returns 0 or -1. */
static int make_datetime(struct pm_pickle_value *v, const struct arguments *a)
{
	const unsigned char *s;

	if (!is_type(a, 0, PM_PICKLE_BYTES) && !is_type(a, 0, PM_PICKLE_TEXT))
		return -1;
	if (a->v[0]->u.text.n != 10 || a->count > 2 ||
	    (a->count == 2 && !is_type(a, 1, PM_PICKLE_ZONE)))
		return -1;
	s = (const unsigned char *)a->v[0]->u.text.p;
	/* The high bit of the month is Python's "fold": it tells apart the two equal local times at
	 * the end of daylight saving time. */
	if ((s[0] << 8 | s[1]) < 1 || (s[0] << 8 | s[1]) > 9999 || (s[2] & 0x7f) < 1 ||
	    (s[2] & 0x7f) > 12 || s[3] < 1 || s[3] > 31 || s[4] > 23 || s[5] > 59 || s[6] > 59 ||
	    (s[7] << 16 | s[8] << 8 | s[9]) > 999999)
		return -1;
	v->type = PM_PICKLE_TIME;
	v->u.number =
		((days_since_1970(s[0] << 8 | s[1], s[2] & 0x7f, s[3]) * 24 + s[4]) * 60 + s[5]) *
		60;
	v->u.number = (v->u.number + s[6]) * 1000000 + (s[7] << 16 | s[8] << 8 | s[9]);
	if (a->count == 2) {
		v->status = a->v[1]->status;
		v->offset_us = a->v[1]->offset_us;
		v->first = a->v[1]->first;
	}
	return 0;
}

/* Build a timedelta from days, seconds and microseconds. Returns 0, or -1 beyond the ranges that
 * Python itself writes. */
static int make_timedelta(struct pm_pickle_value *v, const struct arguments *a)
{
	static const int64_t unit[] = { 86400000000, 1000000, 1 };

	if (a->count > 3)
		return -1;
	v->type = PM_PICKLE_DELTA;
	for (size_t i = 0; i < a->count; i++) {
		if (!is_type(a, i, PM_PICKLE_INT) || a->v[i]->u.number > 1000000 ||
		    a->v[i]->u.number < -1000000)
			return -1;
		v->u.number += a->v[i]->u.number * unit[i];
	}
	return 0;
}

/* Build a zone with an offset from UTC. Returns 0 or -1. */
static int make_offset_zone(struct pm_pickle_value *v, int64_t us)
{
	if (us <= -86400000000 || us >= 86400000000)
		return -1;
	v->type = PM_PICKLE_ZONE;
	v->status = PM_PICKLE_OFFSET;
	v->offset_us = us;
	return 0;
}

/* Build a zone with a name only. */
static int make_named_zone(struct pm_pickle_value *v, uint32_t text)
{
	v->type = PM_PICKLE_ZONE;
	v->status = PM_PICKLE_NAMED;
	v->first = text;
	return 0;
}

/* Encode a text in Latin-1; the result is never longer. Returns 0 or -1. */
static int encode_latin1(struct pm_pickle *p, struct pm_pickle_value *v, const struct arguments *a)
{
	const unsigned char *s, *end;
	char *to;
	size_t n;

	if (!is_type(a, 0, PM_PICKLE_TEXT) || !is_type(a, 1, PM_PICKLE_TEXT) || a->count != 2 ||
	    a->v[1]->u.text.n != 6 || memcmp(a->v[1]->u.text.p, "latin1", 6) != 0)
		return -1;
	s = (const unsigned char *)a->v[0]->u.text.p;
	end = s + a->v[0]->u.text.n;
	to = pm_pickle_copy(p, (const char *)s, (size_t)(end - s));
	if (!to)
		return -1;
	for (n = 0; s < end; n++) {
		if (*s < 0x80) {
			to[n] = (char)*s++;
		} else if ((*s & 0xfc) == 0xc0 && s + 1 < end && (s[1] & 0xc0) == 0x80) {
			to[n] = (char)((*s & 3) << 6 | (s[1] & 0x3f));
			s += 2;
		} else {
			return -1;
		}
	}
	v->type = PM_PICKLE_BYTES;
	v->u.text.p = to;
	v->u.text.n = n;
	return 0;
}

int pm_pickle_construct(struct pm_pickle *p, struct pm_pickle_value *v, uint32_t constructor,
			uint32_t arguments)
{
	const struct pm_pickle_value *name = &p->value[constructor], *list = &p->value[arguments];
	struct arguments a = { .count = 0 };

	memset(v, 0, sizeof *v);
	if (name->type != PM_PICKLE_NAME || list->type != PM_PICKLE_LIST || list->u.count > 4)
		return -1;
	for (uint32_t i = list->first; i != PM_PICKLE_NONE; i = p->item[i].next) {
		a.at[a.count] = p->item[i].value;
		a.v[a.count++] = &p->value[p->item[i].value];
	}
	switch ((enum constructor)name->u.number) {
	case DATETIME:
		return make_datetime(v, &a);
	case TIMEDELTA:
		return make_timedelta(v, &a);
	case TIMEZONE:
		return is_type(&a, 0, PM_PICKLE_DELTA) && a.count <= 2
			       ? make_offset_zone(v, a.v[0]->u.number)
			       : -1;
	case ENCODE:
		return encode_latin1(p, v, &a);
	case PYTZ:
		/* Arguments: name, seconds ahead of UTC, seconds of daylight saving time in that,
		 * abbreviation. */
		if (a.count == 1 && is_type(&a, 0, PM_PICKLE_TEXT))
			return make_named_zone(v, a.at[0]);
		return is_type(&a, 1, PM_PICKLE_INT) && a.v[1]->u.number > -86400 &&
				       a.v[1]->u.number < 86400
			       ? make_offset_zone(v, a.v[1]->u.number * 1000000)
			       : -1;
	case PYTZ_UTC:
		return a.count == 0 ? make_offset_zone(v, 0) : -1;
	case ZONEINFO:
		return is_type(&a, 0, PM_PICKLE_TEXT) ? make_named_zone(v, a.at[0]) : -1;
	}
	return -1;
}
