/*
 * Fork children and threads that live for a moment or longer, for collector/brief.t.
 *
 * usage: brief born N    fork children and threads of this process print "pid tid starttime" as
 *                        their own stat files say, and "certain" where they were made and began
 *                        within one clock tick: until N threads were
 *        brief lives     a child that ends at once, one that is killed at once, one that lives 5
 * ms, one that writes 1000 bytes and runs /bin/true: prints "name pid" of each; then a thread that
 * ends at once and one that lives 5 ms: "name tid"
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* When the last birth began, in clock ticks after boot; and how many were over in the same. */
static long long before;
static int certain;

static long long ticks(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (t.tv_sec * 1000000000LL + t.tv_nsec) / (1000000000LL / sysconf(_SC_CLK_TCK));
}

static void *print_birth(void *unused)
{
	bool same = ticks() == before;
	char text[1024], line[96];
	long long start;
	const char *p;
	ssize_t n;
	int fd = open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || (n = read(fd, text, sizeof text - 1)) <= 0)
		_exit(2);
	close(fd);
	text[n] = '\0';
	p = strrchr(text, ')');
	if (!p || sscanf(p + 2,
			 "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
			 "%*d %*d %*d %lld",
			 &start) != 1)
		_exit(3);
	n = snprintf(line, sizeof line, "%d %ld %lld %s\n", (int)getpid(), syscall(SYS_gettid),
		     start, same ? "certain" : "overtaken");
	certain += same;
	if (write(1, line, (size_t)n) != n)
		_exit(4);
	return unused;
}

static void born(int n)
{
	pthread_t thread;
	pid_t pid;

	while (certain < n) {
		before = ticks();
		if ((pid = fork()) < 0)
			fail("fork");
		if (pid == 0) {
			print_birth(NULL);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			fail("waitpid");
		before = ticks();
		if (pthread_create(&thread, NULL, print_birth, NULL) != 0)
			fail("pthread_create");
		pthread_join(thread, NULL);
	}
}

static void live(void)
{
	const struct timespec while_ = { 0, 5000000 };

	nanosleep(&while_, NULL);
}

static void in_child(const char *name, void (*act)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		act();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	printf("%s %d\n", name, (int)pid);
	fflush(stdout);
}

static void nothing(void)
{
}

static void killed(void)
{
	syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

static void write_and_exec(void)
{
	static char bytes[1000];
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (write(fd, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
		_exit(5);
	execl("/bin/true", "true", (char *)NULL);
}

static void *in_thread(void *act)
{
	long tid = syscall(SYS_gettid);

	(*(void (**)(void))act)();
	return (void *)tid;
}

static void thread(const char *name, void (*act)(void))
{
	pthread_t id;
	void *tid;

	if (pthread_create(&id, NULL, in_thread, &act) != 0)
		fail("pthread_create");
	pthread_join(id, &tid);
	printf("%s %ld\n", name, (long)tid);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "born") == 0) {
		born(atoi(argv[2]));
		return 0;
	}
	in_child("moment", nothing);
	in_child("killed", killed);
	in_child("longer", live);
	in_child("exec", write_and_exec);
	thread("thread-moment", nothing);
	thread("thread-longer", live);
	return 0;
}
