/* Bounded append: text and numbers, no locale, no allocation. */
#include "config.h"

#include "common/safe/buf.h"

#include <string.h>

void pm_buf_mem(struct pm_buf *b, const char *s, size_t n)
{
	if (n > b->cap - b->len) {
		b->truncated = true;
		return;
	}
	memcpy(b->p + b->len, s, n);
	b->len += n;
}

void pm_buf_str(struct pm_buf *b, const char *s)
{
	pm_buf_mem(b, s, strlen(s));
}

/* Write the digits of v so that they end at `end`. Returns where they begin. Each division yields
 * two digits: most of a record is numbers. */
static char *digits_before(char *end, uint64_t v)
{
	static const char pair[] = "00010203040506070809101112131415161718192021222324252627282930"
				   "31323334353637383940414243444546474849505152535455565758596061"
				   "62636465666768697071727374757677787980818283848586878889909192"
				   "93949596979899";

	for (; v >= 100; v /= 100) {
		*--end = pair[2 * (v % 100) + 1];
		*--end = pair[2 * (v % 100)];
	}
	*--end = pair[2 * v + 1];
	if (v >= 10)
		*--end = pair[2 * v];
	return end;
}

void pm_buf_u64(struct pm_buf *b, uint64_t v)
{
	char digits[PM_BUF_NUMBER_MAX], *end = digits + sizeof digits;
	const char *first = digits_before(end, v);

	pm_buf_mem(b, first, (size_t)(end - first));
}

void pm_buf_i64(struct pm_buf *b, int64_t v)
{
	char digits[PM_BUF_NUMBER_MAX], *end = digits + sizeof digits, *first;

	first = digits_before(end, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
	if (v < 0)
		*--first = '-';
	pm_buf_mem(b, first, (size_t)(end - first));
}

void pm_buf_hex(struct pm_buf *b, uint64_t v, int digits)
{
	char text[16];

	for (int i = 0; i < digits; i++)
		text[i] = "0123456789abcdef"[v >> (4 * (digits - 1 - i)) & 15];
	pm_buf_mem(b, text, (size_t)digits);
}
