/*
 * A thread ends while an exec of the main thread fails, and what the process must have read or
 * written all the same, as lines "# PID holds COLUMN LOWEST HIGHEST". A process with children has
 * the sums of its threads.
 *
 * Usage: peers_execs ending FILE   threads one after the other, until one has lines to write and
 *                                  that, its 101st write, takes long
 *        peers_execs late FILE     a thread that reads and ends after the end was announced, whose
 *                                  writing takes longer
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/progs/burn.h"

enum { BLOCK = 1000, BLOCKS = 100, THREADS_MAX = 100 };

static int begun;

static void create(pthread_t *id, void *(*function)(void *))
{
	int error = pthread_create(id, NULL, function, NULL);

	if (error) {
		fprintf(stderr, "peers_execs: pthread_create: %s\n", strerror(error));
		exit(77);
	}
}

static void *writes(void *unused)
{
	static const char block[BLOCK];
	int null = open("/dev/null", O_WRONLY);

	burn_thread_ms(5); /* not brief */
	for (int i = 0; i < BLOCKS; i++)
		if (write(null, block, sizeof block) != sizeof block)
			_exit(98);
	close(null);
	return unused;
}

static void *reads_later(void *unused)
{
	const struct timespec moment = { 0, 100000000 };
	char block[BLOCK];
	int zero = open("/dev/zero", O_RDONLY);

	__atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
	nanosleep(&moment, NULL);
	for (int i = 0; i < BLOCKS; i++)
		if (read(zero, block, sizeof block) != sizeof block)
			_exit(98);
	close(zero);
	return unused;
}

/* Returns how many threads wrote, the last of which takes long to end; 0 where none does. */
static int begin_writing(pthread_t *id)
{
	struct timespec until;

	for (int n = 1; n <= THREADS_MAX; n++) {
		create(id, writes);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 100000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (pthread_timedjoin_np(*id, NULL, &until) == ETIMEDOUT)
			return n;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	int bytes = BLOCK * BLOCKS;
	pthread_t id;

	if (fork() == 0)
		_exit(0);
	wait(NULL);
	if (strcmp(what, "ending") == 0) {
		bytes *= begin_writing(&id);
	} else if (strcmp(what, "late") == 0) {
		create(&id, reads_later);
		while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
			sched_yield();
	} else {
		return 98;
	}
	if (bytes == 0)
		return 97;
	execv(argv[2], argv + 2);
	pthread_join(id, NULL);
	/* The program and the collector read and write a little more. */
	printf("# %d exit 15\n# %d holds %s %d %d\n", getpid(), getpid(),
	       what[0] == 'l' ? "rchar" : "wchar", bytes, bytes + BLOCK * BLOCKS - 1);
	fflush(stdout);
	return 15;
}
