/*
 * Match file names against patterns. When matching fails after a star, only the last star is tried
 * again, one byte further. So no pattern takes more steps than its length times that of the name,
 * and all patterns of a list share a fixed number of steps.
 */
#include "config.h"

#include "common/safe/pattern.h"

#include <stdbool.h>

/* A pattern or a name: the bytes from p up to end. */
struct span {
	const char *p, *end;
};

/* Match one byte against the first item of a pattern. Returns the item's length, 0 for no match;
 * subtracts the members of a bracket expression that it compares from *steps. */
static size_t match_one(struct span pattern, unsigned char c, unsigned *steps)
{
	const char *p = pattern.p + 1;
	bool found = false, negated;

	if (*pattern.p == '?')
		return 1;
	if (*pattern.p != '[')
		return (unsigned char)*pattern.p == c;
	negated = p < pattern.end && (*p == '!' || *p == '^');
	p += negated;
	/* A closing bracket in first position is a member. */
	for (const char *first = p; p < pattern.end && (*p != ']' || p == first); p++) {
		unsigned char low = (unsigned char)*p, high = low;

		if (*steps == 0)
			return 0;
		--*steps;
		if (pattern.end - p > 2 && p[1] == '-' && p[2] != ']') {
			high = (unsigned char)p[2];
			p += 2;
		}
		found |= low <= c && c <= high;
	}
	if (p >= pattern.end)
		return c == '[';
	return found != negated ? (size_t)(p + 1 - pattern.p) : 0;
}

static bool match_pattern(struct span pattern, struct span name, unsigned *steps)
{
	const char *star = NULL, *retry = NULL;

	while (*steps > 0) {
		size_t n;

		--*steps;
		if (pattern.p < pattern.end && *pattern.p == '*') {
			star = ++pattern.p;
			retry = name.p;
			continue;
		}
		if (name.p == name.end)
			return pattern.p == pattern.end;
		n = pattern.p < pattern.end ? match_one(pattern, (unsigned char)*name.p, steps) : 0;
		if (n > 0) {
			pattern.p += n;
			name.p++;
		} else if (star && star == pattern.end) {
			return true;
		} else if (star) {
			pattern.p = star;
			name.p = ++retry;
		} else {
			return false;
		}
	}
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

enum pm_pattern pm_pattern_match(const char *list, const char *path, size_t n, size_t base)
{
	unsigned steps = PM_PATTERN_STEPS;
	bool any = false;

	while (*list) {
		struct span pattern = { list, list }, name = { path + base, path + n };

		for (; *list && *list != ',' && steps > 0; list++, steps--) {
			if (*list == '/')
				name.p = path;
			if (!is_blank(*list))
				pattern.end = list + 1;
			else if (pattern.p == list)
				pattern.p = pattern.end = list + 1;
		}
		if (pattern.p < pattern.end) {
			any = true;
			if (match_pattern(pattern, name, &steps))
				return PM_PATTERN_HIT;
		}
		if (steps == 0)
			return PM_PATTERN_UNDECIDED;
		steps--;
		if (*list == ',')
			list++;
	}
	return any ? PM_PATTERN_MISS : PM_PATTERN_NONE;
}
