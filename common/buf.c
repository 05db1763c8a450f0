/* Bounded append: text and numbers, no locale, no allocation. */
#include "config.h"

#include "common/buf.h"

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

void pm_buf_u64(struct pm_buf *b, uint64_t v)
{
	char digits[PM_BUF_NUMBER_MAX];
	size_t at = sizeof digits;

	do {
		digits[--at] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	pm_buf_mem(b, digits + at, sizeof digits - at);
}

void pm_buf_i64(struct pm_buf *b, int64_t v)
{
	char digits[PM_BUF_NUMBER_MAX];
	size_t at = sizeof digits;
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do {
		digits[--at] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (v < 0)
		digits[--at] = '-';
	pm_buf_mem(b, digits + at, sizeof digits - at);
}

void pm_buf_hex(struct pm_buf *b, uint64_t v, int digits)
{
	char text[16];

	for (int i = 0; i < digits; i++)
		text[i] = "0123456789abcdef"[v >> (4 * (digits - 1 - i)) & 15];
	pm_buf_mem(b, text, (size_t)digits);
}
