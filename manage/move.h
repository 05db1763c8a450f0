/* Between the files of `perfmon retire --to`: jobs that are being moved, in batches. */
#ifndef PM_MANAGE_MOVE_H
#define PM_MANAGE_MOVE_H

#include "manage/archivedir.h"
#include "manage/retire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of faults, of a job or an archive each, after which it is not those that are at fault. */
#define PM_MOVE_FAULTS 20

/* Archives of a batch, which are open together. */
#define PM_MOVE_FILES 8

struct pm_moved {
	int64_t id, end_us, processes;
	char name[PM_ARCHIVENAME]; /* of its archive */
	bool copied;               /* the archive has it */
	bool theirs;               /* it had it, and keeps what it had */
	bool left;                 /* it could not be moved */
	bool noted;                /* in the index */
	bool apart;                /* since it and the archive have different rows */
	bool done;
};

struct pm_move {
	struct pm_retire *r;
	struct pm_archivedir dir;
	struct pm_moved *job;
	size_t n;
	int faults;
	char faulty[PM_MOVE_FAULTS]
		   [PM_ARCHIVENAME]; /* archives at fault, each of which counts once */
	size_t faulties;
};

/* Find the next batch of jobs, the oldest first. Returns 1, 0 if there are none, or -1 with e
 * filled. */
int pm_move_find(struct pm_move *m, struct pm_err *e);

/* Copy the batch to its archives, which stay open, and note it in the index. The batch may get
 * shorter, and what could not be copied is left. Returns 0 or -1 with e filled. */
int pm_move_copy(struct pm_move *m, struct pm_err *e);

/* Delete the jobs of the batch that were copied and are not done. Returns 0 or -1 with e filled. */
int pm_move_delete(struct pm_move *m, struct pm_err *e);

/* Tell of a job, or of all jobs for an archive, that cannot be moved, which is a fault where it is
 * `new`. Returns 0, or -1 with e filled after too many faults. */
int pm_move_tell_left(struct pm_move *m, const char *what, int64_t jobs, bool new,
		      const struct pm_err *why, struct pm_err *e);

/* Count the jobs by archive, and say so. Returns 0 or -1 with e filled. */
int pm_move_count(struct pm_move *m, struct pm_err *e);

/* Move all jobs, and write the Parquet files of their processes. Returns 0 or -1 with e filled. */
int pm_move_days(struct pm_move *m, struct pm_err *e);

#endif
