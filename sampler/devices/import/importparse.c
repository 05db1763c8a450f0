/* Lines of values that are imported. */
#include "config.h"

#include "sampler/devices/import/importparse.h"

#include <stdio.h>
#include <string.h>

void pm_importparse_put(const struct pm_importtext *t, const char *name, const char *number,
			const struct pm_importunit *unit, bool counter)
{
	const enum pm_importmetric metric = counter ? unit->counter : unit->gauge;
	int64_t value;

	if (!*name || strlen(name) >= PM_IMPORT_NAME_MAX) {
		t->take->refuse(t->take->arg, "name too long, or none", name);
		return;
	}
	switch (pm_importvalue_number(number, unit, &value)) {
	case PM_IMPORTNUMBER_KNOWN:
		t->take->value(t->take->arg, name, metric, value);
		break;
	case PM_IMPORTNUMBER_NONE:
		t->take->unknown(t->take->arg, name, metric, PM_REASON_absent);
		break;
	case PM_IMPORTNUMBER_RANGE:
		t->take->refuse(t->take->arg, "number too large", name);
		t->take->unknown(t->take->arg, name, metric, PM_REASON_parse);
		break;
	case PM_IMPORTNUMBER_TEXT:
		t->take->refuse(t->take->arg, "no number", name);
	}
}

/* "# TYPE NAME KIND" tells of the lines behind it; other comments nothing. */
static void take_comment(struct pm_importtext *t, const char *line)
{
	char kind[16], name[PM_IMPORT_NAME_MAX];

	if (sscanf(line, "# TYPE %199s %15s", name, kind) != 2)
		return;
	memcpy(t->family, name, sizeof name);
	t->counts = strcmp(kind, "counter") == 0;
}

/* End the name, which may have labels with blanks in them, and return what follows. */
static char *end_name(char *line, size_t *length)
{
	bool quoted = false, labels = false;
	char *p = line;

	*length = 0;
	for (; *p && (labels || (*p != ' ' && *p != '\t')); p++) {
		if (*p == '{' && !labels) {
			labels = true;
			*length = (size_t)(p - line);
		} else if (*p == '"') {
			quoted = !quoted;
		} else if (quoted && *p == '\\' && p[1]) {
			p++;
		} else if (*p == '}' && !quoted) {
			labels = false;
		}
	}
	if (!*length)
		*length = (size_t)(p - line);
	if (*p)
		*p++ = '\0';
	return p;
}

static bool ends_in_total(const char *name, size_t n)
{
	return n > 6 && memcmp(name + n - 6, "_total", 6) == 0;
}

static bool is_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789+-.eE")] && *word != 'e' && *word != 'E';
}

/* A number alone, or with its unit. */
static bool take_power(const struct pm_importtext *t, const char *line)
{
	const struct pm_importunit *unit = NULL;
	char number[64], name[16] = "W", more;
	const int n = sscanf(line, "%63s %15s %c", number, name, &more);

	if (!t->power || n < 1 || n > 2 || !is_number(number))
		return false;
	unit = pm_importvalue_unit(name);
	if (!unit || unit->gauge != PM_IMPORT_POWER)
		t->take->refuse(t->take->arg, "no unit of power", name);
	else
		pm_importparse_put(t, "node", number, unit, false);
	return true;
}

/* NAME VALUE [UNIT [KIND]] or NAME VALUE TIME. */
static void take_plain(const struct pm_importtext *t, char *line)
{
	size_t length;
	const char *words[3] = { "", "", "" };
	char *rest = end_name(line, &length), *save;
	const struct pm_importunit *unit;
	bool counter = ends_in_total(line, length);
	size_t n = 0;

	for (char *w = strtok_r(rest, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
		if (n == 3) {
			t->take->refuse(t->take->arg, "not NAME VALUE UNIT", line);
			return;
		}
		words[n++] = w;
	}
	if (n == 0) {
		t->take->refuse(t->take->arg, "not NAME VALUE UNIT", line);
		return;
	}
	if (n == 1 || (n == 2 && is_number(words[1]))) {
		unit = pm_importvalue_suffix(line, length);
		if (length == strlen(t->family) && memcmp(t->family, line, length) == 0)
			counter = t->counts;
	} else {
		unit = pm_importvalue_unit(words[1]);
		if (n == 3 && strcmp(words[2], "counter") != 0 && strcmp(words[2], "gauge") != 0) {
			t->take->refuse(t->take->arg, "neither counter nor gauge", words[2]);
			return;
		}
		if (n == 3)
			counter = words[2][0] == 'c';
	}
	if (!unit)
		t->take->refuse(t->take->arg, "unit not known", words[1]);
	else
		pm_importparse_put(t, line, words[0], unit, counter);
}

static void take_line(struct pm_importtext *t, char *line)
{
	static bool (*const forms[])(struct pm_importtext *,
				     char *) = { pm_importforms_mmpmon, pm_importforms_beegfs,
						 pm_importforms_perfquery, pm_importforms_sensor,
						 pm_importforms_key };

	/* BeeGFS writes such lines between its intervals. */
	if (strncmp(line, "=====", 5) == 0)
		return;
	if (*line == '#') {
		if (!pm_importforms_port(t, line))
			take_comment(t, line);
		return;
	}
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (forms[i](t, line))
			return;
	if (!take_power(t, line))
		take_plain(t, line);
}

/* Whether a line consists of printable ASCII and tabs, as all these forms do. The tabs become
 * blanks, as they may be in the labels of a name. */
static bool make_plain(char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (line[i] == '\t')
			line[i] = ' ';
		else if (line[i] < ' ' || line[i] > '~')
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

void pm_importparse_text(char *text, size_t n, bool power, const struct pm_importtake *take)
{
	struct pm_importtext t = { .take = take, .power = power };
	char *end = text + n, *next;

	for (char *p = text; p < end; p++) {
		if (*p == '{') {
			pm_importforms_capmc(&t, p, (size_t)(end - p));
			return;
		}
		if (!is_blank(*p) && *p != '\n')
			break;
	}
	for (char *p = text; p < end; p = next) {
		char *stop = memchr(p, '\n', (size_t)(end - p));

		stop = stop ? stop : end;
		next = stop + 1;
		while (p < stop && is_blank(*p))
			p++;
		while (stop > p && is_blank(stop[-1]))
			stop--;
		*stop = '\0';
		if (p == stop)
			continue;
		if (make_plain(p, (size_t)(stop - p)))
			take_line(&t, p);
		else
			take->refuse(take->arg, "characters that are not printable", "");
	}
	pm_importforms_end(&t);
}
