/* Turn any byte string into valid UTF-8 for PostgreSQL's text columns: a single other byte would
 * end a whole load. */
#include "config.h"

#include "db/postgres/plaintext.h"

#include "common/safe/tsv.h"

#include <stdint.h>
#include <string.h>

#define ESCAPED 4 /* \xHH */

/* Number of bytes from p on that are ASCII without NUL, in steps of eight: most text is nothing
 * else. */
static size_t plain_length(const char *p, size_t n)
{
	const uint64_t high = 0x8080808080808080, one = 0x0101010101010101;
	size_t i = 0;

	for (uint64_t w; i + sizeof w <= n; i += sizeof w) {
		memcpy(&w, p + i, sizeof w);
		if ((w | (w - one)) & high)
			break;
	}
	while (i < n && (signed char)p[i] > 0)
		i++;
	return i;
}

size_t pm_plaintext_length(const char *p, size_t n)
{
	size_t out = 0, len;

	for (size_t i = 0; i < n; i += len) {
		len = plain_length(p + i, n - i);
		out += len;
		if (len)
			continue;
		len = pm_tsv_character(p + i, n - i);
		out += len ? len : ESCAPED;
		len += !len;
	}
	return out;
}

void pm_plaintext_copy(char *dst, const char *p, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		len = plain_length(p + i, n - i);
		if (!len)
			len = pm_tsv_character(p + i, n - i);
		memcpy(dst, p + i, len);
		dst += len;
		if (len)
			continue;
		*dst++ = '\\';
		*dst++ = 'x';
		*dst++ = digit[(unsigned char)p[i] >> 4];
		*dst++ = digit[(unsigned char)p[i] & 15];
		len = 1;
	}
}
