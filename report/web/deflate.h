/* Compression of a page's data: a stream of deflate as RFC 1950 has it; bytes as they are in a
 * build without zlib. */
#ifndef PM_REPORT_WEB_DEFLATE_H
#define PM_REPORT_WEB_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>

/* Receives the output piece by piece. Returns 0, or -1 to end with a failure. */
typedef int pm_deflate_take(void *ctx, const unsigned char *p, size_t n);

/* Whether this build compresses. */
bool pm_deflate_needed(void);

/* Begin a stream. Returns it, to be freed by pm_deflate_free; NULL if out of memory, or in a build
 * that does not compress. */
void *pm_deflate_new(void);
void pm_deflate_free(void *stream);

/* Add n bytes; `last` ends the stream. Returns 0 or -1: out of memory, or `take` failed. */
int pm_deflate(void *stream, unsigned char *p, size_t n, bool last, pm_deflate_take *take,
	       void *ctx);

#endif
