/* A condition in SQL that a user wrote. */
#include "config.h"

#include "db/condition.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Functions that may be called, of either engine. */
static const char *const functions[] = {
	"abs",
	"avg",
	"btrim",
	"cast",
	"ceil",
	"ceiling",
	"char_length",
	"coalesce",
	"concat",
	"count",
	"date",
	"date_part",
	"date_trunc",
	"datetime",
	"extract",
	"floor",
	"format",
	"glob",
	"greatest",
	"ifnull",
	"iif",
	"instr",
	"json_array_length",
	"json_extract",
	"json_type",
	"json_valid",
	"jsonb_extract_path_text",
	"julianday",
	"least",
	"left",
	"length",
	"like",
	"lower",
	"ltrim",
	"max",
	"min",
	"mod",
	"nullif",
	"octet_length",
	"position",
	"printf",
	"regexp_match",
	"regexp_replace",
	"replace",
	"right",
	"round",
	"row_number",
	"rtrim",
	"sign",
	"split_part",
	"starts_with",
	"strftime",
	"strpos",
	"substr",
	"substring",
	"sum",
	"time",
	"to_char",
	"to_timestamp",
	"total",
	"trim",
	"trunc",
	"typeof",
	"unixepoch",
	"upper",
	"->",
	"->>",
};

/* Words of SQL, and types, that may stand before a parenthesis without being called. */
static const char *const words[] = {
	"all",     "and",      "any",   "as",        "between", "by",      "case",    "char",
	"decimal", "distinct", "else",  "escape",    "except",  "exists",  "filter",  "from",
	"having",  "ilike",    "in",    "intersect", "is",      "join",    "limit",   "not",
	"numeric", "offset",   "on",    "or",        "over",    "select",  "similar", "some",
	"then",    "to",       "union", "using",     "values",  "varchar", "when",    "where",
};

static bool is_listed(const char *const *list, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == len && strncasecmp(list[i], name, len) == 0)
			return true;
	return false;
}

#define IS_LISTED(list, name, len) is_listed(list, sizeof(list) / sizeof(list)[0], name, len)

bool pm_condition_calls(const char *name, size_t n)
{
	return IS_LISTED(functions, name, n);
}

/* Where the expression has been read to. */
struct reading {
	const char *p;
	const char *word; /* the word, or the name in double quotes, that ended last; else NULL */
	size_t length;    /* of it */
	int depth;        /* open parentheses */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Read a text or a name in quotes; a quote doubled is two of them. */
static int read_quoted(struct reading *r, struct pm_err *e)
{
	const char *end = strchr(r->p + 1, *r->p);

	if (!end)
		return pm_err(e, "a quote %c is not closed", *r->p);
	/* 'a' directly behind a word is a text of another kind, with escapes of its own. */
	if (r->word && r->word + r->length == r->p && *r->p == '\'' &&
	    !(r->length == 1 && strchr("xX", *r->word)))
		return pm_err(e, "%.*s'...' is not taken: write the text as '...'", (int)r->length,
			      r->word);
	r->word = *r->p == '"' ? r->p : NULL;
	r->length = (size_t)(end + 1 - r->p);
	r->p = end + 1;
	return 0;
}

/* Read an opening parenthesis: behind a name it is a call. */
static int read_opening(struct reading *r, struct pm_err *e)
{
	if (r->word && !IS_LISTED(words, r->word, r->length) &&
	    !pm_condition_calls(r->word, r->length))
		return pm_err(e,
			      "the function %.*s is not one that a condition may call; see "
			      "CONDITIONS in perfmon-list(1)",
			      r->length > 40 ? 40 : (int)r->length, r->word);
	r->depth++;
	r->p++;
	r->word = NULL;
	return 0;
}

/* Read one sign. Returns 0, or -1 with e filled: its meaning depends on the engine, or it ends the
 * expression. */
static int read_sign(struct reading *r, struct pm_err *e)
{
	const char c = *r->p;

	if ((c == '-' && r->p[1] == '-') || (c == '/' && r->p[1] == '*'))
		return pm_err(e, "comments (%.2s) are not taken", r->p);
	if (c == ';')
		return pm_err(e, "it is one condition: there can be no semicolon");
	if (c == ':' && r->p[1] == ':' && r->p[2] != ':') {
		r->p++; /* a cast of PostgreSQL */
	} else if (strchr("?$:@#`[]{}\\", c) || iscntrl((unsigned char)c)) {
		return pm_err(e,
			      isprint((unsigned char)c)
				      ? "the sign %c is not taken outside of quotes"
				      : "a control character is not taken",
			      c);
	}
	if (c == ')' && --r->depth < 0)
		return pm_err(e, "a parenthesis ) is closed that was not opened");
	r->p++;
	r->word = NULL;
	return 0;
}

int pm_condition_check(const char *text, struct pm_err *e)
{
	struct reading r = { .p = text };

	if (strlen(text) > PM_CONDITION_MAX)
		return pm_err(e, "it is longer than %d bytes", PM_CONDITION_MAX);
	if (text[strspn(text, " \t\n")] == '\0')
		return pm_err(e, "it is empty");
	while (*r.p) {
		int rc = 0;

		if (is_word(*r.p)) {
			r.word = r.p;
			while (is_word(*r.p))
				r.p++;
			r.length = (size_t)(r.p - r.word);
		} else if (*r.p == '\'' || *r.p == '"') {
			rc = read_quoted(&r, e);
		} else if (*r.p == '(') {
			rc = read_opening(&r, e);
		} else if (strchr(" \t\n", *r.p)) {
			r.p++; /* a word before blanks may be called */
		} else {
			rc = read_sign(&r, e);
		}
		if (rc < 0)
			return -1;
	}
	return r.depth ? pm_err(e, "a parenthesis ( is not closed") : 0;
}
