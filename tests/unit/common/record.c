/* record.c and record_parse.c: lines of every version, written and read. */
#include "config.h"

#include "common/safe/record.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>

static const char *why, *column;

/* A record with about half of its columns set; `text` holds its texts. Usual ones have numbers of
 * usual length alone, which are read another way. */
static void random_record(uint64_t *state, struct pm_record *r, struct pm_buf *text, bool usual)
{
	pm_record_clear(r);
	for (int c = 0; c < PM_COLUMNS; c++) {
		if (random_below(state, 2))
			continue;
		if (pm_column_info[c].text) {
			char raw[20];
			size_t n = random_below(state, sizeof raw), at = text->len;

			random_text(state, raw, n);
			pm_tsv_escape(text, raw, n);
			pm_record_text(r, (enum pm_column)c, text->p + at, text->len - at);
		} else {
			int64_t v = (int64_t)(random_next(state) >> random_below(state, 64));

			if (usual)
				v %= 1000000000000000000;
			else if (random_below(state, 9) == 0)
				v = INT64_MIN;
			pm_record_int(r, (enum pm_column)c, v);
		}
	}
}

static void assert_same(const struct pm_record *a, const struct pm_record *b)
{
	for (int i = 0; i < PM_COLUMNS; i++) {
		enum pm_column c = (enum pm_column)i;

		PM_SURE(pm_record_has(a, c) == pm_record_has(b, c));
		if (!pm_record_has(a, c))
			continue;
		if (pm_column_info[c].text) {
			PM_SURE(a->v[c].s.n == b->v[c].s.n);
			PM_SURE(memcmp(a->v[c].s.p, b->v[c].s.p, a->v[c].s.n) == 0);
		} else {
			PM_SURE(a->v[c].i == b->v[c].i);
		}
	}
}

START_TEST(records_round_trip)
{
	uint64_t state = 4;
	struct pm_map map;

	pm_map_builtin(&map);
	for (int i = 0; i < 5000; i++) {
		char texts[4096], line[16384];
		struct pm_buf text, b;
		struct pm_record r, back;

		pm_buf_init(&text, texts, sizeof texts);
		random_record(&state, &r, &text, i % 2);
		pm_buf_init(&b, line, sizeof line);
		pm_record_format(&r, &b);
		ck_assert(!b.truncated);
		ck_assert_int_eq(line[b.len - 1], '\n');
		ck_assert_ptr_eq(memchr(line, '\n', b.len), line + b.len - 1);
		ck_assert_msg(pm_record_parse(&back, &map, line, b.len - 1, &why, &column) == 0,
			      "%s: %s", column ? column : "", why);
		assert_same(&r, &back);
	}
}
END_TEST

START_TEST(unset_is_unknown)
{
	struct pm_record r;

	pm_record_clear(&r);
	pm_record_int(&r, PM_COL_pid, 0);
	ck_assert(pm_record_has(&r, PM_COL_pid));
	ck_assert_int_eq(pm_record_get(&r, PM_COL_pid, -1), 0);
	pm_record_unset(&r, PM_COL_pid);
	ck_assert(!pm_record_has(&r, PM_COL_pid));
	ck_assert_int_eq(pm_record_get(&r, PM_COL_pid, -1), -1);
}
END_TEST

/* A line that does not fit leaves the buffer as it was. */
START_TEST(lines_are_written_whole_or_not)
{
	char line[1024], mem[1024];
	struct pm_record r;
	struct pm_buf b;
	size_t whole;

	pm_record_clear(&r);
	pm_record_int(&r, PM_COL_pid, 1234);
	pm_buf_init(&b, line, sizeof line);
	pm_record_format(&r, &b);
	whole = b.len;
	for (size_t cap = 0; cap <= whole; cap++) {
		pm_buf_init(&b, mem, cap + 3);
		pm_buf_str(&b, "old");
		pm_record_format(&r, &b);
		ck_assert_uint_eq(b.len, cap < whole ? 3 : whole + 3);
		ck_assert_int_eq(b.truncated, cap < whole);
		ck_assert_mem_eq(mem, "old", 3);
	}
}
END_TEST

/* Cut anywhere, the last field included, a line is refused and never read as another value. */
START_TEST(cut_lines_are_refused)
{
	char line[1024];
	struct pm_record r, back;
	struct pm_map map;
	struct pm_buf b;

	pm_map_builtin(&map);
	pm_record_clear(&r);
	pm_record_int(&r, PM_COL_pid, 1234);
	pm_record_text(&r, PM_COL_version, "0.1.0", 5);
	pm_buf_init(&b, line, sizeof line);
	pm_record_format(&r, &b);
	for (size_t n = 0; n < b.len - 1; n++)
		ck_assert_int_eq(pm_record_parse(&back, &map, line, n, &why, &column), -1);
	ck_assert_int_eq(pm_record_parse(&back, &map, line, b.len - 1, &why, &column), 0);
}
END_TEST

/* Line of the builtin map with one field replaced; returns its length. */
static size_t line_with(char *line, size_t size, int field, const char *text)
{
	size_t n = 0;

	for (int i = 0; i < PM_COLUMNS + 2; i++) {
		const char *s = i == field            ? text
				: i == 0              ? "2"
				: i == PM_COLUMNS + 1 ? "."
						      : "\\N";

		n += (size_t)snprintf(line + n, size - n, "%s%s", i ? "\t" : "", s);
	}
	return n;
}

START_TEST(bad_fields_name_their_column)
{
	static const struct {
		int field;
		const char *text, *column;
	} bad[] = {
		{ 0, "3", NULL },
		{ 0, "", NULL },
		{ 0, "2x", NULL },
		{ PM_COLUMNS + 1, "..", NULL },
		{ PM_COLUMNS + 1, "", NULL },
		{ PM_COL_pid + 1, "", "pid" },
		{ PM_COL_pid + 1, "12x", "pid" },
		{ PM_COL_pid + 1, "9223372036854775808", "pid" },
		{ PM_COL_pid + 1, "1\\N", "pid" },
		{ PM_COL_exename + 1, "a\\", "exename" },
		{ PM_COL_exename + 1, "\xff", "exename" },
		{ PM_COL_exename + 1, "\\+1:0123456789abcdef", "exename" },
		{ PM_COL_args + 1, "\\+1:0123456789abcdef x", "args" },
	};
	static const struct {
		int field;
		const char *text;
	} good[] = {
		{ PM_COL_exename + 1, "" },
		{ PM_COL_args + 1, "" },
		{ PM_COL_args + 1, "x \\+1:0123456789abcdef" },
		{ PM_COL_pid + 1, "-9223372036854775808" },
	};
	struct pm_record r;
	struct pm_map map;
	char line[2048];

	pm_map_builtin(&map);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		size_t n = line_with(line, sizeof line, bad[i].field, bad[i].text);

		ck_assert_msg(pm_record_parse(&r, &map, line, n, &why, &column) < 0, "accepted: %s",
			      bad[i].text);
		ck_assert_str_ne(why, "");
		ck_assert_pstr_eq(column, bad[i].column);
	}
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		size_t n = line_with(line, sizeof line, good[i].field, good[i].text);

		ck_assert_msg(pm_record_parse(&r, &map, line, n, &why, &column) == 0, "refused: %s",
			      good[i].text);
		ck_assert(pm_record_has(&r, (enum pm_column)(good[i].field - 1)));
		ck_assert_ptr_null(column);
	}
}
END_TEST

static struct pm_map map_of(const char *header)
{
	struct pm_map map;

	ck_assert_msg(pm_map_parse(&map, header, strlen(header), &why) == 0, "%s", why);
	return map;
}

START_TEST(own_header_is_the_builtin_map)
{
	struct pm_map built, read;

	pm_map_builtin(&built);
	ck_assert_int_eq(pm_map_parse(&read, pm_column_header, pm_column_header_len - 1, &why), 0);
	ck_assert_int_eq(read.version, built.version);
	ck_assert_int_eq(read.fields, built.fields);
	ck_assert_mem_eq(read.column, built.column, (size_t)built.fields * sizeof built.column[0]);
}
END_TEST

/* Files of older and newer versions: fewer, more and reordered columns. */
START_TEST(columns_are_found_by_name)
{
	static const char line[] = "7\tls\tlater\t42\t.";
	struct pm_map map = map_of("perfmon-tsv-7\texename\tnew_column\tpid\t.");
	struct pm_record r;

	ck_assert_int_eq(map.version, 7);
	ck_assert_int_eq(pm_record_parse(&r, &map, line, strlen(line), &why, &column), 0);
	ck_assert_int_eq(pm_record_get(&r, PM_COL_pid, -1), 42);
	ck_assert_uint_eq(r.v[PM_COL_exename].s.n, 2);
	ck_assert(!pm_record_has(&r, PM_COL_ppid));
	ck_assert_int_eq(pm_record_parse(&r, &map, "1\tls\tx\t42\t.", 11, &why, &column), -1);
	ck_assert_int_eq(pm_record_parse(&r, &map, "7\tls\t42\t.", 9, &why, &column), -1);
}
END_TEST

START_TEST(bad_headers_are_refused)
{
	static const char *const bad[] = {
		"",
		"1\t.",
		"perfmon-tsv-",
		"perfmon-tsv-1",
		"perfmon-tsv-1\t.",
		"perfmon-tsv-1\tpid",
		"perfmon-tsv-1\tpid\t",
		"perfmon-tsv-1\tpid\t..",
		"perfmon-tsv-\tpid\t.",
		"perfmon-tsv-0\tpid\t.",
		"perfmon-tsv--1\tpid\t.",
		"perfmon-tsv-10000\tpid\t.",
		"perfmon-tsv-1x\tpid\t.",
		"perfmon-tsv-1\tpid\tppid\tpid\t.",
		"perfmon-tsv-1\tpid\tpqid\t.",
	};
	struct pm_map map, before;
	char many[sizeof map.column + 64];
	struct pm_buf b;

	pm_map_builtin(&before);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		pm_map_builtin(&map);
		ck_assert_msg(pm_map_parse(&map, bad[i], strlen(bad[i]), &why) < 0, "accepted: %s",
			      bad[i]);
		ck_assert_mem_eq(map.column, before.column,
				 (size_t)before.fields * sizeof before.column[0]);
	}
	/* The most columns there is room for, one more, and a header cut at every byte. */
	pm_buf_init(&b, many, sizeof many);
	pm_buf_str(&b, "perfmon-tsv-7");
	for (size_t i = 0; i < sizeof map.column / sizeof map.column[0] - 2; i++)
		pm_buf_str(&b, "\tx");
	pm_buf_str(&b, "\t.");
	ck_assert_int_eq(pm_map_parse(&map, many, b.len, &why), 0);
	ck_assert_uint_eq((size_t)map.fields, sizeof map.column / sizeof map.column[0]);
	b.len--;
	pm_buf_str(&b, "x\t.");
	ck_assert(!b.truncated);
	ck_assert_int_eq(pm_map_parse(&map, many, b.len, &why), -1);
	for (size_t n = 0; n < pm_column_header_len - 1; n++)
		ck_assert_int_eq(pm_map_parse(&map, pm_column_header, n, &why), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("record");
	TCase *t = tcase_create("record");

	tcase_set_timeout(t, 0);
	tcase_add_test(t, records_round_trip);
	tcase_add_test(t, unset_is_unknown);
	tcase_add_test(t, lines_are_written_whole_or_not);
	tcase_add_test(t, cut_lines_are_refused);
	tcase_add_test(t, bad_fields_name_their_column);
	tcase_add_test(t, own_header_is_the_builtin_map);
	tcase_add_test(t, columns_are_found_by_name);
	tcase_add_test(t, bad_headers_are_refused);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
