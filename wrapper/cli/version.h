/* Print the version of perfmon and its parts. */
#ifndef PM_WRAPPER_CLI_VERSION_H
#define PM_WRAPPER_CLI_VERSION_H

#include "common/cli/verb.h"

/* Print the version of perfmon to standard output; with -v or --json also those of all parts. */
void pm_version_print(const struct pm_cli *cli);

#endif
