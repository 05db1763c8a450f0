/* A stream of bytes cut into lines, in bounded memory. */
#ifndef PM_SUBMIT_INPUT_LINES_H
#define PM_SUBMIT_INPUT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest line that is read; of a longer line the first PM_LINES_KEEP bytes are handed on. */
#define PM_LINES_MAX  ((size_t)4 << 20)
#define PM_LINES_KEEP ((size_t)64 << 10)

enum pm_lines_state {
	PM_LINES_WHOLE,
	PM_LINES_LONG, /* longer than PM_LINES_MAX: p is its beginning */
	PM_LINES_CUT,  /* last line of the stream, without a newline */
};

/* Receives a line, without its newline and never empty; `number` counts from 1, empty lines too.
 * Returns 0 to go on, or -1 to stop. */
typedef int pm_lines_fn(void *ctx, const char *p, size_t n, uint64_t number,
			enum pm_lines_state state);

struct pm_lines {
	pm_lines_fn *take;
	void *ctx;
	char *kept; /* beginning of a line whose end has not come yet */
	size_t fill, cap;
	bool skipping; /* inside a line that is too long */
	uint64_t number;
};

/* Start; `take` is called for every line that is not empty. */
void pm_lines_init(struct pm_lines *l, pm_lines_fn *take, void *ctx);

/* Feed bytes. Returns 0, or -1 if `take` returned -1 or memory ran out (errno ENOMEM). */
int pm_lines_feed(struct pm_lines *l, const char *p, size_t n);

/* End of the stream: hand on an unfinished line, free the memory. Returns the same as
 * pm_lines_feed(). */
int pm_lines_end(struct pm_lines *l);

#endif
