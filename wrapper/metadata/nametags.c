/* Translate name patterns into regular expressions, with a group for each field. */
#include "config.h"

#include "wrapper/metadata/nametags.h"

#include "wrapper/metadata/metadata.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most fields of a pattern. */
#define FIELDS 16

/* Longest pattern, and longest name that is matched. */
#define PATTERN_MAX 1024

struct pattern {
	char regex[3 * PATTERN_MAX];
	size_t n;
	char field[FIELDS][64];
	size_t fields;
};

static void add_text(struct pattern *p, const char *text, size_t n)
{
	/* The regular expression has room for every text: a byte of a pattern adds at most two
	 * bytes, and a field four more. */
	memcpy(p->regex + p->n, text, n);
	p->n += n;
	p->regex[p->n] = '\0';
}

static int report_bad(char bad[256], const char *why, const char *pattern, size_t n)
{
	snprintf(bad, 256, "%s in '%.*s'", why, n < 180 ? (int)n : 180, pattern);
	return -1;
}

/* Find the } of the field that begins at p, or NULL. A regular expression may have pairs of braces.
 */
static const char *field_end(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		depth += (*p == '{') - (*p == '}');
		if (depth == 0)
			return p;
	}
	return NULL;
}

/* Add one field, from its { to its }. Returns 0 or -1 with bad filled. */
static int add_field(struct pattern *p, const char *field, const char *end, char bad[256])
{
	const char *name = field + 1, *colon = memchr(name, ':', (size_t)(end - name));
	size_t n = (size_t)((colon ? colon : end) - name);

	if (n == 0 || n >= sizeof p->field[0] || p->fields == FIELDS)
		return report_bad(bad, n ? "too many or overlong fields" : "a field without a name",
				  field, (size_t)(end - field) + 1);
	if (colon && memchr(colon, '(', (size_t)(end - colon)))
		return report_bad(bad, "a group", field, (size_t)(end - field) + 1);
	memcpy(p->field[p->fields], name, n);
	p->field[p->fields++][n] = '\0';
	add_text(p, "(", 1);
	if (colon)
		add_text(p, colon + 1, (size_t)(end - colon) - 1);
	else
		add_text(p, ".+", 2);
	add_text(p, ")", 1);
	return 0;
}

static int translate_pattern(struct pattern *p, const char *text, size_t n, char bad[256])
{
	const char *end = text + n;

	memset(p, 0, sizeof *p);
	if (n > PATTERN_MAX)
		return report_bad(bad, "more than 1024 bytes", text, n);
	add_text(p, "^", 1);
	for (const char *at = text; at < end; at++) {
		if (*at == '{') {
			const char *close = field_end(at, end);

			if (!close)
				return report_bad(bad, "a '{' without its '}'", text, n);
			if (add_field(p, at, close, bad) < 0)
				return -1;
			at = close;
			continue;
		}
		if (strchr(".[]()*+?^$|\\}", *at))
			add_text(p, "\\", 1);
		add_text(p, at, 1);
	}
	add_text(p, "$", 1);
	return 0;
}

/* Match one pattern and set its tags. Returns 1 if it matched, else 0, or -1 with bad filled. */
static int match_pattern(json_t *tags, const char *text, size_t n, const char *name, char bad[256])
{
	struct pattern p;
	regmatch_t match[FIELDS + 1];
	regex_t regex;
	int rc;

	if (translate_pattern(&p, text, n, bad) < 0)
		return -1;
	if (regcomp(&regex, p.regex, REG_EXTENDED) != 0)
		return report_bad(bad, "not a regular expression", text, n);
	rc = regexec(&regex, name, FIELDS + 1, match, 0) == 0;
	for (size_t i = 0; rc && i < p.fields; i++) {
		const regmatch_t *m = &match[i + 1];
		char *value = m->rm_so < 0
				      ? NULL
				      : strndup(name + m->rm_so, (size_t)(m->rm_eo - m->rm_so));

		if (value)
			json_object_set_new(tags, p.field[i], pm_metadata_string(value));
		free(value);
	}
	regfree(&regex);
	return rc;
}

int pm_nametags_set(json_t *tags, const char *patterns, const char *name, char bad[256])
{
	int rc = 0, matched = 0;

	if (strlen(name) > PATTERN_MAX)
		return 0;
	while (*patterns && matched <= 0) {
		size_t n;

		patterns += strspn(patterns, " \t");
		n = strcspn(patterns, " \t");
		matched = n ? match_pattern(tags, patterns, n, name, bad) : 0;
		if (matched < 0)
			rc = -1;
		patterns += n;
	}
	return rc;
}
