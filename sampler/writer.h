/* The text of series, perfmon-series(5): one write per tick. Programs only. */
#ifndef PM_WRITER_H
#define PM_WRITER_H

#include "common/err.h"
#include "sampler/clock.h"
#include "sampler/output.h"
#include "sampler/source.h"

/* Where a writer writes to: the file and the stream. */
enum { PM_WRITER_FILE, PM_WRITER_STREAM, PM_WRITER_OUTPUTS };

struct pm_writer {
	struct pm_output output[PM_WRITER_OUTPUTS];
	bool header_due;  /* before the next tick: header, and every series declared */
	uint32_t headers; /* how many there have been */
	uint32_t last_id;
	uint64_t written; /* bytes */
	int64_t interval_us;
	char *hostname; /* escaped, owned */
	char *boot_id;
	char *text; /* of one tick, owned */
	size_t capacity;
};

/*
 * Begin to write: to a file in a directory (pm_output_open), NULL for none, and to a stream, -1 for
 * none. Where there is a file, the stream keeps nobody waiting: it lacks what its reader leaves no
 * room for. root is where the boot id is read.
 * Returns 0, or -1 with e filled.
 */
int pm_writer_open(struct pm_writer *w, const char *directory, int stream, int64_t interval_us,
		   const char *root, struct pm_err *e);

/*
 * Write a tick with the values of these sinks, and before it the declarations of new series.
 * Returns 0, or -1 with errno set when it could not be written whole to the file, or to the stream
 * where that is all: that tick is lost, and the next one can be read all the same.
 */
int pm_writer_tick(struct pm_writer *w, struct pm_moment at, struct pm_sink *const *sinks,
		   size_t count);

/*
 * Write that from here on a tick of a source stands for so many of its readings. Returns 0, or -1
 * with errno set.
 */
int pm_writer_thinned(struct pm_writer *w, const struct pm_source *source, uint64_t readings);

/*
 * Begin anew: with another interval, and where there is a file, in a new one.
 * Returns 0, or -1 with e filled: the file stays the same one.
 */
int pm_writer_rotate(struct pm_writer *w, int64_t interval_us, struct pm_err *e);

/* Release what is held. */
void pm_writer_close(struct pm_writer *w);

#endif
