/* Counters of devices: wraps, resets, ends. */
#include "config.h"

#include "sampler/kernel/counter.h"

#include "tests/unit/main.h"

#include <stdint.h>

#define UNKNOWN UINT64_MAX

/* The end of RAPL's counter of a package in uJ, and what 400 W add in a second. */
#define RAPL 262143328850

static const struct {
	struct pm_counter_rule rule;
	uint64_t raw[4], want[4]; /* a second apart each */
} rows[] = {
	/* Never wraps: a fall is a reset, unknown once, and nothing is lost of what was counted. */
	{ { 0, 0, false }, { 10, 30, 5, 25 }, { 10, 30, UNKNOWN, 55 } },
	{ { 0, 1000, false }, { 10, 30, 5, 25 }, { 10, 30, UNKNOWN, 55 } },
	/* 32 bits: the short way around is a wrap. */
	{ { 1ull << 32, 0, false },
	  { 4294967290, 4, 6, 3 },
	  { 4294967290, 4294967300, 4294967302, UNKNOWN } },
	/* A modulus that is no power of 2, of which the device tells, and a rate that limits it. */
	{ { RAPL, 400000000, false },
	  { RAPL - 100, 399999900, 400000000, 799999999 },
	  { RAPL - 100, RAPL + 399999900, RAPL + 400000000, RAPL + 799999999 } },
	{ { RAPL, 400000000, false },
	  { RAPL - 100, 399999901, 400000000, 1 },
	  { RAPL - 100, UNKNOWN, RAPL - 100 + 400000000, UNKNOWN } },
	/* A value beyond the modulus was no value of this counter. */
	{ { 100, 0, false }, { 200, 50, 60, 70 }, { 200, UNKNOWN, 260, 270 } },
	/* Stops at its end, until somebody clears it. */
	{ { 1ull << 32, 0, true },
	  { 4294967290, 4294967295, 4294967295, 7 },
	  { 4294967290, UNKNOWN, UNKNOWN, UNKNOWN } },
	{ { 1ull << 32, 0, true }, { 5, 3, 4, 4 }, { 5, UNKNOWN, 9, 9 } },
	{ { 0, 0, false }, { 0, 0, 0, 1 }, { 0, 0, 0, 1 } },
};

START_TEST(counters)
{
	struct pm_counter c = { 0 };

	for (int i = 0; i < 4; i++) {
		uint64_t count = 0;
		const bool known = pm_counter_next(&c, &rows[_i].rule, rows[_i].raw[i],
						   1000000 * (i + 1), &count);

		ck_assert_msg(known == (rows[_i].want[i] != UNKNOWN), "row %d, value %d", _i, i);
		if (known)
			ck_assert_uint_eq(count, rows[_i].want[i]);
	}
}
END_TEST

/* After a time long enough for the rate, the same fall is a wrap. */
START_TEST(rate)
{
	const struct pm_counter_rule rule = { 1000, 100, false };
	struct pm_counter c = { 0 };
	uint64_t count;

	ck_assert(pm_counter_next(&c, &rule, 900, 0, &count));
	ck_assert(!pm_counter_next(&c, &rule, 500, 5000000, &count));
	ck_assert(pm_counter_next(&c, &rule, 100, 11000000, &count));
	ck_assert_uint_eq(count, 900 + 1000 + 100);
}
END_TEST

/* Where it can have gone around once or more, neither a fall nor a rise says how much it counted.
 */
START_TEST(around)
{
	const struct pm_counter_rule rule = { 1000, 100, false };
	struct pm_counter c = { 0 };
	uint64_t count;

	ck_assert(pm_counter_next(&c, &rule, 100, 0, &count));
	ck_assert(pm_counter_next(&c, &rule, 900, 9999999, &count));
	ck_assert_uint_eq(count, 900);
	ck_assert(!pm_counter_next(&c, &rule, 910, 20000000, &count));
	ck_assert(pm_counter_next(&c, &rule, 920, 21000000, &count));
	ck_assert_uint_eq(count, 920);
	ck_assert(!pm_counter_next(&c, &rule, 5, 31000000, &count));
	ck_assert(pm_counter_next(&c, &rule, 6, 32000000, &count));
	ck_assert_uint_eq(count, 926);
}
END_TEST

static Suite *counter_suite(void)
{
	Suite *s = suite_create("sampler_counter");
	TCase *t = tcase_create("counter");

	tcase_add_loop_test(t, counters, 0, sizeof rows / sizeof rows[0]);
	tcase_add_test(t, rate);
	tcase_add_test(t, around);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(counter_suite)
