/* Rules EXPRESSION=VALUE of settings: how they are split, what matches, and what is refused. */
#include "config.h"

#include "common/settings/rules.h"

#include "tests/unit/main.h"

#include <stdio.h>
#include <string.h>

/* The rules of a text, as <expression|value>, or the error. */
static const char *split(const char *text)
{
	static char all[1024];
	struct pm_err e = { "" };
	struct pm_rule rule;
	size_t n = 0;
	int rc;

	all[0] = '\0';
	while ((rc = pm_rules_next(&text, &rule, &e)) > 0)
		n += (size_t)snprintf(all + n, sizeof all - n, "<%.*s|%.*s>",
				      (int)rule.expression_len, rule.expression,
				      (int)rule.value_len, rule.value);
	if (rc < 0)
		snprintf(all + n, sizeof all - n, "! %s", e.text);
	return all;
}

START_TEST(splitting)
{
	static const struct {
		const char *text, *rules;
	} cases[] = {
		{ "", "" },
		{ " ; ;", "" },
		{ "a=b", "<a|b>" },
		{ " ^pp[0-9]+$ = cycles,r2 ; login = cs ;", "<^pp[0-9]+$|cycles,r2><login|cs>" },
		{ "a[=;]b=c", "<a[=;]b|c>" },
		{ "a[]=]b=c", "<a[]=]b|c>" },
		{ "a[^]=]b=c", "<a[^]=]b|c>" },
		{ "a\\=b=c", "<a\\=b|c>" },
		{ "a=cpu/event=0x3c/", "<a|cpu/event=0x3c/>" },
		{ "a", "! 'a' is not EXPRESSION=VALUE" },
		{ "a=b;c", "<a|b>! 'c' is not EXPRESSION=VALUE" },
		{ "=b", "! '=b': an expression and a value are needed" },
		{ "a= ;", "! 'a=': an expression and a value are needed" },
		{ "a[=b", "! 'a[=b' is not EXPRESSION=VALUE" },
		{ "a\\", "! 'a\\' is not EXPRESSION=VALUE" },
		{ "[^", "! '[^' is not EXPRESSION=VALUE" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		ck_assert_str_eq(split(cases[i].text), cases[i].rules);
}
END_TEST

START_TEST(matching)
{
	static const char *const text[] = { "6/85/4", "Intel(R) Xeon(R) Gold 6132" };
	static const struct {
		const char *rule;
		int matches;
	} cases[] = {
		{ "^6/85/=x", 1 }, { "Gold (5|6)1[0-9]+$=x", 1 }, { "^85=x", 0 },
		{ "EPYC=x", 0 },   { "Xeon\\(R\\)=x", 1 },        { "^6/85$=x", 0 },
		{ ".*=x", 1 },
	};
	struct pm_rule rule;
	struct pm_err e;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *rest = cases[i].rule;

		ck_assert_int_eq(pm_rules_next(&rest, &rule, &e), 1);
		ck_assert_msg(pm_rules_match(&rule, text, 2, &e) == cases[i].matches, "%s",
			      cases[i].rule);
	}
}
END_TEST

START_TEST(bad_expressions_are_named)
{
	struct pm_err e = { "" };

	ck_assert_int_eq(pm_rules_check("a=b; c=d", &e), 0);
	ck_assert_int_lt(pm_rules_check("a=b; (c=d", &e), 0);
	ck_assert_msg(strstr(e.text, "'(c' is no regular expression: ") == e.text, "%s", e.text);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("common/settings/rules.c");
	TCase *t = tcase_create("rules");

	tcase_add_test(t, splitting);
	tcase_add_test(t, matching);
	tcase_add_test(t, bad_expressions_are_named);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
