/*
 * Job directories: <output_prefix>/<user>/<name>/, and the checks that make them trusted. Every
 * file is opened relative to a descriptor, symbolic links are never followed. Programs only.
 */
#ifndef PM_COMMON_JOB_JOBDIR_H
#define PM_COMMON_JOB_JOBDIR_H

#include "common/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct pm_jobdir {
	int fd;              /* the directory, close-on-exec; -1: none */
	char path[PATH_MAX]; /* absolute */
	char name[NAME_MAX + 1];
};

/* Receives one job directory found by pm_jobdir_each; d is valid during the call. Returns 0 to go
 * on; any other value ends the walk. */
typedef int pm_jobdir_fn(const struct pm_jobdir *d, void *arg);

/*
 * Open this user's directory for new jobs, creating it and the prefix where missing. The prefix
 * gets mode 1777 if root creates it and 0755 otherwise; below a directory shared by users (/tmp)
 * other users get <prefix>-<uid> instead. The user's own directory is protected by
 * pm_jobdir_protect(). A name taken by another user gets a random suffix. A configured prefix that
 * exists but cannot be used causes a warning. path (PATH_MAX bytes) gets the absolute path. Returns
 * a descriptor that the caller closes, or -1 with e filled.
 */
int pm_jobdir_user(char *path, struct pm_err *e);

/*
 * Make a directory of this user private: mode 0700; for root 0711, so that root's programs that
 * become other users can still reach their record files through it. Returns 0 or -1 with errno.
 */
int pm_jobdir_protect(int fd);

/*
 * Create the job directory `name` in pm_jobdir_user(). Returns 0 with *d open, 1 where the name
 * exists already (nothing opened), -1 with e filled.
 */
int pm_jobdir_create(const char *name, struct pm_jobdir *d, struct pm_err *e);

/*
 * Create the next job directory <stem>-<n>, n counting from 1 above the highest existing number;
 * two callers never get the same directory. Returns 0 with *d open, or -1 with e filled.
 */
int pm_jobdir_create_next(const char *stem, struct pm_jobdir *d, struct pm_err *e);

/*
 * Open a job directory by path. It must be a directory, not a symbolic link, and belong to the
 * effective user (root may open any user's). Returns 0 or -1 with e filled.
 */
int pm_jobdir_open(const char *path, struct pm_jobdir *d, struct pm_err *e);

/* Close a job directory; harmless on one that is not open. */
void pm_jobdir_close(struct pm_jobdir *d);

/* 1 when the directory holds job metadata (any job-<host>.json), else 0. */
int pm_jobdir_is_job(int fd);

/*
 * Call fn for every job directory of this user, in every place that pm_jobdir_user may have chosen,
 * now or earlier, in no particular order. Directories without metadata are skipped. Returns what fn
 * returned last, 0 where there was none, -1 with e filled where the places cannot be read.
 */
int pm_jobdir_each(pm_jobdir_fn *fn, void *arg, struct pm_err *e);

/* Whether the job directory of this name is wanted. */
typedef bool pm_jobdir_wanted_fn(const char *name, void *arg);

/* Like pm_jobdir_each, but only for directories that `wanted` selects by name: the others cost one
 * entry of a listing each and are not opened. */
int pm_jobdir_each_wanted(pm_jobdir_wanted_fn *wanted, pm_jobdir_fn *fn, void *arg,
			  struct pm_err *e);

/* 1 when the text can name a job directory: 1 to 200 bytes, no '/', no leading '.', no control
 * character. */
int pm_jobdir_name_valid(const char *name);

/* 1 when a directory's name is `name`, or `name.<epoch>` for the same job started again. */
int pm_jobdir_is_named(const char *directory, const char *name);

/* This host's name as used in file names: uname's node name, every '/' replaced by '_'. */
void pm_jobdir_host(char *buf, size_t size);

/* Shared by jobdir.c and jobdir_user.c: call fn for every directory that may hold this user's jobs,
 * with its path and a descriptor that fn must not keep. Returns the same as pm_jobdir_each(). */
int pm_jobdir_each_user(int (*fn)(int fd, const char *path, void *arg), void *arg,
			struct pm_err *e);

#endif
