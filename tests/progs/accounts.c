/*
 * Does in turn what its arguments say, and is known to have done no more:
 *   write=N       N bytes by one call, which go nowhere
 *   burn=N        N milliseconds of CPU time
 *   thread=N      a thread that writes N bytes and burns N / 1000 milliseconds, joined
 *   late=N        a thread that writes N bytes in each of the first three rounds of its key
 *                 destructors, joined
 *   living=N      a thread as that of thread=N, which then lives on
 *   child         a child that does nothing, waited for
 *   refused       an exec that fails
 *   fork          from here on a child does what is left, and then the parent
 *   elsewhere, here  the directory $PERFMON_OUTPUT under another name, and back
 *   rank=N        the program says that it is MPI rank N of 8
 *   exit=N
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Of libmonitor. */
void monitor_set_size_rank(int size, int rank) __attribute__((weak));

static int nowhere;
static char bytes[1 << 20];
static pthread_key_t key;
static pthread_barrier_t ready;

static void put(long n)
{
	if (write(nowhere, bytes, (size_t)n) != n)
		_exit(99);
}

static void burn(long milliseconds)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < milliseconds);
}

/* What ends within a millisecond says less. */
static void linger(void)
{
	nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
}

static void *works(void *n)
{
	put((long)(intptr_t)n);
	burn((long)(intptr_t)n / 1000);
	linger();
	return n;
}

static void *lives(void *n)
{
	works(n);
	pthread_barrier_wait(&ready);
	while (pause() < 0)
		;
	return n;
}

static __thread long rounds;

static void round_ends(void *n)
{
	put((long)(intptr_t)n);
	if (++rounds < 3)
		pthread_setspecific(key, n);
}

static void *works_late(void *n)
{
	linger();
	pthread_setspecific(key, n);
	return n;
}

static void thread(void *(*function)(void *), long n, int join)
{
	pthread_t t;

	if (pthread_create(&t, NULL, function, (void *)(intptr_t)n) != 0)
		_exit(99);
	if (join)
		pthread_join(t, NULL);
	else
		pthread_barrier_wait(&ready);
}

static void child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		_exit(99);
}

/* Returns in the child, and in the parent once that is gone. */
static void fork_here(void)
{
	pid_t pid = fork();

	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void move(int back)
{
	const char *here = getenv("PERFMON_OUTPUT");
	char there[4096];

	snprintf(there, sizeof there, "%s.elsewhere", here);
	if (rename(back ? there : here, back ? here : there) < 0)
		_exit(99);
}

int main(int argc, char **argv)
{
	nowhere = open("/dev/null", O_WRONLY);
	pthread_barrier_init(&ready, NULL, 2);
	pthread_key_create(&key, round_ends);
	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '=');
		long n = equals ? atol(equals + 1) : 0;

		if (equals)
			*equals = '\0';
		if (strcmp(argv[i], "write") == 0)
			put(n);
		else if (strcmp(argv[i], "burn") == 0)
			burn(n);
		else if (strcmp(argv[i], "thread") == 0)
			thread(works, n, 1);
		else if (strcmp(argv[i], "late") == 0)
			thread(works_late, n, 1);
		else if (strcmp(argv[i], "living") == 0)
			thread(lives, n, 0);
		else if (strcmp(argv[i], "child") == 0)
			child();
		else if (strcmp(argv[i], "refused") == 0)
			execl("./refused", "refused", (char *)NULL);
		else if (strcmp(argv[i], "fork") == 0)
			fork_here();
		else if (strcmp(argv[i], "elsewhere") == 0 || strcmp(argv[i], "here") == 0)
			move(argv[i][0] == 'h');
		else if (strcmp(argv[i], "rank") == 0 && monitor_set_size_rank)
			monitor_set_size_rank(8, (int)n);
		else if (strcmp(argv[i], "exit") == 0)
			exit((int)n);
		else
			return 98;
	}
	return 0;
}
