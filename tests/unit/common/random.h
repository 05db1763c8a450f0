/* Reproducible random numbers for property tests: the seed is printed when a test fails. */
#ifndef PM_TESTS_UNIT_COMMON_RANDOM_H
#define PM_TESTS_UNIT_COMMON_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014): small, and good enough to choose test inputs. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* A number below n, which is not 0. */
static inline size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)(random_next(state) % n);
}

/*
 * Fill s with n bytes that are interesting to the format: every byte value, with escapes, control
 * characters, blanks and starts of UTF-8 sequences more frequent than chance.
 */
static inline void random_text(uint64_t *state, char *s, size_t n)
{
	static const char special[] =
		"\\\\\t\n\r  .eNx+:\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\xff";

	for (size_t i = 0; i < n; i++) {
		if (random_below(state, 2))
			s[i] = special[random_below(state, sizeof special - 1)];
		else
			s[i] = (char)random_next(state);
	}
}

#endif
