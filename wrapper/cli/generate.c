/* Print the bash completion from the tables. A test regenerates it and compares. */
#include "config.h"

#include "wrapper/cli/generate.h"

#include "common/cli/verb.h"
#include "common/settings/readconfig.h"

#include <stdio.h>
#include <string.h>

static void print_word_list(const char *alternatives, char separator)
{
	for (; *alternatives; alternatives++)
		putchar(*alternatives == separator ? ' ' : *alternatives);
}

/* Print the script: a case for each setting and option with its values, and for each verb with its
 * options. */
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
		for (int s = 0; s < PM_SETTINGS; s++)
			if (pm_verb_uses((enum pm_verb)v, (enum pm_setting)s))
				printf(" --%s", pm_setting_info[s].option);
		printf("'\n\t\t;;\n");
	}
	printf("\tesac\n"
	       "\tif [[ $cur == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$common $options\" -- \"$cur\"))\n"
	       "\telif [[ -z $verb ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))\n"
	       "\telif [[ $verb == help ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$verbs settings\" -- \"$cur\"))\n"
	       "\telif [[ $verb == list ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W 'jobs processes threads hosts tags metrics' -- "
	       "\"$cur\"))\n"
	       "\telif [[ $verb == run ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -c -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
	       "\telse\n"
	       "\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	       "\tfi\n}\ncomplete -F _perfmon perfmon\n");
}

int pm_generate(const char *what)
{
	if (strcmp(what, "completion") != 0)
		return pm_generate_man(what);
	print_completion();
	return 0;
}
