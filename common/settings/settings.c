/* The table of settings: names and attributes. */
#include "config.h"

#include "common/settings/settings.h"

#include "common/safe/variables.h"

#include <string.h>

/* Longest name of a setting, its prefix in the environment included. */
#define NAME_MAX_BYTES 40

/* The preprocessor cannot change letters: derive_names() fills these before main runs. */
static struct {
	char option[PM_SETTINGS][NAME_MAX_BYTES];
	char env[PM_SETTINGS][NAME_MAX_BYTES];
} derived;

const struct pm_setting_info pm_setting_info[PM_SETTINGS] = {
#define PM_SETTING(id_, type_, def_, aliases_, values_, verbs_, help_)                                     \
	[PM_SET_##id_] = {                                                                         \
		.name = #id_,                                                                      \
		.option = derived.option[PM_SET_##id_],                                            \
		.env = derived.env[PM_SET_##id_],                                                  \
		.type = PM_TYPE_##type_,                                                           \
		.def = def_,                                                                       \
		.aliases = aliases_,                                                               \
		.values = values_,                                                                 \
		.verbs = verbs_,                                                                   \
		.help = help_,                                                                     \
	},
#include "common/settings/config.def"
#undef PM_SETTING
};

#define PM_SETTING(id, type, def, aliases, values, verbs, help)                                           \
	_Static_assert(sizeof PM_VARIABLE_PREFIX #id <= NAME_MAX_BYTES, "setting name too long");
#include "common/settings/config.def"
#undef PM_SETTING

__attribute__((constructor)) static void derive_names(void)
{
	static const char prefix[] = PM_VARIABLE_PREFIX;

	for (int s = 0; s < PM_SETTINGS; s++) {
		const char *name = pm_setting_info[s].name;
		char *env = derived.env[s] + sizeof prefix - 1;

		memcpy(derived.env[s], prefix, sizeof prefix - 1);
		for (size_t i = 0; name[i]; i++) {
			derived.option[s][i] = name[i] == '_' ? '-' : name[i];
			env[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 32) : name[i];
		}
	}
}
