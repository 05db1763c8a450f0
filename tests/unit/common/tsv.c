/* tsv.c: every byte string survives the way into a field and back. */
#include "config.h"

#include "common/safe/tsv.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <string.h>

#define MAX 300

/* Escape as a field and decode again, as every writer and reader does. */
static void round_trip(const char *s, size_t n)
{
	char field[4 * MAX], back[4 * MAX];
	struct pm_buf b;

	pm_buf_init(&b, field, sizeof field);
	PM_SURE(pm_tsv_escape(&b, s, n) == n);
	PM_SURE(!b.truncated);
	for (size_t i = 0; i < b.len; i++)
		PM_SURE((unsigned char)field[i] >= ' ' && field[i] != 0x7f);
	PM_SURE(pm_tsv_valid(field, b.len));
	PM_SURE(!pm_tsv_is_null(field, b.len));
	PM_SURE(pm_tsv_unescape(back, field, b.len) == (long)n);
	PM_SURE(n == 0 || memcmp(back, s, n) == 0);
	/* In place. */
	PM_SURE(pm_tsv_unescape(field, field, b.len) == (long)n);
	PM_SURE(n == 0 || memcmp(field, s, n) == 0);
}

START_TEST(every_short_string_round_trips)
{
	char s[2];

	round_trip("", 0);
	for (int i = 0; i < 256; i++) {
		s[0] = (char)i;
		round_trip(s, 1);
		for (int k = 0; k < 256; k++) {
			s[1] = (char)k;
			round_trip(s, 2);
		}
	}
}
END_TEST

START_TEST(random_strings_round_trip)
{
	uint64_t state = 1;

	for (int i = 0; i < 20000; i++) {
		char s[MAX];
		size_t n = random_below(&state, MAX);

		random_text(&state, s, n);
		round_trip(s, n);
	}
}
END_TEST

START_TEST(lists_round_trip)
{
	uint64_t state = 2;

	for (int i = 0; i < 20000; i++) {
		char text[8][16], mem[8 * 4 * 16 + 8], back[64];
		size_t len[8], items = random_below(&state, 8), k = 0;
		struct pm_str list, item;
		struct pm_buf b;

		pm_buf_init(&b, mem, sizeof mem);
		for (size_t j = 0; j < items; j++) {
			len[j] = random_below(&state, 3) ? random_below(&state, 16) : 0;
			random_text(&state, text[j], len[j]);
			PM_SURE(pm_tsv_escape_item(&b, text[j], len[j], j == 0) == len[j]);
		}
		PM_SURE(!b.truncated);
		PM_SURE(pm_tsv_valid_list(mem, b.len));
		list = (struct pm_str){ mem, b.len };
		for (; pm_tsv_next_item(&list, &item); k++) {
			PM_SURE(k < items);
			PM_SURE(!pm_tsv_is_cut(item.p, item.n));
			PM_SURE(pm_tsv_unescape(back, item.p, item.n) == (long)len[k]);
			PM_SURE(len[k] == 0 || memcmp(back, text[k], len[k]) == 0);
		}
		PM_SURE(k == items);
	}
}
END_TEST

/* What the format page promises, byte for byte. */
START_TEST(escapes_are_those_of_the_format)
{
	static const struct {
		const char *raw;
		size_t n;
		const char *field;
	} t[] = {
		{ "plain text.", 11, "plain text." },
		{ "a\tb\nc\rd\\e", 9, "a\\tb\\nc\\rd\\\\e" },
		{ "\0\x01\x1f\x7f", 4, "\\x00\\x01\\x1f\\x7f" },
		{ "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 12,
		  "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "\xff\xc0\xaf", 3, "\\xff\\xc0\\xaf" },
		{ "\xed\xa0\x80", 3, "\\xed\\xa0\\x80" },          /* surrogate */
		{ "\xe0\x80\xaf", 3, "\\xe0\\x80\\xaf" },          /* overlong */
		{ "\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
		{ "\xe2\x82", 2, "\\xe2\\x82" },                   /* cut */
		{ "\\N", 2, "\\\\N" },
	};

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		char mem[64];
		struct pm_buf b;

		pm_buf_init(&b, mem, sizeof mem - 1);
		ck_assert_uint_eq(pm_tsv_escape(&b, t[i].raw, t[i].n), t[i].n);
		mem[b.len] = '\0';
		ck_assert_str_eq(mem, t[i].field);
	}
}
END_TEST

START_TEST(bad_fields_are_refused)
{
	static const char *const bad[] = {
		"\\",    "a\\",   "\\q",  "\\x",    "\\x1",         "\\xg1",
		"\\x1G", "\\xFF", "\\N",  "\\n\\N", "a\tb",         "a\nb",
		"\x01",  "\x7f",  "\xff", "\xc3",   "\xed\xa0\x80", "\\+1:0123456789abcdef",
	};
	char dst[64];

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		ck_assert_msg(!pm_tsv_valid(bad[i], strlen(bad[i])), "accepted: %s", bad[i]);
		ck_assert_int_eq(pm_tsv_unescape(dst, bad[i], strlen(bad[i])), -1);
	}
	ck_assert(!pm_tsv_valid("a\0b", 3));
}
END_TEST

/* A full buffer never holds half a character or half an escape. */
START_TEST(truncation_keeps_whole_characters)
{
	static const char s[] = "a\xe2\x82\xac\\\xff\tz";
	const size_t n = sizeof s - 1;

	for (size_t cap = 0; cap < 24; cap++) {
		char mem[24], back[24];
		struct pm_buf b;
		size_t took;

		pm_buf_init(&b, mem, cap);
		took = pm_tsv_escape(&b, s, n);
		ck_assert_int_eq(b.truncated, took < n);
		ck_assert(pm_tsv_valid(mem, b.len));
		ck_assert_int_eq(pm_tsv_unescape(back, mem, b.len), (long)took);
		ck_assert_mem_eq(back, s, took);
	}
}
END_TEST

START_TEST(cut_marker)
{
	static const char *const good[] = { "\\+0:0123456789abcdef", "a \\+12:0123456789abcdef",
					    "a \\e \\+9223372036854775807:ffffffffffffffff" };
	static const char *const bad[] = {
		"\\+",
		"\\+1",
		"\\+1:",
		"\\+:0123456789abcdef",
		"\\+1:0123456789abcde",
		"\\+1:0123456789abcdefa",
		"\\+1:0123456789ABCDEF",
		"\\+-1:0123456789abcdef",
		"\\+9223372036854775808:0123456789abcdef",
		"\\+1:0123456789abcdef a",
		"\\+1:0123456789abcdef ",
		"a\\+1:0123456789abcdef",
		"\\+1:0123456789abcdef \\+1:0123456789abcdef",
	};
	char mem[64];
	struct pm_buf b;

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ck_assert_msg(pm_tsv_valid_list(good[i], strlen(good[i])), "refused: %s", good[i]);
		ck_assert(!pm_tsv_valid(good[i], strlen(good[i])));
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(!pm_tsv_valid_list(bad[i], strlen(bad[i])), "accepted: %s", bad[i]);

	pm_buf_init(&b, mem, sizeof mem);
	pm_tsv_cut_item(&b, 100001, 0xcbf29ce484222325u, 1);
	ck_assert_uint_eq(b.len, 25);
	ck_assert_mem_eq(mem, "\\+100001:cbf29ce484222325", 25);
	ck_assert(pm_tsv_is_cut(mem, b.len));
	pm_tsv_cut_item(&b, 0, 0, 0);
	ck_assert(!pm_tsv_is_cut(mem, b.len));
}
END_TEST

START_TEST(split_counts_every_field)
{
	struct pm_str f[3];

	ck_assert_uint_eq(pm_tsv_split("", 0, f, 3), 1);
	ck_assert_uint_eq(f[0].n, 0);
	ck_assert_uint_eq(pm_tsv_split("a\t\tbc", 5, f, 3), 3);
	ck_assert_mem_eq(f[0].p, "a", 1);
	ck_assert_uint_eq(f[1].n, 0);
	ck_assert_uint_eq(f[2].n, 2);
	ck_assert_mem_eq(f[2].p, "bc", 2);
	ck_assert_uint_eq(pm_tsv_split("1\t2\t3\t4\t", 8, f, 3), 5);
	ck_assert_mem_eq(f[2].p, "3", 1);
}
END_TEST

START_TEST(numbers)
{
	static const struct {
		const char *text;
		int64_t value;
	} good[] = {
		{ "0", 0 },
		{ "-0", 0 },
		{ "7", 7 },
		{ "007", 7 },
		{ "-1", -1 },
		{ "9223372036854775807", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
	};
	static const char *const bad[] = {
		"",
		"-",
		"+1",
		" 1",
		"1 ",
		"1.0",
		"1e3",
		"0x1",
		"--1",
		"a",
		"\\N",
		"9223372036854775808",
		"-9223372036854775809",
		"18446744073709551616",
		"99999999999999999999999",
	};
	int64_t v;

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		ck_assert_int_eq(pm_tsv_number(good[i].text, strlen(good[i].text), &v), 0);
		ck_assert_int_eq(v, good[i].value);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(pm_tsv_number(bad[i], strlen(bad[i]), &v) < 0, "accepted: '%s'",
			      bad[i]);
	ck_assert_int_eq(pm_tsv_number("12", 1, &v), 0);
	ck_assert_int_eq(v, 1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("tsv");
	TCase *t = tcase_create("tsv");

	tcase_set_timeout(t, 0);
	tcase_add_test(t, every_short_string_round_trips);
	tcase_add_test(t, random_strings_round_trip);
	tcase_add_test(t, lists_round_trip);
	tcase_add_test(t, escapes_are_those_of_the_format);
	tcase_add_test(t, bad_fields_are_refused);
	tcase_add_test(t, truncation_keeps_whole_characters);
	tcase_add_test(t, cut_marker);
	tcase_add_test(t, split_counts_every_field);
	tcase_add_test(t, numbers);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
