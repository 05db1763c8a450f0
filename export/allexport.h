/* What the verb export writes of whole jobs into one file. */
#ifndef PM_EXPORT_ALLEXPORT_H
#define PM_EXPORT_ALLEXPORT_H

#include "common/cli/verb.h"
#include "common/err.h"

/* The kind of export. */
#define PM_ALLEXPORT "all"

/* Write the jobs that the operands behind the kind, or --job, name, else the newest one, as an HDF5
 * file. Returns PM_EXIT_OK, or another exit status with e filled. */
int pm_allexport(const struct pm_cli *cli, struct pm_err *e);

#endif
