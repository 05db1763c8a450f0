/* Parse the text of settings: lines, types, expansion. */
#ifndef PM_COMMON_SETTINGS_CONFIG_PARSE_H
#define PM_COMMON_SETTINGS_CONFIG_PARSE_H

#include "common/err.h"
#include "common/settings/settings.h"

#include <stddef.h>
#include <stdint.h>

/* One line of a file; name is NULL on an empty line or a comment. Both pointers point into the
 * line. */
struct pm_config_line {
	char *name;
	char *value;
};

/*
 * Split `name = value` in place: blanks around both are dropped, and so are "..." or '...' around
 * the value; `#` begins a comment at the start of the line or after a blank. Returns 0 or -1 with e
 * filled.
 */
int pm_config_split(char *line, struct pm_config_line *l, struct pm_err *e);

/*
 * Check a value by the type of its setting and expand it (~, ~user, $NAME and ${NAME} in a PATH).
 * Returns 0 with *value a new text that the caller frees, or -1 with e filled.
 */
int pm_config_check(enum pm_setting s, const char *text, char **value, struct pm_err *e);

/* Convert a checked value to its number: microseconds of a DURATION, bytes of a SIZE, millionths of
 * a FRACTION or DECIMAL, or the NUMBER; 0 for "". Returns 0 or -1 with e (may be NULL) filled. */
int pm_config_number(enum pm_setting s, const char *text, int64_t *v, struct pm_err *e);

/* Refuse a URL that names neither a PostgreSQL nor an SQLite database. Returns 0, or -1 with errno
 * EINVAL and e filled; e holds the scheme alone, since the rest may contain a password. */
int pm_database_check(const char *text, struct pm_err *e);

/* Parse a duration (500ms, 10s, 5m, 2h, plain seconds, fractions) into microseconds.
 * Returns 0 or -1 with e filled. */
int pm_duration_parse(const char *text, int64_t *us, struct pm_err *e);

/* Parse a size (bytes, or with k, M, G, T: powers of 1024). Returns 0 or -1 with e filled. */
int pm_size_parse(const char *text, int64_t *bytes, struct pm_err *e);

/*
 * Compose a value of the setting db from EPMT_DB_PROVIDER, _HOST, _PORT, _USER, _PASSWORD, _DBNAME
 * and _FILENAME in the environment. Returns its length; 0 where neither the provider nor the file
 * is set; -1 with e filled where the variables make no database.
 */
int pm_config_epmt_db(char *buf, size_t size, struct pm_err *e);

#endif
