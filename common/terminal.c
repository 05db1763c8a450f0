/* Make untrusted text safe for a terminal. */
#include "config.h"

#include "common/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool pm_terminal_within(const struct pm_terminal_range *r, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (code >= r[i].first && code <= r[i].last)
			return true;
	return false;
}

size_t pm_terminal_decode(const char *text, size_t n, uint32_t *code)
{
	const unsigned char *s = (const unsigned char *)text;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len;

	if (n == 0)
		return 0;
	if (s[0] < 0x80) {
		*code = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2, *code = s[0] & 0x1f;
	else if ((s[0] & 0xf0) == 0xe0)
		len = 3, *code = s[0] & 0x0f;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4, *code = s[0] & 0x07;
	else
		return 0;
	if (n < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[len] || *code > 0x10ffff || (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return len;
}

/*
 * Characters that must not reach a terminal: C1 controls (U+009B starts a control sequence),
 * invisible and direction-turning ones, line separators, private use, non-characters.
 */
static bool is_hostile(uint32_t code)
{
	static const struct pm_terminal_range hostile[] = {
		{ 0x7f, 0x9f },     { 0xad, 0xad },     { 0x061c, 0x061c },    { 0x115f, 0x1160 },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },    { 0x2060, 0x206f },
		{ 0x3164, 0x3164 }, { 0xe000, 0xf8ff }, { 0xfdd0, 0xfdef },    { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0x10ffff },
	};

	return code < ' ' || pm_terminal_within(hostile, sizeof hostile / sizeof hostile[0], code);
}

/* Write byte c as an escape. Returns its length. */
static size_t escape_byte(char *to, unsigned char c)
{
	const char *letter = strchr("\nn\tt\rr", c);

	to[0] = '\\';
	if (c != '\0' && letter && (c == '\n' || c == '\t' || c == '\r')) {
		to[1] = letter[1];
		return 2;
	}
	to[1] = 'x';
	to[2] = "0123456789abcdef"[c >> 4];
	to[3] = "0123456789abcdef"[c & 15];
	return 4;
}

size_t pm_terminal_piece(const char *s, size_t n, bool utf8, char piece[PM_TERMINAL_PIECE],
			 size_t *len)
{
	uint32_t code = 0;
	size_t taken = pm_terminal_decode(s, n, &code);

	if (taken > 0 && !is_hostile(code) && (utf8 || code < 0x7f)) {
		memcpy(piece, s, taken);
		*len = taken;
		return taken;
	}
	*len = escape_byte(piece, (unsigned char)*s);
	return 1;
}

size_t pm_terminal_text(char *dst, size_t cap, const char *s, bool utf8)
{
	size_t left = strlen(s), used = 0;

	while (left > 0 && used + PM_TERMINAL_PIECE < cap) {
		size_t len, taken = pm_terminal_piece(s, left, utf8, dst + used, &len);

		used += len;
		s += taken;
		left -= taken;
	}
	dst[used] = '\0';
	return used;
}

void pm_terminal_put(FILE *f, const char *s, size_t n, bool exact)
{
	for (size_t i = 0; i < n;) {
		char piece[PM_TERMINAL_PIECE];
		size_t len;

		if (exact && s[i] == '\\')
			fputc('\\', f);
		i += pm_terminal_piece(s + i, n - i, true, piece, &len);
		fwrite(piece, 1, len, f);
	}
}

void pm_terminal_print(FILE *f, const char *fmt, ...)
{
	size_t ends = strlen(fmt);
	bool line = ends > 0 && fmt[ends - 1] == '\n';
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = n < 0 ? NULL : malloc((size_t)n + 1);
	if (!text)
		return;
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	pm_terminal_put(f, text, (size_t)n - line, false);
	if (line)
		fputc('\n', f);
	free(text);
}

void pm_terminal_name(FILE *f, const char *text)
{
	if (isatty(fileno(f)))
		pm_terminal_put(f, text, strlen(text), false);
	else
		fputs(text, f);
	fputc('\n', f);
}

bool pm_terminal_utf8(void)
{
	static const char *const name[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		const char *v = getenv(name[i]), *charset;

		if (!v || !*v)
			continue;
		charset = strchr(v, '.');
		return charset && (strncasecmp(charset + 1, "utf-8", 5) == 0 ||
				   strncasecmp(charset + 1, "utf8", 4) == 0);
	}
	return false;
}
