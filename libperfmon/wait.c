/*
 * The wait family: a child that was waited for gets a reaped record, which says how it ended and
 * what it used, whether or not it could be instrumented itself.
 *
 * All of them go to the kernel directly, because only wait4 and the kernel's own waitid give the
 * child's resource usage. waitpid and waitid are cancellation points: the call is bracketed by
 * asynchronous cancellation, as glibc itself did for years.
 */
#include "config.h"

#include "libperfmon/batch.h"
#include "libperfmon/identity.h"
#include "libperfmon/measure.h"
#include "libperfmon/real.h"
#include "libperfmon/state.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

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

/* Write what the kernel said of a child that is gone. Exactly one of code and signal is >= 0. */
static void write_reaped(int pid, int code, int signal, const struct rusage *ru)
{
	struct pm_charge charge;
	struct pm_record r;

	if (!pm_enter())
		return;
	pm_charge_begin(&charge);
	pm_record_clear(&r);
	pm_record_text(&r, PM_COL_record, "reaped", 6);
	pm_record_text(&r, PM_COL_boot_id, pm.boot_id.p, pm.boot_id.n);
	pm_record_text(&r, PM_COL_hostname, pm.hostname.p, pm.hostname.n);
	if (pm.pid_ns)
		pm_record_int(&r, PM_COL_pid_ns, pm.pid_ns);
	pm_record_int(&r, PM_COL_pid, pid);
	pm_record_int(&r, PM_COL_ppid, pm.pid);
	pm_record_int(&r, PM_COL_end_us, pm_clock_ns(CLOCK_REALTIME) / 1000);
	if (code >= 0)
		pm_record_int(&r, PM_COL_exitcode, code);
	if (signal >= 0)
		pm_record_int(&r, PM_COL_exitsignal, signal);
	pm_record_int(&r, PM_COL_rssmax, ru->ru_maxrss);
	pm_measure_rusage_of(&r, ru);
	pm_batch_write(&r, PM_EMIT_COUNT);
	pm_charge_end(&charge);
	pm_leave();
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
	ret = cancellable(SYS_wait4, pid, (long)status, options, (long)usage, 0);
	if (ret < 0) {
		set_errno((int)-ret);
		return -1;
	}
	if (ret > 0 && WIFEXITED(*status))
		write_reaped((int)ret, WEXITSTATUS(*status), -1, usage);
	else if (ret > 0 && WIFSIGNALED(*status))
		write_reaped((int)ret, -1, WTERMSIG(*status), usage);
	return (pid_t)ret;
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
	ret = cancellable(SYS_waitid, type, (long)id, (long)(info ? info : &own), options,
			  (long)&ru);
	if (ret < 0) {
		set_errno((int)-ret);
		return -1;
	}
	if (!info)
		info = &own;
	if (!(options & WNOWAIT) && info->si_pid != 0) {
		if (info->si_code == CLD_EXITED)
			write_reaped(info->si_pid, info->si_status, -1, &ru);
		else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
			write_reaped(info->si_pid, -1, info->si_status, &ru);
	}
	return (int)ret;
}
