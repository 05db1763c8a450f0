/* The main program of a unit test: runs one libcheck suite and prints TAP. */
#ifndef PM_TESTS_UNIT_MAIN_H
#define PM_TESTS_UNIT_MAIN_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* AddressSanitizer calls and wraps functions of libc itself: where a test puts its own in their place, it has to go
 * without. */
#ifdef __SANITIZE_ADDRESS__
#define PM_UNIT_SANITIZED 1
#else
#define PM_UNIT_SANITIZED 0
#endif

/* As ck_assert, for loops: libcheck pays a system call for every assertion that holds. */
#define PM_SURE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg("%s", #condition);                                            \
	} while (0)

/* A new directory for each test, which becomes the working one: a checked fixture. */
static char pm_unit_dir[64] __attribute__((unused));

static inline void pm_unit_set_up(void)
{
	snprintf(pm_unit_dir, sizeof pm_unit_dir, "/tmp/perfmon-unit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(pm_unit_dir));
	ck_assert_int_eq(chdir(pm_unit_dir), 0);
}

static inline void pm_unit_tear_down(void)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf %s", pm_unit_dir);
	ck_assert_int_eq(system(command), 0);
}

/* suite_function: Suite *(*)(void). The exit status is not 0 when a test failed. */
#define PM_UNIT_MAIN(suite_function)                                                               \
	int main(void)                                                                             \
	{                                                                                          \
		SRunner *runner;                                                                   \
		int failed;                                                                        \
                                                                                                   \
		/* Seconds; four, as it is, are few for sanitizers on a busy machine. */           \
		setenv("CK_DEFAULT_TIMEOUT", "60", 0);                                             \
		runner = srunner_create(suite_function());                                         \
		srunner_set_tap(runner, "-");                                                      \
		srunner_run_all(runner, CK_SILENT);                                                \
		failed = srunner_ntests_failed(runner);                                            \
		srunner_free(runner);                                                              \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                                       \
	}

#endif
