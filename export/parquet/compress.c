/* Compression of a page at once. */
#include "config.h"

#include "export/parquet/compress.h"

#include <stdlib.h>

/* Numbers of Parquet's CompressionCodec. */
enum { UNCOMPRESSED = 0, GZIP = 2, ZSTD = 6 };

#if defined(HAVE_ZSTD)

#include <zstd.h>

/* The fastest: higher ones save a few percent of pages that are packed already. */
#define LEVEL 1

struct pm_compress {
	ZSTD_CCtx *z;
};

struct pm_compress *pm_compress_new(void)
{
	struct pm_compress *c = malloc(sizeof *c);

	if (c && !(c->z = ZSTD_createCCtx())) {
		free(c);
		return NULL;
	}
	return c;
}

void pm_compress_free(struct pm_compress *c)
{
	if (c)
		ZSTD_freeCCtx(c->z);
	free(c);
}

int pm_compress_add(struct pm_compress *c, struct pm_bytes *out, const void *p, size_t n)
{
	size_t room = ZSTD_compressBound(n), rc;

	if (!pm_bytes_room(out, room))
		return -1;
	rc = ZSTD_compressCCtx(c->z, out->p + out->n, room, p, n, LEVEL);
	if (ZSTD_isError(rc))
		return -1;
	out->n += rc;
	return 0;
}

int pm_compress_codec(void)
{
	return ZSTD;
}

#elif defined(HAVE_ZLIB)

#include <zlib.h>

/* The fastest. */
#define LEVEL  1

/* zlib's window of 32 kB, with the head and end of gzip. */
#define WINDOW (15 + 16)

#define MEMORY 8

struct pm_compress {
	z_stream z;
};

struct pm_compress *pm_compress_new(void)
{
	struct pm_compress *c = calloc(1, sizeof *c);

	if (c &&
	    deflateInit2(&c->z, LEVEL, Z_DEFLATED, WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(c);
		return NULL;
	}
	return c;
}

void pm_compress_free(struct pm_compress *c)
{
	if (c)
		deflateEnd(&c->z);
	free(c);
}

int pm_compress_add(struct pm_compress *c, struct pm_bytes *out, const void *p, size_t n)
{
	size_t room;

	/* The bound is that of a stream that has not ended. */
	if (deflateReset(&c->z) != Z_OK)
		return -1;
	room = deflateBound(&c->z, n);
	if (!pm_bytes_room(out, room))
		return -1;
	c->z.next_in = (unsigned char *)(uintptr_t)p;
	c->z.avail_in = (uInt)n;
	c->z.next_out = out->p + out->n;
	c->z.avail_out = (uInt)room;
	if (deflate(&c->z, Z_FINISH) != Z_STREAM_END)
		return -1;
	out->n += room - c->z.avail_out;
	return 0;
}

int pm_compress_codec(void)
{
	return GZIP;
}

#else

struct pm_compress {
	char none;
};

struct pm_compress *pm_compress_new(void)
{
	return malloc(sizeof(struct pm_compress));
}

void pm_compress_free(struct pm_compress *c)
{
	free(c);
}

int pm_compress_add(struct pm_compress *c, struct pm_bytes *out, const void *p, size_t n)
{
	(void)c;
	pm_bytes_add(out, p, n);
	return out->failed ? -1 : 0;
}

int pm_compress_codec(void)
{
	return UNCOMPRESSED;
}

#endif
