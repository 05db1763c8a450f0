/* Redact texts: copy them without their secrets. */
#include "config.h"

#include "common/secrets/redact.h"

#include "common/memtext.h"
#include "common/secrets/pairs.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Overwrite the password or secret parameter of a URL at p. Returns where to go on. */
static char *hide_url_at(char *text, char *p)
{
	const char *secret;
	size_t n = pm_secrets_url(p, &secret);

	if (n == 0)
		return p + 1;
	p = text + (secret - text);
	memset(p, 'x', n);
	return p + n;
}

void pm_redact_hide(char *text)
{
	for (char *p = text; *p;)
		p = hide_url_at(text, p);
}

static char *append_bytes(char *end, const char *s, size_t n)
{
	memcpy(end, s, n);
	return end + n;
}

/* Finds the next secret of a text at or after `from`. Returns its length, with *at its offset; 0 at
 * the end. */
typedef size_t find_fn(void *search, const char *text, size_t from, size_t *at);

static size_t find_text(void *search, const char *text, size_t from, size_t *at)
{
	return pm_secrets_text(search, text, from, at);
}

static size_t find_argument(void *search, const char *text, size_t from, size_t *at)
{
	return pm_secrets_argument(search, text, from, at);
}

static size_t find_pair(void *search, const char *text, size_t from, size_t *at)
{
	(void)text;
	return pm_pairs_secret(search, from, at);
}

/* Copy a text with PM_REDACTED in place of its secrets, and add their number to *count. */
static char *redact_with(void *search, const char *text, find_fn *find, size_t *count)
{
	/* Room for the case that every byte is a secret of its own. */
	char *copy = malloc(strlen(text) * sizeof PM_REDACTED + 1), *end = copy;
	size_t from = 0, at, n;

	if (!copy)
		return NULL;
	for (; (n = find(search, text, from, &at)) != 0; from = at + n) {
		end = append_bytes(end, text + from, at - from);
		end = append_bytes(end, PM_REDACTED, sizeof PM_REDACTED - 1);
		++*count;
	}
	memcpy(end, text + from, strlen(text + from) + 1);
	return copy;
}

char *pm_redact_value(const char *value)
{
	struct pm_secrets s = { 0 };
	size_t count = 0;

	return redact_with(&s, value, find_text, &count);
}

static char *redact_pair(const char *pair, char mark, size_t *count)
{
	struct pm_pairs p;

	pm_pairs_begin(&p, pair, mark);
	return redact_with(&p, pair, find_pair, count);
}

int pm_redact_pair(const char *name, char mark, const char *value, char *clean[2])
{
	bool bare = mark == ':' && strcmp(value, "1") == 0;
	size_t n = strlen(name), count = 0;
	char *text, *pair, *split;

	/* A tag without a value is stored with the value 1. */
	text = malloc(n + strlen(value) + 2);
	if (!text)
		return -1;
	memcpy(text, name, n + 1);
	if (!bare) {
		text[n] = mark;
		memcpy(text + n + 1, value, strlen(value) + 1);
	}
	pair = redact_pair(text, mark, &count);
	if (!pair || count == 0 || strcmp(pair, text) == 0) {
		free(text);
		free(pair);
		return pair ? 0 : -1;
	}
	/* A secret in the name may have swallowed the mark. */
	split = strncmp(pair, text, n + 1) == 0 ? pair + n : strchr(pair, mark);
	free(text);
	clean[0] = split ? strndup(pair, (size_t)(split - pair)) : strdup(pair);
	clean[1] = strdup(split ? split + 1 : bare ? value : "");
	free(pair);
	if (clean[0] && clean[1])
		return 1;
	free(clean[0]);
	free(clean[1]);
	return -1;
}

char *pm_redact_tags(const char *tags, size_t *count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool failed = false;

	*count = 0;
	if (!out)
		return NULL;
	for (const char *p = tags;; p++) {
		size_t n = strcspn(p, ";");
		char *tag = strndup(p, n), *clean = tag ? redact_pair(tag, ':', count) : NULL;

		failed |= !clean;
		if (clean)
			fprintf(out, "%s%s", p > tags ? ";" : "", clean);
		free(clean);
		free(tag);
		p += n;
		if (!*p)
			break;
	}
	if (!pm_memtext_end(out, &text) || failed) {
		free(text);
		return NULL;
	}
	if (strcmp(text, tags) == 0)
		*count = 0;
	return text;
}

char *pm_redact_variable(const char *name, const char *value)
{
	size_t at, n = pm_secrets_value(pm_secrets_name(name, strlen(name)), value, strlen(value),
					&at);
	char *clean;

	if (!n && strlen(name) > 4 && strcmp(name + strlen(name) - 4, "TAGS") == 0)
		return pm_redact_tags(value, &n);
	if (!n)
		return pm_redact_value(value);
	clean = malloc(at + sizeof PM_REDACTED);
	if (clean)
		memcpy(append_bytes(clean, value, at), PM_REDACTED, sizeof PM_REDACTED);
	return clean;
}

char *pm_redact_argument(struct pm_secrets *s, const char *arg)
{
	size_t count = 0;

	return redact_with(s, arg, find_argument, &count);
}

void pm_redact_url(const char *url, char *buf, size_t size)
{
	char *text = pm_redact_value(url);

	snprintf(buf, size, "%s", text ? text : PM_REDACTED);
	free(text);
}
