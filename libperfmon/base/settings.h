/* The collector's settings, read once from the environment the image was started with. */
#ifndef PM_LIBPERFMON_BASE_SETTINGS_H
#define PM_LIBPERFMON_BASE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Environment variables of interest, as pointers into the environment, NULL where unset. */
enum pm_env {
#define PM_ENV_PREFIX(id, prefix)
#define PM_ENV(id, rest) PM_ENV_##id,
#include "libperfmon/base/env.def"
#undef PM_ENV_PREFIX
#undef PM_ENV
	PM_ENVS
};

struct pm_settings {
	const char *env[PM_ENVS];
	long auxv_uid;    /* AT_UID, -1 unknown */
	long auxv_clktck; /* AT_CLKTCK: clock ticks per second in /proc */
	bool auxv_secure; /* AT_SECURE: set-user-id or capabilities gained */
};

/* Fill from an environment that the auxiliary vector follows in memory (the initial one). */
void pm_settings_read(struct pm_settings *s, char *const *envp);

/* The first of several variables that is set and not empty, or NULL. Ends with PM_ENVS. */
const char *pm_settings_first(const struct pm_settings *s, ...);

/* Whether the comma-separated list PERFMON_OPTIONS holds `word`. */
bool pm_settings_option(const struct pm_settings *s, const char *word);

#endif
