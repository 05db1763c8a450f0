/*
 * A program that changes its root directory, its mounts or its user may not reach its record file
 * any more: its end and its children would be lost without a word. What is known is written before;
 * where the file stays within reach, the end replaces it. A user that root becomes gets a record
 * file, where the job's directory can be reached.
 */
#include "config.h"

#include "libperfmon/depart.h"

#include "libperfmon/exit.h"
#include "libperfmon/real.h"
#include "libperfmon/recordfile.h"
#include "libperfmon/state.h"

#include <sched.h>
#include <sys/fsuid.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static bool moves(long nr)
{
	return nr == SYS_chroot || nr == SYS_pivot_root || nr == SYS_unshare || nr == SYS_setns;
}

/* Whether files of the job's user stop being this process' own. Root may do anything. */
static bool is_other_user(long uid)
{
	return (uid_t)uid != (uid_t)-1 && uid != 0 && (int)uid != pm.uid &&
	       pm_sys0(SYS_geteuid) != (uid_t)uid;
}

/* The name of the call where it may lead out of reach, else NULL. */
static const char *name_of(long nr, long a, long b)
{
	const long namespaces = CLONE_NEWNS | CLONE_NEWUSER;

	switch (nr) {
	case SYS_chroot:
		return "chroot";
	case SYS_pivot_root:
		return "pivot_root";
	case SYS_unshare:
		return a & namespaces ? "unshare" : NULL;
	case SYS_setns:
		return b == 0 || b & namespaces ? "setns" : NULL;
	case SYS_setuid:
	case SYS_setfsuid:
		return is_other_user(a) ? "setuid" : NULL;
	case SYS_setreuid:
	case SYS_setresuid:
		return is_other_user(b) ? "setuid" : NULL;
	default:
		return NULL;
	}
}

/* The user whose file the process will write to, else -1. A program may drop the effective user
 * before the real one. */
static uid_t effective_user(long nr, long a, long b)
{
	if (nr == SYS_setuid)
		return (uid_t)a;
	return nr == SYS_setreuid || nr == SYS_setresuid ? (uid_t)b : (uid_t)-1;
}

/* Whether the real user stays: daemons change the effective one alone and back, over and over. */
static bool keeps_real_user(long nr, long a)
{
	return nr != SYS_setuid && (uid_t)a == (uid_t)-1;
}

static void make_record_file(long nr, long a, long b)
{
	/* Life cycle: the last user that had a file made by such a change. */
	static uid_t made;
	uid_t user = effective_user(nr, a, b);
	bool again = keeps_real_user(nr, a) && __atomic_load_n(&made, __ATOMIC_RELAXED) == user;

	if (user == (uid_t)-1 || again || !pm_enter_any())
		return;
	pm_recordfile_make_for(user);
	__atomic_store_n(&made, user, __ATOMIC_RELAXED);
	pm_leave();
}

bool pm_depart_before(long nr, long a, long b)
{
	/* Excluded programs write, too: of their children. */
	const char *name = pm_may_act() ? name_of(nr, a, b) : NULL;
	bool may_move;

	if (!name)
		return false;
	may_move = moves(nr) && pm_recordfile_remember();
	make_record_file(nr, a, b);
	pm_exit_last_words(name, !moves(nr));
	return may_move;
}

void pm_depart_after(bool may_move, long ret)
{
	if (may_move && ret >= 0)
		pm.departed = true;
}

/* A function of libc and the system call that its first two arguments are those of; `x` and `y` are
 * what the call gets. */
#define DEPART(name, nr, x, y, parameters, arguments)                                              \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		__typeof__(name) *real = PM_REAL(name);                                            \
		bool may_move;                                                                     \
		int ret;                                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return pm_real_missing();                                                  \
		may_move = pm_depart_before(nr, (long)(x), (long)(y));                             \
		ret = real arguments;                                                              \
		pm_depart_after(may_move, ret);                                                    \
		return ret;                                                                        \
	}

DEPART(chroot, SYS_chroot, path, 0, (const char *path), (path))
DEPART(unshare, SYS_unshare, flags, 0, (int flags), (flags))
DEPART(setns, SYS_setns, fd, type, (int fd, int type), (fd, type))
DEPART(setuid, SYS_setuid, uid, 0, (uid_t uid), (uid))
DEPART(seteuid, SYS_setreuid, -1, uid, (uid_t uid), (uid))
DEPART(setfsuid, SYS_setfsuid, uid, 0, (uid_t uid), (uid))
DEPART(setreuid, SYS_setreuid, real_uid, uid, (uid_t real_uid, uid_t uid), (real_uid, uid))
DEPART(setresuid, SYS_setresuid, real_uid, uid, (uid_t real_uid, uid_t uid, uid_t saved),
       (real_uid, uid, saved))
