/* Annotations in the metadata of jobs that are not loaded. */
#ifndef PM_WRAPPER_ANNOTATE_H
#define PM_WRAPPER_ANNOTATE_H

#include "common/annotate.h"
#include "common/jobdir.h"

/* What to note. */
struct pm_annotate {
	const struct pm_annotation *list;
	size_t n;
	bool replace; /* in place of what is there */
};

/* Note it in every host's metadata of an open job directory. Returns 0 or -1 with e filled. */
int pm_annotate_directory(const struct pm_jobdir *d, const struct pm_annotate *a, struct pm_err *e);

/*
 * Note it in an archive of one job: a new one is written beside it, read back, and takes its name,
 * owner and mode. Returns 0, or -1 with e filled: the archive is as it was.
 */
int pm_annotate_archive(const char *path, const struct pm_annotate *a, struct pm_err *e);

#endif
