/* The forms of values in texts. */
#include "config.h"

#include "common/secrets_form.h"

static const char blank[] = " \t\r\n";

/* Bytes that are examined. Without this limit, names that follow each other would be scanned again
 * and again. */
#define LOOKED_AT 512

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static int among(char c, const char *set)
{
	for (; c && *set; set++)
		if (c == *set)
			return 1;
	return 0;
}

size_t pm_secrets_quote(const char *s)
{
	return among(s[0], "\"'") ? 1 : s[0] == '\\' && among(s[1], "\"'") ? 2 : 0;
}

size_t pm_secrets_header(char before, const char *p)
{
	size_t n = 0;

	while (p[n] && p[n] != '\r' && p[n] != '\n') {
		size_t mark = pm_secrets_quote(p + n), end = n + mark;

		if (!mark) {
			n++;
			continue;
		}
		if (n == 0 || p[n - 1] != '=' || p[end - 1] == before)
			break;
		while (p[end] && p[end] != '\n' &&
		       (p[end] != p[n] || p[end + mark - 1] != p[n + mark - 1]))
			end++;
		if (p[end] != p[n])
			break;
		n = end + mark;
	}
	/* With the backslash of the mark that ends it. */
	return n;
}

/* 1 when the character comes in the same line, before a quotation mark. */
static int comes(const char *p, char c)
{
	const char *end = p + LOOKED_AT;

	while (*p && *p != c && p < end && !among(*p, "\r\n\"'"))
		p++;
	return *p == c;
}

int pm_secrets_connection(const char *text, const char *name, const char *p)
{
	const char *before = name - (name > text + 1 && name[-1] == ' ');
	int lower = name[1] >= 'a' && name[1] <= 'z';

	if (pm_secrets_quote(p) || !lower)
		return 0;
	if (before > text && before[-1] == ';')
		return 1;
	return *name >= 'A' && *name <= 'Z' && comes(p, ';');
}

size_t pm_secrets_assigns(const char *p)
{
	size_t n = 1;

	if (among(*p, "?+") || (*p == ':' && p[1] == '='))
		return p[1] == '=' ? 2 : 0;
	if (*p == ':') {
		while (p[n] >= 'A' && p[n] <= 'Z')
			n++;
		return n > 3 && p[n] == '=' ? n + 1 : 0;
	}
	/* == and =~ compare, and => points, but for one to a string. */
	if (*p != '=' || among(p[1], "=~"))
		return 0;
	if (p[1] != '>')
		return 1;
	for (n = 2; among(p[n], blank);)
		n++;
	return pm_secrets_quote(p + n) ? 2 : 0;
}

/* At a quotation mark, which may have a backslash: behind the string that it begins, at `end` or
 * somewhat behind that. */
static const char *behind_string(const char *p, const char *end)
{
	int inner = *p == '\\';
	char mark = p[inner];

	for (p += inner + 1; *p && p < end; p++) {
		if (*p == mark && !inner)
			return p + 1;
		if (*p != '\\' || !p[1])
			continue;
		p++;
		if (*p == mark && inner)
			return p + 1;
		/* A mark of the string inside of the string inside. */
		if (*p == '\\' && inner && p[1] == '\\' && p[2] == mark)
			p += 2;
	}
	return p;
}

static int brackets_hide(enum pm_hide how, const char *p, const char *end)
{
	size_t n, at;

	for (; *p && p < end; p += n + !n) {
		for (n = 0; p[n] && p + n < end && !among(p[n], " \t\r\n\"'\\,[]{}");)
			n++;
		if (pm_secrets_value(how, p, n, &at))
			return 1;
	}
	return 0;
}

/* The length up to the bracket that closes as many as are open, or to `end` or somewhat behind. */
static size_t brackets_length(const char *p, size_t open, const char *end)
{
	const char *q = p;

	while (*q && q < end) {
		if (pm_secrets_quote(q)) {
			q = behind_string(q, end);
			continue;
		}
		open += *q == '[' || *q == '{';
		if ((*q == ']' || *q == '}') && --open == 0)
			return (size_t)(q + 1 - p);
		q++;
	}
	return (size_t)(q - p);
}

/* As perfmon 0.1 left them: [redacted]"SECRET"], of which the bracket alone was taken. */
static size_t half_redacted(const char *p)
{
	size_t n = sizeof PM_REDACTED - 1, blanks = n;

	while (among(p[blanks], blank))
		blanks++;
	if (!pm_secrets_quote(p + blanks))
		return 0;
	p += blanks;
	return blanks + brackets_length(p, 1, p + length(p));
}

size_t pm_secrets_brackets(enum pm_hide how, const char *p)
{
	if (pm_secrets_begins(p, sizeof PM_REDACTED - 1, "[REDACTED]"))
		return half_redacted(p);
	if (!brackets_hide(how, p, p + brackets_length(p, 0, p + LOOKED_AT)))
		return 0;
	return brackets_length(p, 0, p + length(p));
}

static int is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Behind the value: the end of a word, and not of a part of "Password=$x;Port=1". */
static int is_end(const char *p)
{
	return !*p || among(*p, " \t\r\n\"'&|)`}") ||
	       (*p == ';' && (!p[1] || among(p[1], " \t\r\n;")));
}

int pm_secrets_elsewhere(const char *p, int code)
{
	static const char pattern[][4] = { ".*", ".+", "[^", "\\(", "\\S", "\\w", "(.*", "(.+" };
	size_t n = 1;

	for (size_t i = 0; i < sizeof pattern / sizeof *pattern; i++)
		if (p[0] == pattern[i][0] && p[1] == pattern[i][1] &&
		    (!pattern[i][2] || p[2] == pattern[i][2]))
			return 1;
	if (*p == '`')
		return 1;
	if (*p == '$') {
		if (p[1] == '(' || p[1] == '{')
			return 1;
		while (is_letter(p[n]) || is_digit(p[n]))
			n++;
		return n > 1 ? is_end(p + n) : among(p[1], "@*#?") && is_end(p + 2);
	}
	if (!is_letter(*p))
		return 0;
	while (is_letter(p[n]) || is_digit(p[n]) || p[n] == '.')
		n++;
	return p[n] == '(' && (code || p[n + 1] == ')');
}

size_t pm_secrets_private_key(const char *p)
{
	/* In the first line, with the kind of the key in between. */
	if (!pm_secrets_begins(p, 10, "-----BEGIN"))
		return 0;
	for (const char *q = p; *q && *q != '\n' && q < p + 64; q++)
		if (pm_secrets_begins(q, 11, "PRIVATE KEY"))
			return length(p);
	return 0;
}
