/* db/condition.c: conditions that users write are one expression, or none. */
#include "config.h"

#include "db/condition.h"

#include "tests/unit/main.h"

#include <stdlib.h>
#include <string.h>

static void is_taken(const char *text)
{
	struct pm_err e = { "" };

	ck_assert_msg(pm_condition_check(text, &e) == 0, "%s: %s", text, e.text);
}

static void is_refused(const char *text, const char *why)
{
	struct pm_err e = { "" };

	ck_assert_msg(pm_condition_check(text, &e) < 0, "%s", text);
	ck_assert_msg(strstr(e.text, why) != NULL, "%s: %s, not %s", text, e.text, why);
}

START_TEST(one_expression)
{
	static const char *const taken[] = {
		"1",
		"a = 1 AND (b < 2 OR c IS NULL)",
		"a IN (1, 2) and b not in (select c from d where (e))",
		"name = 'it''s' OR name LIKE '%--;?/*)('",
		"\"user\" = 'x'",
		"process.\"id\" = 1",
		"a::text = 'b'",
		"x'00ff' = bytes",
		"lower(a) || Upper (b) = substr(c, 1, 2)",
		"a -> 'b' ->> 'c' = '1'",
		"a - -1 > 0",
		"CAST(a AS numeric(3, 2)) > 1",
		"EXISTS (WITH x AS (SELECT 1) SELECT 1 FROM x)",
		"CASE WHEN (a) THEN (b) ELSE (c) END",
		"\xc3\xa4 = 1",
	};

	for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
		is_taken(taken[i]);
}
END_TEST

START_TEST(several_or_none)
{
	static const char *const refused[][2] = {
		{ "", "empty" },
		{ " \t\n", "empty" },
		{ "1) OR (1", "not opened" },
		{ ")(", "not opened" },
		{ "((1)", "not closed" },
		{ "'a", "quote '" },
		{ "\"a", "quote \"" },
		{ "'a'' OR (1", "quote '" },
		{ "1 -- x", "comments" },
		{ "1 --", "comments" },
		{ "1/**/", "comments" },
		{ "1; 2", "semicolon" },
		{ "a = ?", "sign ?" },
		{ "a = $1", "sign $" },
		{ "a = $$)$$", "sign $" },
		{ "a = :b", "sign :" },
		{ "a = :::b", "sign :" },
		{ "a = @b", "sign @" },
		{ "a = #b", "sign #" },
		{ "[(] = 1) OR (1 = [)]", "sign [" },
		{ "`(` = 1", "sign `" },
		{ "a = {", "sign {" },
		{ "a = 1 \\", "sign \\" },
		{ "a\x01", "control" },
		{ "a = \x7f", "control" },
		{ "E'\\') OR (1' = ''", "E'...'" },
		{ "e'a' = a", "e'...'" },
		{ "N'a' = a", "N'...'" },
		{ "load_extension('a')", "load_extension" },
		{ "pg_sleep(1)", "pg_sleep" },
		{ "pg_sleep\n (1)", "pg_sleep" },
		{ "pg_catalog.pg_read_file('/etc/passwd') = ''", "pg_read_file" },
		{ "\"pg_sleep\"(1)", "\"pg_sleep\"" },
		{ "a = 1 AND nextval('s') > 0", "nextval" },
		{ "writefile('a', 'b')", "writefile" },
		{ "lowerx('a')", "lowerx" },
		{ "a OPERATOR(pg_catalog.=) b", "OPERATOR" },
	};

	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		is_refused(refused[i][0], refused[i][1]);
}
END_TEST

START_TEST(of_any_length)
{
	char *text = malloc(PM_CONDITION_MAX + 2);

	ck_assert_ptr_nonnull(text);
	memset(text, 'a', PM_CONDITION_MAX + 1);
	text[PM_CONDITION_MAX + 1] = '\0';
	is_refused(text, "longer than");
	text[PM_CONDITION_MAX] = '\0';
	is_taken(text);
	memset(text, '(', PM_CONDITION_MAX / 2);
	memset(text + PM_CONDITION_MAX / 2, ')', PM_CONDITION_MAX / 2);
	is_taken(text);
	free(text);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("condition");
	TCase *t = tcase_create("condition");

	tcase_add_test(t, one_expression);
	tcase_add_test(t, several_or_none);
	tcase_add_test(t, of_any_length);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
