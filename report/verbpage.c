/* A page for a browser that a verb writes with what it prints as text, too. */
#include "config.h"

#include "report/verbpage.h"

#include "common/memtext.h"
#include "common/text.h"
#include "report/print/html.h"
#include "report/web/webdocument.h"

#include <stdlib.h>
#include <string.h>

/* Columns for what is cut to the width of a page, and the level of headings below the title. */
#define WIDTH 200
#define LEVEL 2

/* The longest command that is shown, in bytes. */
#define COMMAND_MAX 4096

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.,:/@%+="

/* Write a word as a shell takes it. */
static void put_word(FILE *f, const char *word)
{
	if (*word && word[strspn(word, PLAIN)] == '\0') {
		fprintf(f, " %s", word);
		return;
	}
	fputs(" '", f);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	fputc('\'', f);
}

/* Write the command that prints the same as text. Settings are left out: a database may be named
 * with a password. */
static void put_command(FILE *f, const struct pm_cli *cli)
{
	fprintf(f, "perfmon %s", pm_verb_info[cli->verb].name);
	for (int i = 0; i < cli->argc; i++)
		put_word(f, cli->argv[i]);
	for (int o = 0; o < PM_OPTIONS; o++) {
		if (!cli->given[o] || o == PM_OPT_html || o == PM_OPT_verbose || o == PM_OPT_quiet)
			continue;
		fprintf(f, " --%s", pm_option_info[o].name);
		if (cli->value[o])
			put_word(f, cli->value[o]);
	}
}

int pm_verbpage_check(const struct pm_cli *cli, struct pm_err *e)
{
	if (cli->given[PM_OPT_html] + cli->given[PM_OPT_json] + cli->given[PM_OPT_csv] > 1)
		return pm_err(e, "%s: one of --html%s and --json at a time",
			      pm_verb_info[cli->verb].name,
			      pm_verb_takes(cli->verb, PM_OPT_csv) ? ", --csv" : "");
	return 0;
}

int pm_verbpage_open(struct pm_verbpage *v, const struct pm_cli *cli, const char *title,
		     struct pm_err *e)
{
	char safe[PM_VERBPAGE_TITLE];

	if (pm_outfile_open(&v->out, cli->value[PM_OPT_html], e) < 0)
		return -1;
	v->cli = cli;
	v->page = (struct pm_page){
		.f = v->out.f, .width = WIDTH, .utf8 = true, .form = &pm_html_form, .level = LEVEL
	};
	pm_text_safe(safe, sizeof safe, title, strlen(title), true);
	pm_webdocument_begin(v->page.f, safe, false);
	fputs("<header id=\"top\">\n<h1>", v->page.f);
	pm_html_text(v->page.f, safe);
	fputs("</h1>\n</header>\n<main>\n", v->page.f);
	return 0;
}

static void write_footer(const struct pm_verbpage *v, const char *command)
{
	char safe[COMMAND_MAX];

	fputs("</main>\n<footer>\n", v->page.f);
	pm_page_text(&v->page, "",
		     "Sizes are decimal (1 MB = 1 000 000 bytes). Values not measured are unknown, "
		     "never 0.");
	pm_text_safe(safe, sizeof safe, command, strlen(command), true);
	fputs("<p>Written by perfmon " PACKAGE_VERSION ". As text: <code>", v->page.f);
	pm_html_text(v->page.f, safe);
	fputs("</code></p>\n</footer>\n", v->page.f);
	pm_webdocument_end(v->page.f, false);
}

int pm_verbpage_commit(struct pm_verbpage *v, struct pm_err *e)
{
	char *command = NULL;
	size_t size;
	FILE *f = open_memstream(&command, &size);

	if (f)
		put_command(f, v->cli);
	if (!f || !pm_memtext_end(f, &command))
		return pm_err(e, "out of memory");
	write_footer(v, command);
	free(command);
	return pm_outfile_commit(&v->out, e);
}

void pm_verbpage_abandon(struct pm_verbpage *v)
{
	pm_outfile_abandon(&v->out);
}
