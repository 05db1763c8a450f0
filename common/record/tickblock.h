/*
 * Times of ticks as databases store them, perfmon-schema(5): offsets from the earliest one, in
 * decimal and all of the same length, so that SQL finds that of any tick. Series that were read at
 * the same ticks share them.
 */
#ifndef PM_COMMON_RECORD_TICKBLOCK_H
#define PM_COMMON_RECORD_TICKBLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Span of the times of a block at most, in microseconds, and the digits that it takes. */
#define PM_TICKBLOCK_SPAN   (INT64_C(1000000000000000) - 1)
#define PM_TICKBLOCK_DIGITS 15

/* The least of n times, at least one. */
int64_t pm_tickblock_least(const int64_t *time, size_t n);

/* Digits that the offsets of n times from `least` take, 1 to PM_TICKBLOCK_DIGITS. */
int pm_tickblock_digits(const int64_t *time, size_t n, int64_t least);

/* Write n offsets, digits * n characters without a NUL. */
void pm_tickblock_encode(const int64_t *time, size_t n, int64_t least, int digits, char *text);

/* Read the times of n ticks from tick number `at` on. Returns 0, or -1 if the text, `length`
 * characters, is not that of so many. */
int pm_tickblock_decode(const char *text, size_t length, int64_t least, int digits, size_t at,
			int64_t *time, size_t n);

#endif
