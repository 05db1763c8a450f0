/* Source thermal on recorded trees of /sys. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

static void put_zone(int number, const char *type, const char *temperature)
{
	char path[128];

	snprintf(path, sizeof path, "sys/class/thermal/thermal_zone%d/type", number);
	root_put(path, type);
	snprintf(path, sizeof path, "sys/class/thermal/thermal_zone%d/temp", number);
	root_put(path, temperature);
}

static void put_cpu(int number, const char *package, const char *count, const char *ms)
{
	static const char *const file[] = { "topology/physical_package_id",
					    "thermal_throttle/package_throttle_count",
					    "thermal_throttle/package_throttle_total_time_ms" };
	const char *const text[] = { package, count, ms };
	char path[128];

	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/%s", number, file[i]);
		if (text[i])
			root_put(path, text[i]);
	}
}

/* By type, those of one type numbered; below 0 is a temperature. */
START_TEST(values)
{
	put_zone(0, "acpitz\n", "-44000\n");
	put_zone(2, "x86_pkg_temp\n", "51000\n");
	put_zone(10, "x86_pkg_temp\n", "53000\n");
	put_zone(11, "iwlwifi_1\n", "");
	put_zone(12, "acpitz\n", "hot\n");
	root_put("sys/class/thermal/cooling_device0/type", "Processor\n");
	root_put("sys/class/thermal/cooling_device0/cur_state", "-1\n");
	ck_assert_int_eq(begin(&pm_source_thermal), 0);
	sample();
	check_known("temperature", "acpitz", -44000);
	check_known("temperature", "x86_pkg_temp", 51000);
	check_known("temperature", "x86_pkg_temp (2)", 53000);
	check_unknown("temperature", "iwlwifi_1", PM_REASON_unsupported);
	check_unknown("temperature", "acpitz (2)", PM_REASON_parse);
	ck_assert_int_eq(objects("temperature"), 5);
	/* A look finds the same again, and what is new. */
	put_zone(13, "pch\n", "40000\n");
	later_s += 61;
	sample();
	check_known("temperature", "x86_pkg_temp (2)", 53000);
	check_known("temperature", "pch", 40000);
	ck_assert_int_eq(objects("temperature"), 6);
	end();
}
END_TEST

/* Each CPU of a package has its count: it is one, and not 3 times 7. */
START_TEST(throttles)
{
	put_cpu(0, "0\n", "7\n", "120\n");
	put_cpu(1, "0\n", "7\n", "120\n");
	put_cpu(2, "1\n", "2\n", NULL); /* before Linux 5.5 */
	put_cpu(10, "0\n", "7\n", "120\n");
	put_cpu(11, "3\n", NULL, NULL);
	ck_assert_int_eq(begin(&pm_source_thermal), 0);
	sample();
	check_known("package_throttles", "package0", 7);
	check_known("package_throttle_time", "package0", 120000);
	check_known("package_throttles", "package1", 2);
	ck_assert_int_eq(objects("package_throttles"), 2);
	ck_assert_int_eq(objects("package_throttle_time"), 1);
	/* The first CPU goes offline: after the look another one tells. */
	root_remove_path("sys/devices/system/cpu/cpu0");
	put_cpu(1, "0\n", "9\n", "150\n");
	sample();
	check_unknown("package_throttles", "package0", PM_REASON_absent);
	later_s += 11;
	sample();
	check_known("package_throttles", "package0", 9);
	check_known("package_throttle_time", "package0", 150000);
	end();
}
END_TEST

START_TEST(none)
{
	root_put("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
	root_put("sys/devices/system/cpu/cpufreq/boost", "0\n");
	root_put("sys/class/thermal/cooling_device0/type", "Processor\n");
	check_file_absent(&pm_source_thermal, "/sys/class/thermal");
}
END_TEST

START_TEST(fixture)
{
	fixture_device("thermal/procfs");
	ck_assert_int_eq(begin(&pm_source_thermal), 0);
	sample();
	check_known("temperature", "bcm2835_thermal", 49925);
	check_known("temperature", "acpitz", -44000);
	ck_assert_int_eq(objects("temperature"), 2);
	end();
}
END_TEST

static Suite *thermal_suite(void)
{
	Suite *s = suite_create("sampler_thermal");
	TCase *t = tcase_create("thermal");
	char path[512];

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, throttles);
	tcase_add_test(t, none);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(thermal_suite)
