/* Frames of zstd. */
#include "config.h"

#include "submit/stream_coder.h"

#ifdef HAVE_ZSTD

#include <zstd.h>

static void *begin(void)
{
	/* Its window is 128 MB at most, unless it is told otherwise. */
	return ZSTD_createDStream();
}

static enum pm_coded step(void *decoder, struct pm_coding *c)
{
	ZSTD_inBuffer in = { c->in, c->in_len, 0 };
	ZSTD_outBuffer out = { c->out, c->out_len, 0 };
	size_t rc = ZSTD_decompressStream(decoder, &out, &in);

	c->in += in.pos;
	c->in_len -= in.pos;
	c->out += out.pos;
	c->out_len -= out.pos;
	if (ZSTD_isError(rc)) {
		c->why = ZSTD_getErrorName(rc);
		return PM_CODED_BAD;
	}
	return rc == 0 ? PM_CODED_END : PM_CODED_MORE;
}

static void end(void *decoder)
{
	ZSTD_freeDStream(decoder);
}

const struct pm_stream_library pm_stream_zstd = { begin, step, end };
#else
const struct pm_stream_library pm_stream_zstd = { NULL, NULL, NULL };
#endif
