/* The SQL shell of the dialect of EPMT: sqlite3 or psql on the database. */
#include "config.h"

#include "common/cli/verb.h"
#include "common/settings/readconfig.h"
#include "db/db.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Decode %XX in place (RFC 3986). */
static void decode_percent(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		char hex[3] = { p[0] == '%' ? p[1] : '\0', p[1] && p[0] == '%' ? p[2] : '\0',
				'\0' };
		char *end;
		long c = strtol(hex, &end, 16);

		if (p[0] == '%' && hex[0] && hex[1] && !*end) {
			*to = (char)c;
			p += 3;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/* Hand a password, percent-encoded, on to psql in its environment. */
static void hand_on(char *password)
{
	decode_percent(password);
	setenv("PGPASSWORD", password, 1);
}

/* Take "user:password@" apart, at the beginning of what follows "://". */
static void take_user_password(char *user)
{
	char *at = user + strcspn(user, "/?#"), *colon;

	while (at > user && *at != '@')
		at--;
	colon = memchr(user, ':', (size_t)(at - user));
	if (*at != '@' || !colon)
		return;
	*at = '\0';
	hand_on(colon + 1);
	*at = '@';
	memmove(colon, at, strlen(at) + 1);
}

/* Take parameters "password=..." out of what follows "?". The last one counts, as in libpq. */
static void take_parameter(char *query)
{
	static const char name[] = "password=";

	while (*query) {
		const size_t n = strcspn(query, "&");
		const bool last = query[n] == '\0';

		if (strncmp(query, name, sizeof name - 1) == 0) {
			char *rest = query + n + !last;

			query[n] = '\0';
			hand_on(query + sizeof name - 1);
			memmove(query, rest, strlen(rest) + 1);
		} else {
			query += n + !last;
		}
	}
}

/* Move the password of a URL to PGPASSWORD: arguments are visible to every user. */
static void move_password(char *url)
{
	char *user = strstr(url, "://"), *query;

	if (!user)
		return;
	take_user_password(user + 3);
	query = strchr(user, '?');
	if (query)
		take_parameter(query + 1);
}

int pm_db_shell(struct pm_err *e)
{
	const char *setting = pm_config_get(PM_SET_db);
	bool served = pm_db_is_served(setting);
	const char *program = served ? "psql" : "sqlite3";
	char *name = served ? pm_db_plain(setting, e) : pm_db_path(setting, e);

	if (!name) {
		if (!e->text[0])
			pm_err(e, "out of memory");
		return PM_EXIT_FAILED;
	}
	if (!served && access(name, R_OK) < 0) {
		pm_err(e, "database %s: %m", name);
		free(name);
		return PM_EXIT_FAILED;
	}
	if (served)
		move_password(name);
	fflush(stdout);
	execlp(program, program, name, (char *)NULL);
	pm_err(e,
	       errno == ENOENT ? "%s is not installed; perfmon schema prints the tables that other "
				 "tools find in the database %s"
			       : "%s %s: %m",
	       program, name);
	free(name);
	return PM_EXIT_FAILED;
}
