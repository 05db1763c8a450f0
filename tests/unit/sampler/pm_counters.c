/* Source pm_counters on recorded trees of /sys/cray/pm_counters. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

/* Stands for the C library's: each `moves` readings the controller writes. */
static int moves, reads;

static void put(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof path, "sys/cray/pm_counters/%s", file);
	root_put(path, text);
}

/* Let the controller go on. */
static void measure(void)
{
	static int fresh = 47486821;
	char text[32];

	snprintf(text, sizeof text, "%d\n", ++fresh);
	put("freshness", text);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	if (moves && ++reads % moves == 0)
		measure();
	return syscall(SYS_pread64, fd, to, n, at);
}

static void put_node(void)
{
	put("energy", "4709337659 J 1784929200280410 us\n");
	put("power", "495 W 1784929200356706 us\n");
	put("power_cap", "0 W\n");
	put("cpu_energy", "376665426 J 1784929200386951 us\n");
	put("accel0_energy", "921658274 J 1784929200361701 us\n");
	put("accel0_power_cap", "560 W\n");
	put("accel10_energy", "5 J\n");
	put("cpu0_temp", "-3 C 1784929200359295 us\n");
	put("generation", "4\n");
	put("startup", "1784880000000000\n");
	measure();
}

static void set_up(void)
{
	root_make();
	frozen_us = later_s = moves = reads = 0;
}

/* Units, stamps; the node and its parts are different metrics. */
START_TEST(values)
{
	put_node();
	/* In cpu_energy already; of a name that nobody documents; no value. */
	put("cpu0_energy", "1 J 1 us\n");
	put("nic_energy", "1 J 1 us\n");
	put("raw_scan_hz", "10\n");
	put("cpu_power", "120 W 1784929200386951 us\n");
	put("version", "3\n");
	ck_assert_int_eq(begin(&pm_source_pm_counters), 0);
	sample();
	check_known("node_energy", "node", 4709337659000000);
	check_known("node_power", "node", 495000000);
	check_unknown("node_power_cap", "node", PM_REASON_absent);
	check_known("part_energy", "cpu", 376665426000000);
	check_known("part_energy", "accel0", 921658274000000);
	check_known("part_energy", "accel10", 5000000);
	check_known("part_power", "cpu", 120000000);
	check_known("part_power_cap", "accel0", 560000000);
	check_known("temperature", "cpu0", -3000);
	check_known("energy_time", "node", 1784929200280410);
	check_known("energy_time", "accel0", 1784929200361701);
	check_unknown("energy_time", "accel10", PM_REASON_absent);
	/* Noticed: a sum over the objects of a metric with the node among them. */
	ck_assert_int_eq(objects("part_energy"), 3);
	ck_assert_int_eq(objects("node_energy"), 1);
	put("power_cap", "900 W\n");
	measure();
	later_s++;
	sample();
	check_known("node_power_cap", "node", 900000000);
	end();
}
END_TEST

/* A controller that does not measure any more has no values, though its files stay. */
START_TEST(stale)
{
	put_node();
	ck_assert_int_eq(begin(&pm_source_pm_counters), 0);
	sample();
	sample(); /* within a tenth of a second */
	check_known("node_power", "node", 495000000);
	later_s++;
	sample();
	check_unknown("node_power", "node", PM_REASON_late);
	check_unknown("part_energy", "cpu", PM_REASON_late);
	measure();
	later_s++;
	sample();
	check_known("node_power", "node", 495000000);
	/* Without that file nobody knows, and the values stand. */
	root_remove_path("sys/cray/pm_counters/freshness");
	later_s += 10;
	sample();
	later_s += 10;
	sample();
	check_known("node_power", "node", 495000000);
	end();
}
END_TEST

/* What is read while the controller writes is read again, and not for ever. */
START_TEST(not_atomic)
{
	put_node();
	ck_assert_int_eq(begin(&pm_source_pm_counters), 0);
	moves = 9; /* once in the first reading of 12 files, and in each after it */
	sample();
	check_unknown("node_energy", "node", PM_REASON_late);
	moves = 20;
	reads = 17; /* in the first one alone */
	sample();
	check_known("node_energy", "node", 4709337659000000);
	end();
}
END_TEST

/* Counters that began anew are unknown once, even where they are higher by now. */
START_TEST(restarts)
{
	static const struct {
		const char *file, *text;
		bool fell;
	} rows[] = {
		{ "generation", "5\n", false },
		{ "startup", "1784990000000000\n", false },
		{ NULL, NULL, true },
		{ NULL, NULL, false }, /* noticed: no restart */
	};
	const bool anew = rows[_i].file || rows[_i].fell;

	put_node();
	ck_assert_int_eq(begin(&pm_source_pm_counters), 0);
	sample();
	put("energy",
	    rows[_i].fell ? "7 J 1784929201280410 us\n" : "4709337666 J 1784929201280410 us\n");
	if (rows[_i].file)
		put(rows[_i].file, rows[_i].text);
	measure();
	moves = 20; /* read twice, and put once */
	reads = 10;
	sample();
	moves = 0;
	if (anew)
		check_unknown("node_energy", "node", PM_REASON_wrapped);
	else
		check_known("node_energy", "node", 4709337666000000);
	check_known("node_power", "node", 495000000);
	check_known("energy_time", "node", 1784929201280410);
	put("energy",
	    rows[_i].fell ? "10 J 1784929202280410 us\n" : "4709337669 J 1784929202280410 us\n");
	measure();
	sample();
	if (rows[_i].file) /* what was counted anew is added */
		check_known("node_energy", "node", 4709337659000000 + 4709337669000000);
	else
		check_known("node_energy", "node", 4709337669000000);
	end();
}
END_TEST

static const struct {
	const char *text;
	enum pm_reason reason;
} bad[] = {
	{ "", PM_REASON_unsupported },
	{ "N/A\n", PM_REASON_unsupported },
	{ "x J 1 us\n", PM_REASON_parse },
	{ "5 W 1784929200280410 us\n", PM_REASON_parse },
	{ "5 J 1784929200280410 ms\n", PM_REASON_parse },
	{ "5 J 1784929200280410\n", PM_REASON_parse },
	{ "5 J 1784929200280410 us 7\n", PM_REASON_parse },
	{ "5 J -1 us\n", PM_REASON_parse },
	{ "5 Joule 1 us\n", PM_REASON_parse },
	{ "-5 J 1784929200280410 us\n", PM_REASON_parse },
	{ "9223372036854 J 0x us\n", PM_REASON_parse },
	{ "9223372036855 J 1784929200280410 us\n", PM_REASON_parse }, /* 2^63 uJ */
};

START_TEST(garbled)
{
	put_node();
	put("energy", bad[_i].text);
	ck_assert_int_eq(begin(&pm_source_pm_counters), 0);
	sample();
	check_unknown("node_energy", "node", bad[_i].reason);
	check_known("part_energy", "cpu", 376665426000000);
	end();
}
END_TEST

START_TEST(none)
{
	check_file_absent(&pm_source_pm_counters, "/sys/cray/pm_counters");
}
END_TEST

/* Frontier. The parts come to 4397734955 J of the node's 4709337659: they are in it. */
START_TEST(fixture)
{
	static const char *const part[] = {
		"accel0", "accel1", "accel2", "accel3", "cpu", "memory"
	};
	int64_t sum = 0;

	fixture_device("cray/omnistat-frontier");
	ck_assert_int_eq(begin(&pm_source_pm_counters), 0);
	sample();
	check_known("node_energy", "node", 4709337659000000);
	check_known("part_energy", "accel0", 921658274000000);
	check_known("part_energy", "accel1", 911067976000000);
	check_known("part_energy", "accel2", 904895402000000);
	check_known("part_energy", "accel3", 895124018000000);
	check_known("part_energy", "cpu", 376665426000000);
	check_known("part_energy", "memory", 388323859000000);
	ck_assert_int_eq(objects("part_energy"), 6);
	for (int i = 0; i < 6; i++)
		sum += series("part_energy", part[i])->value;
	ck_assert_int_eq(sum, 4397734955000000);
	check_known("node_power", "node", 495000000);
	check_known("part_power", "memory", 76000000);
	check_known("temperature", "cpu0", 44000);
	check_unknown("node_power_cap", "node", PM_REASON_absent);
	check_known("energy_time", "node", 1784929200280410);
	check_known("energy_time", "accel0", 1784929200361701);
	end();
}
END_TEST

static Suite *pm_counters_suite(void)
{
	Suite *s = suite_create("sampler_pm_counters");
	TCase *t = tcase_create("pm_counters");
	char path[512];

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, stale);
	tcase_add_test(t, not_atomic);
	tcase_add_loop_test(t, restarts, 0, 4);
	tcase_add_loop_test(t, garbled, 0, sizeof bad / sizeof bad[0]);
	tcase_add_test(t, none);
	if (fixture_devices(path, sizeof path))
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(pm_counters_suite)
