/* Compression of a page's data. */
#include "config.h"

#include "report/web/deflate.h"

#ifdef HAVE_ZLIB

#include <stdlib.h>
#include <zlib.h>

bool pm_deflate_needed(void)
{
	return true;
}

void *pm_deflate_new(void)
{
	z_stream *z = calloc(1, sizeof *z);

	if (z && deflateInit(z, Z_DEFAULT_COMPRESSION) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

void pm_deflate_free(void *stream)
{
	if (stream)
		deflateEnd(stream);
	free(stream);
}

int pm_deflate(void *stream, unsigned char *p, size_t n, bool last, pm_deflate_take *take,
	       void *ctx)
{
	unsigned char out[16384];
	z_stream *z = stream;

	z->next_in = p;
	z->avail_in = (uInt)n;
	do {
		z->next_out = out;
		z->avail_out = sizeof out;
		if (deflate(z, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR ||
		    take(ctx, out, sizeof out - z->avail_out) < 0)
			return -1;
	} while (z->avail_out == 0);
	return 0;
}

#else

bool pm_deflate_needed(void)
{
	return false;
}

void *pm_deflate_new(void)
{
	return NULL;
}

void pm_deflate_free(void *stream)
{
	(void)stream;
}

int pm_deflate(void *stream, unsigned char *p, size_t n, bool last, pm_deflate_take *take,
	       void *ctx)
{
	(void)stream;
	(void)last;
	return take(ctx, p, n);
}

#endif
