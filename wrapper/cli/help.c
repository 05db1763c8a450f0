/* Help on perfmon and its verbs, from the tables. */
#include "config.h"

#include "common/config.h"
#include "wrapper/cli.h"
#include "wrapper/generate.h"
#include "common/redact.h"
#include "common/terminal.h"

#include <stdio.h>
#include <string.h>

/* Column at which explanations begin, and where they end. */
#define HELP_COLUMN 30
#define HELP_WIDTH  100

/* Print text from column HELP_COLUMN on, broken at blanks; the cursor stands at column `at`. */
static void print_wrapped(size_t at, const char *text)
{
	if (at + 2 > HELP_COLUMN) {
		putchar('\n');
		at = 0;
	}
	printf("%*s", (int)(HELP_COLUMN - at), "");
	at = HELP_COLUMN;
	while (*text) {
		size_t word = strcspn(text, " ");

		if (at > HELP_COLUMN && at + 1 + word > HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			at = HELP_COLUMN;
		} else if (at > HELP_COLUMN) {
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

static void print_option(const struct pm_option_info *o)
{
	char left[80];
	int n;

	n = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", o->letter ? '-' : ' ',
		     o->letter ? o->letter : ' ', o->letter ? "," : " ", o->name,
		     *o->arg ? " " : "", o->arg);
	fputs(left, stdout);
	print_wrapped((size_t)n, o->help);
}

/* Print the settings that the verb uses; PM_VERBS: all. */
static void print_settings(enum pm_verb verb)
{
	char value[4096];

	printf("\nSettings%s, with the value in effect and its origin:\n",
	       verb == PM_VERBS ? ", as long options of the verbs that use them" : "");
	for (int s = 0; s < PM_SETTINGS; s++) {
		const char *values = pm_setting_info[s].values;
		int n;

		if (verb != PM_VERBS && !pm_verb_uses(verb, (enum pm_setting)s))
			continue;
		n = printf("  --%s %s", pm_setting_info[s].option, *values ? "" : "VALUE");

		for (; *values; values++, n++)
			putchar(*values == ' ' ? '|' : *values);
		print_wrapped((size_t)n, pm_setting_info[s].help);
		pm_redact_url(pm_config_get((enum pm_setting)s), value, sizeof value);
		pm_terminal_print(stdout, "%*s= %s  (%s)\n", HELP_COLUMN, "", value,
				  pm_config_origin((enum pm_setting)s));
	}
}

static void print_overview(void)
{
	printf("Usage: perfmon [OPTION...] VERB [OPTION...] [OPERAND...]\n"
	       "       perfmon [OPTION...] PROGRAM [ARG...]     (short for perfmon -a run)\n"
	       "Record what every process of a job did, and explain it.\n\nVerbs:\n");
	for (int v = 0; v < PM_VERBS; v++) {
		int n = printf("  %s", pm_verb_info[v].name);

		print_wrapped((size_t)n, pm_verb_info[v].help);
	}
	printf("\nOptions, before or after the verb:\n");
	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_option_info[o].verbs[0] == '*')
			print_option(&pm_option_info[o]);
	printf("\nMore: perfmon help VERB, perfmon(1), perfmon.conf(5)\n");
}

void pm_help_print(enum pm_verb verb)
{
	if (verb == PM_VERBS) {
		print_overview();
		print_settings(PM_VERBS);
		return;
	}
	printf("Usage: perfmon %s [OPTION...]%s%s\n%c%s.\n\nOptions:\n", pm_verb_info[verb].name,
	       *pm_verb_info[verb].operands ? " " : "", pm_verb_info[verb].operands,
	       pm_verb_info[verb].help[0] - 'a' + 'A', pm_verb_info[verb].help + 1);
	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_verb_takes(verb, (enum pm_option)o))
			print_option(&pm_option_info[o]);
	print_settings(verb);
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
	if (pm_generate(cli->argv[0]) == 0)
		return PM_EXIT_OK;
	verb = pm_cli_find_verb(cli->argv[0]);
	if (verb == PM_VERBS) {
		pm_err(e, "'%s' is not a verb; perfmon help lists them", cli->argv[0]);
		return PM_EXIT_USAGE;
	}
	pm_help_print(verb);
	return PM_EXIT_OK;
}
