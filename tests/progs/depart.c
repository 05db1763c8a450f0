/*
 * Does in turn what its arguments say, such as going where nothing can be recorded:
 *   chroot=DIR pivot=DIR    a new root, and its top as the working directory
 *   setuid=N seteuid=N setreuid=N setresuid=N setfsuid=N
 *   unshare=mount|user|net  setns=FILE
 *   strict, filter, deny    a filter of system calls: seccomp's own, one that allows all, one that
 *                           kills at every open
 *   landlock                no file is opened any more
 *   raw                     the next call by syscall(2)
 *   refused                 the step before must have failed; without it a failure is status 77
 *   work=N                  N kB of memory touched, and a little CPU time
 *   threads=N               N threads, one after the other
 *   fork=N                  a child that exits with N, waited for
 *   exhaust=soft|hard       all descriptors of a limit of 16, which is the hard one, too, or not
 *   release                 all but the standard ones closed
 *   limits                  how many descriptors are open, and may be
 *   execve execv execvp execvpe execl execlp execle fexecve execveat spawn spawnp vfork
 *                           "/depart show" by that call
 *   show                    the environment
 *   exit=N _exit=N raise=N
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of glibc since 2.34. */
#if !__GLIBC_PREREQ(2, 34)
static int execveat(int dir, const char *path, char *const argv[], char *const envp[], int flags)
{
	return (int)syscall(SYS_execveat, dir, path, argv, envp, flags);
}

static int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(436, first, last, flags);
}
#endif

extern char **environ;

static const char *program = "/depart";
static int raw;

static int enter(const char *directory)
{
	int rc = raw ? (int)syscall(SYS_chroot, directory) : chroot(directory);

	return rc < 0 ? rc : chdir("/");
}

static int pivot(const char *directory)
{
	if (chdir(directory) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		return -1;
	return chdir("/");
}

static int change_user(const char *call, const char *value)
{
	uid_t to = (uid_t)atoi(value), same = (uid_t)-1;

	if (raw && strcmp(call, "setuid") == 0)
		return (int)syscall(SYS_setuid, to);
	if (raw && strcmp(call, "setresuid") == 0)
		return (int)syscall(SYS_setresuid, to, to, to);
	if (strcmp(call, "setuid") == 0)
		return setuid(to);
	if (strcmp(call, "seteuid") == 0)
		return seteuid(to);
	if (strcmp(call, "setreuid") == 0)
		return setreuid(same, to);
	if (strcmp(call, "setresuid") == 0)
		return setresuid(to, to, to);
	setfsuid(to);
	errno = EPERM;
	return (uid_t)setfsuid(same) == to ? 0 : -1;
}

static int leave_namespace(const char *what)
{
	int flag = strcmp(what, "mount") == 0  ? CLONE_NEWNS
		   : strcmp(what, "user") == 0 ? CLONE_NEWUSER
					       : CLONE_NEWNET;

	return raw ? (int)syscall(SYS_unshare, flag) : unshare(flag);
}

static int enter_namespace(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return -1;
	rc = setns(fd, 0);
	close(fd);
	return rc;
}

/* Kill at openat and open where `deny`, else allow everything. */
static int filter(int deny)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, deny ? SECCOMP_RET_KILL : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog all = { sizeof code / sizeof code[0], code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	if (raw)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &all);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all);
}

/* By numbers: libc has no functions for these calls, and old headers none of them. */
static int landlock(void)
{
	const uint64_t no_files = 0x1fff; /* every access of the first version */
	int rules = (int)syscall(444, &no_files, sizeof no_files, 0);

	if (rules < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(446, rules, 0) < 0)
		return -1;
	errno = 0;
	return open("/dev/null", O_WRONLY) < 0 && errno == EACCES ? 0 : -1;
}

static void work(const char *kilobytes)
{
	size_t n = (size_t)atoi(kilobytes) * 1024;
	volatile unsigned sum = 0;
	char *p = malloc(n);

	for (size_t i = 0; p && i < n; i += 512)
		((volatile char *)p)[i] = 1;
	for (unsigned i = 0; i < 20000000; i++)
		sum = sum + i;
	free(p);
}

static void *nothing(void *unused)
{
	return unused;
}

static int threads(int n)
{
	pthread_t t;

	while (n-- > 0)
		if (pthread_create(&t, NULL, nothing, NULL) != 0 || pthread_join(t, NULL) != 0)
			return -1;
	return 0;
}

static int child(int code)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		/* Not a child of a moment, of which less is known. */
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
		exit(code);
	}
	return waitpid(pid, &status, 0) == pid ? 0 : -1;
}

static int wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status) == 0 ? 0 : -1;
}

static int exhaust(const char *limit)
{
	struct rlimit r = { 16, 4096 };

	if (strcmp(limit, "hard") == 0)
		r.rlim_max = r.rlim_cur;
	if (setrlimit(RLIMIT_NOFILE, &r) < 0)
		return -1;
	while (dup(0) >= 0)
		;
	return errno == EMFILE ? 0 : -1;
}

static void limits(void)
{
	struct rlimit r;
	int n = 0;

	getrlimit(RLIMIT_NOFILE, &r);
	for (int fd = 0; fd < 4096; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	printf("%d of %ld\n", n, (long)r.rlim_cur);
	fflush(stdout);
}

/* "/depart show" by the call of this name; -1 where it comes back without success, 1 for none. */
static int start(const char *call)
{
	char *argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t) "show", NULL };
	pid_t pid;
	int fd;

	if (strcmp(call, "execve") == 0)
		return execve(program, argv, environ);
	if (strcmp(call, "execv") == 0)
		return execv(program, argv);
	if (strcmp(call, "execvp") == 0)
		return execvp(program, argv);
	if (strcmp(call, "execvpe") == 0)
		return execvpe(program, argv, environ);
	if (strcmp(call, "execl") == 0)
		return execl(program, program, "show", (char *)NULL);
	if (strcmp(call, "execlp") == 0)
		return execlp(program, program, "show", (char *)NULL);
	if (strcmp(call, "execle") == 0)
		return execle(program, program, "show", (char *)NULL, environ);
	if (strcmp(call, "fexecve") == 0)
		return (fd = open(program, O_RDONLY)) < 0 ? -1 : fexecve(fd, argv, environ);
	if (strcmp(call, "execveat") == 0)
		return execveat(AT_FDCWD, program, argv, environ, 0);
	if (strcmp(call, "spawn") == 0) {
		errno = posix_spawn(&pid, program, NULL, NULL, argv, environ);
		return errno ? -1 : wait_for(pid);
	}
	if (strcmp(call, "spawnp") == 0) {
		errno = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
		return errno ? -1 : wait_for(pid);
	}
	if (strcmp(call, "vfork") == 0) {
		pid = vfork();
		if (pid == 0) {
			execve(program, argv, environ);
			_exit(99);
		}
		return wait_for(pid);
	}
	return 1;
}

static int show(void)
{
	for (char **e = environ; *e; e++)
		puts(*e);
	return 0;
}

/* One step: 0, -1 for a failure, 1 where there is no such step. */
static int step(const char *name, const char *value)
{
	if (strncmp(name, "set", 3) == 0 && strstr(name, "uid"))
		return change_user(name, value);
	if (strcmp(name, "chroot") == 0)
		return enter(value);
	if (strcmp(name, "pivot") == 0)
		return pivot(value);
	if (strcmp(name, "unshare") == 0)
		return leave_namespace(value);
	if (strcmp(name, "setns") == 0)
		return enter_namespace(value);
	if (strcmp(name, "strict") == 0)
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (strcmp(name, "landlock") == 0)
		return landlock();
	if (strcmp(name, "filter") == 0 || strcmp(name, "deny") == 0)
		return filter(name[0] == 'd');
	if (strcmp(name, "work") == 0)
		work(value);
	else if (strcmp(name, "threads") == 0)
		return threads(atoi(value));
	else if (strcmp(name, "fork") == 0)
		return child(atoi(value));
	else if (strcmp(name, "exhaust") == 0)
		return exhaust(value);
	else if (strcmp(name, "release") == 0)
		return close_range(3, ~0U, 0);
	else if (strcmp(name, "limits") == 0)
		limits();
	else if (strcmp(name, "show") == 0)
		return show();
	else if (strcmp(name, "exit") == 0)
		exit(atoi(value));
	else if (strcmp(name, "_exit") == 0)
		_exit(atoi(value));
	else if (strcmp(name, "raise") == 0)
		raise(atoi(value));
	else
		return start(name);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '=');
		const char *next = i + 1 < argc ? argv[i + 1] : "";
		int rc, refused = strcmp(next, "refused") == 0;

		if (equals)
			*equals = '\0';
		if (strcmp(argv[i], "raw") == 0) {
			raw = 1;
			continue;
		}
		if (strcmp(argv[i], "refused") == 0)
			continue;
		rc = step(argv[i], equals ? equals + 1 : "");
		raw = 0;
		if (refused != (rc < 0) || rc > 0) {
			fprintf(stderr, "%s: %s\n", argv[i], rc < 0 ? strerror(errno) : "unwanted");
			return rc < 0 ? 77 : 78;
		}
	}
	return 0;
}
