/* Sources on recorded trees: exact values, missing keys, garbage, cuts, permissions. */
#include "config.h"

#include "sampler/sources/template.h"

#include "tests/unit/sampler/source.h"

/* --- cpu -------------------------------------------------------------------------------------- */

static const char *const cpu_names[] = { "user", "nice",    "system", "idle",  "iowait",
					 "irq",  "softirq", "steal",  "guest", "guest_nice" };

#define STAT_TAIL "intr 8885917 17 0\nctxt 38014093\nbtime 1418183276\n"

START_TEST(cpu_values)
{
	root_put("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\n"
			      "cpu0 11 12 13 14 15 16 17 18 19 20\n"
			      "cpu3 21 22 23 24 25 26 27 28 29 30\n" STAT_TAIL);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	for (int i = 0; i < 10; i++) {
		check_known(cpu_names[i], "", (1 + i) * 10000);
		check_known(cpu_names[i], "cpu0", (11 + i) * 10000);
		check_known(cpu_names[i], "cpu3", (21 + i) * 10000);
	}
	check_known("cpus", "", 2);
	ck_assert_int_eq(objects("user"), 2);
	ck_assert_int_eq(objects("guest_nice"), 2);
	/* A CPU goes offline and another one comes. */
	root_put("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\n"
			      "cpu0 11 12 13 14 15 16 17 18 19 20\n"
			      "cpu200 5 6 7 8 9 10 11 12 13 14\n" STAT_TAIL);
	sample();
	check_known("cpus", "", 2);
	check_known("user", "cpu200", 50000);
	check_known("guest_nice", "cpu200", 140000);
	for (int i = 0; i < 10; i++)
		check_unknown(cpu_names[i], "cpu3", PM_REASON_absent);
	/* It comes back: the same series. */
	root_put("proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\n"
			      "cpu3 31 32 33 34 35 36 37 38 39 40\n" STAT_TAIL);
	sample();
	check_known("user", "cpu3", 310000);
	ck_assert_int_eq(objects("user"), 3);
	end();
}
END_TEST

/* How busy the busiest and the idlest were, of those that can be told. */
START_TEST(cpu_extremes)
{
	static const char tail[] = "cpu  9 9 9 9\n";

	root_put("proc/stat",
		 "cpu  1 1 1 1\ncpu0 100 0 0 100\ncpu1 0 0 0 50\ncpu2 7 0 0 7\n" STAT_TAIL);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_unknown("busiest", "", PM_REASON_absent);
	check_unknown("idlest", "", PM_REASON_absent);
	/* 75 of 100, 1 of 3, and one that was off and began anew. */
	root_put("proc/stat",
		 "cpu  1 1 1 1\ncpu0 170 5 0 125\ncpu1 0 0 1 52\ncpu2 1 0 0 5\n" STAT_TAIL);
	sample();
	check_known("busiest", "", 7500);
	check_known("idlest", "", 3333);
	/* Nothing moves, but for the idle time, which falls; then one CPU is back, all of it
	 * stolen. */
	root_put("proc/stat",
		 "cpu  1 1 1 1\ncpu0 170 5 0 125\ncpu1 0 0 1 51\ncpu2 1 0 0 5\n" STAT_TAIL);
	sample();
	check_unknown("busiest", "", PM_REASON_absent);
	root_put("proc/stat", "cpu  1 1 1 1\ncpu2 1 0 0 5 0 0 0 30 0 0\n" STAT_TAIL);
	sample();
	check_known("busiest", "", 10000);
	check_known("idlest", "", 10000);
	root_put("proc/stat", tail);
	sample();
	check_unknown("busiest", "", PM_REASON_parse);
	end();
}
END_TEST

/* On a node of many CPUs none has series of its own; all else is as before. */
START_TEST(cpu_together)
{
	const struct pm_target target = { .root = root, .own = &own, .no_cpu_series = true };

	root_put("proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-1\nMems_allowed:\t1\n");
	root_put("proc/stat", "cpu  5 0 0 5\ncpu0 5 0 0 0\ncpu1 0 0 0 5\n" STAT_TAIL);
	ck_assert_int_eq(begin_on(&pm_source_cpu, &target), 0);
	sample();
	root_put("proc/stat", "cpu  9 0 0 11\ncpu0 9 0 0 1\ncpu1 0 0 0 10\n" STAT_TAIL);
	sample();
	ck_assert_int_eq(objects("user"), 0);
	check_known("user", "", 90000);
	check_known("cpus", "", 2);
	check_known("allocated", "", 2);
	check_known("allocated_busy", "", 40000);
	check_known("allocated_idle", "", 60000);
	check_known("busiest", "", 8000);
	check_known("idlest", "", 0);
	end();
}
END_TEST

/* Linux 2.6.10 had neither steal nor guest; what is not there is not 0. */
START_TEST(cpu_fewer_columns)
{
	root_put("proc/stat", "cpu  1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7\n" STAT_TAIL);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_known("softirq", "cpu0", 70000);
	for (int i = 7; i < 10; i++) {
		check_unknown(cpu_names[i], "", PM_REASON_unsupported);
		check_unknown(cpu_names[i], "cpu0", PM_REASON_unsupported);
	}
	end();
}
END_TEST

static const struct {
	const char *text;
	int user;  /* ticks of all CPUs; -1: absent, -2: parse */
	int user0; /* of cpu0; -3: there is no such series */
	int nice0;
	int cpus;
} cpu_garbage[] = {
	{ "", -1, -3, 0, -2 },
	{ "\n", -1, -3, 0, -2 },
	{ "garbage\n", -1, -3, 0, -2 },
	{ "cpu", -1, -3, 0, -2 },
	{ "cpu ", -1, -3, 0, -2 },
	{ "cpu  1 2 3 4 5 6 7 8 9 1", -1, -3, 0, -2 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\n", 1, -3, 0, -2 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\ncp", 1, -3, 0, -2 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 2 3 4", 1, -3, 0, -2 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 2 x 4 5 6 7 8 9 10 11\nintr 1\n", 1, 2, -2, 1 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 2x 3 4 5 6 7 8 9 10 11\nintr 1\n", 1, -2, -2, 1 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 -2 3 4 5 6 7 8 9 10 11\nintr 1\n", 1, -2, -2, 1 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\ncpux 2 3 4 5 6 7 8 9 10 11\nintr 1\n", 1, -3, 0, -2 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10\ncpu99999999999 2 3 4 5 6 7 8 9 10 11\nintr 1\n", 1, -3, 0,
	  -2 },
	{ "cpu  9223372036854775807 2 3 4 5 6 7 8 9 10\ncpu0 2 3 4 5 6 7 8 9 10 11\nintr 1\n", -2,
	  2, 3, 1 },
	{ "cpu  1 2 3 4 5 6 7 8 9 10 11 12\ncpu0 2 3 4 5 6 7 8 9 10 11 12\nintr 1\n", 1, 2, 3, 1 },
};

static void check_ticks(const char *metric, const char *object, int ticks)
{
	if (ticks >= 0)
		check_known(metric, object, ticks * 10000);
	else
		check_unknown(metric, object, ticks == -1 ? PM_REASON_absent : PM_REASON_parse);
}

START_TEST(cpu_garbled)
{
	root_put("proc/stat", cpu_garbage[_i].text);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_ticks("user", "", cpu_garbage[_i].user);
	if (cpu_garbage[_i].user0 == -3) {
		ck_assert_int_eq(objects("user"), 0);
	} else {
		check_ticks("user", "cpu0", cpu_garbage[_i].user0);
		check_ticks("nice", "cpu0", cpu_garbage[_i].nice0);
	}
	if (cpu_garbage[_i].cpus >= 0)
		check_known("cpus", "", cpu_garbage[_i].cpus);
	else
		check_unknown("cpus", "", PM_REASON_parse);
	end();
}
END_TEST

START_TEST(cpu_many)
{
	char *text = malloc(1000000);
	size_t n = (size_t)snprintf(text, 100, "cpu  1 1 1 1 1 1 1 1 1 1\n");

	for (int i = 0; i < 1024; i++)
		n += (size_t)snprintf(text + n, 100, "cpu%d %d 2 3 4 5 6 7 8 9 123456789\n", i, i);
	memcpy(text + n, STAT_TAIL, sizeof STAT_TAIL);
	root_put("proc/stat", text);
	free(text);
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_known("cpus", "", 1024);
	check_known("user", "cpu1023", 10230000);
	check_known("guest_nice", "cpu1023", 1234567890000);
	end();
}
END_TEST

/* --- memory ----------------------------------------------------------------------------------- */

static const char *const memory_names[] = { "total",      "free",      "available",
					    "buffers",    "cached",    "used",
					    "swap_total", "swap_free", "swap_used" };

START_TEST(memory_values)
{
	root_put("proc/meminfo", "MemTotal:        1000 kB\nMemFree:          400 kB\n"
				 "MemAvailable:     700 kB\nBuffers:           10 kB\n"
				 "Cached:            90 kB\nSwapCached:         3 kB\n"
				 "SwapTotal:        200 kB\nSwapFree:         150 kB\n"
				 "HugePages_Total:    0\n");
	ck_assert_int_eq(begin(&pm_source_memory), 0);
	sample();
	check_known("total", "", 1000 * 1024);
	check_known("free", "", 400 * 1024);
	check_known("available", "", 700 * 1024);
	check_known("buffers", "", 10 * 1024);
	check_known("cached", "", 90 * 1024);
	check_known("used", "", 300 * 1024);
	check_known("swap_total", "", 200 * 1024);
	check_known("swap_free", "", 150 * 1024);
	check_known("swap_used", "", 50 * 1024);
	end();
}
END_TEST

START_TEST(memory_garbled)
{
	root_put("proc/meminfo", "MemTotal:        1000 kB\nMemFree:          x kB\n"
				 "Cached:            90\nSwapTotal:        9223372036854775807 kB\n"
				 "SwapFree:         15");
	ck_assert_int_eq(begin(&pm_source_memory), 0);
	sample();
	check_known("total", "", 1000 * 1024);
	check_unknown("free", "", PM_REASON_parse);
	check_unknown("available", "", PM_REASON_absent); /* as before Linux 3.14 */
	check_unknown("used", "", PM_REASON_absent);
	check_unknown("buffers", "", PM_REASON_absent);
	check_unknown("cached", "", PM_REASON_parse);
	check_unknown("swap_total", "", PM_REASON_parse);
	check_unknown("swap_free", "", PM_REASON_parse);
	check_unknown("swap_used", "", PM_REASON_parse);
	/* The next sample is whole again. */
	root_put("proc/meminfo", "MemTotal: 5 kB\nMemAvailable: 3 kB\n");
	sample();
	check_known("used", "", 2 * 1024);
	end();
}
END_TEST

START_TEST(memory_empty)
{
	root_put("proc/meminfo", "");
	ck_assert_int_eq(begin(&pm_source_memory), 0);
	sample();
	for (size_t i = 0; i < sizeof memory_names / sizeof memory_names[0]; i++)
		check_unknown(memory_names[i], "", PM_REASON_absent);
	end();
}
END_TEST

/* --- files that are not there, or closed ------------------------------------------------------ */

static const struct {
	const struct pm_source *source;
	const char *path, *metric;
} files[] = {
	{ &pm_source_cpu, "proc/stat", "user" },
	{ &pm_source_memory, "proc/meminfo", "total" },
};

START_TEST(file_absent)
{
	check_file_absent(files[_i].source, files[_i].path);
}
END_TEST

START_TEST(file_closed)
{
	check_file_closed(files[_i].source, files[_i].path);
}
END_TEST

START_TEST(file_vanishes)
{
	root_put(files[_i].path, "MemTotal: 5 kB\ncpu  1 2\n");
	ck_assert_int_eq(begin(files[_i].source), 0);
	root_remove_path(files[_i].path);
	sample();
	for (size_t i = 0; i < sink.count; i++) {
		ck_assert_int_eq(sink.series[i].known, false);
		ck_assert_int_eq(sink.series[i].reason, PM_REASON_absent);
	}
	/* A directory in its place cannot be read. */
	root_put("proc/x", "");
	{
		char path[128];

		snprintf(path, sizeof path, "%s/%s", root, files[_i].path);
		PM_SURE(mkdir(path, 0755) == 0);
	}
	sample();
	check_unknown(files[_i].metric, "", PM_REASON_unsupported);
	end();
}
END_TEST

/* --- process, sampler, template --------------------------------------------------------------- */

START_TEST(process_without_tree)
{
	ck_assert_int_eq(begin(&pm_source_process), -1);
	ck_assert_int_eq(why.reason, PM_REASON_absent);
	pm_sink_free(&sink);
}
END_TEST

START_TEST(sampler_values)
{
	ck_assert_int_eq(begin(&pm_source_sampler), 0);
	own = (struct pm_own){ .scheduled = true,
			       .late_us = 77,
			       .missed = 3,
			       .lost = 5,
			       .written = 4711,
			       .user_us = 1,
			       .resident = 1 << 30 };
	for (uint64_t i = 0; i < PM_SOURCES; i++)
		own.source[i] = (struct pm_own_source){ .used = i > 0, .cost_ns = 1000 + i };
	sample();
	check_known("late", "", 77);
	check_known("missed", "", 3);
	check_known("lost", "", 5);
	check_known("written", "", 4711);
	check_known("late_readings", "", 0);
	check_known("failures", "", 0);
	/* Nothing of a source that is not read. */
	for (size_t i = 0; i < sink.count; i++)
		ck_assert_str_ne(sink.series[i].object, pm_source_table[0]->name);
	for (size_t i = 1; i < PM_SOURCES; i++)
		check_known("cost", pm_source_table[i]->name, 1000 + (int64_t)i);
	ck_assert_int_eq(series("usertime", "")->known, true);
	/* With the processes that read the sources. */
	ck_assert_int_gt(series("rssmax", "")->value, 1 << 30);
	own.scheduled = false;
	own.source[1].late = 2;
	own.source[2] =
		(struct pm_own_source){ .used = true, .late = 3, .failures = 4, .resident = 4096 };
	sample();
	check_unknown("late", "", PM_REASON_absent);
	check_known("late_readings", "", 5);
	check_known("late_readings", pm_source_table[1]->name, 2);
	check_known("late_readings", pm_source_table[2]->name, 3);
	check_known("failures", "", 4);
	check_known("failures", pm_source_table[2]->name, 4);
	check_known("rssmax", pm_source_table[2]->name, 4096);
	end();
}
END_TEST

START_TEST(template_values)
{
	ck_assert_int_eq(begin(&pm_source_template), 0);
	for (int i = 1; i < 4; i++) {
		sample();
		check_known("nothing", "", 0);
		check_known("nothing_per_object", "object0", i);
	}
	ck_assert_uint_eq(sink.count, 2);
	end();
}
END_TEST

/* --- the table -------------------------------------------------------------------------------- */

static int lower_case_name(const char *s)
{
	return s[0] && strspn(s, "abcdefghijklmnopqrstuvwxyz_0123456789") == strlen(s);
}

START_TEST(table)
{
	for (size_t i = 0; i < PM_SOURCES; i++) {
		const struct pm_source *s = pm_source_table[i];

		ck_assert_int_eq(lower_case_name(s->name), 1);
		ck_assert_int_gt((int)strlen(s->help), 0);
		ck_assert_uint_gt(s->metrics_count, 0);
		for (size_t j = 0; j < i; j++)
			ck_assert_str_ne(s->name, pm_source_table[j]->name);
		for (size_t j = 0; j < s->metrics_count; j++) {
			const struct pm_metric *m = &s->metrics[j];

			ck_assert_int_eq(lower_case_name(m->name), 1);
			ck_assert_int_gt((int)strlen(m->unit), 0);
			ck_assert_int_gt((int)strlen(m->help), 0);
			for (size_t k = 0; k < j; k++)
				ck_assert_str_ne(m->name, s->metrics[k].name);
		}
	}
}
END_TEST

static const struct {
	const char *list;
	int process, cpu; /* -1: refused */
} selections[] = {
	{ NULL, 1, 1 },       { "all", 1, 1 },
	{ "cpu", 0, 1 },      { "process,cpu", 1, 1 },
	{ "cpu,cpu", 0, 1 },  { "", -1, 0 },
	{ "cpux", -1, 0 },    { "cpu,", -1, 0 },
	{ ",cpu", -1, 0 },    { "process, cpu", -1, 0 },
	{ "cpu,all", -1, 0 },
};

START_TEST(selection)
{
	bool selected[PM_SOURCES];
	struct pm_err e = { "" };
	int result = pm_source_select(selections[_i].list, selected, &e);

	if (selections[_i].process < 0) {
		ck_assert_int_eq(result, -1);
		ck_assert_ptr_nonnull(strstr(e.text, "cpu, memory"));
		return;
	}
	ck_assert_int_eq(result, 0);
	ck_assert_int_eq(selected[PM_SOURCE_process], selections[_i].process);
	ck_assert_int_eq(selected[PM_SOURCE_cpu], selections[_i].cpu);
}
END_TEST

START_TEST(fixture)
{
	fixture_put("proc/stat proc/meminfo");
	ck_assert_int_eq(begin(&pm_source_cpu), 0);
	sample();
	check_known("cpus", "", 8);
	check_known("user", "", 3018540000);
	check_known("guest", "cpu7", 90000);
	check_known("steal", "", 0);
	end();
	ck_assert_int_eq(begin(&pm_source_memory), 0);
	sample();
	check_known("total", "", (int64_t)3742148 * 1024);
	check_unknown("available", "", PM_REASON_absent);
	check_known("swap_used", "", (int64_t)(4194300 - 3155360) * 1024);
	end();
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_sources");
	TCase *t = tcase_create("sources");
	char path[512];

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, cpu_values);
	tcase_add_test(t, cpu_extremes);
	tcase_add_test(t, cpu_together);
	tcase_add_test(t, cpu_fewer_columns);
	tcase_add_loop_test(t, cpu_garbled, 0, COUNT(cpu_garbage));
	tcase_add_test(t, cpu_many);
	tcase_add_test(t, memory_values);
	tcase_add_test(t, memory_garbled);
	tcase_add_test(t, memory_empty);
	tcase_add_loop_test(t, file_absent, 0, COUNT(files));
	tcase_add_loop_test(t, file_closed, 0, COUNT(files));
	tcase_add_loop_test(t, file_vanishes, 0, COUNT(files));
	tcase_add_test(t, process_without_tree);
	tcase_add_test(t, sampler_values);
	tcase_add_test(t, template_values);
	tcase_add_test(t, table);
	tcase_add_loop_test(t, selection, 0, COUNT(selections));
	if (fixture_path(path, sizeof path) == 0)
		tcase_add_test(t, fixture);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
