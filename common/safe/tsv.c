/* Escape, split and unescape: byte-exact both ways for every byte string. */
#include "config.h"

#include "common/safe/tsv.h"

#include <limits.h>
#include <string.h>

#define DIGEST_DIGITS 16 /* of the 64-bit digest in the item of a cut list */

size_t pm_tsv_character(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char low = 0x80, high = 0xbf; /* range of the second byte */
	size_t len;

	if (s[0] >= 0xc2 && s[0] <= 0xdf) {
		len = 2;
	} else if (s[0] >= 0xe0 && s[0] <= 0xef) {
		len = 3;
		if (s[0] == 0xe0)
			low = 0xa0;
		else if (s[0] == 0xed)
			high = 0x9f;
	} else if (s[0] >= 0xf0 && s[0] <= 0xf4) {
		len = 4;
		if (s[0] == 0xf0)
			low = 0x90;
		else if (s[0] == 0xf4)
			high = 0x8f;
	} else {
		return 0;
	}
	if (n < len || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* Append the escape of byte c in one piece; `letter` is the letter of its short form, or 0. */
static void put_escape(struct pm_buf *b, unsigned char c, char letter)
{
	char text[4] = { '\\', letter };

	if (!letter) {
		text[1] = 'x';
		text[2] = "0123456789abcdef"[c >> 4];
		text[3] = "0123456789abcdef"[c & 15];
	}
	pm_buf_mem(b, text, letter ? 2 : 4);
}

/* The letter of a short escape, or 0. */
static char short_letter(unsigned char c)
{
	switch (c) {
	case '\\':
		return '\\';
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	default:
		return 0;
	}
}

static size_t escape_text(struct pm_buf *b, const char *s, size_t n, unsigned char first_plain)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t i = 0;

	while (i < n) {
		size_t len = 1;

		if (u[i] >= first_plain && u[i] < 0x7f && u[i] != '\\') {
			pm_buf_ch(b, s[i]);
		} else if (u[i] >= 0x80 && (len = pm_tsv_character(s + i, n - i)) != 0) {
			pm_buf_mem(b, s + i, len);
		} else {
			len = 1;
			put_escape(b, u[i], short_letter(u[i]));
		}
		if (b->truncated)
			break;
		i += len;
	}
	return i;
}

size_t pm_tsv_escape(struct pm_buf *b, const char *s, size_t n)
{
	return escape_text(b, s, n, ' ');
}

size_t pm_tsv_escape_item(struct pm_buf *b, const char *s, size_t n, int first)
{
	if (!first)
		pm_buf_ch(b, ' ');
	if (n == 0)
		pm_buf_mem(b, "\\e", 2);
	return b->truncated ? 0 : escape_text(b, s, n, ' ' + 1);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/*
 * Decode the escape sequence at s[0] == '\\'. Returns its length, 0 where it is malformed. *byte
 * gets the decoded byte, or -1 for \e, which decodes to nothing.
 */
static size_t decode_escape(const char *s, size_t n, int *byte)
{
	if (n < 2)
		return 0;
	switch (s[1]) {
	case '\\':
		*byte = '\\';
		return 2;
	case 't':
		*byte = '\t';
		return 2;
	case 'n':
		*byte = '\n';
		return 2;
	case 'r':
		*byte = '\r';
		return 2;
	case 'e':
		*byte = -1;
		return 2;
	case 'x':
		if (n < 4 || hex_digit(s[2]) < 0 || hex_digit(s[3]) < 0)
			return 0;
		*byte = hex_digit(s[2]) << 4 | hex_digit(s[3]);
		return 4;
	default:
		return 0;
	}
}

/* Validate a field; decode it into dst unless that is NULL. Returns the decoded length or -1. */
static long walk_field(char *dst, const char *s, size_t n)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t i = 0, out = 0;

	while (i < n) {
		size_t len = 1;
		int byte;

		if (u[i] == '\\') {
			len = decode_escape(s + i, n - i, &byte);
			if (len == 0)
				return -1;
			if (byte >= 0) {
				if (dst)
					dst[out] = (char)byte;
				out++;
			}
			i += len;
			continue;
		}
		if (u[i] < ' ' || u[i] == 0x7f)
			return -1;
		if (u[i] >= 0x80 && (len = pm_tsv_character(s + i, n - i)) == 0)
			return -1;
		if (dst)
			memmove(dst + out, s + i, len);
		out += len;
		i += len;
	}
	return out <= LONG_MAX ? (long)out : -1;
}

long pm_tsv_unescape(char *dst, const char *s, size_t n)
{
	return walk_field(dst, s, n);
}

int pm_tsv_valid(const char *s, size_t n)
{
	return walk_field(NULL, s, n) >= 0;
}

void pm_tsv_cut_item(struct pm_buf *b, uint64_t length, uint64_t digest, int first)
{
	if (!first)
		pm_buf_ch(b, ' ');
	pm_buf_mem(b, "\\+", 2);
	pm_buf_u64(b, length);
	pm_buf_ch(b, ':');
	pm_buf_hex(b, digest, DIGEST_DIGITS);
}

int pm_tsv_is_cut(const char *s, size_t n)
{
	const char *colon;
	int64_t length;

	if (n < 2 || s[0] != '\\' || s[1] != '+')
		return 0;
	colon = memchr(s, ':', n);
	if (!colon || (size_t)(s + n - colon) != DIGEST_DIGITS + 1)
		return 0;
	for (const char *p = colon + 1; p < s + n; p++)
		if (hex_digit(*p) < 0)
			return 0;
	return pm_tsv_number(s + 2, (size_t)(colon - s) - 2, &length) == 0 && length >= 0;
}

int pm_tsv_valid_list(const char *s, size_t n)
{
	size_t last = n;

	while (last > 0 && s[last - 1] != ' ')
		last--;
	return pm_tsv_valid(s, pm_tsv_is_cut(s + last, n - last) ? last : n);
}

int pm_tsv_is_null(const char *s, size_t n)
{
	return n == 2 && s[0] == '\\' && s[1] == 'N';
}

size_t pm_tsv_split(const char *line, size_t n, struct pm_str *field, size_t max)
{
	const char *end = line + n;
	size_t count = 0;

	for (;;) {
		const char *tab = memchr(line, '\t', (size_t)(end - line));
		const char *stop = tab ? tab : end;

		if (count < max) {
			field[count].p = line;
			field[count].n = (size_t)(stop - line);
		}
		count++;
		if (!tab)
			return count;
		line = tab + 1;
	}
}

int pm_tsv_next_item(struct pm_str *list, struct pm_str *item)
{
	const char *space;

	if (list->n == 0)
		return 0;
	space = memchr(list->p, ' ', list->n);
	item->p = list->p;
	item->n = space ? (size_t)(space - list->p) : list->n;
	list->p += item->n + (space != NULL);
	list->n -= item->n + (space != NULL);
	return 1;
}

int pm_tsv_number(const char *s, size_t n, int64_t *out)
{
	uint64_t limit = INT64_MAX, v = 0;
	size_t i = 0;

	if (n > 0 && s[0] == '-') {
		limit++;
		i++;
	}
	if (i == n)
		return -1;
	for (; i < n; i++) {
		unsigned digit = (unsigned char)s[i] - '0';

		if (digit > 9 || v > (limit - digit) / 10)
			return -1;
		v = v * 10 + digit;
	}
	*out = s[0] == '-' ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}
