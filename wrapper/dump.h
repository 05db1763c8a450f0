/* What `dump` prints: the metadata documents of its operand. */
#ifndef PM_WRAPPER_DUMP_H
#define PM_WRAPPER_DUMP_H

#include "common/err.h"
#include "common/verb.h"

#include <jansson.h>

/*
 * Read the metadata that the operand names: a directory, an archive, a metadata file, a job;
 * without one the job in use. Returns an array of documents, one per host, that the caller decrefs;
 * e has a text where some could not be read. NULL with e filled where there is none.
 */
json_t *pm_dump_read(const struct pm_cli *cli, struct pm_err *e);

#endif
