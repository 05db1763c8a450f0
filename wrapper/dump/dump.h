/* Read and print the metadata documents for `perfmon dump`. */
#ifndef PM_WRAPPER_DUMP_DUMP_H
#define PM_WRAPPER_DUMP_DUMP_H

#include "common/cli/verb.h"
#include "common/err.h"
#include "common/job/job.h"

#include <jansson.h>
#include <stdbool.h>

/*
 * Read the metadata that the operand names: a directory, an archive, a metadata file, a job;
 * without an operand, that of the job in use. Returns an array of documents, one per host, that the
 * caller decrefs; e has a text if some could not be read. Returns NULL with e filled if there are
 * none.
 */
json_t *pm_dump_read(const struct pm_cli *cli, struct pm_err *e);

/*
 * Print one value of each document: KEY, MAP.NAME or LIST.NUMBER as `dump` names them, or a name of
 * EPMT's metadata. Prints JSON, or text with a line for each member of a map or list. Returns 0, or
 * -1 with e filled if no document has the value.
 */
int pm_dump_key(const json_t *all, const char *key, bool json, struct pm_err *e);

/* Print a document as lines `key value`, each after the host's name unless `host` is NULL. */
void pm_dump_lines(const json_t *doc, const char *host);

/* Print a value as text, after the host's name unless `host` is NULL. */
void pm_dump_value(const char *host, enum pm_job_type type, const json_t *value);

#endif
