/*
 * Coding of a series' values. Levels stay near each other, counters grow at a rate that stays near
 * its mean, and many values are multiples of a page or a clock tick: hence base and step.
 */
#include "config.h"

#include "common/record/sampleblock.h"

#include "common/record/sevenbits.h"

#include <string.h>

#define FARTHEST (INT64_C(1) << 60)

/*
 * A number is written by pm_sevenbits_put(). A deviation is the number 1, 2, 3, 4, ... for 0, -1,
 * 1, -2, ...; the number 0 says that the next number counts deviations of 0. Fewer than RUN_MIN of
 * them are written one by one.
 */
#define RUN_MIN 3

bool pm_sampleblock_follows(int64_t value, int64_t next)
{
	int64_t d;

	return !__builtin_sub_overflow(next, value, &d) && d < FARTHEST && d > -FARTHEST;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static uint64_t number_of(int64_t deviation)
{
	return (((uint64_t)deviation << 1) ^ (uint64_t)(deviation >> 63)) + 1;
}

static int64_t deviation_of(uint64_t number)
{
	number--;
	return (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
}

static size_t length_of(uint64_t number)
{
	return (size_t)(63 - __builtin_clzll(number | 1)) / 7 + 1;
}

/* The greatest number that divides all differences. */
static int64_t find_step(const int64_t *v, size_t n)
{
	uint64_t step = 0;

	for (size_t i = 1; i < n && step != 1; i++) {
		int64_t d = v[i] - v[i - 1];
		uint64_t up = d < 0 ? (uint64_t)-d : (uint64_t)d;

		if (up && (step == 0 || up % step))
			step = common_divisor(up, step);
	}
	return step ? (int64_t)step : 1;
}

static uint8_t *put_run(uint8_t *p, uint64_t run)
{
	if (run >= RUN_MIN) {
		*p++ = 0;
		return pm_sevenbits_put(p, run);
	}
	memset(p, (int)number_of(0), run);
	return p + run;
}

static size_t run_length(uint64_t run)
{
	return run >= RUN_MIN ? 1 + length_of(run) : run;
}

/* Bytes that the deviations from a base take. */
static size_t bytes_with(const int64_t *v, size_t n, int64_t step, int64_t base)
{
	size_t bytes = 0, run = 0;

	for (size_t i = 1; i < n; i++) {
		int64_t deviation = (v[i] - v[i - 1]) / step - base;

		if (deviation == 0) {
			run++;
			continue;
		}
		bytes += run_length(run) + length_of(number_of(deviation));
		run = 0;
	}
	return bytes + run_length(run);
}

/* The mean difference in steps, or 0 where that is no worse. */
static int64_t find_base(const int64_t *v, size_t n, int64_t step)
{
	int64_t mean;

	if (n < 2 || __builtin_sub_overflow(v[n - 1], v[0], &mean))
		return 0;
	mean = mean / step / (int64_t)(n - 1);
	return mean && bytes_with(v, n, step, mean) < bytes_with(v, n, step, 0) ? mean : 0;
}

size_t pm_sampleblock_encode(struct pm_sampleblock *b, const int64_t *v, size_t n,
			     uint8_t *deviations)
{
	uint8_t *p = deviations;
	uint64_t run = 0;

	b->first = v[0];
	b->step = find_step(v, n);
	b->base = find_base(v, n, b->step);
	for (size_t i = 1; i < n; i++) {
		int64_t deviation = (v[i] - v[i - 1]) / b->step - b->base;

		if (deviation == 0) {
			run++;
			continue;
		}
		p = pm_sevenbits_put(put_run(p, run), number_of(deviation));
		run = 0;
	}
	return (size_t)(put_run(p, run) - deviations);
}

int pm_sampleblock_decode(const struct pm_sampleblock *b, const uint8_t *deviations, size_t bytes,
			  int64_t *value, size_t n)
{
	const uint8_t *p = deviations, *end = p + bytes;
	const uint64_t step = (uint64_t)b->step, base = (uint64_t)b->base;
	uint64_t last = (uint64_t)b->first;
	size_t i = 1;

	if (n == 0)
		return -1;
	value[0] = b->first;
	/* What is damaged may overflow: hence unsigned. */
	while (p < end) {
		uint64_t number, run = 1, deviation = 0;

		if (!pm_sevenbits_get(&p, end, &number))
			return -1;
		if (number)
			deviation = (uint64_t)deviation_of(number);
		else if (!pm_sevenbits_get(&p, end, &run))
			return -1;
		if (run > n - i)
			return -1;
		for (; run; run--) {
			last += step * (base + deviation);
			value[i++] = (int64_t)last;
		}
	}
	return i == n ? 0 : -1;
}
