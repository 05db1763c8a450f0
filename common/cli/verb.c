/* Attributes of verbs and options. */
#include "config.h"

#include "common/cli/verb.h"

#include <string.h>

const struct pm_option_info pm_option_info[PM_OPTIONS] = {
#define PM_OPTION(id_, letter_, name_, arg_, verbs_, help_)                                        \
	[PM_OPT_##id_] = {                                                                         \
		.letter = letter_, .name = name_, .arg = arg_, .verbs = verbs_, .help = help_      \
	},
#include "common/cli/options.def"
#undef PM_OPTION
};

const struct pm_verb_info pm_verb_info[PM_VERBS] = {
#define PM_VERB(id_, group_, first_, operands_, help_)                                             \
	[PM_VERB_##id_] = { .name = #id_,                                                          \
			    .group = PM_GROUP_##group_,                                            \
			    .first = first_,                                                       \
			    .operands = operands_,                                                 \
			    .help = help_ },
#include "common/cli/verbs.def"
#undef PM_VERB
};

/* 1 when a blank-separated list contains the name. */
static int is_in(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = list; (p = strstr(p, name)) != NULL; p += len)
		if ((p == list || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return 1;
	return 0;
}

int pm_verb_takes(enum pm_verb verb, enum pm_option option)
{
	const char *list = pm_option_info[option].verbs;

	return list[0] == '*' || is_in(list, pm_verb_info[verb].name);
}

int pm_verb_uses(enum pm_verb verb, enum pm_setting setting)
{
	return verb == PM_VERB_config || verb == PM_VERB_check || verb == PM_VERB_help ||
	       is_in(pm_setting_info[setting].verbs, pm_verb_info[verb].name);
}

int pm_cli_repeats(const struct pm_cli *cli, int from, int i)
{
	for (int k = from; k < i; k++)
		if (strcmp(cli->argv[k], cli->argv[i]) == 0)
			return 1;
	return 0;
}
