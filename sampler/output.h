/* The output of series: a file that is only appended to, or a stream. */
#ifndef PM_SAMPLER_OUTPUT_H
#define PM_SAMPLER_OUTPUT_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pm_output {
	int fd;           /* -1: none */
	bool own_fd;      /* fd is owned */
	bool newline_due; /* the output may end in a torn line */
	bool patient;     /* a stream for which the writer must not wait */
	pid_t sync;       /* the child that syncs the file to disk, 0: none */
	char *directory;  /* of a file; owned */
	char *hostname;   /* of a file: the beginning of its name; owned */
};

/*
 * Append to <hostname>.series in a directory. The file is created with mode 0600. An existing one
 * must be a regular file of this user that no other sampler uses; symbolic links are not followed.
 * Returns 0, or -1 with e filled and o->fd -1.
 */
int pm_output_open(struct pm_output *o, const char *directory, const char *hostname,
		   struct pm_err *e);

/* Write to a descriptor of the caller's. patient: drop a text that would have to wait for room. */
void pm_output_stream(struct pm_output *o, int fd, bool patient);

/*
 * Go on in a new file, the first <hostname>.<n>.series that does not exist yet.
 * Returns 0, or -1 with e filled: the old file stays in use.
 */
int pm_output_rotate(struct pm_output *o, struct pm_err *e);

/*
 * Write all of text; the byte in front of text is overwritten. Returns 0, or -1 with errno set: a
 * part of the text may have been written.
 */
int pm_output_write(struct pm_output *o, char *text, size_t n);

/*
 * Begin to sync the file to disk, in a child process that waits for the disk. Returns 0, or -1 when
 * there is no file, the previous sync is still under way, or fork(2) fails.
 */
int pm_output_sync(struct pm_output *o);

/* Whether a sync has ended since the last call. If so, *done is whether it succeeded. */
bool pm_output_synced(struct pm_output *o, bool *done);

/* Release what is held. */
void pm_output_close(struct pm_output *o);

#endif
