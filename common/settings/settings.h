/* The table of settings: config.def as an enum, names and attributes. Programs only. */
#ifndef PM_COMMON_SETTINGS_SETTINGS_H
#define PM_COMMON_SETTINGS_SETTINGS_H

enum pm_setting {
#define PM_SETTING(id, type, def, aliases, values, verbs, help) PM_SET_##id,
#include "common/settings/config.def"
#undef PM_SETTING
	PM_SETTINGS
};

enum pm_setting_type {
	PM_TYPE_STRING,
	PM_TYPE_PATH,
	PM_TYPE_DATABASE,
	PM_TYPE_CHOICE,
	PM_TYPE_DURATION,
	PM_TYPE_SIZE,
	PM_TYPE_NUMBER,
	PM_TYPE_FRACTION,
	PM_TYPE_RULES,
	PM_TYPE_DECIMAL,
};

struct pm_setting_info {
	const char *name;   /* output_prefix */
	const char *option; /* output-prefix */
	const char *env;    /* PERFMON_OUTPUT_PREFIX */
	enum pm_setting_type type;
	const char *def;
	const char *aliases;
	const char *values;
	const char *verbs; /* as in config.def */
	const char *help;
};

extern const struct pm_setting_info pm_setting_info[PM_SETTINGS];

#endif
