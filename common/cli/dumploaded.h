/* Job metadata from the database. The verb dump belongs to the wrapper, report/dump.c reads them.
 * Programs only. */
#ifndef PM_COMMON_CLI_DUMPLOADED_H
#define PM_COMMON_CLI_DUMPLOADED_H

#include "common/cli/verb.h"

#include <jansson.h>

/*
 * Read the metadata of a job in the database that `operand` names as in `show`, or of the first job
 * of a directory or archive that submit loads, of EPMT as well. Returns an array of documents in
 * the format of job-HOST.json, one per host, that the caller decrefs; NULL with e filled.
 */
json_t *pm_dump_loaded(const struct pm_cli *cli, const char *operand, struct pm_err *e);

#endif
