/* Add annotations to the metadata of jobs in directories and archives. */
#ifndef PM_WRAPPER_STAGE_ANNOTATE_H
#define PM_WRAPPER_STAGE_ANNOTATE_H

#include "common/job/annotate.h"
#include "common/job/jobdir.h"

/* The annotations to add. */
struct pm_annotate {
	const struct pm_annotation *list;
	size_t n;
	bool replace; /* remove all annotations of the job first */
};

/* Add the annotations to every host's metadata in an open job directory. Returns 0 or -1 with e
 * filled. */
int pm_annotate_directory(const struct pm_jobdir *d, const struct pm_annotate *a, struct pm_err *e);

/*
 * Add the annotations to an archive of one job, by pm_repack(). Returns 0, or -1 with e filled and
 * the archive unchanged.
 */
int pm_annotate_archive(const char *path, const struct pm_annotate *a, struct pm_err *e);

#endif
