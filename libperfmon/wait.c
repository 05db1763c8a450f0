/*
 * The wait family: a child that was waited for gets a reaped record, which says how it ended and
 * what it used, whether or not it could be instrumented itself.
 *
 * All of them go to the kernel directly, because only wait4 and the kernel's own waitid give the
 * child's resource usage. waitpid and waitid are cancellation points: the call is bracketed by
 * asynchronous cancellation, as glibc itself did for years.
 */
#include "config.h"

#include "libperfmon/wait.h"

#include "libperfmon/inner.h"
#include "libperfmon/real.h"
#include "libperfmon/reaped.h"
#include "libperfmon/sys.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/wait.h>

/* Set errno through libc's own location, which is looked up at the first failure. */
static void set_errno(int error)
{
	int *(*location)(void) = PM_REAL(__errno_location);

	if (location)
		*location() = error;
}

static long cancellable(long nr, long a, long b, long c, long d, long e)
{
	__typeof__(pthread_setcanceltype) *set = PM_REAL(pthread_setcanceltype);
	int before = PTHREAD_CANCEL_DEFERRED;
	long ret;

	if (set)
		set(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	ret = pm_syscall(nr, a, b, c, d, e);
	if (set)
		set(before, NULL);
	return ret;
}

/* A child is gone: exactly one of code and signal is >= 0. */
static void reaped(int pid, int code, int signal, const struct rusage *usage)
{
	const struct pm_reaped x = { pid, code, signal, 0, usage, true };

	pm_inner_wait_done(usage);
	pm_reaped_write(&x);
}

/* Behind a wait4 that returned `ret`. */
static void wait4_done(long ret, int status, const struct rusage *usage)
{
	if (ret > 0 && WIFEXITED(status))
		reaped((int)ret, WEXITSTATUS(status), -1, usage);
	else if (ret > 0 && WIFSIGNALED(status))
		reaped((int)ret, -1, WTERMSIG(status), usage);
	else
		pm_inner_wait_done(NULL);
}

/* Behind a waitid that returned `ret`. */
static void waitid_done(long ret, const siginfo_t *info, int options, const struct rusage *usage)
{
	bool gone = ret == 0 && !(options & WNOWAIT) && info->si_pid != 0;

	if (gone && info->si_code == CLD_EXITED)
		reaped(info->si_pid, info->si_status, -1, usage);
	else if (gone && (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
		reaped(info->si_pid, -1, info->si_status, usage);
	else
		pm_inner_wait_done(NULL);
}

static pid_t wait_for(pid_t pid, int *status, int options, struct rusage *usage)
{
	struct rusage own_usage;
	int own_status;
	long ret;

	/* The caller's own pointers go to the kernel, which refuses bad ones as it always did. */
	if (!status)
		status = &own_status;
	if (!usage)
		usage = &own_usage;
	pm_inner_wait_begins();
	ret = cancellable(SYS_wait4, pid, (long)status, options, (long)usage, 0);
	wait4_done(ret, ret > 0 ? *status : 0, usage);
	if (ret >= 0)
		return (pid_t)ret;
	set_errno((int)-ret);
	return -1;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT pid_t wait(int *status)
{
	return wait_for(-1, status, 0, NULL);
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	return wait_for(pid, status, options, NULL);
}

EXPORT pid_t __waitpid(pid_t pid, int *status, int options);
EXPORT pid_t __waitpid(pid_t pid, int *status, int options)
{
	return wait_for(pid, status, options, NULL);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	return wait_for(-1, status, options, usage);
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	return wait_for(pid, status, options, usage);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct rusage ru;
	siginfo_t own;
	long ret;

	/* Without WNOHANG's answer "nobody" an untouched si_pid must not look like a child. */
	own.si_pid = 0;
	if (!info)
		info = &own;
	pm_inner_wait_begins();
	ret = cancellable(SYS_waitid, type, (long)id, (long)info, options, (long)&ru);
	waitid_done(ret, info, options, &ru);
	if (ret >= 0)
		return (int)ret;
	set_errno((int)-ret);
	return -1;
}

long pm_wait_raw(long (*real)(long, long, long, long, long, long, long), long nr, long a, long b,
		 long c, long d, long e)
{
	struct rusage own_usage;
	siginfo_t own_info;
	int own_status;
	long ret;

	own_info.si_pid = 0;
	pm_inner_wait_begins();
	if (nr == SYS_wait4) {
		b = b ? b : (long)&own_status;
		d = d ? d : (long)&own_usage;
		ret = real(nr, a, b, c, d, e, 0);
		wait4_done(ret, ret > 0 ? *(int *)b : 0, (const struct rusage *)d);
	} else {
		c = c ? c : (long)&own_info;
		e = e ? e : (long)&own_usage;
		ret = real(nr, a, b, c, d, e, 0);
		waitid_done(ret, (const siginfo_t *)c, (int)d, (const struct rusage *)e);
	}
	return ret;
}
