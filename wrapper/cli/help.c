/* Print help on perfmon and its verbs, from the tables. */
#include "config.h"

#include "common/secrets/redact.h"
#include "common/settings/readconfig.h"
#include "common/terminal.h"
#include "wrapper/cli/cli.h"
#include "wrapper/cli/generate.h"

#include <stdio.h>
#include <string.h>

/* Column at which explanations of options begin, and width of all lines. */
#define OPTION_COLUMN 28
#define HELP_WIDTH    80

/* Columns at which the verbs of a group and their explanations begin. */
#define VERB_COLUMN 8
#define VERB_TEXT   16

/* Print text from `column` on, broken at blanks; the cursor stands at column `at`. */
static void print_wrapped(size_t at, size_t column, const char *text)
{
	if (at + 2 > column) {
		putchar('\n');
		at = 0;
	}
	printf("%*s", (int)(column - at), "");
	at = column;
	while (*text) {
		size_t word = strcspn(text, " ");

		if (at > column && at + 1 + word > HELP_WIDTH) {
			printf("\n%*s", (int)column, "");
			at = column;
		} else if (at > column) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)word, text);
		at += word;
		text += word;
		text += *text == ' ';
	}
	putchar('\n');
}

/* The verb of a clause "VERB: text" or "VERB --option: text" in an option's help, PM_VERBS for
 * "else: text"; -1: the clause is about the same verb as the clause before it. *text gets the text
 * after the colon. */
static int clause_verb(const char *clause, const char **text)
{
	size_t n = strcspn(clause, " :;");
	const char *colon = strpbrk(clause, ":;");

	if (!colon || *colon != ':' || colon[1] != ' ' ||
	    (clause[n] == ' ' && strncmp(clause + n, " --", 3) != 0))
		return -1;
	*text = colon + 2;
	for (int v = 0; v < PM_VERBS; v++)
		if (strlen(pm_verb_info[v].name) == n &&
		    strncmp(clause, pm_verb_info[v].name, n) == 0)
			return v;
	return n == strlen("else") && strncmp(clause, "else", n) == 0 ? PM_VERBS : -1;
}

void pm_help_clauses(enum pm_verb verb, const char *help, char *text, size_t size)
{
	bool mine = true, named = false;
	size_t n = 0;

	*text = '\0';
	while (*help) {
		const char *clause = help, *end = strstr(help, "; ");
		int about = clause_verb(help, &clause);

		if (about == (int)verb)
			named = true;
		if (about == PM_VERBS)
			mine = !named;
		else if (about >= 0)
			mine = about == (int)verb;
		if (about < 0)
			clause = help;
		if (!end)
			end = help + strlen(help);
		if (mine && n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%.*s", n ? "; " : "",
					      (int)(end - clause), clause);
		help = *end ? end + 2 : end;
	}
}

/* Print an option with the part of its help that is about the verb. */
static void print_option(const struct pm_option_info *o, enum pm_verb verb)
{
	char left[80], arg[PM_HELP_MAX], text[PM_HELP_MAX];
	int n;

	pm_help_clauses(verb, o->arg, arg, sizeof arg);
	n = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", o->letter ? '-' : ' ',
		     o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name, *arg ? " " : "",
		     arg);
	fputs(left, stdout);
	pm_help_clauses(verb, o->help, text, sizeof text);
	print_wrapped((size_t)n, OPTION_COLUMN, text);
}

/* Print every setting with the verbs that use it, its value in effect and where that comes from. */
static void print_settings(void)
{
	char value[4096];

	printf("Settings: long options of the verbs that use them, variables PERFMON_NAME, lines "
	       "of\n"
	       "perfmon.conf(5). Below each is its value in effect and the value's origin.\n\n");
	for (int s = 0; s < PM_SETTINGS; s++) {
		const char *values = pm_setting_info[s].values;
		int n = printf("  --%s %s", pm_setting_info[s].option, *values ? "" : "VALUE");

		for (; *values; values++, n++)
			putchar(*values == ' ' ? '|' : *values);
		print_wrapped((size_t)n, OPTION_COLUMN, pm_setting_info[s].help);
		pm_redact_url(pm_config_get((enum pm_setting)s), value, sizeof value);
		pm_terminal_print(stdout, "%*s= %s  (%s)\n", OPTION_COLUMN, "", value,
				  pm_config_origin((enum pm_setting)s));
	}
}

/* Print the names of the settings that a verb uses. */
static void name_settings(enum pm_verb verb)
{
	char names[2048] = "";
	size_t n = 0;

	for (int s = 0; s < PM_SETTINGS; s++)
		if (pm_verb_uses(verb, (enum pm_setting)s))
			n += (size_t)snprintf(names + n, sizeof names - n, "--%s ",
					      pm_setting_info[s].option);
	if (n == 0)
		return;
	printf("\nSettings, explained by perfmon help settings:\n");
	print_wrapped(0, 2, names);
}

/* Print the verbs of a group: the first ones with their explanations, the others by name. */
static void print_group(enum pm_verb_group group)
{
	static const char *const name[PM_GROUPS] = {
		[PM_GROUP_RECORD] = "Record",
		[PM_GROUP_LOAD] = "Load",
		[PM_GROUP_LOOK] = "Look",
		[PM_GROUP_CARE] = "Care",
	};
	char others[256] = "";
	const char *head = name[group];
	size_t n = 0;

	for (int v = 0; v < PM_VERBS; v++) {
		const struct pm_verb_info *verb = &pm_verb_info[v];

		if (verb->group != group)
			continue;
		if (!verb->first) {
			n += (size_t)snprintf(others + n, sizeof others - n, "%s%s", n ? ", " : "",
					      verb->name);
			continue;
		}
		print_wrapped((size_t)printf("%-*s%s", VERB_COLUMN, head, verb->name), VERB_TEXT,
			      verb->help);
		head = "";
	}
	print_wrapped((size_t)printf("%*salso", VERB_COLUMN, ""), VERB_TEXT, others);
}

static void print_overview(void)
{
	printf("Usage: perfmon [OPTION...] VERB [OPTION...] [OPERAND...]\n"
	       "       perfmon [OPTION...] PROGRAM [ARG...]     (short for perfmon -a run)\n"
	       "Record what every process of a job did, and explain it.\n\n");
	for (int g = 0; g < PM_GROUPS; g++)
		print_group((enum pm_verb_group)g);
	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_option_info[o].verbs[0] == '*')
			print_option(&pm_option_info[o], PM_VERBS);
	printf("More: perfmon help VERB, perfmon help settings, perfmon(1), perfmon.conf(5)\n");
}

void pm_help_print(enum pm_verb verb)
{
	if (verb == PM_VERBS) {
		print_overview();
		return;
	}
	printf("Usage: perfmon %s [OPTION...]%s%s\n%c%s.\n\nOptions:\n", pm_verb_info[verb].name,
	       *pm_verb_info[verb].operands ? " " : "", pm_verb_info[verb].operands,
	       pm_verb_info[verb].help[0] - 'a' + 'A', pm_verb_info[verb].help + 1);
	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_verb_takes(verb, (enum pm_option)o))
			print_option(&pm_option_info[o], verb);
	name_settings(verb);
}

int pm_verb_help(const struct pm_cli *cli, struct pm_err *e)
{
	enum pm_verb verb;

	if (cli->argc == 0) {
		pm_help_print(PM_VERBS);
		return PM_EXIT_OK;
	}
	if (cli->argc > 1) {
		pm_err(e, "help explains one verb at a time");
		return PM_EXIT_USAGE;
	}
	if (strcmp(cli->argv[0], "settings") == 0) {
		print_settings();
		return PM_EXIT_OK;
	}
	if (pm_generate(cli->argv[0]) == 0)
		return PM_EXIT_OK;
	verb = pm_cli_find_verb(cli->argv[0]);
	if (verb == PM_VERBS) {
		const char *meant = pm_cli_meant(cli->argv[0]);

		pm_err(e,
		       meant ? "'%s' is not a verb; did you mean '%s'?"
			     : "'%s' is not a verb; perfmon help lists them",
		       cli->argv[0], meant);
		return PM_EXIT_USAGE;
	}
	pm_help_print(verb);
	return PM_EXIT_OK;
}
