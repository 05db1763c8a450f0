/* Settings: their values from files, environment and command line. Programs only. */
#ifndef PM_COMMON_SETTINGS_READCONFIG_H
#define PM_COMMON_SETTINGS_READCONFIG_H

#include "common/err.h"
#include "common/settings/settings.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Read system file, user file and environment, in this order of rising precedence. Unknown names
 * and bad values cause a warning with file and line, and are skipped: a broken configuration never
 * stops a job. Returns the number of skipped settings.
 */
int pm_config_load(void);

/* Problem number i of the last load: what was skipped and why, as text for people, valid until the
 * next load; NULL when i is past the last one. */
const char *pm_config_problem(size_t i);

/* Set a value from the command line, which overrides all other sources. Returns 0 or -1 with e
 * filled. */
int pm_config_set(enum pm_setting s, const char *value, struct pm_err *e);

/* The effective value as text, expanded; "" where unset. Valid until the setting changes. */
const char *pm_config_get(enum pm_setting s);

/* The value of a setting as a number: a DURATION in microseconds, a SIZE in bytes, a NUMBER as is,
 * a FRACTION or DECIMAL in millionths. */
int64_t pm_config_int(enum pm_setting s);

/* Write the path of the file `name` beside the user's perfmon.conf, whether it exists or not.
 * Returns 0, or -1 without a home directory, in a set-user-ID program, or where the path is too
 * long. */
int pm_config_user_file(const char *name, char *path, size_t size);

/* Where the value came from: "default", "environment PAPIEX_TAGS", "/etc/...:3", "command line". */
const char *pm_config_origin(enum pm_setting s);

/* Whether the command line gave the value. */
bool pm_config_is_given(enum pm_setting s);

/* The value from the system's settings file, else the default, ignoring the user's settings. */
const char *pm_config_of_site(enum pm_setting s);

#endif
