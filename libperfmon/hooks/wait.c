/*
 * The wait family: a child that was waited for gets a reaped record with its exit status and its
 * usage, whether or not it could be instrumented itself.
 *
 * All of them go to the kernel directly, because only wait4 and the kernel's own waitid give the
 * child's resource usage. waitpid and waitid are cancellation points: the call is bracketed by
 * asynchronous cancellation, as glibc itself did for years. If another library after this one
 * interposes a wait, its function is called instead, as it would be without the collector.
 */
#include "config.h"

#include "libperfmon/hooks/wait.h"

#include "common/safe/tsv.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/readfile.h"
#include "libperfmon/base/state.h"
#include "libperfmon/hooks/system.h"
#include "libperfmon/record/reaped.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>

/* Set errno through libc's own location, which is looked up at the first failure. */
static void set_errno(int error)
{
	int *(*location)(void) = PM_REAL(__errno_location);

	if (location)
		*location() = error;
}

static long cancellable_call(long nr, long a, long b, long c, long d, long e)
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

/* Record a reaped child: exactly one of code and signal is >= 0. If its usage is unknown,
 * pm_system_wait_done() is not called, which makes the usage of later waits inside libc unknown as
 * well. */
static void record_reaped(int pid, int code, int signal, const struct rusage *usage)
{
	const struct pm_reaped x = { pid, code, signal, 0, usage, true };

	pm_self.reaped = pid;
	if (usage)
		pm_system_wait_done(usage);
	pm_reaped_write(&x);
}

/* After a wait4 that returned `ret`. */
static void wait4_done(long ret, int status, const struct rusage *usage)
{
	if (ret > 0 && WIFEXITED(status))
		record_reaped((int)ret, WEXITSTATUS(status), -1, usage);
	else if (ret > 0 && WIFSIGNALED(status))
		record_reaped((int)ret, -1, WTERMSIG(status), usage);
	else
		pm_system_wait_done(NULL);
}

/* After a waitid that returned `ret`. */
static void waitid_done(long ret, const siginfo_t *info, int options, const struct rusage *usage)
{
	bool gone = ret == 0 && !(options & WNOWAIT) && info->si_pid != 0;

	if (gone && info->si_code == CLD_EXITED)
		record_reaped(info->si_pid, info->si_status, -1, usage);
	else if (gone && (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
		record_reaped(info->si_pid, -1, info->si_status, usage);
	else
		pm_system_wait_done(NULL);
}

/* Whether a task that has ended, and was not waited for yet, is a thread: not the first of its
 * process. */
__attribute__((noinline)) static bool is_thread(int pid)
{
	char path[PM_BUF_NUMBER_MAX + 16], text[512];
	struct pm_buf b;
	int64_t process;
	long n;

	pm_buf_init(&b, path, sizeof path);
	pm_buf_mem(&b, "/proc/", 6);
	pm_buf_i64(&b, pid);
	pm_buf_mem(&b, "/status", 8);
	n = pm_readfile(path, text, sizeof text);
	for (long i = 0; i + 6 < n; i++) {
		long end = i + 6;

		if (memcmp(text + i, "\nTgid:", 6) != 0)
			continue;
		while (end < n && (text[end] == '\t' || text[end] == ' '))
			end++;
		for (i = end; end < n && text[end] != '\n';)
			end++;
		return pm_tsv_number(text + i, (size_t)(end - i), &process) == 0 && process != pid;
	}
	return false;
}

/*
 * Tracers (gdb, strace) wait with __WALL, which returns ended threads, too. Whether a task is a
 * thread can be read only before it is reaped, so look at the task that the wait is going to
 * return. Returns its id, 0 if there is none (with WNOHANG), or a negative error number; *thread
 * gets the id if the task is a thread.
 */
static long look_ahead(pid_t pid, int options, int *thread)
{
	siginfo_t info;
	long ret;

	info.si_pid = 0;
	ret = cancellable_call(SYS_waitid,
			       pid == -1 ? P_ALL
			       : pid > 0 ? P_PID
					 : P_PGID,
			       pid < 0 ? -(long)pid : pid, (long)&info, options | WEXITED | WNOWAIT,
			       0);
	if (ret < 0)
		return ret;
	if (info.si_pid && info.si_code >= CLD_EXITED && info.si_code <= CLD_DUMPED &&
	    is_thread(info.si_pid))
		*thread = info.si_pid;
	return info.si_pid;
}

/* Wait for a tracer in two steps: look at the task that is due, then reap exactly that one. Another
 * task may end in between, and a second wait for any task might return it instead. */
__attribute__((noinline)) static long wait_for_any(pid_t pid, int *status, int options,
						   struct rusage *usage, int *thread)
{
	long there = look_ahead(pid, options, thread), ret = 0;

	if (there == 0 || there == -EINTR)
		return there;
	if (there > 0)
		ret = pm_sys4(SYS_wait4, there, status, options | WNOHANG, usage);
	if (ret > 0)
		return ret;
	/* Another thread of the tracer has reaped the task, or look_ahead failed. */
	*thread = 0;
	return cancellable_call(SYS_wait4, pid, (long)status, options, (long)usage, 0);
}

static pid_t wait_for(pid_t pid, int *status, int options, struct rusage *usage)
{
	struct rusage own_usage;
	int own_status, thread = 0;
	long ret;

	/* The caller's own pointers go to the kernel, which refuses bad ones as it always did. */
	if (!status)
		status = &own_status;
	if (!usage)
		usage = &own_usage;
	pm_system_wait_begins();
	if (options & __WALL && pm_may_record())
		ret = wait_for_any(pid, status, options, usage, &thread);
	else
		ret = cancellable_call(SYS_wait4, pid, (long)status, options, (long)usage, 0);
	if (ret > 0 && ret == thread)
		pm_system_wait_done(NULL);
	else
		wait4_done(ret, ret > 0 ? *status : 0, usage);
	if (ret >= 0)
		return (pid_t)ret;
	set_errno((int)-ret);
	return -1;
}

/* Before and after the wait of another library, which may itself call our functions. */
static void other_begins(void)
{
	pm_system_wait_begins();
	pm_self.reaped = 0;
}

static pid_t other_done(pid_t ret, int status, const struct rusage *usage)
{
	if (ret > 0 && ret == pm_self.reaped)
		pm_system_wait_done(NULL);
	else
		wait4_done(ret, status, usage);
	return ret;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT pid_t wait(int *status)
{
	__typeof__(wait) *other = PM_REAL_OTHER(wait);
	pid_t ret;
	int own;

	if (!other)
		return wait_for(-1, status, 0, NULL);
	if (!status)
		status = &own;
	other_begins();
	ret = other(status);
	return other_done(ret, ret > 0 ? *status : 0, NULL);
}

static pid_t wait_by(__typeof__(waitpid) *other, pid_t pid, int *status, int options)
{
	pid_t ret;
	int own;

	if (!other)
		return wait_for(pid, status, options, NULL);
	if (!status)
		status = &own;
	other_begins();
	ret = other(pid, status, options);
	return other_done(ret, ret > 0 ? *status : 0, NULL);
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	return wait_by(PM_REAL_OTHER(waitpid), pid, status, options);
}

EXPORT pid_t __waitpid(pid_t pid, int *status, int options);
EXPORT pid_t __waitpid(pid_t pid, int *status, int options)
{
	return wait_by(PM_REAL_OTHER(__waitpid), pid, status, options);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	__typeof__(wait3) *other = PM_REAL_OTHER(wait3);
	struct rusage own_usage;
	int own_status;
	pid_t ret;

	if (!other)
		return wait_for(-1, status, options, usage);
	if (!status)
		status = &own_status;
	if (!usage)
		usage = &own_usage;
	other_begins();
	ret = other(status, options, usage);
	return other_done(ret, ret > 0 ? *status : 0, usage);
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	__typeof__(wait4) *other = PM_REAL_OTHER(wait4);
	struct rusage own_usage;
	int own_status;
	pid_t ret;

	if (!other)
		return wait_for(pid, status, options, usage);
	if (!status)
		status = &own_status;
	if (!usage)
		usage = &own_usage;
	other_begins();
	ret = other(pid, status, options, usage);
	return other_done(ret, ret > 0 ? *status : 0, usage);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	__typeof__(waitid) *other = PM_REAL_OTHER(waitid);
	struct rusage ru;
	siginfo_t own;
	long ret;

	/* If WNOHANG finds no child, an untouched si_pid must not look like a child. */
	own.si_pid = 0;
	if (!info)
		info = &own;
	if (other) {
		other_begins();
		ret = other(type, id, info, options);
		if (ret == 0 && info->si_pid != 0 && info->si_pid == pm_self.reaped)
			pm_system_wait_done(NULL);
		else
			waitid_done(ret, info, options, NULL);
		return (int)ret;
	}
	pm_system_wait_begins();
	ret = cancellable_call(SYS_waitid, type, (long)id, (long)info, options, (long)&ru);
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
	pm_system_wait_begins();
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
