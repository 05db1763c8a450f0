/* Samples of a job in a database, for unit tests: a block each. */
#ifndef PM_TESTS_UNIT_SAMPLES_H
#define PM_TESTS_UNIT_SAMPLES_H

#include <stdint.h>
#include <stdio.h>

/* SQL that inserts a sample as block `id` of a series of job 1, its value NULL for unknown. Block of
 * ticks `ticks` must be new. Valid until the next call. */
static inline const char *test_sample_sql(int64_t ticks, int64_t series, int64_t id,
					  const char *time_us, const char *value)
{
	static char sql[2048];
	const int known = value != NULL;

	snprintf(sql, sizeof sql,
		 "INSERT INTO tick_block (job_id, id, host_id, ticks, time_us, digits, times) VALUES "
		 "(1, %lld, 1, 1, %s, 1, '0');"
		 "INSERT INTO sample_block (job_id, series_id, id, tick_block_id, tick, begin_us, "
		 "end_us, samples, known, first, step, base, deviations, unknown, minimum, maximum) "
		 "VALUES (1, %lld, %lld, %lld, 0, %s, %s, 1, %d, %s, 1, 0, x'', %s, %s, %s);"
		 "INSERT OR REPLACE INTO series_summary SELECT job_id, series_id, sum(samples), "
		 "sum(known), min(begin_us), max(end_us), min(minimum), max(maximum), "
		 "avg((minimum + maximum) / 2.0) FROM sample_block WHERE job_id = 1 AND "
		 "series_id = %lld GROUP BY 1, 2",
		 (long long)ticks, time_us, (long long)series, (long long)id, (long long)ticks,
		 time_us, time_us, known, known ? value : "0",
		 known ? "NULL" : "'[[0,1,\"late\"]]'", known ? value : "NULL",
		 known ? value : "NULL", (long long)series);
	return sql;
}

#endif
