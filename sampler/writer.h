/* The series file, perfmon-series(5): append-only text, one write per tick. Programs only. */
#ifndef PM_WRITER_H
#define PM_WRITER_H

#include "common/err.h"
#include "sampler/clock.h"
#include "sampler/source.h"

struct pm_writer {
	int fd;
	bool own_fd;
	bool header_due;  /* before the next tick: header, and every series declared */
	bool newline_due; /* what stands at the end of the file may be a torn line */
	uint32_t last_id;
	int64_t interval_us;
	char *hostname; /* escaped, owned */
	char *boot_id;
	char *text; /* of one tick, owned */
	size_t capacity;
};

/*
 * Begin to append to <hostname>.series in a directory, or to a descriptor where directory is
 * NULL. The file is made with mode 0600, must be a regular file of this user and not in use by
 * another sampler; symbolic links are not followed. root is where the boot id is read.
 * Returns 0, or -1 with e filled.
 */
int pm_writer_open(struct pm_writer *w, const char *directory, int fd, int64_t interval_us,
		   const char *root, struct pm_err *e);

/*
 * Append a tick with the values of all sinks, and before it the declarations of new series.
 * Returns 0, or -1 with errno set when it could not be written whole: that tick is lost, and the
 * next one can be read all the same.
 */
int pm_writer_tick(struct pm_writer *w, struct pm_moment at, struct pm_sink *sinks, size_t count);

/* Release what is held. */
void pm_writer_close(struct pm_writer *w);

#endif
