/* The grid of ticks: multiples of the interval, no drift, nothing made up for. */
#include "config.h"

#include "sampler/clock.h"

#include "tests/unit/main.h"

static const int64_t intervals[] = { 10000, 100000, 1000000, 7000, 3600000000 };

#define INTERVALS ((int)(sizeof intervals / sizeof intervals[0]))

START_TEST(first_tick)
{
	const int64_t interval = intervals[_i], real = 1795228141795007, mono = 2754978530;
	struct pm_clock c;

	for (int64_t shift = 0; shift < 3 * interval; shift += interval / 7) {
		struct pm_moment now = { real + shift, mono + shift };

		pm_clock_start(&c, interval, now);
		/* The wall clock at the tick is a multiple, and the tick is the next one. */
		PM_SURE((now.real_us + (c.next_us - now.monotonic_us)) % interval == 0);
		PM_SURE(c.next_us > now.monotonic_us);
		PM_SURE(c.next_us <= now.monotonic_us + interval);
	}
}
END_TEST

START_TEST(on_the_grid_already)
{
	struct pm_clock c;

	pm_clock_start(&c, 1000000, (struct pm_moment){ 5000000, 77 });
	ck_assert_int_eq(c.next_us, 1000077);
}
END_TEST

START_TEST(no_drift)
{
	const int64_t interval = intervals[_i];
	struct pm_clock c;
	int64_t first;

	pm_clock_start(&c, interval, (struct pm_moment){ 1795228141795007, 2754978530 });
	first = c.next_us;
	for (int64_t i = 1; i <= 100000; i++) {
		/* Each sample is late by another part of the interval. */
		PM_SURE(pm_clock_advance(&c, c.next_us + i * 13 % interval) == 0);
		PM_SURE(c.next_us == first + i * interval);
	}
}
END_TEST

static const struct {
	int64_t behind;
	uint64_t missed;
	int64_t next;
} late[] = {
	{ -1, 0, 1100 }, /* a timer may fire a moment early */
	{ 0, 0, 1100 },   { 1, 0, 1100 },     { 99, 0, 1100 },    { 100, 1, 1200 },
	{ 199, 1, 1200 }, { 1000, 10, 2100 }, { 1050, 10, 2100 },
};

START_TEST(missed)
{
	struct pm_clock c = { .interval_us = 100, .next_us = 1000 };

	ck_assert_uint_eq(pm_clock_advance(&c, 1000 + late[_i].behind), late[_i].missed);
	ck_assert_int_eq(c.next_us, late[_i].next);
	ck_assert_int_gt(c.next_us, 1000 + late[_i].behind);
}
END_TEST

START_TEST(now)
{
	struct pm_moment a = pm_clock_now(), b = pm_clock_now();

	ck_assert_int_ge(b.monotonic_us, a.monotonic_us);
	ck_assert_int_gt(a.real_us, 1600000000000000);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_clock");
	TCase *t = tcase_create("clock");

	tcase_add_loop_test(t, first_tick, 0, INTERVALS);
	tcase_add_test(t, on_the_grid_already);
	tcase_add_loop_test(t, no_drift, 0, INTERVALS);
	tcase_add_loop_test(t, missed, 0, (int)(sizeof late / sizeof late[0]));
	tcase_add_test(t, now);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
