/* Parquet files that cannot be written, and the memory that those take which can. */
#include "config.h"

#include "export/parquet/parquet.h"
#include "tests/unit/common/random.h"
#include "tests/unit/export/table.h"
#include "tests/unit/main.h"

#include <string.h>
#include <sys/resource.h>

/* Rows of random numbers until it fails, or so many. Returns what the last call returned. */
static int write_rows(FILE *f, size_t rows, struct pm_err *e)
{
	struct pm_parquet *p = pm_parquet_new(f, COLUMNS({ "n", INT }, { "r", REAL }), 2, e);
	uint64_t seed = 1;
	int rc = 0;

	if (!p)
		return -1;
	for (size_t i = 0; i < rows && rc == 0; i++) {
		pm_parquet_int(p, 0, (int64_t)random_next(&seed));
		pm_parquet_real(p, 1, (double)random_next(&seed));
		rc = pm_parquet_row(p, e);
	}
	if (rc < 0)
		ck_assert_int_eq(pm_parquet_row(p, NULL), -1);
	rc = pm_parquet_finish(p, e);
	pm_parquet_free(p);
	return rc;
}

START_TEST(full)
{
	static const size_t rows[] = { 0, 10, 3000000 };

	for (size_t i = 0; i < 3; i++) {
		FILE *f = fopen("/dev/full", "w");
		struct pm_err e;

		ck_assert_ptr_nonnull(f);
		ck_assert_int_eq(write_rows(f, rows[i], &e), -1);
		ck_assert_str_eq(e.text, "write: No space left on device");
		fclose(f);
	}
}
END_TEST

static int misuse(int which, struct pm_err *e)
{
	FILE *f = fopen("/dev/null", "w");
	struct pm_parquet *p = pm_parquet_new(f, COLUMNS({ "n", INT }, { "t", TEXT }), 2, e);
	int rc;

	pm_parquet_int(p, 0, 1);
	if (which == 0)
		pm_parquet_int(p, 0, 2);
	else if (which == 1)
		pm_parquet_int(p, 1, 1);
	else if (which == 2)
		pm_parquet_int(p, 2, 1);
	if (which < 3)
		ck_assert_int_eq(pm_parquet_row(p, e), -1);
	rc = pm_parquet_finish(p, e);
	pm_parquet_free(p);
	fclose(f);
	return rc;
}

START_TEST(misuses)
{
	static const char *const text[] = {
		"column n: a second value in one row",
		"column t: a value of another type",
		"there is no column 2",
		"column n: a value of a row that has no end",
	};
	struct pm_err e;

	for (int i = 0; i < 4; i++) {
		ck_assert_int_eq(misuse(i, &e), -1);
		ck_assert_str_eq(e.text, text[i]);
	}
	pm_parquet_free(NULL);
}
END_TEST

/* A figure of /proc/self/status in kB. */
static long memory_now(const char *name)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = -1;

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f))
		if (strncmp(line, name, strlen(name)) == 0)
			kb = strtol(line + strlen(name) + 1, NULL, 10);
	fclose(f);
	ck_assert_int_ge(kb, 0);
	return kb;
}

enum { LONG_TEXTS, TEXTS, REPEATED_TEXTS, NUMBERS, FEW_NUMBERS, SPARSE, CASES };

START_TEST(memory)
{
	enum { COUNT = 100, SIZE = 1 << 20, LIMIT = 24 << 10 };
	static const size_t rows[CASES] = { 12, 3000, 4000, 9000, 20000, 200000 };
	static struct pm_parquet_column column[COUNT];
	char *text = table_noise(SIZE);
	FILE *f = fopen("/dev/null", "w");
	uint64_t seed = 1;
	struct pm_parquet *p;
	struct pm_err e;
	long before;

	for (size_t i = 0; i < COUNT; i++)
		column[i] = (struct pm_parquet_column){ "c", _i < NUMBERS ? TEXT : INT };
	before = memory_now("VmHWM:");
	p = pm_parquet_new(f, column, COUNT, &e);
	for (size_t r = 0; r < rows[_i]; r++) {
		for (size_t i = 0; i < COUNT; i++) {
			uint64_t v = random_next(&seed);

			if (_i == LONG_TEXTS)
				pm_parquet_text(p, i, text + v % (SIZE - 100000), 100000);
			else if (_i == TEXTS)
				pm_parquet_text(p, i, text + v % (SIZE - 300), v >> 32 & 255);
			else if (_i == REPEATED_TEXTS)
				pm_parquet_text(p, i, text + v % 5000 * 100, 60);
			else if (_i == NUMBERS)
				pm_parquet_int(p, i, (int64_t)v);
			else if (_i == FEW_NUMBERS)
				pm_parquet_int(p, i, (int64_t)(v % 4000));
			else if (v % 100 == 0)
				pm_parquet_int(p, i, (int64_t)v);
		}
		PM_SURE(pm_parquet_row(p, &e) == 0);
	}
	ck_assert_int_eq(pm_parquet_finish(p, &e), 0);
	pm_parquet_free(p);
	fclose(f);
	free(text);
	/* Sanitizers have memory of their own. */
	if (!PM_UNIT_SANITIZED)
		ck_assert_int_le(memory_now("VmHWM:") - before, LIMIT);
}
END_TEST

/* Memory that runs out is told, wherever it does. */
START_TEST(out_of_memory)
{
	FILE *f = fopen("/dev/null", "w");
	struct rlimit old, limit;
	struct pm_err e = { "" };
	int rc;

	if (PM_UNIT_SANITIZED)
		return;
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &old), 0);
	limit = old;
	/* In steps of 256 kB; from some on it is enough. */
	limit.rlim_cur = ((rlim_t)memory_now("VmSize:") << 10) + ((rlim_t)_i << 18);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	rc = write_rows(f, 300000, &e);
	setrlimit(RLIMIT_AS, &old);
	fclose(f);
	ck_assert_msg(rc == 0 || strcmp(e.text, "out of memory") == 0, "%s", e.text);
	ck_assert_msg((rc < 0) == (_i < 20) || (_i > 5 && _i < 40), "%d", rc);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("parquet_limits");
	TCase *c = tcase_create("parquet_limits");

	tcase_add_test(c, full);
	tcase_add_test(c, misuses);
	tcase_add_loop_test(c, memory, 0, CASES);
	tcase_add_loop_test(c, out_of_memory, 0, 41);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
