/* Reader of a file that may be compressed, by any of the known programs. */
#ifndef PM_SUBMIT_INPUT_STREAM_H
#define PM_SUBMIT_INPUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pm_stream;

/* Begin to read a descriptor, which the caller still owns. Returns NULL if out of memory. */
struct pm_stream *pm_stream_new(int fd);

/* Read up to n bytes. Returns their number, 0 at the end, or -1, which is permanent: see
 * pm_stream_error. */
ssize_t pm_stream_read(struct pm_stream *s, void *p, size_t n);

/* Why reading failed; NULL if it did not. */
const char *pm_stream_error(const struct pm_stream *s);

/* The errno of the read(2) that failed: the fault is not the file's. 0 if none did. */
int pm_stream_errno(const struct pm_stream *s);

/* Bytes of the file read so far, at most its disk usage; and the highest expansion ratio of its
 * compression, 0 if unknown. */
uint64_t pm_stream_packed(const struct pm_stream *s);
unsigned pm_stream_ratio_max(const struct pm_stream *s);

void pm_stream_free(struct pm_stream *s);

#endif
