/* Source resctrl on recorded trees of /sys/fs/resctrl. */
#include "config.h"

#include "tests/unit/sampler/source.h"

#define DATA "sys/fs/resctrl/mon_data/"

START_TEST(values)
{
	root_put(DATA "mon_L3_00/mbm_total_bytes", "34359738368\n");
	root_put(DATA "mon_L3_00/mbm_local_bytes", "30000000000\n");
	root_put(DATA "mon_L3_00/llc_occupancy", "1048576\n");
	root_put(DATA "mon_L3_01/mbm_total_bytes", "2\n");
	root_put(DATA "mon_L3_01/llc_occupancy", "1\n");
	root_put(DATA "mon_MB_01/mbm_total_bytes", "7\n");
	ck_assert_int_eq(begin(&pm_source_resctrl), 0);
	sample();
	check_known("memory_bytes", "L3_00", 34359738368);
	check_known("memory_local_bytes", "L3_00", 30000000000);
	check_known("cache_used", "L3_00", 1048576);
	check_known("memory_bytes", "", 34359738370);
	check_known("cache_used", "", 1048577);
	ck_assert(!has_object("memory_local_bytes", "L3_01"));
	ck_assert_int_eq(objects("memory_bytes"), 2);
	end();
}
END_TEST

/* Words in place of a number are no 0. */
START_TEST(words)
{
	static const char *const texts[] = { "Unavailable\n", "Unassigned\n", "Error\n", "" };

	root_put(DATA "mon_L3_00/mbm_total_bytes", "5\n");
	root_put(DATA "mon_L3_01/mbm_total_bytes", "6\n");
	ck_assert_int_eq(begin(&pm_source_resctrl), 0);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		root_put(DATA "mon_L3_00/mbm_total_bytes", texts[i]);
		sample();
		check_unknown("memory_bytes", "L3_00", PM_REASON_unsupported);
		check_known("memory_bytes", "L3_01", 6);
		check_unknown("memory_bytes", "", PM_REASON_unsupported);
	}
	root_put(DATA "mon_L3_00/mbm_total_bytes", "some\n");
	sample();
	check_unknown("memory_bytes", "L3_00", PM_REASON_parse);
	end();
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_resctrl), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

static Suite *resctrl_suite(void)
{
	Suite *s = suite_create("sampler_resctrl");
	TCase *t = tcase_create("resctrl");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, words);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(resctrl_suite)
