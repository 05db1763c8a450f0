/* Streams of xz, by liblzma. */
#include "config.h"

#include "submit/input/stream_coder.h"

#include "common/version.h"

#ifdef HAVE_LZMA

#include <lzma.h>
#include <stdlib.h>

/* xz -9 needs 65 MB to decompress. */
#define MEMORY_MAX ((uint64_t)128 << 20)

static void *begin_xz(void)
{
	static const lzma_stream fresh = LZMA_STREAM_INIT;
	lzma_stream *x = malloc(sizeof *x);

	if (!x)
		return NULL;
	*x = fresh;
	if (lzma_stream_decoder(x, MEMORY_MAX, 0) == LZMA_OK)
		return x;
	free(x);
	return NULL;
}

static enum pm_coded step_xz(void *decoder, struct pm_coding *c)
{
	lzma_stream *x = decoder;
	lzma_ret rc;

	x->next_in = c->in;
	x->avail_in = c->in_len;
	x->next_out = c->out;
	x->avail_out = c->out_len;
	rc = lzma_code(x, LZMA_RUN);
	c->in = x->next_in;
	c->in_len = x->avail_in;
	c->out = x->next_out;
	c->out_len = x->avail_out;
	switch (rc) {
	case LZMA_STREAM_END:
		return PM_CODED_END;
	case LZMA_OK:
	case LZMA_BUF_ERROR:
		return PM_CODED_MORE;
	case LZMA_MEM_ERROR:
		c->why = "out of memory";
		break;
	case LZMA_MEMLIMIT_ERROR:
		c->why = "it needs more than 128 MB to decompress";
		break;
	case LZMA_OPTIONS_ERROR:
		c->why = "compressed in a way that this liblzma does not support";
		break;
	default:
		c->why = "the compressed data are damaged";
		break;
	}
	return PM_CODED_BAD;
}

static void end_xz(void *decoder)
{
	lzma_end(decoder);
	free(decoder);
}

const struct pm_stream_library pm_stream_xz = { begin_xz, step_xz, end_xz };

void pm_version_lzma(struct pm_version *v)
{
	pm_version_set(v, "%s", lzma_version_string());
}

#else
const struct pm_stream_library pm_stream_xz = { NULL, NULL, NULL };

void pm_version_lzma(struct pm_version *v)
{
	(void)v;
}

#endif
