/* Ask the user for confirmation. */
#include "config.h"

#include "common/cli/ask.h"

#include "common/terminal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

int pm_ask(const struct pm_cli *cli, const char *question, struct pm_err *e)
{
	const char *verb = pm_verb_info[cli->verb].name;
	char line[64];
	size_t n;

	if (cli->given[PM_OPT_force])
		return PM_EXIT_OK;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		pm_err(e, "%s: cannot be undone and no terminal to confirm it on: give --force",
		       verb);
		return PM_EXIT_USAGE;
	}
	fflush(stdout);
	pm_terminal_print(stderr, "%s (yes/NO): ", question);
	if (!fgets(line, sizeof line, stdin))
		line[0] = '\0';
	n = strlen(line);
	while (n > 0 && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
	if (strcasecmp(line, "yes") == 0 || strcasecmp(line, "y") == 0)
		return PM_EXIT_OK;
	pm_err(e, "%s: not confirmed: nothing was changed", verb);
	return PM_EXIT_FAILED;
}
