/* What `dump` prints: the metadata documents of its operand. */
#ifndef PM_WRAPPER_DUMP_H
#define PM_WRAPPER_DUMP_H

#include "common/err.h"
#include "common/job.h"
#include "common/verb.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * Read the metadata that the operand names: a directory, an archive, a metadata file, a job;
 * without one the job in use. Returns an array of documents, one per host, that the caller decrefs;
 * e has a text where some could not be read. NULL with e filled where there is none.
 */
json_t *pm_dump_read(const struct pm_cli *cli, struct pm_err *e);

/*
 * Print one value of each document: KEY, MAP.NAME or LIST.NUMBER as `dump` names them, or a name of
 * EPMT's metadata; as JSON, or as text, of a map or list a line each. Returns 0, or -1 with e
 * filled where no document has it.
 */
int pm_dump_key(const json_t *all, const char *key, bool json, struct pm_err *e);

/* Print a document as lines `key value`, each behind the host's name where that is not NULL. */
void pm_dump_lines(const json_t *doc, const char *host);

/* Print a value as text, behind the host's name where that is not NULL. */
void pm_dump_value(const char *host, enum pm_job_type type, const json_t *value);

#endif
