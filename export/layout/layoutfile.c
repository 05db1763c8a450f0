/* The files of a layout that is a directory. */
#include "config.h"

#include "export/layout/layoutfile.h"

#include <stdio.h>

int pm_layoutfile_name(char path[PATH_MAX], const char *directory, const char *name,
		       struct pm_err *e)
{
	if (snprintf(path, PATH_MAX, "%s/%s", directory, name) >= PATH_MAX)
		return pm_err(e, "%s/%s: the name is too long", directory, name);
	return 0;
}

int pm_layoutfile_open(struct pm_export_target *t, char path[PATH_MAX],
		       const struct pm_layout_ask *a, const char *directory, const char *name,
		       struct pm_err *e)
{
	if (pm_layoutfile_name(path, directory, name, e) < 0)
		return -1;
	return pm_export_target_open(t, path, false, a->read, a->reads, e);
}
