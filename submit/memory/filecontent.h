/*
 * What is kept of the files of a load: the digest of each and its content, compressed. A thread of
 * its own does both, beside the parser. Programs only.
 */
#ifndef PM_KEEP_H
#define PM_KEEP_H

#include "common/err.h"
#include "common/digest.h"
#include "submit/store.h"

#include <stddef.h>
#include <stdint.h>

struct pm_keep;

/* Start. Returns it, to be freed, or NULL with e filled. */
struct pm_keep *pm_keep_new(struct pm_err *e);
void pm_keep_free(struct pm_keep *k);

/*
 * Files come one after the other: add bytes of the current one, end it, which returns its number,
 * counted from 0. What fails is told by pm_keep_wait.
 */
void pm_keep_add(struct pm_keep *k, const void *p, size_t n);
uint32_t pm_keep_end(struct pm_keep *k);

/* Wait until every file ended so far is done. Returns 0 or -1 with e filled: what follows may only
 * be called after that, and before the next file begins. */
int pm_keep_wait(struct pm_keep *k, struct pm_err *e);

/* Digest of a file as text, until the next one is asked for; NULL with e filled. */
const char *pm_keep_digest(struct pm_keep *k, uint32_t file, struct pm_err *e);

/* Call `each` with the pieces of a file's content as kept, in order. Returns 0 or -1 with e filled,
 * as `each` does. */
int pm_keep_each(struct pm_keep *k, uint32_t file,
		 int (*each)(void *ctx, const char *p, size_t n, struct pm_err *e), void *ctx,
		 struct pm_err *e);

#endif
