/*
 * Where job directories are: <output_prefix>/<user>/<name>/, and how they are trusted. Everything
 * is opened relative to descriptors, symbolic links are never followed. Programs only.
 */
#ifndef PM_JOBDIR_H
#define PM_JOBDIR_H

#include "common/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct pm_jobdir {
	int fd;              /* the directory, close-on-exec; -1: none */
	char path[PATH_MAX]; /* absolute */
	char name[NAME_MAX + 1];
};

/* One job directory found by pm_jobdir_each; valid during the call. Returns 0 to go on, other
 * values end the walk. */
typedef int pm_jobdir_fn(const struct pm_jobdir *d, void *arg);

/*
 * Open this user's directory for new jobs, creating it and the prefix where missing: the prefix
 * mode 1777 by root and 0755 by others, below a directory shared by users (/tmp) <prefix>-<uid>
 * instead; the user's own as pm_jobdir_protect says. A name taken by somebody else gets a random
 * suffix. A prefix that was set, exists and cannot be used is warned of.
 * *path (PATH_MAX bytes) gets its absolute path. Returns a descriptor that the caller closes, or
 * -1 with e filled.
 */
int pm_jobdir_user(char *path, struct pm_err *e);

/*
 * Make a directory of ours private: mode 0700; for root 0711, so that root's programs that become
 * other users can reach their own record files through it. Returns 0 or -1 with errno.
 */
int pm_jobdir_protect(int fd);

/*
 * Create job directory `name` in pm_jobdir_user(). Returns 0 with *d open, 1 where the
 * name exists already (nothing opened), -1 with e filled.
 */
int pm_jobdir_create(const char *name, struct pm_jobdir *d, struct pm_err *e);

/*
 * Create the next job directory <stem>-<n>, n counting from 1 above those that exist; two callers
 * never get the same. Returns 0 with *d open, or -1 with e filled.
 */
int pm_jobdir_create_next(const char *stem, struct pm_jobdir *d, struct pm_err *e);

/*
 * Open a job directory by path. It must be a directory, not a symbolic link, that belongs to the
 * effective user (root may open anybody's). Returns 0 or -1 with e filled.
 */
int pm_jobdir_open(const char *path, struct pm_jobdir *d, struct pm_err *e);

/* Close it; harmless on one that is not open. */
void pm_jobdir_close(struct pm_jobdir *d);

/* 1 when the directory holds metadata of a job (any job-<host>.json), else 0. */
int pm_jobdir_is_job(int fd);

/*
 * Call fn for every job directory of this user: in every place pm_jobdir_user may have chosen,
 * now or earlier, in no particular order. Directories without metadata are passed over.
 * Returns what fn returned last, 0 where there was nothing, -1 with e filled where the places
 * cannot be read.
 */
int pm_jobdir_each(pm_jobdir_fn *fn, void *arg, struct pm_err *e);

/* Whether the job directory of this name is looked for. */
typedef bool pm_jobdir_wanted_fn(const char *name, void *arg);

/* As pm_jobdir_each, but only for those that `wanted` chooses by name: the others cost a line of a
 * listing each, and are not opened. */
int pm_jobdir_each_wanted(pm_jobdir_wanted_fn *wanted, pm_jobdir_fn *fn, void *arg,
			  struct pm_err *e);

/* 1 when the text can name a job directory: 1 to 200 bytes, no '/', no leading '.', no control
 * character. */
int pm_jobdir_name_valid(const char *name);

/* 1 when a directory's name is `name`, or `name.<epoch>`: the same job, begun again. */
int pm_jobdir_is_named(const char *directory, const char *name);

/* This host's name as file names carry it: uname's node name, every '/' replaced by '_'. */
void pm_jobdir_host(char *buf, size_t size);

/* Shared by jobdir.c and jobdir_user.c: call fn for every directory that may hold this user's
 * jobs (a descriptor it may not keep, and its path). Returns as pm_jobdir_each. */
int pm_jobdir_each_user(int (*fn)(int fd, const char *path, void *arg), void *arg,
			struct pm_err *e);

#endif
