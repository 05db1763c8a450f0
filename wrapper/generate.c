/* Completion and parts of man pages, from the tables. A test regenerates and compares. */
#include "config.h"

#include "wrapper/generate.h"
#include "common/config.h"
#include "common/verb.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void print_word_list(const char *alternatives, char separator)
{
	for (; *alternatives; alternatives++)
		putchar(*alternatives == separator ? ' ' : *alternatives);
}

/* The verbs with their options, settings with their values: a case per verb and per option. */
static void print_completion(void)
{
	printf("# bash completion for perfmon, made by `perfmon help completion`.\n"
	       "_perfmon()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= i\n"
	       "\tlocal verbs='");
	for (int v = 0; v < PM_VERBS; v++)
		printf("%s%s", v ? " " : "", pm_verb_info[v].name);
	printf("'\n\tlocal common='");
	for (int o = 0; o < PM_OPTIONS; o++)
		if (pm_option_info[o].verbs[0] == '*')
			printf("--%s ", pm_option_info[o].name);
	for (int s = 0; s < PM_SETTINGS; s++)
		printf("%s--%s", s ? " " : "", pm_setting_info[s].option);
	printf("'\n\tlocal options=\n"
	       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	       "\t\tif [[ \" $verbs \" == *\" ${COMP_WORDS[i]} \"* ]]; then\n"
	       "\t\t\tverb=${COMP_WORDS[i]}\n\t\t\tbreak\n\t\tfi\n\tdone\n"
	       "\tcase $prev in\n");
	for (int s = 0; s < PM_SETTINGS; s++) {
		const struct pm_setting_info *info = &pm_setting_info[s];

		printf("\t--%s)\n\t\t", info->option);
		if (info->type == PM_TYPE_PATH)
			printf("COMPREPLY=($(compgen -f -- \"$cur\"))\n");
		else
			printf("COMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n", info->values);
		printf("\t\treturn\n\t\t;;\n");
	}
	for (int o = 0; o < PM_OPTIONS; o++) {
		const struct pm_option_info *info = &pm_option_info[o];

		if (!*info->arg)
			continue;
		if (info->letter)
			printf("\t-%c | --%s)\n\t\t", info->letter, info->name);
		else
			printf("\t--%s)\n\t\t", info->name);
		if (strcmp(info->arg, "DIR") == 0) {
			printf("COMPREPLY=($(compgen -d -- \"$cur\"))\n");
		} else {
			printf("COMPREPLY=($(compgen -W '");
			if (strchr(info->arg, '|'))
				print_word_list(info->arg, '|');
			printf("' -- \"$cur\"))\n");
		}
		printf("\t\treturn\n\t\t;;\n");
	}
	printf("\tesac\n\tcase $verb in\n");
	for (int v = 0; v < PM_VERBS; v++) {
		printf("\t%s)\n\t\toptions='", pm_verb_info[v].name);
		for (int o = 0, first = 1; o < PM_OPTIONS; o++)
			if (pm_option_info[o].verbs[0] != '*' &&
			    pm_verb_takes((enum pm_verb)v, (enum pm_option)o)) {
				printf("%s--%s", first ? "" : " ", pm_option_info[o].name);
				first = 0;
			}
		printf("'\n\t\t;;\n");
	}
	printf("\tesac\n"
	       "\tif [[ $cur == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$common $options\" -- \"$cur\"))\n"
	       "\telif [[ -z $verb ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))\n"
	       "\telif [[ $verb == help ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))\n"
	       "\telif [[ $verb == list ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W 'jobs processes threads hosts tags metrics' -- "
	       "\"$cur\"))\n"
	       "\telif [[ $verb == run ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -c -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
	       "\telse\n"
	       "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	       "\tfi\n}\ncomplete -F _perfmon perfmon\n");
}

/* Print text for roff: hyphens that are typed stay hyphens, nothing begins a request. */
static void roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '\\')
			fputs("\\e", stdout);
		else
			putchar(*text);
	}
}

/* A sentence out of help text. */
static void roff_sentence(const char *text)
{
	char first[2] = { (char)toupper((unsigned char)text[0]), '\0' };

	roff(first);
	roff(text + 1);
	printf(".\n");
}

static void print_man_verbs(void)
{
	for (int v = 0; v < PM_VERBS; v++) {
		printf(".TP\n.B %s", pm_verb_info[v].name);
		if (*pm_verb_info[v].operands) {
			printf(" \\fI");
			roff(pm_verb_info[v].operands);
			printf("\\fR");
		}
		putchar('\n');
		roff_sentence(pm_verb_info[v].help);
	}
}

static void print_man_options(void)
{
	for (int o = 0; o < PM_OPTIONS; o++) {
		const struct pm_option_info *info = &pm_option_info[o];

		printf(".TP\n");
		if (info->letter)
			printf("\\fB\\-%c\\fR, ", info->letter);
		printf("\\fB\\-\\-");
		roff(info->name);
		printf("\\fR");
		if (*info->arg) {
			printf(" \\fI");
			roff(info->arg);
			printf("\\fR");
		}
		putchar('\n');
		roff_sentence(info->help);
		if (info->verbs[0] != '*')
			printf("Verbs: %s.\n", info->verbs);
	}
}

static const char *type_text(enum pm_setting_type type)
{
	static const char *const text[] = {
		[PM_TYPE_STRING] = "text",   [PM_TYPE_PATH] = "path",
		[PM_TYPE_CHOICE] = "choice", [PM_TYPE_DURATION] = "duration",
		[PM_TYPE_SIZE] = "size",     [PM_TYPE_NUMBER] = "number",
	};

	return text[type];
}

static void print_man_settings(void)
{
	for (int s = 0; s < PM_SETTINGS; s++) {
		const struct pm_setting_info *info = &pm_setting_info[s];

		printf(".TP\n\\fB%s\\fR (%s", info->name, type_text(info->type));
		if (*info->values)
			printf(": %s", info->values);
		printf(")\n");
		roff_sentence(info->help);
		/* The build decides this one. */
		if (s == PM_SET_library)
			printf("Default: libperfmon.so in perfmon's package directory.\n");
		else if (*info->def) {
			printf("Default: ");
			roff(info->def);
			printf(".\n");
		}
		printf("Environment: \\fB%s\\fR", info->env);
		if (*info->aliases)
			printf(", else %s", info->aliases);
		printf(". Option: \\fB\\-\\-");
		roff(info->option);
		printf("\\fR.\n");
	}
}

static void print_man_environment(void)
{
	for (int s = 0; s < PM_SETTINGS; s++) {
		printf(".TP\n.B %s\n", pm_setting_info[s].env);
		roff_sentence(pm_setting_info[s].help);
		if (*pm_setting_info[s].aliases)
			printf("Alias: %s.\n", pm_setting_info[s].aliases);
	}
}

int pm_generate(const char *what)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} table[] = {
		{ "completion", print_completion },
		{ "man-verbs", print_man_verbs },
		{ "man-options", print_man_options },
		{ "man-settings", print_man_settings },
		{ "man-environment", print_man_environment },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (strcmp(table[i].name, what) == 0) {
			table[i].print();
			return 0;
		}
	return -1;
}
