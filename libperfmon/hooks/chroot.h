/* Calls after which the record file may be out of reach. */
#ifndef PM_DEPART_H
#define PM_DEPART_H

#include <stdbool.h>

/* Whether a raw system call may be one of them: no others need pm_depart_call. */
static inline bool pm_depart_watches(long nr);

/*
 * Before such a call, as syscall(2) takes it: the last words, where the arguments mean it. Returns
 * whether the path of the record file may lead elsewhere behind it; pm_depart_after() takes that,
 * and what the call returned. Async-signal-safe, errno untouched; a vfork child passes through.
 */
bool pm_depart_before(long nr, long a, long b);
void pm_depart_after(bool may_move, long ret);

#include <sys/syscall.h>

static inline bool pm_depart_watches(long nr)
{
	return nr == SYS_chroot || nr == SYS_pivot_root || nr == SYS_unshare || nr == SYS_setns ||
	       nr == SYS_setuid || nr == SYS_setreuid || nr == SYS_setresuid || nr == SYS_setfsuid;
}

#endif
