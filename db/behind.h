/* Bytes for a file, written by a thread while their caller goes on. Programs only. */
#ifndef PM_DB_BEHIND_H
#define PM_DB_BEHIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes that are written at once. */
#define PM_BEHIND_PIECE ((size_t)64 << 10)

/* Most that wait to be written. */
#define PM_BEHIND_PIECES 8

struct pm_behind;

/*
 * `write` writes n bytes at a place of the file, in the thread or, while little waits and where no
 * thread can be had, in the caller's of the functions below: never in two at a time. It returns 0
 * or what failure it was; after one nothing more is written until that was told. Returns NULL
 * without memory.
 */
struct pm_behind *pm_behind_new(int (*write)(void *ctx, const void *p, size_t n, int64_t at),
				void *ctx);

/* Write what is left, stop the thread and free everything; NULL is fine. */
void pm_behind_free(struct pm_behind *b);

/* Have n bytes written at a place of the file; they are copied. What follows what was put before
 * is written together with it. Returns 0, or the failure of an earlier write. */
int pm_behind_put(struct pm_behind *b, const void *p, size_t n, int64_t at);

/* Whether any of these bytes of the file wait to be written. */
bool pm_behind_holds(struct pm_behind *b, size_t n, int64_t at);

/* Wait until all is written. Returns 0, or the failure of a write, which is told once. */
int pm_behind_wait(struct pm_behind *b);

#endif
