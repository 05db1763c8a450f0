/* Streams of bzip2. */
#include "config.h"

#include "submit/input/stream_coder.h"

#include "common/version.h"

#ifdef HAVE_BZIP2

#include <bzlib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void *begin_bzip2(void)
{
	bz_stream *b = calloc(1, sizeof *b);

	if (b && BZ2_bzDecompressInit(b, 0, 0) == BZ_OK)
		return b;
	free(b);
	return NULL;
}

static enum pm_coded step_bzip2(void *decoder, struct pm_coding *c)
{
	bz_stream *b = decoder;
	int rc;

	b->next_in = (char *)(uintptr_t)c->in;
	b->avail_in = (unsigned)c->in_len;
	b->next_out = (char *)c->out;
	b->avail_out = c->out_len > UINT_MAX ? UINT_MAX : (unsigned)c->out_len;
	c->out_len -= b->avail_out;
	rc = BZ2_bzDecompress(b);
	c->in = (const unsigned char *)b->next_in;
	c->in_len = b->avail_in;
	c->out = (unsigned char *)b->next_out;
	c->out_len += b->avail_out;
	if (rc == BZ_STREAM_END)
		return PM_CODED_END;
	if (rc == BZ_OK)
		return PM_CODED_MORE;
	c->why = rc == BZ_MEM_ERROR ? "out of memory" : "the compressed data are damaged";
	return PM_CODED_BAD;
}

static void end_bzip2(void *decoder)
{
	BZ2_bzDecompressEnd(decoder);
	free(decoder);
}

const struct pm_stream_library pm_stream_bzip2 = { begin_bzip2, step_bzip2, end_bzip2 };

void pm_version_bzip2(struct pm_version *v)
{
	const char *version = BZ2_bzlibVersion(); /* "1.0.8, 13-Jul-2019" */

	pm_version_set(v, "%.*s", (int)strcspn(version, ","), version);
}

#else
const struct pm_stream_library pm_stream_bzip2 = { NULL, NULL, NULL };

void pm_version_bzip2(struct pm_version *v)
{
	(void)v;
}

#endif
