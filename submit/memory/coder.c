/* Table of codings and the libraries that implement them. */
#include "config.h"

#include "submit/memory/coder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

/* Longest piece handed to `take`. */
#define PIECE ((size_t)256 << 10)

/* Input and output of one encoding or decoding step. The step advances both and updates `left` and
 * `room`; `done` is set at the end of the coded file. Steps return 0, or -1 for damaged data or no
 * memory. */
struct step {
	const char *in;
	size_t left;
	char *out;
	size_t room;
	bool last, done;
};

struct pm_coding {
	const char *name;
	void *(*encoder)(void);
	int (*encode)(void *stream, struct step *s);
	void (*encoder_free)(void *stream);
	void *(*decoder)(void);
	bool (*decoder_again)(void *stream); /* make it ready for another file */
	int (*decode)(void *stream, struct step *s);
	void (*decoder_free)(void *stream);
};

#ifdef HAVE_ZSTD
/* Level 1: the fastest with perfmon's records, and still compresses them eightfold. */
static void *zstd_encoder(void)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();

	if (z)
		ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, 1);
	return z;
}

static int zstd_encode(void *stream, struct step *s)
{
	ZSTD_inBuffer in = { s->in, s->left, 0 };
	ZSTD_outBuffer out = { s->out, s->room, 0 };
	size_t rc = ZSTD_compressStream2(stream, &out, &in, s->last ? ZSTD_e_end : ZSTD_e_continue);

	if (ZSTD_isError(rc))
		return -1;
	s->done = s->last && rc == 0;
	s->in += in.pos;
	s->left -= in.pos;
	s->out += out.pos;
	s->room -= out.pos;
	return 0;
}

static void zstd_encoder_free(void *stream)
{
	ZSTD_freeCCtx(stream);
}

static void *zstd_decoder(void)
{
	return ZSTD_createDCtx();
}

static bool zstd_decoder_again(void *stream)
{
	return !ZSTD_isError(ZSTD_DCtx_reset(stream, ZSTD_reset_session_only));
}

static int zstd_decode(void *stream, struct step *s)
{
	ZSTD_inBuffer in = { s->in, s->left, 0 };
	ZSTD_outBuffer out = { s->out, s->room, 0 };
	size_t rc = ZSTD_decompressStream(stream, &out, &in);

	if (ZSTD_isError(rc))
		return -1;
	s->in += in.pos;
	s->left -= in.pos;
	s->out += out.pos;
	s->room -= out.pos;
	s->done = rc == 0 && s->left == 0;
	return 0;
}

static void zstd_decoder_free(void *stream)
{
	ZSTD_freeDCtx(stream);
}
#endif

#ifdef HAVE_ZLIB
static void load_zstream(z_stream *z, const struct step *s)
{
	z->next_in = (unsigned char *)(uintptr_t)s->in;
	z->avail_in = (unsigned)s->left;
	z->next_out = (unsigned char *)s->out;
	z->avail_out = (unsigned)s->room;
}

static void save_zstream(const z_stream *z, struct step *s)
{
	s->in += s->left - z->avail_in;
	s->left = z->avail_in;
	s->out += s->room - z->avail_out;
	s->room = z->avail_out;
}

static void *deflate_encoder(void)
{
	z_stream *z = calloc(1, sizeof *z);

	if (z && deflateInit(z, 1) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static int deflate_encode(void *stream, struct step *s)
{
	z_stream *z = stream;
	int rc;

	load_zstream(z, s);
	rc = deflate(z, s->last ? Z_FINISH : Z_NO_FLUSH);
	save_zstream(z, s);
	s->done = rc == Z_STREAM_END;
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return -1;
	return s->done && deflateReset(z) != Z_OK ? -1 : 0;
}

static void deflate_encoder_free(void *stream)
{
	deflateEnd(stream);
	free(stream);
}

static void *deflate_decoder(void)
{
	z_stream *z = calloc(1, sizeof *z);

	if (z && inflateInit(z) == Z_OK)
		return z;
	free(z);
	return NULL;
}

static bool deflate_decoder_again(void *stream)
{
	return inflateReset(stream) == Z_OK;
}

static int deflate_decode(void *stream, struct step *s)
{
	z_stream *z = stream;
	int rc;

	load_zstream(z, s);
	rc = inflate(z, Z_NO_FLUSH);
	save_zstream(z, s);
	s->done = rc == Z_STREAM_END;
	return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR ? 0 : -1;
}

static void deflate_decoder_free(void *stream)
{
	inflateEnd(stream);
	free(stream);
}
#endif

/* The first entry encodes; the last has no functions and stores content unchanged. */
static const struct pm_coding coding[] = {
#ifdef HAVE_ZSTD
	{ "zstd", zstd_encoder, zstd_encode, zstd_encoder_free, zstd_decoder, zstd_decoder_again,
	  zstd_decode, zstd_decoder_free },
#endif
#ifdef HAVE_ZLIB
	{ "deflate", deflate_encoder, deflate_encode, deflate_encoder_free, deflate_decoder,
	  deflate_decoder_again, deflate_decode, deflate_decoder_free },
#endif
	{ .name = "" },
};

struct pm_coder {
	pm_coder_take *take;
	void *ctx;
	void *stream;
	size_t fill;
	char out[PIECE];
};

struct pm_coder *pm_coder_new(pm_coder_take *take, void *ctx, struct pm_err *e)
{
	struct pm_coder *c = malloc(sizeof *c);

	if (c) {
		c->take = take;
		c->ctx = ctx;
		c->fill = 0;
		c->stream = coding[0].encoder ? coding[0].encoder() : NULL;
	}
	if (c && (c->stream || !coding[0].encoder))
		return c;
	free(c);
	pm_err(e, "out of memory");
	return NULL;
}

void pm_coder_free(struct pm_coder *c)
{
	if (c && c->stream)
		coding[0].encoder_free(c->stream);
	free(c);
}

int pm_coder_feed(struct pm_coder *c, const void *p, size_t n, bool last, struct pm_err *e)
{
	struct step s = { .in = p, .left = n, .last = last };

	if (!c->stream)
		return n ? c->take(c->ctx, p, n, e) : 0;
	while (s.left || (last && !s.done)) {
		s.out = c->out + c->fill;
		s.room = sizeof c->out - c->fill;
		if (coding[0].encode(c->stream, &s) < 0)
			return pm_err(e, "compress: failed");
		c->fill = sizeof c->out - s.room;
		if (s.room && !s.done)
			continue;
		if (c->fill && c->take(c->ctx, c->out, c->fill, e) < 0)
			return -1;
		c->fill = 0;
	}
	return 0;
}

const char *pm_coder_name(void)
{
	return coding[0].name;
}

int pm_decoder_begin(struct pm_decoder *d, const char *name, struct pm_err *e)
{
	static const char *const known[] = { "zstd", "deflate" };

	if (d->stream && strcmp(name, d->coding->name) == 0 && d->coding->decoder_again(d->stream))
		return 0;
	pm_decoder_end(d);
	for (size_t i = 0; i < sizeof coding / sizeof coding[0]; i++) {
		if (strcmp(name, coding[i].name) != 0)
			continue;
		d->coding = &coding[i];
		if (d->coding->decoder && !(d->stream = d->coding->decoder()))
			return pm_err(e, "out of memory");
		return 0;
	}
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strcmp(name, known[i]) == 0)
			return pm_err(e,
				      "this perfmon was built without the library that decodes "
				      "stored content of coding %s",
				      name);
	return pm_err(e, "stored content has an unknown coding: %s", name);
}

int pm_decoder_feed(struct pm_decoder *d, const void *p, size_t n, struct pm_err *e)
{
	struct step s = { .in = p, .left = n };
	char out[65536];

	if (!d->stream)
		return d->take(d->ctx, p, n, e);
	do {
		s.out = out;
		s.room = sizeof out;
		if (d->coding->decode(d->stream, &s) < 0)
			return pm_err(e, "stored content is damaged");
		if (d->take(d->ctx, out, sizeof out - s.room, e) < 0)
			return -1;
	} while (!s.done && (s.room == 0 || s.left));
	return 0;
}

void pm_decoder_end(struct pm_decoder *d)
{
	if (d->stream)
		d->coding->decoder_free(d->stream);
	d->stream = NULL;
}
