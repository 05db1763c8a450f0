/*
 * One process of every kind. Prints "pid images how" for each process it made: how many images
 * (exec and fork) it had and how the last one ended.
 *
 * usage: family           the whole family
 *        family code N    exit(N)
 *        family daemon N  become a daemon, which prints its pid and its parent's, and exit(N)
 *        family pty N     a child on a pseudo terminal that does exit(N); prints its pid
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
#define ARGV(...) ((char **)(uintptr_t)(const char *const[]){ __VA_ARGS__, NULL })

static const char *self;

static void say(pid_t pid, int images, const char *how)
{
	printf("%ld %d %s\n", (long)pid, images, how);
}

/* Start a child that runs `body`; wait for it and say what it was. */
static void child(int images, const char *how, void (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		body();
		_exit(99);
	}
	waitpid(pid, NULL, 0);
	say(pid, images, how);
}

static void by_exit(void)
{
	exit(3);
}
static void by_underscore_exit(void)
{
	/* Waits tell the low eight bits of a status. */
	_exit(256 + 4);
}
static void by_capital_exit(void)
{
	_Exit(512 + 5);
}
static void by_quick_exit(void)
{
	quick_exit(256 + 6);
}
static void by_kill(void)
{
	kill(getpid(), SIGKILL);
}
static void by_segv(void)
{
	kill(getpid(), SIGSEGV);
}
static void by_raw(void)
{
	syscall(SYS_exit_group, 7);
}

static void by_execl(void)
{
	execl(self, self, "code", "10", (char *)NULL);
}
static void by_execlp(void)
{
	execlp("true", "true", "a b", (char *)NULL);
}
static void by_execle(void)
{
	execle(self, self, "code", "11", (char *)NULL, environ);
}
static void by_execv(void)
{
	execv(self, ARGV("x", "code", "12"));
}
static void by_execve(void)
{
	execve(self, ARGV("x", "code", "13"), environ);
}
static void by_execvp(void)
{
	execvp("true", ARGV("true"));
}
static void by_execvpe(void)
{
	execvpe("true", ARGV("true"), environ);
}

static void by_fexecve(void)
{
	fexecve(open(self, O_RDONLY | O_CLOEXEC), ARGV("x", "code", "14"), environ);
}

static void by_chain(void)
{
	execlp("sh", "sh", "-c", "exec sh -c 'exec true'", (char *)NULL);
}

static void by_failed_exec(void)
{
	execl("/nonexistent", "x", (char *)NULL);
	execl("/", "x", (char *)NULL);
	if (errno != EACCES)
		_exit(98);
	exit(8);
}

/* The announced end must be taken back: the file looks executable and is not. */
static void by_resumed_exec(void)
{
	char name[] = "bad-image.XXXXXX";
	int fd = mkstemp(name);

	if (write(fd, "\177ELFnonsense", 12) != 12 || fchmod(fd, 0700) < 0)
		_exit(97);
	close(fd);
	execl(name, name, (char *)NULL);
	if (errno != ENOEXEC)
		_exit(98);
	unlink(name);
	exit(9);
}

static void *nothing(void *unused)
{
	return unused;
}

static void *leave(void *unused)
{
	(void)unused;
	exit(15);
}

static void by_other_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, leave, NULL);
	for (;;)
		pause();
}

static void *linger(void *unused)
{
	usleep(20000);
	return unused;
}

static void by_pthread_exit(void)
{
	pthread_t id;

	pthread_create(&id, NULL, linger, NULL);
	pthread_exit(NULL);
}

static void with_threads(void)
{
	pthread_t id[8];

	for (int i = 0; i < 8; i++)
		pthread_create(&id[i], NULL, nothing, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(id[i], NULL);
	exit(16);
}

int main(int argc, char **argv)
{
	pid_t pid;

	self = argv[0];
	if (argc > 2 && strcmp(argv[1], "daemon") == 0) {
		pid = getpid();
		if (daemon(1, 1) < 0)
			return 99;
		printf("%ld %ld\n", (long)getpid(), (long)pid);
		return atoi(argv[2]);
	}
	if (argc > 2 && strcmp(argv[1], "pty") == 0) {
		int master;

		pid = forkpty(&master, NULL, NULL, NULL);
		if (pid < 0)
			return 77;
		if (pid == 0)
			_exit(atoi(argv[2]));
		waitpid(pid, NULL, 0);
		printf("%ld\n", (long)pid);
		return 0;
	}
	if (argc > 2)
		return atoi(argv[2]);
	self = realpath("/proc/self/exe", NULL);
	child(1, "exit 3", by_exit);
	child(1, "exit 4", by_underscore_exit);
	child(1, "exit 5", by_capital_exit);
	child(1, "exit 6", by_quick_exit);
	child(1, "signal 9", by_kill);
	child(1, "signal 11", by_segv);
	child(1, "exit 7", by_raw);
	child(2, "exit 10", by_execl);
	child(2, "exit 0", by_execlp);
	child(2, "exit 11", by_execle);
	child(2, "exit 12", by_execv);
	child(2, "exit 13", by_execve);
	child(2, "exit 0", by_execvp);
	child(2, "exit 0", by_execvpe);
	child(2, "exit 14", by_fexecve);
	child(4, "exit 0", by_chain);
	child(1, "exit 8", by_failed_exec);
	child(1, "exit 9", by_resumed_exec);
	child(1, "exit 15", by_other_thread);
	child(1, "exit 0", by_pthread_exit);
	child(1, "exit 16", with_threads);

	posix_spawn(&pid, self, NULL, NULL, ARGV("x", "code", "17"), environ);
	waitpid(pid, NULL, 0);
	say(pid, 1, "exit 17");

	pid = vfork();
	if (pid == 0) {
		execl(self, self, "code", "18", (char *)NULL);
		_exit(99);
	}
	waitpid(pid, NULL, 0);
	say(pid, 1, "exit 18");

	/* Never becomes an image of its own: only the wait knows it. */
	pid = vfork();
	if (pid == 0)
		_exit(19);
	waitpid(pid, NULL, 0);
	say(pid, 0, "exit 19");
	free((void *)(uintptr_t)self);
	return 0;
}
