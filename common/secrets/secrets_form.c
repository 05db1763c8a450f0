/* Recognise the forms that values have in texts. */
#include "config.h"

#include "common/secrets/secrets_form.h"

#include "common/secrets/secrets_text.h"

#include <stdint.h>

static const char blank[] = " \t\r\n";

/* Most bytes that are examined. Without a limit, names that follow each other would be scanned
 * again and again. */
#define LOOKED_AT 512

/* An array, not pointers, which the preload would have to relocate. */
static const struct {
	char program[16];
	char option[18];
} reader[] = {
#define PM_SECRET_READER(program, option) { program, option },
#include "common/secrets/secrets.def"
};

_Static_assert(sizeof reader / sizeof *reader <= 32, "is_reader() has a bit for each");

static int is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
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
	/* The length includes the backslash of the closing mark. */
	return n;
}

/* 1 when the character occurs on the same line before any quotation mark. */
static int comes_in_line(const char *p, char c)
{
	const char *end = p + LOOKED_AT;

	while (*p && *p != c && p < end && !among(*p, "\r\n\"'"))
		p++;
	return *p == c;
}

/* 1 when a keyword of an ODBC connection string precedes `name` in the text. */
static int is_odbc(const char *text, const char *name)
{
	static const char key[][10] = { "UID=", "DRIVER=", "DSN=", "SERVER=", "DATABASE=" };

	if (name > text + LOOKED_AT)
		text = name - LOOKED_AT;
	for (; text < name; text++)
		for (size_t i = 0; i < sizeof key / sizeof *key; i++)
			if (pm_secrets_begins(text, (size_t)(name - text), key[i]))
				return 1;
	return 0;
}

/* 1 when NAME= is at p. */
static int is_assigned(const char *p)
{
	size_t n = 0;

	while (is_letter(p[n]) || is_digit(p[n]) || among(p[n], "-. "))
		n++;
	return n > 0 && is_letter(*p) && p[n] == '=';
}

enum pm_hide pm_secrets_odbc(const char *text, const char *name, const char *p)
{
	const char *before = name - (name > text + 1 && name[-1] == ' ');

	if (!pm_secrets_begins(name, 3, "PWD") || *p != '=')
		return PM_HIDE_NONE;
	if (before > text && before[-1] == ';')
		return is_odbc(text, name) ? PM_HIDE_ALL : PM_HIDE_PLACE;
	/* PWD=x;UID=me */
	while (*p && *p != ';' && !among(*p, blank))
		p++;
	return *p == ';' && is_assigned(p + 1) ? PM_HIDE_PLACE : PM_HIDE_NONE;
}

size_t pm_secrets_listed(const char *p)
{
	size_t n = 0;

	while (p[n] && n < LOOKED_AT && !among(p[n], " \t\r\n\"';&|<>()`")) {
		if (p[n] == ',' && is_assigned(p + n + 1))
			return n;
		n++;
	}
	return 0;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

enum pm_hide pm_secrets_encoded(const char *name, size_t n)
{
	char plain[64];
	size_t len = 0, i = 0;

	while (i < n && name[i] != '%')
		i++;
	if (i == n || n > 3 * sizeof plain)
		return pm_secrets_name(name, n);
	for (i = 0; i < n && len < sizeof plain; i++) {
		int high = i + 2 < n && name[i] == '%' ? hex_digit(name[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(name[i + 2]) : -1;

		plain[len++] = low >= 0 ? (char)(high * 16 + low) : name[i];
		i += low >= 0 ? 2 : 0;
	}
	return pm_secrets_name(plain, len);
}

int pm_secrets_connection(const char *text, const char *name, const char *p)
{
	const char *before = name - (name > text + 1 && name[-1] == ' ');
	int lower = name[1] >= 'a' && name[1] <= 'z';

	if (pm_secrets_quote(p))
		return 0;
	if (!lower)
		return before > text && before[-1] == ';' && is_odbc(text, name);
	if (before > text && before[-1] == ';')
		return 1;
	return *name >= 'A' && *name <= 'Z' && comes_in_line(p, ';');
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
	/* == and =~ compare; => does not assign unless a string follows. */
	if (*p != '=' || among(p[1], "=~"))
		return 0;
	if (p[1] != '>')
		return 1;
	for (n = 2; among(p[n], blank);)
		n++;
	return pm_secrets_quote(p + n) ? 2 : 0;
}

/* At a quotation mark, perhaps with a backslash before it: the position after its string. If
 * nothing closes the string before `end`, that is `end`, or slightly past it if an escape sequence
 * crosses `end`. */
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
		/* A mark of a string nested two levels deep: \\\". */
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

/* Length of the text at p through the bracket that closes the outermost one; `open` of them were
 * opened before p. If none closes it, the length to `end`, or slightly past it if an escape
 * sequence crosses `end`. */
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

/* Length of a value as perfmon 0.1 left it, [redacted]"SECRET"]: it redacted only the bracket. */
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

/* 1 at the end of a word, but not at the end of a part as in "Password=$x;Port=1". */
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
	/* The first line contains the kind of the key between these words. */
	if (!pm_secrets_begins(p, 10, "-----BEGIN"))
		return 0;
	for (const char *q = p; *q && *q != '\n' && q < p + 64; q++)
		if (pm_secrets_begins(q, 11, "PRIVATE KEY"))
			return length(p);
	return 0;
}

/* 1 when a word of n bytes equals `want`. */
static int is_word(const char *word, size_t n, const char *want)
{
	size_t i = 0;

	while (i < n && want[i] && word[i] == want[i])
		i++;
	return i == n && !want[i];
}

/* 1 when a command of n bytes reads a secret from its standard input: its words include both the
 * program (by path or name) and the option of a row. In a row without an option the program must be
 * the first word, or follow sudo. */
static int is_reader(const char *p, size_t n)
{
	uint32_t programs = 0, options = 0;
	int first = 1;

	for (size_t i = 0, len; i < n; i += len) {
		size_t from;

		while (i < n && among(p[i], " \t\"'"))
			i++;
		for (len = from = 0; i + len < n && !among(p[i + len], " \t\"'"); len++)
			if (p[i + len] == '/')
				from = len + 1;
		for (size_t row = 0; row < sizeof reader / sizeof *reader && len > 0; row++) {
			if (is_word(p + i, len, reader[row].option))
				options |= 1u << row;
			if ((first || *reader[row].option) &&
			    is_word(p + i + from, len - from, reader[row].program))
				programs |= 1u << row;
		}
		first = first && (len == 0 || is_word(p + i, len, "sudo"));
	}
	for (size_t row = 0; row < sizeof reader / sizeof *reader; row++) {
		programs |= (uint32_t)!*reader[row].program << row;
		options |= (uint32_t)!*reader[row].option << row;
	}
	return (programs & options) != 0;
}

/* Length of a command at p, up to the unquoted character that ends it. */
static size_t command_length(const char *p)
{
	size_t n = 0;
	char mark = '\0';

	for (; p[n] && n < LOOKED_AT; n++)
		if (mark)
			mark = p[n] == mark ? '\0' : mark;
		else if (among(p[n], "\"'"))
			mark = p[n];
		else if (among(p[n], "|;&\n)`"))
			break;
	return n;
}

/* Length of printf's format, which precedes the printed arguments; 0 where the text is no format
 * with %s. */
static size_t format_length(const char *p, size_t n)
{
	size_t mark = among(*p, "\"'") ? 1 : 0, len = mark;

	while (len < n && (mark ? p[len] != *p : !among(p[len], blank)))
		len++;
	for (size_t i = 0; i + 1 < len; i++)
		if (p[i] == '%' && p[i + 1] == 's')
			return len + mark;
	return 0;
}

size_t pm_secrets_piped(const char *p, const char **secret)
{
	size_t n = command_length(p), from = 0, end = n, at;
	const char *next = p + n + 1;

	if (p[n] != '|' || *next == '|')
		return 0;
	for (;;) {
		while (from < n && among(p[from], blank))
			from++;
		if (p[from] != '-')
			break;
		while (from < n && !among(p[from], blank))
			from++;
	}
	from += format_length(p + from, n - from);
	while (from < n && among(p[from], blank))
		from++;
	while (end > from && among(p[end - 1], blank))
		end--;
	if (end > from + 1 && among(p[from], "\"'") && p[end - 1] == p[from]) {
		from++;
		end--;
	}
	if (pm_secrets_elsewhere(p + from, 0) || !is_reader(next, command_length(next)))
		return 0;
	*secret = p + from;
	return pm_secrets_value(PM_HIDE_ALL, p + from, end - from, &at);
}

int pm_secrets_here(const char *text, const char *p)
{
	size_t n = 0;

	if (p[1] != '<' || p[2] != '<' || p[3] == '<')
		return 0;
	while (p - n > text && n < LOOKED_AT && !among(p[-1 - (ptrdiff_t)n], "|;&\n"))
		n++;
	return is_reader(p - n, n);
}
