/* Find secrets in texts and command lines in one pass, which looks closer where names and words
 * begin. */
#include "config.h"

#include "common/secrets/secrets.h"

#include "common/secrets/secrets_form.h"
#include "common/secrets/secrets_key.h"
#include "common/secrets/secrets_text.h"

/* An array, not pointers, which the preload would have to relocate. */
static const char header[][14] = {
#define PM_SECRET_HEADER(text) text,
#include "common/secrets/secrets.def"
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char blank[] = " \t\r\n";

/* Character classes: one table look-up in place of many comparisons. */
enum {
	NAME = 1,     /* part of a name */
	WORD_END = 4, /* ends a word of a shell command; NUL does, too */
	OPENS = 8,    /* a word may begin after it; NUL stands for the beginning of the text */
	URL = 16,     /* may begin a match of pm_secrets_url() or find_here_string() */
	COMMAND = 32, /* another command begins after it */
	ASSIGN = 64,  /* separates a name from its value */
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

static int is_class(char c, int what)
{
	return class[(unsigned char)c] & what;
}

/* Length of s up to the first character of the set, or to its end. */
static size_t length_until(const char *s, const char *set)
{
	size_t n = 0;

	while (s[n] && !among(s[n], set))
		n++;
	return n;
}

/* Length of the run of characters of a class at s. */
static size_t class_span(const char *s, int what)
{
	size_t n = 0;

	while (is_class(s[n], what))
		n++;
	return n;
}

static size_t word_length(const char *s)
{
	size_t n = 0;

	while (!is_class(s[n], WORD_END))
		n++;
	return n;
}

/* At "://", find the password of user:password@, or a key in place of the user. */
static size_t url_user(const char *p, const char **secret)
{
	const char *authority = p + 3, *at = NULL, *colon = authority;

	/* The last '@' before the path ends the user part: passwords may contain unencoded ones. */
	for (const char *q = authority; *q && !among(*q, "/?# \t\r\n\"'"); q++)
		if (*q == '@')
			at = q;
	while (at && colon < at && *colon != ':')
		colon++;
	if (!at)
		return 0;
	if (colon == at)
		return pm_secrets_hidden(PM_HIDE_RANDOM, authority, (size_t)(at - authority),
					 secret);
	return pm_secrets_hidden(PM_HIDE_ALL, colon + 1, (size_t)(at - colon - 1), secret);
}

/* Most bytes of a value that are examined. Without a limit, names that follow each other without a
 * blank would be scanned again and again. */
#define LOOKED_AT 512

/* Find the secret in the value at p. The value is quoted, or ends before the first character of
 * `end`; NULL: it ends with the word. */
static size_t find_value(enum pm_hide how, const char *p, const char *end, const char **secret)
{
	size_t n = pm_secrets_quote(p), len, hit;
	char set[] = { n ? p[n - 1] : '\0', '\\', '\0' };

	if (!how)
		return 0;
	/* A string between \" and \" ends at the backslash of the closing mark. */
	if (n == 1)
		set[1] = '\0';
	/* Skip a value redacted before, whose closing bracket may otherwise end a value, and {{
	 * name }} of a template. */
	if (!n && (begins(p, PM_REDACTED) || begins(p, "{{")))
		return 0;
	if (*p == '[' || *p == '{') {
		hit = n ? 0 : pm_secrets_brackets(how, p);
		if (hit) {
			*secret = p;
			return hit + (end ? length_until(p + hit, end) : word_length(p + hit));
		}
		if (!n)
			return 0;
	}
	p += n;
	if (n)
		end = set;
	for (len = 0; len < LOOKED_AT && p[len] &&
		      (end ? !among(p[len], end) : !is_class(p[len], WORD_END));)
		len++;
	hit = pm_secrets_hidden(how, p, len, secret);
	if (hit && len == LOOKED_AT)
		hit += end ? length_until(p + len, end) : word_length(p + len);
	return hit;
}

/* If the word at p follows a quotation mark, the characters that end it; else NULL. */
static const char *enclosing_quote(const char *text, const char *p)
{
	if (p == text || !among(p[-1], "\"'"))
		return NULL;
	if (p > text + 1 && p[-2] == '\\')
		return p[-1] == '"' ? "\"\\" : "'\\";
	return p[-1] == '"' ? "\"" : "'";
}

/* As find_value() for a value in a shell command or program; no secret if the value says where to
 * get it from. */
static size_t find_unless_elsewhere(enum pm_hide how, const char *p, int code, const char **secret)
{
	if (*p == '"' ? among(p[1], "$`") && pm_secrets_elsewhere(p + 1, 0)
		      : pm_secrets_elsewhere(p, code))
		return 0;
	return find_value(how, p, NULL, secret);
}

/* Find the secret in the value at p of a quoted word that ends at a character of `end`. In
 * '--password=a&b c' the value is all of "a&b c"; in 'password=a user=b', 'password=a&user=b' and
 * "--password=a --user=b" it ends before the next name. */
static size_t find_enclosed(enum pm_hide how, const char *name, const char *p, const char *end,
			    const char **secret)
{
	size_t n = length_until(p, end), i;

	if (n == 0 || !p[n])
		return n == 0 ? 0 : find_unless_elsewhere(how, p, 0, secret);
	for (i = 0; i < n; i++)
		if ((among(p[i], blank) && (*name != '-' || p[i + 1] == '-')) ||
		    (p[i] == '&' && *name != '-' && p[i + 1 + class_span(p + i + 1, NAME)] == '='))
			break;
	n = i;
	return pm_secrets_elsewhere(p, 0) ? 0 : pm_secrets_hidden(how, p, n, secret);
}

size_t pm_secrets_url(const char *p, const char **secret)
{
	size_t n;

	if (p[0] == ':' && p[1] == '/' && p[2] == '/')
		return url_user(p, secret);
	if (*p != '?' && *p != '&' && *p != '#')
		return 0;
	n = length_until(p + 1, "=&?/# \t\r\n\"'");
	if (p[1 + n] != '=')
		return 0;
	p += 1;
	return find_value(pm_secrets_encoded(p, n), p + n + 1, "&# \t\r\n\"'", secret);
}

static int is_header(const char *name, size_t n)
{
	for (size_t i = 0; i < COUNT(header); i++)
		if (pm_secrets_begins(name, n, header[i]))
			return 1;
	return 0;
}

/* What to hide of NAME:VALUE without a blank. NAME is an option or a word with a password's name.
 * Lists of folders and names of container images have the same form, so less is hidden. */
static enum pm_hide unspaced_hide(enum pm_hide how, const char *text, const char *name,
				  const char *p)
{
	char before = name > text ? name[-1] : '\0';

	if (*p == ':' || *p == '/' || is_class(*p, WORD_END))
		return PM_HIDE_NONE;
	/* keytool -storepass:env NAME */
	if (*name == '-' && (begins(p, "env") || begins(p, "file")) && word_length(p) <= 4)
		return PM_HIDE_NONE;
	if (before == '/' && is_class(name > text + 1 ? name[-2] : '\0', OPENS))
		return how == PM_HIDE_ALL ? PM_HIDE_PLACE : PM_HIDE_NONE;
	if (!is_class(before, OPENS) && before != ',')
		return PM_HIDE_NONE;
	if (*name == '-')
		return how == PM_HIDE_ALL ? PM_HIDE_PLACE : how;
	return how == PM_HIDE_ALL ? PM_HIDE_LIKELY : PM_HIDE_RANDOM;
}

/* 1 for three words of small letters or more at p: "password: prompt handling mended". */
static int is_sentence(const char *p)
{
	size_t words = 0;

	while (*p >= 'a' && *p <= 'z') {
		while (*p >= 'a' && *p <= 'z')
			p++;
		if (!is_class(*p, WORD_END) && !among(*p, ",."))
			return 0;
		words++;
		while (among(*p, ",. "))
			p++;
	}
	return words >= 3;
}

/* Find the secret after the colon of "NAME: VALUE". For an HTTP header it is the rest of the line
 * without the scheme. */
static size_t find_in_field(enum pm_hide how, const char *text, const char *name, size_t n,
			    const char *p, const char **secret)
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
			return pm_secrets_hidden(how, p + first, len - first, secret);
		return pm_secrets_hidden(how == PM_HIDE_RANDOM ? PM_HIDE_LIKELY : how, p, len,
					 secret);
	}
	if (!blanks)
		return find_value(unspaced_hide(how, text, name, p), p, NULL, secret);
	/* Several words are a sentence, not a value. */
	if (among(p[word_length(p)], " \t") &&
	    (how != PM_HIDE_ALL || (name > text && name[-1] == ' ' && is_sentence(p))))
		return 0;
	if (*p == '[' || *p == '{')
		return find_value(how, p, "\r\n\"'", secret);
	return pm_secrets_hidden(how, p, length_until(p, "\r\n\"'"), secret);
}

/* 1 when an argument, or a word of a command, is a value and not another option: --x, -x, -xyz. */
static int is_value(const char *arg)
{
	size_t n = 1;

	if (arg[0] != '-')
		return arg[0] != '\0';
	while (arg[n] >= 'a' && arg[n] <= 'z')
		n++;
	return arg[1] != '-' && !is_class(arg[n], WORD_END);
}

/* Find the value of an option that ends at p: in the same text, or in the next argument. */
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
		blanks = class_span(p, NAME);
		return next_value(s, pm_secrets_name(p, blanks), p + blanks, secret);
	}
	n = find_unless_elsewhere(how, p + blanks, 0, secret);
	if (!n)
		pm_secrets_skip(s);
	return n;
}

/* Find the secret of a name of n bytes at p: NAME=VALUE, NAME: VALUE, "NAME" : VALUE, --NAME VALUE.
 */
static size_t named_value(struct pm_secrets *s, const char *text, const char *p, size_t n,
			  const char **secret)
{
	size_t mark = pm_secrets_quote(p + n), blanks = 0, assign, len;
	const char *q = p + n + mark, *end = enclosing_quote(text, p);
	enum pm_hide how;

	while (among(q[blanks], blank))
		blanks++;
	if (!is_class(q[blanks], ASSIGN) && *p != '-')
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
		len = 1 + length_until(q + 1, "<\r\n");
		if (p == text || p[-1] != '<' || q[len] != '<' || q[len + 1] != '/')
			return 0;
		return find_value(how, q + 1, "<", secret);
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
			return find_value(how, q, ";\r\n\"'", secret);
		len = p > text && p[-1] == ',' ? pm_secrets_listed(q) : 0;
		if (len)
			return pm_secrets_hidden(how, q, len, secret);
		if (end && !mark && blanks == 0 && !among(*q, "[{") &&
		    (!pm_secrets_quote(q) || among(*q, end)))
			return find_enclosed(how, p, q, end, secret);
		return find_unless_elsewhere(how, q, blanks > 0, secret);
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
		return find_value(how, q, ",}] \t\r\n\"'", secret);
	}
	if (*q == ':')
		return find_in_field(how, text, p, n, q + 1, secret);
	return *p == '-' && !mark ? next_value(s, how, q, secret) : 0;
}

/* Find the secret in the word that begins at p: a program, or an option or operand of the current
 * program. *skip becomes the word's length where the table says to skip it. */
static size_t find_in_word(struct pm_secrets *s, const char *text, const char *p,
			   const char **secret, size_t *skip)
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
	/* An argument may contain blanks. */
	if (p == text && !pm_secrets_inner(s))
		n = length(p);
	else if ((end = enclosing_quote(text, p)) != NULL)
		n = length_until(p, end);
	return pm_secrets_hidden(how, p + from, n - from, secret);
}

/* Find the secret of the name that begins at p: its value, or the name itself as an issued key. *n
 * gets the name's length. */
static size_t find_at_name(struct pm_secrets *s, const char *text, const char *p, size_t *n,
			   const char **secret)
{
	size_t len = pm_secrets_key(p, secret);

	*n = class_span(p, NAME);
	if (!len && *p == '-')
		len = pm_secrets_private_key(p);
	if (!len)
		len = named_value(s, text, p, *n, secret);
	for (size_t i = 1; i < *n && !len; i++)
		if (p[i - 1] == '-' || p[i - 1] == '.')
			len = pm_secrets_key(p + i, secret);
	return len;
}

/* Find the secret of "<<< SECRET" at p. */
static size_t find_here_string(const char *text, const char *p, const char **secret)
{
	if (!pm_secrets_here(text, p))
		return 0;
	for (p += 3; among(*p, " \t");)
		p++;
	return find_unless_elsewhere(PM_HIDE_ALL, p, 0, secret);
}

/* Search from `from` on. With `known` 1 the first word has been handled already. */
static size_t search_text(struct pm_secrets *s, const char *text, size_t from, int known,
			  size_t *at)
{
	const char *p = text + from;

	while (*p) {
		char before = p == text ? '\0' : p[-1];
		const char *secret = p;
		size_t n = 0, skip = 1;

		if (is_class(before, OPENS) && (p > text || !known))
			n = find_in_word(s, text, p, &secret, &skip);
		if (!n && skip == 1 && is_class(*p, NAME) && !is_class(before, NAME))
			n = find_at_name(s, text, p, &skip, &secret);
		if (!n && is_class(*p, URL))
			n = *p == '<' ? find_here_string(text, p, &secret)
				      : pm_secrets_url(p, &secret);
		if (n) {
			*at = (size_t)(secret - text);
			return n;
		}
		if (is_class(*p, COMMAND))
			pm_secrets_command(s);
		p += skip;
	}
	return 0;
}

size_t pm_secrets_text(struct pm_secrets *s, const char *text, size_t from, size_t *at)
{
	return search_text(s, text, from, 0, at);
}

/* 1 when the text after NAME= makes the argument a piece of shell code (NAME=; command or
 * NAME=$(command)) rather than a plain NAME=VALUE. */
static int is_command(const char *p)
{
	if (among(*p, ";&|"))
		return is_class(p[1], OPENS);
	/* A '$' that is left after the shell's expansion is part of a password. */
	if (*p == '$' && !p[1 + class_span(p + 1, NAME)])
		return 0;
	return !is_class(*p, NAME) && pm_secrets_elsewhere(p, 0);
}

/* 1 for the version of a package: secretstorage==3.3.3 */
static int is_version(const char *p)
{
	return p[0] == '=' && p[1] == '=' && p[2] >= '0' && p[2] <= '9';
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
		n = find_in_word(s, arg, arg, &secret, &skip);
		if (n) {
			*at = (size_t)(secret - arg);
			return n;
		}
		if (skip == 1 && arg[name_len = class_span(arg, NAME)] == '=' &&
		    !is_version(arg + name_len) && !is_command(arg + name_len + 1)) {
			n = pm_secrets_value(pm_secrets_name(arg, name_len), arg + name_len + 1,
					     length(arg + name_len + 1), at);
			*at += name_len + 1;
		}
		if (n)
			return n;
	}
	return search_text(s, arg, skip > 1 ? skip : from, from == 0, at);
}
