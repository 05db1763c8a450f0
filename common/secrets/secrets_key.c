/* Recognise keys by their prefixes. */
#include "config.h"

#include "common/secrets/secrets_key.h"

#include "common/secrets/secrets_name.h"
#include "common/secrets/secrets_text.h"

#include <stdint.h>

/* The tables are arrays, not pointers, which the preload would have to relocate. */
static const struct {
	char prefix[12];
	unsigned char least;
} issued[] = {
#define PM_SECRET_ISSUED(prefix, least) { prefix, least },
#include "common/secrets/secrets.def"
};

static const char place[][28] = {
#define PM_SECRET_PLACE(text) text,
#include "common/secrets/secrets.def"
};

static const char scheme[][12] = {
#define PM_SECRET_SCHEME(text) text " ",
#include "common/secrets/secrets.def"
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Shortest run of key characters that can be an issued key or a place (PM_SECRET_PLACE). */
#define KEY_LEAST 15
/* Characters of a key counted at first: more than any row requires. */
#define KEY_MOST  64

/* A character of an issued key. */
static int is_key(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       among(c, "_-.+/=~");
}

/* Length of the run of key characters at p, at most `most`. */
static size_t key_span(const char *p, size_t most)
{
	size_t n = 0;

	while (n < most && is_key(p[n]))
		n++;
	return n;
}

/* 1 when some row begins with the character. */
static int may_begin(char c)
{
	const uint64_t first = 0
#define BIT(c)                          | 1ull << ((c)&63)
#define PM_SECRET_ISSUED(prefix, least) BIT(*(prefix))
#define PM_SECRET_PLACE(text)           BIT(*(text))
#define PM_SECRET_SCHEME(text)          BIT(*(text)) BIT(*(text) + 'a' - 'A')
#include "common/secrets/secrets.def"
		;

	return (c & 64) && (first >> (c & 63) & 1);
}

size_t pm_secrets_scheme(const char *p, size_t n)
{
	for (size_t i = 0; i < COUNT(scheme); i++)
		if (pm_secrets_begins(p, n, scheme[i]))
			return begins(scheme[i], scheme[i]);
	return 0;
}

size_t pm_secrets_key(const char *p, const char **secret)
{
	size_t len, n;

	if (!may_begin(*p))
		return 0;
	len = key_span(p, KEY_MOST);
	for (size_t i = 0; i < COUNT(issued) && len >= KEY_LEAST; i++)
		if (*p == issued[i].prefix[0] && (n = begins(p, issued[i].prefix)) != 0 &&
		    len >= n + issued[i].least) {
			*secret = p;
			return len + key_span(p + len, SIZE_MAX);
		}
	for (size_t i = 0; i < COUNT(place) && len >= KEY_LEAST; i++)
		if (*p == place[i][0] && (n = begins(p, place[i])) != 0) {
			for (len = 0; p[n + len] && !among(p[n + len], " \t\r\n\"'<>|;)?");)
				len++;
			return pm_secrets_hidden(PM_HIDE_ALL, p + n, len, secret);
		}
	n = pm_secrets_scheme(p, sizeof *scheme);
	len = n ? key_span(p + n, SIZE_MAX) : 0;
	/* After a scheme such as Basic, text that is short or does not look random is no key but
	 * plain words, as in the title "Basic algebra". */
	return len >= 8 ? pm_secrets_hidden(PM_HIDE_RANDOM, p + n, len, secret) : 0;
}
