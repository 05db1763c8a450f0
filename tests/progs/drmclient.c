/*
 * drmclient ACTION...: a stand-in for a program that uses a GPU by a DRM driver.
 *
 *	load=FILE   open a library, as of a driver's users, by dlopen
 *	open=N      open the device as descriptor N, close-on-exec
 *	queues=N    open /dev/kfd as descriptor N
 *	plain=N     the same, but not close-on-exec
 *	dup=N,M     make M a copy of N
 *	close=N     close N
 *	fill=N      open N other descriptors
 *	fork        let a child do what follows up to `join`, and wait for it
 *	vfork       the same with vfork(2); an `exec` must follow
 *	exec        do the rest as a new image
 *	limit=N     limit the number of descriptors
 *	full        open others until there is no descriptor left
 *	thread      do the rest in a thread of the smallest stack, which ends the process
 *	seccomp     allow only reads, writes and the end from here on, and end
 *	chroot      change the root directory to /, which may put files out of reach
 *	kill        end by SIGKILL
 *	_exit       end at once
 */
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEVICE "/dev/dri/renderD128"

static char **arguments;

static void fail(const char *what)
{
	perror(what);
	_exit(99);
}

static void open_as(const char *path, int number, int flags)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0 || dup3(fd, number, flags) < 0)
		fail(path);
	close(fd);
}

/* The arguments behind `join`. */
static char **behind(char **a)
{
	while (*a && strcmp(*a, "join") != 0)
		a++;
	return *a ? a + 1 : a;
}

static void await(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fail("child");
}

static void run_new(char **a)
{
	char *argv[64] = { arguments[0] };

	for (int i = 0; a[i] && i < 62; i++)
		argv[i + 1] = a[i];
	execv("/proc/self/exe", argv);
	_exit(98);
}

static void *run(void *argv)
{
	char **volatile a = argv;
	int one, two;
	pid_t pid;

	for (; *a; a++) {
		if (strncmp(*a, "load=", 5) == 0 && !dlopen(*a + 5, RTLD_NOW))
			fail(*a);
		else if (sscanf(*a, "open=%d", &one) == 1)
			open_as(DEVICE, one, O_CLOEXEC);
		else if (sscanf(*a, "queues=%d", &one) == 1)
			open_as("/dev/kfd", one, O_CLOEXEC);
		else if (sscanf(*a, "plain=%d", &one) == 1)
			open_as(DEVICE, one, 0);
		else if (sscanf(*a, "dup=%d,%d", &one, &two) == 2 && dup3(one, two, O_CLOEXEC) < 0)
			fail(*a);
		else if (sscanf(*a, "close=%d", &one) == 1 && close(one) < 0)
			fail(*a);
		else if (sscanf(*a, "limit=%d", &one) == 1 &&
			 setrlimit(RLIMIT_NOFILE, &(struct rlimit){ (rlim_t)one, 4096 }) < 0)
			fail(*a);
		else if (sscanf(*a, "fill=%d", &one) == 1)
			while (one-- > 0)
				if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
					fail(*a);
		if (strcmp(*a, "fork") == 0 && (pid = fork()) != 0) {
			await(pid);
			a = behind(a) - 1;
		} else if (strcmp(*a, "vfork") == 0) {
			pid = vfork();
			if (pid == 0)
				run_new(a + 2);
			await(pid);
			a = behind(a) - 1;
		} else if (strcmp(*a, "join") == 0) {
			exit(0);
		} else if (strcmp(*a, "exec") == 0) {
			run_new(a + 1);
		} else if (strcmp(*a, "chroot") == 0 && chroot("/") < 0) {
			fail(*a);
		} else if (strcmp(*a, "full") == 0) {
			while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
				;
		} else if (strcmp(*a, "seccomp") == 0) {
			if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) < 0)
				fail(*a);
			syscall(SYS_exit, 7);
		} else if (strcmp(*a, "kill") == 0) {
			raise(SIGKILL);
		} else if (strcmp(*a, "_exit") == 0) {
			_exit(0);
		} else if (strcmp(*a, "thread") == 0) {
			pthread_attr_t small;
			pthread_t t;

			if (pthread_attr_init(&small) != 0 ||
			    pthread_attr_setstacksize(&small, (size_t)PTHREAD_STACK_MIN) != 0 ||
			    pthread_create(&t, &small, run, a + 1) != 0 ||
			    pthread_join(t, NULL) != 0)
				fail(*a);
			break;
		}
	}
	exit(0);
}

int main(int argc, char **argv)
{
	(void)argc;
	arguments = argv;
	run(argv + 1);
}
