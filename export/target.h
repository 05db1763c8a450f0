/* Where an export goes: a new file, or the end of one. */
#ifndef PM_EXPORT_TARGET_H
#define PM_EXPORT_TARGET_H

#include "export/format.h"

#include "common/err.h"
#include "common/outfile.h"

#include <stdbool.h>
#include <stdio.h>

struct pm_export_target {
	FILE *f; /* what is to be written; NULL: nothing is open */
	const char *path;
	struct pm_outfile out; /* of a new file */
	bool append;           /* f is kept until all of it can be added to the file */
};

/*
 * Open a file, beside its name until it is complete. It must be neither a terminal, which data
 * could steer, nor a file that is being read: one of the database, or one of the n that `read`
 * names. With `append` f becomes rows that are added at once, when they are complete. Returns 0
 * with t->f, or -1 with e filled.
 */
int pm_export_target_open(struct pm_export_target *t, const char *path, bool append,
			  char *const *read, size_t n, struct pm_err *e);

/* Complete the file. Returns 0, or -1 with e filled and the file as it was. */
int pm_export_target_commit(struct pm_export_target *t, struct pm_err *e);

/*
 * Add the rows to the end of the file, which is made where it is missing, with `header` in front
 * then. It is locked meanwhile against others who add to it: they are waited for, up to a minute.
 * It has to have the columns of x, by its first line. Signals that end a program wait. Returns as
 * pm_export_target_commit().
 */
int pm_export_target_add(struct pm_export_target *t, const struct pm_export_format *format,
			 const struct pm_export_file *x, const char *header, struct pm_err *e);

/* Leave the file as it was, unless it was completed. */
void pm_export_target_abandon(struct pm_export_target *t);

#endif
