/*
 * Children by clone(2) and raw system calls, and threads of C11. Prints what the program itself
 * sees of each; for a process that is to have an image of its own its pid and exit status last.
 *
 * usage: clones children    every way to make a process
 *        clones refused     calls that the kernel or libc refuses: errno of each
 *        clones threads     thrd_create: what the threads returned
 *        clones inits       the first processes of two nested pid namespaces, and a vfork child
 *                           that is the first of a third; 77 where that is not allowed
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

static _Alignas(16) char stack[65536];
static char *const top = stack + sizeof stack;
static int shared = 1;

static int give_back(void *code)
{
	shared++;
	return (int)(intptr_t)code;
}

static int leave(void *code)
{
	_exit((int)(intptr_t)code);
}

static void say(const char *how, pid_t pid)
{
	int status = 0;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		status = -1;
	printf("%s %d %d\n", how, WIFEXITED(status) ? WEXITSTATUS(status) : -1, shared);
	fprintf(stderr, "%d %d\n", (int)pid, WEXITSTATUS(status));
	fflush(stdout);
}

/* Architectures that came late have no such system call. */
static pid_t raw_fork(void)
{
#ifdef SYS_fork
	return (pid_t)syscall(SYS_fork);
#else
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

static void children(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t pid, parent_tid = 0, child_tid = 0;
	int status = 0;
	siginfo_t info;

	say("clone, returns", clone(give_back, top, SIGCHLD, (void *)(256 + 21)));
	say("clone, exits", clone(leave, top, SIGCHLD, (void *)22));
	pid = clone(give_back, top, SIGCHLD | CLONE_PARENT_SETTID, (void *)23, &parent_tid, NULL,
		    &child_tid);
	say("clone, with all arguments", pid == parent_tid ? pid : -1);
	pid = raw_fork();
	if (pid == 0)
		_exit(24);
	say("SYS_fork", pid);
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(25);
	say("SYS_clone", pid);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
	if (pid == 0)
		_exit(26);
	say("SYS_clone3", pid);

	/* Waits of the same kind. */
	pid = raw_fork();
	if (pid == 0)
		syscall(SYS_exit_group, 27);
	printf("SYS_wait4 %d", syscall(SYS_wait4, pid, &status, 0, NULL) == pid);
	printf(" %d\n", WEXITSTATUS(status));
	fprintf(stderr, "%d 27\n", (int)pid);
	pid = raw_fork();
	if (pid == 0)
		syscall(SYS_exit_group, 28);
	printf("SYS_waitid %ld", syscall(SYS_waitid, P_PID, pid, &info, WEXITED, NULL));
	printf(" %d\n", info.si_status);
	fprintf(stderr, "%d 28\n", (int)pid);

	/* One that shares the memory: no image of its own. */
	say("clone, shared memory", clone(give_back, top, SIGCHLD | CLONE_VM, (void *)29));
}

static void refused(void)
{
	struct clone_args args = { .flags = CLONE_SIGHAND };
	/* Volatile: the compiler is not to see what is wrong with it. */
	void *volatile bad = (void *)8;

#define TRY(call)                                                                                  \
	errno = 0;                                                                                 \
	printf("%ld", (long)(call));                                                               \
	printf(" %d\n", errno)
	TRY(clone(give_back, NULL, SIGCHLD, NULL));
	TRY(clone(NULL, top, SIGCHLD, NULL));
	TRY(clone(give_back, top, CLONE_SIGHAND, NULL));
	TRY(syscall(SYS_clone, CLONE_SIGHAND, 0, 0, 0, 0));
	TRY(syscall(SYS_clone3, bad, sizeof args));
	TRY(syscall(SYS_clone3, NULL, sizeof args));
	TRY(syscall(SYS_clone3, &args, sizeof args));
	TRY(syscall(SYS_clone3, &args, 8));
	TRY(syscall(SYS_wait4, -1, bad, 0, NULL));
	TRY(syscall(SYS_waitid, P_ALL, 0, bad, WEXITED, NULL));
	TRY(syscall(SYS_waitid, P_ALL, 0, NULL, 0, NULL));
}

static int plus_one(void *n)
{
	return (int)(intptr_t)n + 1;
}

static int by_thrd_exit(void *n)
{
	thrd_exit((int)(intptr_t)n + 2);
}

static void in_threads(void)
{
	thrd_t id[4];

	for (int i = 0; i < 4; i++)
		if (thrd_create(&id[i], i % 2 ? by_thrd_exit : plus_one, (void *)(intptr_t)i) !=
		    thrd_success)
			exit(99);
	for (int i = 0; i < 4; i++) {
		int result = -1;

		thrd_join(id[i], &result);
		printf("%d\n", result);
	}
}

static int inner_init(void *code)
{
	return getpid() == 1 ? (int)(intptr_t)code : 98;
}

/* The first process of a namespace makes the first one of the next, and another by vfork: all
 * of them are 1. */
static int init(void *code)
{
	static _Alignas(16) char own_stack[65536];
	int status = -1;
	pid_t pid;

	(void)code;
	if (getpid() != 1)
		return 98;
	pid = clone(inner_init, own_stack + sizeof own_stack, SIGCHLD | CLONE_NEWPID, (void *)41);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 41)
		return 97;
	if (unshare(CLONE_NEWPID) < 0)
		return 96;
	pid = vfork();
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(95);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return 94;
	return 42;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pid_t pid;
	int status;

	if (strcmp(how, "children") == 0)
		children();
	else if (strcmp(how, "refused") == 0)
		refused();
	else if (strcmp(how, "threads") == 0)
		in_threads();
	else if (strcmp(how, "inits") == 0) {
		pid = clone(init, top, SIGCHLD | CLONE_NEWPID, NULL);
		if (pid < 0)
			return 77;
		waitpid(pid, &status, 0);
		printf("%d\n", WEXITSTATUS(status));
	} else {
		return 2;
	}
	return 0;
}
