/* Read the setting forward_to. */
#include "config.h"

#include "forward/destination.h"

#include "common/secrets/redact.h"
#include "db/db.h"

#include <stdio.h>
#include <string.h>

const char *const pm_destination_word[PM_DESTINATION_KINDS] = {
	[PM_DESTINATION_DIRECTORY] = "directory",
	[PM_DESTINATION_COMMAND] = "command",
	[PM_DESTINATION_DATABASE] = "database",
};

/* Whether a text begins with another one. */
static int begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

int pm_destination_parse(const char *value, struct pm_destination *d, struct pm_err *e)
{
	const char *rest = value;

	*d = (struct pm_destination){ .kind = PM_DESTINATION_DIRECTORY };
	if (!*value)
		return pm_err(e, "nowhere to send to: set forward_to to a directory, |COMMAND or "
				 "postgresql://...");
	if (*value == '|') {
		d->kind = PM_DESTINATION_COMMAND;
		rest += 1 + strspn(value + 1, " ");
		if (!*rest)
			return pm_err(e, "forward_to: there is no command behind |");
	} else if (begins(value, "postgresql://") || begins(value, "postgres://") ||
		   begins(value, "sqlite:")) {
		d->kind = PM_DESTINATION_DATABASE;
		if (pm_db_check(value, e) < 0)
			return pm_err_prefix(e, "forward_to");
	} else if (*value != '/') {
		return pm_err(e, "forward_to: neither a directory that begins with /, nor "
				 "|COMMAND, nor postgresql://...");
	}
	if (snprintf(d->text, sizeof d->text, "%s", rest) >= (int)sizeof d->text)
		return pm_err(e, "forward_to: longer than %zu bytes", sizeof d->text - 1);
	pm_redact_url(d->text, d->shown, sizeof d->shown);
	return 0;
}
