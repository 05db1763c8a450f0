/* Patterns of file names, separated by commas. Allocates nothing: safe in the preload. */
#ifndef PM_PATTERN_H
#define PM_PATTERN_H

#include <stddef.h>

enum pm_pattern {
	PM_PATTERN_NONE, /* the list has no pattern in it */
	PM_PATTERN_MISS,
	PM_PATTERN_HIT,
	PM_PATTERN_UNDECIDED, /* given up after PM_PATTERN_STEPS */
};

/* Most single comparisons and characters of the list looked at: some hundred microseconds. */
#define PM_PATTERN_STEPS (1 << 17)

/*
 * Whether one pattern of a list matches a path of n bytes whose base name begins at `base`. In a
 * pattern `*` stands for any bytes, slashes included, `?` for one, `[a-z_]` for one of these and
 * `[!a-z]` or `[^a-z]` for one that is not; a `[` without its `]` is itself. A pattern that holds a
 * slash must match the whole path, others the base name. Blanks around a pattern do not count.
 */
enum pm_pattern pm_pattern_match(const char *list, const char *path, size_t n, size_t base);

#endif
