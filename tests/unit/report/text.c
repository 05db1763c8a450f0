/* common/text.c, report/print/page.c, table.c: hostile text made safe, measured, cut and laid out.
 */
#include "config.h"

#include "common/text.h"
#include "report/print/page.h"
#include "report/print/table.h"

#include "common/terminal.h"
#include "tests/unit/main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *safe(const char *s, size_t n, bool utf8)
{
	static char text[4096];

	pm_text_safe(text, sizeof text, s, n, utf8);
	return text;
}

START_TEST(controls_never_pass)
{
	char all[256];
	const char *s;

	for (int i = 0; i < 256; i++)
		all[i] = (char)i;
	for (int utf8 = 0; utf8 < 2; utf8++) {
		s = safe(all, sizeof all, utf8);
		for (const char *c = s; *c; c++) {
			ck_assert_int_ge((unsigned char)*c, ' ');
			ck_assert_int_ne(*c, 0x7f);
		}
	}
	ck_assert_str_eq(safe("\x1b[31m\a", 6, true), "\\x1b[31m\\x07");
	ck_assert_str_eq(safe("a\nb\tc\rd", 7, true), "a\\nb\\tc\\rd");
	ck_assert_str_eq(safe("a\0b", 3, true), "a\\x00b");
	ck_assert_str_eq(safe("\xff\xc3", 2, true), "\\xff\\xc3");
}
END_TEST

START_TEST(steering_characters_are_escaped)
{
	/* U+009B starts a control sequence, U+202E turns the text around, U+200B is invisible. */
	ck_assert_str_eq(safe("\xc2\x9b", 2, true), "\\xc2\\x9b");
	ck_assert_str_eq(safe("\xe2\x80\xae", 3, true), "\\xe2\\x80\\xae");
	ck_assert_str_eq(safe("\xe2\x80\x8b", 3, true), "\\xe2\\x80\\x8b");
	ck_assert_str_eq(safe("\xc3\xa9", 2, true), "\xc3\xa9");
	ck_assert_str_eq(safe("\xc3\xa9", 2, false), "\\xc3\\xa9");
}
END_TEST

static void encode(uint32_t code, char s[8])
{
	if (code < 0x800)
		snprintf(s, 8, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 63)));
	else if (code < 0x10000)
		snprintf(s, 8, "%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 63)),
			 (int)(0x80 | (code & 63)));
	else
		snprintf(s, 8, "%c%c%c%c", (int)(0xf0 | code >> 18),
			 (int)(0x80 | (code >> 12 & 63)), (int)(0x80 | (code >> 6 & 63)),
			 (int)(0x80 | (code & 63)));
}

/* The first and last of each range of characters that must not reach a terminal, and those beside
 * them that may. */
START_TEST(ranges_are_exact)
{
	static const struct {
		uint32_t first, last;
		bool before, behind; /* pass */
	} hostile[] = {
		{ 0x80, 0x9f, false, true },        { 0xad, 0xad, true, true },
		{ 0x61c, 0x61c, true, true },       { 0x115f, 0x1160, true, true },
		{ 0x180e, 0x180e, true, true },     { 0x200b, 0x200f, true, true },
		{ 0x2028, 0x202e, true, true },     { 0x2060, 0x206f, true, true },
		{ 0x3164, 0x3164, true, true },     { 0xd800, 0xf8ff, true, true },
		{ 0xfdd0, 0xfdef, true, true },     { 0xfeff, 0xfeff, true, true },
		{ 0xfff0, 0xfffb, true, true },     { 0xfffe, 0xffff, true, true },
		{ 0xe0000, 0x10ffff, true, false },
	};
	char s[8];

	for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
		encode(hostile[i].first, s);
		ck_assert_msg(*safe(s, strlen(s), true) == '\\', "%x", hostile[i].first);
		encode(hostile[i].last, s);
		ck_assert_msg(*safe(s, strlen(s), true) == '\\', "%x", hostile[i].last);
		encode(hostile[i].first - 1, s);
		if (hostile[i].before)
			ck_assert_str_eq(safe(s, strlen(s), true), s);
		encode(hostile[i].last + 1, s);
		if (hostile[i].behind)
			ck_assert_str_eq(safe(s, strlen(s), true), s);
	}
}
END_TEST

START_TEST(backslashes_are_unambiguous)
{
	ck_assert_str_eq(safe("a\\b", 3, true), "a\\b");
	ck_assert_str_eq(safe("a\\x41", 5, true), "a\\\\x41");
	ck_assert_str_eq(safe("\\n", 2, true), "\\\\n");
}
END_TEST

START_TEST(what_does_not_fit_is_cut_whole)
{
	char text[8];

	pm_text_safe(text, sizeof text, "1234567", 7, true);
	ck_assert_str_eq(text, "1234567");
	pm_text_safe(text, sizeof text, "12345678", 8, true);
	ck_assert_str_eq(text, "1234\xe2\x80\xa6");
	pm_text_safe(text, sizeof text, "12345678", 8, false);
	ck_assert_str_eq(text, "1234...");
	pm_text_safe(text, sizeof text, "\x01\x01\x01", 3, true);
	ck_assert_str_eq(text, "\\x01\xe2\x80\xa6");
}
END_TEST

START_TEST(fields_are_decoded)
{
	char text[64];

	pm_text_field(text, sizeof text, "a\\x20b\\\\", true);
	ck_assert_str_eq(text, "a b\\");
	pm_text_field(text, sizeof text, "\\x1b[2J", true);
	ck_assert_str_eq(text, "\\x1b[2J");
	pm_text_field(text, sizeof text, NULL, true);
	ck_assert_str_eq(text, "");
	/* Not well-formed: shown as it is. */
	pm_text_field(text, sizeof text, "a\\q\x01", true);
	ck_assert_str_eq(text, "a\\q\\x01");
}
END_TEST

START_TEST(long_fields_are_cut_before_an_escape)
{
	char *field = malloc(10001), text[16];

	memset(field, 'a', 10000);
	field[10000] = '\0';
	memcpy(field + 4093, "\\x41", 4);
	pm_text_field(text, sizeof text, field, true);
	ck_assert_str_eq(text, "aaaaaaaaaaaa\xe2\x80\xa6");
	free(field);
}
END_TEST

START_TEST(columns)
{
	char text[32];

	ck_assert_int_eq(pm_text_columns("abc"), 3);
	ck_assert_int_eq(pm_text_columns("\xc3\xa9"), 1);
	ck_assert_int_eq(pm_text_columns("e\xcc\x81"), 1);        /* e and a combining accent */
	ck_assert_int_eq(pm_text_columns("\xe6\xbc\xa2"), 2);     /* a Han character */
	ck_assert_int_eq(pm_text_columns("\xf0\x9f\x98\x80"), 2); /* an emoji */
	ck_assert_int_eq(pm_text_fit(text, sizeof text, "abcdef", 4, true), 4);
	ck_assert_str_eq(text, "abc\xe2\x80\xa6");
	ck_assert_int_eq(pm_text_fit(text, sizeof text, "abcdef", 4, false), 4);
	ck_assert_str_eq(text, "a...");
	ck_assert_int_eq(pm_text_fit(text, sizeof text, "abc", 3, false), 3);
	ck_assert_str_eq(text, "abc");
	/* Never half of a wide character. */
	ck_assert_int_le(pm_text_fit(text, sizeof text, "\xe6\xbc\xa2\xe6\xbc\xa2", 2, true), 2);
	ck_assert_int_eq(pm_text_fit(text, 5, "abcdef", 80, true), 2);
	ck_assert_str_eq(text, "a\xe2\x80\xa6");
}
END_TEST

START_TEST(locales)
{
	unsetenv("LC_ALL");
	unsetenv("LC_CTYPE");
	unsetenv("LANG");
	ck_assert(!pm_terminal_utf8());
	setenv("LANG", "de_DE.UTF-8", 1);
	ck_assert(pm_terminal_utf8());
	setenv("LC_CTYPE", "de_DE.ISO-8859-1", 1);
	ck_assert(!pm_terminal_utf8());
	setenv("LC_ALL", "C.utf8", 1);
	ck_assert(pm_terminal_utf8());
	setenv("LC_ALL", "", 1);
	ck_assert(!pm_terminal_utf8());
	/* An empty one says nothing. */
	setenv("LC_CTYPE", "", 1);
	ck_assert(pm_terminal_utf8());
}
END_TEST

/* What `print` writes on a page of a width. The result is valid until the next call. */
static const char *printed(void (*print)(const struct pm_page *), int width, bool utf8)
{
	static char *text;
	static size_t size;
	struct pm_page p = { .width = width, .utf8 = utf8 };

	free(text);
	p.f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(p.f);
	print(&p);
	fclose(p.f);
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		ck_assert_ptr_nonnull(end);
		*end = '\0';
		ck_assert_msg(pm_text_columns(line) <= width, "too wide: %s", line);
		if (end > line)
			ck_assert_int_ne(end[-1], ' ');
		*end = '\n';
	}
	return text;
}

static void wrapped(const struct pm_page *p)
{
	pm_page_pair(p, "Name", "one two three four");
	pm_page_text(p, "  - ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa b");
}

START_TEST(text_wraps)
{
	ck_assert_str_eq(printed(wrapped, 30, true), "  Name            one two\n"
						     "                  three four\n"
						     "  - aaaaaaaaaaaaaaaaaaaaaaaaaa\n"
						     "    aaaaaaaa b\n");
}
END_TEST

static void empty_pair(const struct pm_page *p)
{
	pm_page_pair(p, "Directory", "x");
}

START_TEST(pairs_line_up)
{
	ck_assert_str_eq(printed(empty_pair, 30, true), "  Directory       x\n");
}
END_TEST

START_TEST(bars)
{
	struct pm_page p = { .width = 80, .utf8 = false };
	char bar[PM_BAR_SIZE];

	ck_assert_str_eq(pm_page_bar(&p, bar, 0.5, 4), "[##..]");
	ck_assert_str_eq(pm_page_bar(&p, bar, 0, 4), "[....]");
	ck_assert_str_eq(pm_page_bar(&p, bar, 1, 4), "[####]");
	ck_assert_str_eq(pm_page_bar(&p, bar, 0.99, 4), "[###.]");
	ck_assert_str_eq(pm_page_bar(&p, bar, 7, 4), "[####]");
	ck_assert_str_eq(pm_page_bar(&p, bar, NAN, 4), "[....]");
	p.utf8 = true;
	ck_assert_str_eq(pm_page_bar(&p, bar, 0.5, 2), "\xe2\x96\x88\xe2\x96\x91");
	ck_assert_int_eq(pm_text_columns(pm_page_bar(&p, bar, 0.3, 1000)), PM_BAR_MAX);
}
END_TEST

static const struct pm_table_column three[] = {
	{ "Name", false, 6, 0 },
	{ "Size", true, 0, 0 },
	{ "Extra", false, 0, 1 },
};

static void small_table(const struct pm_page *p)
{
	struct pm_table t;

	pm_table_init(&t, p, three, 3, 2);
	pm_table_cell(&t, "a");
	pm_table_cell(&t, "1");
	pm_table_cell(&t, "x");
	pm_table_cell(&t, "a long name");
	pm_table_cell(&t, "22 222");
	pm_table_cell(&t, "");
	ck_assert_int_eq(pm_table_finish(&t), 0);
}

/* The widest is the first cell of all. */
static void first_table(const struct pm_page *p)
{
	struct pm_table t;

	pm_table_init(&t, p, three, 3, 0);
	pm_table_cell(&t, "the first");
	pm_table_cell(&t, "1");
	pm_table_cell(&t, "");
	pm_table_cell(&t, "b");
	pm_table_cell(&t, "22");
	pm_table_cell(&t, "");
	ck_assert_int_eq(pm_table_finish(&t), 0);
}

START_TEST(tables_fit)
{
	ck_assert_str_eq(printed(small_table, 40, true), "  Name           Size  Extra\n"
							 "  a                 1  x\n"
							 "  a long name  22 222\n");
	/* The column that may go goes, then the name is cut. */
	ck_assert_str_eq(printed(small_table, 21, true), "  Name           Size\n"
							 "  a                 1\n"
							 "  a long name  22 222\n");
	ck_assert_str_eq(printed(small_table, 18, true), "  Name        Size\n"
							 "  a              1\n"
							 "  a long \xe2\x80\xa6  22 222\n");
	printed(small_table, 8, true);
	ck_assert_str_eq(printed(first_table, 40, true), "Name       Size  Extra\n"
							 "the first     1\n"
							 "b            22\n");
}
END_TEST

static void big_table(const struct pm_page *p)
{
	struct pm_table t;
	char text[32];

	pm_table_init(&t, p, three, 3, 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof text, "%*d", i / 500 + 1, i);
		pm_table_cell(&t, text);
		pm_table_cell(&t, "1");
		pm_table_cell(&t, "x");
		ck_assert_uint_le(t.room, 2 * 512 * 3);
	}
	ck_assert_int_eq(pm_table_finish(&t), 0);
}

START_TEST(long_tables_stay_small_in_memory)
{
	const char *text = printed(big_table, 40, true);
	int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	ck_assert_int_eq(lines, 5001);
}
END_TEST

/* A column that may be hidden, with a text in the last row of many, or of few, or in none. */
static int late_rows;
static bool late_text;

static void late_table(const struct pm_page *p)
{
	static const struct pm_table_column two[] = { { "Name", false, 6, 0 },
						      { "Late", false, 0, -1 } };
	struct pm_table t;

	pm_table_init(&t, p, two, 2, 0);
	for (int i = 0; i < late_rows; i++) {
		pm_table_cell(&t, "a");
		pm_table_cell(&t, late_text && i == late_rows - 1 ? "here" : "");
	}
	ck_assert_int_eq(pm_table_finish(&t), 0);
}

START_TEST(what_later_rows_have_is_not_hidden)
{
	late_rows = 3;
	late_text = false;
	ck_assert_ptr_null(strstr(printed(late_table, 40, true), "Late"));
	late_text = true;
	ck_assert_ptr_nonnull(strstr(printed(late_table, 40, true), "Late"));
	late_rows = 600;
	ck_assert_ptr_nonnull(strstr(printed(late_table, 40, true), "Late"));
	ck_assert_ptr_nonnull(strstr(printed(late_table, 40, true), "here"));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("report_text");
	TCase *t = tcase_create("text");

	tcase_add_test(t, controls_never_pass);
	tcase_add_test(t, steering_characters_are_escaped);
	tcase_add_test(t, ranges_are_exact);
	tcase_add_test(t, backslashes_are_unambiguous);
	tcase_add_test(t, what_does_not_fit_is_cut_whole);
	tcase_add_test(t, fields_are_decoded);
	tcase_add_test(t, long_fields_are_cut_before_an_escape);
	tcase_add_test(t, columns);
	tcase_add_test(t, locales);
	tcase_add_test(t, text_wraps);
	tcase_add_test(t, pairs_line_up);
	tcase_add_test(t, bars);
	tcase_add_test(t, tables_fit);
	tcase_add_test(t, long_tables_stay_small_in_memory);
	tcase_add_test(t, what_later_rows_have_is_not_hidden);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
