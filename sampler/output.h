/* Where series go: a file that is only appended to, or a stream. Programs only. */
#ifndef PM_OUTPUT_H
#define PM_OUTPUT_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pm_output {
	int fd;           /* -1: none */
	bool own_fd;      /* closed with it */
	bool newline_due; /* what stands at the end of it may be a torn line */
	bool patient;     /* a stream that must not make anybody wait */
	pid_t sync;       /* the process that brings it to the disk, 0: none */
	char *directory;  /* of a file; owned */
	char *hostname;   /* of a file: its name begins with it; owned */
};

/*
 * Append to <hostname>.series in a directory. The file is made with mode 0600, must be a regular
 * file of this user and not in use by another sampler; symbolic links are not followed.
 * Returns 0, or -1 with e filled and o->fd -1.
 */
int pm_output_open(struct pm_output *o, const char *directory, const char *hostname,
		   struct pm_err *e);

/* Write to a descriptor of the caller's. patient: leave out what there is no room for at once. */
void pm_output_stream(struct pm_output *o, int fd, bool patient);

/*
 * Go on in a new file, the first <hostname>.<n>.series that is not there yet.
 * Returns 0, or -1 with e filled: it goes on in the old one.
 */
int pm_output_rotate(struct pm_output *o, struct pm_err *e);

/*
 * Write all of text, which has room for one byte in front of it. Returns 0, or -1 with errno set:
 * what part of it was written is not known.
 */
int pm_output_write(struct pm_output *o, char *text, size_t n);

/*
 * Begin to bring what has been written to the disk, in a process that waits for it. Nothing is done
 * while the one before still does so. Returns 0 or -1.
 */
int pm_output_sync(struct pm_output *o);

/* Whether that has ended. Then *done says whether all of it is on the disk. */
bool pm_output_synced(struct pm_output *o, bool *done);

/* Release what is held. */
void pm_output_close(struct pm_output *o);

#endif
