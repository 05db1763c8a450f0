/* The life of a job: found, started, stopped. */
#ifndef PM_WRAPPER_JOB_H
#define PM_WRAPPER_JOB_H

#include "common/jobdir.h"
#include "common/verb.h"
#include "wrapper/sched.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Longest name of a job: <jobid> or <jobid>_<array task>. */
#define PM_JOB_NAME_MAX 192

/* How the command of -a run ended. */
struct pm_job_result {
	int status;     /* as wait4 gave it */
	bool unstarted; /* there was no such program, or it could not be executed */
	int64_t cpu_us;
};

/* What pm_job_find takes. */
enum pm_job_want {
	PM_JOB_OPEN, /* open jobs alone */
	PM_JOB_ANY,  /* the newest closed one where none is open */
	PM_JOB_LAST, /* as ANY, and where nothing names a job the user's newest closed one */
};

/*
 * Find the job to work on: that of -j, else the directory PERFMON_OUTPUT, else the batch system's,
 * else the open ones that were started in this session.
 * Returns 0 with *d open (the caller closes it), 1 where there is none and -1 where there are
 * several, both with e filled.
 */
int pm_job_find(const struct pm_cli *cli, enum pm_job_want want, struct pm_jobdir *d,
		struct pm_err *e);

/* The identity that -j or the batch system gives; *name its directory name, "" for a new one.
 * Returns 0 or -1 with e filled (-j is no possible name). */
int pm_job_identify(const struct pm_cli *cli, struct pm_ident *id, const struct pm_sched **sched,
		    char name[PM_JOB_NAME_MAX], struct pm_err *e);

/*
 * Whether this is a Slurm step whose srun lacked the job's environment: it knows its element's job
 * id, but neither the array nor the restart count. Metadata written only by such steps has the fact
 * PM_JOB_PARTIAL.
 */
#define PM_JOB_PARTIAL "partial"
bool pm_job_is_partial(const struct pm_ident *id);

/* 1 when the metadata belongs to this identity. A cluster or epoch that only one side knows decides
 * nothing, nor does anything that a Slurm step without the job's environment is not told. */
int pm_job_is_same(const json_t *doc, const struct pm_ident *id);

/* Whether a directory of this name may be that of the job whose directory is to be `name`. */
bool pm_job_may_be_in(const char *directory, const char *name, const struct pm_ident *id);

/* Complete the job's key in its metadata from this identity. Returns whether anything was added. */
bool pm_job_complete(json_t *doc, const struct pm_ident *id);

/*
 * Start a job: directory and start half of the metadata; `command` is that of -a run or NULL. A job
 * that is open already is joined.
 * Returns 0 with *d open: 1 in *created when this call opened the job; -1 with e filled.
 */
int pm_job_start(const struct pm_cli *cli, char **command, struct pm_jobdir *d, int *created,
		 struct pm_err *e);

/* Stop the job: collate its files, count them, write the stop half. `result` is NULL but for
 * -a run. Returns 0, 1 when it was stopped already, -1 with e filled. */
int pm_job_stop(struct pm_jobdir *d, const struct pm_job_result *result, struct pm_err *e);

/* Hold the job's metadata against other perfmons of this host until the directory is closed, or
 * pm_job_unlock before that. Returns 0 or -1 with e filled. */
int pm_job_lock(const struct pm_jobdir *d, struct pm_err *e);
void pm_job_unlock(const struct pm_jobdir *d);

/* The job id for people and processes: jobid, with _<task> in an array. */
void pm_job_display_id(const json_t *doc, char id[PM_JOB_NAME_MAX]);

/* 1 when the job belongs to a run -a, which will stop it. */
int pm_job_is_automatic(const json_t *doc);

#endif
