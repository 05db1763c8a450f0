/*
 * Seccomp: a program that confines itself to certain system calls would be killed by the first of
 * ours that it did not allow. It has its last words before, and the collector is off from there on;
 * forwarding needs no call of its own.
 *
 * syscall(2) is here, too: calls that take a program out of reach, that fork, that wait and that
 * list descriptors need not have a function of their own.
 */
#include "config.h"

#include "libperfmon/clone.h"
#include "libperfmon/depart.h"
#include "libperfmon/exit.h"
#include "libperfmon/fork.h"
#include "libperfmon/listing.h"
#include "libperfmon/papi.h"
#include "libperfmon/preload.h"
#include "libperfmon/real.h"
#include "libperfmon/state.h"
#include "libperfmon/wait.h"

#include <linux/prctl.h>

#define EXPORT __attribute__((visibility("default")))

/* As libc implements them: not variadic, for the arguments of each call lie where these do. */
int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
long syscall(long nr, long a, long b, long c, long d, long e, long f);

/* A vfork child has its parent's state, and execs soon: leave it alone. */
static bool switch_off(void)
{
	if (!pm_may_act())
		return false;
	pm_exit_last_words("seccomp", false);
	pm_preload_confine();
	pm.on = false;
	return true;
}

static void back_on(void)
{
	pm_preload_release();
	pm.on = true;
}

EXPORT int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	__typeof__(prctl) *real = PM_REAL(prctl);
	bool off;
	int ret;

	if (!real)
		return pm_real_missing();
	if (option != PR_SET_SECCOMP)
		return real(option, a, b, c, d);
	off = switch_off();
	ret = real(option, a, b, c, d);
	if (off && ret < 0)
		back_on();
	return ret;
}

__attribute__((noinline)) static long watched(long nr, long a, long b, long c, long d, long e,
					      long f)
{
	__typeof__(syscall) *real = PM_REAL(syscall);
	bool off, may_move;
	long ret;

	if (!real)
		return pm_real_missing();
	may_move = pm_depart_before(nr, a, b);
	/* Operations 0 and 1 of seccomp(2) set a mode; the others ask. */
	off = ((nr == SYS_seccomp && (unsigned)a <= 1) || nr == SYS_prctl) && switch_off();
	ret = real(nr, a, b, c, d, e, f);
	if (off && ret < 0)
		back_on();
	pm_depart_after(may_move, ret);
	return ret;
}

/* The child has a copy of the stack to come back on. */
__attribute__((noinline)) static long forks(long nr, long a, long b, long c, long d, long e, long f)
{
	__typeof__(syscall) *real = PM_REAL(syscall);
	struct pm_birth birth = { 0, 0 };
	long ret;

	pm_fork_before(&birth);
	ret = real(nr, a, b, c, d, e, f);
	if (ret == 0)
		pm_fork_child(&birth);
	return ret;
}

/* Waits without a function around them are waits all the same. */
static bool is_wait(long nr)
{
	return nr == SYS_wait4 || nr == SYS_waitid;
}

EXPORT long syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	__typeof__(syscall) *real = PM_REAL(syscall);

	if (!real || nr == SYS_seccomp || (nr == SYS_prctl && a == PR_SET_SECCOMP) ||
	    pm_depart_watches(nr))
		return watched(nr, a, b, c, d, e, f);
	if (is_wait(nr))
		return pm_wait_raw(real, nr, a, b, c, d, e);
	if (nr == SYS_perf_event_open && pm_self.busy)
		return pm_papi_opened(real(nr, a, b, c, d, e, f), (const void *)a);
	if (pm_clone_forks(nr, a, b))
		return forks(nr, a, b, c, d, e, f);
	if (pm_listing_watches(nr))
		return pm_listing_raw(real, nr, a, b, c);
	/* A jump: calls that return twice, or on another stack, find what they left. */
	return real(nr, a, b, c, d, e, f);
}
