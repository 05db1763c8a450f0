/* Waits by raw system calls. */
#ifndef PM_LIBPERFMON_HOOKS_WAIT_H
#define PM_LIBPERFMON_HOOKS_WAIT_H

/*
 * syscall(SYS_wait4, ...) or syscall(SYS_waitid, ...), which are no cancellation points: make the
 * call by `real`, libc's syscall, and record the child that it reaped. Returns the call's value.
 */
long pm_wait_raw(long (*real)(long, long, long, long, long, long, long), long nr, long a, long b,
		 long c, long d, long e);

#endif
