/* Read the output options of the command line. */
#include "config.h"

#include "report/print/options.h"

#include "common/text.h"

#include "common/safe/tsv.h"
#include "common/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Widest page: longer lines are hard to read. */
#define WIDTH_MAX 1000

static int parse_number(const char *text, int64_t *n)
{
	return text && pm_tsv_number(text, strlen(text), n) == 0 ? 0 : -1;
}

/* Colours by --color, else on a terminal that is not dumb, unless NO_COLOR is set to something
 * (https://no-color.org). Of verbs without --color: none. */
static int read_colour(const struct pm_cli *cli, struct pm_page *p, struct pm_err *e)
{
	const char *when = cli->value[PM_OPT_color], *no = getenv("NO_COLOR"),
		   *term = getenv("TERM");

	if (when && strcmp(when, "always") == 0)
		p->colour = true;
	else if (when && strcmp(when, "never") != 0 && strcmp(when, "auto") != 0)
		return pm_err(e, "--color %s: auto, always or never is needed", when);
	else if (!when || strcmp(when, "auto") == 0)
		p->colour = pm_verb_takes(cli->verb, PM_OPT_color) && isatty(STDOUT_FILENO) &&
			    !(no && *no) && term && strcmp(term, "dumb") != 0;
	return 0;
}

int pm_options_page(const struct pm_cli *cli, struct pm_page *p, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_width];
	struct winsize size;
	int64_t width;

	p->f = stdout;
	p->colour = false;
	p->width = 80;
	if (read_colour(cli, p, e) < 0)
		return -1;
	p->utf8 = pm_terminal_utf8();
	p->form = NULL;
	if (given) {
		if (parse_number(given, &width) < 0 || width < PM_PAGE_MIN || width > WIDTH_MAX)
			return pm_err(e, "--width %s: a number from %d to %d is needed", given,
				      PM_PAGE_MIN, WIDTH_MAX);
	} else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
		width = size.ws_col;
	} else if (parse_number(getenv("COLUMNS"), &width) < 0) {
		return 0;
	}
	p->width = width < PM_PAGE_MIN ? PM_PAGE_MIN : width > WIDTH_MAX ? WIDTH_MAX : (int)width;
	return 0;
}

int pm_options_limit(const struct pm_cli *cli, int64_t otherwise, int64_t *limit, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_limit];

	*limit = otherwise;
	if (given && (parse_number(given, limit) < 0 || *limit < 0))
		return pm_err(e, "--limit %s: a number is needed, 0 for no limit", given);
	if (*limit == 0)
		*limit = INT64_MAX;
	return 0;
}

int pm_options_offset(const struct pm_cli *cli, int64_t *offset, struct pm_err *e)
{
	const char *given = cli->value[PM_OPT_offset];

	*offset = 0;
	if (given && (parse_number(given, offset) < 0 || *offset < 0))
		return pm_err(e, "--offset %s: a number is needed", given);
	return 0;
}

int pm_options_flush(struct pm_err *e)
{
	int before = errno;

	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	/* An earlier write failed. */
	if (errno == 0)
		errno = before;
	if (errno == EPIPE)
		return 0;
	return pm_err(e, "write to standard output: %m");
}
