/* Text from records on a terminal. */
#include "config.h"

#include "report/text.h"

#include "common/buf.h"
#include "common/tsv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Decode one well-formed UTF-8 character. Returns its length, 0 where there is none. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *code)
{
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

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *r, size_t n, uint32_t code)
{
	for (size_t i = 0; i < n; i++)
		if (code >= r[i].first && code <= r[i].last)
			return true;
	return false;
}

/*
 * Characters that must not reach a terminal: C1 controls (U+009B starts a control sequence),
 * invisible and direction-turning ones, line separators, private use, non-characters.
 */
static bool is_hostile(uint32_t code)
{
	static const struct range hostile[] = {
		{ 0x7f, 0x9f },     { 0xad, 0xad },     { 0x061c, 0x061c },    { 0x115f, 0x1160 },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },    { 0x2060, 0x206f },
		{ 0x3164, 0x3164 }, { 0xe000, 0xf8ff }, { 0xfdd0, 0xfdef },    { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb }, { 0xfffe, 0xffff }, { 0xe0000, 0x10ffff },
	};

	return code < ' ' || in_ranges(hostile, sizeof hostile / sizeof hostile[0], code);
}

/* Columns of a character, after Unicode's East Asian Width for the blocks that matter. */
static int width_of(uint32_t code)
{
	static const struct range none[] = {
		{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
		{ 0x064b, 0x065f }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e },
		{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff }, { 0x302a, 0x302d },
		{ 0x3099, 0x309a }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
	};
	static const struct range two[] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },
		{ 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },
		{ 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
		{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1faff },
		{ 0x20000, 0x3fffd },
	};

	if (code < 0x300)
		return 1;
	if (in_ranges(none, sizeof none / sizeof none[0], code))
		return 0;
	return in_ranges(two, sizeof two / sizeof two[0], code) ? 2 : 1;
}

/* Write what byte c looks like as an escape. Returns its length. */
static size_t escape(char *to, unsigned char c)
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

static const char *ellipsis(bool utf8)
{
	return utf8 ? "\xe2\x80\xa6" : "...";
}

size_t pm_text_safe(char *dst, size_t cap, const char *s, size_t n, bool utf8)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t out = 0, room = cap - 1,
	       fits = 0; /* fits: last end that leaves an ellipsis its room */

	for (size_t i = 0; i < n;) {
		char piece[8];
		uint32_t code = 0;
		size_t len = decode(u + i, n - i, &code), piece_len;

		if (len == 1 && code == '\\') {
			bool ambiguous = i + 1 < n && strchr("\\xntr", s[i + 1]) && s[i + 1];

			piece_len = ambiguous ? 2 : 1;
			memcpy(piece, "\\\\", 2);
		} else if (len > 0 && !is_hostile(code) && (utf8 || code < 0x7f)) {
			piece_len = len;
			memcpy(piece, s + i, len);
		} else {
			len = 1;
			piece_len = escape(piece, u[i]);
		}
		if (out + piece_len > room) {
			const char *more = ellipsis(utf8);

			memcpy(dst + fits, more, 3);
			out = fits + 3;
			break;
		}
		memcpy(dst + out, piece, piece_len);
		out += piece_len;
		if (out + 3 <= room)
			fits = out;
		i += len;
	}
	dst[out] = '\0';
	return out;
}

size_t pm_text_field(char *dst, size_t cap, const char *field, bool utf8)
{
	char raw[4096];
	size_t n = field ? strlen(field) : 0;
	long len;

	if (n > sizeof raw) {
		/* Cut in front of an escape rather than inside one. */
		n = sizeof raw;
		for (size_t back = 1; back <= 4; back++)
			if (field[n - back] == '\\' ||
			    ((unsigned char)field[n - back] & 0xc0) == 0xc0) {
				n -= back;
				break;
			}
	}
	len = n ? pm_tsv_unescape(raw, field, n) : 0;
	/* A field that is not well-formed did not come from the loader: show it as it is. */
	if (len < 0)
		return pm_text_safe(dst, cap, field, n, utf8);
	return pm_text_safe(dst, cap, raw, (size_t)len, utf8);
}

int pm_text_columns(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = strlen(s);
	int columns = 0;

	for (size_t i = 0; i < n;) {
		uint32_t code = 0;
		size_t len = decode(u + i, n - i, &code);

		columns += len ? width_of(code) : 1;
		i += len ? len : 1;
	}
	return columns;
}

size_t pm_text_prefix(const char *s, int columns)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = strlen(s), i = 0;

	while (i < n) {
		uint32_t code = 0;
		size_t len = decode(u + i, n - i, &code);
		int width = len ? width_of(code) : 1;

		if (width > columns)
			break;
		columns -= width;
		i += len ? len : 1;
	}
	return i;
}

int pm_text_fit(char *dst, size_t cap, const char *s, int columns, bool utf8)
{
	const char *more = ellipsis(utf8);
	int more_columns = utf8 ? 1 : 3;
	size_t len = strlen(s);

	if (columns < 0)
		columns = 0;
	if (pm_text_columns(s) <= columns) {
		if (len < cap) {
			memcpy(dst, s, len + 1);
			return pm_text_columns(s);
		}
		columns = pm_text_columns(s) - 1;
	}
	if (columns < more_columns) {
		more = "";
		more_columns = 0;
	}
	len = pm_text_prefix(s, columns - more_columns);
	while (len + 4 > cap)
		len = pm_text_prefix(s, --columns - more_columns);
	memcpy(dst, s, len);
	memcpy(dst + len, more, strlen(more) + 1);
	return pm_text_columns(dst);
}

bool pm_text_utf8_locale(void)
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
