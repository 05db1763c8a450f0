/* Patterns of file names: what they match, and that none of them takes long. */
#include "config.h"

#include "common/safe/pattern.h"

#include "tests/unit/common/random.h"
#include "tests/unit/main.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static enum pm_pattern match(const char *list, const char *path)
{
	const char *slash = strrchr(path, '/');

	return pm_pattern_match(list, path, strlen(path), slash ? (size_t)(slash + 1 - path) : 0);
}

START_TEST(lists)
{
	static const struct {
		const char *list, *path;
		enum pm_pattern want;
	} row[] = {
		{ "bash", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "bash", "/usr/bin/rbash", PM_PATTERN_MISS },
		{ "bash", "/usr/bin/bash2", PM_PATTERN_MISS },
		{ "bin", "/usr/bin/bash", PM_PATTERN_MISS },
		{ "tee,bash", "/usr/bin/bash", PM_PATTERN_HIT },
		{ " tee ,\tbash ", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "a b", "/x/a b", PM_PATTERN_HIT },
		{ "", "/usr/bin/bash", PM_PATTERN_NONE },
		{ ",, ,\t,", "/usr/bin/bash", PM_PATTERN_NONE },
		{ ",,bash", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "bash,", "/usr/bin/tee", PM_PATTERN_MISS },
		{ "*", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "***", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "*h", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "b*", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "b*h*", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "b*x", "/usr/bin/bash", PM_PATTERN_MISS },
		{ "????", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "???", "/usr/bin/bash", PM_PATTERN_MISS },
		{ "*?????", "/usr/bin/bash", PM_PATTERN_MISS },
		{ "python[23]*", "/usr/bin/python3.11", PM_PATTERN_HIT },
		{ "python[!2]*", "/usr/bin/python3.11", PM_PATTERN_HIT },
		{ "python[^3]*", "/usr/bin/python3.11", PM_PATTERN_MISS },
		{ "[a-c]ash", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "[c-z]ash", "/usr/bin/bash", PM_PATTERN_MISS },
		{ "[]b]ash", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "[]]x", "/]x", PM_PATTERN_HIT },
		{ "[a-]x", "/-x", PM_PATTERN_HIT },
		{ "[", "/usr/bin/[", PM_PATTERN_HIT },
		{ "[[]", "/usr/bin/[", PM_PATTERN_HIT },
		{ "[abc", "/usr/bin/a", PM_PATTERN_MISS },
		{ "[abc", "/usr/bin/[abc", PM_PATTERN_HIT },
		{ "[!", "/[!", PM_PATTERN_HIT },
		{ "[]", "/[]", PM_PATTERN_HIT },
		{ "\\*", "/\\*", PM_PATTERN_HIT },
		{ "/usr/*", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "*/bin/*", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "/bin/bash", "/usr/bin/bash", PM_PATTERN_MISS },
		{ "usr/bin/bash", "/usr/bin/bash", PM_PATTERN_MISS },
		{ "/opt/*,*sh", "/usr/bin/bash", PM_PATTERN_HIT },
		{ "b\303?sh", "/b\303\244sh", PM_PATTERN_HIT },
		{ "[\200-\377]", "/\303", PM_PATTERN_HIT },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		ck_assert_msg(match(row[i].list, row[i].path) == row[i].want, "%s on %s",
			      row[i].list, row[i].path);
}
END_TEST

/* The C library agrees on every pattern that both read alike: no backslash, no closing bracket in
 * front, no '-' and no '[' within brackets. */
START_TEST(as_fnmatch)
{
	uint64_t state = 11;
	int hits = 0;

	for (int i = 0; i < 200000; i++) {
		char pattern[16], name[16];
		size_t n = random_below(&state, 12), m = random_below(&state, 12), k = 0;

		while (k < n) {
			switch (random_below(&state, 8)) {
			case 0:
				pattern[k++] = '*';
				break;
			case 1:
				pattern[k++] = '?';
				break;
			case 2:
				memcpy(pattern + k, random_below(&state, 2) ? "[ab]" : "[!a]", 4);
				k += 4;
				break;
			default:
				pattern[k++] = "ab"[random_below(&state, 2)];
				break;
			}
		}
		pattern[k] = '\0';
		for (size_t c = 0; c < m; c++)
			name[c] = "abc"[random_below(&state, 3)];
		name[m] = '\0';
		if (k == 0)
			continue;
		enum pm_pattern want =
			fnmatch(pattern, name, 0) == 0 ? PM_PATTERN_HIT : PM_PATTERN_MISS;

		hits += want == PM_PATTERN_HIT;
		if (match(pattern, name) != want)
			ck_abort_msg("%s on %s", pattern, name);
	}
	ck_assert_int_gt(hits, 1000);
}
END_TEST

/* Answers come whatever the list: steps are counted, so that none of these takes long. */
START_TEST(hostile)
{
	size_t big = 100 * 1000;
	char *list = malloc(big + 1), path[4096];

	ck_assert_ptr_nonnull(list);
	memset(path, 'a', sizeof path - 1);
	path[0] = '/';
	path[sizeof path - 1] = '\0';

	ck_assert_int_eq(match("**********b", path), PM_PATTERN_MISS);
	ck_assert_int_eq(match("*a*a*a*a*a*a*a*a*a*a*a*a*b", path), PM_PATTERN_MISS);
	/* Star after star, a byte between: the last one alone is tried again. */
	for (size_t i = 0; i < big; i++)
		list[i] = i % 2 ? 'a' : '*';
	list[big] = '\0';
	ck_assert_int_eq(match(list, path), PM_PATTERN_MISS);
	memset(list, '*', big);
	list[big - 1] = 'b';
	ck_assert_int_eq(match(list, path), PM_PATTERN_UNDECIDED);
	memset(list, '[', big);
	ck_assert_int_eq(match(list, path), PM_PATTERN_UNDECIDED);
	memset(list, ',', big);
	ck_assert_int_eq(match(list, path), PM_PATTERN_NONE);
	memset(list, ' ', big);
	ck_assert_int_eq(match(list, path), PM_PATTERN_NONE);
	/* The worst for each byte of the name: all of a long class, again and again. */
	memset(list, 'b', big);
	list[0] = '*';
	list[1] = '[';
	list[big - 1] = ']';
	ck_assert_int_eq(match(list, path), PM_PATTERN_UNDECIDED);
	for (size_t i = 0; i < big; i++)
		list[i] = "*a*ab,"[i % 6];
	ck_assert_int_eq(match(list, path), PM_PATTERN_UNDECIDED);
	free(list);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("common/safe/pattern.c");
	TCase *t = tcase_create("patterns");

	tcase_add_test(t, lists);
	tcase_add_test(t, as_fnmatch);
	tcase_add_test(t, hostile);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
