/* Source intelgpu on trees in the forms of the kernel's drivers i915 and xe. */
#include "config.h"

#include "tests/unit/sampler/drm.h"

static void put_xe(int card, const char *address)
{
	put_card(card, "xe", address, NULL);
	put(card, "device/hwmon/hwmon3/name", "xe\n");
	put(card, "device/hwmon/hwmon3/energy1_input", "9007199254740993\n");
	put(card, "device/hwmon/hwmon3/energy2_input", "8007199254740993\n");
	put(card, "device/hwmon/hwmon3/power1_max", "190000000\n");
	put(card, "device/hwmon/hwmon3/temp2_input", "52000\n");
	put(card, "device/hwmon/hwmon3/temp3_input", "60000\n");
	put(card, "device/hwmon/hwmon3/fan1_input", "1403\n");
	put(card, "device/hwmon/hwmon3/in1_input", "704\n");
	put(card, "device/tile0/gt0/freq0/act_freq", "2400\n");
	put(card, "device/tile0/gt0/gtidle/idle_residency_ms", "34124\n");
}

static void put_i915(int card, const char *address)
{
	put_card(card, "i915", address, NULL);
	/* A part of the GPU has sensors of its own. */
	put(card, "device/hwmon/hwmon2/name", "i915_gt0\n");
	put(card, "device/hwmon/hwmon2/energy1_input", "1\n");
	put(card, "device/hwmon/hwmon4/name", "i915\n");
	put(card, "device/hwmon/hwmon4/energy1_input", "123456789\n");
	put(card, "device/hwmon/hwmon4/power1_max", "0\n");
	put(card, "device/hwmon/hwmon4/in0_input", "650\n");
	put(card, "gt/gt0/rps_act_freq_mhz", "0\n");
	put(card, "gt/gt0/rc6_residency_ms", "4294967000\n");
}

START_TEST(xe)
{
	const char *const gpu = "0000:03:00.0";

	put_xe(0, gpu);
	put_card(1, "amdgpu", "0000:c1:00.0", "aa");
	ck_assert_int_eq(begin(&pm_source_intelgpu), 0);
	sample();
	check_known("gpus", "", 1);
	check_known("gpus_lost", "", 0);
	/* The card has the package: never the sum of both. */
	check_known("energy", gpu, 9007199254740993);
	check_known("energy_package", gpu, 8007199254740993);
	check_known("power_limit", gpu, 190000000);
	check_known("temperature_package", gpu, 52000);
	check_known("temperature_memory", gpu, 60000);
	check_known("fan", gpu, 1403);
	check_known("voltage", gpu, 704);
	check_known("clock_graphics", gpu, 2400000000);
	check_known("idle", gpu, 34124000);
	ck_assert_int_eq(objects("energy"), 1);
	end();
}
END_TEST

START_TEST(i915)
{
	const char *const gpu = "0000:00:02.0";

	put_i915(0, gpu);
	ck_assert_int_eq(begin(&pm_source_intelgpu), 0);
	sample();
	check_known("energy", gpu, 123456789);
	check_unknown("energy_package", gpu, PM_REASON_absent);
	check_unknown("power_limit", gpu, PM_REASON_unsupported); /* there is none */
	check_unknown("temperature_package", gpu, PM_REASON_absent);
	check_known("voltage", gpu, 650);
	check_known("clock_graphics", gpu, 0);
	check_known("idle", gpu, 4294967000000);
	/* Its 32 bits wrap; energy begins anew with the driver. */
	later_s += 1;
	put(0, "gt/gt0/rc6_residency_ms", "704\n");
	put(0, "device/hwmon/hwmon4/energy1_input", "5\n");
	sample();
	check_known("idle", gpu, 4294968000000);
	check_unknown("energy", gpu, PM_REASON_wrapped);
	later_s += 1;
	put(0, "device/hwmon/hwmon4/energy1_input", "15\n");
	sample();
	check_known("energy", gpu, 123456804);
	end();
}
END_TEST

/* Before Linux 5.18. */
START_TEST(older)
{
	put_card(0, "i915", "0000:00:02.0", NULL);
	put(0, "gt_act_freq_mhz", "350\n");
	put(0, "power/rc6_residency_ms", "17\n");
	ck_assert_int_eq(begin(&pm_source_intelgpu), 0);
	sample();
	check_known("clock_graphics", "0000:00:02.0", 350000000);
	check_known("idle", "0000:00:02.0", 17000);
	end();
}
END_TEST

START_TEST(none)
{
	put_card(0, "amdgpu", "0000:c1:00.0", "aa");
	ck_assert_int_eq(begin(&pm_source_intelgpu), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "Intel"));
	pm_sink_free(&sink);
}
END_TEST

/* A card that has nothing but outputs is a GPU of which nothing is known. */
START_TEST(recorded)
{
	fixture_device("drm/procfs-amdgpu-i915");
	ck_assert_int_eq(begin(&pm_source_intelgpu), 0);
	sample();
	check_known("gpus", "", 1);
	for (size_t m = 2; m < sink.source->metrics_count; m++)
		check_unknown(sink.source->metrics[m].name, "0000:00:02.0", PM_REASON_absent);
	ck_assert_int_eq(objects("energy"), 1);
	end();
}
END_TEST

static Suite *intelgpu_suite(void)
{
	Suite *s = suite_create("sampler_intelgpu");
	TCase *t = tcase_create("intelgpu");
	char path[512];

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, xe);
	tcase_add_test(t, i915);
	tcase_add_test(t, older);
	tcase_add_test(t, none);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, recorded);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(intelgpu_suite)
