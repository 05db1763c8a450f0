/*
 * The exec family. A successful exec ends this image without a word, so its end record is written
 * before the call; if the exec fails, a resumed record takes the end back.
 */
#include "config.h"

#include "libperfmon/hooks/exec.h"

#include "libperfmon/base/nextsymbol.h"
#include "libperfmon/base/preload.h"
#include "libperfmon/base/state.h"
#include "libperfmon/hooks/exit.h"
#include "libperfmon/record/sizelimit.h"
#include "libperfmon/record/target.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern __typeof__(environ) environ __attribute__((weak));

/* The environment for functions of the family that take none, if it must not be passed on as it is,
 * else NULL. */
#define OTHER_ENVIRON()                                                                            \
	({                                                                                         \
		char *const *const now_ = &environ ? environ : NULL;                               \
		char *const *const then_ = PM_PRELOAD_ENVIRON(now_);                               \
		then_ == now_ ? NULL : then_;                                                      \
	})

/*
 * Whether an exec of this file can succeed at all. Programs try one directory of PATH after the
 * other: a record for every miss would be noise. The kernel refuses bad pointers. Makes no system
 * call if no record would be written: the program may have forbidden itself the call.
 */
__attribute__((noinline)) static bool may_execute(int dir, const char *path, int flags)
{
	struct stat st;

	return pm_may_act() && pm_sys4(SYS_newfstatat, dir, path, &st, flags) == 0 &&
	       S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

/* What was recorded before an exec, to be taken back if it fails. */
struct announced {
	bool end;         /* the image's end record was written */
	int child;        /* pid of a child that shares its parent's memory, else 0 */
	const char *path; /* path of the new program */
};

/* The pid of this process if it is a child that shares the memory of the process in pm, which
 * records for it when it waits; else 0. */
static int sharing_child(void)
{
	int pid = pm.on && !pm_self.busy ? (int)pm_sys0(SYS_getpid) : 0;

	return pid != pm.pid ? pid : 0;
}

static struct announced announce_path(int dir, const char *path, int flags)
{
	const struct pm_target target = { dir, flags & AT_EMPTY_PATH ? NULL : path };
	struct announced a = { false, sharing_child(), target.path };

	if (a.child)
		pm_target_note(a.child, dir, target.path);
	else if (may_execute(dir, path, flags))
		a.end = pm_exit_announce_exec(&target);
	return a;
}

/* A name with a slash is a path. Other names are searched along PATH by the exec itself, so the
 * announcement keeps the bare name. */
static struct announced announce_file(const char *file)
{
	const struct pm_target target = { AT_FDCWD, file };
	struct announced a = { false, 0, file };

	if (!file || !*file || memchr(file, '/', strlen(file)))
		return announce_path(AT_FDCWD, file, 0);
	a.child = sharing_child();
	if (!a.child)
		a.end = pm_exit_announce_exec(&target);
	return a;
}

/* The functions that most execs call: looked up once, before a fork child needs them. */
static __typeof__(execve) *next_execve(void)
{
	return PM_REAL(execve);
}

static __typeof__(execv) *next_execv(void)
{
	return PM_REAL(execv);
}

static __typeof__(execvp) *next_execvp(void)
{
	return PM_REAL(execvp);
}

void pm_exec_prepare(void)
{
	next_execve();
	next_execv();
	next_execvp();
}

/* Take the announcement of a failed exec back. Keeps errno. */
static int exec_failed(struct announced a, int ret)
{
	int *(*location)(void);

	if (a.end)
		pm_exit_take_back();
	if (a.child && (location = PM_REAL(__errno_location)) != NULL)
		pm_target_failed(a.child, a.path, *location());
	return ret;
}

static int run_with(__typeof__(execve) *real, const char *path, char *const argv[],
		    char *const envp[])
{
	struct announced announced = announce_path(AT_FDCWD, path, 0);
	char *const *other = PM_PRELOAD_ENVIRON(envp);

	return exec_failed(announced, real ? real(path, argv, other) : pm_nextsymbol_missing());
}

EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return run_with(next_execve(), path, argv, envp);
}

static int run_path(__typeof__(execv) *real, const char *path, char *const argv[])
{
	struct announced announced = announce_path(AT_FDCWD, path, 0);
	char *const *other = OTHER_ENVIRON();
	__typeof__(execve) *with = other ? next_execve() : NULL;

	if (with)
		return exec_failed(announced, with(path, argv, other));
	return exec_failed(announced, real ? real(path, argv) : pm_nextsymbol_missing());
}

EXPORT int execv(const char *path, char *const argv[])
{
	return run_path(next_execv(), path, argv);
}

static int run_file(__typeof__(execvp) *real, const char *file, char *const argv[])
{
	struct announced announced = announce_file(file);
	char *const *other = OTHER_ENVIRON();
	__typeof__(execvpe) *with = other ? PM_REAL(execvpe) : NULL;

	if (with)
		return exec_failed(announced, with(file, argv, other));
	return exec_failed(announced, real ? real(file, argv) : pm_nextsymbol_missing());
}

EXPORT int execvp(const char *file, char *const argv[])
{
	return run_file(next_execvp(), file, argv);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	__typeof__(execvpe) *real = PM_REAL(execvpe);
	struct announced announced = announce_file(file);
	char *const *other = PM_PRELOAD_ENVIRON(envp);

	return exec_failed(announced, real ? real(file, argv, other) : pm_nextsymbol_missing());
}

EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	__typeof__(fexecve) *real = PM_REAL(fexecve);
	struct announced announced = announce_path(fd, "", AT_EMPTY_PATH);
	char *const *other = PM_PRELOAD_ENVIRON(envp);

	return exec_failed(announced, real ? real(fd, argv, other) : pm_nextsymbol_missing());
}

EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags);
EXPORT int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	int (*real)(int, const char *, char *const[], char *const[], int) = PM_REAL(execveat);
	struct announced announced = announce_path(dir, path, flags & AT_EMPTY_PATH);
	char *const *other = PM_PRELOAD_ENVIRON(envp);

	return exec_failed(announced,
			   real ? real(dir, path, argv, other, flags) : pm_nextsymbol_missing());
}

/*
 * The execv to call for the next execl, whose list of arguments cannot be passed on. libc's execv
 * does what its execl does; a library that interposes execl interposes execv, too.
 */
#define INSTEAD(name, variadic) (PM_REAL_OTHER(variadic) ? PM_REAL(name) : PM_REAL_LIBC(name))

/*
 * The variadic members become an argument vector on the stack, which is what libc does too: the
 * heap must not be touched here, and the caller's list says how long it is.
 */
#define COLLECT(argv, first, ap)                                                                   \
	size_t count_ = 1;                                                                         \
	va_start(ap, first);                                                                       \
	while (va_arg(ap, char *))                                                                 \
		count_++;                                                                          \
	va_end(ap);                                                                                \
	argv = __builtin_alloca((count_ + 1) * sizeof *argv);                                      \
	va_start(ap, first);                                                                       \
	argv[0] = (char *)(uintptr_t)first;                                                        \
	for (size_t i_ = 1; i_ <= count_; i_++)                                                    \
	argv[i_] = va_arg(ap, char *)

EXPORT int execl(const char *path, const char *first, ...)
{
	char **argv;
	va_list ap;

	COLLECT(argv, first, ap);
	va_end(ap);
	return run_path(INSTEAD(execv, execl), path, argv);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	char **argv;
	va_list ap;

	COLLECT(argv, first, ap);
	va_end(ap);
	return run_file(INSTEAD(execvp, execlp), file, argv);
}

EXPORT int execle(const char *path, const char *first, ...)
{
	char **argv;
	char *const *envp;
	va_list ap;

	COLLECT(argv, first, ap);
	envp = va_arg(ap, char *const *);
	va_end(ap);
	return run_with(INSTEAD(execve, execle), path, argv, envp);
}

/*
 * posix_spawn: libc creates the child, which is recorded from its exec on. Here we only set the
 * environment of its exec, and note its path.
 */
static void note_spawned(pid_t child, const char *path)
{
	if (pm_may_record())
		pm_target_note(child, AT_FDCWD, path);
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	__typeof__(posix_spawn) *real = PM_REAL(posix_spawn);
	char *const *other = PM_PRELOAD_ENVIRON(envp);
	pid_t child = 0;
	int error;

	if (!real)
		return ENOSYS;
	error = real(pid ? pid : &child, path, actions, attr, argv, other);
	if (error == 0)
		note_spawned(pid ? *pid : child, path);
	return error;
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	__typeof__(posix_spawnp) *real = PM_REAL(posix_spawnp);
	char *const *other = PM_PRELOAD_ENVIRON(envp);

	return real ? real(pid, file, actions, attr, argv, other) : ENOSYS;
}
