/* Source rapl on recorded trees of /sys/class/powercap. */
#include "config.h"

#include "tests/unit/sampler/later.h"
#include "tests/unit/sampler/source.h"

#define CLASS "sys/class/powercap/"

/* The range of the counter of a package and of memory with many processors, uJ. */
#define RANGE      "262143328850\n"
#define RANGE_DRAM "65712999613\n"

/* Write a file of a zone. */
static void put_zone(const char *zone, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, CLASS "%s/%s", zone, file);
	root_put(path, text);
}

/* Write a zone; range NULL: it does not say. */
static void put(const char *zone, const char *name, const char *energy, const char *range)
{
	put_zone(zone, "name", name);
	put_zone(zone, "energy_uj", energy);
	if (range)
		put_zone(zone, "max_energy_range_uj", range);
}

/* A server of two packages, the class as the kernel has it: each zone beside its type, and nested.
 */
static void put_server(void)
{
	static const char *const zone[][2] = {
		{ "intel-rapl:0", "" },
		{ "intel-rapl:1", "" },
		{ "intel-rapl:0:0", "intel-rapl:0/" },
		{ "intel-rapl:1:0", "intel-rapl:1/" },
	};
	char to[512], from[512];

	put("intel-rapl/intel-rapl:0", "package-1\n", "1000\n", RANGE);
	put("intel-rapl/intel-rapl:1", "package-0\n", "20000\n", RANGE);
	put("intel-rapl/intel-rapl:0/intel-rapl:0:0", "dram\n", "300\n", RANGE_DRAM);
	put("intel-rapl/intel-rapl:1/intel-rapl:1:0", "dram\n", "4000\n", RANGE_DRAM);
	put_zone("intel-rapl/intel-rapl:0", "constraint_0_max_power_uw", "205000000\n");
	put_zone("intel-rapl/intel-rapl:0", "constraint_0_power_limit_uw", "180000000\n");
	for (int i = 0; i < 4; i++) {
		snprintf(to, sizeof to, "intel-rapl/%s%s", zone[i][1], zone[i][0]);
		snprintf(from, sizeof from, "%s/" CLASS "%s", root, zone[i][0]);
		PM_SURE(symlink(to, from) == 0);
	}
	root_put(CLASS "intel-rapl/enabled", "1\n");
	/* Where everything points back, as /sys does. */
	snprintf(from, sizeof from, "%s/" CLASS "intel-rapl/intel-rapl:0/subsystem", root);
	PM_SURE(symlink("../..", from) == 0);
	snprintf(from, sizeof from, "%s/" CLASS "intel-rapl/intel-rapl:0/device", root);
	PM_SURE(symlink("..", from) == 0);
}

/* Each zone once and by its own name; sums of what may be added. */
START_TEST(server)
{
	put_server();
	/* Once more by another interface, and zones that measure no energy. */
	put("intel-rapl-mmio:0", "package-0\n", "19990\n", RANGE);
	put("dtpm:0", "soc\n", "5\n", NULL);
	ck_assert_int_eq(begin(&pm_source_rapl), 0);
	sample();
	ck_assert_int_eq(objects("package_energy"), 2);
	ck_assert_int_eq(objects("dram_energy"), 2);
	ck_assert_int_eq(objects("core_energy"), 0);
	ck_assert_int_eq(objects("other_energy"), 0);
	check_known("package_energy", "package-1", 1000);
	check_known("package_energy", "package-0", 20000);
	check_known("package_energy", "", 21000);
	check_known("dram_energy", "package-1/dram", 300);
	check_known("dram_energy", "package-0/dram", 4000);
	check_known("dram_energy", "", 4300);
	check_known("mmio_energy", "package-0", 19990);
	check_known("package_limit", "package-1", 180000000);
	ck_assert_int_eq(objects("package_limit"), 1);
	end();
}
END_TEST

/* Zones that the kernel names alike are still two. */
START_TEST(same_names)
{
	put("intel-rapl:0", "package-0\n", "1\n", RANGE);
	put("intel-rapl:1", "package-0\n", "20\n", RANGE);
	put("intel-rapl:a", "package-10-die-1\n", "300\n", RANGE);
	put("intel-rapl:b", "socket \n", "4000\n", RANGE);
	put_zone("intel-rapl:c", "energy_uj", "50000\n");
	ck_assert_int_eq(begin(&pm_source_rapl), 0);
	sample();
	check_known("package_energy", "package-0", 1);
	check_known("package_energy", "package-0 (intel-rapl:1)", 20);
	check_known("package_energy", "package-10-die-1", 300);
	check_known("package_energy", "", 321);
	check_known("other_energy", "socket", 4000);
	check_known("other_energy", "intel-rapl:c", 50000);
	end();
}
END_TEST

/* What a counter does in a second, with a range and the most power of constraint_0; or seconds. */
static const struct {
	const char *range, *power, *first, *second;
	int64_t want; /* -1: wrapped */
	int seconds;
} falls[] = {
	/* 1.33 J more. */
	{ RANGE, "205000000\n", "262143000000\n", "1000000\n", 262143000000 + 1328850, 1 },
	/* 300 J in a second is too much for a package of 105 W, not for one of 205 W. */
	{ RANGE, "205000000\n", "262042000000\n", "198671150\n", 262042000000 + 300000000, 1 },
	{ RANGE, "105000000\n", "262042000000\n", "198671150\n", -1, 1 },
	{ RANGE, "105000000\n", "262042000000\n", "198671150\n", 262042000000 + 300000000, 2 },
	/* Without a maximum 1 kW. */
	{ RANGE, "", "261143328850\n", "0\n", 262143328850, 1 },
	{ RANGE, "0\n", "261143328849\n", "0\n", -1, 1 },
	{ RANGE_DRAM, "", "65712000000\n", "1000000\n", 65712000000 + 1999613, 1 },
	/* A driver that was loaded anew begins at 0. */
	{ RANGE, "205000000\n", "131071000000\n", "0\n", -1, 1 },
	/* Without a range a fall says nothing. */
	{ NULL, "205000000\n", "262143000000\n", "1000000\n", -1, 1 },
	{ "\n", "205000000\n", "262143000000\n", "1000000\n", -1, 1 },
	/* 410 W for 11 minutes may be more than once around. */
	{ RANGE, "205000000\n", "5\n", "6\n", 6, 600 },
	{ RANGE, "205000000\n", "5\n", "6\n", -1, 660 },
};

START_TEST(wraps)
{
	frozen_us = 1000000000;
	put("intel-rapl:0", "package-0\n", falls[_i].first, falls[_i].range);
	put_zone("intel-rapl:0", "constraint_0_max_power_uw", falls[_i].power);
	ck_assert_int_eq(begin(&pm_source_rapl), 0);
	sample();
	check_known("package_energy", "package-0", strtoll(falls[_i].first, NULL, 10));
	put_zone("intel-rapl:0", "energy_uj", falls[_i].second);
	later_s = falls[_i].seconds;
	sample();
	if (falls[_i].want >= 0) {
		check_known("package_energy", "package-0", falls[_i].want);
		check_known("package_energy", "", falls[_i].want);
	} else {
		check_unknown("package_energy", "package-0", PM_REASON_wrapped);
		check_unknown("package_energy", "", PM_REASON_wrapped);
		later_s++;
		sample();
		check_known("package_energy", "package-0",
			    strtoll(falls[_i].second, NULL, 10) < strtoll(falls[_i].first, NULL, 10)
				    ? strtoll(falls[_i].first, NULL, 10) +
					      strtoll(falls[_i].second, NULL, 10)
				    : strtoll(falls[_i].second, NULL, 10));
	}
	frozen_us = 0; /* for libcheck */
	end();
}
END_TEST

/* However long the interval, no package goes around twice between two readings. */
START_TEST(period)
{
	ck_assert_int_eq(pm_source_rapl.period_us, 1000000);
	ck_assert_int_eq(pm_source_rapl.longest_us, 60000000);
}
END_TEST

/* --- what cannot be read ---------------------------------------------------------------------- */

static void forbid(const char *zone, mode_t mode)
{
	char path[256];

	snprintf(path, sizeof path, "%s/" CLASS "%s/energy_uj", root, zone);
	PM_SURE(chmod(path, mode) == 0);
}

/* The lines for `perfmon sources`; the caller frees them. */
static char *describe(void)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	PM_SURE(out);
	pm_source_rapl.describe(state, &sink, out);
	PM_SURE(fclose(out) == 0);
	return text;
}

START_TEST(closed)
{
	char want[256];
	int result;

	put("intel-rapl:0", "package-0\n", "1\n", RANGE);
	forbid("intel-rapl:0", 0);
	root_become_plain_user();
	result = begin(&pm_source_rapl);
	root_become_self();
	ck_assert_int_eq(result, -1);
	ck_assert_int_eq(why.reason, PM_REASON_permission);
	snprintf(want, sizeof want, "chmod a+r %s/" CLASS "*/energy_uj ", root);
	ck_assert_ptr_nonnull(strstr(why.err.text, "Permission denied"));
	ck_assert_ptr_nonnull(strstr(why.err.text, want));
	pm_sink_free(&sink);
	/* Its remedy is one. */
	*strstr(strstr(why.err.text, "chmod"), " until") = '\0';
	PM_SURE(system(strstr(why.err.text, "chmod")) == 0);
	root_become_plain_user();
	result = begin(&pm_source_rapl);
	sample();
	root_become_self();
	ck_assert_int_eq(result, 0);
	check_known("package_energy", "package-0", 1);
	end();
}
END_TEST

/* Of two zones one may be read: the other is unknown, and so is the sum. */
START_TEST(half_closed)
{
	char *text;
	int result;

	put("intel-rapl:0", "package-0\n", "1\n", RANGE);
	put("intel-rapl:1", "package-1\n", "20\n", RANGE);
	forbid("intel-rapl:1", 0);
	root_become_plain_user();
	result = begin(&pm_source_rapl);
	sample();
	text = describe();
	root_become_self();
	ck_assert_int_eq(result, 0);
	check_known("package_energy", "package-0", 1);
	check_unknown("package_energy", "package-1", PM_REASON_permission);
	check_unknown("package_energy", "", PM_REASON_permission);
	ck_assert_ptr_nonnull(strstr(text, "package-1: intel-rapl:1\n"
					   "  permission: package_energy\n"));
	ck_assert_ptr_nonnull(strstr(text, "to read what this user may not: run the sampler as "
					   "root, or "));
	free(text);
	/* From the next look on it may. */
	forbid("intel-rapl:1", 0444);
	later_s += 61;
	root_become_plain_user();
	sample();
	text = describe();
	root_become_self();
	check_known("package_energy", "", 21);
	ck_assert_ptr_null(strstr(text, "to read"));
	free(text);
	end();
}
END_TEST

/* A service of root's opens the files before it becomes a job's user. */
START_TEST(held)
{
	int result;

	put("intel-rapl:0", "package-0\n", "1\n", RANGE);
	put("intel-rapl:0/intel-rapl:0:0", "dram\n", "20\n", RANGE_DRAM);
	put("intel-rapl:1", "package-1\n", "300\n", RANGE);
	pm_source_rapl.hold(root);
	forbid("intel-rapl:0", 0);
	forbid("intel-rapl:0/intel-rapl:0:0", 0);
	root_become_plain_user();
	result = begin(&pm_source_rapl);
	for (int i = 0; i < 3; i++)
		sample();
	root_become_self();
	ck_assert_int_eq(result, 0);
	check_known("package_energy", "", 301);
	check_known("dram_energy", "package-0/dram", 20);
	put_zone("intel-rapl:1", "energy_uj", "4000\n");
	sample();
	check_known("package_energy", "package-1", 4000);
	end();
	/* Noticed: without that they would not be read. */
	put("intel-rapl:2", "package-2\n", "1\n", RANGE);
	forbid("intel-rapl:2", 0);
	root_become_plain_user();
	result = begin(&pm_source_rapl);
	sample();
	root_become_self();
	ck_assert_int_eq(result, 0);
	check_unknown("package_energy", "package-2", PM_REASON_permission);
	end();
}
END_TEST

START_TEST(none)
{
	ck_assert_int_eq(begin(&pm_source_rapl), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
	/* The type alone, as in a virtual machine. */
	root_put(CLASS "intel-rapl/enabled", "0\n");
	root_put(CLASS "dtpm:0/name", "soc\n");
	ck_assert_int_eq(begin(&pm_source_rapl), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	ck_assert_ptr_nonnull(strstr(why.err.text, "/sys/class/powercap"));
	pm_sink_free(&sink);
}
END_TEST

/* The driver goes, and comes back with other numbers. */
START_TEST(reloaded)
{
	frozen_us = 1000000000;
	put("intel-rapl:0", "package-0\n", "5000000\n", RANGE);
	put("intel-rapl:1", "package-1\n", "60000000\n", RANGE);
	ck_assert_int_eq(begin(&pm_source_rapl), 0);
	sample();
	check_known("package_energy", "", 65000000);
	root_remove_path(CLASS);
	later_s++;
	sample();
	check_unknown("package_energy", "package-0", PM_REASON_absent);
	check_unknown("package_energy", "", PM_REASON_absent);
	put("intel-rapl:1", "package-0\n", "7\n", RANGE);
	put("intel-rapl:0", "package-1\n", "8\n", RANGE);
	later_s += 10;
	sample();
	check_unknown("package_energy", "package-0", PM_REASON_wrapped);
	check_unknown("package_energy", "package-1", PM_REASON_wrapped);
	later_s++;
	put_zone("intel-rapl:1", "energy_uj", "9\n");
	sample();
	check_known("package_energy", "package-0", 5000009);
	check_known("package_energy", "package-1", 60000008);
	frozen_us = 0;
	end();
}
END_TEST

/* Garbage is of its zone alone. */
START_TEST(garbled)
{
	static const struct {
		const char *text;
		enum pm_reason reason;
	} rows[] = {
		{ "", PM_REASON_unsupported },   { "N/A\n", PM_REASON_unsupported },
		{ "-1\n", PM_REASON_parse },     { "12 uJ\n", PM_REASON_parse },
		{ "1e3\n", PM_REASON_parse },    { "99999999999999999999\n", PM_REASON_parse },
		{ "12\n34\n", PM_REASON_parse },
	};

	put("intel-rapl:0", "package-0\n", rows[_i].text, RANGE);
	put("intel-rapl:1", "package-1\n", "20\n", RANGE);
	ck_assert_int_eq(begin(&pm_source_rapl), 0);
	sample();
	check_unknown("package_energy", "package-0", rows[_i].reason);
	check_known("package_energy", "package-1", 20);
	check_unknown("package_energy", "", rows[_i].reason);
	end();
}
END_TEST

/* --- recorded machines ------------------------------------------------------------------------ */

/* The package lists 3 zones; core is in package-0. */
START_TEST(fixture_flat)
{
	fixture_device("rapl/procfs-flat");
	ck_assert_int_eq(begin(&pm_source_rapl), 0);
	sample();
	check_known("package_energy", "package-0", 240422366267);
	check_known("package_energy", "package-10", 240422366267);
	check_known("core_energy", "package-0/core", 118821284256);
	/* Not 599666016790, which would have the cores twice. */
	check_known("package_energy", "", 480844732534);
	ck_assert_int_eq(objects("package_energy"), 2);
	ck_assert_int_eq(objects("core_energy"), 1);
	ck_assert_int_eq(objects("other_energy"), 0);
	check_known("package_limit", "package-0", 4090000000);
	end();
}
END_TEST

/* Nested alone, and filled up with NULs; no ranges. psys is smaller than the package. */
START_TEST(fixture_nested)
{
	fixture_device("rapl/pcp-Thinkpad_L480_bat_busy");
	ck_assert_int_eq(begin(&pm_source_rapl), 0);
	sample();
	check_known("package_energy", "package-0", 26716954797);
	check_known("package_energy", "", 26716954797);
	check_known("core_energy", "package-0/core", 12628860370);
	check_known("uncore_energy", "package-0/uncore", 2711815506);
	check_known("dram_energy", "package-0/dram", 7743988048);
	check_known("dram_energy", "", 7743988048);
	check_known("psys_energy", "psys", 850171102);
	end();
}
END_TEST

static void set_up(void)
{
	root_make();
	frozen_us = later_s = 0;
}

static Suite *rapl_suite(void)
{
	Suite *s = suite_create("sampler_rapl");
	TCase *t = tcase_create("rapl");
	char path[512];

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, server);
	tcase_add_test(t, same_names);
	tcase_add_loop_test(t, wraps, 0, sizeof falls / sizeof falls[0]);
	tcase_add_test(t, period);
	tcase_add_test(t, closed);
	tcase_add_test(t, half_closed);
	tcase_add_test(t, held);
	tcase_add_test(t, none);
	tcase_add_test(t, reloaded);
	tcase_add_loop_test(t, garbled, 0, 7);
	if (fixture_devices(path, sizeof path)) {
		tcase_add_test(t, fixture_flat);
		tcase_add_test(t, fixture_nested);
	}
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(rapl_suite)
