/* Bytes of a file as they were before it was compressed, whatever it was compressed with. Programs
 * only. */
#ifndef PM_STREAM_H
#define PM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pm_stream;

/* Begin to read a descriptor, which stays the caller's. Returns NULL without memory. */
struct pm_stream *pm_stream_new(int fd);

/* Read up to n bytes. Returns how many, 0 at the end, or -1 for good: see pm_stream_error. */
ssize_t pm_stream_read(struct pm_stream *s, void *p, size_t n);

/* Why reading failed; NULL where it did not. */
const char *pm_stream_error(const struct pm_stream *s);

/* Bytes of the file read so far, at most its disk usage; and the highest expansion ratio of its
 * compression, 0 if unknown. */
uint64_t pm_stream_packed(const struct pm_stream *s);
unsigned pm_stream_ratio_max(const struct pm_stream *s);

void pm_stream_free(struct pm_stream *s);

#endif
