/* A file that is written beside its name and takes it when it is complete. Programs only. */
#ifndef PM_COMMON_OUTFILE_H
#define PM_COMMON_OUTFILE_H

#include "common/err.h"

#include <stdio.h>

struct pm_outfile {
	FILE *f;
	const char *path; /* as the caller named it, or "standard output" */
	/* The file until it is complete, and the directory that it is in; NULL: the path itself, or
	 * standard output. */
	char *beside;
	int directory;
};

/*
 * Open a file for writing: "-" and "/dev/stdout" are standard output; what is no regular file, such
 * as a pipe, is written directly, a FIFO only where it has a reader; a link keeps pointing to its
 * file, and one that leads nowhere is an error. Its directory is that of now, whatever the path
 * leads to later. A new file gets the mode 0666 less the umask, one that replaces another that
 * one's, its group and, where it may, its owner; one that may not be written is not replaced.
 *
 * Root follows no link of another user's, and gives what it writes to a user only in place of a
 * file of that user's that is in the user's own directory, or in one that root alone may write to;
 * anything else is an error.
 *
 * SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGTERM and SIGXCPU remove the file first, where they
 * would end the program; of several that are open, the one that was opened first. `path` must
 * outlive it. Returns 0 with o->f, or -1 with e filled.
 */
int pm_outfile_open(struct pm_outfile *o, const char *path, struct pm_err *e);

/* Close the file and give it its name. Returns 0, or -1 with e filled and the file of that name as
 * it was. */
int pm_outfile_commit(struct pm_outfile *o, struct pm_err *e);

/* Remove what was written, unless it was committed. Does nothing for a file that was not opened. */
void pm_outfile_abandon(struct pm_outfile *o);

#endif
