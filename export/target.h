/* Where an export goes: a new file, or the end of one. */
#ifndef PM_EXPORT_TARGET_H
#define PM_EXPORT_TARGET_H

#include "export/format.h"

#include "common/err.h"
#include "common/outfile.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct pm_export_target {
	struct pm_outfile out; /* of a new file */
	FILE *end;             /* of a file that is added to; NULL: a new one */
	const char *path;
	off_t length; /* of the file before */
};

/*
 * Open a file for rows, beside its name until it is complete; or, with `append`, the end of one
 * that may be there, locked against others who add to it: they are waited for, up to a minute. Such
 * a file has to begin with the line `header`, NULL: any. Returns 0 with x->f and x->appended, or -1
 * with e filled.
 */
int pm_export_target_open(struct pm_export_target *t, struct pm_export_file *x, const char *path,
			  bool append, const char *header, struct pm_err *e);

/* Complete the file. Returns 0, or -1 with e filled and the file as it was. */
int pm_export_target_commit(struct pm_export_target *t, struct pm_err *e);

/* Leave the file as it was, unless it was completed. */
void pm_export_target_abandon(struct pm_export_target *t);

#endif
