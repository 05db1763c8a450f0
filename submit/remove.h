/* Files to remove once the database has all of their content. */
#ifndef PM_SUBMIT_REMOVE_H
#define PM_SUBMIT_REMOVE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct pm_remove_file {
	char *path;
	size_t source;  /* number of its source */
	bool last;      /* metadata: to be removed after the other files */
	struct stat st; /* state of the file when it was opened */
};

struct pm_remove {
	struct pm_remove_file *file;
	size_t files, cap;
};

/*
 * Note a file of source number `source`: the archive `directory`, or file `name` in that directory.
 * `st` is its state when it was opened. `last` marks metadata: removed last, since they identify
 * the job of the other files. Returns 0 or -1 with e filled.
 */
int pm_remove_note(struct pm_remove *r, size_t source, const char *directory, const char *name,
		   bool last, const struct stat *st, struct pm_err *e);

/*
 * Remove the noted files of a source, and its directory if that is then empty; `path` is the
 * source. At a file that changed since it was read, or must not be removed, removal stops; with
 * `dry` nothing is removed. Returns 0, or -1 with e saying why something is kept.
 */
int pm_remove_source(const struct pm_remove *r, size_t source, const char *path, bool dry,
		     struct pm_err *e);

/* Free the list of files. */
void pm_remove_free(struct pm_remove *r);

#endif
