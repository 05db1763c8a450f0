/*
 * A bit of everything that the collector interposes, with standard C and POSIX alone, so that other
 * libcs and sanitizers can be asked, too. Prints one line per observation, the same in every run.
 *
 * usage: everything         the round: threads, fork, wait, system, vfork, exec; ends with 5
 *        everything cancel  threads cancelled in waits unwind their stacks
 *        everything alarm   a signal handler that waits interrupts a blocking wait
 *        everything WHAT    makes the mistake: leak, overflow, race, or uninitialised; ends with 5
 *                           where no checker ends it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;
static int shared;
static pid_t pid;

void *work(void *argument);
void *work(void *argument)
{
	pthread_mutex_lock(&mutex);
	done++;
	pthread_mutex_unlock(&mutex);
	return argument;
}

static void with_threads(void *(*function)(void *))
{
	pthread_t id[4];
	long sum = 0;

	for (long i = 0; i < 4; i++)
		if (pthread_create(&id[i], NULL, function, (void *)(i + 1)) != 0)
			exit(99);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(id[i], &result);
		sum += (long)result;
	}
	printf("threads: %d done, sum %ld\n", done, sum);
	fflush(stdout);
}

static int whole_round(void)
{
	int status = 0;

	with_threads(work);
	pid = fork();
	if (pid == 0)
		_exit(3);
	printf("fork: %d", waitpid(pid, &status, 0) == pid);
	printf(" %x\n", (unsigned)status);
	fflush(stdout);
	printf("system: %x\n", (unsigned)system("exit 7"));
	fflush(stdout);
	pid = vfork();
	if (pid == 0) {
		execlp("sh", "sh", "-c", "exit 9", (char *)NULL);
		_exit(1);
	}
	printf("vfork: %d", wait(&status) == pid);
	printf(" %x\n", (unsigned)status);
	errno = 0;
	printf("wait: %d", wait(NULL));
	printf(" %d\n", errno == ECHILD);
	errno = 0;
	printf("exec: %d", execl("/nonexistent", "x", (char *)NULL));
	printf(" %d\n", errno == ENOENT);
	fflush(stdout);
	return 5;
}

static void gone(char *const *name)
{
	printf("left %s\n", *name);
	fflush(stdout);
}

static void *wait_for_child(void *unused)
{
	__attribute__((cleanup(gone))) char *outer = (char *)"outer";
	{
		__attribute__((cleanup(gone))) char *inner = (char *)"inner";
		int status;

		(void)inner;
		waitpid(pid, &status, 0);
	}
	(void)outer;
	return unused;
}

/* Cancellation unwinds the stack through the call that was cancelled. */
static int cancelled(void)
{
	pthread_t id;
	void *result;

	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	pthread_create(&id, NULL, wait_for_child, NULL);
	pthread_cancel(id);
	pthread_join(id, &result);
	printf("cancelled: %d\n", result == PTHREAD_CANCELED);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 5;
}

static volatile sig_atomic_t reaped;

static void reap(int sig)
{
	int saved = errno;

	(void)sig;
	while (waitpid(-1, NULL, WNOHANG) > 0)
		reaped++;
	errno = saved;
}

static int alarmed(void)
{
	struct sigaction sa = { .sa_handler = reap, .sa_flags = SA_RESTART };

	sigaction(SIGCHLD, &sa, NULL);
	for (int i = 0; i < 40; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(0);
		if (i % 2 && waitpid(child, NULL, 0) == child)
			__atomic_add_fetch(&reaped, 1, __ATOMIC_RELAXED);
	}
	while (wait(NULL) > 0)
		__atomic_add_fetch(&reaped, 1, __ATOMIC_RELAXED);
	printf("reaped: %d\n", (int)reaped);
	return 5;
}

static void *increment(void *argument)
{
	shared++;
	return argument;
}

static int mistake(const char *what)
{
	volatile char *volatile p = malloc(16);

	if (!p)
		return 99;
	if (strcmp(what, "overflow") == 0)
		p[16] = 1;
	else if (strcmp(what, "uninitialised") == 0 && p[3] == 77)
		printf("luck\n");
	if (strcmp(what, "leak") == 0)
		p = NULL;
	free((void *)p);
	if (strcmp(what, "race") == 0)
		with_threads(increment);
	return 5;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!*what)
		return whole_round();
	if (strcmp(what, "cancel") == 0)
		return cancelled();
	if (strcmp(what, "alarm") == 0)
		return alarmed();
	return mistake(what);
}
