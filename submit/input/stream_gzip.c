/* Streams of gzip, by zlib. */
#include "config.h"

#include "submit/input/stream_coder.h"

#include "common/version.h"

#ifdef HAVE_ZLIB

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

static void *begin_gzip(void)
{
	z_stream *z = calloc(1, sizeof *z);

	/* 16: with gzip's header. */
	if (z && inflateInit2(z, 16 + MAX_WBITS) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static enum pm_coded step_gzip(void *decoder, struct pm_coding *c)
{
	z_stream *z = decoder;
	int rc;

	z->next_in = (unsigned char *)(uintptr_t)c->in;
	z->avail_in = (unsigned)c->in_len;
	z->next_out = c->out;
	z->avail_out = c->out_len > UINT_MAX ? UINT_MAX : (unsigned)c->out_len;
	c->out_len -= z->avail_out;
	rc = inflate(z, Z_NO_FLUSH);
	c->in = z->next_in;
	c->in_len = z->avail_in;
	c->out = z->next_out;
	c->out_len += z->avail_out;
	if (rc == Z_STREAM_END)
		return PM_CODED_END;
	if (rc == Z_OK || rc == Z_BUF_ERROR)
		return PM_CODED_MORE;
	c->why = rc == Z_MEM_ERROR ? "out of memory"
		 : z->msg          ? z->msg
				   : "the compressed data are damaged";
	return PM_CODED_BAD;
}

static void end_gzip(void *decoder)
{
	inflateEnd(decoder);
	free(decoder);
}

const struct pm_stream_library pm_stream_gzip = { begin_gzip, step_gzip, end_gzip };

void pm_version_zlib(struct pm_version *v)
{
	pm_version_set(v, "%s", zlibVersion());
}

#else
const struct pm_stream_library pm_stream_gzip = { NULL, NULL, NULL };

void pm_version_zlib(struct pm_version *v)
{
	(void)v;
}

#endif
