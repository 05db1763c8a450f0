/*
 * Programs in the program's way: hostile WHAT. Prints what it knows of itself, for the test to
 * compare with the records.
 *   waits N       N children, half of them waited for by a SIGCHLD handler: how many were seen
 *   jumps N       N children under an alarm whose handler jumps out of the wait: how many were seen
 *   prctl|syscall MODE  allows itself write and exit_group alone, then exits: with 5, _exit: 6
 *   refused       asks for a filter that the kernel refuses
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t armed;
static int seen; /* counted by the handler, too, and between the steps of an increment */
static sigjmp_buf out;

static void reap(int sig)
{
	int saved = errno;

	(void)sig;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	errno = saved;
}

static void jump(int sig)
{
	(void)sig;
	if (armed) {
		armed = 0;
		siglongjmp(out, 1);
	}
}

static int waits(int children)
{
	struct sigaction sa = { .sa_handler = reap, .sa_flags = SA_RESTART };

	sigaction(SIGCHLD, &sa, NULL);
	for (int i = 0; i < children; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0 && i % 2 && waitpid(pid, NULL, 0) == pid)
			__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	}
	while (wait(NULL) > 0)
		__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	printf("%d\n", seen);
	return 0;
}

static int jumps(int children)
{
	struct sigaction sa = { .sa_handler = jump };
	struct itimerval often = { { 0, 150 }, { 0, 150 } }, never = { { 0, 0 }, { 0, 0 } };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (volatile int i = 0; i < children; i++) {
		volatile pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (sigsetjmp(out, 1) == 0) {
			armed = 1;
			if (waitpid(pid, NULL, 0) == pid)
				__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
			armed = 0;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	while (wait(NULL) > 0)
		__atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);
	printf("%d\n", seen);
	return 7;
}

static int confine(const char *how, const char *end)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof filter[0], filter };
	long ret;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return 77;
	if (strcmp(how, "prctl") == 0)
		ret = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	else
		ret = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	if (ret < 0)
		return 77;
	if (write(1, "inside\n", 7) != 7)
		return 1;
	if (strcmp(end, "_exit") == 0)
		_exit(6);
	return 5;
}

/* The kernel's refusals arrive, and other calls pass with all their arguments. */
static int refused(void)
{
	long big = (long)((unsigned long)-1 >> 1);

	if (prctl(PR_SET_SECCOMP, 77, 0) == 0 || errno != EINVAL)
		return 1;
	if (syscall(SYS_seccomp, 0, 1, NULL) == 0 || errno != EINVAL)
		return 2;
	if (syscall(SYS_getpid) != getpid() || prctl(PR_SET_NAME, "renamed") < 0)
		return 3;
	if (syscall(SYS_mmap, NULL, 4096, 0, 0x22 /* private, anonymous */, -1, 0) == -1)
		return 4;
	if (syscall(SYS_mmap, NULL, 4096, 0, 0x22, -1, big) != -1 || errno != EINVAL)
		return 5;
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc > 2 && strcmp(what, "waits") == 0)
		return waits(atoi(argv[2]));
	if (argc > 2 && strcmp(what, "jumps") == 0)
		return jumps(atoi(argv[2]));
	if (argc > 2)
		return confine(what, argv[2]);
	return refused();
}
