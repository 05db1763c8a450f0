/* export/layout/grid.c and its neighbours: rows of samples, where ticks end, are missing or go back
 * in time. */
#include "config.h"

#include "export/layout/grid.h"
#include "export/layout/gridterms.h"

#include "tests/unit/main.h"

#include "common/record/sampleblock.h"
#include "common/record/tickblock.h"

#include <inttypes.h>
#include <string.h>

#define MS      INT64_C(1000)
#define UNKNOWN INT64_MIN

enum { CPU = 1, MEMORY, EACH };

/* A row: its time in ms, and the value of the only column. */
struct row {
	int64_t time_ms, value;
};

static struct pm_db *db;
static struct pm_err e;

static void run(const char *sql)
{
	if (pm_db_exec(db, sql, &e) < 0)
		ck_abort_msg("%s: %s", sql, e.text);
}

static void add_series(int id, const char *source, const char *metric, const char *object)
{
	char sql[512];

	snprintf(sql, sizeof sql,
		 "INSERT INTO series (job_id, id, host_id, source, metric, object, unit, kind) "
		 "VALUES (1, %d, 1, '%s', '%s', '%s', 'n', 'gauge')",
		 id, source, metric, object);
	run(sql);
}

static void set_up(void)
{
	ck_assert_int_eq(pm_db_open(&db, "", PM_DB_MEMORY, &e), 0);
	run("INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, epoch_us) "
	    "VALUES (1, '', 'u', '1', '', 0, 1)");
	run("INSERT INTO host (job_id, id, hostname) VALUES (1, 1, 'n1')");
	add_series(CPU, "cpu", "cpus", "");
	add_series(MEMORY, "memory", "used", "");
}

static void tear_down(void)
{
	pm_db_close(db);
}

/* Add a block of n samples with ticks of their own. Times are in ms, those of the monotonic clock
 * `apart_ms` less; UNKNOWN: there is none. */
static void add_block(int series, int64_t id, size_t n, const int64_t *time_ms,
		      const int64_t *value, int64_t apart_ms)
{
	static int64_t ticks;
	uint8_t deviations[PM_SAMPLEBLOCK_BYTES(64)];
	char text[2][64 * PM_TICKBLOCK_DIGITS];
	struct pm_sampleblock b;
	const size_t bytes = pm_sampleblock_encode(&b, value, n, deviations);
	int64_t time_us[64], least = time_ms[0], most = time_ms[0];
	struct pm_stmt *q;

	ticks++;
	for (size_t i = 0; i < n; i++) {
		time_us[i] = time_ms[i] * MS;
		least = time_ms[i] < least ? time_ms[i] : least;
		most = time_ms[i] > most ? time_ms[i] : most;
	}
	pm_tickblock_encode(time_us, n, least * MS, PM_TICKBLOCK_DIGITS, text[0]);
	ck_assert_int_eq(
		pm_db_prepare(db, "INSERT INTO tick_block VALUES (1, ?, 1, ?, ?, 15, ?, ?, 15, ?)",
			      &q, &e),
		0);
	pm_db_bind_int(q, 1, ticks);
	pm_db_bind_int(q, 2, (int64_t)n);
	pm_db_bind_int(q, 3, least * MS);
	pm_db_bind_text(q, 4, text[0], n * PM_TICKBLOCK_DIGITS);
	if (apart_ms != UNKNOWN) {
		pm_db_bind_int(q, 5, (least - apart_ms) * MS);
		pm_db_bind_text(q, 6, text[0], n * PM_TICKBLOCK_DIGITS);
	}
	ck_assert_int_eq(pm_db_run(q, &e), 0);
	pm_db_finish(q);
	ck_assert_int_eq(pm_db_prepare(db,
				       "INSERT INTO sample_block (job_id, series_id, id, "
				       "tick_block_id, tick, begin_us, end_us, "
				       "samples, known, first, step, base, deviations) VALUES (1, "
				       "?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)",
				       &q, &e),
			 0);
	pm_db_bind_int(q, 1, series);
	pm_db_bind_int(q, 2, id);
	pm_db_bind_int(q, 3, ticks);
	pm_db_bind_int(q, 4, least * MS);
	pm_db_bind_int(q, 5, most * MS);
	pm_db_bind_int(q, 6, (int64_t)n);
	pm_db_bind_int(q, 7, (int64_t)n);
	pm_db_bind_int(q, 8, b.first);
	pm_db_bind_int(q, 9, b.step);
	pm_db_bind_int(q, 10, b.base);
	pm_db_bind_blob(q, 11, deviations, bytes);
	ck_assert_int_eq(pm_db_run(q, &e), 0);
	pm_db_finish(q);
	run("INSERT OR REPLACE INTO series_summary (job_id, series_id, samples, known, begin_us, "
	    "end_us) "
	    "SELECT 1, series_id, sum(samples), sum(known), min(begin_us), max(end_us) FROM "
	    "sample_block GROUP BY series_id");
}

/* Add n samples from a time on, `step_ms` from each other, whose values are their times. */
static void add_steps(int series, int64_t id, size_t n, int64_t from_ms, int64_t step_ms,
		      int64_t apart_ms)
{
	int64_t time_ms[64];

	for (size_t i = 0; i < n; i++)
		time_ms[i] = from_ms + (int64_t)i * step_ms;
	add_block(series, id, n, time_ms, time_ms, apart_ms);
}

/* Read the rows of sources with a column of terms, and compare them. */
static void check(const char *sources, enum pm_grid_kind kind, const char *terms,
		  const struct row *want, size_t n)
{
	const struct pm_grid_column column = { .kind = kind, .divisor = 1, .terms = terms };
	const struct pm_export_value *value;
	struct pm_grid *g = pm_grid_new(db, 1, 1, &e);
	const struct pm_grid_series *ticks;
	int64_t time_us;

	ck_assert_ptr_nonnull(g);
	ticks = pm_grid_ticks(g, sources, NULL);
	ck_assert_ptr_nonnull(ticks);
	ck_assert_int_eq(pm_grid_begin(g, ticks, &column, 1, &e), 0);
	for (size_t i = 0; i < n; i++) {
		ck_assert_int_eq(pm_grid_next(g, &time_us, &value, &e), 1);
		ck_assert_int_eq(time_us, want[i].time_ms * MS);
		ck_assert_msg((value->type == PM_DB_NULL) == (want[i].value == UNKNOWN),
			      "row of %" PRId64 " ms", want[i].time_ms);
		if (value->type == PM_DB_INTEGER)
			ck_assert_int_eq(value->integer, want[i].value);
		else if (value->type == PM_DB_REAL)
			ck_assert_double_eq_tol(value->real, (double)want[i].value, 1e-9);
	}
	ck_assert_int_eq(pm_grid_next(g, &time_us, &value, &e), 0);
	pm_grid_free(g);
}

/* The ticks end, and other sources go on. */
START_TEST(behind_the_last)
{
	static const int64_t late[] = { 25000, 3450000 };
	struct row want[22];

	add_steps(CPU, 1, 20, 0, 1000, 0);
	add_steps(MEMORY, 1, 10, 5, 2000, 0);
	add_block(MEMORY, 2, 2, late, late, 0);
	for (int i = 0; i < 20; i++)
		want[i] = (struct row){ 1000 * i, i % 2 ? UNKNOWN : 1000 * i + 5 };
	check("cpu", PM_GRID_SUM, "memory.used", want, 20);
	want[20] = (struct row){ 25000, 25000 };
	want[21] = (struct row){ 3450000, 3450000 };
	check("cpu memory", PM_GRID_SUM, "memory.used", want, 22);
}
END_TEST

/* A sample is the last row's up to half a period behind it; a tick behind that is a row, and takes
 * what is nearer to it. */
START_TEST(near_the_last)
{
	static const int64_t near[] = { 2499, 2500, 2501 };
	struct row want[] = { { 0, UNKNOWN }, { 1000, UNKNOWN }, { 2000, 2500 }, { 2501, 2501 } };

	/* As many samples: the first series has the ticks. */
	add_steps(CPU, 1, 3, 0, 1000, 0);
	add_block(MEMORY, 1, 3, near, near, 0);
	check("cpu", PM_GRID_SUM, "memory.used", want, 3);
	want[2].value = UNKNOWN;
	check("memory cpu", PM_GRID_SUM, "memory.used", want, 4);
}
END_TEST

/* A single tick has no period: all is its. */
START_TEST(one_tick)
{
	static const struct row want[] = { { 1000, 900000 } };

	add_steps(CPU, 1, 1, 1000, 0, 0);
	add_steps(MEMORY, 1, 1, 900000, 0, 0);
	check("cpu memory", PM_GRID_SUM, "memory.used", want, 1);
}
END_TEST

/* Other sources were read before the first tick, and while there was none. */
START_TEST(before_and_between)
{
	static const int64_t others[] = { 50000, 60000, 62000, 103005, 150000, 160000 };
	struct row want[24];
	size_t n = 0;

	add_steps(CPU, 1, 10, 100000, 1000, 0);
	add_steps(CPU, 2, 10, 200000, 1000, 0);
	add_block(MEMORY, 1, 6, others, others, 0);
	want[n++] = (struct row){ 50000, 50000 };
	/* That of 62 s is less than half a mean period, 2868 ms, behind. */
	want[n++] = (struct row){ 60000, 62000 };
	for (int i = 0; i < 10; i++)
		want[n++] = (struct row){ 100000 + 1000 * i, i == 3 ? 103005 : UNKNOWN };
	want[n++] = (struct row){ 150000, 150000 };
	want[n++] = (struct row){ 160000, 160000 };
	for (int i = 0; i < 10; i++)
		want[n++] = (struct row){ 200000 + 1000 * i, UNKNOWN };
	check("cpu memory", PM_GRID_SUM, "memory.used", want, n);
}
END_TEST

/* The clock was set back while the job ran, by 57 s: blocks are in the order of their first times.
 */
START_TEST(clock_set_back)
{
	static const int64_t left = 112600;
	struct row want[15];
	size_t n = 0;

	add_steps(CPU, 1, 7, 50000, 10000, 20000);
	add_steps(CPU, 2, 6, 100000, 1000, 77000);
	add_steps(MEMORY, 1, 7, 50005, 10000, 20000);
	add_block(MEMORY, 2, 1, &left, &left, 20000);
	add_steps(MEMORY, 3, 6, 100005, 1000, 77000);
	for (int i = 0; i < 7; i++)
		want[n++] = (struct row){ 50000 + 10000 * i, 50005 + 10000 * i };
	for (int i = 0; i < 6; i++)
		want[n++] = (struct row){ 100000 + 1000 * i, 100005 + 1000 * i };
	check("cpu", PM_GRID_SUM, "memory.used", want, n);
}
END_TEST

/* The same, where the other source has ticks of its own before the clock was set back. */
START_TEST(rows_before_it_was_set_back)
{
	static const int64_t left = 113000;
	struct row want[15];
	size_t n = 0;

	add_steps(CPU, 1, 7, 50000, 10000, 20000);
	add_steps(CPU, 2, 7, 100000, 1000, 77000);
	add_steps(MEMORY, 1, 1, 50005, 0, 20000);
	add_block(MEMORY, 2, 1, &left, &left, 20000);
	add_steps(MEMORY, 3, 1, 100005, 0, 77000);
	for (int i = 0; i < 7; i++)
		want[n++] = (struct row){ 50000 + 10000 * i, i == 0 ? 50005 : UNKNOWN };
	want[n++] = (struct row){ 113000, 113000 };
	for (int i = 0; i < 6; i++)
		want[n++] = (struct row){ 100000 + 1000 * i, i == 0 ? 100005 : UNKNOWN };
	want[n] = (struct row){ 106000, UNKNOWN };
	check("cpu memory", PM_GRID_SUM, "memory.used", want, n + 1);
}
END_TEST

#define CPUS 70

/* The least and the greatest of many objects, whose series are in the order of metrics. */
START_TEST(objects)
{
	const struct pm_grid_column column = { .kind = PM_GRID_LEAST,
					       .divisor = 1,
					       .terms = "cpu.user:* / cpu.idle:*" };
	struct row want[] = { { 0, UNKNOWN }, { 1000, 1 }, { 2000, 1 } };
	struct pm_gridterm *term;
	const struct pm_grid_series *series;
	struct pm_grid *g;
	size_t n, terms;

	add_steps(CPU, 1, 3, 0, 1000, 0);
	for (int k = 0; k < 2 * CPUS; k++) {
		/* In each second CPU i is busy for i + 1 of 100. */
		const int64_t busy = k % CPUS + 1, each = k < CPUS ? busy : 100 - busy,
			      time[] = { 0, 1000, 2000 }, value[] = { 7, 7 + each, 7 + 2 * each };
		char object[16];

		snprintf(object, sizeof object, "cpu%d", k % CPUS);
		add_series(EACH + k, "cpu", k < CPUS ? "user" : "idle", object);
		add_block(EACH + k, 1, 3, time, value, 0);
	}
	check("cpu", PM_GRID_LEAST, column.terms, want, 3);
	want[1].value = want[2].value = CPUS;
	check("cpu", PM_GRID_MOST, column.terms, want, 3);

	g = pm_grid_new(db, 1, 1, &e);
	series = pm_grid_series(g, &n);
	ck_assert_int_eq(pm_gridterms_find(&column, series, n, &term, &terms), 0);
	ck_assert_uint_eq(terms, 2 * CPUS);
	for (size_t i = 0; i < terms; i++) {
		ck_assert_uint_eq(term[i].group, i / 2);
		ck_assert_str_eq(series[term[i].series].object,
				 series[term[i - i % 2].series].object);
	}
	free(term);
	pm_grid_free(g);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("grid");
	TCase *c = tcase_create("grid");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_add_test(c, behind_the_last);
	tcase_add_test(c, near_the_last);
	tcase_add_test(c, one_tick);
	tcase_add_test(c, before_and_between);
	tcase_add_test(c, clock_set_back);
	tcase_add_test(c, rows_before_it_was_set_back);
	tcase_add_test(c, objects);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
