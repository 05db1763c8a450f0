/* Secrets in texts and command lines: one pass, which looks closer where names and words begin. */
#include "config.h"

#include "common/secrets.h"
#include "common/secrets_form.h"
#include "common/secrets_key.h"
#include "common/secrets_text.h"

/* An array, not pointers, which the preload would have to relocate. */
static const char header[][14] = {
#define PM_SECRET_HEADER(text) text,
#include "common/secrets.def"
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char blank[] = " \t\r\n";

/* Character classes: one table look-up in place of many comparisons. */
enum {
	NAME = 1,     /* of a name */
	WORD_END = 4, /* the end of a word of a command for a shell; 0 is one */
	OPENS = 8,    /* a word may begin behind it; 0 stands for the beginning of the text */
	URL = 16,     /* where pm_secrets_url() or here() looks */
	COMMAND = 32, /* another command begins behind it */
	ASSIGN = 64,  /* behind a name, in front of its value */
};

static const unsigned char class[256] = {
	['0' ... '9'] = NAME,
	['A' ... 'Z'] = NAME,
	['a' ... 'z'] = NAME,
	['_'] = NAME,
	['-'] = NAME,
	['.'] = NAME,
	['+'] = ASSIGN,
	['='] = ASSIGN,
	['\0'] = WORD_END | OPENS,
	[' '] = WORD_END | OPENS,
	['\t'] = WORD_END | OPENS,
	['\r'] = WORD_END | OPENS,
	['\n'] = WORD_END | OPENS | COMMAND,
	['"'] = WORD_END | OPENS,
	['\''] = WORD_END | OPENS,
	[';'] = WORD_END | OPENS | COMMAND,
	['&'] = WORD_END | OPENS | COMMAND | URL,
	['|'] = WORD_END | OPENS | COMMAND,
	['('] = WORD_END | OPENS,
	['`'] = WORD_END | OPENS,
	['<'] = WORD_END | URL,
	['>'] = WORD_END | ASSIGN,
	[')'] = WORD_END,
	['{'] = WORD_END,
	['}'] = WORD_END | ASSIGN,
	[']'] = ASSIGN,
	[':'] = URL | ASSIGN,
	['?'] = URL | ASSIGN,
	['#'] = URL,
};

static int is(char c, int what)
{
	return class[(unsigned char)c] & what;
}

/* Length of what is in front of the first of the characters, or of all. */
static size_t until(const char *s, const char *set)
{
	size_t n = 0;

	while (s[n] && !among(s[n], set))
		n++;
	return n;
}

/* Length of the run of characters of a class at s. */
static size_t span(const char *s, int what)
{
	size_t n = 0;

	while (is(s[n], what))
		n++;
	return n;
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (!is(s[n], WORD_END))
		n++;
	return n;
}

/* Length of the secret in a value, 0 for none; *secret gets its first byte. */
static size_t hidden(enum pm_hide how, const char *value, size_t n, const char **secret)
{
	size_t at, len = pm_secrets_value(how, value, n, &at);

	if (len)
		*secret = value + at;
	return len;
}

/* At "://": the password of user:password@, or a key in place of the user. */
static size_t url_user(const char *p, const char **secret)
{
	const char *authority = p + 3, *at = NULL, *colon = authority;

	/* The last '@' before the path ends the user part: passwords hold unencoded ones. */
	for (const char *q = authority; *q && !among(*q, "/?# \t\r\n\"'"); q++)
		if (*q == '@')
			at = q;
	while (at && colon < at && *colon != ':')
		colon++;
	if (!at)
		return 0;
	if (colon == at)
		return hidden(PM_HIDE_RANDOM, authority, (size_t)(at - authority), secret);
	return hidden(PM_HIDE_ALL, colon + 1, (size_t)(at - colon - 1), secret);
}

/* Bytes of a value that are examined. Without this limit, names that follow each other without a
 * blank would be scanned again and again. */
#define LOOKED_AT 512

/* A value at p, in quotation marks or as long as none of the characters comes; NULL: a word. */
static size_t value(enum pm_hide how, const char *p, const char *end, const char **secret)
{
	size_t n = pm_secrets_quote(p), len, hit;
	char set[] = { n ? p[n - 1] : '\0', '\\', '\0' };

	if (!how)
		return 0;
	/* Inside marks that have a backslash, the one before the next of them ends it. */
	if (n == 1)
		set[1] = '\0';
	/* What was redacted before, whose last bracket may end a value; {{ name }} of a template. */
	if (!n && (begins(p, PM_REDACTED) || begins(p, "{{")))
		return 0;
	if (*p == '[' || *p == '{') {
		hit = n ? 0 : pm_secrets_brackets(how, p);
		if (hit) {
			*secret = p;
			return hit + (end ? until(p + hit, end) : word_length(p + hit));
		}
		if (!n)
			return 0;
	}
	p += n;
	if (n)
		end = set;
	for (len = 0;
	     len < LOOKED_AT && p[len] && (end ? !among(p[len], end) : !is(p[len], WORD_END));)
		len++;
	hit = hidden(how, p, len, secret);
	if (hit && len == LOOKED_AT)
		hit += end ? until(p + len, end) : word_length(p + len);
	return hit;
}

/* What ends the word at p, which begins behind a quotation mark; else NULL. */
static const char *enclosing(const char *text, const char *p)
{
	if (p == text || !among(p[-1], "\"'"))
		return NULL;
	if (p > text + 1 && p[-2] == '\\')
		return p[-1] == '"' ? "\"\\" : "'\\";
	return p[-1] == '"' ? "\"" : "'";
}

/* The same in a command or a program, which may say where to get it from. */
static size_t written(enum pm_hide how, const char *p, int code, const char **secret)
{
	if (*p == '"' ? among(p[1], "$`") && pm_secrets_elsewhere(p + 1, 0)
		      : pm_secrets_elsewhere(p, code))
		return 0;
	return value(how, p, NULL, secret);
}

/* The value at p of a word that what comes behind it ends: all of '--password=a&b c', but of
 * 'password=a user=b', 'password=a&user=b' and "--password=a --user=b" what is in front of that. */
static size_t enclosed(enum pm_hide how, const char *name, const char *p, const char *end,
		       const char **secret)
{
	size_t n = until(p, end), i;

	if (n == 0 || !p[n])
		return n == 0 ? 0 : written(how, p, 0, secret);
	for (i = 0; i < n; i++)
		if ((among(p[i], blank) && (*name != '-' || p[i + 1] == '-')) ||
		    (p[i] == '&' && *name != '-' && p[i + 1 + span(p + i + 1, NAME)] == '='))
			break;
	n = i;
	return pm_secrets_elsewhere(p, 0) ? 0 : hidden(how, p, n, secret);
}

size_t pm_secrets_url(const char *p, const char **secret)
{
	size_t n;

	if (p[0] == ':' && p[1] == '/' && p[2] == '/')
		return url_user(p, secret);
	if (*p != '?' && *p != '&' && *p != '#')
		return 0;
	n = until(p + 1, "=&?/# \t\r\n\"'");
	if (p[1 + n] != '=')
		return 0;
	p += 1;
	return value(pm_secrets_encoded(p, n), p + n + 1, "&# \t\r\n\"'", secret);
}

static int is_header(const char *name, size_t n)
{
	for (size_t i = 0; i < COUNT(header); i++)
		if (pm_secrets_begins(name, n, header[i]))
			return 1;
	return 0;
}

/* What NAME:VALUE without a blank hides: an option, or a word with a password's name. A list of
 * folders and an image of a container have that form, too. */
static enum pm_hide unspaced(enum pm_hide how, const char *text, const char *name, const char *p)
{
	char before = name > text ? name[-1] : '\0';

	if (*p == ':' || *p == '/' || is(*p, WORD_END))
		return PM_HIDE_NONE;
	/* keytool -storepass:env NAME */
	if (*name == '-' && (begins(p, "env") || begins(p, "file")) && word_length(p) <= 4)
		return PM_HIDE_NONE;
	if (before == '/' && is(name > text + 1 ? name[-2] : '\0', OPENS))
		return how == PM_HIDE_ALL ? PM_HIDE_PLACE : PM_HIDE_NONE;
	if (!is(before, OPENS) && before != ',')
		return PM_HIDE_NONE;
	if (*name == '-')
		return how == PM_HIDE_ALL ? PM_HIDE_PLACE : how;
	return how == PM_HIDE_ALL ? PM_HIDE_LIKELY : PM_HIDE_RANDOM;
}

/* Behind the colon of "NAME: VALUE": all of the line of a header, but for the scheme in front. */
static size_t field(enum pm_hide how, const char *text, const char *name, size_t n, const char *p,
		    const char **secret)
{
	size_t blanks = 0, len;

	while (among(p[blanks], " \t"))
		blanks++;
	p += blanks;
	if (is_header(name, n)) {
		size_t first;

		len = pm_secrets_header(name > text ? name[-1] : '\0', p);
		first = pm_secrets_scheme(p, len);
		if (first)
			return hidden(how, p + first, len - first, secret);
		return hidden(how == PM_HIDE_RANDOM ? PM_HIDE_LIKELY : how, p, len, secret);
	}
	if (!blanks)
		return value(unspaced(how, text, name, p), p, NULL, secret);
	/* A sentence has several words. */
	if (how != PM_HIDE_ALL && among(p[word_length(p)], " \t"))
		return 0;
	if (*p == '[' || *p == '{')
		return value(how, p, "\r\n\"'", secret);
	return hidden(how, p, until(p, "\r\n\"'"), secret);
}

/* 1 when an argument, or a word of a command, is a value and not one more option: --x, -x, -xyz. */
static int is_value(const char *arg)
{
	size_t n = 1;

	if (arg[0] != '-')
		return arg[0] != '\0';
	while (arg[n] >= 'a' && arg[n] <= 'z')
		n++;
	return arg[1] != '-' && !is(arg[n], WORD_END);
}

/* The value of an option that ends at p: in the same text, or in the next argument. */
static size_t next_value(struct pm_secrets *s, enum pm_hide how, const char *p, const char **secret)
{
	size_t blanks = 0, n;

	if (!*p) {
		/* The program's own rule for this option overrides the words in its name. */
		if (!s->expect)
			s->expect = (unsigned char)how;
		return 0;
	}
	while (among(p[blanks], blank))
		blanks++;
	if (!blanks || !is_value(p + blanks) ||
	    (how == PM_HIDE_QUOTED && !pm_secrets_quote(p + blanks)))
		return 0;
	if (how == PM_HIDE_NAMED) {
		p += blanks;
		blanks = span(p, NAME);
		return next_value(s, pm_secrets_name(p, blanks), p + blanks, secret);
	}
	n = written(how, p + blanks, 0, secret);
	if (!n)
		pm_secrets_skip(s);
	return n;
}

/* A name of n bytes: NAME=VALUE, NAME: VALUE, "NAME" : VALUE, --NAME VALUE. */
static size_t named_value(struct pm_secrets *s, const char *text, const char *p, size_t n,
			  const char **secret)
{
	size_t mark = pm_secrets_quote(p + n), blanks = 0, assign, len;
	const char *q = p + n + mark, *end = enclosing(text, p);
	enum pm_hide how;

	while (among(q[blanks], blank))
		blanks++;
	if (!is(q[blanks], ASSIGN) && *p != '-')
		return 0;
	how = pm_secrets_name(p, n);
	if (!how && n == 3 && !mark && blanks == 0)
		how = pm_secrets_odbc(text, p, q);
	if (!how)
		return 0;
	/* x["NAME"] = VALUE */
	if (blanks == 0 && among(*q, "]}"))
		for (q++; among(q[blanks], blank);)
			blanks++;
	if (q[-1] == ']' || q[-1] == '}' ? q[blanks] != '=' : 0)
		return 0;
	if (*q == '>') {
		/* <NAME>VALUE</NAME>, but not "--password <password> --user <user>" */
		len = 1 + until(q + 1, "<\r\n");
		if (p == text || p[-1] != '<' || q[len] != '<' || q[len + 1] != '/')
			return 0;
		return value(how, q + 1, "<", secret);
	}
	assign = pm_secrets_assigns(q + blanks);
	if (assign) {
		q += blanks + assign;
		if (q[-1] == '>')
			blanks = 1;
		while (blanks > 0 && among(*q, blank))
			q++;
		/* s/NAME=//g */
		if (p > text && among(p[-1], "/^") && q[0] == '/' && q[1] == '/')
			return 0;
		/* --from-file=NAME=PATH */
		if (p > text + 4 && p[-1] == '=' && pm_secrets_begins(p - 5, 4, "FILE"))
			return 0;
		if (blanks == 0 && pm_secrets_connection(text, p, q))
			return value(how, q, ";\r\n\"'", secret);
		len = p > text && p[-1] == ',' ? pm_secrets_listed(q) : 0;
		if (len)
			return hidden(how, q, len, secret);
		if (end && !mark && blanks == 0 && !among(*q, "[{") &&
		    (!pm_secrets_quote(q) || among(*q, end)))
			return enclosed(how, p, q, end, secret);
		return written(how, q, blanks > 0, secret);
	}
	if (q[blanks] == ':' && mark) {
		size_t half;

		for (q += blanks + 1; among(*q, blank);)
			q++;
		half = begins(q, PM_REDACTED) ? pm_secrets_brackets(how, q) : 0;
		if (half) {
			*secret = q;
			return half;
		}
		return value(how, q, ",}] \t\r\n\"'", secret);
	}
	if (*q == ':')
		return field(how, text, p, n, q + 1, secret);
	return *p == '-' && !mark ? next_value(s, how, q, secret) : 0;
}

/* Handle the word that begins at p: a program, or an option or operand of the current one. *skip
 * becomes its length where the option's name says no more than that. */
static size_t word(struct pm_secrets *s, const char *text, const char *p, const char **secret,
		   size_t *skip)
{
	size_t n = word_length(p), from;
	enum pm_hide how = pm_secrets_option(s, text, p, n, &from);
	const char *end;

	if (!how)
		return 0;
	if (how == PM_HIDE_SKIP)
		*skip = n;
	if (how == PM_HIDE_PIPED)
		return pm_secrets_piped(p + n, secret);
	if (from == n)
		return next_value(s, how, p + n, secret);
	/* An argument may have blanks. */
	if (p == text && !pm_secrets_inner(s))
		n = length(p);
	else if ((end = enclosing(text, p)) != NULL)
		n = until(p, end);
	return hidden(how, p + from, n - from, secret);
}

/* A name begins at p: what it names, or a key. *n is its length. */
static size_t name(struct pm_secrets *s, const char *text, const char *p, size_t *n,
		   const char **secret)
{
	size_t len = pm_secrets_key(p, secret);

	*n = span(p, NAME);
	if (!len && *p == '-')
		len = pm_secrets_private_key(p);
	if (!len)
		len = named_value(s, text, p, *n, secret);
	for (size_t i = 1; i < *n && !len; i++)
		if (p[i - 1] == '-' || p[i - 1] == '.')
			len = pm_secrets_key(p + i, secret);
	return len;
}

/* "<<< SECRET" at p. */
static size_t here(const char *text, const char *p, const char **secret)
{
	if (!pm_secrets_here(text, p))
		return 0;
	for (p += 3; among(*p, " \t");)
		p++;
	return written(PM_HIDE_ALL, p, 0, secret);
}

/* Search from `from` on; what begins the text is known with `known` 1. */
static size_t search(struct pm_secrets *s, const char *text, size_t from, int known, size_t *at)
{
	const char *p = text + from;

	while (*p) {
		char before = p == text ? '\0' : p[-1];
		const char *secret = p;
		size_t n = 0, skip = 1;

		if (is(before, OPENS) && (p > text || !known))
			n = word(s, text, p, &secret, &skip);
		if (!n && skip == 1 && is(*p, NAME) && !is(before, NAME))
			n = name(s, text, p, &skip, &secret);
		if (!n && is(*p, URL))
			n = *p == '<' ? here(text, p, &secret) : pm_secrets_url(p, &secret);
		if (n) {
			*at = (size_t)(secret - text);
			return n;
		}
		/* Another command. */
		if (is(*p, COMMAND))
			pm_secrets_command(s);
		p += skip;
	}
	return 0;
}

size_t pm_secrets_text(struct pm_secrets *s, const char *text, size_t from, size_t *at)
{
	return search(s, text, from, 0, at);
}

/* 1 when NAME= and the text behind it are no variable but a command, which begins with one. */
static int is_command(const char *p)
{
	if (among(*p, ";&|"))
		return is(p[1], OPENS);
	/* What the shell did not replace is a password. */
	if (*p == '$' && !p[1 + span(p + 1, NAME)])
		return 0;
	return !is(*p, NAME) && pm_secrets_elsewhere(p, 0);
}

size_t pm_secrets_argument(struct pm_secrets *s, const char *arg, size_t from, size_t *at)
{
	size_t skip = 1;

	if (from == 0) {
		enum pm_hide how = (enum pm_hide)s->expect;
		const char *secret = arg;
		size_t n = 0, name_len;

		s->expect = PM_HIDE_NONE;
		pm_secrets_outer(s);
		if (how == PM_HIDE_NAMED)
			s->expect = (unsigned char)pm_secrets_name(arg, length(arg));
		else if (how && is_value(arg) &&
			 (n = pm_secrets_value(how, arg, length(arg), at)) == 0)
			pm_secrets_skip(s);
		if (n)
			return n;
		n = word(s, arg, arg, &secret, &skip);
		if (n) {
			*at = (size_t)(secret - arg);
			return n;
		}
		if (skip == 1 && arg[name_len = span(arg, NAME)] == '=' &&
		    !is_command(arg + name_len + 1)) {
			n = pm_secrets_value(pm_secrets_name(arg, name_len), arg + name_len + 1,
					     length(arg + name_len + 1), at);
			*at += name_len + 1;
		}
		if (n)
			return n;
	}
	return search(s, arg, skip > 1 ? skip : from, from == 0, at);
}
