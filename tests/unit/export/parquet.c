/* Parquet files, read back by another reader than those who use them: every value, every rule. */
#include "config.h"

#include "export/parquet/readfooter.h"
#include "tests/unit/common/random.h"
#include "tests/unit/export/table.h"
#include "tests/unit/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_bytes(const struct reader_node *node, const char *text)
{
	ck_assert_ptr_nonnull(node);
	ck_assert_uint_eq(node->n, strlen(text));
	ck_assert_mem_eq(node->p, text, node->n);
}

START_TEST(values)
{
	static const int64_t numbers[] = { 0, -1, 1, INT64_MIN, INT64_MAX, INT64_MIN, 0 };
	static const double reals[] = { 0.0, -0.0, INFINITY, -INFINITY, NAN, 5e-324, 1.5 };
	const struct reader_node *notes;
	struct table t;

	table_begin(&t,
		    COLUMNS({ "n", INT }, { "no number", INT }, { "r", REAL }, { "r2", REAL },
			    { "t\xff", TEXT }, { "b", TEXT }, { "nothing", TEXT }),
		    7);
	pm_parquet_note(t.p, "a key", "its value");
	pm_parquet_note(t.p, "another", "\xff");
	for (size_t i = 0; i < 7; i++) {
		table_give_int(&t, 0, numbers[i]);
		if (i != 3)
			table_give_real(&t, 2, reals[i]);
		if (i < 2)
			table_give_real(&t, 3, reals[i]);
		if (i % 2)
			table_give_text(&t, 4, i == 1 ? "" : "\xc3\xa9t\xc3\xa9");
		table_give(&t, 5, "\0a\n", i % 4);
		table_row(&t);
	}
	pm_parquet_text(t.p, 4, NULL, 0);
	t.want[t.rows * t.columns + 4] = (struct reader_cell){ .known = true };
	table_row(&t);
	/* A row of NULLs. */
	table_row(&t);
	table_check(&t);
	ck_assert_uint_eq(t.r->groups, 1);
	check_bytes(reader_field(t.r->footer, 6), "perfmon version " PACKAGE_VERSION " (build )");
	notes = reader_field(t.r->footer, 5);
	ck_assert_uint_eq(notes->children, 2);
	check_bytes(reader_field(notes->child, 1), "a key");
	check_bytes(reader_field(notes->child, 2), "its value");
	check_bytes(reader_field(notes->last, 1), "another");
	check_bytes(reader_field(notes->last, 2), "\xef\xbf\xbd");
	ck_assert_uint_eq(t.r->column[4].name_length, 4);
	ck_assert_mem_eq(t.r->column[4].name, "t\xef\xbf\xbd", 4);
#if defined(HAVE_ZSTD)
	ck_assert_int_eq(t.r->codec, 6);
#elif defined(HAVE_ZLIB)
	ck_assert_int_eq(t.r->codec, 2);
#else
	ck_assert_int_eq(t.r->codec, 0);
#endif
	table_end(&t);
}
END_TEST

START_TEST(without_rows)
{
	struct table t;

	table_begin(&t, COLUMNS({ "n", INT }, { "t", TEXT }), 2);
	table_check(&t);
	ck_assert_uint_eq(t.r->groups, 0);
	table_end(&t);
}
END_TEST

/* What readfooter says of a file that is these bytes. */
static int read_back(const char *bytes, size_t n, int64_t *rows, char value[16])
{
	struct pm_err e = { "" };
	const int fd = memfd_create("parquet", MFD_CLOEXEC);
	int rc;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	rc = pm_parquet_readfooter(fd, "key", rows, value, 16, &e);
	ck_assert_int_ge(rc, 0);
	ck_assert(rc == 1 || e.text[0]);
	close(fd);
	return rc;
}

/* The end of a file says how many rows it has, as long as all of it is there. */
START_TEST(read_footers)
{
	static const size_t many[] = { 0, 1, 3, 5000 };
	const size_t rows = many[_i];
	int64_t has;
	char value[16], *bytes;
	struct table t;

	table_begin(&t, COLUMNS({ "n", INT }, { "t", TEXT }), 2);
	pm_parquet_note(t.p, "kez", "not this");
	pm_parquet_note(t.p, "key", "its value");
	pm_parquet_note(t.p, "long", "a value that does not fit into the room for it");
	for (size_t i = 0; i < rows; i++) {
		table_give_int(&t, 0, (int64_t)i);
		table_give_text(&t, 1, i % 2 ? "odd" : "even");
		table_row(&t);
	}
	table_check(&t);
	ck_assert_int_eq(read_back(t.file, t.size, &has, value), 1);
	ck_assert_int_eq(has, (int64_t)rows);
	ck_assert_str_eq(value, "its value");
	for (size_t n = 0; n < t.size; n += n < 64 || n + 600 > t.size ? 1 : 97)
		ck_assert_int_eq(read_back(t.file, n, &has, value), 0);
	/* No damage is taken for another file, unless in what has no rows, such as a name. */
	bytes = malloc(t.size);
	ck_assert_ptr_nonnull(bytes);
	for (size_t at = t.size > 900 ? t.size - 900 : 0; at < t.size; at++)
		for (int bit = 0; bit < 8; bit++) {
			memcpy(bytes, t.file, t.size);
			bytes[at] = (char)(bytes[at] ^ 1 << bit);
			if (read_back(bytes, t.size, &has, value) == 1)
				ck_assert_int_eq(has, (int64_t)rows);
		}
	free(bytes);
	table_end(&t);
}
END_TEST

/* Nor do bytes that say anything do harm. */
START_TEST(read_noise)
{
	uint64_t seed = (uint64_t)_i + 1;
	const size_t n = random_below(&seed, 400);
	char bytes[512] = "PAR1", value[16];
	int64_t has;

	for (size_t i = 0; i < n; i++)
		bytes[4 + i] = (char)random_below(&seed, random_below(&seed, 2) ? 256 : 32);
	for (int i = 0; i < 4; i++)
		bytes[4 + n + (size_t)i] = (char)(n >> 8 * i);
	memcpy(bytes + 8 + n, "PAR1", 4);
	read_back(bytes, n + 12, &has, value);
}
END_TEST

/* The bounds of a column of one text. */
static void check_bounds(enum pm_parquet_type type, const char *text, const char *least,
			 const char *most)
{
	struct reader_node *s;
	struct table t;

	table_begin(&t, COLUMNS({ "t", type }), 1);
	table_give_text(&t, 0, text);
	table_row(&t);
	table_check(&t);
	s = t.r->column[0].statistics;
	check_bytes(reader_field(s, 6), least);
	if (most)
		check_bytes(reader_field(s, 5), most);
	else
		ck_assert_ptr_null(reader_field(s, 5));
	table_end(&t);
}

#define A10 "aaaaaaaaaa"
#define A60 A10 A10 A10 A10 A10 A10
#define L4  "\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf\xf4\x8f\xbf\xbf"

START_TEST(bounds)
{
	check_bounds(TEXT, A60 "abcd", A60 "abcd", A60 "abcd");
	check_bounds(TEXT, A60 "abcde", A60 "abcd", A60 "abce");
	/* Characters are not cut, and the next one is no surrogate. */
	check_bounds(TEXT, A60 "aaa\xc3\xa9", A60 "aaa", A60 "aab");
	check_bounds(TEXT, A60 "a\xed\x9f\xbfz", A60 "a\xed\x9f\xbf", A60 "a\xee\x80\x80");
	check_bounds(TEXT, A60 "aa\xdf\xbfz", A60 "aa\xdf\xbf", A60 "ab");
	check_bounds(TEXT, A60 "aaa\x7fz", A60 "aaa\x7f", A60 "aab");
	check_bounds(TEXT, A60 "a\xe1\x80\xbfz", A60 "a\xe1\x80\xbf", A60 "a\xe1\x81\x80");
	check_bounds(TEXT, A60 "\xf0\x9f\xbf\xbfz", A60 "\xf0\x9f\xbf\xbf", A60 "\xf0\xa0\x80\x80");
	check_bounds(TEXT, A60 "\xf4\x8f\xbf\xbfz", A60 "\xf4\x8f\xbf\xbf",
		     A10 A10 A10 A10 A10 "aaaaaaaaab");
	check_bounds(TEXT, L4 L4 L4 L4 "z", L4 L4 L4 L4, NULL);
}
END_TEST

START_TEST(not_utf8)
{
	static const char *const text[][2] = {
		{ "\xff", "\xef\xbf\xbd" },
		{ "a\x80", "a\xef\xbf\xbd" },
		{ "\xc3", "\xef\xbf\xbd" },
		{ "\xc3\xa9\xc3", "\xc3\xa9\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\xaf end", "\xef\xbf\xbd\xef\xbf\xbd end" },
		{ "a long text with \xf0\x9f\x98\x80 and half of it: \xf0\x9f",
		  "a long text with \xf0\x9f\x98\x80 and half of it: \xef\xbf\xbd\xef\xbf\xbd" },
	};
	struct table t;

	table_begin(&t, COLUMNS({ "t", TEXT }), 1);
	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
		table_give_as(&t, 0, text[i][0], strlen(text[i][0]), text[i][1],
			      strlen(text[i][1]));
		table_row(&t);
	}
	/* NUL is a character. */
	table_give(&t, 0, "a\0b", 3);
	table_row(&t);
	table_check(&t);
	table_end(&t);
}
END_TEST

START_TEST(dictionaries)
{
	enum { ROWS = 100000, FEW = 2000 };
	uint64_t seed = 5;
	struct table t;
	char text[64];

	table_begin(&t,
		    COLUMNS({ "few texts", TEXT }, { "unique", TEXT }, { "at last unique", TEXT },
			    { "few numbers", INT }, { "unique", INT }, { "at last unique", INT },
			    { "one", INT }, { "few reals", REAL }, { "reals", REAL }),
		    9);
	for (size_t i = 0; i < ROWS; i++) {
		size_t few = random_below(&seed, FEW);

		snprintf(text, sizeof text, "text %zu", few);
		table_give_text(&t, 0, text);
		snprintf(text, sizeof text, "a text of its own: %zu", i);
		table_give_text(&t, 1, text);
		snprintf(text, sizeof text, "a text that repeats, or not: %zu",
			 i < 20000 ? few : i);
		table_give_text(&t, 2, text);
		table_give_int(&t, 3, (int64_t)few - 1000);
		table_give_int(&t, 4, (int64_t)random_next(&seed));
		table_give_int(&t, 5, (int64_t)(i < 20000 ? few : i << 20));
		table_give_int(&t, 6, 7);
		table_give_real(&t, 7, (double)few / 2);
		table_give_real(&t, 8, (double)random_next(&seed));
		table_row(&t);
	}
	table_check(&t);
	ck_assert_uint_eq(t.r->groups, 1);
	/* Which columns have pages with a dictionary, and which without. */
	for (size_t i = 0; i < 9; i++) {
		const struct reader_column *c = &t.r->column[i];
		bool with = i != 1 && i != 4 && i != 8, without = i % 3 == 1 || i % 3 == 2;

		if (i >= 6)
			without = i == 8;
		PM_SURE((c->pages[8] > 0) == with && c->dictionaries == with);
		PM_SURE((c->pages[0] + c->pages[5] > 0) == without);
		PM_SURE(c->pages[5] == 0 || c->type == READER_INT64);
	}
	/* As it is, it would take 12 MB. */
	PM_SURE(t.r->codec == 0 || t.size < 4500000);
	table_end(&t);
}
END_TEST

START_TEST(long_texts)
{
	enum { ROWS = 120, LONG = 100000, LONGEST = 12000000 };
	char *text = table_noise(LONGEST);
	uint64_t seed = 3;
	struct table t;

	table_begin(&t,
		    COLUMNS({ "short", TEXT }, { "long", TEXT }, { "n", INT }, { "same", TEXT }),
		    4);
	for (size_t i = 0; i < ROWS; i++) {
		if (i % 3)
			table_give(&t, 0, text + i, i);
		table_give(&t, 1, text + random_below(&seed, LONGEST - LONG), LONG);
		table_give_int(&t, 2, (int64_t)i);
		table_give(&t, 3, text, LONG);
		table_row(&t);
	}
	/* Longer than the memory of a row group. */
	table_give(&t, 1, text, LONGEST);
	table_row(&t);
	table_give_text(&t, 1, "short again");
	table_row(&t);
	table_check(&t);
	PM_SURE(t.r->groups >= 2);
	table_end(&t);
	free(text);
}
END_TEST

/* Row groups whose description is long are kept in a file. */
START_TEST(long_footers)
{
	enum { ROWS = 4, NAME = 300000, LONG = 13000000 };
	char *name = table_noise(NAME), *bytes = table_noise(LONG);
	struct table t;

	name[NAME - 1] = '\0';
	table_begin(&t, COLUMNS({ name, INT }, { "b", TEXT }), 2);
	for (int i = 0; i < ROWS; i++) {
		table_give_int(&t, 0, i);
		table_give(&t, 1, bytes, LONG);
		table_row(&t);
	}
	table_check(&t);
	ck_assert_uint_eq(t.r->groups, ROWS);
	table_end(&t);
	free(name);
	free(bytes);
}
END_TEST

/* More rows than a row group has, though they take no memory. */
START_TEST(many_rows)
{
	enum { ROWS = 1100000 };
	struct table t;

	table_begin(&t, COLUMNS({ "n", INT }), 1);
	for (size_t i = 0; i < ROWS; i++) {
		if (i == 1000 || i == ROWS - 1)
			table_give_int(&t, 0, (int64_t)i);
		table_row(&t);
	}
	table_check(&t);
	ck_assert_uint_eq(t.r->groups, 2);
	PM_SURE(t.size < 2000);
	table_end(&t);
}
END_TEST

/* --- random tables --- */

#define MOST_COLUMNS 12

/* How a column's values are chosen. */
struct kind {
	unsigned percent; /* that are not NULL */
	unsigned values;  /* distinct ones; 0: any */
	unsigned run;     /* rows that are alike */
	size_t longest;   /* text */
};

static void give_random(struct table *t, size_t column, const struct kind *k, uint64_t *seed)
{
	static const char piece[][5] = { "a", "b", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80" };
	uint64_t v = random_next(seed), at = v;
	char text[4096];
	size_t n = 0;
	double real;

	if (random_below(seed, 100) >= k->percent)
		return;
	if (k->values)
		at = v = t->rows / k->run % 3 ? v % k->values : 0;
	switch (t->column[column].type) {
	case INT:
		table_give_int(t, column, (int64_t)v);
		return;
	case REAL:
		memcpy(&real, &v, sizeof real);
		table_give_real(t, column, k->values ? (double)v : real);
		return;
	case TEXT:
		for (size_t pieces = random_next(&at) % k->longest; pieces > 0; pieces--) {
			const char *p = piece[random_next(&at) % 5];

			memcpy(text + n, p, strlen(p));
			n += strlen(p);
		}
		break;
	}
	table_give(t, column, text, n);
}

START_TEST(random_tables)
{
	static const unsigned percent[] = { 0, 1, 50, 90, 99, 100, 100 };
	static const unsigned distinct[] = { 0, 1, 2, 100, 5000, 0 };
	struct pm_parquet_column column[MOST_COLUMNS];
	struct kind kind[MOST_COLUMNS];
	uint64_t seed = (uint64_t)_i + 1;
	size_t n = 1 + random_below(&seed, MOST_COLUMNS);
	size_t rows = random_below(&seed, _i % 8 == 7 ? 20000 : 1500);
	struct table t;

	for (size_t i = 0; i < n; i++) {
		column[i] =
			(struct pm_parquet_column){ "c",
						    (enum pm_parquet_type)random_below(&seed, 3) };
		kind[i].percent = percent[random_below(&seed, 7)];
		kind[i].values = distinct[random_below(&seed, 6)];
		kind[i].run = 1 + (unsigned)random_below(&seed, 50);
		kind[i].longest = 1 + random_below(&seed, random_below(&seed, 2) ? 20 : 1000);
	}
	table_begin(&t, column, n);
	for (size_t i = 0; i < rows; i++) {
		for (size_t k = 0; k < n; k++)
			give_random(&t, k, &kind[k], &seed);
		table_row(&t);
	}
	table_check(&t);
	table_end(&t);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("parquet");
	TCase *c = tcase_create("parquet");

	tcase_add_test(c, values);
	tcase_add_test(c, without_rows);
	tcase_add_test(c, bounds);
	tcase_add_test(c, not_utf8);
	tcase_add_test(c, dictionaries);
	tcase_add_test(c, long_texts);
	tcase_add_test(c, long_footers);
	tcase_add_test(c, many_rows);
	tcase_add_loop_test(c, random_tables, 0, 60);
	tcase_add_loop_test(c, read_footers, 0, 4);
	tcase_add_loop_test(c, read_noise, 0, 200);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
