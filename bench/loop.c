/*
 * Does one thing N times, for pairs:
 *
 * usage: loop fork N     fork, _exit, wait
 *        loop spawn N    posix_spawn of /bin/true, wait
 *        loop reap N     the same, with an environment that loads nothing into the child
 *        loop thread N   create and join a thread
 *        loop crowd N    N threads alive at once
 */
#include "config.h"

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void check(int failed)
{
	if (failed)
		exit(1);
}

static void fork_all(long n)
{
	while (n-- > 0) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		check(waitpid(pid, NULL, 0) != pid);
	}
}

static void spawn_under(char *const *env, long n)
{
	char name[] = "true", *argv[] = { name, NULL };
	pid_t pid;

	while (n-- > 0)
		check(posix_spawn(&pid, "/bin/true", NULL, NULL, argv, env) != 0 ||
		      waitpid(pid, NULL, 0) != pid);
}

static void spawn_all(long n)
{
	spawn_under(environ, n);
}

static void reap_all(long n)
{
	char *none[] = { NULL };

	spawn_under(none, n);
}

static void *nothing(void *unused)
{
	return unused;
}

static void thread_all(long n)
{
	pthread_t id;

	while (n-- > 0)
		check(pthread_create(&id, NULL, nothing, NULL) != 0 || pthread_join(id, NULL) != 0);
}

static void *pass_gate(void *unused)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return unused;
}

static void crowd_all(long n)
{
	pthread_t *id = calloc((size_t)n + 1, sizeof *id);

	check(!id);
	pthread_mutex_lock(&gate);
	for (long i = 0; i < n; i++)
		check(pthread_create(&id[i], NULL, pass_gate, NULL) != 0);
	pthread_mutex_unlock(&gate);
	for (long i = 0; i < n; i++)
		check(pthread_join(id[i], NULL) != 0);
	free(id);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long n);
	} table[] = {
		{ "fork", fork_all },     { "spawn", spawn_all }, { "reap", reap_all },
		{ "thread", thread_all }, { "crowd", crowd_all },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0] && argc == 3; i++)
		if (strcmp(argv[1], table[i].name) == 0) {
			table[i].run(atol(argv[2]));
			return 0;
		}
	fprintf(stderr, "usage: loop fork|spawn|reap|thread|crowd N\n");
	return 2;
}
