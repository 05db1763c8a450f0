/* Formats that export does not write, and what makes them. */
#ifndef PM_EXPORT_OTHERFORMAT_H
#define PM_EXPORT_OTHERFORMAT_H

#include "common/cli/verb.h"
#include "common/err.h"

#include <stdbool.h>

/*
 * Whether the word of --format, or without one the end of the path, is such a format: sqlite, a
 * database of jobs, or feather, orc and pickle, which other programs make of Parquet. Then e has
 * the line that makes the file, with the jobs of the command line.
 */
bool pm_otherformat_explain(const struct pm_cli *cli, const char *path, struct pm_err *e);

#endif
