/* Patterns of file names, separated by commas. Allocates nothing: safe in the preload. */
#ifndef PM_COMMON_SAFE_PATTERN_H
#define PM_COMMON_SAFE_PATTERN_H

#include <stddef.h>

enum pm_pattern {
	PM_PATTERN_NONE, /* the list has no pattern in it */
	PM_PATTERN_MISS,
	PM_PATTERN_HIT,
	PM_PATTERN_UNDECIDED, /* stopped after PM_PATTERN_STEPS */
};

/* Maximum number of steps, each a comparison or a character of the list: some hundreds of
 * microseconds. */
#define PM_PATTERN_STEPS (1 << 17)

/*
 * Whether one pattern of a list matches a path of n bytes whose base name begins at `base`. In a
 * pattern `*` stands for any bytes, slashes included, `?` for one byte, `[a-z_]` for one byte of
 * the set and `[!a-z]` or `[^a-z]` for one outside it; a `[` without its `]` is literal. A pattern
 * with a slash must match the whole path, others the base name. Blanks around a pattern are
 * ignored.
 */
enum pm_pattern pm_pattern_match(const char *list, const char *path, size_t n, size_t base);

#endif
