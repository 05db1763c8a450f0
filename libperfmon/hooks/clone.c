/*
 * clone(2). A child that gets a copy of the memory is a fork and an image of its own. A child that
 * shares the memory is a thread, or like a vfork child, and is left alone; if it is a process, its
 * parent's wait records it.
 */
#include "config.h"

#include "libperfmon/hooks/clone.h"

#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/state.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/hooks/fork.h"

#include <errno.h>
#include <linux/sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Flags that share the memory, or set the program's own thread-local storage, which lacks ours. */
#define NOT_A_FORK (CLONE_VM | CLONE_THREAD | CLONE_SETTLS)

/* Declared as libc implements clone: not variadic, as variadic arguments are passed alike. */
int clone(int (*function)(void *), void *stack, int flags, void *argument, pid_t *parent_tid,
	  void *tls, pid_t *child_tid);

struct start {
	struct pm_birth birth;
	int (*function)(void *);
	void *argument;
};

/* Runs in the child, which has a copy of its parent's stack, too. */
static int child_starts(void *argument)
{
	const struct start s = *(const struct start *)argument;
	int ret;

	pm_fork_child(&s.birth);
	ret = s.function(s.argument);
	/* libc ends the process with this status, past our hooks. */
	pm_exit_announce(ret & PM_EXIT_MASK);
	return ret;
}

__attribute__((visibility("default"))) int clone(int (*function)(void *), void *stack, int flags,
						 void *argument, pid_t *parent_tid, void *tls,
						 pid_t *child_tid)
{
	__typeof__(clone) *real = PM_REAL(clone);
	struct start s = { { 0, 0 }, function, argument };

	if (!real)
		return pm_nextsymbol_missing();
	/* libc refuses a NULL function. */
	if (!pm.on || (unsigned)flags & NOT_A_FORK || !function)
		return real(function, stack, flags, argument, parent_tid, tls, child_tid);
	pm_fork_before(&s.birth);
	return real(child_starts, stack, flags, &s, parent_tid, tls, child_tid);
}

/* The kernel's struct clone_args and the call's number, since Linux 5.3: build systems may be
 * older. */
struct clone3_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
};
#ifndef SYS_clone3
#define SYS_clone3 435
#endif

/*
 * Whether the 16 bytes at the caller's pointer can be read. The kernel refuses bad pointers, so we
 * must not follow them: prlimit copies 16 bytes before it finds that there is no such resource.
 */
static bool is_readable(const void *p)
{
	return pm_sys4(SYS_prlimit64, 0, 0x7fffffff, p, NULL) == -EINVAL;
}

static bool clone3_forks(const struct clone3_args *args, size_t size)
{
	if (size < sizeof *args || !is_readable(&args->flags) || !is_readable(&args->stack))
		return false;
	return !(args->flags & NOT_A_FORK) && args->stack == 0;
}

bool pm_clone_forks(long nr, long a, long b)
{
	if (!pm.on)
		return false;
	switch (nr) {
#ifdef SYS_fork
	case SYS_fork:
		return true;
#endif
	case SYS_clone:
		return !((unsigned long)a & NOT_A_FORK) && b == 0;
	case SYS_clone3:
		return clone3_forks((const struct clone3_args *)(uintptr_t)a, (size_t)b);
	default:
		return false;
	}
}
