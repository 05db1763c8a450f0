/* wrapper/process/patience.c: work that is done, that fails, that is late, and that only waits for a CPU.
 */
#include "config.h"

#include "common/now.h"
#include "tests/unit/main.h"
#include "wrapper/process/patience.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_US 300000

/* Longer than any pipe takes at once. */
#define MUCH 1000000

static int write_much(void *ctx, int fd)
{
	char *text = malloc(MUCH);

	memset(text, *(char *)ctx, MUCH);
	for (size_t done = 0; done < MUCH;) {
		ssize_t n = write(fd, text + done, MUCH - done);

		if (n <= 0)
			return -1;
		done += (size_t)n;
	}
	free(text);
	return 0;
}

static int write_nothing(void *ctx, int fd)
{
	(void)ctx;
	(void)fd;
	return 0;
}

static int give_up(void *ctx, int fd)
{
	(void)ctx;
	return write(fd, "half", 4) == 4 ? -1 : 0;
}

static int die(void *ctx, int fd)
{
	(void)ctx;
	if (write(fd, "half", 4) == 4)
		kill(getpid(), SIGKILL);
	return 0;
}

static int hang(void *ctx, int fd)
{
	(void)ctx;
	(void)fd;
	while (pause() < 0)
		;
	return 0;
}

START_TEST(whole)
{
	char letter = 'x', *text;
	struct pm_err e;
	size_t size;

	ck_assert_int_eq(pm_patience_run(write_much, &letter, 60 * LIMIT_US, &text, &size, &e), 0);
	ck_assert_uint_eq(size, MUCH);
	ck_assert_uint_eq(strspn(text, "x"), MUCH);
	free(text);
	ck_assert_int_eq(pm_patience_run(write_nothing, NULL, 60 * LIMIT_US, &text, &size, &e), 0);
	ck_assert_uint_eq(size, 0);
	free(text);
}
END_TEST

/* Half an answer is none. */
START_TEST(half)
{
	struct pm_err e;
	size_t size;
	char *text;

	ck_assert_int_eq(pm_patience_run(give_up, NULL, 60 * LIMIT_US, &text, &size, &e), 1);
	ck_assert_ptr_null(text);
	ck_assert_int_eq(pm_patience_run(die, NULL, 60 * LIMIT_US, &text, &size, &e), 1);
	ck_assert_ptr_null(text);
	/* Also where who started us does not want to know how children end. */
	signal(SIGCHLD, SIG_IGN);
	ck_assert_int_eq(pm_patience_run(give_up, NULL, 60 * LIMIT_US, &text, &size, &e), 1);
}
END_TEST

START_TEST(late)
{
	struct pm_err e;
	size_t size;
	char *text;
	int status;
	int64_t began_us = pm_now_monotonic_us();

	ck_assert_int_eq(pm_patience_run(hang, NULL, LIMIT_US, &text, &size, &e), -1);
	ck_assert_ptr_null(text);
	ck_assert_str_eq(e.text, "no answer within 300 ms");
	ck_assert_int_ge(pm_now_monotonic_us() - began_us, LIMIT_US);
	/* It is killed, and there is no other child. */
	ck_assert_int_gt(waitpid(-1, &status, 0), 0);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("patience");
	TCase *c = tcase_create("patience");

	tcase_add_test(c, whole);
	tcase_add_test(c, half);
	tcase_add_test(c, late);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
