/* analysis/select/when.c: times as people write them. */
#include "config.h"

#include "analysis/select/when.h"

#include "tests/unit/main.h"

#include <stdlib.h>
#include <time.h>

/* 2026-11-20 09:10:11.5 UTC. */
#define NOW INT64_C(1795165811500000)

static void in_zone(const char *zone)
{
	ck_assert_int_eq(setenv("TZ", zone, 1), 0);
	tzset();
}

static void is_at(const char *text, int64_t us)
{
	struct pm_err e = { "" };
	int64_t got = -1;

	ck_assert_msg(pm_when_parse(text, NOW, &got, &e) == 0, "%s: %s", text, e.text);
	ck_assert_msg(got == us, "%s: %lld, not %lld", text, (long long)got, (long long)us);
}

static void is_none(const char *text)
{
	struct pm_err e = { "" };
	int64_t got;

	ck_assert_msg(pm_when_parse(text, NOW, &got, &e) < 0, "%s: %lld", text, (long long)got);
	ck_assert_str_ne(e.text, "");
}

START_TEST(of_the_local_zone)
{
	in_zone("UTC");
	is_at("now", NOW);
	is_at("today", INT64_C(1795132800000000));
	is_at("yesterday", INT64_C(1795046400000000));
	is_at("2026-11-20", INT64_C(1795132800000000));
	is_at("2026-11-20T09:10", INT64_C(1795165800000000));
	is_at("2026-11-20 09:10:11", INT64_C(1795165811000000));
	is_at("2026-11-20 09:10:11.5", NOW);
	is_at("2026-11-20 09:10:11.1234567", INT64_C(1795165811123456));
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	is_at("2026-11-20T10:10:11.5", NOW);
	is_at("today", INT64_C(1795129200000000));
	/* The day on which summer ended has 25 hours. */
	is_at("2026-10-25", INT64_C(1792879200000000));
	is_at("2026-10-26", INT64_C(1792969200000000));
}
END_TEST

/* Where clocks are set forward or back. */
START_TEST(where_clocks_change)
{
	const int64_t spring = INT64_C(1774746000000000), hour = INT64_C(3600000000);

	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	is_at("2026-03-29T01:59:59", spring - 1000000);
	is_at("2026-03-29T02:00", spring);
	is_at("2026-03-29T02:30", spring);
	is_at("2026-03-29T02:59:59", spring);
	is_at("2026-03-29T03:00", spring);
	is_at("2026-03-29T03:30", spring + hour / 2);
	is_at("2026-10-25T01:59:59", INT64_C(1792886399000000));
	is_at("2026-10-25T02:30", INT64_C(1792888200000000));
	is_at("2026-10-25T02:30+02:00", INT64_C(1792888200000000));
	is_at("2026-10-25T02:30+01:00", INT64_C(1792888200000000) + hour);
	is_at("2026-10-25T03:00", INT64_C(1792893600000000));
	/* The day begins at one o'clock. */
	in_zone("<-04>4<-03>,M10.1.0/0,M3.4.0/0");
	is_at("2026-10-04", INT64_C(1791086400000000));
	is_at("2026-10-04T00:59", INT64_C(1791086400000000));
	is_at("2026-10-04T01:00", INT64_C(1791086400000000));
	/* Half an hour, in the south. */
	in_zone("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
	is_at("2026-10-04T02:15", INT64_C(1791041400000000));
	is_at("2026-10-04T02:30", INT64_C(1791041400000000));
	is_at("2026-04-05T01:45", INT64_C(1775313900000000));
}
END_TEST

START_TEST(of_other_zones)
{
	in_zone("CET-1CEST,M3.5.0,M10.5.0/3");
	is_at("2026-11-20T09:10:11.5Z", NOW);
	is_at("2026-11-20T10:40:11.5+01:30", NOW);
	is_at("2026-11-20T01:10:11.5-08", NOW);
	is_at("2026-11-20Z", INT64_C(1795132800000000));
}
END_TEST

START_TEST(from_now_or_1970)
{
	is_at("-0s", NOW);
	is_at("-7d", NOW - INT64_C(7) * 86400 * 1000000);
	is_at("-90m", NOW - INT64_C(5400) * 1000000);
	is_at("@0", 0);
	is_at("@1795165811.5", NOW);
}
END_TEST

START_TEST(what_is_none)
{
	static const char *const none[] = {
		"",
		"7d",
		"-7",
		"-",
		"-d",
		"--7d",
		"@",
		"@-1",
		"@1x",
		"@1.",
		"@99999999999999999999",
		"tomorrow",
		"2026",
		"2026-11",
		"2026-1-1",
		"2026-13-01",
		"2026-00-01",
		"2026-01-00",
		"2026-02-29",
		"2026-11-31",
		"2026-11-20T",
		"2026-11-20T9:10",
		"2026-11-20T24:00",
		"2026-11-20T09:60",
		"2026-11-20T09:10:",
		"2026-11-20T09:10:60",
		"2026-11-20T09:10:11.",
		"2026-11-20T09:10z",
		"2026-11-20T09:10+1",
		"2026-11-20T09:10+01:",
		"2026-11-20T09:10+15",
		"2026-11-20T09:10+01:00x",
		"2026-11-20x",
		" 2026-11-20",
		"2026-11-20 ",
	};

	in_zone("UTC");
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		is_none(none[i]);
	is_at("2028-02-29", INT64_C(1835395200000000));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("when");
	TCase *t = tcase_create("when");

	tcase_add_test(t, of_the_local_zone);
	tcase_add_test(t, where_clocks_change);
	tcase_add_test(t, of_other_zones);
	tcase_add_test(t, from_now_or_1970);
	tcase_add_test(t, what_is_none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
