/* What the engines are made of, without a server. */
#include "config.h"

#include "db/db.h"
#include "db/postgres/copyrow.h"
#include "db/postgres/param.h"
#include "db/postgres/placeholder.h"
#include "db/postgres/plaintext.h"
#include "db/postgres/rowspill.h"
#include "db/postgres/sqlstate.h"
#include "db/rowfeed.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void numbered(const char *sql, const char *want, int count)
{
	int n = -1;
	char *got = pm_placeholder_number(sql, &n);

	ck_assert_str_eq(got, want);
	ck_assert_int_eq(n, count);
	free(got);
}

START_TEST(parameters_are_numbered_outside_of_quotes)
{
	numbered("", "", 0);
	numbered("SELECT ?, ?", "SELECT $1, $2", 2);
	numbered("a = '?' AND b = ?", "a = '?' AND b = $1", 1);
	numbered("a = 'it''s ?' AND \"b?\" = ?", "a = 'it''s ?' AND \"b?\" = $1", 1);
	numbered("a -- ?\n= ? /* ? */ ?", "a -- ?\n= $1 /* ? */ $2", 2);
	numbered("a - ? / ?", "a - $1 / $2", 2);
	numbered("? 'open ?", "$1 'open ?", 1);
	numbered("? /* open ?", "$1 /* open ?", 1);
	numbered("? -- open ?", "$1 -- open ?", 1);
}
END_TEST

static void plain(const char *p, size_t n, const char *want)
{
	size_t len = pm_plaintext_length(p, n);
	char *got = calloc(1, len + 1);

	pm_plaintext_copy(got, p, n);
	ck_assert_str_eq(got, want);
	ck_assert_uint_eq(len, strlen(want));
	free(got);
}

START_TEST(text_becomes_utf8_without_nul)
{
	plain("", 0, "");
	plain("as it is \\ \t\n\x01", 14, "as it is \\ \t\n\x01");
	plain("a\0b", 3, "a\\x00b");
	plain("0123456789abcdef\xff", 17, "0123456789abcdef\\xff");
	plain("gr\xc3\xbc\xc3\x9f\x65, \xe2\x82\xac and \xf0\x9f\x90\xa2", 21,
	      "gr\xc3\xbc\xc3\x9f\x65, \xe2\x82\xac and \xf0\x9f\x90\xa2");
	plain("cut \xe2\x82", 6, "cut \\xe2\\x82");
	plain("\xed\xa0\x80", 3, "\\xed\\xa0\\x80"); /* a surrogate */
	plain("\xc0\x80", 2, "\\xc0\\x80");          /* a long form of NUL */
	plain("12345678\0\0", 10, "12345678\\x00\\x00");
}
END_TEST

START_TEST(failures_have_an_errno)
{
	static const struct {
		const char *state;
		int error;
	} known[] = {
		{ "53100", ENOSPC },     { "53200", ENOMEM },     { "53300", EBUSY },
		{ "23505", EINVAL },     { "22021", EINVAL },     { "54000", EINVAL },
		{ "40P01", EBUSY },      { "40001", EBUSY },      { "55P03", EBUSY },
		{ "57014", ECANCELED },  { "57P01", ECONNRESET }, { "57P03", ECONNRESET },
		{ "08006", ECONNRESET }, { "25006", EROFS },      { "25001", EIO },
		{ "42501", EACCES },     { "42601", EIO },        { "XX000", EIO },
		{ "2BP01", ENOTEMPTY },  { "2B000", EIO },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		ck_assert_msg(pm_sqlstate_errno(known[i].state) == known[i].error, "%s",
			      known[i].state);
	ck_assert_int_eq(pm_sqlstate_errno(NULL), EIO);
}
END_TEST

START_TEST(parked_rows_come_back_in_order)
{
	static char big[3000];
	struct pm_rowspill k = { 0 };
	struct pm_rowspill_cell cell[3];
	struct pm_err e;
	char number[16];

	ck_assert_int_eq(pm_rowspill_next(&k, cell, 3, &e), 0);
	memset(big, 'x', sizeof big);
	/* The first are kept in memory, most in the file. */
	for (int i = 0; i < 2000; i++) {
		cell[0] = (struct pm_rowspill_cell){ number, (size_t)snprintf(number, sizeof number,
									      "%d", i) };
		cell[1] = (struct pm_rowspill_cell){ i % 3 ? big : NULL,
						     (size_t)(i % 3 && i % 7 ? i : 0) };
		cell[2] = (struct pm_rowspill_cell){ "", 0 };
		ck_assert_int_eq(pm_rowspill_add(&k, cell, 3, &e), 0);
	}
	ck_assert_uint_le(k.cap, 2 << 20);
	ck_assert_ptr_nonnull(k.rest);
	for (int i = 0; i < 2000; i++) {
		ck_assert_int_eq(pm_rowspill_next(&k, cell, 3, &e), 1);
		ck_assert_int_eq(atol(cell[0].p), i);
		if (i % 3) {
			ck_assert_uint_eq(cell[1].n, (size_t)(i % 7 ? i : 0));
			ck_assert_uint_eq(strlen(cell[1].p), cell[1].n);
		} else {
			ck_assert_ptr_null(cell[1].p);
		}
		ck_assert_str_eq(cell[2].p, "");
	}
	ck_assert_int_eq(pm_rowspill_next(&k, cell, 3, &e), 0);
	ck_assert_int_eq(pm_rowspill_next(&k, cell, 3, &e), 0);
	pm_rowspill_free(&k);
	ck_assert_int_eq(pm_rowspill_next(&k, cell, 3, &e), 0);
}
END_TEST

START_TEST(parameters_are_texts)
{
	struct pm_pgparam p;

	ck_assert_int_eq(pm_pgparam_init(&p, 4), 0);
	pm_pgparam_int(&p, 1, INT64_MIN);
	pm_pgparam_real(&p, 2, 0.1 + 0.2); /* all of its digits count */
	pm_pgparam_text(&p, 3, "a\0b", 3);
	pm_pgparam_blob(&p, 4, "\x00\xfe", 2);
	ck_assert_str_eq(p.value[0], "-9223372036854775808");
	ck_assert(strtod(p.value[1], NULL) == 0.1 + 0.2);
	ck_assert_str_eq(p.value[2], "a\\x00b");
	ck_assert_str_eq(p.value[3], "\\x00fe");
	pm_pgparam_real(&p, 2, NAN);
	ck_assert_ptr_null(p.value[1]);
	ck_assert_int_eq(p.bad, 0);
	pm_pgparam_int(&p, 5, 1);
	ck_assert_int_eq(p.bad, EINVAL);
	pm_pgparam_clear(&p);
	ck_assert_int_eq(p.bad, 0);
	for (int i = 0; i < 4; i++)
		ck_assert_ptr_null(p.value[i]);
	pm_pgparam_free(&p);
}
END_TEST

static int take_none(void *ctx, struct pm_rowbatch *b, struct pm_err *e)
{
	(void)ctx, (void)b, (void)e;
	return 0;
}

/* Of every number of rows up to several merges: by key, as SQLite has it, and equal ones as they
 * came. */
START_TEST(rows_of_a_batch_are_sorted_by_their_key)
{
	struct pm_err e;
	struct pm_rowfeed *f = pm_rowfeed_new(take_none, NULL);

	for (size_t n = 0; n < 150; n++) {
		struct pm_rowbatch *b = pm_rowfeed_get(f, 4, &e);
		unsigned seed = (unsigned)n;

		b->keys = 3;
		for (size_t i = 0; i < n; i++) {
			char name[8];

			seed = seed * 1103515245 + 12345;
			snprintf(name, sizeof name, "%u", (seed >> 16) % 3 * 8);
			pm_rowbatch_int(b, 0, -1);
			pm_rowbatch_int(b, 1, (int64_t)((seed >> 20) % 20) - 10);
			ck_assert_int_eq(pm_rowbatch_set(b, 2, PM_DB_TEXT, name, strlen(name)), 0);
			pm_rowbatch_int(b, 3, -(int64_t)i);
			ck_assert(!pm_rowbatch_add(b));
		}
		pm_rowbatch_sort(b);
		for (size_t i = 1; i < n; i++) {
			uint32_t x = b->order[i - 1], y = b->order[i];
			int64_t p = b->cell[4 * x + 1].i, q = b->cell[4 * y + 1].i;
			struct pm_rowcell t = b->cell[4 * x + 2], u = b->cell[4 * y + 2];
			int order = memcmp(b->text + t.at, b->text + u.at, t.n < u.n ? t.n : u.n);

			order = order ? order : (t.n > u.n) - (t.n < u.n);
			ck_assert(p < q || (p == q && (order < 0 || (order == 0 && x < y))));
		}
		pm_rowfeed_return(f, b);
	}
	pm_rowfeed_free(f);
}
END_TEST

/* Fails at the batch whose number is in *ctx. */
static int take_until(void *ctx, struct pm_rowbatch *b, struct pm_err *e)
{
	if (b->cell[0].i < *(int *)ctx)
		return 0;
	errno = ENOSPC;
	return pm_err(e, "no room for %d", (int)b->cell[0].i);
}

START_TEST(a_failure_of_the_feed_is_told_until_it_is_dropped)
{
	int at = 2, rc = 0;
	struct pm_rowfeed *f = pm_rowfeed_new(take_until, &at);
	struct pm_err e;

	for (int i = 0; i < 9; i++) {
		struct pm_rowbatch *b = pm_rowfeed_get(f, 1, &e);

		pm_rowbatch_int(b, 0, i);
		pm_rowbatch_add(b);
		rc = pm_rowfeed_give(f, b, &e);
		ck_assert(rc == 0 || i >= at);
	}
	for (int i = 0; i < 2; i++) {
		e.text[0] = '\0';
		errno = 0;
		ck_assert_int_eq(pm_rowfeed_wait(f, &e), -1);
		ck_assert_int_eq(errno, ENOSPC);
		ck_assert_str_eq(e.text, "no room for 2");
	}
	pm_rowfeed_drop(f);
	ck_assert_int_eq(pm_rowfeed_wait(f, &e), 0);
	pm_rowfeed_free(f);
}
END_TEST

/* A table with columns of three types, the first three its key. */
static const struct pm_schema_column sample_columns[] = {
	{ "job_id", PM_SCHEMA_INTEGER, true, "", "", "" },
	{ "series_id", PM_SCHEMA_INTEGER, true, "", "", "" },
	{ "time_us", PM_SCHEMA_INTEGER, true, "", "", "" },
	{ "value", PM_SCHEMA_REAL, false, "", "", "" },
	{ "reason", PM_SCHEMA_TEXT, false, "", "", "" },
};
static const struct pm_schema_table sample = {
	.name = "sample",
	.column = sample_columns,
	.columns = 5,
	.keys = "PRIMARY KEY (job_id, series_id, time_us)",
	.narrow = true,
	.bulk = true,
	.kept_with = PM_SCHEMA_PROCESSES,
	.help = "",
};

/* Numbers at the beginning of a row, of a text and without: as its table has them. */
static void add_sample(struct pm_copyrow *c, int64_t series, int64_t time, const char *text)
{
	const int64_t v[] = { 1, series, time };
	struct pm_err e;

	for (int i = 0; i < 3; i++)
		pm_copyrow_set(c, i + 1,
			       (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = v[i] });
	pm_copyrow_set(c, 5,
		       (struct pm_copyrow_value){ text, PM_SCHEMA_TEXT, .p = text,
						  .n = text ? strlen(text) : 0 });
	ck_assert_int_eq(pm_copyrow_add(c, &e), 0);
}

START_TEST(rows_for_copy_are_sorted_by_the_numbers_of_their_key)
{
	const struct pm_schema_table *t = &sample;
	struct pm_copyrow_order o = { 0 };
	enum { KEY = 38, MANY = 3000 };
	struct pm_copyrow c;
	unsigned seed = 1;
	size_t all = 0;

	ck_assert_int_eq(pm_copyrow_init(&c, t), 0);
	for (int i = 0; i < MANY; i++)
		add_sample(&c, i / 7, i, i % 2 ? "x" : NULL);
	ck_assert_int_eq(pm_copyrow_sort(&o, t, c.data, c.len), 0);
	ck_assert(o.sorted);
	ck_assert_uint_eq(o.rows, MANY);
	ck_assert_int_eq(pm_copyrow_sort(&o, t, c.data, 0), 0);
	ck_assert_uint_eq(o.rows, 0);
	c.len = 0;
	for (int i = 0; i < MANY; i++) {
		seed = seed * 1103515245 + 12345;
		add_sample(&c, (seed >> 16) % 300, (seed >> 20) % 3, i % 2 ? "x" : NULL);
	}
	ck_assert_int_eq(pm_copyrow_sort(&o, t, c.data, c.len), 0);
	ck_assert(!o.sorted);
	ck_assert_uint_eq(o.rows, MANY);
	for (size_t i = 0; i < o.rows; i++) {
		int order = i ? memcmp(c.data + o.at[i - 1], c.data + o.at[i], KEY) : -1;

		ck_assert(order < 0 || (order == 0 && o.at[i - 1] < o.at[i]));
		all += pm_copyrow_length(t, c.data + o.at[i]);
	}
	ck_assert_uint_eq(all, c.len);
	/* Rows whose key is not there, 22 bytes each, have none. */
	c.len = 0;
	for (int i = 0; i < 3; i++) {
		struct pm_err e;

		ck_assert_int_eq(pm_copyrow_add(&c, &e), 0);
	}
	ck_assert_int_eq(pm_copyrow_sort(&o, t, c.data + c.len - 22, 22), 0);
	ck_assert(o.sorted);
	free(o.at);
	pm_copyrow_free(&c);
}
END_TEST

START_TEST(a_row_for_copy_is_as_the_manual_has_it)
{
	static const unsigned char want[] = {
		0,    5,    0, 0, 0,    8,    0,    0,    0,    0,    0,    0,    0, 1,
		0,    0,    0, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0, 0,
		0,    8,    0, 0, 0,    0,    0,    0,    0,    3,    0,    0,    0, 8,
		0x3f, 0xe0, 0, 0, 0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff,
	};
	struct pm_copyrow c;
	struct pm_err e;

	/* job_id, series_id, time_us, value, reason */
	ck_assert_int_eq(pm_copyrow_init(&c, &sample), 0);
	pm_copyrow_set(&c, 1, (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = 1 });
	pm_copyrow_set(&c, 2, (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = -2 });
	pm_copyrow_set(&c, 3, (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = 3 });
	pm_copyrow_set(&c, 4, (struct pm_copyrow_value){ true, PM_SCHEMA_REAL, .r = 0.5 });
	ck_assert_int_eq(pm_copyrow_add(&c, &e), 0);
	ck_assert_uint_eq(c.len, sizeof want);
	ck_assert_mem_eq(c.data, want, sizeof want);
	/* A number for a text, and what fits nothing: the row is left out, the next one is whole.
	 */
	pm_copyrow_set(&c, 1, (struct pm_copyrow_value){ true, PM_SCHEMA_TEXT, .p = "x", .n = 1 });
	errno = 0;
	ck_assert_int_eq(pm_copyrow_add(&c, &e), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(c.len, sizeof want);
	pm_copyrow_set(&c, 6, (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = 1 });
	ck_assert_int_eq(pm_copyrow_add(&c, &e), -1);
	pm_copyrow_set(&c, 5, (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = 42 });
	ck_assert_int_eq(pm_copyrow_add(&c, &e), 0);
	ck_assert_uint_eq(c.len, sizeof want + 2 + 4 * 4 + 4 + 2);
	ck_assert_mem_eq(c.data + c.len - 6, "\0\0\0\00242", 6);
	/* As SQLite has it: 15 digits of a real for a text, a whole number for a real; no text. */
	pm_copyrow_set(&c, 4, (struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = 1 });
	pm_copyrow_set(&c, 5, (struct pm_copyrow_value){ true, PM_SCHEMA_REAL, .r = 1234567.25 });
	ck_assert_int_eq(pm_copyrow_add(&c, &e), 0);
	ck_assert_mem_eq(c.data + c.len - 26, "\0\0\0\010\x3f\xf0\0\0\0\0\0\0\0\0\0\0121234567.25",
			 26);
	pm_copyrow_set(&c, 4, (struct pm_copyrow_value){ true, PM_SCHEMA_TEXT, .p = "1", .n = 1 });
	ck_assert_int_eq(pm_copyrow_add(&c, &e), -1);
	pm_copyrow_free(&c);
}
END_TEST

/* The first room is 64 KiB. */
START_TEST(a_row_for_copy_has_room_for_long_texts)
{
	static char text[1 << 20];
	struct pm_copyrow c;
	struct pm_err e;

	memset(text, 'x', sizeof text);
	ck_assert_int_eq(pm_copyrow_init(&c, &sample), 0);
	for (size_t n = sizeof text / 64; n <= sizeof text; n *= 4) {
		size_t before = c.len;

		for (int i = 1; i <= 3; i++)
			pm_copyrow_set(
				&c, i,
				(struct pm_copyrow_value){ true, PM_SCHEMA_INTEGER, .i = i });
		pm_copyrow_set(
			&c, 5,
			(struct pm_copyrow_value){ true, PM_SCHEMA_TEXT, .p = text, .n = n });
		ck_assert_int_eq(pm_copyrow_add(&c, &e), 0);
		ck_assert_uint_eq(c.len - before, 2 + 3 * 12 + 4 + 4 + n);
		ck_assert_uint_ge(c.cap, c.len);
		ck_assert_mem_eq(c.data + c.len - n, text, n);
	}
	pm_copyrow_free(&c);
}
END_TEST

/* More than SQLite takes is refused before it is looked at. */
START_TEST(a_text_that_is_too_long_is_no_row)
{
	struct pm_stmt *rows;
	struct pm_db *db;
	struct pm_err e;

	ck_assert_int_eq(pm_db_open(&db, ":memory:", PM_DB_MEMORY, &e), 0);
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_int_eq(pm_db_insert(db, "tag_set", false, &rows, &e), 0);
	pm_db_bind_int(rows, 1, 1);
	pm_db_bind_int(rows, 2, 0);
	pm_db_bind_text(rows, 3, "n", 1);
	pm_db_bind_text(rows, 4, "v", (size_t)INT32_MAX + 1);
	ck_assert_int_eq(pm_db_run(rows, &e), -1);
	ck_assert_int_eq(pm_db_failure(db), EINVAL);
	pm_db_finish(rows);
	pm_db_close(db);
}
END_TEST

static int keep_none(void *ctx, struct pm_rowbatch *b, struct pm_err *e)
{
	size_t *rows = ctx;

	(void)e;
	*rows += b->rows;
	return 0;
}

/* By its cells or by its texts; a row that is begun anew has nothing of the one before. */
START_TEST(a_batch_is_full)
{
	static char text[16 << 10];
	size_t rows = 0, n = 0;
	struct pm_err e;
	struct pm_rowfeed *f = pm_rowfeed_new(keep_none, &rows);
	struct pm_rowbatch *b = pm_rowfeed_get(f, 3, &e);

	do {
		pm_rowbatch_int(b, 0, (int64_t)n);
		pm_rowbatch_real(b, 1, 0.5);
	} while (!pm_rowbatch_add(b) && ++n < 1000000);
	ck_assert_uint_eq(b->rows, n + 1);
	/* There is room for as many and not for one more. */
	ck_assert_uint_le(3 * b->rows, b->cells);
	ck_assert_uint_gt(3 * (b->rows + 1), b->cells);
	for (size_t i = 0; i < b->rows; i++) {
		PM_SURE(b->cell[3 * i].i == (int64_t)i && b->cell[3 * i + 1].d == 0.5);
		PM_SURE(b->cell[3 * i].type == PM_DB_INTEGER &&
			b->cell[3 * i + 1].type == PM_DB_REAL);
		PM_SURE(b->cell[3 * i + 2].type == PM_DB_NULL);
	}
	ck_assert_int_eq(pm_rowfeed_give(f, b, &e), 0);
	ck_assert_int_eq(pm_rowfeed_wait(f, &e), 0);
	b = pm_rowfeed_get(f, 3, &e);
	for (n = 0; n < 4; n++) {
		ck_assert_int_eq(b->cell[3 * n].type + b->cell[3 * n + 1].type, PM_DB_NULL);
		ck_assert_int_eq(
			pm_rowbatch_set(b, 2, n % 2 ? PM_DB_TEXT : PM_DB_BLOB, text, sizeof text),
			0);
		ck_assert_int_eq(b->cell[3 * n + 2].type, n % 2 ? PM_DB_TEXT : PM_DB_BLOB);
		ck_assert_uint_eq(b->cell[3 * n + 2].at, n * sizeof text);
		ck_assert_uint_eq(b->cell[3 * n + 2].n, sizeof text);
		ck_assert_int_eq(pm_rowbatch_add(b), n == 3);
	}
	errno = 0;
	ck_assert_int_eq(pm_rowbatch_set(b, 2, PM_DB_TEXT, text, (size_t)INT32_MAX + 1), -1);
	ck_assert_int_eq(errno, EINVAL);
	pm_rowfeed_return(f, b);
	pm_rowfeed_free(f);
}
END_TEST

/* Once so much CPU time is used, and never without a limit. */
START_TEST(rows_until_it_takes_too_long)
{
	struct pm_stmt *q;
	struct pm_db *db;
	struct pm_err e;
	int rc = 0, rows = 0;

	ck_assert_int_eq(pm_db_open(&db, "", PM_DB_MEMORY, &e), 0);
	ck_assert_int_eq(pm_db_exec(db, "CREATE TABLE mine (a)", &e), 0);
	ck_assert_int_eq(pm_db_prepare(db, "INSERT INTO mine VALUES (?)", &q, &e), 0);
	pm_db_until(db, 1);
	while (rc == 0 && rows < 1000) {
		pm_db_bind_int(q, 1, rows);
		rc = pm_db_run(q, &e);
		rows += rc == 0;
	}
	ck_assert_int_eq(rc, -1);
	ck_assert_int_eq(pm_db_failure(db), ETIME);
	ck_assert_int_eq(pm_db_failure(db), 0);
	for (int i = 0; i < 2; i++) {
		pm_db_until(db, i ? INT64_MAX : (int64_t)3600 * 1000000);
		for (int k = 0; k < 600; k++)
			ck_assert_int_eq(pm_db_run(q, &e), 0);
	}
	pm_db_finish(q);
	pm_db_close(db);
}
END_TEST

/* A variable that is no absolute path is as good as none. */
START_TEST(the_default_has_the_home_of_whoever_has_none)
{
	static const char *const home[] = { "", "relative", NULL };
	struct passwd *pw = getpwuid(getuid());
	char want[4096];
	struct pm_err e;

	ck_assert(pw && pw->pw_dir[0] == '/');
	snprintf(want, sizeof want, "%s/.local/share/perfmon/perfmon.db", pw->pw_dir);
	unsetenv("XDG_DATA_HOME");
	for (size_t i = 0; i < sizeof home / sizeof home[0]; i++) {
		char *path;

		if (home[i])
			setenv("HOME", home[i], 1);
		else
			unsetenv("HOME");
		path = pm_db_path(i ? NULL : "", &e);
		ck_assert_str_eq(path, want);
		free(path);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("db_parts");
	TCase *t = tcase_create("parts");

	tcase_add_test(t, parameters_are_numbered_outside_of_quotes);
	tcase_add_test(t, text_becomes_utf8_without_nul);
	tcase_add_test(t, failures_have_an_errno);
	tcase_add_test(t, parked_rows_come_back_in_order);
	tcase_add_test(t, parameters_are_texts);
	tcase_add_test(t, rows_of_a_batch_are_sorted_by_their_key);
	tcase_add_test(t, a_failure_of_the_feed_is_told_until_it_is_dropped);
	tcase_add_test(t, rows_for_copy_are_sorted_by_the_numbers_of_their_key);
	tcase_add_test(t, a_row_for_copy_is_as_the_manual_has_it);
	tcase_add_test(t, a_row_for_copy_has_room_for_long_texts);
	tcase_add_test(t, a_text_that_is_too_long_is_no_row);
	tcase_add_test(t, a_batch_is_full);
	tcase_add_test(t, rows_until_it_takes_too_long);
	tcase_add_test(t, the_default_has_the_home_of_whoever_has_none);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
