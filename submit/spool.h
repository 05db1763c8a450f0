/*
 * A spool directory: archives lie in it, are loaded, and go to its folder `loaded` or `failed`.
 * Everything is done relative to descriptors, no link is ever followed. Programs only.
 */
#ifndef PM_SPOOL_H
#define PM_SPOOL_H

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
 * Open a spool and make its folders. The directory and they must belong to the effective user or
 * root; the directory may be writable for all if it is sticky, they for nobody else. Returns 0, or
 * -1 with e filled and nothing open.
 */
int pm_spool_open(struct pm_spool *s, const char *path, struct pm_err *e);
void pm_spool_close(struct pm_spool *s);

/* Take the lock, which goes with its holder. Returns 0; 1 when another pass has it; -1 with e
 * filled. */
int pm_spool_lock(struct pm_spool *s, struct pm_err *e);

/* Names of the spool that are an archive's, sorted; to be freed one by one and as a whole. Returns
 * how many, or -1 with e filled. */
int pm_spool_list(const struct pm_spool *s, char ***names, struct pm_err *e);

enum pm_spool_look {
	PM_SPOOL_TAKE,  /* a finished archive: *fd is open */
	PM_SPOOL_LEAVE, /* it is gone, or changed a short while ago */
	PM_SPOOL_ASIDE, /* nothing that can be loaded: e says why */
	PM_SPOOL_AGAIN, /* it could not be looked at for now: e says why */
};

/*
 * Look at an entry. What changed less than `age_us` ago is left alone, and *due_us, where that is
 * earlier, becomes the time until it will not be. *st tells what was looked at.
 */
enum pm_spool_look pm_spool_look(const struct pm_spool *s, const char *name, int64_t age_us,
				 int *fd, struct stat *st, int64_t *due_us, struct pm_err *e);

/*
 * Move an entry into the folder `loaded` or `failed`, under a name that is free there, with its
 * reason, where there is one, in a file of that name with .reason behind it. With `remove` it is
 * deleted there. What has come in its place since it was looked at stays in the spool. Returns 0
 * or -1 with e filled.
 */
int pm_spool_move(const struct pm_spool *s, const char *name, const struct stat *looked,
		  bool failed, const char *reason, bool remove, struct pm_err *e);

/* What one pass did. */
struct pm_spool_pass {
	int loaded, aside; /* archives moved to `loaded`, or removed; to `failed` */
	int faulty;        /* of those loaded, with rejected lines and the like */
	int left;          /* changed too short a while ago, or could not be moved */
	int64_t due_us;    /* until the first of them will be old enough, INT64_MAX for none */
	bool again;        /* not all could be done now: the database is away, another pass is on */
};

struct pm_load_options;

/*
 * One pass over a spool: load and move what is there, until `stop` is set. `o` hears of the jobs.
 * Returns 0, or -1 with e filled when it could not be done at all, *again then telling whether that
 * may be otherwise later.
 */
int pm_spool_run(const char *path, bool remove, const struct pm_load_options *o,
		 const volatile sig_atomic_t *stop, struct pm_spool_pass *pass, struct pm_err *e);

/* Pass after pass, when something comes or after a while, until SIGTERM, SIGINT or SIGHUP. Returns
 * the exit status. */
int pm_spool_watch(const char *path, bool remove, const struct pm_load_options *o,
		   struct pm_err *e);

#endif
