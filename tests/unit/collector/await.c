/* How long the collector waits for another thread, by a clock that the tests turn. */
#include "config.h"

#include "libperfmon/base/await.h"

#include "libperfmon/base/state.h"
#include "tests/unit/main.h"

static int64_t now_ns, step_ns;

/* In place of the collector's. */
int64_t pm_clock_ns(int clock)
{
	(void)clock;
	return now_ns += step_ns;
}

/* Waits, a moment of so long each, until they are over, or n of them. */
static int waits(int64_t *waited_ns, int64_t moment_ns, int n)
{
	int i = 0;

	step_ns = moment_ns;
	while (i < n && pm_await(waited_ns))
		i++;
	return i;
}

START_TEST(over)
{
	int64_t waited_ns = 0;

	ck_assert_int_eq(waits(&waited_ns, 5000000, 1000), 200);
	ck_assert(!pm_await(&waited_ns));
}
END_TEST

/* By SIGSTOP, as a batch system suspends jobs, or with the machine. */
START_TEST(stopped)
{
	int64_t waited_ns = 0;

	ck_assert_int_eq(waits(&waited_ns, 200000, 10), 10);
	ck_assert_int_eq(waits(&waited_ns, INT64_C(3600000000000), 1), 1);
	ck_assert_int_eq(waits(&waited_ns, 200000, 1000), 1000);
}
END_TEST

/* Not even by a clock that stands still or goes backwards does it wait for ever. */
START_TEST(odd_clock)
{
	int64_t waited_ns = 0;

	ck_assert_int_eq(waits(&waited_ns, 0, 3000), 3000);
	ck_assert_int_eq(waits(&waited_ns, -1000000, 7001), 7000);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/base/await.c");
	TCase *t = tcase_create("waits");

	tcase_add_test(t, over);
	tcase_add_test(t, stopped);
	tcase_add_test(t, odd_clock);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
