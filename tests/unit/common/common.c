/*
 * Small parts of common/ that no other test is about: how far names are apart, secrets of pairs,
 * marks of phases, paths, slots of tallies, the words for counters that are not known, lists of
 * words, texts with NUL.
 */
#include "config.h"

#include "common/cli/verb.h"
#include "common/edits.h"
#include "common/path.h"
#include "common/record/phase.h"
#include "common/safe/tally.h"
#include "common/safe/uncounted.h"
#include "common/secrets/pairs.h"
#include "common/utf8.h"
#include "common/words.h"
#include "tests/unit/main.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* --- edits --------------------------------------------------------------------------------------
 */

START_TEST(edits)
{
	static const struct {
		const char *a, *b;
		size_t limit, edits;
	} pair[] = {
		{ "", "", 0, 0 },
		{ "abc", "abc", 0, 0 },
		{ "PERFMON_Tags", "perfmon_tAGS", 0, 0 },
		{ "abc", "abd", 1, 1 },
		{ "abc", "xbc", 1, 1 },
		{ "abc", "ab", 1, 1 },
		{ "abc", "bc", 1, 1 },
		{ "abc", "ac", 1, 1 },
		{ "ab", "ba", 2, 2 },
		{ "kitten", "sitting", 3, 3 },
		{ "saturday", "sunday", 3, 3 },
		{ "flaw", "lawn", 2, 2 },
		{ "intention", "execution", 5, 5 },
		{ "", "abc", 3, 3 },
		/* Lengths that differ by the limit are compared, further ones are not. */
		{ "abc", "a", 2, 2 },
		{ "abcd", "a", 2, 3 },
		{ "abcde", "a", 2, 3 },
	};
	char longest[PM_EDITS_MAX + 1];

	for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
		ck_assert_msg(pm_edits(pair[i].a, pair[i].b, pair[i].limit) == pair[i].edits,
			      "%s, %s", pair[i].a, pair[i].b);
		ck_assert_msg(pm_edits(pair[i].b, pair[i].a, pair[i].limit) == pair[i].edits,
			      "%s, %s", pair[i].b, pair[i].a);
	}
	memset(longest, 'x', sizeof longest);
	longest[PM_EDITS_MAX] = '\0';
	ck_assert_uint_eq(pm_edits(longest, longest, 2), 3);
	ck_assert_uint_eq(pm_edits(longest, longest + 1, 2), 3);
	ck_assert_uint_eq(pm_edits(longest + 1, longest, 2), 3);
	ck_assert_uint_eq(pm_edits(longest + 1, longest + 1, 2), 0);
	ck_assert_uint_eq(pm_edits(longest + 1, longest + 2, 2), 1);
}
END_TEST

/* --- pairs --------------------------------------------------------------------------------------
 */

/* The pair with each secret in brackets. */
static void found_in(const char *text, char mark, const char *want)
{
	char got[512] = "";
	struct pm_pairs p;
	size_t from = 0, at, n, end = 0;

	pm_pairs_begin(&p, text, mark);
	while ((n = pm_pairs_secret(&p, from, &at)) > 0) {
		ck_assert_uint_ge(at, from);
		snprintf(got + strlen(got), sizeof got - strlen(got), "%.*s[%.*s]", (int)(at - end),
			 text + end, (int)n, text + at);
		from = end = at + n;
	}
	snprintf(got + strlen(got), sizeof got - strlen(got), "%s", text + end);
	ck_assert_str_eq(got, want);
}

START_TEST(pairs)
{
	found_in("", '=', "");
	found_in("name", '=', "name");
	found_in("password", '=', "password");
	found_in("password=", '=', "password=");
	found_in("color=blue", '=', "color=blue");
	found_in("password=hunter2", '=', "password=[hunter2]");
	found_in("password:hunter2", ':', "password:[hunter2]");
	/* Of the first mark the name is in front. */
	found_in("color=password=hunter2", '=', "color=password=[hunter2]");
	found_in("password=a=b", '=', "password=[a=b]");
	/* The value by itself, as it could not stand behind the name and mark. */
	found_in("note=https://me:Zq7x@host/ and https://me:Zq8x@host/", '=',
		 "note=https://me:[Zq7x]@host/ and https://me:[Zq8x]@host/");
	found_in("url:https://me:Zq7x@host/", ':', "url:https://me:[Zq7x]@host/");
	found_in("ghp_0123456789abcdefghijABCDEFGHIJ012345", '=',
		 "[ghp_0123456789abcdefghijABCDEFGHIJ012345]");
	found_in("password=https://me:Zq7x@host/ more", '=',
		 "password=[https://me:Zq7x@host/ more]");
}
END_TEST

/* --- phases -------------------------------------------------------------------------------------
 */

static const char *phase_line(const struct pm_phase_mark *m)
{
	static char line[PM_PHASE_LINE_MAX + 1];
	struct pm_buf b;

	pm_buf_init(&b, line, sizeof line - 1);
	pm_phase_format(&b, m);
	ck_assert(!b.truncated);
	line[b.len] = '\0';
	return line;
}

START_TEST(phases)
{
	struct pm_phase_mark m = { .hostname = { "n1", 2 },
				   .boot_id = { "boot", 4 },
				   .name = { "a\tb \xff", 5 },
				   .begin = true,
				   .realtime_us = 1700000000000001,
				   .monotonic_us = 5000000,
				   .pid = 42 };
	char all[256];

	ck_assert_str_eq(phase_line(&m), "perfmon-phase-1\tn1\tboot\tbegin\ta\\tb "
					 "\\xff\t1700000000000001\t5000000\t42\t.\n");
	m.begin = false;
	m.hostname.n = m.boot_id.n = 0;
	ck_assert_str_eq(phase_line(&m), "perfmon-phase-1\t\\N\t\\N\tend\ta\\tb "
					 "\\xff\t1700000000000001\t5000000\t42\t.\n");
	/* The longest line has room. */
	memset(all, '\1', sizeof all);
	m.name = m.hostname = (struct pm_str){ all, PM_PHASE_NAME_MAX };
	m.boot_id = (struct pm_str){ all, 63 };
	m.realtime_us = m.monotonic_us = m.pid = INT64_MAX;
	ck_assert_uint_gt(strlen(phase_line(&m)), 4 * (2 * 255 + 63));
}
END_TEST

START_TEST(phase_lines)
{
	static const struct {
		const char *line, *why; /* why: what is wrong with it, NULL for nothing */
	} lines[] = {
		{ "perfmon-phase-1\th\tb\tbegin\tx\t1\t0\t0\t.", NULL },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t3\t.", NULL },
		{ "perfmon-phase-1\t\\N\t\\N\tend\tx\t1\t2\t3\t.", NULL },
		{ "", "not a phase mark" },
		{ "perfmon-phase-2\th\tb\tend\tx\t1\t2\t3\t.", "not a phase mark" },
		{ "perfmon-phase-\th\tb\tend\tx\t1\t2\t3\t.", "not a phase mark" },
		{ "perfmon-phase-11\th\tb\tend\tx\t1\t2\t3\t.", "not a phase mark" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t3", "cut or too long" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t3\t", "cut or too long" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t3\t..", "cut or too long" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t3\t,", "cut or too long" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t3\t4\t.", "cut or too long" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t.", "cut or too long" },
		{ "perfmon-phase-1\th\tb\tends\tx\t1\t2\t3\t.", "kind is neither begin" },
		{ "perfmon-phase-1\th\tb\ten\tx\t1\t2\t3\t.", "kind is neither begin" },
		{ "perfmon-phase-1\th\tb\t\tx\t1\t2\t3\t.", "kind is neither begin" },
		{ "perfmon-phase-1\t\\q\tb\tend\tx\t1\t2\t3\t.", "bad escape" },
		{ "perfmon-phase-1\th\t\\q\tend\tx\t1\t2\t3\t.", "bad escape" },
		{ "perfmon-phase-1\th\tb\tend\t\xff\t1\t2\t3\t.", "bad escape" },
		{ "perfmon-phase-1\th\tb\tend\t\t1\t2\t3\t.", "phase name is missing" },
		{ "perfmon-phase-1\th\tb\tend\t\\N\t1\t2\t3\t.", "bad escape" },
		{ "perfmon-phase-1\th\tb\tend\tx\t0\t2\t3\t.", "not a time" },
		{ "perfmon-phase-1\th\tb\tend\tx\t-1\t2\t3\t.", "not a time" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t-1\t3\t.", "not a time" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t-1\t.", "not a time" },
		{ "perfmon-phase-1\th\tb\tend\tx\tx\t2\t3\t.", "not a time" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\tx\t3\t.", "not a time" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\tx\t.", "not a time" },
		{ "perfmon-phase-1\th\tb\tend\tx\t1\t2\t\\N\t.", "not a time" },
	};
	char line[PM_PHASE_LINE_MAX], name[4 * PM_PHASE_NAME_MAX + 2];
	struct pm_phase_mark m;
	const char *why;

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		int rc = pm_phase_parse(lines[i].line, strlen(lines[i].line), &m, &why);

		ck_assert_msg((rc == 0) == !lines[i].why, "%s: %d", lines[i].line, rc);
		ck_assert_msg(lines[i].why ? why && strstr(why, lines[i].why) : !why, "%s: %s",
			      lines[i].line, why);
	}
	/* Fields are where they belong. */
	snprintf(line, sizeof line, "perfmon-phase-1\thh\tb\tbegin\tname\t1\t2\t3\t.");
	ck_assert_int_eq(pm_phase_parse(line, strlen(line), &m, &why), 0);
	ck_assert_int_eq(strncmp(m.hostname.p, "hh\tb\t", 5), 0);
	ck_assert_uint_eq(m.hostname.n, 2);
	ck_assert_int_eq(strncmp(m.boot_id.p, "b\tbegin", 7), 0);
	ck_assert_uint_eq(m.boot_id.n, 1);
	ck_assert_int_eq(strncmp(m.name.p, "name\t", 5), 0);
	ck_assert_uint_eq(m.name.n, 4);
	ck_assert(m.begin && m.realtime_us == 1 && m.monotonic_us == 2 && m.pid == 3);
	/* What is unknown is empty. */
	snprintf(line, sizeof line, "perfmon-phase-1\t\\N\t\\N\tend\tname\t1\t2\t3\t.");
	ck_assert_int_eq(pm_phase_parse(line, strlen(line), &m, &why), 0);
	ck_assert(m.hostname.n == 0 && m.boot_id.n == 0 && !m.begin);
	/* A byte of 0 has no place in a line. */
	ck_assert_int_lt(pm_phase_parse(line, strlen(line) + 1, &m, &why), 0);
	/* The longest name, and one beyond it. */
	for (int more = 0; more < 2; more++) {
		memset(name, 'n', sizeof name);
		name[4 * PM_PHASE_NAME_MAX + more] = '\0';
		snprintf(line, sizeof line, "perfmon-phase-1\th\tb\tend\t%s\t1\t2\t3\t.", name);
		ck_assert_int_eq(pm_phase_parse(line, strlen(line), &m, &why), -more);
	}
}
END_TEST

/* --- paths --------------------------------------------------------------------------------------
 */

START_TEST(paths)
{
	char text[8], longest[4200];
	struct pm_err e;
	struct stat st;
	FILE *f;

	ck_assert_str_eq(pm_path_base("/a/b"), "b");
	ck_assert_str_eq(pm_path_base("b"), "b");
	ck_assert_str_eq(pm_path_base("/b"), "b");
	ck_assert_str_eq(pm_path_base("a/"), "a/");
	ck_assert_str_eq(pm_path_base("/"), "/");
	ck_assert_str_eq(pm_path_base(""), "");

	umask(022);
	ck_assert_int_eq(pm_path_make("a//b/c", &e), 0);
	ck_assert(stat("a", &st) == 0 && (st.st_mode & 07777) == 0700);
	ck_assert(stat("a/b/c", &st) == 0 && (st.st_mode & 07777) == 0700);
	ck_assert_int_eq(pm_path_make("a/b/c", &e), 0);
	ck_assert_int_eq(pm_path_make("a/b/d/", &e), 0);
	ck_assert_int_eq(stat("a/b/d", &st), 0);
	snprintf(longest, sizeof longest, "%s/x/y", pm_unit_dir);
	ck_assert_int_eq(pm_path_make(longest, &e), 0);
	ck_assert_int_eq(stat("x/y", &st), 0);
	ck_assert_int_lt(pm_path_make("", &e), 0);
	memset(longest, 'x', sizeof longest);
	longest[4096] = '\0';
	ck_assert_int_lt(pm_path_make(longest, &e), 0);

	f = fopen("seven", "w");
	ck_assert(f && fputs("1234567", f) >= 0 && fclose(f) == 0);
	ck_assert_int_eq(pm_path_read("seven", text, 8), 7);
	ck_assert_str_eq(text, "1234567");
	ck_assert_int_eq(pm_path_read("seven", text, 7), 6);
	ck_assert_str_eq(text, "123456");
	ck_assert_int_lt(pm_path_make("seven/x", &e), 0);
	errno = 0;
	ck_assert_int_eq(pm_path_read("none", text, 8), -1);
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

/* --- tallies ------------------------------------------------------------------------------------
 */

/* The slot with this text in front. */
static int parse_slot(const char *text, struct pm_tally *t)
{
	static char slot[PM_TALLY_SLOT];

	memset(slot, ' ', sizeof slot);
	memcpy(slot, text, strlen(text));
	slot[sizeof slot - 1] = '\n';
	return pm_tally_parse(slot, t);
}

START_TEST(tallies)
{
	static const char *const bad[] = {
		"lost\tENOSPC\t.",
		"lost\tENOSPC\t1",
		"lost\tENOSPC\t1\t..",
		"lost\tENOSPC\t-1\t.",
		"lost\tENOSPC\tx\t.",
		"lost\tENOSPC\t\\N\t.",
		"\tENOSPC\t1\t.",
		"\\q\tENOSPC\t1\t.",
		"lost\t\\q\t1\t.",
		"lost\n\tENOSPC\t1\t.",
		"lost",
	};
	char slot[PM_TALLY_SLOT], key[PM_TALLY_SLOT + 1];
	struct pm_tally t;

	ck_assert_int_eq(parse_slot("lost\tENOSPC\t1\t.", &t), 0);
	ck_assert(t.kind.n == 4 && memcmp(t.kind.p, "lost", 4) == 0);
	ck_assert(t.key.n == 6 && memcmp(t.key.p, "ENOSPC", 6) == 0);
	ck_assert(t.values == 1 && t.v[0] == 1);
	ck_assert_int_eq(parse_slot("folded\t\t0\t2\t.", &t), 0);
	ck_assert(t.kind.n == 6 && t.key.n == 0 && t.values == 2 && t.v[0] == 0 && t.v[1] == 2);
	/* One that is free. */
	ck_assert_int_eq(parse_slot("", &t), 0);
	ck_assert(t.kind.n == 0 && t.values == 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ck_assert_msg(parse_slot(bad[i], &t) < 0, "accepted: %s", bad[i]);
	/* As many values as there is room for, and what is written is read. */
	t = (struct pm_tally){ { "kind", 4 }, { "key", 3 }, PM_TALLY_VALUES, { 0 } };
	for (int i = 0; i < PM_TALLY_VALUES; i++)
		t.v[i] = 10 + i;
	memset(slot, 'x', sizeof slot);
	ck_assert_int_eq(pm_tally_format(slot, &t), 0);
	ck_assert_ptr_eq(memchr(slot, '\n', sizeof slot), slot + sizeof slot - 1);
	ck_assert_ptr_null(memchr(slot, 'x', sizeof slot));
	t = (struct pm_tally){ { "", 0 }, { "", 0 }, 0, { 0 } };
	ck_assert_int_eq(pm_tally_parse(slot, &t), 0);
	ck_assert_int_eq(t.values, PM_TALLY_VALUES);
	for (int i = 0; i < PM_TALLY_VALUES; i++)
		ck_assert_int_eq(t.v[i], 10 + i);
	slot[sizeof slot - 1] = ' ';
	ck_assert_int_lt(pm_tally_parse(slot, &t), 0);
	memset(key, 'k', sizeof key);
	t = (struct pm_tally){ { "kind", 4 }, { key, PM_TALLY_SLOT }, 1, { 1 } };
	ck_assert_int_lt(pm_tally_format(slot, &t), 0);
}
END_TEST

/* --- words --------------------------------------------------------------------------------------
 */

START_TEST(why_uncounted)
{
	for (int i = 0; i < PM_UNCOUNTED_REASONS; i++)
		ck_assert_str_eq(pm_uncounted_words(pm_uncounted_info[i].name),
				 pm_uncounted_info[i].words);
	ck_assert_str_eq(pm_uncounted_words("no such reason"), "the kernel refused the event");
	ck_assert_str_eq(pm_uncounted_words(""), "no reason was recorded");
	ck_assert_str_eq(pm_uncounted_of_error(EACCES), "EACCES");
	ck_assert_str_ne(pm_uncounted_of_error(EXDEV), "EACCES");
}
END_TEST

/* --- lists of words, texts ---------------------------------------------------------------------
 */

START_TEST(lists_of_words)
{
	const char *list = "csv,,parquet,", *word;
	size_t n;

	word = pm_words_next(&list, ',', &n);
	ck_assert(n == 3 && memcmp(word, "csv", n) == 0);
	ck_assert_ptr_nonnull(pm_words_next(&list, ',', &n));
	ck_assert_uint_eq(n, 0);
	word = pm_words_next(&list, ',', &n);
	ck_assert(n == 7 && memcmp(word, "parquet", n) == 0);
	ck_assert_ptr_null(pm_words_next(&list, ',', &n));
	ck_assert(pm_words_have("a bc", "bc") && pm_words_have("a bc", "a"));
	ck_assert(!pm_words_have("a bc", "b") && !pm_words_have("a bc", "c"));
	ck_assert(!pm_words_have("a  b", "") && !pm_words_have("", "a"));
	ck_assert(pm_words_have_among("a b,c", ',', "a b", 3));
	ck_assert(!pm_words_have_among("a b,c", ',', "b", 1));
	ck_assert(pm_words_have_among("a,bcd", ',', "bcde", 3));
}
END_TEST

/* A text with NUL is not cut. */
START_TEST(texts_of_any_bytes)
{
	static const struct {
		const char *text;
		size_t n;
		const char *want;
		bool whole;
	} t[] = {
		{ "", 0, "", true },
		{ "\xc3\xa9", 2, "\xc3\xa9", true },
		{ "a\0b", 3,
		  "a\xef\xbf\xbd"
		  "b",
		  false },
		{ "\0", 1, "\xef\xbf\xbd", false },
		{ "\xff\0\xc3", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", false },
	};

	for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
		struct pm_bytes b = { .p = NULL };

		ck_assert_int_eq(pm_utf8_is_text(t[i].text, t[i].n), t[i].whole);
		ck_assert_int_eq(pm_utf8_add_text(&b, t[i].text, t[i].n), t[i].whole);
		pm_bytes_byte(&b, 0);
		ck_assert_str_eq((const char *)b.p, t[i].want);
		pm_bytes_free(&b);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("common");
	TCase *c = tcase_create("common");

	tcase_add_test(c, edits);
	tcase_add_test(c, pairs);
	tcase_add_test(c, phases);
	tcase_add_test(c, phase_lines);
	tcase_add_test(c, tallies);
	tcase_add_test(c, why_uncounted);
	tcase_add_test(c, lists_of_words);
	tcase_add_test(c, texts_of_any_bytes);
	suite_add_tcase(s, c);
	c = tcase_create("files");
	tcase_add_checked_fixture(c, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(c, paths);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
