/* Bounded append into a caller's buffer. Allocates nothing; safe in the preload. */
#ifndef PM_COMMON_SAFE_BUF_H
#define PM_COMMON_SAFE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pm_buf {
	char *p;	/* caller's memory */
	size_t len;	/* bytes used */
	size_t cap;	/* size of the memory in bytes */
	bool truncated; /* an append did not fit; stays set until the caller resets it */
};

/* Longest text pm_buf_u64 and pm_buf_i64 append, in bytes. */
#define PM_BUF_NUMBER_MAX 20

/* Start an empty buffer over `cap` bytes at `mem`. */
static inline void pm_buf_init(struct pm_buf *b, char *mem, size_t cap)
{
	b->p = mem;
	b->len = 0;
	b->cap = cap;
	b->truncated = false;
}

/* Append one byte, or set `truncated`. */
static inline void pm_buf_ch(struct pm_buf *b, char c)
{
	if (b->len < b->cap)
		b->p[b->len++] = c;
	else
		b->truncated = true;
}

/* Append `n` bytes. If they do not fit, append nothing and set `truncated`: a value is never cut in
 * half. */
void pm_buf_mem(struct pm_buf *b, const char *s, size_t n);

/* Append a NUL-terminated string without its NUL. Like pm_buf_mem, appends all or nothing. */
void pm_buf_str(struct pm_buf *b, const char *s);

/* Append a decimal number. Like pm_buf_mem, appends all or nothing. */
void pm_buf_u64(struct pm_buf *b, uint64_t v);
void pm_buf_i64(struct pm_buf *b, int64_t v);

/* Append the low `digits` hexadecimal digits of v in lower case. Like pm_buf_mem, appends all or
 * nothing. */
void pm_buf_hex(struct pm_buf *b, uint64_t v, int digits);

#endif
