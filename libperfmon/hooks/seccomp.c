/*
 * Seccomp: a program that confines itself to certain system calls would be killed by the first
 * system call of the collector's that it did not allow. So its last words are written before it
 * confines itself, and the collector is off from then on; forwarding makes no system call of its
 * own.
 *
 * syscall(2) is here, too: programs make raw system calls that put the record file out of reach,
 * fork, wait, or list descriptors.
 */
#include "config.h"

#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/preload.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/papi.h"
#include "libperfmon/hooks/chroot.h"
#include "libperfmon/hooks/clone.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/hooks/fork.h"
#include "libperfmon/hooks/listing.h"
#include "libperfmon/hooks/wait.h"

#include <linux/prctl.h>

#define EXPORT __attribute__((visibility("default")))

/* Declared as libc implements them: not variadic, as variadic arguments are passed alike. */
int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
long syscall(long nr, long a, long b, long c, long d, long e, long f);

/* A vfork child has its parent's state, and execs soon, so leave it alone. */
static bool switch_off(void)
{
	if (!pm_may_act())
		return false;
	pm_exit_last_words("seccomp", false);
	pm_preload_confine();
	pm.on = false;
	return true;
}

static void switch_on(void)
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
		return pm_nextsymbol_missing();
	if (option != PR_SET_SECCOMP)
		return real(option, a, b, c, d);
	off = switch_off();
	ret = real(option, a, b, c, d);
	if (off && ret < 0)
		switch_on();
	return ret;
}

__attribute__((noinline)) static long watched_call(long nr, long a, long b, long c, long d, long e,
						   long f)
{
	__typeof__(syscall) *real = PM_REAL(syscall);
	bool off, may_move;
	long ret;

	if (!real)
		return pm_nextsymbol_missing();
	may_move = pm_chroot_before(nr, a, b);
	/* Operations 0 and 1 of seccomp(2) set a mode; the others only query. */
	off = ((nr == SYS_seccomp && (unsigned)a <= 1) || nr == SYS_prctl) && switch_off();
	ret = real(nr, a, b, c, d, e, f);
	if (off && ret < 0)
		switch_on();
	pm_chroot_after(may_move, ret);
	return ret;
}

/* Make a call that forks. The child has a copy of the stack to return on. */
__attribute__((noinline)) static long forking_call(long nr, long a, long b, long c, long d, long e,
						   long f)
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

static bool is_wait(long nr)
{
	return nr == SYS_wait4 || nr == SYS_waitid;
}

EXPORT long syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	__typeof__(syscall) *real = PM_REAL(syscall);

	if (!real || nr == SYS_seccomp || (nr == SYS_prctl && a == PR_SET_SECCOMP) ||
	    pm_chroot_watches(nr))
		return watched_call(nr, a, b, c, d, e, f);
	if (is_wait(nr))
		return pm_wait_raw(real, nr, a, b, c, d, e);
	if (nr == SYS_perf_event_open && pm_self.busy)
		return pm_papi_opened(real(nr, a, b, c, d, e, f), (const void *)a);
	if (pm_clone_forks(nr, a, b))
		return forking_call(nr, a, b, c, d, e, f);
	if (pm_listing_watches(nr))
		return pm_listing_raw(real, nr, a, b, c);
	/* A tail call: system calls that return twice, or on another stack, find the caller's
	 * frame. */
	return real(nr, a, b, c, d, e, f);
}
