/*
 * The few memory functions that the compiler and common/ call. The preload binds to its own, so
 * that no symbol of libc is needed for them.
 */
#include "config.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word that may lie anywhere and alias anything. */
struct word {
	uint64_t v;
} __attribute__((packed, may_alias));

void *memcpy(void *restrict dst, const void *restrict src, size_t n)
{
	char *d = dst;
	const char *s = src;

	for (; n >= 8; n -= 8, d += 8, s += 8)
		((struct word *)d)->v = ((const struct word *)s)->v;
	while (n--)
		*d++ = *s++;
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	char *d = dst;
	const char *s = src;

	if ((uintptr_t)d - (uintptr_t)s >= n)
		return memcpy(dst, src, n);
	while (n--)
		d[n] = s[n];
	return dst;
}

void *memset(void *dst, int c, size_t n)
{
	char *d = dst;

	for (; n >= 8; n -= 8, d += 8)
		((struct word *)d)->v = 0x0101010101010101u * (unsigned char)c;
	while (n--)
		*d++ = (char)c;
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n--; x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

void *memchr(const void *mem, int c, size_t n)
{
	const unsigned char *p = mem;

	for (; n--; p++)
		if (*p == (unsigned char)c)
			return (void *)(uintptr_t)p;
	return NULL;
}

size_t strlen(const char *s)
{
	const char *p = s;

	while (*p)
		p++;
	return (size_t)(p - s);
}
