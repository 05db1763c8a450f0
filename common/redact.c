/* Texts without the secrets in them. */
#include "config.h"

#include "common/redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Overwrite what a URL has here. Returns where to go on. */
static char *hide_at(char *text, char *p)
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
		p = hide_at(text, p);
}

static char *put(char *end, const char *s, size_t n)
{
	memcpy(end, s, n);
	return end + n;
}

static char *without(struct pm_secrets *s, const char *text, pm_secrets_find *find)
{
	/* Each of its bytes may be a secret. */
	char *copy = malloc(strlen(text) * sizeof PM_REDACTED + 1), *end = copy;
	size_t from = 0, at, n;

	if (!copy)
		return NULL;
	for (; (n = find(s, text, from, &at)) != 0; from = at + n) {
		end = put(end, text + from, at - from);
		end = put(end, PM_REDACTED, sizeof PM_REDACTED - 1);
	}
	memcpy(end, text + from, strlen(text + from) + 1);
	return copy;
}

char *pm_redact_value(const char *value)
{
	struct pm_secrets s = { 0 };

	return without(&s, value, pm_secrets_text);
}

char *pm_redact_tags(const char *tags)
{
	struct pm_secrets s = { 0 };

	return without(&s, tags, pm_secrets_tags);
}

char *pm_redact_variable(const char *name, const char *value)
{
	size_t at, n = pm_secrets_value(pm_secrets_name(name, strlen(name)), value, strlen(value),
					&at);
	char *clean;

	if (!n && strlen(name) > 4 && strcmp(name + strlen(name) - 4, "TAGS") == 0)
		return pm_redact_tags(value);
	if (!n)
		return pm_redact_value(value);
	clean = malloc(at + sizeof PM_REDACTED);
	if (clean)
		memcpy(put(clean, value, at), PM_REDACTED, sizeof PM_REDACTED);
	return clean;
}

char *pm_redact_argument(struct pm_secrets *s, const char *arg)
{
	return without(s, arg, pm_secrets_argument);
}

void pm_redact_url(const char *url, char *buf, size_t size)
{
	char *text = pm_redact_value(url);

	snprintf(buf, size, "%s", text ? text : PM_REDACTED);
	free(text);
}
