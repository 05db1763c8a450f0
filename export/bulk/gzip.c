/* Compression of requests by gzip. */
#include "config.h"

#include "export/bulk/gzip.h"

#ifdef HAVE_ZLIB

#include <zlib.h>

/* For deflateInit2: the largest window, and gzip's head and tail. */
#define WINDOW 31
#define LEVEL  4
#define MEMORY 8

bool pm_gzip_has(void)
{
	return true;
}

int pm_gzip_add(struct pm_bytes *to, const void *p, size_t n)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)p, .avail_in = (uInt)n };
	int rc;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	if (!pm_bytes_room(to, deflateBound(&z, n))) {
		deflateEnd(&z);
		return -1;
	}
	z.next_out = to->p + to->n;
	z.avail_out = (uInt)(to->room - to->n);
	rc = deflate(&z, Z_FINISH);
	to->n += z.total_out;
	deflateEnd(&z);
	return rc == Z_STREAM_END ? 0 : -1;
}

#else

bool pm_gzip_has(void)
{
	return false;
}

int pm_gzip_add(struct pm_bytes *to, const void *p, size_t n)
{
	(void)to, (void)p, (void)n;
	return -1;
}

#endif
