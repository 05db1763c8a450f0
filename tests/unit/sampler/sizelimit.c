/* Which sources are read less often as a series file grows: those that fill it, down to any size.
 */
#include "config.h"

#include "sampler/sizelimit.h"

#include "tests/unit/main.h"

static struct pm_sizelimit limit;
static uint64_t bytes[PM_SOURCES];
static bool rarer[PM_SOURCES];

/* Let sources grow by these; returns whether the limit is reached. */
static bool grow(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t all = 0;

	bytes[1] += a;
	bytes[2] += b;
	bytes[3] += c;
	for (size_t id = 0; id < PM_SOURCES; id++)
		all += bytes[id];
	memset(rarer, 0, sizeof rarer);
	return pm_sizelimit_reached(&limit, all, bytes, rarer);
}

static void begin(uint64_t max)
{
	limit = (struct pm_sizelimit){ .max = max };
	memset(bytes, 0, sizeof bytes);
}

START_TEST(largest)
{
	begin(1000);
	ck_assert(!grow(900, 50, 49));
	ck_assert(grow(1, 0, 0));
	ck_assert(rarer[1] && !rarer[2] && !rarer[3] && !rarer[0]);
	/* Then half as many bytes. */
	ck_assert(!grow(300, 100, 99));
	ck_assert(grow(1, 0, 0));
	ck_assert(rarer[1] && rarer[2] && rarer[3]);
	ck_assert(!grow(0, 0, 499));
	ck_assert(grow(0, 0, 1));
	ck_assert(!rarer[1] && !rarer[2] && rarer[3]);
}
END_TEST

START_TEST(none)
{
	begin(0);
	ck_assert(!grow(1u << 30, 1u << 30, 1));
}
END_TEST

/* One whose series were given up has fewer bytes than before. */
START_TEST(given_up)
{
	begin(1000);
	ck_assert(grow(2000, 600, 0));
	bytes[1] = 0;
	limit.from = 0;
	ck_assert(grow(0, 600, 0));
	ck_assert(!rarer[1] && rarer[2] && !rarer[3]);
}
END_TEST

/* A source of each size, read for as long as one likes: what is written grows by the logarithm of
 * the time, and the rate falls by a quarter each time at least. */
START_TEST(bounded)
{
	uint64_t every[PM_SOURCES], all = 0, times = 0;

	begin(1000000);
	for (size_t id = 0; id < PM_SOURCES; id++)
		every[id] = 1;
	for (uint64_t tick = 0; tick < 2000000; tick++) {
		double before = 0, after = 0;

		for (size_t id = 0; id < PM_SOURCES; id++)
			if (tick % every[id] == 0) {
				bytes[id] += 10 * (id + 1);
				all += 10 * (id + 1);
			}
		if (!pm_sizelimit_reached(&limit, all, bytes, rarer))
			continue;
		times++;
		for (size_t id = 0; id < PM_SOURCES; id++) {
			before += 10 * (double)(id + 1) / (double)every[id];
			every[id] *= rarer[id] ? 2 : 1;
			after += 10 * (double)(id + 1) / (double)every[id];
		}
		ck_assert(after <= 0.76 * before);
	}
	ck_assert_int_ge((int64_t)times, 10);
	ck_assert_int_le((int64_t)times, 40);
	ck_assert_int_le((int64_t)all, 1000000 + 40 * 510000);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_sizelimit");
	TCase *t = tcase_create("sizelimit");

	tcase_add_test(t, largest);
	tcase_add_test(t, none);
	tcase_add_test(t, given_up);
	tcase_add_test(t, bounded);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
