/*
 * How kept content is coded: zstd, deflate, or as it is, by what the build has; decoding is of all
 * that it has. Programs only.
 */
#ifndef PM_CODER_H
#define PM_CODER_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* What comes out of either, in pieces. Returns 0 or -1 with e filled. */
typedef int pm_coder_take(void *ctx, const char *p, size_t n, struct pm_err *e);

struct pm_coder;

/* Start coding one file after the other. Returns it, to be freed, or NULL with e filled. */
struct pm_coder *pm_coder_new(pm_coder_take *take, void *ctx, struct pm_err *e);
void pm_coder_free(struct pm_coder *c);

/* Code bytes; with `last` the file ends, and all of it has come out. Returns 0 or -1 with e filled,
 * as `take` does. */
int pm_coder_feed(struct pm_coder *c, const void *p, size_t n, bool last, struct pm_err *e);

/* Its name, as table content has it. */
const char *pm_coder_name(void);

/* Decodes pieces. */
struct pm_decoder {
	pm_coder_take *take;
	void *ctx;
	const struct pm_coding *coding;
	void *stream; /* of the library that decodes */
};

/* Start decoding what was coded by that name; feed pieces; end, whatever happened. Return 0 or -1
 * with e filled: unknown coding, damage, or `take` said so. */
int pm_decoder_begin(struct pm_decoder *d, const char *coding, struct pm_err *e);
int pm_decoder_feed(struct pm_decoder *d, const void *p, size_t n, struct pm_err *e);
void pm_decoder_end(struct pm_decoder *d);

#endif
