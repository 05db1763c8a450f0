/* One archive of `stage`: written, read back, published, handed on, its originals removed. */
#ifndef PM_WRAPPER_STAGE_H
#define PM_WRAPPER_STAGE_H

#include "common/jobdir.h"
#include "common/living.h"
#include "common/verb.h"
#include "wrapper/pack.h"

#include <limits.h>
#include <sys/types.h>

/* What one archive is of. */
struct pm_stage {
	const struct pm_jobdir *d; /* locked by the caller */
	char host[256];            /* "" for files that no host's metadata claims */
	bool keep;                 /* leave the files where they are */
	bool keep_job;             /* leave metadata and tallies: the job may be opened again */
	uid_t owner;               /* of the job; root gives the archive to them */
	gid_t group;
	struct pm_pack pack;
	char archive[PATH_MAX]; /* set when there is one */
	int kept;               /* files that were written to meanwhile, and so stayed */
	int living;             /* recorded processes that go on recording, for which all stays */
	char names[PM_LIVING_NAMES]; /* of the first of them */
};

/*
 * Pack the files of s->pack into a new archive in the directory of the setting stage_to, read it
 * back, publish it under a name that was free, run the setting stage_command, and remove the files.
 * Returns 0 with s->archive set, or -1 with e filled: then no file was removed.
 */
int pm_stage_files(struct pm_stage *s, struct pm_err *e);

/*
 * Complete what an earlier call for this directory and host began and did not end: where its
 * archive was published, go on behind that. Returns 1 with s->archive and s->pack set when it did,
 * 0 where there was nothing to complete, -1 with e filled.
 */
int pm_stage_resume(struct pm_stage *s, struct pm_err *e);

/* 1 for a name that stage uses inside a job directory: what resume needs. */
int pm_stage_is_own(const char *name);

#endif
