/* The grid of ticks: multiples of the interval, no drift, nothing made up for. */
#include "config.h"

#include "sampler/clock.h"

#include "tests/unit/main.h"

static const int64_t intervals[] = { 10000, 100000, 1000000, 7000, 3600000000 };

#define INTERVALS ((int)(sizeof intervals / sizeof intervals[0]))

/* That moment of the monotonic clock, with a wall clock that nobody has set. */
static struct pm_moment at(const struct pm_clock *c, int64_t monotonic_us)
{
	return (struct pm_moment){ monotonic_us + c->apart_us, monotonic_us, c->asleep_us };
}

START_TEST(first_tick)
{
	const int64_t interval = intervals[_i], real = 1795228141795007, mono = 2754978530;
	struct pm_clock c;

	for (int64_t shift = 0; shift < 3 * interval; shift += interval / 7) {
		struct pm_moment now = { real + shift, mono + shift, 0 };

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

	pm_clock_start(&c, 1000000, (struct pm_moment){ 5000000, 77, 0 });
	ck_assert_int_eq(c.next_us, 1000077);
}
END_TEST

START_TEST(no_drift)
{
	const int64_t interval = intervals[_i];
	struct pm_clock c;
	int64_t first;

	pm_clock_start(&c, interval, (struct pm_moment){ 1795228141795007, 2754978530, 0 });
	first = c.next_us;
	for (int64_t i = 1; i <= 100000; i++) {
		/* Each sample is late by another part of the interval. */
		PM_SURE(pm_clock_advance(&c, at(&c, c.next_us + i * 13 % interval)) == 0);
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

	ck_assert_uint_eq(pm_clock_advance(&c, at(&c, 1000 + late[_i].behind)), late[_i].missed);
	ck_assert_int_eq(c.next_us, late[_i].next);
	ck_assert_int_gt(c.next_us, 1000 + late[_i].behind);
}
END_TEST

/* How far the wall clock is set, in us, or how long the machine sleeps. */
static const int64_t moves[] = { 600000000, -600000000, 86400000000, 300000, -300000, 1234567, -7 };

#define MOVES ((int)(sizeof moves / sizeof moves[0]))

/*
 * A wall clock that is set in the middle of a run: no tick is missed or counted as such, none is
 * further from the one before than the interval, and from the next but one on they stand on
 * multiples of the interval by the new time.
 */
START_TEST(set_clock)
{
	const int64_t move = moves[_i % MOVES], interval = intervals[_i / MOVES];
	struct pm_moment now = { 1795228141795007, 2754978530, 0 };
	struct pm_clock c;
	int64_t before;

	pm_clock_start(&c, interval, now);
	before = now.monotonic_us;
	for (int i = 0; i < 100; i++) {
		int64_t step = c.next_us - now.monotonic_us;

		now.monotonic_us += step;
		now.real_us += step + (i == 50 ? move : 0);
		PM_SURE(now.monotonic_us - before <= interval);
		/* What it does not notice is as little as that. */
		if (i != 50)
			PM_SURE((now.real_us + 1000) % interval <= 2000);
		before = now.monotonic_us;
		PM_SURE(pm_clock_advance(&c, now) == 0);
		PM_SURE(c.next_us > now.monotonic_us);
	}
}
END_TEST

/* A machine that sleeps: its ticks are missed, and the grid is that of the others afterwards. */
START_TEST(sleep_long)
{
	const int64_t interval = intervals[_i], slept = 7 * interval + interval / 3;
	struct pm_moment now = { 1795228141795007, 2754978530, 5000000 };
	struct pm_clock c;

	pm_clock_start(&c, interval, now);
	now.real_us += c.next_us - now.monotonic_us + slept;
	now.monotonic_us = c.next_us;
	now.asleep_us += slept;
	ck_assert_uint_eq(pm_clock_advance(&c, now), 7);
	ck_assert_int_eq((now.real_us + c.next_us - now.monotonic_us) % interval, 0);
	ck_assert_int_le(c.next_us, now.monotonic_us + interval);
	now.real_us += c.next_us - now.monotonic_us;
	now.monotonic_us = c.next_us;
	ck_assert_uint_eq(pm_clock_advance(&c, now), 0);
	ck_assert_int_eq(c.next_us, now.monotonic_us + interval);
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
	tcase_add_loop_test(t, set_clock, 0, INTERVALS * MOVES);
	tcase_add_loop_test(t, sleep_long, 0, INTERVALS);
	tcase_add_test(t, now);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
