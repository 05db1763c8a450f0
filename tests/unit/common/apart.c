/* Functions in processes of their own: how they end, by themselves, by a signal, by the limit, when
 * asked to. */
#include "config.h"

#include "tests/unit/main.h"

#include "common/apart.h"
#include "common/now.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct pm_err e;
static int status;

/* Shared with the process: what it does, and what became of it. */
static struct shared {
	int returns, raises;
	int sleeps_ms, times; /* with a sign of life after each */
	bool ignores;         /* SIGTERM */
	volatile int64_t progress_us;
	volatile int slept;
} * x;

static void begin(void)
{
	x = mmap(NULL, sizeof *x, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(x != MAP_FAILED);
	status = -1;
	e.text[0] = '\0';
}

static void end(void)
{
	munmap(x, sizeof *x);
}

static int act(void *ctx)
{
	const struct timespec pause = { x->sleeps_ms / 1000, x->sleeps_ms % 1000 * 1000000L };

	(void)ctx;
	/* Not as libcheck handles it, which ends the test. */
	signal(SIGTERM, x->ignores ? SIG_IGN : SIG_DFL);
	if (x->raises)
		raise(x->raises);
	for (int i = 0; i < x->times; i++) {
		nanosleep(&pause, NULL);
		x->slept++;
		x->progress_us = pm_now_monotonic_us();
	}
	return x->returns;
}

/* What the process dies of when its caller does, before and after it becomes another user. */
static int change_user(void *ctx)
{
	int before = 0, changed = 0, after = 0;

	(void)ctx;
	prctl(PR_GET_PDEATHSIG, &before);
	setfsuid(geteuid() + 1);
	prctl(PR_GET_PDEATHSIG, &changed);
	pm_apart_rebind();
	prctl(PR_GET_PDEATHSIG, &after);
	return before == SIGKILL && changed == 0 && after == SIGKILL ? 0 : 1;
}

START_TEST(dies_with_the_caller_as_another_user)
{
	const struct pm_apart a = { .run = change_user };

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(pm_apart_run(&a, &status, &e), 0);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(ends_by_itself)
{
	const struct pm_apart a = { .run = act };

	x->returns = 7;
	ck_assert_msg(pm_apart_run(&a, &status, &e) == 0, "%s", e.text);
	ck_assert_int_eq(status, 7);
	/* It was waited for. */
	ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}
END_TEST

START_TEST(ends_by_a_signal)
{
	const struct pm_apart a = { .run = act };

	x->raises = SIGUSR1;
	ck_assert_int_eq(pm_apart_run(&a, &status, &e), -1);
	ck_assert_str_eq(e.text, "killed by signal 10");
}
END_TEST

START_TEST(is_killed_after_the_limit)
{
	const struct pm_apart a = { .run = act, .limit_us = 50000, .setting = "patience" };

	x->sleeps_ms = 1000000;
	x->times = 1;
	x->ignores = true;
	ck_assert_int_eq(pm_apart_run(&a, &status, &e), -1);
	ck_assert_str_eq(e.text, "killed after 0.05 s (setting patience)");
	ck_assert_int_eq(x->slept, 0);
	ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}
END_TEST

/* With a process that guards the group it ends as without. */
START_TEST(ends_as_without_family)
{
	const struct pm_apart a = { .run = act, .family = true };
	const struct pm_apart limited = {
		.run = act, .limit_us = 50000, .family = true, .setting = "patience"
	};

	x->returns = 7;
	ck_assert_msg(pm_apart_run(&a, &status, &e) == 0, "%s", e.text);
	ck_assert_int_eq(status, 7);
	x->raises = SIGUSR1;
	ck_assert_int_eq(pm_apart_run(&a, &status, &e), -1);
	ck_assert_str_eq(e.text, "killed by signal 10");
	x->raises = SIGKILL;
	ck_assert_int_eq(pm_apart_run(&a, &status, &e), -1);
	ck_assert_str_eq(e.text, "killed by signal 9");
	x->raises = 0;
	x->sleeps_ms = 1000000;
	x->times = 1;
	x->ignores = true;
	ck_assert_int_eq(pm_apart_run(&limited, &status, &e), -1);
	ck_assert_str_eq(e.text, "killed after 0.05 s (setting patience)");
	ck_assert_int_eq(x->slept, 0);
	ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}
END_TEST

/* Each sign of life begins the limit anew: it sleeps longer than that in all. */
START_TEST(lives_while_it_goes_on)
{
	const struct pm_apart a = { .run = act,
				    .limit_us = 5000000,
				    .progress_us = &x->progress_us,
				    .setting = "patience" };

	x->sleeps_ms = 500;
	x->times = 12;
	ck_assert_msg(pm_apart_run(&a, &status, &e) == 0, "%s", e.text);
	ck_assert_int_eq(x->slept, 12);
}
END_TEST

START_TEST(ends_when_asked)
{
	volatile sig_atomic_t stop = 1;
	const struct pm_apart a = {
		.run = act, .stop = &stop, .patience_us = 60000000, .setting = "patience"
	};

	x->sleeps_ms = 1000000;
	x->times = 1;
	ck_assert_int_eq(pm_apart_run(&a, &status, &e), -1);
	ck_assert_str_eq(e.text, "killed by signal 15");
}
END_TEST

START_TEST(is_killed_when_it_does_not_listen)
{
	volatile sig_atomic_t stop = 1;
	const struct pm_apart a = {
		.run = act, .stop = &stop, .patience_us = 50000, .setting = "patience"
	};

	x->sleeps_ms = 1000000;
	x->times = 1;
	x->ignores = true;
	/* It has had no time to say so where it is asked at once. */
	ck_assert_int_eq(pm_apart_run(&a, &status, &e), -1);
	ck_assert_msg(strncmp(e.text, "killed", 6) == 0, "%s", e.text);
	ck_assert_int_eq(x->slept, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("apart");
	TCase *t = tcase_create("apart");

	tcase_add_checked_fixture(t, begin, end);
	tcase_add_test(t, ends_by_itself);
	tcase_add_test(t, dies_with_the_caller_as_another_user);
	tcase_add_test(t, ends_by_a_signal);
	tcase_add_test(t, is_killed_after_the_limit);
	tcase_add_test(t, ends_as_without_family);
	tcase_add_test(t, lives_while_it_goes_on);
	tcase_add_test(t, ends_when_asked);
	tcase_add_test(t, is_killed_when_it_does_not_listen);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
