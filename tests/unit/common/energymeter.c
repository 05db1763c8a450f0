/* common/record/energymeter.c: energy by counters and by powers, and what may be added. */
#include "config.h"

#include "common/record/energymeter.h"
#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <string.h>

#define S INT64_C(1000000)

static struct pm_energy_sum sum;

static void begin(void)
{
	memset(&sum, 0, sizeof sum);
}

static void add(bool power, int64_t second, int64_t value)
{
	pm_energy_add(&sum, power, second * S, PM_ENERGY_KNOWN, value);
}

static void miss(bool power, int64_t second, enum pm_energy_reason reason)
{
	pm_energy_add(&sum, power, second * S, reason, 0);
}

/* Energy in uJ, covered seconds, lost intervals. */
static void expect_counted(int64_t energy, int64_t covered, int64_t lost)
{
	pm_energy_end(&sum);
	ck_assert_int_eq(sum.energy_uj, energy);
	ck_assert_int_eq(sum.covered_us, covered * S);
	ck_assert_int_eq(sum.lost, lost);
}

static void expect_integrated(int64_t energy, int64_t covered, int64_t lost)
{
	pm_energy_end(&sum);
	ck_assert_int_eq((int64_t)(sum.double_pj / 2000000), energy);
	ck_assert_int_eq(sum.covered_us, covered * S);
	ck_assert_int_eq(sum.lost, lost);
}

START_TEST(counter_differences)
{
	add(false, 0, 1000);
	add(false, 1, 1007);
	miss(false, 2, PM_ENERGY_late);
	miss(false, 3, PM_ENERGY_absent);
	add(false, 4, 1010); /* goes on from the last known value */
	add(false, 4, 9999); /* of one time the first */
	add(false, 3, 9999);
	add(false, 5, 1010);
	expect_counted(10, 5, 0);
	ck_assert_int_eq(sum.samples, 4);
}
END_TEST

START_TEST(counter_lost)
{
	add(false, 0, 1000000);
	add(false, 1, 1000010);
	miss(false, 2, PM_ENERGY_wrapped);
	add(false, 3, 1000500); /* lost: 1 to 3 */
	add(false, 4, 1000510);
	add(false, 5, 3); /* lost: reset */
	add(false, 6, 23);
	expect_counted(10 + 10 + 20, 3, 2);
}
END_TEST

/* A counter that begins anew passes its former value some day, with a step as any other. */
START_TEST(counter_anew)
{
	add(false, 0, 100000);
	add(false, 1, 100100);
	for (int i = 0; i <= 2000; i++)
		add(false, 2 + i, 7 + 100 * i);
	expect_counted(100 + 100 * 2000, 1 + 2000, 1);
}
END_TEST

/* Two counts of one device, as of two samplers one of which began behind a wrap: no step between
 * them is energy. */
START_TEST(counter_mixed)
{
	const int64_t wrap = INT64_C(262143328850);
	int64_t naive = 0, last = 0;

	for (int i = 0; i < 100; i++) {
		int64_t value = 5000 + 200 * i + (i % 10 == 5 ? wrap : 0);

		naive += i && value > last ? value - last : 0;
		last = value;
		add(false, i, value);
	}
	expect_counted(200 * 79, 79, 20);
	ck_assert_int_gt(naive, 10 * wrap); /* noticed: what is not taken back */
}
END_TEST

START_TEST(counter_bounds)
{
	add(false, 0, 0);
	add(false, 1, 1000000 * S); /* 1 MW */
	add(false, 2, 2000000 * S + 1);
	add(false, 3, -1); /* no count */
	add(false, 4, 2000000 * S + 2);
	add(false, 5, 2000000 * S + 3);
	expect_counted(1000000 * S + 1, 2, 2);
	begin();
	add(false, 0, INT64_MAX - 5);
	add(false, 1, INT64_MAX);
	pm_energy_add(&sum, false, INT64_MAX, PM_ENERGY_KNOWN, INT64_MAX);
	pm_energy_add(&sum, false, INT64_MIN, PM_ENERGY_KNOWN, 0);
	expect_counted(5, 1, 1);
}
END_TEST

/* Powers over 0.9 s or more: a counter in joules that is read twice within 10 ms tells none. */
START_TEST(counter_peak)
{
	static const int64_t time_ms[] = { 0, 1000, 1010, 2010, 3010 };
	static const int64_t joule[] = { 100, 300, 301, 500, 800 };

	for (int i = 0; i < 5; i++)
		pm_energy_add(&sum, false, time_ms[i] * 1000, PM_ENERGY_KNOWN, joule[i] * S);
	pm_energy_end(&sum);
	ck_assert_int_eq(sum.energy_uj, 700 * S);
	ck_assert_int_eq(sum.peak_uw, 300 * S);
}
END_TEST

START_TEST(power_integral)
{
	add(true, 0, 100);
	add(true, 1, 200);
	add(true, 3, 400);
	expect_integrated(150 + 600, 3, 0);
	ck_assert_int_eq(sum.peak_uw, 400);
	miss(true, 4, PM_ENERGY_late);
	add(true, 5, 100); /* lost: 3 to 5 */
	add(true, 6, -5);  /* no power */
	add(true, 7, 100);
	add(true, 8, 100);
	expect_integrated(750 + 100, 4, 2);
}
END_TEST

START_TEST(power_gap)
{
	for (int i = 0; i < 10; i++)
		add(true, i, 10);
	add(true, 69, 10);   /* a minute is none */
	add(true, 1000, 10); /* lost */
	add(true, 1001, 10);
	expect_integrated(10 * (9 + 60 + 1), 70, 1);
	begin();
	/* Where the interval is long, that is no gap. */
	for (int i = 0; i < 10; i++)
		add(true, 600 * i, 10);
	expect_integrated(10 * 600 * 8, 600 * 8, 1);
}
END_TEST

static const struct pm_energy_kind *kind_of(const char *source, const char *metric,
					    const char *object, bool power)
{
	return pm_energy_kind(source, metric, object, power ? "uW" : "uJ",
			      power ? "gauge" : "counter");
}

START_TEST(kinds)
{
	static const char *const never[][3] = {
		{ "rapl", "psys_energy", "psys" },
		{ "rapl", "core_energy", "package-0/core" },
		{ "rapl", "uncore_energy", "package-0/uncore" },
		{ "rapl", "mmio_energy", "package-0" },
		{ "rapl", "other_energy", "x" },
		{ "intelgpu", "energy_package", "0000:03:00.0" },
		{ "nvidia", "energy", "GPU-a" },
		{ "pm_counters", "part_energy", "network" },
		{ "cpu", "user", "" },
	};

	for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
		ck_assert_ptr_null(kind_of(never[i][0], never[i][1], never[i][2], false));
	ck_assert_int_eq(kind_of("rapl", "package_energy", "package-1", false)->part,
			 PM_ENERGY_PACKAGE);
	ck_assert_int_eq(kind_of("rapl", "dram_energy", "package-1/dram", false)->part,
			 PM_ENERGY_DRAM);
	ck_assert_int_eq(kind_of("pm_counters", "part_energy", "accel3", false)->part,
			 PM_ENERGY_GPU);
	ck_assert_int_eq(kind_of("hwmon", "power", "power_meter@ACPI000D:00/power1", true)->part,
			 PM_ENERGY_NODE);
	ck_assert_int_eq(kind_of("hwmon", "power", "pmbus@1/power1", true)->part, PM_ENERGY_OTHER);
	ck_assert_int_eq(
		kind_of("hwmon", "energy", "amd_energy@amd_energy.0/Esocket1", false)->part,
		PM_ENERGY_PACKAGE);
	ck_assert_int_eq(
		kind_of("hwmon", "energy", "amd_energy@amd_energy.0/Ecore001", false)->part,
		PM_ENERGY_OTHER);
	ck_assert_ptr_null(pm_energy_kind("rapl", "package_energy", "p", "J", "counter"));
	ck_assert_ptr_null(pm_energy_kind("nvidia", "power", "GPU-a", "uW", "max"));
	ck_assert_int_eq(pm_energy_reason("wrapped", 7), PM_ENERGY_wrapped);
	ck_assert_int_eq(pm_energy_reason("wrap", 4), PM_ENERGY_OTHERWISE);
	ck_assert_int_eq(pm_energy_reason("", 0), PM_ENERGY_OTHERWISE);
}
END_TEST

static struct pm_energy_meters meters;

static void clear(void)
{
	pm_energy_meters_free(&meters);
}

/* Add a series of `seconds` that used `energy`. */
static void meter(const char *source, const char *metric, const char *object, bool power,
		  int64_t energy, int64_t seconds)
{
	const struct pm_energy_sum s = {
		.energy_uj = power ? 0 : energy,
		.double_pj = power ? (__int128)energy * 2000000 : 0,
		.covered_us = seconds * S,
		.samples = seconds ? 2 : 0,
		.peak_uw = seconds ? 1 : 0,
		.reason = seconds ? PM_ENERGY_KNOWN : PM_ENERGY_permission,
	};

	ck_assert_int_eq(
		pm_energy_meters_add(&meters, kind_of(source, metric, object, power), object, &s),
		0);
}

/* The energy of what is added up for the host. */
static int64_t total(void)
{
	int64_t energy = 0;

	pm_energy_meters_finish(&meters);
	for (size_t i = 0; i < meters.n; i++)
		if (meters.meter[i].in_total && meters.meter[i].energy_uj > 0)
			energy += meters.meter[i].energy_uj;
	return energy;
}

START_TEST(parts_of_a_host)
{
	meter("rapl", "package_energy", "package-0", false, 1, 10);
	meter("rapl", "package_energy", "package-1", false, 2, 10);
	meter("rapl", "package_energy", "", false, 3, 10);
	meter("rapl", "dram_energy", "package-0/dram", false, 4, 10);
	meter("nvidia", "power", "GPU-a", true, 999, 10);
	meter("nvidia_counters", "energy", "GPU-a", false, 8, 10);
	meter("nvidia", "power", "GPU-b", true, 16, 10);
	meter("nvidia_counters", "energy", "GPU-b", false, 0, 0);
	meter("amdgpu", "energy", "0000:03:00.0", false, 32, 10);
	meter("pm_counters", "part_energy", "accel0", false, 999, 10);
	meter("pm_counters", "part_energy", "cpu", false, 999, 10);
	meter("hwmon", "energy", "chip@1/energy1", false, 999, 10);
	ck_assert_int_eq(total(), 1 + 2 + 4 + 8 + 16 + 32);
	ck_assert_uint_eq(meters.n, 9);
	ck_assert_int_eq(meters.meter[0].kind->part, PM_ENERGY_PACKAGE);
	ck_assert_str_eq(meters.meter[1].object, "package-0");
	for (size_t i = 0; i < meters.n; i++)
		if (strcmp(meters.meter[i].object, "GPU-b") == 0)
			ck_assert_str_eq(pm_energy_method(&meters.meter[i]), "power");
}
END_TEST

START_TEST(node_alone)
{
	meter("rapl", "package_energy", "package-0", false, 1, 100);
	meter("pm_counters", "node_power", "node", true, 999, 100);
	meter("pm_counters", "node_energy", "node", false, 7, 90);
	ck_assert_int_eq(total(), 7);
	clear();
	/* One that covers less is no figure of the host. */
	meter("rapl", "package_energy", "package-0", false, 1, 100);
	meter("pm_counters", "node_energy", "node", false, 7, 80);
	ck_assert_int_eq(total(), 1);
	clear();
	/* Of two it is not known what they measure. */
	meter("rapl", "package_energy", "package-0", false, 1, 100);
	meter("hwmon", "power", "power_meter@ACPI000D:00/power1", true, 7, 100);
	meter("hwmon", "power", "power_meter@ACPI000D:01/power1", true, 8, 100);
	ck_assert_int_eq(total(), 1);
	clear();
	meter("rapl", "package_energy", "package-0", false, 1, 100);
	meter("hwmon", "power", "power_meter@ACPI000D:00/power1", true, 7, 100);
	ck_assert_int_eq(total(), 7);
	clear();
	/* What a BMC tells, where nothing nearer does. */
	meter("rapl", "package_energy", "package-0", false, 1, 100);
	meter("import", "power", "node", true, 7, 100);
	meter("import", "power", "ipmi/current", true, 9, 100);
	ck_assert_int_eq(total(), 7);
	clear();
	meter("import", "power", "node", true, 9, 100);
	meter("import", "energy", "node", false, 8, 100);
	ck_assert_int_eq(total(), 8);
	clear();
	meter("import", "power", "ipmi/current", true, 9, 100);
	meter("hwmon", "power", "power_meter@ACPI000D:00/power1", true, 7, 100);
	ck_assert_int_eq(total(), 7);
	clear();
	meter("import", "power", "ipmi/current", true, 9, 100);
	ck_assert_int_eq(total(), 9);
	ck_assert_ptr_null(pm_energy_kind("import", "power", "node2", "uW", "gauge"));
	ck_assert_ptr_null(pm_energy_kind("import", "power", "ipmi/maximum", "uW", "gauge"));
}
END_TEST

START_TEST(unknown)
{
	meter("rapl", "package_energy", "", false, 0, 0);
	meter("nvidia_counters", "energy", "GPU-a", false, 0, 0);
	ck_assert_int_eq(total(), 0);
	ck_assert_uint_eq(meters.n, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_int_eq(meters.meter[i].energy_uj, -1);
		ck_assert_int_eq(meters.meter[i].mean_uw, -1);
		ck_assert_str_eq(meters.meter[i].reason, "permission");
	}
	clear();
	/* What a known part needs no reason for. */
	meter("rapl", "package_energy", "", false, 0, 0);
	meter("rapl", "package_energy", "package-0", false, 3, 1);
	ck_assert_int_eq(total(), 3);
	ck_assert_uint_eq(meters.n, 1);
	ck_assert_int_eq(meters.meter[0].mean_uw, 3);
	clear();
	ck_assert_int_eq(total(), 0);
}
END_TEST

/* Whatever comes, what is covered and lost are the intervals. */
START_TEST(any_values)
{
	uint64_t seed = 18;

	for (int round = 0; round < 2000; round++) {
		bool power = round % 2;
		int64_t known = 0, intervals;

		begin();
		for (int i = 0; i < 50; i++) {
			uint64_t r = random_next(&seed);

			if (r % 5 == 0) {
				miss(power, i, 1 + r % 8);
				continue;
			}
			add(power, i, (int64_t)(random_next(&seed) >> (r % 64)));
			known++;
		}
		pm_energy_end(&sum);
		intervals = sum.samples > 0 ? sum.samples - 1 : 0;
		ck_assert_int_le(sum.samples, known);
		ck_assert_int_ge(sum.lost, 0);
		ck_assert_int_le(sum.lost, intervals);
		ck_assert_int_ge(sum.energy_uj, 0);
		ck_assert_int_ge(sum.covered_us, 0);
		ck_assert_int_le(sum.covered_us, 49 * S);
		ck_assert_int_le(sum.peak_uw, INT64_C(1000000000000));
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("energymeter");
	TCase *t = tcase_create("energymeter");

	tcase_add_checked_fixture(t, begin, clear);
	tcase_add_test(t, counter_differences);
	tcase_add_test(t, counter_lost);
	tcase_add_test(t, counter_anew);
	tcase_add_test(t, counter_mixed);
	tcase_add_test(t, counter_bounds);
	tcase_add_test(t, counter_peak);
	tcase_add_test(t, power_integral);
	tcase_add_test(t, power_gap);
	tcase_add_test(t, kinds);
	tcase_add_test(t, parts_of_a_host);
	tcase_add_test(t, node_alone);
	tcase_add_test(t, unknown);
	tcase_add_test(t, any_values);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
