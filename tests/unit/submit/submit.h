/* Jobs for the loader's tests: record lines written as "name=value ..." into a directory, loaded
 * into a database in memory. */
#ifndef PM_TESTS_UNIT_SUBMIT_SUBMIT_H
#define PM_TESTS_UNIT_SUBMIT_SUBMIT_H

#include "common/log.h"
#include "common/safe/record.h"
#include "submit/load.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct test_job {
	char dir[64];
	struct pm_db *db;
	struct pm_load_result result;
	int rc;
	struct pm_err e;
};

/* Every line has these unless it says otherwise. */
#define TEST_DEFAULTS "boot_id=boot-a pid_ns=1 starttime=5 hostname=n0"

/* Add the fields of "name=value name=value" to a record. Values hold no blanks. */
static void test_fields(struct pm_record *r, const char *text)
{
	while (*text) {
		size_t name = strcspn(text, "="), n = strcspn(text + name + 1, " ");
		const char *value = text + name + 1;
		int c = pm_column_find(text, name);
		int64_t v;

		ck_assert_msg(c >= 0, "no column %s", text);
		if (n == 2 && memcmp(value, "\\N", 2) == 0) {
			pm_record_unset(r, (enum pm_column)c);
		} else if (pm_column_is_text[c]) {
			pm_record_text(r, (enum pm_column)c, value, n);
		} else {
			ck_assert_int_eq(pm_tsv_number(value, n, &v), 0);
			pm_record_int(r, (enum pm_column)c, v);
		}
		text = value + n;
		text += strspn(text, " ");
	}
}

/* Format a record line. Returns its length. */
static size_t test_line(char *line, size_t size, const char *text)
{
	struct pm_record r;
	struct pm_buf b;

	pm_record_clear(&r);
	test_fields(&r, TEST_DEFAULTS);
	test_fields(&r, text);
	pm_buf_init(&b, line, size);
	pm_record_format(&r, &b);
	ck_assert(!b.truncated);
	return b.len;
}

/* Write bytes as a file of the job's directory. */
static inline void test_file(struct test_job *j, const char *name, const char *p, size_t n)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof path, "%s/%s", j->dir, name);
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(p, 1, n, out), n);
	ck_assert_int_eq(fclose(out), 0);
}

/* Write lines, ended by NULL, as a record file of the job's directory. */
static inline void test_records(struct test_job *j, const char *name, const char *const *line)
{
	static char text[1 << 20];
	size_t n = 0;

	for (; *line; line++)
		n += test_line(text + n, sizeof text - n, *line);
	test_file(j, name, text, n);
}

static inline void test_meta(struct test_job *j, const char *name, const char *json)
{
	test_file(j, name, json, strlen(json));
}

static void test_done(void *ctx, const struct pm_load_result *r)
{
	struct test_job *j = ctx;

	j->result = *r;
	j->result.jobid = j->result.problems = NULL;
}

/* An empty job directory and database. */
static void test_begin(struct test_job *j)
{
	memset(j, 0, sizeof *j);
	pm_log_level = -1;
	snprintf(j->dir, sizeof j->dir, "/tmp/perfmon-unit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(j->dir));
	ck_assert_int_eq(pm_db_open(&j->db, "", PM_DB_MEMORY, &j->e), 0);
}

static void test_load(struct test_job *j)
{
	struct pm_load_options o = { .done = test_done, .ctx = j };

	j->e.text[0] = '\0';
	j->rc = pm_load_source(j->db, j->dir, &o, &j->e);
}

static void test_end(struct test_job *j)
{
	char command[128];

	pm_db_close(j->db);
	snprintf(command, sizeof command, "rm -rf %s", j->dir);
	ck_assert_int_eq(system(command), 0);
}

/* Rows of a query as text: columns with blanks between, rows with ';', NULL as '-'. */
static const char *test_query(struct test_job *j, const char *sql)
{
	static char text[65536];
	struct pm_stmt *q;
	size_t n = 0;
	int rc;

	ck_assert_msg(pm_db_prepare(j->db, sql, &q, &j->e) == 0, "%s", j->e.text);
	text[0] = '\0';
	while ((rc = pm_db_step(q, &j->e)) > 0) {
		if (n)
			n += (size_t)snprintf(text + n, sizeof text - n, ";");
		for (int i = 0; i < pm_db_columns(q); i++) {
			const char *v = pm_db_text(q, i, NULL);

			n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? " " : "",
					      v ? v : "-");
			ck_assert_uint_lt(n, sizeof text);
		}
	}
	ck_assert_int_eq(rc, 0);
	pm_db_finish(q);
	return text;
}

/* Load one record file into a fresh database and compare what a query gives. */
static inline void test_expect(const char *const *line, const char *sql, const char *want)
{
	struct test_job j;

	test_begin(&j);
	test_records(&j, "n0-1.tsv", line);
	test_load(&j);
	ck_assert_msg(j.rc >= 0, "%s", j.e.text);
	ck_assert_str_eq(test_query(&j, sql), want);
	test_end(&j);
}

#endif
