/* Functions on texts for common/secrets*.c, which the preload has, too: it calls none of libc's
 * that a program may have replaced. */
#ifndef PM_SECRETS_TEXT_H
#define PM_SECRETS_TEXT_H

#include <stddef.h>

static inline size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

/* 1 for a character of the set; the end of a text is none. */
static inline int among(char c, const char *set)
{
	for (; c && *set; set++)
		if (c == *set)
			return 1;
	return 0;
}

/* The length of a prefix that the text begins with, byte for byte, else 0. */
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
