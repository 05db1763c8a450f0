/*
 * Compression of stored file content: encodes with zstd, else deflate, else not at all, as the
 * build allows; decodes every coding of the build.
 */
#ifndef PM_SUBMIT_MEMORY_CODER_H
#define PM_SUBMIT_MEMORY_CODER_H

#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Receives the output of a coder or decoder piece by piece. Returns 0 or -1 with e filled. */
typedef int pm_coder_take(void *ctx, const char *p, size_t n, struct pm_err *e);

struct pm_coder;

/* Create an encoder for one file after the other. Returns the encoder, to be freed with
 * pm_coder_free, or NULL with e filled. */
struct pm_coder *pm_coder_new(pm_coder_take *take, void *ctx, struct pm_err *e);
void pm_coder_free(struct pm_coder *c);

/* Encode n bytes. `last` ends the file and flushes all of its output. Returns 0 or -1 with e
 * filled, also when `take` fails. */
int pm_coder_feed(struct pm_coder *c, const void *p, size_t n, bool last, struct pm_err *e);

/* Name of the encoder's coding, as stored in table content. */
const char *pm_coder_name(void);

struct pm_decoder {
	pm_coder_take *take;
	void *ctx;
	const struct pm_coding *coding;
	void *stream; /* state of the decoding library, else NULL */
};

/*
 * Start decoding a file of the coding of that name; feed pieces; begin another file or end, even
 * after an error. A decoder that was not begun has only `take` and `ctx` set, which may change with
 * each file. Begin and feed return 0 or -1 with e filled: unknown coding, damaged data, or `take`
 * failed.
 */
int pm_decoder_begin(struct pm_decoder *d, const char *coding, struct pm_err *e);
int pm_decoder_feed(struct pm_decoder *d, const void *p, size_t n, struct pm_err *e);
void pm_decoder_end(struct pm_decoder *d);

#endif
