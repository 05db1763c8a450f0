/* report/query/query_events.c: what the sampler counted, and what it makes, from a small database
 * made by hand. */
#include "config.h"

#include "tests/unit/report/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The series of an event on a host: their numbers are id (count), id + 1 and id + 2. */
static void event_series(int id, int host, const char *event)
{
	static const char *const name[] = { "count", "enabled", "running" };
	char sql[512];

	for (int i = 0; i < 3; i++) {
		snprintf(sql, sizeof sql,
			 "INSERT INTO series (job_id, id, host_id, source, metric, object, unit, "
			 "kind)"
			 " VALUES (1, %d, %d, 'perf', '%s', '%s', 'n', 'counter')",
			 id + i, host, name[i], event);
		run(sql);
	}
}

static void event_sample(int id, int second, const char *count, const char *enabled,
			 const char *running)
{
	sample(id, second, count);
	sample(id + 1, second, enabled);
	sample(id + 2, second, running);
}

static const struct pm_fact_metric *sampled_metric(const char *id)
{
	for (size_t i = 0; i < f.sampled_metrics; i++)
		if (strcmp(f.sampled_metric[i].info->id, id) == 0)
			return &f.sampled_metric[i];
	return NULL;
}

/* What the sampler counted: scaled where the kernel took turns, on over the start of another
 * sampler; metrics of the hosts that have all terms, in the time that was sampled. */
#define MOST "9223372036854775807"

START_TEST(values)
{
	run("UPDATE job SET duration_us = 99000000");
	run("UPDATE host SET cpu_id = 'GenuineIntel-6-55-4'");
	event_series(1, 1, "cycles");
	event_series(11, 1, "instructions");
	event_series(21, 2, "cycles");
	event_series(31, 2, "instructions");
	event_series(41, 1, "r0151");
	event_series(51, 1, "r0451");
	event_series(61, 1, "r0283");
	event_series(71, 1, "branches");
	event_sample(1, 10, "0", "0", "0");
	event_sample(1, 15, "1000", "100", "100");
	/* Another sampler. */
	event_sample(1, 16, "10", "10", "10");
	event_sample(1, 20, "1000", "100", "100");
	event_sample(11, 10, "0", "0", "0");
	event_sample(11, 20, "1000", "200", "50");
	event_sample(21, 12, "70", "1", "1");
	sample(31, 12, "NULL");
	run("UPDATE sample_block SET unknown = '[[0,1,\"permission\"]]' WHERE series_id = 31");
	event_sample(41, 20, "10000000", "1", "1");
	event_sample(51, 20, "5000000", "1", "1");
	event_sample(61, 20, "1000000", "1", "1");
	event_sample(71, 20, "0", "9", "0");
	facts();
	ck_assert_uint_eq(f.sampled_counters, 6);
	ck_assert_str_eq(f.sampled_counter[0].name, "branches");
	ck_assert(f.sampled_counter[0].sum == PM_UNKNOWN && f.sampled_counter[0].unknown == 1);
	ck_assert_str_eq(f.sampled_counter[0].reason[0].text, "multiplexed");
	ck_assert_str_eq(f.sampled_counter[1].name, "cycles");
	ck_assert_int_eq(f.sampled_counter[1].sum, 2070);
	ck_assert(f.sampled_counter[1].known == 2 && f.sampled_counter[1].ratio == 1);
	ck_assert_str_eq(f.sampled_counter[2].name, "instructions");
	ck_assert_int_eq(f.sampled_counter[2].sum, 4000);
	ck_assert(f.sampled_counter[2].known == 1 && f.sampled_counter[2].unknown == 1);
	ck_assert(f.sampled_counter[2].ratio == 0.25);
	ck_assert_str_eq(f.sampled_counter[2].reason[0].text, "permission");
	ck_assert_ptr_nonnull(sampled_metric("ipc"));
	ck_assert(sampled_metric("ipc")->value == 2 && sampled_metric("ipc")->processes == 1);
	ck_assert(sampled_metric("ipc")->ratio == 0.25);
	/* 16 million lines of 64 bytes in ten seconds. */
	ck_assert(fabs(sampled_metric("l2_bandwidth")->value - 102.4) < 1e-9);
}
END_TEST

START_TEST(of_nobody)
{
	event_series(1, 1, "cycles");
	event_series(11, 1, "instructions");
	sample(1, 5, "NULL");
	run("UPDATE sample_block SET unknown = '[[0,1,\"absent\"]]' WHERE series_id = 1");
	event_sample(11, 5, "7", "1", "1");
	facts();
	ck_assert_uint_eq(f.sampled_counters, 2);
	ck_assert_int_eq(f.sampled_counter[0].unknown, 1);
	ck_assert_ptr_nonnull(sampled_metric("ipc"));
	ck_assert(isnan(sampled_metric("ipc")->value) && sampled_metric("ipc")->processes == 0);
	/* Only hosts of one microarchitecture have its formulas, and only what was sampled has any.
	 */
	ck_assert_ptr_null(sampled_metric("l2_bandwidth"));
	ck_assert_uint_eq(f.counters, 0);
}
END_TEST

/* Numbers that no counter has. */
START_TEST(absurd)
{
	event_series(1, 1, "cycles");
	event_sample(1, 5, MOST, "-" MOST, MOST);
	event_sample(1, 6, "-" MOST, MOST, "-" MOST);
	event_series(11, 2, "cycles");
	event_sample(11, 6, "9e18", "1", "1");
	facts();
	ck_assert_uint_eq(f.sampled_counters, 1);
	ck_assert(f.sampled_counter[0].sum == PM_UNKNOWN);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_events");
	TCase *t = tcase_create("events");

	tcase_add_checked_fixture(t, make, unmake);
	tcase_add_test(t, values);
	tcase_add_test(t, of_nobody);
	tcase_add_test(t, absurd);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
