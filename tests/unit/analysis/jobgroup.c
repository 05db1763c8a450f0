/* analysis/select/jobgroup.c: what comparable jobs have in common, as one text. */
#include "config.h"

#include "analysis/select/jobgroup.h"

#include "tests/unit/main.h"

#include <stdlib.h>
#include <string.h>

/* Names and tags that look like each other's texts. */
static const char *const of[][3] = {
	{ "spin", NULL, NULL },         { NULL, "spin", NULL },   { NULL, NULL, "spin" },
	{ "a / b", NULL, NULL },        { NULL, "a", "b" },       { NULL, "a/1", "b" },
	{ NULL, "a", "/1b" },           { NULL, "a/1b", NULL },   { NULL, "", "" },
	{ "\1ab/1", NULL, NULL },       { "\2spin", NULL, NULL }, { NULL, "a\2", "b" },
	{ NULL, "a", "\2b" },           { NULL, "ab/1", "/2" },   { "/0", NULL, NULL },
	{ NULL, "\1ab/1", "\2spin/5" },
};

#define GROUPS (sizeof of / sizeof of[0])

START_TEST(no_two_are_one)
{
	char *group[GROUPS];

	for (size_t i = 0; i < GROUPS; i++) {
		group[i] = pm_jobgroup_make(of[i][0], of[i][1], of[i][2]);
		ck_assert_str_ne(group[i], "");
		for (size_t k = 0; k < i; k++)
			ck_assert_msg(strcmp(group[i], group[k]) != 0, "%zu and %zu", k, i);
	}
	for (size_t i = 0; i < GROUPS; i++)
		free(group[i]);
}
END_TEST

START_TEST(parts)
{
	for (size_t i = 0; i < GROUPS; i++) {
		const bool tags = of[i][1] || of[i][2];
		const char *first = tags ? of[i][1] : of[i][0], *second = of[i][2];
		char *group = pm_jobgroup_make(of[i][0], of[i][1], of[i][2]);
		const struct pm_jobgroup g = pm_jobgroup_split(group);

		first = first ? first : "";
		second = second ? second : "";
		ck_assert_int_eq(g.tags, tags);
		ck_assert_uint_eq(g.n, strlen(first));
		ck_assert_int_eq(memcmp(g.first, first, g.n), 0);
		ck_assert_uint_eq(g.m, strlen(second));
		ck_assert(g.m == 0 || memcmp(g.second, second, g.m) == 0);
		free(group);
	}
}
END_TEST

START_TEST(nothing)
{
	char *none = pm_jobgroup_make(NULL, NULL, NULL), *empty = pm_jobgroup_make("", NULL, NULL);

	ck_assert_str_eq(none, "");
	ck_assert_str_eq(empty, "");
	ck_assert_uint_eq(pm_jobgroup_split("").n, 0);
	free(none);
	free(empty);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("jobgroup");
	TCase *t = tcase_create("jobgroup");

	tcase_add_test(t, no_two_are_one);
	tcase_add_test(t, parts);
	tcase_add_test(t, nothing);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
