/*
 * Children made in ways of their own, one per call. Prints what the program itself learns of them;
 * the last line is "used N", the microseconds of CPU time of all children it waited for.
 *
 * usage: children system COMMAND       system(): prints the status
 *        children bare COMMAND         the same with an empty environment
 *        children popen COMMAND...     popen() of all, then pclose() of all in that order: statuses
 *        children wordexp WORDS        wordexp(): prints how many words
 *        children handler COMMAND      system() while a handler of SIGALRM waits for other children
 *        children threads N            N threads in system("exit K") at once: sum of the statuses
 *        children blocked COMMAND      system() while another thread waits for another child
 *        children ignored CODE         ignores SIGCHLD: one child uses CPU time and exits with CODE,
 *                                      one is killed; both are gone when it ends
 *        children spawn PROGRAM MS     posix_spawn() of "PROGRAM spin MS": its exit status
 *        children twice MS             a child of a child in a session of its own, which ends last
 *                                      and exits with 6; says its pid and its parent's
 *        children zombie MS            a child uses MS of CPU time, the program twice as much; it is
 *                                      killed some time after the child's end without a wait for it
 *        children ignoring MS          the same, but SIGCHLD is ignored
 *        children spin MS              uses CPU time and exits with 3
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

static void spin(long ms)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

static long long used(void)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	return (ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000LL + ru.ru_utime.tv_usec +
	       ru.ru_stime.tv_usec;
}

static void streams(char **command, int n)
{
	FILE *stream[16];

	for (int i = 0; i < n; i++)
		stream[i] = popen(command[i], "w");
	for (int i = 0; i < n; i++)
		printf("%d\n", pclose(stream[i]));
}

static void words(const char *text)
{
	wordexp_t w;

	if (wordexp(text, &w, 0) == 0) {
		printf("%zu\n", w.we_wordc);
		wordfree(&w);
	}
}

/* The handler's child and its wait fall into the time of the call. */
static volatile sig_atomic_t handled;

static void handler(int sig)
{
	pid_t pid = fork();

	(void)sig;
	if (pid == 0) {
		spin(30);
		_exit(17);
	}
	waitpid(pid, NULL, 0);
	handled++;
}

static void with_handler(const char *command)
{
	const struct itimerval in = { { 0, 0 }, { 0, 20000 } };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };
	int status;

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &in, NULL);
	status = system(command);
	while (!handled)
		pause();
	printf("%d\n", status);
}

static void *exit_with(void *code)
{
	char command[32];

	snprintf(command, sizeof command, "exit %d", (int)(size_t)code);
	return (void *)(size_t)WEXITSTATUS(system(command));
}

static void in_threads(int n)
{
	pthread_t id[64];
	size_t sum = 0;

	for (int i = 0; i < n; i++)
		pthread_create(&id[i], NULL, exit_with, (void *)(size_t)(i + 1));
	for (int i = 0; i < n; i++) {
		void *code;

		pthread_join(id[i], &code);
		sum += (size_t)code;
	}
	printf("%zu\n", sum);
}

static int gate[2];
static volatile pid_t waiter;

static void *wait_for_other(void *unused)
{
	pid_t pid = fork();
	char c;

	if (pid == 0) {
		close(gate[1]);
		_exit(read(gate[0], &c, 1) == 0 ? 21 : 22);
	}
	waiter = gettid();
	waitpid(pid, NULL, 0);
	return unused;
}

/* Whether a thread of this process sleeps. */
static int sleeps(pid_t tid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%*[^)]) %c", &state) != 1)
		exit(98);
	fclose(f);
	return state == 'S';
}

static void blocked(const char *command)
{
	pthread_t id;

	if (pipe2(gate, O_CLOEXEC) < 0)
		exit(99);
	pthread_create(&id, NULL, wait_for_other, NULL);
	while (!waiter || !sleeps(waiter))
		usleep(1000);
	printf("%d\n", system(command));
	close(gate[1]);
	pthread_join(id, NULL);
}

static void ignored(int code)
{
	signal(SIGCHLD, SIG_IGN);
	if (fork() == 0) {
		spin(20);
		_exit(code);
	}
	if (fork() == 0) {
		kill(getpid(), SIGKILL);
		_exit(99);
	}
	/* It fails once all are gone. */
	printf("%d\n", (int)wait(NULL));
}

static void spawned(char *program, char *ms)
{
	char *argument[] = { program, (char[]){ "spin" }, ms, NULL };
	int status = -1;
	pid_t pid;

	if (posix_spawn(&pid, program, NULL, NULL, argument, environ) == 0)
		waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
}

/* What a daemon does. The pipe is closed when it is gone. */
static void twice(long ms)
{
	int fd[2];
	char c;

	if (pipe(fd) < 0)
		exit(99);
	if (fork() == 0) {
		pid_t parent = getpid();

		setsid();
		if (fork() != 0)
			_exit(5);
		close(fd[0]);
		spin(ms);
		printf("%d %d\n", (int)getpid(), (int)parent);
		fflush(stdout);
		_exit(6);
	}
	close(fd[1]);
	wait(NULL);
	if (read(fd[0], &c, 1) != 0)
		exit(99);
}

/* 0.3 s are longer than any wait takes to return. */
static void unwaited(long ms, int ignore)
{
	siginfo_t end;
	pid_t pid;

	if (ignore)
		signal(SIGCHLD, SIG_IGN);
	pid = fork();
	if (pid == 0) {
		spin(ms);
		exit(0);
	}
	spin(2 * ms);
	if (ignore)
		while (kill(pid, 0) == 0)
			usleep(1000);
	else
		waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT);
	usleep(300000);
	raise(SIGKILL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	if (strcmp(how, "spin") == 0) {
		spin(atol(argv[2]));
		return 3;
	}
	if (strcmp(how, "system") == 0)
		printf("%d\n", system(argv[2]));
	else if (strcmp(how, "bare") == 0 && clearenv() == 0)
		printf("%d\n", system(argv[2]));
	else if (strcmp(how, "popen") == 0)
		streams(argv + 2, argc - 2);
	else if (strcmp(how, "wordexp") == 0)
		words(argv[2]);
	else if (strcmp(how, "handler") == 0)
		with_handler(argv[2]);
	else if (strcmp(how, "threads") == 0)
		in_threads(atoi(argv[2]));
	else if (strcmp(how, "blocked") == 0)
		blocked(argv[2]);
	else if (strcmp(how, "ignored") == 0)
		ignored(atoi(argv[2]));
	else if (strcmp(how, "spawn") == 0 && argc > 3)
		spawned(argv[2], argv[3]);
	else if (strcmp(how, "twice") == 0)
		twice(atol(argv[2]));
	else if (strcmp(how, "zombie") == 0 || strcmp(how, "ignoring") == 0)
		unwaited(atol(argv[2]), how[0] == 'i');
	else
		return 2;
	printf("used %lld\n", used());
	return 0;
}
