/* fork and its relatives that fork inside libc: the child is an image of its own. */
#include "config.h"

#include "libperfmon/hooks/fork.h"

#include "libperfmon/base/descriptors.h"
#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/stack.h"
#include "libperfmon/base/state.h"
#include "libperfmon/count/counters.h"
#include "libperfmon/hooks/exec.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/hooks/system.h"
#include "libperfmon/hooks/thread.h"
#include "libperfmon/record/clients.h"
#include "libperfmon/record/identity.h"
#include "libperfmon/record/threadbuffer.h"

#include <errno.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

void pm_fork_before(struct pm_birth *b)
{
	if (!pm.on)
		return;
	pm_exit_prepare();
	pm_exec_prepare();
	b->parent = (int)pm_sys0(SYS_getpid);
	b->before_ns = pm_clock_ns(CLOCK_BOOTTIME);
}

static void begin_image(void *birth)
{
	static const struct rusage none;
	const struct pm_birth *b = birth;
	struct pm_charge charge;

	pm.ended = PM_ENDED_NOT;
	pm.in_exec = false;
	pm.own_ns = pm.own_cpu_ns = pm.own_minflt = 0;
	pm.own_all = pm_self.own = (struct pm_own_io){ 0 };
	pm.threads_seen = 1;
	pm.forked = true;
	pm_threadbuffer_reset();
	pm_descriptors_reset();
	/* Note the start before the counters are opened, the cost of which is charged. */
	pm_moment_now(&pm.image);
	pm_counters_fork_child();
	pm_thread_reset();
	pm_system_reset();
	pm_charge_begin(&charge);
	if (pm.gpus)
		pm_clients_begin();
	if (pm_identity_inherit(b->parent, b->before_ns) < 0)
		pm.on = false;
	else
		pm_threadbuffer_write_start(&none);
	pm_charge_end(&charge);
}

void pm_fork_child(const struct pm_birth *b)
{
	if (!pm.on)
		return;
	pm_shield();
	pm_stack_reset();
	pm_stack_run(begin_image, (void *)(uintptr_t)b);
	pm_leave();
}

/* A vfork child may call fork, too: it shares pm with its suspended parent, but its own child has a
 * copy of pm, and may write. */
__attribute__((visibility("default"))) pid_t fork(void)
{
	__typeof__(fork) *real = PM_REAL(fork);
	struct pm_birth b = { 0, 0 };
	pid_t pid;

	if (!real)
		return (pid_t)pm_sys5(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0);
	pm_fork_before(&b);
	pid = real();
	if (pid == 0)
		pm_fork_child(&b);
	return pid;
}

/* unistd.h declares _Fork since glibc 2.34. */
pid_t _Fork(void);
__attribute__((visibility("default"))) pid_t _Fork(void)
{
	pid_t (*real)(void) = PM_REAL(_Fork);
	struct pm_birth b = { 0, 0 };
	pid_t pid;

	/* Before glibc 2.34 there is no _Fork: a program that calls it would not have started. */
	if (!real)
		return fork();
	pm_fork_before(&b);
	pid = real();
	if (pid == 0)
		pm_fork_child(&b);
	return pid;
}

__attribute__((visibility("default"))) pid_t
forkpty(int *master, char *name, const struct termios *term, const struct winsize *size)
{
	__typeof__(forkpty) *real = PM_REAL(forkpty);
	struct pm_birth b = { 0, 0 };
	pid_t pid;

	if (!real)
		return -1;
	pm_fork_before(&b);
	pid = real(master, name, term, size);
	if (pid == 0)
		pm_fork_child(&b);
	return pid;
}

/*
 * daemon() ends the process inside libc and returns in a child: the end is announced here, since no
 * other hook would see it. daemon() may return in the process itself (no fork), or in the child
 * with an error of a later step.
 */
__attribute__((visibility("default"))) int daemon(int nochdir, int noclose)
{
	__typeof__(daemon) *real = PM_REAL(daemon);
	struct pm_birth b = { 0, 0 };
	bool announced;
	int ret;

	if (!real)
		return -1;
	pm_fork_before(&b);
	announced = pm_exit_announce(0);
	ret = real(nochdir, noclose);
	if (announced && pm_sys0(SYS_getpid) == pm.pid)
		pm_exit_take_back();
	else if (announced)
		pm_fork_child(&b);
	return ret;
}
