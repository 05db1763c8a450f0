/* Secrets, recognised by name and by form. A false hit costs a value, a miss costs a secret. */
#include "config.h"

#include "common/redact.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Parts of names, upper case. */
static const char *const secret_name[] = {
	"PASSW",   "PASSPHRASE",  "PASSWD",    "TOKEN",  "SECRET", "CREDENTIAL", "APIKEY", "COOKIE",
	"PRIVATE", "SESSION_KEY", "SIGNATURE", "BEARER", "JWT",    "SASL",       NULL,
};

/* Whole words of names, between underscores, dashes or the ends. */
static const char *const secret_word[] = {
	"KEY", "KEYS", "AUTH", "PWD", "PASS", "CREDS", NULL,
};

/* Names that the lists above would hit and that hold none. */
static const char *const innocent_name[] = { "PWD", "OLDPWD", NULL };

/* Beginnings of keys that issuers give a fixed prefix, and how many more characters of a key
 * must follow. */
static const struct {
	const char *prefix;
	size_t least;
} secret_prefix[] = {
	{ "ghp_", 20 },     { "gho_", 20 },        { "ghu_", 20 },    { "ghs_", 20 },
	{ "ghr_", 20 },     { "github_pat_", 20 }, { "glpat-", 16 },  { "xoxb-", 10 },
	{ "xoxp-", 10 },    { "xoxa-", 10 },       { "xoxr-", 10 },   { "xoxs-", 10 },
	{ "AKIA", 16 },     { "ASIA", 16 },        { "sk-", 20 },     { "sk_live_", 16 },
	{ "rk_live_", 16 }, { "AIza", 30 },        { "ya29.", 20 },   { "hf_", 20 },
	{ "npm_", 20 },     { "pypi-", 20 },       { "dop_v1_", 20 }, { "eyJ", 30 },
	{ NULL, 0 },
};

static int name_char_is(char c, char upper)
{
	return toupper((unsigned char)c) == upper;
}

static int holds(const char *name, const char *part)
{
	size_t n = strlen(part);

	for (; *name; name++) {
		size_t i = 0;

		while (i < n && name[i] && name_char_is(name[i], part[i]))
			i++;
		if (i == n)
			return 1;
	}
	return 0;
}

static int holds_word(const char *name, const char *word)
{
	while (*name) {
		size_t n = strcspn(name, "_-.");

		if (n == strlen(word) && strncasecmp(name, word, n) == 0)
			return 1;
		name += n + (name[n] != '\0');
	}
	return 0;
}

int pm_redact_is_secret_name(const char *name)
{
	for (size_t i = 0; innocent_name[i]; i++)
		if (strcmp(name, innocent_name[i]) == 0)
			return 0;
	for (size_t i = 0; secret_name[i]; i++)
		if (holds(name, secret_name[i]))
			return 1;
	for (size_t i = 0; secret_word[i]; i++)
		if (holds_word(name, secret_word[i]))
			return 1;
	return 0;
}

static int is_key_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_-.+/=~", c));
}

static size_t key_length(const char *p)
{
	size_t n = 0;

	while (is_key_char(p[n]))
		n++;
	return n;
}

/* Length of a key with a known prefix at p, 0 for none. */
static size_t known_key(const char *p)
{
	for (size_t i = 0; secret_prefix[i].prefix; i++) {
		size_t n = strlen(secret_prefix[i].prefix);

		if (strncmp(p, secret_prefix[i].prefix, n) == 0 &&
		    key_length(p + n) >= secret_prefix[i].least)
			return n + key_length(p + n);
	}
	return 0;
}

/* Length of "Bearer " or "Basic " before a token at p, 0 for none. */
static size_t authorization(const char *p)
{
	static const char *const scheme[] = { "Bearer ", "Basic ", "Negotiate ", NULL };

	for (size_t i = 0; scheme[i]; i++) {
		size_t n = strlen(scheme[i]);

		if (strncasecmp(p, scheme[i], n) == 0 && key_length(p + n) >= 8)
			return n;
	}
	return 0;
}

/* At "://": where the password of user:password@ begins and how long it is; 0 for none. */
static size_t url_password(const char *p, const char **password)
{
	const char *authority = p + 3, *at = NULL, *colon;

	/* The last '@' before the path ends the user part: passwords hold unencoded ones. */
	for (const char *q = authority; *q && !strchr("/?# \t\r\n\"'", *q); q++)
		if (*q == '@')
			at = q;
	if (!at)
		return 0;
	colon = memchr(authority, ':', (size_t)(at - authority));
	if (!colon || colon + 1 == at)
		return 0;
	*password = colon + 1;
	return (size_t)(at - colon - 1);
}

/* Length of the value of a secret parameter of a URL's query, whose '?' or '&' is at p; 0 where it
 * is none. */
static size_t query_secret(const char *p, const char **secret)
{
	size_t n = strcspn(p + 1, "=&?/# \t\r\n\"'");
	char name[64];

	if (n == 0 || n >= sizeof name || p[1 + n] != '=')
		return 0;
	memcpy(name, p + 1, n);
	name[n] = '\0';
	*secret = p + 1 + n + 1;
	return pm_redact_is_secret_name(name) ? strcspn(*secret, "&# \t\r\n\"'") : 0;
}

/* Length of a secret that a URL has here, 0 for none. */
static size_t url_secret(const char *p, const char **secret)
{
	if (strncmp(p, "://", 3) == 0)
		return url_password(p, secret);
	return *p == '?' || *p == '&' ? query_secret(p, secret) : 0;
}

void pm_redact_hide(char *text)
{
	const char *secret;

	for (char *p = text; *p;) {
		size_t n = url_secret(p, &secret);

		p = n ? text + (secret - text) : p + 1;
		memset(p, 'x', n);
		p += n;
	}
}

/* The text being built; room is made once for the worst case. */
struct out {
	char *text;
	size_t len;
};

static void put(struct out *o, const char *s, size_t n)
{
	memcpy(o->text + o->len, s, n);
	o->len += n;
}

static void put_redacted(struct out *o)
{
	put(o, PM_REDACTED, sizeof PM_REDACTED - 1);
}

char *pm_redact_value(const char *value)
{
	struct out o = { malloc(strlen(value) * sizeof PM_REDACTED + 1), 0 };
	const char *p = value;

	if (!o.text)
		return NULL;
	while (*p) {
		int at_start = p == value || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
		const char *password;
		size_t n;

		if (at_start && (n = known_key(p)) != 0) {
			put_redacted(&o);
			p += n;
		} else if (at_start && (n = authorization(p)) != 0) {
			put(&o, p, n);
			put_redacted(&o);
			p += n + key_length(p + n);
		} else if ((n = url_secret(p, &password)) != 0) {
			put(&o, p, (size_t)(password - p));
			put_redacted(&o);
			p = password + n;
		} else if (strncmp(p, "-----BEGIN", 10) == 0 && strstr(p, "PRIVATE KEY")) {
			put_redacted(&o);
			break;
		} else {
			put(&o, p++, 1);
		}
	}
	o.text[o.len] = '\0';
	return o.text;
}

char *pm_redact_variable(const char *name, const char *value)
{
	return pm_redact_is_secret_name(name) ? strdup(PM_REDACTED) : pm_redact_value(value);
}

char *pm_redact_argument(const char *arg, int *secret_next)
{
	const char *equals = strchr(arg, '=');
	char *name, *text;
	size_t n;

	if (*secret_next) {
		*secret_next = 0;
		if (arg[0] != '-')
			return strdup(PM_REDACTED);
	}
	name = strndup(arg, equals ? (size_t)(equals - arg) : strlen(arg));
	if (!name)
		return NULL;
	if ((arg[0] != '-' && !equals) || !pm_redact_is_secret_name(name)) {
		free(name);
		return pm_redact_value(arg);
	}
	if (!equals) {
		*secret_next = 1;
		return name;
	}
	n = (size_t)(equals - arg) + 1 + sizeof PM_REDACTED;
	text = malloc(n);
	if (text)
		snprintf(text, n, "%s=%s", name, PM_REDACTED);
	free(name);
	return text;
}

void pm_redact_url(const char *url, char *buf, size_t size)
{
	char *text = pm_redact_value(url);

	snprintf(buf, size, "%s", text ? text : PM_REDACTED);
	free(text);
}
