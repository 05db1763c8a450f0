/* Files that were read, to be removed once the database has all that is in them. Programs only. */
#ifndef PM_REMOVE_H
#define PM_REMOVE_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct pm_remove_file {
	char *path;
	size_t source;  /* which of the sources it is, or is in */
	bool last;      /* to be removed behind the others: it says whose they are */
	struct stat st; /* of what was read */
};

struct pm_remove {
	struct pm_remove_file *file;
	size_t files, cap;
};

/*
 * Note a file: the archive `directory`, or `name` in that directory, which is the source of a
 * number. `st` is what it was when it was opened. One that says what the others are of goes `last`.
 * Returns 0 or -1 with e filled.
 */
int pm_remove_note(struct pm_remove *r, size_t source, const char *directory, const char *name,
		   bool last, const struct stat *st, struct pm_err *e);

/*
 * Remove the noted files of a source, and its directory where that is empty then; `path` is the
 * source. What changed since it was read, or is not to be removed, stays, with all that is not
 * removed yet; with `dry` everything does. Returns 0, or -1 with e saying why something stays.
 */
int pm_remove_source(const struct pm_remove *r, size_t source, const char *path, bool dry,
		     struct pm_err *e);

/* Free what was noted. */
void pm_remove_free(struct pm_remove *r);

#endif
