/* Secrets, recognised by name and by form. */
#include "config.h"

#include "common/secrets.h"

/* Parts of names. The tables are arrays, not pointers, which the preload would have to relocate. */
static const char part[][12] = { "PASSW",      "PASSPHRASE", "TOKEN",       "SECRET", "APIKEY",
				 "CREDENTIAL", "COOKIE",     "SESSION_KEY", "BEARER", "SIGNATURE",
				 "PRIVATE",    "JWT",        "SASL" };

/* Whole words of names, between underscores, dashes, dots or the ends. */
static const char whole[][6] = { "KEY", "KEYS", "AUTH", "PWD", "PAT", "CREDS" };

/* The end of a word: SSHPASS, DB_PASS. */
static const char last[] = "PASS";

/* Names that these hit and that hold none. */
static const char innocent[][7] = { "PWD", "OLDPWD" };

/* Beginnings of keys that issuers give a fixed prefix, and how many more characters of a key
 * must follow. */
static const struct {
	char prefix[12];
	unsigned char least;
} issued[] = {
	{ "ghp_", 20 },     { "gho_", 20 },        { "ghu_", 20 },    { "ghs_", 20 },
	{ "ghr_", 20 },     { "github_pat_", 20 }, { "glpat-", 16 },  { "xoxb-", 10 },
	{ "xoxp-", 10 },    { "xoxa-", 10 },       { "xoxr-", 10 },   { "xoxs-", 10 },
	{ "AKIA", 16 },     { "ASIA", 16 },        { "sk-", 20 },     { "sk_live_", 16 },
	{ "rk_live_", 16 }, { "AIza", 30 },        { "ya29.", 20 },   { "hf_", 20 },
	{ "npm_", 20 },     { "pypi-", 20 },       { "dop_v1_", 20 }, { "eyJ", 30 },
};

/* What stands in front of the token in a header of HTTP. */
static const char scheme[][12] = { "BEARER ", "BASIC ", "NEGOTIATE " };

static const char blank[] = " \t\r\n";
static const char quotes[] = "\"'";

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static int among(char c, const char *set)
{
	for (; c && *set; set++)
		if (c == *set)
			return 1;
	return 0;
}

static int is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (upper(c) >= 'A' && upper(c) <= 'Z');
}

static int is_name(char c)
{
	return is_alnum(c) || among(c, "_-.");
}

/* Length of what is in front of the first of the characters, or of all. */
static size_t until(const char *s, const char *set)
{
	size_t n = 0;

	while (s[n] && !among(s[n], set))
		n++;
	return n;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (is_name(s[n]))
		n++;
	return n;
}

static size_t key_length(const char *s)
{
	size_t n = 0;

	while (is_name(s[n]) || among(s[n], "+/=~"))
		n++;
	return n;
}

/* 1 when the text begins with a word in upper case, in any case of its own. */
static int begins(const char *s, size_t n, const char *word)
{
	size_t len = length(word), i = 0;

	while (i < len && i < n && upper(s[i]) == word[i])
		i++;
	return i == len;
}

static int is_word(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (length(whole[i]) == n && begins(s, n, whole[i]))
			return 1;
	return n >= sizeof last - 1 && begins(s + n - (sizeof last - 1), sizeof last - 1, last);
}

int pm_secrets_named(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof innocent / sizeof *innocent; i++) {
		size_t k = 0;

		while (k < n && name[k] == innocent[i][k])
			k++;
		if (k == n && !innocent[i][k])
			return 0;
	}
	for (size_t at = 0, word = 0; at <= n; at++) {
		for (size_t i = 0; i < sizeof part / sizeof *part; i++)
			if (begins(name + at, n - at, part[i]))
				return 1;
		if (at < n && !among(name[at], "_-."))
			continue;
		if (is_word(name + word, at - word))
			return 1;
		word = at + 1;
	}
	return 0;
}

/* At "://": the password of user:password@. */
static size_t url_password(const char *p, const char **secret)
{
	const char *authority = p + 3, *at = NULL, *colon = authority;

	/* The last '@' before the path ends the user part: passwords hold unencoded ones. */
	for (const char *q = authority; *q && !among(*q, "/?# \t\r\n\"'"); q++)
		if (*q == '@')
			at = q;
	while (at && colon < at && *colon != ':')
		colon++;
	if (!at || colon == at || colon + 1 == at)
		return 0;
	*secret = colon + 1;
	return (size_t)(at - colon - 1);
}

size_t pm_secrets_url(const char *p, const char **secret)
{
	size_t n;

	if (p[0] == ':' && p[1] == '/' && p[2] == '/')
		return url_password(p, secret);
	if (*p != '?' && *p != '&')
		return 0;
	n = until(p + 1, "=&?/# \t\r\n\"'");
	if (p[1 + n] != '=' || !pm_secrets_named(p + 1, n))
		return 0;
	*secret = p + 1 + n + 1;
	return until(*secret, "&# \t\r\n\"'");
}

/* Length of a quotation mark at s, with the backslash that it may have inside another; else 0. */
static size_t quote(const char *s)
{
	return among(s[0], quotes) ? 1 : s[0] == '\\' && among(s[1], quotes) ? 2 : 0;
}

/* A value at p, in quotation marks or as long as none of the characters comes. */
static size_t value(const char *p, const char *end, const char **secret)
{
	size_t n = quote(p);
	char set[] = { n ? p[n - 1] : '\0', '\\', '\0' };

	*secret = p + n;
	/* Inside marks that have a backslash, the one before the next of them ends it. */
	if (n == 1)
		set[1] = '\0';
	return until(p + n, n ? set : end);
}

/* At the beginning of a word: NAME=VALUE, NAME: VALUE, "NAME":VALUE, --NAME VALUE. */
static size_t named_value(const char *p, const char **secret)
{
	size_t n = name_length(p), mark = quote(p + n), blanks = 0;
	const char *q = p + n + mark;

	if (n == 0 || !pm_secrets_named(p, n))
		return 0;
	/* == compares. */
	if (*q == '=' && !mark)
		return q[1] == '=' ? 0 : value(q + 1, " \t\r\n\"';&|<>(){}", secret);
	if (*q == ':') {
		while (q[1 + blanks] == ' ')
			blanks++;
		/* A list of folders has neither blank nor mark. */
		if (mark)
			return value(q + 1 + blanks, ",}] \t\r\n\"'", secret);
		return blanks ? value(q + 1 + blanks, "\r\n\"'", secret) : 0;
	}
	while (among(q[blanks], blank))
		blanks++;
	if (*p != '-' || mark || !blanks || !pm_secrets_follows(q + blanks))
		return 0;
	return value(q + blanks, " \t\r\n\"';&|<>(){}", secret);
}

static size_t known_key(const char *p, const char **secret)
{
	size_t n;

	for (size_t i = 0; i < sizeof issued / sizeof *issued; i++) {
		const char *prefix = issued[i].prefix;

		for (n = 0; prefix[n] && p[n] == prefix[n];)
			n++;
		if (!prefix[n] && key_length(p + n) >= issued[i].least) {
			*secret = p;
			return n + key_length(p + n);
		}
	}
	for (size_t i = 0; i < sizeof scheme / sizeof *scheme; i++) {
		n = length(scheme[i]);
		if (begins(p, n, scheme[i]) && key_length(p + n) >= 8) {
			*secret = p + n;
			return key_length(p + n);
		}
	}
	return 0;
}

static size_t private_key(const char *p, const char **secret)
{
	static const char begin[] = "-----BEGIN", key[] = "PRIVATE KEY";

	if (!begins(p, sizeof begin - 1, begin))
		return 0;
	/* Of the first line, with the kind of the key in between. */
	for (const char *q = p; *q && *q != '\n' && q < p + 64; q++)
		if (begins(q, sizeof key - 1, key)) {
			*secret = p;
			return length(p);
		}
	return 0;
}

size_t pm_secrets_find(const char *text, size_t from, size_t *at)
{
	for (const char *p = text + from; *p; p++) {
		char before = p == text ? '\0' : p[-1];
		const char *secret = p;
		size_t n = pm_secrets_url(p, &secret);

		if (!n && !is_alnum(before) && before != '_')
			n = known_key(p, &secret);
		if (!n && !is_name(before))
			n = named_value(p, &secret);
		if (!n && *p == '-')
			n = private_key(p, &secret);
		if (n) {
			*at = (size_t)(secret - text);
			return n;
		}
	}
	return 0;
}

size_t pm_secrets_find_argument(const char *arg, size_t from, size_t *at)
{
	size_t n = name_length(arg);

	if (from == 0 && arg[n] == '=' && arg[n + 1] && pm_secrets_named(arg, n)) {
		*at = n + 1;
		return length(arg + n + 1);
	}
	return pm_secrets_find(arg, from, at);
}

int pm_secrets_expected(const char *arg)
{
	size_t n = name_length(arg);

	return arg[0] == '-' && !arg[n] && pm_secrets_named(arg, n);
}

int pm_secrets_follows(const char *arg)
{
	return arg[0] && (arg[0] != '-' || arg[1] != '-');
}
