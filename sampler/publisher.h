/*
 * A process that writes texts to a file for other programs, one after another: beside the file,
 * then renamed, so that nobody reads half of one. The sampler never waits for it, nor for its disk.
 * It keeps the user as whom it was started: a file of root's in root's directory shows a sampler
 * that has become the user of a job. However the sampler ends, the process removes the file and
 * ends.
 */
#ifndef PM_SAMPLER_PUBLISHER_H
#define PM_SAMPLER_PUBLISHER_H

#include "common/err.h"

#include <stddef.h>

/* Longest text in bytes. */
#define PM_PUBLISHER_MAX ((size_t)4 << 20)

struct pm_publisher;

/*
 * Start the process. A file of this name, or a symbolic link in its place, is replaced by the first
 * text, and not followed; anything else, such as a device, is refused. What a killed publisher of
 * this file left beside it is removed. Returns the publisher, or NULL with e filled.
 */
struct pm_publisher *pm_publisher_start(const char *path, struct pm_err *e);

/* Where to put the next text, of PM_PUBLISHER_MAX bytes at most; NULL while the previous one is
 * still being written, or after the process ended, of which this warns once. */
char *pm_publisher_text(struct pm_publisher *p);

/* Have the text written, which is in its place with this length, not 0. */
void pm_publisher_write(struct pm_publisher *p, size_t length);

/* Have the file removed and the process end, wait for that up to two seconds, and release the
 * publisher; NULL is allowed. */
void pm_publisher_end(struct pm_publisher *p);

/*
 * Remove the files of a directory that publishers left there, whole ones and those beside: their
 * names begin and end so, they have the text `mark` of up to 256 bytes first, they are regular
 * files of the effective user, and no publisher that lives has them. A directory that cannot be
 * read is an error. Returns 0, or -1 with e filled.
 */
int pm_publisher_sweep(const char *directory, const char *begin, const char *end, const char *mark,
		       struct pm_err *e);

#endif
