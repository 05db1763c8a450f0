/* Make text from records safe for a terminal, measure and cut it. */
#include "config.h"

#include "common/text.h"

#include "common/safe/tsv.h"
#include "common/terminal.h"

#include <stdint.h>
#include <string.h>

/* Columns that a character takes, from Unicode's East Asian Width for the common blocks. */
static int character_width(uint32_t code)
{
	static const struct pm_terminal_range none[] = {
		{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x0610, 0x061a },
		{ 0x064b, 0x065f }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e },
		{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff }, { 0x302a, 0x302d },
		{ 0x3099, 0x309a }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f },
	};
	static const struct pm_terminal_range two[] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },
		{ 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },
		{ 0xa960, 0xa97f },   { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },
		{ 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
		{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1faff },
		{ 0x20000, 0x3fffd },
	};

	if (code < 0x300)
		return 1;
	if (pm_terminal_within(none, sizeof none / sizeof none[0], code))
		return 0;
	return pm_terminal_within(two, sizeof two / sizeof two[0], code) ? 2 : 1;
}

static const char *ellipsis(bool utf8)
{
	return utf8 ? "\xe2\x80\xa6" : "...";
}

size_t pm_text_safe(char *dst, size_t cap, const char *s, size_t n, bool utf8)
{
	size_t out = 0, room = cap - 1,
	       fits = 0; /* fits: last end that leaves room for an ellipsis */

	for (size_t i = 0; i < n;) {
		char piece[PM_TERMINAL_PIECE];
		size_t piece_len, len;

		/* Most characters are safe as they are. */
		if (s[i] >= ' ' && s[i] < 0x7f && s[i] != '\\' && out < room) {
			dst[out++] = s[i++];
			if (out + 3 <= room)
				fits = out;
			continue;
		}
		len = pm_terminal_piece(s + i, n - i, utf8, piece, &piece_len);

		/* Double a backslash that would read as an escape. */
		if (s[i] == '\\' && i + 1 < n && s[i + 1] && strchr("\\xntr", s[i + 1])) {
			piece[1] = '\\';
			piece_len = 2;
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
	/* A malformed field was not written by the loader, so show it unchanged. */
	if (len < 0)
		return pm_text_safe(dst, cap, field, n, utf8);
	return pm_text_safe(dst, cap, raw, (size_t)len, utf8);
}

int pm_text_columns(const char *s)
{
	size_t n = strlen(s);
	int columns = 0;

	for (size_t i = 0; i < n;) {
		uint32_t code = 0;
		size_t len;

		/* Most characters. */
		if (s[i] >= ' ' && s[i] < 0x7f) {
			columns++;
			i++;
			continue;
		}
		len = pm_terminal_decode(s + i, n - i, &code);
		columns += len ? character_width(code) : 1;
		i += len ? len : 1;
	}
	return columns;
}

size_t pm_text_prefix(const char *s, int columns)
{
	size_t n = strlen(s), i = 0;

	while (i < n) {
		uint32_t code = 0;
		size_t len = pm_terminal_decode(s + i, n - i, &code);
		int width = len ? character_width(code) : 1;

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
	const int all = pm_text_columns(s);
	size_t len = strlen(s);

	if (columns < 0)
		columns = 0;
	if (all <= columns) {
		if (len < cap) {
			memcpy(dst, s, len + 1);
			return all;
		}
		columns = all - 1;
	}
	if (columns < more_columns) {
		more = "";
		more_columns = 0;
	}
	len = pm_text_prefix(s, columns - more_columns);
	/* Characters are not split. */
	while (len > 0 && (len + 4 > cap || ((unsigned char)s[len] & 0xc0) == 0x80))
		len--;
	memcpy(dst, s, len);
	memcpy(dst + len, more, strlen(more) + 1);
	return pm_text_columns(dst);
}
