/* Frames of zstd. */
#include "config.h"

#include "submit/input/stream_coder.h"

#include "common/version.h"

#ifdef HAVE_ZSTD

#include <zstd.h>

static void *begin_zstd(void)
{
	/* By default libzstd limits the window to 128 MB. */
	return ZSTD_createDStream();
}

static enum pm_coded step_zstd(void *decoder, struct pm_coding *c)
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

static void end_zstd(void *decoder)
{
	ZSTD_freeDStream(decoder);
}

const struct pm_stream_library pm_stream_zstd = { begin_zstd, step_zstd, end_zstd };

void pm_version_zstd(struct pm_version *v)
{
	pm_version_set(v, "%s", ZSTD_versionString());
}

#else
const struct pm_stream_library pm_stream_zstd = { NULL, NULL, NULL };

void pm_version_zstd(struct pm_version *v)
{
	(void)v;
}

#endif
