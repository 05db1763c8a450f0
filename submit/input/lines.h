/* A stream of bytes cut into lines, in bounded memory. Programs only. */
#ifndef PM_LINE_H
#define PM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest line that is read; of longer ones the first PM_LINE_KEEP bytes are handed on. */
#define PM_LINE_MAX  ((size_t)4 << 20)
#define PM_LINE_KEEP ((size_t)64 << 10)

enum pm_line_state {
	PM_LINE_WHOLE,
	PM_LINE_LONG, /* beyond PM_LINE_MAX: p is its beginning */
	PM_LINE_CUT,  /* the last one, without a newline */
};

/* Take a line, without its newline and never empty; `number` counts from 1, empty lines too.
 * Returns 0 to go on, or -1 to stop. */
typedef int pm_line_fn(void *ctx, const char *p, size_t n, uint64_t number,
		       enum pm_line_state state);

struct pm_lines {
	pm_line_fn *take;
	void *ctx;
	char *kept; /* beginning of a line whose end has not come yet */
	size_t fill, cap;
	bool skipping; /* inside a line that is too long */
	uint64_t number;
};

/* Start; `take` is called for every line that is not empty. */
void pm_lines_init(struct pm_lines *l, pm_line_fn *take, void *ctx);

/* Feed bytes. Returns 0, or -1 when `take` said so or without memory (errno ENOMEM). */
int pm_lines_feed(struct pm_lines *l, const char *p, size_t n);

/* End of the stream: hand on what is left, free the memory. Returns as pm_lines_feed. */
int pm_lines_end(struct pm_lines *l);

#endif
