/* String functions for common/secrets/, which is also part of the preload: they avoid those of
 * libc, which a program may have replaced. */
#ifndef PM_COMMON_SECRETS_SECRETS_TEXT_H
#define PM_COMMON_SECRETS_SECRETS_TEXT_H

#include <stddef.h>

static inline size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/* 1 for a character of the set; NUL is in no set. */
static inline int among(char c, const char *set)
{
	for (; c && *set; set++)
		if (c == *set)
			return 1;
	return 0;
}

/* The length of the prefix if the text begins with it byte for byte, else 0. */
static inline size_t begins(const char *text, const char *prefix)
{
	size_t n = 0;

	while (prefix[n] && text[n] == prefix[n])
		n++;
	return prefix[n] ? 0 : n;
}

static inline int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#endif
