/* Make one archive of `stage`: write it, read it back, publish it, run the setting stage_command,
 * and remove the packed files. */
#ifndef PM_WRAPPER_STAGE_STAGE_H
#define PM_WRAPPER_STAGE_STAGE_H

#include "common/cli/verb.h"
#include "common/job/jobdir.h"
#include "common/job/living.h"
#include "wrapper/stage/pack.h"

#include <limits.h>
#include <sys/types.h>

/* An archive and the files that go into it. */
struct pm_stage {
	const struct pm_jobdir *d; /* locked by the caller */
	char host[256];            /* "": files that belong to no host with metadata */
	bool keep;                 /* do not remove the packed files */
	bool keep_job;             /* keep metadata and tallies: the job may be opened again */
	uid_t owner;               /* the job's user; root gives the archive to this user */
	gid_t group;
	struct pm_pack pack;
	char archive[PATH_MAX];      /* path of the published archive */
	int kept;                    /* files that stay because they were written to meanwhile */
	int living;                  /* processes that go on recording, so that all files stay */
	char names[PM_LIVING_NAMES]; /* names of the first of these processes */
};

/*
 * Pack the files of s->pack into a new archive in the directory of the setting stage_to, read it
 * back, publish it under a free name, run the setting stage_command, and remove the files, unless
 * s->keep. Returns 0 with s->archive set, or -1 with e filled: files that were removed are in the
 * archive.
 */
int pm_stage_files(struct pm_stage *s, struct pm_err *e);

/*
 * Complete an earlier call for this directory and host that was killed or failed after it had
 * published its archive. Returns 1 with s->archive and s->pack set; 0 if there was nothing to
 * complete; -1 with e filled.
 */
int pm_stage_resume(struct pm_stage *s, struct pm_err *e);

/* Whether stage uses this name for a file of its own in a job directory. */
int pm_stage_is_own(const char *name);

#endif
