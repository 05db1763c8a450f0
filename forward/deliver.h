/* Bring one archive, or a spool of them, to its target. Each delivery is a process of its own,
 * which is killed after the setting forward_limit: a target that hangs stops nothing else. */
#ifndef PM_FORWARD_DELIVER_H
#define PM_FORWARD_DELIVER_H

#include "common/err.h"
#include "forward/destination.h"
#include "submit/spool.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>

struct pm_delivery {
	const struct pm_destination *to;
	int fd; /* the archive, open for reading */
	const char *name;
	const struct stat *st;
	const struct stat *spool;          /* the directory that it is in */
	const volatile sig_atomic_t *stop; /* the caller has to end */
	int lock[2]; /* descriptors that a process which hangs must not hold */
};

enum pm_deliver {
	PM_DELIVER_TAKEN,
	PM_DELIVER_REFUSED, /* the target can never take it: e says why */
	PM_DELIVER_AGAIN,   /* not now: e says why */
};

/*
 * Copy an archive into the directory: written beside its name, synced, renamed, of the archive's
 * owner. One that is there already is taken.
 */
enum pm_deliver pm_deliver_directory(const struct pm_delivery *d, struct pm_err *e);

/*
 * Run the command with the archive on its standard input; $1 is a name that no other archive has,
 * $2 its owner's number. Exit status 0 means that it is taken, 65 (EX_DATAERR) that it never will
 * be.
 */
enum pm_deliver pm_deliver_command(const struct pm_delivery *d, struct pm_err *e);

/*
 * Load all archives of a spool into the database, as `submit --spool --remove` does, for about
 * `long_us` microseconds, in a process without the descriptor `lock`. Returns 0 or -1 with e
 * filled, as pm_spool_run().
 */
int pm_deliver_spool(const struct pm_destination *to, const char *spool, int64_t long_us, int lock,
		     const volatile sig_atomic_t *stop, struct pm_spool_pass *pass,
		     struct pm_err *e);

/*
 * The name that an archive has at its target: that of its file, of which only letters, digits and
 * "._+-" are kept, and 32 digits of the SHA-256 digest of its owner and content before the suffix,
 * so that the same archive has the same name whenever and from wherever it is sent. Returns 0, or
 * -1 with errno: it cannot be read.
 */
int pm_delivery_name(const struct pm_delivery *d, char name[NAME_MAX + 1]);

#endif
