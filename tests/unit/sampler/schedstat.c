/* Source schedstat on recorded trees of /proc. */
#include "config.h"

#include "tests/unit/sampler/source.h"

#define V15                                                                                        \
	"version 15\ntimestamp 4295000000\n"                                                       \
	"cpu0 0 0 11 12 13 14 1000000000001 2000000000002 33\n"                                    \
	"domain0 00000003 1 2 3 4 5 6 7 8 9\n"                                                     \
	"cpu1 0 0 11 12 13 14 10 20 30\n"

START_TEST(values)
{
	root_put("proc/schedstat", V15);
	ck_assert_int_eq(begin(&pm_source_schedstat), 0);
	sample();
	check_known("running", "cpu0", 1000000000001);
	check_known("waiting", "cpu0", 2000000000002);
	check_known("timeslices", "cpu0", 33);
	check_known("waiting", "cpu1", 20);
	check_known("running", "", 1000000000011);
	check_known("waiting", "", 2000000000022);
	check_known("timeslices", "", 63);
	ck_assert_int_eq(objects("waiting"), 2);
	/* A CPU that goes offline leaves its part in the sum. */
	root_put("proc/schedstat", "version 15\ntimestamp 1\ncpu0 0 0 11 12 13 14 1000000000002 "
				   "2000000000003 34\n");
	sample();
	check_known("waiting", "", 2000000000023);
	end();
}
END_TEST

/* The sums alone, where CPUs have series together. */
START_TEST(together)
{
	const struct pm_target target = { .root = root, .own = &own, .no_cpu_series = true };

	root_put("proc/schedstat", V15);
	ck_assert_int_eq(begin_on(&pm_source_schedstat, &target), 0);
	sample();
	ck_assert_int_eq(objects("waiting"), 0);
	check_known("timeslices", "", 63);
	end();
}
END_TEST

/* Version 17 names the kind of each domain; the lines of CPUs are the same. */
START_TEST(versions)
{
	static const struct {
		const char *head;
		bool known;
	} rows[] = {
		{ "version 15\ntimestamp 1\n", true },
		{ "version 16\ntimestamp 1\n", true },
		{ "version 17\ntimestamp 1\n", true },
		{ "version 14\ntimestamp 1\n", false },
		{ "version 18\ntimestamp 1\n", false },
		{ "", false },
		{ "versions 15\n", false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[256];

		snprintf(text, sizeof text, "%scpu0 0 0 1 2 3 4 5 6 7\ndomain0 MC 3 1 2\n",
			 rows[i].head);
		root_put("proc/schedstat", V15);
		ck_assert_int_eq(begin(&pm_source_schedstat), 0);
		sample();
		root_put("proc/schedstat", text);
		sample();
		if (rows[i].known)
			check_known("running", "cpu0", 5);
		else
			check_unknown("running", "cpu0", PM_REASON_parse);
		end();
	}
}
END_TEST

START_TEST(garbled)
{
	root_put("proc/schedstat", "version 15\ntimestamp 1\ncpu0 0 0 1 2 3 4 5 6\n"
				   "cpu1 0 0 1 2 3 4 5 6 7x\ncpu2 0 0 1 2 3 4 5 6 7\ncpu3 0 0");
	ck_assert_int_eq(begin(&pm_source_schedstat), 0);
	sample();
	check_unknown("running", "cpu0", PM_REASON_parse);
	check_unknown("running", "cpu1", PM_REASON_parse);
	check_known("running", "cpu2", 5);
	check_unknown("running", "", PM_REASON_parse);
	ck_assert(!has_object("running", "cpu3"));
	end();
}
END_TEST

START_TEST(none)
{
	check_file_absent(&pm_source_schedstat, "/proc/schedstat");
}
END_TEST

static Suite *schedstat_suite(void)
{
	Suite *s = suite_create("sampler_schedstat");
	TCase *t = tcase_create("schedstat");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, values);
	tcase_add_test(t, together);
	tcase_add_test(t, versions);
	tcase_add_test(t, garbled);
	tcase_add_test(t, none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(schedstat_suite)
