/* Recognise names of secrets, and values that are no secrets in spite of their names. */
#include "config.h"

#include "common/secrets/secrets_name.h"

#include "common/secrets/secrets_text.h"

/* Most bytes of a name that are examined, counted from its end without separators. */
#define NAME_MAX_SQUASHED 96

/* The tables are arrays, not pointers, which the preload would have to relocate. */
struct rule {
	char text[15];
	unsigned char n;
	unsigned char how;
};

#define RULE(text, how) { text, sizeof(text) - 1, how },

static const struct rule part[] = {
#define PM_SECRET_PART(text, kind) RULE(text, PM_HIDE_##kind)
#include "common/secrets/secrets.def"
};

static const struct rule tail[] = {
#define PM_SECRET_TAIL(text, kind) RULE(text, PM_HIDE_##kind)
#include "common/secrets/secrets.def"
};

static const struct rule word[] = {
#define PM_SECRET_WORD(text, kind) RULE(text, PM_HIDE_##kind)
#include "common/secrets/secrets.def"
};

static const struct rule not_secret[] = {
#define PM_SECRET_NOT(text) RULE(text, PM_HIDE_NONE)
#include "common/secrets/secrets.def"
};

static const char longer[][12] = {
#define PM_SECRET_LONGER(text) text,
#include "common/secrets/secrets.def"
};

static const char asks[][8] = {
#define PM_SECRET_ASKS(text) text,
#include "common/secrets/secrets.def"
};

/* Values that switch something, or name the source of the secret. */
static const char plain[][7] = { "YES",  "NO", "TRUE", "FALSE", "ON",     "OFF",
				 "NONE", "-",  "NULL", "STDIN", "PROMPT", "AUTO" };
static const char source[][8] = { "FILE:", "ENV:", "FD:", "ID=", "SOURCE=" };

/* Authentication methods. */
static const char method[][10] = {
	"ANONYMOUS", "BASIC",  "BEARER", "CERT",    "DIGEST",    "EXTERNAL", "GSS",
	"GSSAPI",    "IDENT",  "JWT",    "KERBEROS", "KRB5",     "LDAP",     "LOGIN",
	"MD5",       "MUNGE",  "NTLM",   "OAUTH",   "OAUTH2",    "PAM",      "PASSWORD",
	"PEER",      "PLAIN",  "PSK",    "PUBLICKEY", "RADIUS",  "REJECT",   "SHA1",
	"SHA256",    "SHA512", "SIMPLE", "SSL",     "SSPI",      "TRUST",    "XOAUTH2",
};
static const char methods[][10] = { "CRAM-", "DIGEST-", "SCRAM-", "SASL-" };

/* File name extensions. */
static const char extension[][6] = { ".ASC", ".CER", ".CFG",  ".CONF", ".CRT", ".DB",  ".GPG",
				     ".INI", ".JKS", ".JSON", ".KEY",  ".P12", ".PEM", ".PUB",
				     ".PFX", ".TXT", ".XML",  ".YAML", ".YML", ".JAR" };

static char to_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

int pm_secrets_begins(const char *text, size_t n, const char *word_)
{
	size_t i = 0;

	while (word_[i] && i < n && to_upper(text[i]) == word_[i])
		i++;
	return !word_[i];
}

/* 1 when the n bytes equal the word, ignoring case. */
static int is_same(const char *text, size_t n, const char *word_)
{
	return length(word_) == n && pm_secrets_begins(text, n, word_);
}

/* A name in upper case without its separators, and the positions where its words begin. */
struct squashed {
	char text[NAME_MAX_SQUASHED];
	unsigned char begins[NAME_MAX_SQUASHED];
	size_t n;
	unsigned letters; /* set of its letters; bit 1 is A */
};

#define LETTER(c) (1u << ((c) & 31))

static void squash_name(struct squashed *s, const char *name, size_t n)
{
	size_t from = n > NAME_MAX_SQUASHED ? n - NAME_MAX_SQUASHED : 0;
	char before = '-';

	s->n = 0;
	s->letters = 0;
	for (size_t i = from; i < n; before = name[i++]) {
		if (name[i] == '_' || name[i] == '-' || name[i] == '.')
			continue;
		s->text[s->n] = to_upper(name[i]);
		s->letters |= LETTER(name[i]);
		s->begins[s->n++] = before == '_' || before == '-' || before == '.' ||
				    (to_upper(before) != before && to_upper(name[i]) == name[i]);
	}
	while (s->n > 0 && is_digit(s->text[s->n - 1]))
		s->n--;
}

/* Length of the rule's text if the name ends with it, else 0. */
static size_t ends_with(const struct squashed *s, const struct rule *r)
{
	if (s->text[s->n - 1] != r->text[r->n - 1] || r->n > s->n)
		return 0;
	for (size_t i = 0; i < r->n; i++)
		if (s->text[s->n - r->n + i] != r->text[i])
			return 0;
	return r->n;
}

/* 1 where a longer word than a rule's begins at `at`: SECRETION. */
static int is_longer(const struct squashed *s, size_t at)
{
	for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
		if (pm_secrets_begins(s->text + at, s->n - at, longer[i]))
			return 1;
	return 0;
}

static int has_part(const struct squashed *s, const struct rule *r)
{
	if (!(s->letters & LETTER(r->text[0])))
		return 0;
	for (size_t at = 0; at + r->n <= s->n; at++)
		if (s->text[at] == r->text[0] &&
		    pm_secrets_begins(s->text + at, s->n - at, r->text) && !is_longer(s, at))
			return 1;
	return 0;
}

/* The rule that the words of a name give, without the exceptions of PM_SECRET_NOT and
 * PM_SECRET_ASKS. */
static enum pm_hide hide_by_words(const struct squashed *s)
{
	const unsigned last = 0
#define PM_SECRET_TAIL(text, kind) | LETTER((text)[sizeof(text) - 2])
#define PM_SECRET_WORD(text, kind) | LETTER((text)[sizeof(text) - 2])
#include "common/secrets/secrets.def"
		;
	enum pm_hide how = PM_HIDE_NONE;
	size_t best = 0, n;
	char end = s->text[s->n - 1];

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].how == PM_HIDE_ALL && has_part(s, &part[i]))
			return PM_HIDE_ALL;
	for (size_t i = 0; i < sizeof tail / sizeof *tail && (last & LETTER(end)); i++)
		if (tail[i].text[tail[i].n - 1] == end && (n = ends_with(s, &tail[i])) > best) {
			best = n;
			how = (enum pm_hide)tail[i].how;
		}
	for (size_t i = 0; i < sizeof word / sizeof *word && (last & LETTER(end)); i++)
		if (word[i].text[word[i].n - 1] == end && (n = ends_with(s, &word[i])) > best &&
		    s->begins[s->n - n]) {
			best = n;
			how = (enum pm_hide)word[i].how;
		}
	for (size_t i = 0; i < sizeof part / sizeof *part && !how; i++)
		if (has_part(s, &part[i]))
			how = (enum pm_hide)part[i].how;
	return how;
}

enum pm_hide pm_secrets_name(const char *name, size_t n)
{
	struct squashed s;
	enum pm_hide how;
	size_t first = 0;

	/* Most options are a single letter. */
	if (n < 3 && (n < 2 || name[0] == '-'))
		return PM_HIDE_NONE;
	/* PWD is the shell's working directory. */
	if (n == 3 && name[0] == 'P' && name[1] == 'W' && name[2] == 'D')
		return PM_HIDE_NONE;
	squash_name(&s, name, n);
	how = s.n > 0 ? hide_by_words(&s) : PM_HIDE_NONE;
	if (!how)
		return how;
	for (size_t i = 0; i < sizeof not_secret / sizeof *not_secret; i++)
		if (ends_with(&s, &not_secret[i]))
			return PM_HIDE_NONE;
	while (first < n && name[first] == '-')
		first++;
	name += first;
	n -= first;
	for (first = 0; first < n && name[first] != '-' && name[first] != '_';)
		first++;
	for (size_t i = 0; i < sizeof asks / sizeof *asks && first < n; i++)
		if (is_same(name, first, asks[i]))
			return PM_HIDE_NONE;
	return how;
}

/* Number of bytes before the first c. */
static size_t length_until(char c, const char *v, size_t n)
{
	size_t i = 0;

	while (i < n && v[i] != c)
		i++;
	return i;
}

/* 1 for <secret> as in manuals, <|token|> of a language model, {{ secret }} of a template, %s, and
 * asterisks or x of a text redacted by others, as in s/password=.\{1,\}/password=REDACTED/. */
static int is_placeholder(const char *v, size_t n)
{
	size_t i = 0;

	while (i < n && v[i] == v[0] && among(v[0], "*xX"))
		i++;
	if ((i == n && n > 2) || is_same(v, n, "%S") ||
	    is_same(v, length_until('/', v, n), "REDACTED"))
		return 1;
	/* The next alternative of a pattern: token=|secret= */
	if (v[0] == '|')
		return 1;
	if (v[0] == '{' && n > 4 && v[1] == '{')
		return v[n - 1] == '}' && v[n - 2] == '}';
	if (v[0] != '<' || v[n - 1] != '>')
		return 0;
	for (i = 1; i < n - 1; i++)
		if (to_upper(v[i]) == v[i] && !(v[i] >= 'A' && v[i] <= 'Z') && !among(v[i], " _-|"))
			return 0;
	return n > 2;
}

/* 1 for ports of a container: 80:80, 127.0.0.1:80:80. */
static int is_ports(const char *v, size_t n)
{
	size_t colons = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_digit(v[i]) && v[i] != ':' && v[i] != '.')
			return 0;
		colons += v[i] == ':';
	}
	return colons > 0 && is_digit(v[0]);
}

static int is_plain(const char *v, size_t n)
{
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (is_same(v, n, plain[i]))
			return 1;
	for (size_t i = 0; i < sizeof source / sizeof *source; i++)
		if (pm_secrets_begins(v, n, source[i]))
			return 1;
	return is_same(v, n, "[REDACTED]") || is_placeholder(v, n) || is_ports(v, n);
}

static int is_path(const char *v, size_t n)
{
	if (v[0] == '/' || v[0] == '~' || v[0] == '@' || pm_secrets_begins(v, n, "./") ||
	    pm_secrets_begins(v, n, "../"))
		return 1;
	for (size_t i = 0; i < sizeof extension / sizeof *extension; i++) {
		size_t k = length(extension[i]);

		if (n > k && is_same(v + n - k, k, extension[i]))
			return 1;
	}
	return 0;
}

static int is_method(const char *v, size_t n)
{
	for (size_t i = 0; i < sizeof method / sizeof *method; i++)
		if (is_same(v, n, method[i]))
			return 1;
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (pm_secrets_begins(v, n, methods[i]))
			return 1;
	return 0;
}

static int is_number(const char *v, size_t n, size_t most)
{
	size_t i = 0;

	while (i < n && is_digit(v[i]))
		i++;
	return i == n && n <= most;
}

/* 1 for a text that looks random: at least 12 letters and digits, which change between digits,
 * lower and upper case 4 times or more, and at every fourth character on average. */
static int is_random(const char *v, size_t n)
{
	size_t characters = 0, changes = 0;
	int before = 0;

	for (size_t i = 0; i < n; i++) {
		int class = is_digit(v[i])               ? 1
			    : v[i] >= 'a' && v[i] <= 'z' ? 2
			    : v[i] >= 'A' && v[i] <= 'Z' ? 3
							 : 0;

		if (!class)
			continue;
		changes += before && class != before;
		characters++;
		before = class;
	}
	return characters >= 12 && changes >= 4 && changes * 4 >= characters;
}

/* Length of the text after the first c, with *at its offset; 0 where it is missing or plain. */
static size_t behind_character(char c, const char *v, size_t n, size_t *at)
{
	size_t i = length_until(c, v, n);

	if (i + 1 >= n || is_plain(v + i + 1, n - i - 1))
		return 0;
	*at = i + 1;
	return n - i - 1;
}

/* The secret of user/SECRET and user/SECRET@database; 0 for a path and for NAME=a/b. */
static size_t behind_user(const char *v, size_t n, size_t *at)
{
	size_t slash = length_until('/', v, n);

	if (slash == 0 || slash > length_until('@', v, n) || slash > length_until('=', v, n) ||
	    v[0] == '.' || v[0] == '~')
		return 0;
	n = behind_character('/', v, n, at);
	return length_until('@', v + slash + 1, n);
}

/* The secret of user:SECRET@host, which ends at the last '@'. */
static size_t before_host(const char *v, size_t n, size_t *at)
{
	while (n > 0 && v[n - 1] != '@')
		n--;
	return n > 0 ? behind_character(':', v, n - 1, at) : 0;
}

/* 1 for NAME= with a value. */
static int is_variable(const char *v, size_t n)
{
	size_t i = 0;

	while (i < n && (is_digit(v[i]) || to_upper(v[i]) != v[i] || (v[i] >= 'A' && v[i] <= 'Z') ||
			 v[i] == '_' || v[i] == '-'))
		i++;
	return i > 0 && i + 1 < n && v[i] == '=' && v[i + 1] != '=';
}

size_t pm_secrets_value(enum pm_hide how, const char *v, size_t n, size_t *at)
{
	*at = 0;
	if (how == PM_HIDE_NONE || how >= PM_HIDE_NOTHING || n == 0 || is_plain(v, n))
		return 0;
	switch (how) {
	case PM_HIDE_LIKELY:
		return is_number(v, n, 5) || is_path(v, n) || is_method(v, n) ? 0 : n;
	case PM_HIDE_RANDOM:
		return is_random(v, n) && !is_path(v, n) ? n : 0;
	case PM_HIDE_PASS:
		/* x265 -x265-params pass=2:keyint=50, qsub -v PASS=1,SEED=77 */
		if (is_number(v, length_until(':', v, n), 2) ||
		    is_number(v, length_until(',', v, n), 2))
			return 0;
		break;
	case PM_HIDE_PLACE:
		return is_path(v, n) ? 0 : n;
	case PM_HIDE_COLON:
		return behind_character(':', v, n, at);
	case PM_HIDE_COMMA:
		return behind_character(',', v, n, at);
	case PM_HIDE_PERCENT:
		return behind_character('%', v, n, at);
	case PM_HIDE_EQUALS:
		return behind_character('=', v, n, at);
	case PM_HIDE_SLASH:
		return behind_user(v, n, at);
	case PM_HIDE_AT:
		return before_host(v, n, at);
	case PM_HIDE_OPERAND:
		if (is_variable(v, n))
			return 0;
		break;
	default:
		break;
	}
	/* openssl's form pass:SECRET. */
	if (pm_secrets_begins(v, n, "PASS:") && n > 5 && !is_plain(v + 5, n - 5))
		return behind_character(':', v, n, at);
	return pm_secrets_begins(v, n, "PASS:") ? 0 : n;
}
