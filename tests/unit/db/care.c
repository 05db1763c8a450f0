/* Jobs copied from one database to another and taken out of it: every table and column, and what of a
 * job stays; what the engine tells of itself. */
#include "config.h"

#include "db/copy.h"
#include "db/erase.h"
#include "db/integrity.h"
#include "db/usage.h"
#include "sql/schema.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct pm_err e;
static struct pm_userdays days;

/* The first column of the first row. */
static int64_t __attribute__((format(printf, 2, 3))) number(struct pm_db *db, const char *format, ...)
{
	struct pm_stmt *q;
	char sql[512];
	int64_t n;
	va_list ap;

	va_start(ap, format);
	vsnprintf(sql, sizeof sql, format, ap);
	va_end(ap);
	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s: %s", sql, e.text);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

static void run(struct pm_db *db, const char *sql)
{
	ck_assert_msg(pm_db_exec(db, sql, &e) == 0, "%s: %s", sql, e.text);
}

static struct pm_db *new_database(void)
{
	struct pm_db *db;

	ck_assert_msg(pm_db_open(&db, "", PM_DB_MEMORY, &e) == 0, "%s", e.text);
	return db;
}

static bool is_of_job(const struct pm_schema_table *t)
{
	return pm_schema_index(t, "job_id") >= 0 && pm_schema_of_job(t);
}

/* The column that tells the job. */
static const char *key_of(const struct pm_schema_table *t)
{
	return strcmp(t->name, "job") == 0 ? "id" : "job_id";
}

/* A value as SQL: keys are those of row `row` of the tables that they point to, all others differ from
 * column to column, and some of those that may be are NULL. */
static void write_value(FILE *out, const struct pm_schema_table *t, size_t c, int64_t job, int row)
{
	const struct pm_schema_column *column = &t->column[c];
	const size_t n = strlen(column->name);
	const bool is_key = strcmp(column->name, "id") == 0 ||
			    (n > 3 && strcmp(column->name + n - 3, "_id") == 0);

	if (strcmp(column->name, key_of(t)) == 0)
		fprintf(out, "%d", (int)job);
	else if (is_key)
		fprintf(out, "%d", row);
	else if (!column->required && (c + (size_t)row) % 5 == 0)
		fputs("NULL", out);
	else if (column->type == PM_SCHEMA_REAL)
		fprintf(out, "%d.25", (int)c + 1000 * row);
	else if (column->type == PM_SCHEMA_BLOB)
		fprintf(out, "x'00ff%02x%02x'", (unsigned)c, (unsigned)row);
	else if (column->type == PM_SCHEMA_TEXT)
		fprintf(out, "'text %d of %d'", (int)c, row);
	else
		fprintf(out, "%d", (int)c + 1000 * row + (int)job);
}

/* A job with rows in every table. */
static void fill(struct pm_db *db, int64_t job, int rows)
{
	const struct pm_schema_table *t;
	size_t tables;

	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++)
		for (int row = 1; row <= rows; row++) {
			char *columns = pm_schema_columns(&t[i]), *sql = NULL;
			size_t size;
			FILE *out;

			if (strcmp(t[i].name, "job") == 0 ? row > 1 : !is_of_job(&t[i])) {
				free(columns);
				continue;
			}
			out = open_memstream(&sql, &size);
			fprintf(out, "INSERT INTO %s (%s) VALUES (", t[i].name, columns);
			for (size_t c = 0; c < t[i].columns; c++) {
				fputs(c ? ", " : "", out);
				write_value(out, &t[i], c, job, row);
			}
			fputc(')', out);
			fclose(out);
			run(db, sql);
			free(sql);
			free(columns);
		}
	{
		char sql[128];

		snprintf(sql, sizeof sql, "INSERT INTO tag_set (job_id, id, name, value) VALUES (%d, 0, 'own', 'x')",
			 (int)job);
		run(db, sql);
	}
}

static struct pm_stmt *rows_of(struct pm_db *db, const struct pm_schema_table *t, int64_t job)
{
	struct pm_stmt *q;
	char sql[128];

	snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE %s = %d ORDER BY 1, 2, 3", t->name, key_of(t),
		 (int)job);
	ck_assert_msg(pm_db_prepare(db, sql, &q, &e) == 0, "%s: %s", sql, e.text);
	return q;
}

static bool same_value(struct pm_stmt *a, struct pm_stmt *b, int c)
{
	size_t n = 0, m = 0;
	const void *p, *q;

	if (pm_db_type(a, c) != pm_db_type(b, c))
		return false;
	switch (pm_db_type(a, c)) {
	case PM_DB_INTEGER:
		return pm_db_int(a, c) == pm_db_int(b, c);
	case PM_DB_REAL:
		return pm_db_real(a, c) == pm_db_real(b, c);
	case PM_DB_TEXT:
		p = pm_db_text(a, c, &n);
		q = pm_db_text(b, c, &m);
		return n == m && memcmp(p, q, n) == 0;
	case PM_DB_BLOB:
		p = pm_db_blob(a, c, &n);
		q = pm_db_blob(b, c, &m);
		return n == m && memcmp(p, q, n) == 0;
	case PM_DB_NULL:
		break;
	}
	return true;
}

/* The same rows but for the job's number. */
static void check_same(struct pm_db *a, int64_t job, struct pm_db *b, int64_t other)
{
	const struct pm_schema_table *t;
	size_t tables;

	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++) {
		struct pm_stmt *p, *q;
		int rc = 1;

		if (strcmp(t[i].name, "job") != 0 && !is_of_job(&t[i]))
			continue;
		p = rows_of(a, &t[i], job);
		q = rows_of(b, &t[i], other);
		while (rc > 0) {
			rc = pm_db_step(p, &e);
			ck_assert_msg(pm_db_step(q, &e) == rc, "rows of %s", t[i].name);
			for (int c = 0; rc > 0 && c < (int)t[i].columns; c++)
				ck_assert_msg(strcmp(t[i].column[c].name, key_of(&t[i])) == 0 ||
						      same_value(p, q, c),
					      "%s.%s", t[i].name, t[i].column[c].name);
		}
		pm_db_finish(p);
		pm_db_finish(q);
	}
}

static void copy(struct pm_db *from, struct pm_db *to, int64_t job, bool replace, bool dry,
		 enum pm_copy_state want)
{
	enum pm_copy_state state = (enum pm_copy_state)-1;

	ck_assert_msg(pm_copy_job(from, to, job, replace, dry, &state, &e) == 0, "%s", e.text);
	ck_assert_int_eq(state, want);
}

START_TEST(a_job_is_copied_with_all_its_rows)
{
	struct pm_db *from = new_database(), *to = new_database();

	fill(from, 7, 3);
	fill(from, 8, 1);
	copy(from, NULL, 7, false, true, PM_COPY_NEW);
	copy(from, NULL, 7, true, true, PM_COPY_NEW);
	copy(from, to, 7, false, true, PM_COPY_NEW);
	ck_assert_int_eq(number(to, "SELECT count(*) FROM job"), 0);
	copy(from, to, 9, false, false, PM_COPY_GONE);
	copy(from, to, 9, true, true, PM_COPY_GONE);
	copy(from, to, 7, false, false, PM_COPY_NEW);
	check_same(from, 7, to, 1);
	copy(from, to, 8, false, false, PM_COPY_NEW);
	check_same(from, 8, to, 2);
	/* There already: left as it is, or replaced under its number. */
	run(to, "DELETE FROM reject; UPDATE job SET name = 'another'; UPDATE process SET pid = 1");
	copy(from, to, 7, false, true, PM_COPY_THERE);
	copy(from, to, 7, false, false, PM_COPY_THERE);
	copy(from, to, 7, true, true, PM_COPY_REPLACED);
	ck_assert_int_eq(number(to, "SELECT count(*) FROM job WHERE name = 'another'"), 2);
	copy(from, to, 7, true, false, PM_COPY_REPLACED);
	check_same(from, 7, to, 1);
	ck_assert_int_eq(number(to, "SELECT count(*) FROM job WHERE name = 'another'"), 1);
	ck_assert_int_eq(number(to, "SELECT count(*) FROM process WHERE job_id = 2 AND pid = 1"), 1);
	pm_db_close(from);
	pm_db_close(to);
}
END_TEST

/* Any of six values makes it another job. */
START_TEST(what_tells_a_job_from_others)
{
	static const char *const other[] = {
		"cluster = 'x'",   "\"user\" = 'x'",	"jobid = 'x'",
		"array_task = 'x'", "restart_count = 99", "epoch_us = 99",
	};
	struct pm_db *from = new_database(), *to = new_database();

	fill(from, 1, 1);
	copy(from, to, 1, false, false, PM_COPY_NEW);
	for (int i = 0; i < 6; i++) {
		char sql[128];

		snprintf(sql, sizeof sql, "UPDATE job SET %s", other[i]);
		run(from, sql);
		copy(from, to, 1, true, true, PM_COPY_NEW);
		copy(from, to, 1, true, false, PM_COPY_NEW);
		ck_assert_int_eq(number(to, "SELECT count(*) FROM job"), 2 + i);
		check_same(from, 1, to, 2 + i);
	}
	run(from, "UPDATE job SET name = 'x'");
	copy(from, to, 1, false, false, PM_COPY_THERE);
	pm_db_close(from);
	pm_db_close(to);
}
END_TEST

/* Where a row cannot be written nothing of the job is, and what was there stays. */
START_TEST(a_copy_that_fails_changes_nothing)
{
	struct pm_db *from = new_database(), *to = new_database(), *before = new_database();
	enum pm_copy_state state;

	fill(from, 1, 2);
	copy(from, before, 1, false, false, PM_COPY_NEW);
	copy(from, to, 1, false, false, PM_COPY_NEW);
	run(from, "UPDATE job SET name = 'new'");
	run(to, "CREATE TRIGGER wrong BEFORE INSERT ON sample_block BEGIN SELECT RAISE(ABORT, 'not here'); END");
	ck_assert_int_eq(pm_copy_job(from, to, 1, true, false, &state, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "not here"));
	check_same(before, 1, to, 1);
	/* Nor is it in a transaction any more. */
	ck_assert_int_eq(pm_db_begin(to, &e), 0);
	pm_db_rollback(to);
	pm_db_close(from);
	pm_db_close(to);
	pm_db_close(before);
}
END_TEST

/* --- deleting --------------------------------------------------------------------------------- */

/* perfmon-schema(5): what the summary of a job is. */
/* Job 2 has all its rows; of job 1 as much is kept. */
static void check_left(struct pm_db *db, enum pm_schema_keep keep)
{
	const struct pm_schema_table *t;
	size_t tables;

	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++) {
		const bool own_tags = strcmp(t[i].name, "tag_set") == 0;
		int64_t all;

		if (!is_of_job(&t[i]))
			continue;
		all = number(db, "SELECT count(*) FROM %s WHERE job_id = 2", t[i].name);
		ck_assert_int_eq(all, own_tags ? 3 : 2);
		ck_assert_msg(number(db, "SELECT count(*) FROM %s WHERE job_id = 1", t[i].name) ==
				      (t[i].kept_with <= keep ? all : own_tags && keep ? 1 : 0),
			      "%s", t[i].name);
	}
	ck_assert_int_eq(number(db, "SELECT count(*) FROM job WHERE id = 1"), keep > 0);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM job WHERE id = 2"), 1);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* Less and less is kept of it, in parts or not. */
START_TEST(a_job_is_deleted_or_its_detail)
{
	struct pm_db *db = new_database();

	fill(db, 1, 2);
	fill(db, 2, 2);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_erase_job(db, 3, &days, &e), 0);
	ck_assert_int_eq(pm_erase_detail(db, 3, PM_SCHEMA_PROGRAMS, &e), 0);
	ck_assert_int_eq(pm_erase_part(db, 3, PM_SCHEMA_NOTHING, INT64_MAX, &days, &e), 0);
	ck_assert_int_eq(pm_erase_lock(db, 3, &e), 0);
	ck_assert_int_eq(pm_erase_lock(db, 1, &e), 1);
	for (enum pm_schema_keep keep = PM_SCHEMA_PROCESSES; keep > PM_SCHEMA_NOTHING; keep--) {
		ck_assert_int_eq(_i ? pm_erase_part(db, 1, keep, INT64_MAX, &days, &e)
				    : pm_erase_detail(db, 1, keep, &e), 1);
		check_left(db, keep);
	}
	ck_assert_int_eq(_i ? pm_erase_part(db, 1, PM_SCHEMA_NOTHING, INT64_MAX, &days, &e)
			    : pm_erase_job(db, 1, &days, &e), 1);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	check_left(db, PM_SCHEMA_NOTHING);
	pm_userdays_free(&days);
	pm_db_close(db);
}
END_TEST

static int64_t rows_left(struct pm_db *db)
{
	const struct pm_schema_table *t;
	size_t tables;
	int64_t n = 0;

	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++)
		if (t[i].kept_with > PM_SCHEMA_PROGRAMS)
			n += number(db, "SELECT count(*) FROM %s WHERE job_id = 1", t[i].name);
	return n + number(db, "SELECT count(*) FROM reject WHERE job_id = 1");
}

/* With no time at all each transaction deletes something, and leaves nothing that points nowhere. */
START_TEST(a_large_job_goes_in_parts)
{
	struct pm_db *db = new_database();
	int rc = 2, parts = 0;

	fill(db, 1, 2);
	fill(db, 2, 2);
	/* Far apart, so that no part has them all; some at times before 1970. */
	run(db, "INSERT INTO process (job_id, id, host_id) VALUES (1, 500000, 1), (1, 1000000, 2);"
		"INSERT INTO counter (job_id, process_id, thread_id, name) VALUES (1, 500000, 0, 'a'), (1, 1000000, 0, 'b');"
		"INSERT INTO sample_block SELECT 1, 1, n, 1, 0, 0, 0, 1, 1, 0, 1, 0, x'', NULL, 0, 0, 0 FROM (SELECT "
		"-9223372036854775807 AS n UNION ALL SELECT -5 UNION ALL SELECT 9223372036854775807);"
		"INSERT INTO reject SELECT job_id, 500000, load_id, file, line, reason, bytes FROM reject WHERE job_id = 1 "
		"AND id = 1");
	run(db, _i < 2 ? "" : "DELETE FROM series WHERE job_id = 1"); /* or without samples */
	while (rc == 2) {
		const int64_t before = rows_left(db);

		ck_assert_int_eq(pm_db_begin(db, &e), 0);
		rc = pm_erase_part(db, 1, _i ? PM_SCHEMA_PROGRAMS : PM_SCHEMA_NOTHING, 0, &days, &e);
		ck_assert_msg(rc > 0, "%s", e.text);
		ck_assert_int_eq(pm_db_commit(db, &e), 0);
		parts++;
		ck_assert(rc == 1 || rows_left(db) < before);
		/* retire finds by these what is left. */
		ck_assert(rc == 1 || number(db, "SELECT count(*) FROM (SELECT job_id FROM process UNION ALL SELECT job_id FROM series UNION "
						"ALL SELECT job_id FROM content UNION ALL SELECT job_id FROM tag_set WHERE id > 0) WHERE job_id = 1") > 0);
		ck_assert_int_eq(number(db, "SELECT count(*) FROM job WHERE id = 1"), rc == 2 || _i);
		ck_assert_int_eq(number(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
		ck_assert_int_lt(parts, 100);
	}
	pm_userdays_free(&days);
	ck_assert_int_ge(parts, _i == 2 ? 5 : 8);
	if (_i) {
		ck_assert_int_eq(number(db, "SELECT count(*) FROM reject WHERE job_id = 1"), 3);
		run(db, "DELETE FROM reject WHERE id = 500000");
	}
	check_left(db, _i ? PM_SCHEMA_PROGRAMS : PM_SCHEMA_NOTHING);
	pm_db_close(db);
}
END_TEST

START_TEST(a_database_is_emptied)
{
	const struct pm_schema_table *t;
	struct pm_db *db = new_database();
	size_t tables;

	fill(db, 1, 2);
	run(db, "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
	ck_assert_msg(pm_erase_all(db, &e) == 0, "%s", e.text);
	t = pm_schema_tables(&tables);
	for (size_t i = 0; i < tables; i++)
		ck_assert_msg(number(db, "SELECT count(*) FROM %s", t[i].name) ==
				      (strcmp(t[i].name, "schema_version") == 0 ? 1
				       : strcmp(t[i].name, "metric") == 0	  ? PM_COLUMNS
									  : 0),
			      "%s", t[i].name);
	ck_assert_int_eq(number(db, "SELECT count(*) FROM theirs"), 1);
	/* Foreign keys are followed again. */
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO tag_set VALUES (1, 0, 'n', 'v')", &e), -1);
	fill(db, 1, 2);
	/* Where it fails all is as it was. */
	run(db, "CREATE TRIGGER wrong BEFORE DELETE ON host BEGIN SELECT RAISE(ABORT, 'not here'); END");
	ck_assert_int_eq(pm_erase_all(db, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "table host: not here"));
	ck_assert_int_eq(number(db, "SELECT count(*) FROM process"), 2);
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO tag_set VALUES (9, 0, 'n', 'v')", &e), -1);
	pm_db_close(db);
}
END_TEST

/* --- sizes and complaints --------------------------------------------------------------------- */

struct parts {
	int tables, indexes, known;
	int64_t bytes;
	bool mine;
	int stop; /* at this one, 0: never */
};

static int take_part(void *ctx, const struct pm_usage_part *part, struct pm_err *err)
{
	struct parts *p = ctx;

	(void)err;
	p->tables += !part->index;
	p->indexes += part->index;
	ck_assert(part->index || strcmp(part->name, part->table) == 0);
	if (strcmp(part->name, "mine_a") == 0)
		p->mine = part->index && strcmp(part->table, "mine") == 0;
	p->known += part->bytes != PM_USAGE_UNKNOWN;
	p->bytes += part->bytes;
	return p->tables + p->indexes == p->stop ? -1 : 0;
}

START_TEST(sizes)
{
	struct pm_db *db;
	int64_t bytes, unused, pages, free_pages, page;
	struct parts p = { 0 }, stops = { .stop = 3 };

	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
	run(db, "CREATE TABLE mine (a); CREATE INDEX mine_a ON mine (a); CREATE TABLE large (a);"
		"INSERT INTO large VALUES (zeroblob(500000)); DELETE FROM large");
	pages = number(db, "PRAGMA page_count");
	free_pages = number(db, "PRAGMA freelist_count");
	page = number(db, "PRAGMA page_size");
	ck_assert_int_gt(free_pages, 20);
	ck_assert_int_eq(pm_usage_whole(db, &bytes, &unused, &e), 0);
	ck_assert_int_eq(bytes, pages * page);
	ck_assert_int_eq(unused, free_pages * page);
	ck_assert_int_eq(pm_usage_parts(db, take_part, &p, &e), 0);
	ck_assert_int_eq(p.tables,
			 number(db, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%%' AND name <> 'job_zone'"));
	ck_assert(p.mine);
	/* Where this SQLite can tell: of all that is used but its own table of all that there is. */
	ck_assert(p.known == 0 || p.known == p.tables + p.indexes);
	if (p.known) {
		ck_assert_int_gt(p.bytes, 0);
		ck_assert_int_le(p.bytes, bytes - unused);
	}
	ck_assert_int_eq(pm_usage_parts(db, take_part, &stops, &e), -1);
	ck_assert_int_eq(stops.tables + stops.indexes, 3);
	/* SQLite has no such thing. */
	ck_assert_int_eq(pm_usage_spaces(db, NULL, NULL, &e), 1);
	pm_db_close(db);
}
END_TEST

static int complain(void *ctx, const char *complaint, struct pm_err *err)
{
	(void)err;
	ck_assert_ptr_nonnull(complaint);
	ck_assert_str_ne(complaint, "ok");
	return ++*(int *)ctx == 2 ? -1 : 0;
}

START_TEST(complaints)
{
	struct pm_db *db;
	int said = 0;

	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
	run(db, "CREATE TABLE mine (a); CREATE INDEX mine_a ON mine (a); INSERT INTO mine VALUES (1), (2), (3)");
	ck_assert_int_eq(pm_integrity_database(db, complain, &said, &e), 0);
	ck_assert_int_eq(said, 0);
	/* An index that lacks its rows; the second complaint ends it. */
	run(db, "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = "
		"'CREATE INDEX mine_a ON mine (a DESC)' WHERE name = 'mine_a'; PRAGMA writable_schema = OFF");
	pm_db_close(db);
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_READ, &e), 0);
	ck_assert_int_eq(pm_integrity_database(db, complain, &said, &e), -1);
	ck_assert_int_eq(said, 2);
	pm_db_close(db);
}
END_TEST

/* --- failures --------------------------------------------------------------------------------- */

static int failure_of(struct pm_db *db, const char *sql)
{
	ck_assert_int_eq(pm_db_exec(db, sql, &e), -1);
	return pm_db_failure(db);
}

/* The first one since it was asked; those of the data are EINVAL. */
START_TEST(failures)
{
	struct pm_stmt *q;
	struct pm_db *db;
	int fd;

	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_WRITE, &e), 0);
	ck_assert_int_eq(pm_db_failure(db), 0);
	run(db, "CREATE TABLE mine (a INTEGER PRIMARY KEY, b); INSERT INTO mine VALUES (1, NULL), (2, 5), (3, 7)");
	ck_assert_int_eq(failure_of(db, "INSERT INTO mine VALUES (1, 2)"), EINVAL);
	ck_assert_int_eq(pm_db_failure(db), 0);
	ck_assert_int_eq(failure_of(db, "INSERT INTO mine VALUES ('x', 2)"), EINVAL);
	ck_assert_int_eq(failure_of(db, "INSERT INTO mine VALUES (9, zeroblob(2000000000))"), EINVAL);
	ck_assert_int_eq(failure_of(db, "SELECT nothing FROM mine"), EIO);
	run(db, "PRAGMA max_page_count = 1");
	ck_assert_int_eq(pm_db_exec(db, "INSERT INTO mine VALUES (9, zeroblob(5000000))", &e), -1);
	ck_assert_int_eq(failure_of(db, "INSERT INTO mine VALUES (1, 2)"), ENOSPC);
	/* Values of NULL, and what there is no place for. */
	ck_assert_int_eq(pm_db_prepare(db, "SELECT b, a FROM mine WHERE a < ? ORDER BY b DESC NULLS LAST", &q, &e), 0);
	pm_db_bind_int(q, 1, 3);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert_int_eq(pm_db_int(q, 0), 5);
	ck_assert_int_eq(pm_db_step(q, &e), 1);
	ck_assert(pm_db_is_null(q, 0) && !pm_db_is_null(q, 1));
	ck_assert_ptr_null(pm_db_text(q, 0, NULL));
	ck_assert_int_eq(pm_db_int(q, 0), 0);
	ck_assert_int_eq(pm_db_step(q, &e), 0);
	pm_db_reset(q);
	/* Without its parameter no row is found. */
	ck_assert_int_eq(pm_db_step(q, &e), 0);
	pm_db_reset(q);
	pm_db_bind_int(q, 2, 3);
	ck_assert_int_eq(pm_db_step(q, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "bind a value"));
	pm_db_finish(q);
	/* Nor one behind a table's columns, or before them. */
	for (int i = 0; i < 100; i += 99) {
		ck_assert_int_eq(pm_db_insert(db, "counter", false, &q, &e), 0);
		pm_db_bind_int(q, i, 3);
		ck_assert_int_eq(pm_db_step(q, &e), -1);
		pm_db_finish(q);
	}
	pm_db_close(db);
	ck_assert_int_eq(pm_db_open(&db, "x.db", PM_DB_READ, &e), 0);
	ck_assert_int_eq(failure_of(db, "INSERT INTO mine VALUES (9, 2)"), EROFS);
	pm_db_close(db);
	fd = open("x.db", O_WRONLY);
	for (int i = 2; i < 400; i++)
		if (pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, i * 16384) < 0)
			break;
	close(fd);
	if (pm_db_open(&db, "x.db", PM_DB_WRITE, &e) == 0) {
		ck_assert_int_eq(failure_of(db, "SELECT count(b) FROM mine; SELECT sum(version) FROM schema_version; "
						"SELECT count(name) FROM job; SELECT count(unit) FROM metric"),
				 EIO);
		pm_db_close(db);
	}
	ck_assert_ptr_nonnull(strstr(e.text, "malformed; sqlite3's PRAGMA integrity_check locates the damage: restore a backup of "));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("db_care");
	TCase *t = tcase_create("care");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, a_job_is_copied_with_all_its_rows);
	tcase_add_test(t, what_tells_a_job_from_others);
	tcase_add_test(t, a_copy_that_fails_changes_nothing);
	tcase_add_loop_test(t, a_job_is_deleted_or_its_detail, 0, 2);
	tcase_add_loop_test(t, a_large_job_goes_in_parts, 0, 3);
	tcase_add_test(t, a_database_is_emptied);
	tcase_add_test(t, sizes);
	tcase_add_test(t, complaints);
	tcase_add_test(t, failures);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
