/* Parse the text of settings: lines, types, numbers with units, expansion. */
#include "config.h"

#include "common/settings/config_parse.h"
#include "common/settings/rules.h"

#include "common/safe/tsv.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *skip_blanks(char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static void cut_end(char *start, char *end)
{
	while (end > start && strchr(" \t\r\n", end[-1]))
		end--;
	*end = '\0';
}

int pm_config_split(char *line, struct pm_config_line *l, struct pm_err *e)
{
	char *name = skip_blanks(line), *equals, *value;

	l->name = l->value = NULL;
	if (strchr("#\r\n", *name))
		return 0;
	equals = strchr(name, '=');
	if (!equals)
		return pm_err(e, "not 'name = value'");
	cut_end(name, equals);
	if (!*name)
		return pm_err(e, "the setting's name before '=' is missing");
	value = skip_blanks(equals + 1);
	if (*value == '"' || *value == '\'') {
		char *close = strchr(value + 1, *value);
		char *rest;

		if (!close)
			return pm_err(e, "closing quote is missing");
		rest = skip_blanks(close + 1);
		if (!strchr("#\r\n", *rest))
			return pm_err(e, "text after the closing quote");
		*close = '\0';
		value++;
	} else {
		char *end = value + strlen(value);

		for (char *p = value; *p; p++)
			if (*p == '#' && (p == value || p[-1] == ' ' || p[-1] == '\t')) {
				end = p;
				break;
			}
		cut_end(value, end);
	}
	l->name = name;
	l->value = value;
	return 0;
}

/* A unit and its size in base units. */
struct unit {
	const char *name;
	int64_t factor;
};

static const struct unit duration_unit[] = {
	{ "", 1000000 },     { "us", 1 },          { "ms", 1000 },
	{ "s", 1000000 },    { "m", 60000000 },    { "min", 60000000 },
	{ "h", 3600000000 }, { "d", 86400000000 }, { NULL, 0 },
};

static const struct unit size_unit[] = {
	{ "", 1 },          { "B", 1 },         { "k", 1LL << 10 }, { "K", 1LL << 10 },
	{ "M", 1LL << 20 }, { "G", 1LL << 30 }, { "T", 1LL << 40 }, { NULL, 0 },
};

static const struct unit fraction_unit[] = {
	{ "", 1000000 },
	{ "%", 10000 },
	{ NULL, 0 },
};

static const struct unit decimal_unit[] = {
	{ "", 1000000 },
	{ NULL, 0 },
};

/* Parse a whole text of digits with an optional fraction and a unit, without a locale. Digits of
 * the fraction finer than the base unit are dropped. Returns 0 or -1. */
static int parse_with_unit(const char *text, const struct unit *unit, int64_t *out)
{
	size_t whole = strspn(text, "0123456789"), fraction = 0;
	const char *after = text + whole;
	int64_t v = 0, scale;

	if (*after == '.') {
		fraction = strspn(after + 1, "0123456789");
		after += 1 + fraction;
	}
	if (whole + fraction == 0)
		return -1;
	while (unit->name && strcmp(unit->name, after) != 0)
		unit++;
	if (!unit->name || (whole && pm_tsv_number(text, whole, &v) < 0) ||
	    __builtin_mul_overflow(v, unit->factor, &v))
		return -1;
	scale = unit->factor;
	for (size_t i = 0; i < fraction && scale >= 10; i++) {
		int64_t part;

		/* Exact for durations, whose factors are multiples of powers of ten; sizes lose
		 * less than a byte per digit. */
		part = scale * (text[whole + 1 + i] - '0') / 10;
		scale /= 10;
		if (__builtin_add_overflow(v, part, &v))
			return -1;
	}
	*out = v;
	return 0;
}

int pm_duration_parse(const char *text, int64_t *us, struct pm_err *e)
{
	if (parse_with_unit(text, duration_unit, us) < 0)
		return pm_err(e, "'%s' is not a duration such as 500ms, 10s or 1m", text);
	return 0;
}

int pm_size_parse(const char *text, int64_t *bytes, struct pm_err *e)
{
	if (parse_with_unit(text, size_unit, bytes) < 0)
		return pm_err(e, "'%s' is not a size such as 65536, 64k or 1M", text);
	return 0;
}

static int fraction_parse(const char *text, int64_t *millionths, struct pm_err *e)
{
	if (parse_with_unit(text, fraction_unit, millionths) < 0 || *millionths > 1000000)
		return pm_err(e, "'%s' is not a fraction such as 0.05 or 12.5%%", text);
	return 0;
}

static int decimal_parse(const char *text, int64_t *millionths, struct pm_err *e)
{
	if (parse_with_unit(text, decimal_unit, millionths) < 0)
		return pm_err(e, "'%s' is not a number such as 3 or 2.5", text);
	return 0;
}

int pm_config_number(enum pm_setting s, const char *text, int64_t *v, struct pm_err *e)
{
	if (!*text) {
		*v = 0;
		return 0;
	}
	switch (pm_setting_info[s].type) {
	case PM_TYPE_DURATION:
		return pm_duration_parse(text, v, e);
	case PM_TYPE_SIZE:
		return pm_size_parse(text, v, e);
	case PM_TYPE_FRACTION:
		return fraction_parse(text, v, e);
	case PM_TYPE_DECIMAL:
		return decimal_parse(text, v, e);
	default:
		if (pm_tsv_number(text, strlen(text), v) < 0 || *v < 0)
			return pm_err(e, "'%s' is not a whole number of 0 or more", text);
		return 0;
	}
}

static int check_choice(const char *values, const char *text, struct pm_err *e)
{
	size_t len = strlen(text);

	for (const char *p = values; *p;) {
		size_t n = strcspn(p, " ");

		if (n == len && memcmp(p, text, n) == 0)
			return 0;
		p += n + (p[n] == ' ');
	}
	return pm_err(e, "'%s' is not one of: %s", text, values);
}

/* The home directory of a user, of the calling user for "". NULL where unknown. */
static const char *home_of(const char *user)
{
	const char *home = getenv("HOME");
	struct passwd *pw;

	if (!*user && home && *home)
		return home;
	pw = *user ? getpwnam(user) : getpwuid(getuid());
	return pw ? pw->pw_dir : NULL;
}

/* Append n bytes to buf, which has room for size. Returns 0 or -1. */
static int append_text(char *buf, size_t size, size_t *len, const char *s, size_t n)
{
	if (n >= size - *len)
		return -1;
	memcpy(buf + *len, s, n);
	*len += n;
	buf[*len] = '\0';
	return 0;
}

/* Read NAME or {NAME} after the `$` at *p and append the variable's value. Returns 0 or -1 with e
 * filled. */
static int expand_variable(const char **p, char *buf, size_t size, size_t *len, struct pm_err *e)
{
	const char *start = *p + 1, *value;
	int brace = *start == '{';
	char name[128];
	size_t n = 0;

	start += brace;
	while (isalnum((unsigned char)start[n]) || start[n] == '_')
		n++;
	if (n == 0 || n >= sizeof name || (brace && start[n] != '}'))
		return pm_err(e, "'%s': no variable name after '$'", *p);
	memcpy(name, start, n);
	name[n] = '\0';
	value = getenv(name);
	if (!value || !*value)
		return pm_err(e, "variable $%s is not set", name);
	*p = start + n + brace;
	if (append_text(buf, size, len, value, strlen(value)) < 0)
		return pm_err(e, "path too long");
	return 0;
}

static int expand_path(const char *text, char *buf, size_t size, struct pm_err *e)
{
	const char *p = text;
	size_t len = 0;

	buf[0] = '\0';
	if (*p == '~') {
		size_t n = strcspn(p, "/");
		char user[128];
		const char *home;

		if (n > sizeof user)
			return pm_err(e, "user name too long");
		memcpy(user, p + 1, n - 1);
		user[n - 1] = '\0';
		home = home_of(user);
		if (!home)
			return pm_err(e, "no home directory for '~%s'", user);
		if (append_text(buf, size, &len, home, strlen(home)) < 0)
			return pm_err(e, "path too long");
		p += n;
	}
	while (*p) {
		size_t n = strcspn(p, "$");

		if (append_text(buf, size, &len, p, n) < 0)
			return pm_err(e, "path too long");
		p += n;
		if (*p == '$' && expand_variable(&p, buf, size, &len, e) < 0)
			return -1;
	}
	return 0;
}

/* Expand a path, bare or after sqlite:. A URL stays as it is: its password may contain `$`. */
static int expand_database(const char *text, char *buf, size_t size, struct pm_err *e)
{
	static const char sqlite[] = "sqlite:";
	size_t n = strncmp(text, sqlite, sizeof sqlite - 1) == 0 ? sizeof sqlite - 1 : 0;

	if (strlen(text) >= size)
		return pm_err(e, "text too long");
	memcpy(buf, text, n);
	if (strstr(text, "://")) {
		memcpy(buf, text, strlen(text) + 1);
		return 0;
	}
	return expand_path(text + n, buf + n, size - n, e);
}

int pm_database_check(const char *text, struct pm_err *e)
{
	static const char *const known[] = { "sqlite", "postgresql", "postgres" };
	size_t n =
		strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-");

	/* A driver may stand behind the name: postgresql+psycopg2:. */
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (text[n] == ':' && strcspn(text, "+:") == strlen(known[i]) &&
		    strncmp(text, known[i], strlen(known[i])) == 0)
			return 0;
	if ((n == 0 || strncmp(text + n, "://", 3) != 0) && strncmp(text, "file:", 5) != 0)
		return 0;
	errno = EINVAL;
	return pm_err(e, "database %.*s...: give a path, sqlite:PATH or postgresql://...",
		      (int)n + 1, text);
}

int pm_config_check(enum pm_setting s, const char *text, char **value, struct pm_err *e)
{
	char path[PATH_MAX];
	int64_t ignored;

	switch (pm_setting_info[s].type) {
	case PM_TYPE_STRING:
		break;
	case PM_TYPE_RULES:
		if (pm_rules_check(text, e) < 0)
			return -1;
		break;
	case PM_TYPE_PATH:
		if (expand_path(text, path, sizeof path, e) < 0)
			return -1;
		text = path;
		break;
	case PM_TYPE_DATABASE:
		if (expand_database(text, path, sizeof path, e) < 0)
			return -1;
		text = path;
		break;
	case PM_TYPE_CHOICE:
		if (check_choice(pm_setting_info[s].values, text, e) < 0)
			return -1;
		break;
	case PM_TYPE_DURATION:
	case PM_TYPE_SIZE:
	case PM_TYPE_NUMBER:
	case PM_TYPE_FRACTION:
	case PM_TYPE_DECIMAL:
		if (!*text)
			return pm_err(e, "value is empty");
		if (pm_config_number(s, text, &ignored, e) < 0)
			return -1;
		break;
	}
	*value = strdup(text);
	return *value ? 0 : pm_err(e, "out of memory");
}

/* Append s percent-encoded as part of a URL (RFC 3986, unreserved characters stay). */
static int append_encoded(char *buf, size_t size, size_t *len, const char *s)
{
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		char text[4];

		if (isalnum(*p) || strchr("-._~", *p))
			snprintf(text, sizeof text, "%c", *p);
		else
			snprintf(text, sizeof text, "%%%02X", *p);
		if (append_text(buf, size, len, text, strlen(text)) < 0)
			return -1;
	}
	return 0;
}

static const char *env_or_empty(const char *name)
{
	const char *v = getenv(name);

	return v ? v : "";
}

int pm_config_epmt_db(char *buf, size_t size, struct pm_err *e)
{
	const char *provider = env_or_empty("EPMT_DB_PROVIDER"),
		   *file = env_or_empty("EPMT_DB_FILENAME");
	const char *host = env_or_empty("EPMT_DB_HOST"), *port = env_or_empty("EPMT_DB_PORT");
	const char *user = env_or_empty("EPMT_DB_USER"),
		   *password = env_or_empty("EPMT_DB_PASSWORD");
	const char *name = env_or_empty("EPMT_DB_DBNAME");
	size_t len = 0;
	int bad;

	/* The other variables alone name no database. */
	if (!*provider && !*file)
		return 0;
	if (strcmp(provider, "sqlite") == 0 || (!*provider && *file)) {
		if (!*file)
			return pm_err(e, "EPMT_DB_FILENAME is missing");
		bad = append_text(buf, size, &len, "sqlite:", 7) |
		      append_text(buf, size, &len, file, strlen(file));
		return bad ? pm_err(e, "too long") : (int)len;
	}
	if (strncmp(provider, "postgres", 8) != 0)
		return pm_err(e, "EPMT_DB_PROVIDER '%s' is neither sqlite nor postgres", provider);
	bad = append_text(buf, size, &len, "postgresql://", 13) |
	      append_encoded(buf, size, &len, user);
	if (*password)
		bad |= append_text(buf, size, &len, ":", 1) |
		       append_encoded(buf, size, &len, password);
	if (*user || *password)
		bad |= append_text(buf, size, &len, "@", 1);
	bad |= append_encoded(buf, size, &len, host);
	if (*port)
		bad |= append_text(buf, size, &len, ":", 1) | append_encoded(buf, size, &len, port);
	bad |= append_text(buf, size, &len, "/", 1) | append_encoded(buf, size, &len, name);
	return bad ? pm_err(e, "too long") : (int)len;
}
