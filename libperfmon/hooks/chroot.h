/* Calls after which the record file may be out of reach. */
#ifndef PM_LIBPERFMON_HOOKS_CHROOT_H
#define PM_LIBPERFMON_HOOKS_CHROOT_H

#include <stdbool.h>

/* Whether a raw system call may put the record file out of reach and needs pm_chroot_before(). */
static inline bool pm_chroot_watches(long nr);

/*
 * Before a call that pm_chroot_watches() selects, with arguments as for syscall(2): write the last
 * words, if the arguments may put the record file out of reach. Returns whether its path may lead
 * elsewhere after the call; pm_chroot_after() takes that, and what the call returned.
 * Async-signal-safe, errno untouched; a vfork child passes through.
 */
bool pm_chroot_before(long nr, long a, long b);
void pm_chroot_after(bool may_move, long ret);

#include <sys/syscall.h>

/* Linux 5.13; headers of older kernels lack it (landlock(7)). */
#define PM_SYS_LANDLOCK_RESTRICT_SELF 446

static inline bool pm_chroot_watches(long nr)
{
	return nr == PM_SYS_LANDLOCK_RESTRICT_SELF || nr == SYS_chroot || nr == SYS_pivot_root || nr == SYS_unshare || nr == SYS_setns ||
	       nr == SYS_setuid || nr == SYS_setreuid || nr == SYS_setresuid || nr == SYS_setfsuid;
}

#endif
