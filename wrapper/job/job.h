/* The life of a job: find, start and stop it. */
#ifndef PM_WRAPPER_JOB_JOB_H
#define PM_WRAPPER_JOB_JOB_H

#include "common/cli/verb.h"
#include "common/job/jobdir.h"
#include "wrapper/sched/sched.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

/* Longest name of a job: <jobid> or <jobid>_<array task>. */
#define PM_JOB_NAME_MAX 192

/* How the command of -a run ended. */
struct pm_job_result {
	int status;     /* wait status, from wait4 */
	bool unstarted; /* the program is missing or cannot be executed */
	int64_t cpu_us; /* CPU time, from wait4 */
};

/* Which jobs pm_job_find accepts. */
enum pm_job_want {
	PM_JOB_OPEN, /* open jobs only */
	PM_JOB_ANY,  /* an open job, else the newest closed job */
	PM_JOB_LAST, /* as ANY; without the name of a job, the user's newest closed job, too */
};

/*
 * Find the job to work on: the job of -j, else of the directory PERFMON_OUTPUT, else of the batch
 * system, else an open job that was started in this session.
 * Returns 0 with *d open (the caller closes it); with e filled 1 if there is no such job, or -1 if
 * there are several or the search failed.
 */
int pm_job_find(const struct pm_cli *cli, enum pm_job_want want, struct pm_jobdir *d,
		struct pm_err *e);

/* Get the identity that -j or the batch system gives. *name gets the name of the job's directory,
 * "": neither gives an identity. Returns 0, or -1 with e filled: the job's name is impossible. */
int pm_job_identify(const struct pm_cli *cli, struct pm_ident *id, const struct pm_sched **sched,
		    char name[PM_JOB_NAME_MAX], struct pm_err *e);

/*
 * Whether this is a Slurm step whose srun lacked the job's environment. Such a step knows its
 * element's job id, but neither the array nor the restart count. Metadata written only by such
 * steps has the fact PM_JOB_PARTIAL.
 */
#define PM_JOB_PARTIAL "partial"
bool pm_job_is_partial(const struct pm_ident *id);

/* Whether the metadata belongs to this identity. Values that one side cannot know do not count: a
 * cluster, an epoch that `id` lacks, and the array and restart count of a Slurm step without the
 * job's environment. */
int pm_job_is_same(const json_t *doc, const struct pm_ident *id);

/* Whether `directory` may be the name of the job's directory; `name` is the name for a new one. */
bool pm_job_may_be_in(const char *directory, const char *name, const struct pm_ident *id);

/* Add to the metadata the parts of the job's key that only `id` has. Returns whether doc changed.
 */
bool pm_job_complete(json_t *doc, const struct pm_ident *id);

/*
 * Start a job: make its directory and the start half of its metadata, or join the job if it is open
 * already. `command` is the command of -a run, else NULL.
 * Returns 0 with *d open and locked, and *created 1 if this call opened the job, else 0; or -1 with
 * e filled.
 */
int pm_job_start(const struct pm_cli *cli, char **command, struct pm_jobdir *d, int *created,
		 struct pm_err *e);

/* Stop the job: collate its files, count its records, write the stop half. `result` is NULL except
 * for -a run. Returns 0; 1 if the job was stopped already; -1 with e filled. */
int pm_job_stop(struct pm_jobdir *d, const struct pm_job_result *result, struct pm_err *e);

/* Lock the job's metadata against other perfmon processes of this host until d->fd is closed or
 * pm_job_unlock is called. Returns 0 or -1 with e filled. */
int pm_job_lock(const struct pm_jobdir *d, struct pm_err *e);
void pm_job_unlock(const struct pm_jobdir *d);

/* Get the job id for people and processes: jobid, with _<task> in an array. */
void pm_job_display_id(const json_t *doc, char id[PM_JOB_NAME_MAX]);

/* Whether the job belongs to a perfmon run -a, which will stop it. */
int pm_job_is_automatic(const json_t *doc);

#endif
