/* Source hwmon on recorded trees of /sys/class/hwmon. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

static void put(const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "sys/class/hwmon/%s", file);
	root_put(path, text);
}

/* Make hwmonN/device a link, which need not lead anywhere. */
static void put_device(const char *chip, const char *to)
{
	char path[256];

	snprintf(path, sizeof path, "%s/sys/class/hwmon/%s/device", root, chip);
	PM_SURE(symlink(to, path) == 0);
}

static void put_package(const char *chip, const char *device, const char *temperature)
{
	char path[64];

	snprintf(path, sizeof path, "%s/name", chip);
	put(path, "coretemp \n");
	snprintf(path, sizeof path, "%s/temp1_label", chip);
	put(path, "Package id 0\n");
	snprintf(path, sizeof path, "%s/temp1_input", chip);
	put(path, temperature);
	put_device(chip, device);
}

/* Each kind in its unit; a sensor is named by chip, address and label. */
START_TEST(values)
{
	put_package("hwmon3", "../../../coretemp.0", "45000\n");
	put("hwmon10/name", "nct6775\n");
	put("hwmon10/temp1_input", "-12500\n");
	put("hwmon10/temp1_crit", "99000\n");
	put("hwmon10/temperature_input", "1\n");
	put("hwmon10/fan2_input", "1200\n");
	put("hwmon10/in0_input", "1032\n");
	put("hwmon10/curr1_input", "-40\n");
	put("hwmon10/energy1_input", "123456789012\n");
	put("hwmon2/name", "power_meter\n");
	put("hwmon2/power1_average", "312000000\n");
	put("hwmon2/power1_input", "999000000\n");
	put("hwmon2/power2_input", "7000000\n");
	put_device("hwmon2", "../../../ACPI000D:00");
	ck_assert_int_eq(begin(&pm_source_hwmon), 0);
	sample();
	check_known("temperature", "coretemp@coretemp.0/Package id 0", 45000);
	check_known("temperature", "nct6775/temp1", -12500);
	check_known("fan", "nct6775/fan2", 1200);
	check_known("voltage", "nct6775/in0", 1032);
	check_known("current", "nct6775/curr1", -40);
	check_known("energy", "nct6775/energy1", 123456789012);
	/* The mean, and not the moment beside it. */
	check_known("power", "power_meter@ACPI000D:00/power1", 312000000);
	check_known("power", "power_meter@ACPI000D:00/power2", 7000000);
	ck_assert_int_eq(objects("power"), 2);
	ck_assert_int_eq(objects("temperature"), 2);
	end();
}
END_TEST

/* Links that lead nowhere, no name, equal labels, chips alike, files of old drivers. */
START_TEST(odd)
{
	char path[256];

	put("hwmon1/temp1_input", "1000\n"); /* no name */
	put("hwmon2/name", "k10temp\n");
	put("hwmon2/temp1_label", "Tccd\n");
	put("hwmon2/temp1_input", "2000\n");
	put("hwmon2/temp2_label", "Tccd\n");
	put("hwmon2/temp2_input", "3000\n");
	put("hwmon3/name", "k10temp\n");
	put("hwmon3/temp2_label", "Tccd\n");
	put("hwmon3/temp2_input", "4000\n");
	put("hwmon4/device/name", "w83627\n");
	put("hwmon4/device/temp3_input", "5000\n");
	snprintf(path, sizeof path, "%s/sys/class/hwmon/hwmon5", root);
	PM_SURE(symlink("../../devices/gone", path) == 0);
	ck_assert_int_eq(begin(&pm_source_hwmon), 0);
	sample();
	check_known("temperature", "chip/temp1", 1000);
	check_known("temperature", "k10temp/Tccd", 2000);
	check_known("temperature", "k10temp/Tccd (temp2)", 3000);
	check_known("temperature", "k10temp (hwmon3)/Tccd (temp2)", 4000);
	check_known("temperature", "w83627/temp3", 5000);
	ck_assert_int_eq(objects("temperature"), 5);
	end();
}
END_TEST

/* A driver that cannot read says why, and its sensor alone is unknown. */
START_TEST(garbled)
{
	static const struct {
		const char *text;
		enum pm_reason reason;
	} rows[] = {
		{ "", PM_REASON_unsupported },
		{ "N/A\n", PM_REASON_unsupported },
		{ "45.0\n", PM_REASON_parse },
		{ "45 C\n", PM_REASON_parse },
	};

	put_package("hwmon0", "../../../coretemp.0", rows[_i].text);
	put_package("hwmon1", "../../../coretemp.1", "50000\n");
	ck_assert_int_eq(begin(&pm_source_hwmon), 0);
	sample();
	check_unknown("temperature", "coretemp@coretemp.0/Package id 0", rows[_i].reason);
	check_known("temperature", "coretemp@coretemp.1/Package id 0", 50000);
	end();
}
END_TEST

/* The numbers of two chips change places: the series do not. */
START_TEST(renumbered)
{
	put_package("hwmon0", "../../../coretemp.0", "40000\n");
	put_package("hwmon1", "../../../coretemp.1", "51000\n");
	ck_assert_int_eq(begin(&pm_source_hwmon), 0);
	sample();
	root_remove_path("sys/class/hwmon");
	put_package("hwmon1", "../../../coretemp.0", "42000\n");
	put_package("hwmon0", "../../../coretemp.1", "53000\n");
	later_s += 61;
	sample();
	check_known("temperature", "coretemp@coretemp.0/Package id 0", 42000);
	check_known("temperature", "coretemp@coretemp.1/Package id 0", 53000);
	ck_assert_int_eq(objects("temperature"), 2);
	/* One goes. */
	root_remove_path("sys/class/hwmon/hwmon0");
	later_s += 1;
	sample();
	check_known("temperature", "coretemp@coretemp.0/Package id 0", 42000);
	check_unknown("temperature", "coretemp@coretemp.1/Package id 0", PM_REASON_absent);
	end();
}
END_TEST

/* GPUs and what sleeps are left alone. */
START_TEST(asleep)
{
	put("hwmon0/name", "amdgpu\n");
	put("hwmon0/temp1_input", "1000\n");
	put("hwmon1/name", "nvme\n");
	put("hwmon1/temp1_input", "2000\n");
	put("hwmon1/device/power/runtime_status", "suspended\n");
	ck_assert_int_eq(begin(&pm_source_hwmon), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
	/* Noticed: one that is awake. */
	put("hwmon1/device/power/runtime_status", "active\n");
	ck_assert_int_eq(begin(&pm_source_hwmon), 0);
	sample();
	check_known("temperature", "nvme/temp1", 2000);
	ck_assert_int_eq(objects("temperature"), 1);
	end();
}
END_TEST

START_TEST(none)
{
	check_file_absent(&pm_source_hwmon, "/sys/class/hwmon");
}
END_TEST

static Suite *hwmon_suite(void)
{
	Suite *s = suite_create("sampler_hwmon");
	TCase *t = tcase_create("hwmon");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, odd);
	tcase_add_loop_test(t, garbled, 0, 4);
	tcase_add_test(t, renumbered);
	tcase_add_test(t, asleep);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(hwmon_suite)
