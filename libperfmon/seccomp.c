/*
 * Seccomp: a program that confines itself to certain system calls would be killed by the first of
 * ours that it did not allow. The collector is off from there on; forwarding needs no call of its
 * own.
 */
#include "config.h"

#include "libperfmon/real.h"
#include "libperfmon/state.h"

#include <errno.h>
#include <linux/prctl.h>

#define EXPORT __attribute__((visibility("default")))

/* As libc implements them: not variadic, for the arguments of each call lie where these do. */
int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
long syscall(long nr, long a, long b, long c, long d, long e, long f);

/* A vfork child has its parent's state, and execs soon: leave it alone. */
static bool switch_off(void)
{
	if (!pm_may_record())
		return false;
	pm.on = false;
	return true;
}

static long missing(void)
{
	int *(*location)(void) = (int *(*)(void))pm_real_find("__errno_location");

	if (location)
		*location() = ENOSYS;
	return -1;
}

EXPORT int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
	__typeof__(prctl) *real = PM_REAL(prctl);
	bool off;
	int ret;

	if (!real)
		return (int)missing();
	if (option != PR_SET_SECCOMP)
		return real(option, a, b, c, d);
	off = switch_off();
	ret = real(option, a, b, c, d);
	if (off && ret < 0)
		pm.on = true;
	return ret;
}

__attribute__((noinline)) static long confine(long nr, long a, long b, long c, long d, long e,
					      long f)
{
	__typeof__(syscall) *real = PM_REAL(syscall);
	bool off;
	long ret;

	if (!real)
		return missing();
	/* Operations 0 and 1 set a mode; the others ask. */
	off = (nr != SYS_seccomp || a <= 1) && switch_off();
	ret = real(nr, a, b, c, d, e, f);
	if (off && ret < 0)
		pm.on = true;
	return ret;
}

EXPORT long syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	__typeof__(syscall) *real = PM_REAL(syscall);

	if (!real || nr == SYS_seccomp || (nr == SYS_prctl && a == PR_SET_SECCOMP))
		return confine(nr, a, b, c, d, e, f);
	/* A jump: calls that return twice, or on another stack, find what they left. */
	return real(nr, a, b, c, d, e, f);
}
