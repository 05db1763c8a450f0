/* The text of series, perfmon-series(5): one write per tick. */
#ifndef PM_SAMPLER_WRITER_H
#define PM_SAMPLER_WRITER_H

#include "common/err.h"
#include "sampler/clock.h"
#include "sampler/output.h"
#include "sampler/source.h"

/* The outputs of a writer: the file and the stream. */
enum { PM_WRITER_FILE, PM_WRITER_STREAM, PM_WRITER_OUTPUTS };

struct pm_writer {
	struct pm_output output[PM_WRITER_OUTPUTS];
	bool header_due;  /* write a header before the next tick, and declare all series anew */
	uint32_t headers; /* headers written so far */
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
 * none. If there is a file, the writer never waits for the stream's reader: ticks for which the
 * stream has no room are left out of it. The boot id is read below root.
 * Returns 0, or -1 with e filled.
 */
int pm_writer_open(struct pm_writer *w, const char *directory, int stream, int64_t interval_us,
		   const char *root, struct pm_err *e);

/*
 * Write a tick with the values of these sinks, and before it the declarations of new series;
 * nothing where there is neither file nor stream.
 * Returns 0, or -1 with errno set when the tick could not be written whole to the file, or to the
 * stream where there is no file. That tick is lost; later ticks stay readable.
 */
int pm_writer_tick(struct pm_writer *w, struct pm_moment at, struct pm_sink *const *sinks,
		   size_t count);

/*
 * Write that from here on a tick of a source stands for this many of its readings. Returns 0, or -1
 * with errno set.
 */
int pm_writer_thinned(struct pm_writer *w, const struct pm_source *source, uint64_t readings);

/*
 * Begin anew, with another interval and, if there is a file, in a new file.
 * Returns 0, or -1 with e filled: the old file stays in use.
 */
int pm_writer_rotate(struct pm_writer *w, int64_t interval_us, struct pm_err *e);

/* Release what is held. */
void pm_writer_close(struct pm_writer *w);

#endif
