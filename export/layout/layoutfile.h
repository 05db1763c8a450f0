/* The files of a layout that is a directory. */
#ifndef PM_EXPORT_LAYOUT_LAYOUTFILE_H
#define PM_EXPORT_LAYOUT_LAYOUTFILE_H

#include "export/layout.h"
#include "export/target.h"

#include "common/err.h"

#include <limits.h>

/* Write the path of a file in a directory. Returns 0, or -1 with e filled where it is too long. */
int pm_layoutfile_name(char path[PATH_MAX], const char *directory, const char *name,
		       struct pm_err *e);

/* Open a file in a directory, as pm_export_target_open(). *t refers to `path`. */
int pm_layoutfile_open(struct pm_export_target *t, char path[PATH_MAX],
		       const struct pm_layout_ask *a, const char *directory, const char *name,
		       struct pm_err *e);

#endif
