/* Which raw system calls fork: what comes back in a process with memory and a stack of its own. */
#include "config.h"

#include "libperfmon/hooks/clone.h"

#include "libperfmon/base/state.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/hooks/fork.h"
#include "tests/unit/main.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/* In place of the collector's. */
void pm_fork_before(struct pm_birth *b)
{
	(void)b;
}

void pm_fork_child(const struct pm_birth *b)
{
	(void)b;
}

bool pm_exit_announce(int status)
{
	return status < 0;
}

START_TEST(forks)
{
	static const struct {
		long flags, stack;
		bool forks;
	} row[] = {
		{ SIGCHLD, 0, true },
		{ 0, 0, true },
		{ CLONE_NEWPID | CLONE_NEWUSER | CLONE_FILES | CLONE_FS | CLONE_PARENT, 0, true },
		{ CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, 0, true },
		{ SIGCHLD, 4096, false },
		{ CLONE_VM | CLONE_VFORK | SIGCHLD, 0, false },
		{ CLONE_THREAD, 0, false },
		{ CLONE_SETTLS | SIGCHLD, 0, false },
	};
	/* As the kernel lays it out. */
	uint64_t args[11] = { 0 };

	pm.on = true;
	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		args[0] = (uint64_t)row[i].flags;
		args[5] = (uint64_t)row[i].stack;
		ck_assert(pm_clone_forks(SYS_clone, row[i].flags, row[i].stack) == row[i].forks);
		ck_assert(pm_clone_forks(SYS_clone3, (long)args, 64) == row[i].forks);
		ck_assert(pm_clone_forks(SYS_clone3, (long)args, 88) == row[i].forks);
		/* Less than the first of its kind took. */
		ck_assert(!pm_clone_forks(SYS_clone3, (long)args, 63));
	}
#ifdef SYS_fork
	ck_assert(pm_clone_forks(SYS_fork, 0, 0));
	ck_assert(!pm_clone_forks(SYS_vfork, 0, 0));
#endif
	ck_assert(!pm_clone_forks(SYS_getpid, SIGCHLD, 0));
	/* What is not there is the kernel's to refuse. */
	ck_assert(!pm_clone_forks(SYS_clone3, 0, 64));
	ck_assert(!pm_clone_forks(SYS_clone3, 8, 64));
	ck_assert(!pm_clone_forks(SYS_clone3, -4096, 64));
	pm.on = false;
	ck_assert(!pm_clone_forks(SYS_clone, SIGCHLD, 0));
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("libperfmon/hooks/clone.c");
	TCase *t = tcase_create("clone");

	tcase_add_test(t, forks);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
