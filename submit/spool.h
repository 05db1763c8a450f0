/*
 * A spool directory: archives in it are loaded, then moved to its folder `loaded` or `failed`. All
 * operations are relative to descriptors, and no link is ever followed.
 */
#ifndef PM_SUBMIT_SPOOL_H
#define PM_SUBMIT_SPOOL_H

#include "common/err.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct pm_spool {
	const char *path;
	int dir, loaded, failed;
	int lock; /* -1: not held */
};

/*
 * Open a spool and create its folders. The directory and its folders must belong to the effective
 * user or root; the directory may be world-writable if it is sticky, the folders must be writable
 * by their owner only. Returns 0, or -1 with e filled and nothing open.
 */
int pm_spool_open(struct pm_spool *s, const char *path, struct pm_err *e);
void pm_spool_close(struct pm_spool *s);

/* Take the lock, which the kernel releases when the process ends. Returns 0; 1 if another pass
 * holds it; -1 with e filled. */
int pm_spool_lock(struct pm_spool *s, struct pm_err *e);

/* Give the lock up, if it is held. */
void pm_spool_unlock(struct pm_spool *s);

/* List the entries named like archives, sorted; names and array are to be freed. Returns their
 * number, or -1 with e filled. */
int pm_spool_list(const struct pm_spool *s, char ***names, struct pm_err *e);

enum pm_spool_look {
	PM_SPOOL_TAKE,  /* a complete archive: *fd is open */
	PM_SPOOL_LEAVE, /* the entry is gone, or changed too recently */
	PM_SPOOL_ASIDE, /* the entry cannot be loaded: e says why */
	PM_SPOOL_AGAIN, /* a temporary error: e says why */
};

/*
 * Examine an entry. An entry that changed less than `age_us` ago is left alone, and *due_us is
 * lowered to the time until it is old enough. *st is the state of the examined entry.
 */
enum pm_spool_look pm_spool_look(const struct pm_spool *s, const char *name, int64_t age_us,
				 int *fd, struct stat *st, int64_t *due_us, struct pm_err *e);

/*
 * Move an entry to the folder `loaded` or `failed`, under a free name. A reason is written to a
 * file with that name plus ".reason". With `remove` the entry is deleted there. An entry that
 * replaced the examined one stays in the spool. Returns 0 or -1 with e filled.
 */
int pm_spool_move(const struct pm_spool *s, const char *name, const struct stat *looked,
		  bool failed, const char *reason, bool remove, struct pm_err *e);

/* Result of one pass. */
struct pm_spool_pass {
	int loaded, aside; /* archives moved to `loaded` or removed; moved to `failed` */
	int faulty;        /* loaded archives with rejected lines or other faults */
	int left;          /* entries left: changed too recently, not movable, or not reached */
	int64_t due_us;    /* time until the first of them is old enough, INT64_MAX: none */
	bool more;         /* it was stopped, and archives are left */
	bool again;        /* try again later: database unavailable, or another pass is running */
};

struct pm_load_options;

/*
 * Run one pass over a spool: load and move its archives, until `stop` is set. Calls o->done for
 * each job. Returns 0, or -1 with e filled if the pass failed; `again` then tells whether a retry
 * may succeed.
 */
int pm_spool_run(const char *path, bool remove, const struct pm_load_options *o,
		 const volatile sig_atomic_t *stop, struct pm_spool_pass *pass, struct pm_err *e);

/* Run passes whenever an archive arrives and periodically, until SIGTERM, SIGINT or SIGHUP. Returns
 * the exit status. */
int pm_spool_watch(const char *path, bool remove, const struct pm_load_options *o,
		   struct pm_err *e);

#endif
