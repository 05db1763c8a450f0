/*
 * A program that changes its root directory, its mounts or its user, or confines itself by Landlock,
 * may not reach its record file any more: its end and its children would be lost without a word. So a last record is written
 * before such a call; if the file stays within reach, the end record replaces it. When root becomes
 * another user, that user gets a record file, if the job's directory can be reached.
 */
#include "config.h"

#include "libperfmon/hooks/chroot.h"

#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/state.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/record/recordfile.h"

#include <sched.h>
#include <sys/fsuid.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static bool moves_path(long nr)
{
	return nr == SYS_chroot || nr == SYS_pivot_root || nr == SYS_unshare || nr == SYS_setns;
}

static bool changes_user(long nr)
{
	return nr == SYS_setuid || nr == SYS_setfsuid || nr == SYS_setreuid || nr == SYS_setresuid;
}

/* Whether, as this user, the process no longer owns the files of the job. Root may do anything. */
static bool is_other_user(long uid)
{
	return (uid_t)uid != (uid_t)-1 && uid != 0 && (int)uid != pm.uid &&
	       pm_sys0(SYS_geteuid) != (uid_t)uid;
}

/* The name of a call that may put the record file out of reach, else NULL. */
static const char *call_name(long nr, long a, long b)
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
	case PM_SYS_LANDLOCK_RESTRICT_SELF:
		return "landlock";
	default:
		return NULL;
	}
}

/* The user whose record file the process will write, -1 for no change. A program may drop the
 * effective user before the real one. */
static uid_t effective_user(long nr, long a, long b)
{
	if (nr == SYS_setuid)
		return (uid_t)a;
	return nr == SYS_setreuid || nr == SYS_setresuid ? (uid_t)b : (uid_t)-1;
}

/* Whether the real user stays: daemons change just the effective user, and back, over and over. */
static bool keeps_real_user(long nr, long a)
{
	return nr != SYS_setuid && (uid_t)a == (uid_t)-1;
}

static void make_record_file(long nr, long a, long b)
{
	/* The last user for whom a change of the effective user created a record file. */
	static uid_t made;
	uid_t user = effective_user(nr, a, b);
	bool again = keeps_real_user(nr, a) && __atomic_load_n(&made, __ATOMIC_RELAXED) == user;

	if (user == (uid_t)-1 || again || !pm_enter_any())
		return;
	pm_recordfile_make_for(user);
	__atomic_store_n(&made, user, __ATOMIC_RELAXED);
	pm_leave();
}

bool pm_chroot_before(long nr, long a, long b)
{
	/* Act in excluded programs as well, for the sake of their children. */
	const char *name = pm_may_act() ? call_name(nr, a, b) : NULL;
	bool may_move;

	if (!name)
		return false;
	may_move = moves_path(nr) && pm_recordfile_remember();
	make_record_file(nr, a, b);
	pm_exit_last_words(name, changes_user(nr));
	return may_move;
}

void pm_chroot_after(bool may_move, long ret)
{
	if (may_move && ret >= 0)
		pm.departed = true;
}

/* Interpose a function of libc; `nr`, `x` and `y` are its system call and the call's first two
 * arguments. */
#define DEPART(name, nr, x, y, parameters, arguments)                                              \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		__typeof__(name) *real = PM_REAL(name);                                            \
		bool may_move;                                                                     \
		int ret;                                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return pm_nextsymbol_missing();                                            \
		may_move = pm_chroot_before(nr, (long)(x), (long)(y));                             \
		ret = real arguments;                                                              \
		pm_chroot_after(may_move, ret);                                                    \
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
