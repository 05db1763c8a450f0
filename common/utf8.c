/* Texts of any bytes as valid UTF-8. */
#include "config.h"

#include "common/utf8.h"

#include "common/safe/tsv.h"

/* Number of ASCII bytes from p on, in steps of eight: most text is nothing else. */
static size_t ascii_length(const char *p, size_t n)
{
	size_t i = 0;

	for (uint64_t w; i + sizeof w <= n; i += sizeof w) {
		memcpy(&w, p + i, sizeof w);
		if (w & UINT64_C(0x8080808080808080))
			break;
	}
	while (i < n && (signed char)p[i] >= 0)
		i++;
	return i;
}

size_t pm_utf8_valid(const char *p, size_t n)
{
	size_t i = ascii_length(p, n), len;

	while (i < n && (len = pm_tsv_character(p + i, n - i)) > 0) {
		i += len;
		i += ascii_length(p + i, n - i);
	}
	return i;
}

void pm_utf8_add(struct pm_bytes *out, const char *p, size_t n)
{
	for (;;) {
		size_t valid = pm_utf8_valid(p, n);

		pm_bytes_add(out, p, valid);
		if (valid == n)
			return;
		pm_bytes_add(out, PM_UTF8_REPLACEMENT, sizeof PM_UTF8_REPLACEMENT - 1);
		p += valid + 1;
		n -= valid + 1;
	}
}

bool pm_utf8_is_text(const char *p, size_t n)
{
	return pm_utf8_valid(p, n) == n && !memchr(p, '\0', n);
}

bool pm_utf8_add_text(struct pm_bytes *out, const char *p, size_t n)
{
	const bool whole = pm_utf8_is_text(p, n);

	for (;;) {
		const char *nul = memchr(p, '\0', n);
		const size_t part = nul ? (size_t)(nul - p) : n;

		pm_utf8_add(out, p, part);
		if (!nul)
			return whole;
		pm_bytes_add(out, PM_UTF8_REPLACEMENT, sizeof PM_UTF8_REPLACEMENT - 1);
		p += part + 1;
		n -= part + 1;
	}
}

/* Whether the n bytes at p are one character. */
static bool is_character(const unsigned char *p, size_t n)
{
	return n == 1 ? *p < 0x80 : pm_tsv_character((const char *)p, n) == n;
}

/* Make a character of n bytes the next one of as many. Returns false if it is the last. */
static bool next_character(unsigned char *p, size_t n)
{
	/* Beyond the surrogates at most, which are 2048 characters that are none. */
	for (unsigned step = 0; step <= 2048; step++) {
		size_t i = n;

		while (i > 1 && p[i - 1] == 0xbf)
			p[--i] = 0x80;
		p[i - 1]++;
		if (is_character(p, n))
			return true;
		if (p[0] >= 0xf5)
			break;
	}
	return false;
}

size_t pm_utf8_next(unsigned char *p, size_t n)
{
	while (n > 0) {
		size_t first = n - 1;

		while (first > 0 && (p[first] & 0xc0) == 0x80)
			first--;
		if (next_character(p + first, n - first))
			return n;
		n = first;
	}
	return 0;
}
