/* The environment as job metadata may hold it: the setting `environment`, secrets redacted. */
#ifndef PM_WRAPPER_METADATA_ENVIRONMENT_H
#define PM_WRAPPER_METADATA_ENVIRONMENT_H

#include "common/err.h"

#include <jansson.h>

/* Collect the variables that may be stored, as an object of texts that the caller owns; NULL if the
 * setting is "none". */
json_t *pm_environment_collect(void);

/*
 * Keep a digest of every variable beside the job's metadata (file .environment-<host>, 0600), so
 * that stop finds the changes although no value was stored.
 * Returns 0 or -1 with e filled.
 */
int pm_environment_remember(int dir, const char *host, struct pm_err *e);

/* Collect the variables that changed since pm_environment_remember: an object from NAME to the new
 * value, redacted, or to null if the variable was removed. *added and *removed get the sorted names
 * of new and removed variables. The caller owns the object and the arrays; all are NULL if there
 * are no digests. */
json_t *pm_environment_changes(int dir, const char *host, json_t **added, json_t **removed);

/* List the modules that are loaded now (LOADEDMODULES, of Environment Modules and Lmod): an array
 * of texts that the caller owns; NULL if LOADEDMODULES is unset or the setting is "none". */
json_t *pm_environment_modules(void);

/* Remove the digests that pm_environment_remember kept. */
void pm_environment_forget(int dir, const char *host);

#endif
