/* Settings: their values from files, environment and command line. Programs only. */
#ifndef PM_CONFIG_H
#define PM_CONFIG_H

#include "common/err.h"
#include "common/settings.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Read system file, user file and environment, in this order of rising precedence. Unknown names
 * and bad values are warned about with file and line and skipped: a broken configuration never
 * stops a job. Returns how many were skipped.
 */
int pm_config_load(void);

/* What the last load skipped, and why: texts for people, valid until the next load; NULL behind the
 * last. */
const char *pm_config_problem(size_t i);

/* Set from the command line, above everything else. Returns 0 or -1 with e filled. */
int pm_config_set(enum pm_setting s, const char *value, struct pm_err *e);

/* The effective value as text, expanded; "" where unset. Valid until the setting changes. */
const char *pm_config_get(enum pm_setting s);

/* The value of a DURATION in microseconds, of a SIZE in bytes, of a NUMBER as is, of a
 * FRACTION in millionths. */
int64_t pm_config_int(enum pm_setting s);

/* The path of a file beside the user's perfmon.conf, whether it is there or not. Returns 0, or -1
 * where there is no place for one. */
int pm_config_user_file(const char *name, char *path, size_t size);

/* Where the value came from: "default", "environment PAPIEX_TAGS", "/etc/...:3", "command line". */
const char *pm_config_origin(enum pm_setting s);

/* Whether the command line gave the value. */
bool pm_config_is_given(enum pm_setting s);

/* The value from the system's settings file, else the default, whatever the user sets. */
const char *pm_config_of_site(enum pm_setting s);

#endif
