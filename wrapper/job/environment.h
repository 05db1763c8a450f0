/* The environment as job metadata may hold it: the setting `environment`, secrets redacted. */
#ifndef PM_WRAPPER_ENVIRONMENT_H
#define PM_WRAPPER_ENVIRONMENT_H

#include "common/err.h"

#include <jansson.h>

/* The variables that may be stored, as an object of texts that the caller owns; NULL where the
 * setting says none. */
json_t *pm_environment_collect(void);

/*
 * Keep a digest of every variable beside the job's metadata (file .environment-<host>, 0600), so
 * that stop can tell what changed without any value having been stored.
 * Returns 0 or -1 with e filled.
 */
int pm_environment_remember(int dir, const char *host, struct pm_err *e);

/* What changed since pm_environment_remember: NAME to the new value, redacted, or to null where
 * it is gone. *added and *removed get the names that are new and gone, sorted. An object and arrays
 * that the caller owns; NULL where nothing was remembered. */
json_t *pm_environment_changes(int dir, const char *host, json_t **added, json_t **removed);

/* The modules that are loaded now (LOADEDMODULES, of Environment Modules and Lmod): an array of
 * texts that the caller owns; NULL where none of these is there, or the setting says none. */
json_t *pm_environment_modules(void);

/* Remove what pm_environment_remember kept. */
void pm_environment_forget(int dir, const char *host);

#endif
