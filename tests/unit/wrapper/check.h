/* What checks of perfmon check report, and the settings and the user that they find. */
#ifndef PM_TESTS_UNIT_WRAPPER_CHECK_H
#define PM_TESTS_UNIT_WRAPPER_CHECK_H

#include "common/cli/check.h"
#include "common/settings/readconfig.h"
#include "tests/unit/sampler/root.h"

#include <stdlib.h>

/* The user; where it is another one than the test's, what it may do is up to the test's. */
static uid_t user, files_of;

uid_t geteuid(void)
{
	return user;
}

static struct pm_cli cli;
static char findings[8192];

/* A line "VERDICT FOUND; REMEDY", that but for what passes, as the verb prints it. */
static void take_finding(struct pm_check *c, enum pm_check_verdict verdict, const char *remedy,
			 const char *found)
{
	static const char *const word[] = { "pass", "warn", "fail" };
	const bool said = verdict != PM_CHECK_PASS && *remedy;
	size_t n = strlen(findings);

	(void)c;
	snprintf(findings + n, sizeof findings - n, "%s %s%s%s\n", word[verdict], found,
		 said ? "; " : "", said ? remedy : "");
}

/* What a check finds, with R for the test's folder. */
static const char *find(void (*check)(struct pm_check *c))
{
	static char text[8192];
	char *to = text;
	size_t n = strlen(root);

	findings[0] = '\0';
	check(&(struct pm_check){ &cli, take_finding });
	for (const char *p = findings; *p;) {
		bool is = strncmp(p, root, n) == 0;

		*to++ = is ? 'R' : *p;
		p += is ? n : 1;
	}
	*to = '\0';
	return text;
}

#define is(check, want) ck_assert_str_eq(find(pm_check_##check), want "\n")

static void set(enum pm_setting s, const char *value)
{
	struct pm_err e = { "" };

	ck_assert_msg(pm_config_set(s, value, &e) == 0, "%s", e.text);
}

static void set_up(void)
{
	clearenv();
	setenv("HOME", "/nowhere", 1);
	root_make();
	set(PM_SET_root, root);
	ck_assert_int_eq(chdir(root), 0);
	files_of = getuid();
	user = files_of;
}

#endif
