/*
 * Digest and compressed content of each file of a load, both produced by a thread beside the
 * parser.
 */
#ifndef PM_SUBMIT_MEMORY_FILECONTENT_H
#define PM_SUBMIT_MEMORY_FILECONTENT_H

#include "common/digest.h"
#include "common/err.h"
#include "submit/memory/blobs.h"
#include "submit/memory/coder.h"

#include <stddef.h>
#include <stdint.h>

struct pm_filecontent;

/* Start the thread. Returns a handle, to be freed with pm_filecontent_free, or NULL with e filled.
 */
struct pm_filecontent *pm_filecontent_new(struct pm_err *e);
void pm_filecontent_free(struct pm_filecontent *k);

/*
 * Files come one after the other: add bytes of the current file, then end it, which returns its
 * number, counted from 0. Errors are reported by pm_filecontent_wait.
 */
void pm_filecontent_add(struct pm_filecontent *k, const void *p, size_t n);
uint32_t pm_filecontent_end(struct pm_filecontent *k);

/* Bytes added in all. */
uint64_t pm_filecontent_bytes(const struct pm_filecontent *k);

/* Wait until every file ended so far is processed. Returns 0 or -1 with e filled. The functions
 * below may only be called after that, and before the next file begins. */
int pm_filecontent_wait(struct pm_filecontent *k, struct pm_err *e);

/* Digest of a file as text, valid until the next call; NULL with e filled. */
const char *pm_filecontent_digest(struct pm_filecontent *k, uint32_t file, struct pm_err *e);

/* Call `each` with the compressed pieces of a file's content, in order. Returns 0 or -1 with e
 * filled, also when `each` fails. */
int pm_filecontent_each(struct pm_filecontent *k, uint32_t file,
			int (*each)(void *ctx, const char *p, size_t n, struct pm_err *e),
			void *ctx, struct pm_err *e);

/* Give the disk space of a file's content back: it must not be asked for again. Its digest stays.
 */
void pm_filecontent_forget(struct pm_filecontent *k, uint32_t file);

/* A decoder for one stored file after the other, which need not be contents of this object: making
 * one takes longer than decoding a small file. It is freed with the object. */
struct pm_decoder *pm_filecontent_decoder(struct pm_filecontent *k);

#endif
