/* A page for a browser that a verb writes with what it prints as text, too. */
#include "config.h"

#include "report/verbpage.h"

#include "common/memtext.h"
#include "common/outfile.h"
#include "common/text.h"
#include "report/print/html.h"
#include "report/shellword.h"
#include "report/web/webdocument.h"

#include <stdlib.h>
#include <string.h>

/* Columns for what is cut to the width of a page, and the level of headings below the title. */
#define WIDTH 200
#define LEVEL 2

/* The longest command that is shown, in bytes. */
#define COMMAND_MAX 4096

/* Write the command that prints the same as text. Of settings it has the database. */
static void put_command(FILE *f, const struct pm_cli *cli)
{
	fprintf(f, "perfmon %s", pm_verb_info[cli->verb].name);
	for (int i = 0; i < cli->argc; i++)
		pm_shellword_put(f, cli->argv[i]);
	for (int o = 0; o < PM_OPTIONS; o++) {
		if (!cli->given[o] || o == PM_OPT_html || o == PM_OPT_verbose || o == PM_OPT_quiet)
			continue;
		fprintf(f, " --%s", pm_option_info[o].name);
		if (cli->value[o])
			pm_shellword_put(f, cli->value[o]);
	}
	pm_shellword_put_db(f);
}

int pm_verbpage_check(const struct pm_cli *cli, struct pm_err *e)
{
	if (cli->given[PM_OPT_html] + cli->given[PM_OPT_json] + cli->given[PM_OPT_csv] > 1)
		return pm_err(e, "%s: one of --html%s and --json at a time",
			      pm_verb_info[cli->verb].name,
			      pm_verb_takes(cli->verb, PM_OPT_csv) ? ", --csv" : "");
	return 0;
}

/* Begin the document with its title. */
static void write_header(const struct pm_page *p, const char *title)
{
	char safe[PM_VERBPAGE_TITLE];

	pm_text_safe(safe, sizeof safe, title, strlen(title), true);
	pm_webdocument_begin(p->f, safe, false);
	fputs("<header id=\"top\">\n<h1>", p->f);
	pm_html_text(p->f, safe);
	fputs("</h1>\n</header>\n<main>\n", p->f);
}

/* End the document with the command that it is of. Returns 0, or -1 with e filled. */
static int write_footer(const struct pm_page *p, const struct pm_cli *cli, struct pm_err *e)
{
	char *command = NULL, safe[COMMAND_MAX];
	size_t size;
	FILE *f = open_memstream(&command, &size);

	if (f)
		put_command(f, cli);
	if (!f || !pm_memtext_end(f, &command))
		return pm_err(e, "out of memory");
	fputs("</main>\n<footer>\n", p->f);
	pm_page_text(p, "",
		     "Sizes are decimal (1 MB = 1 000 000 bytes). Values not measured are unknown, "
		     "never 0.");
	pm_text_safe(safe, sizeof safe, command, strlen(command), true);
	free(command);
	fputs("<p>Written by perfmon " PACKAGE_VERSION ". As text: <code>", p->f);
	pm_html_text(p->f, safe);
	fputs("</code></p>\n</footer>\n", p->f);
	pm_webdocument_end(p->f, false);
	return 0;
}

int pm_verbpage_write(const struct pm_cli *cli, const char *title, pm_verbpage_fn *print,
		      const void *ctx, struct pm_err *e)
{
	struct pm_page page = {
		.width = WIDTH, .utf8 = true, .form = &pm_html_form, .level = LEVEL
	};
	struct pm_outfile out;
	int rc = -1;

	if (pm_outfile_open(&out, cli->value[PM_OPT_html], e) < 0)
		return -1;
	page.f = out.f;
	write_header(&page, title);
	if (print(ctx, &page, e) == 0 && write_footer(&page, cli, e) == 0)
		rc = pm_outfile_commit(&out, e);
	pm_outfile_abandon(&out);
	return rc;
}
