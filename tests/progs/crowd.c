/*
 * Many short processes of one kind, made and ended in a way that a seed decides. Prints nothing.
 * Needs nothing of perfmon, so that it can be linked statically, too.
 *
 * usage: crowd SEED KIND COUNT [ARGUMENT...]
 *
 * The kinds are listed at the end. Exit status: 0, or 99 where a child did not end as it had to.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char *self;
static char **rest; /* arguments behind COUNT */
static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static void fail(const char *what)
{
	fprintf(stderr, "crowd: %s: %s\n", what, strerror(errno));
	exit(99);
}

static pid_t made(pid_t pid)
{
	if (pid < 0)
		fail("fork");
	return pid;
}

/* Wait for a child that has to end with this status. */
static void expect(pid_t pid, int want)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("wait");
	if ((status & ~0x80) != want) /* a core or not */
		fail("a child ended otherwise");
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void burn(int64_t ns)
{
	while (cpu_ns() < ns)
		;
}

static void pause_ns(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

/* --- kinds ------------------------------------------------------------------------------------ */

/* Children by fork that exit, each with a status of its own. */
static void forks(int i)
{
	pid_t pid = made(fork());

	if (pid == 0) {
		if (i % 2)
			_exit(i & 0x7f);
		exit(i & 0x7f);
	}
	expect(pid, (i & 0x7f) << 8);
}

/* A child that has a child, seven deep: COUNT counts the processes. */
static void chain(int i)
{
	pid_t pid;

	if (i % 7)
		return;
	for (int depth = 0; depth < 7; depth++) {
		pid = made(fork());
		if (pid > 0) {
			expect(pid, 0);
			if (depth > 0)
				_exit(0);
			return;
		}
	}
	_exit(0);
}

/* Open as long as a process of ours lives that holds the other end. */
static int alive[2];

/* The child leaves its own child behind; at the end all of them are waited for by end of file. */
static void orphans(int i)
{
	pid_t pid = made(fork());

	(void)i;
	if (pid == 0) {
		if (made(fork()) == 0) {
			setsid();
			pause_ns(random_below(300000));
		}
		_exit(0);
	}
	expect(pid, 0);
}

static void spawn(int i)
{
	pid_t pid;

	(void)i;
	if (posix_spawn(&pid, rest[0], NULL, NULL, rest, environ) != 0)
		fail(rest[0]);
	expect(pid, 0);
}

static void by_vfork(int i)
{
	pid_t pid = made(vfork());

	(void)i;
	if (pid == 0) {
		execv(rest[0], rest);
		_exit(99);
	}
	expect(pid, 0);
}

/* Another program in the same process, i times over. */
static void images(int i)
{
	char count[16], number[16];
	pid_t pid;

	if (!rest[0]) {
		pid = made(fork());
		if (pid > 0) {
			expect(pid, 0);
			return;
		}
		i = 4;
	}
	if (i == 0)
		_exit(0);
	snprintf(number, sizeof number, "%u", (unsigned)seed);
	snprintf(count, sizeof count, "%d", i);
	execl(self, self, number, "images", count, "more", (char *)NULL);
	_exit(99);
}

/* Children that are killed at some moment of their lives, from the first to the last. */
static void kills(int i)
{
	int sig = i % 3 ? SIGKILL : SIGTERM;
	pid_t pid = made(fork());

	if (pid == 0) {
		if (i % 2)
			execl(self, self, "1", "sleep", "1000", (char *)NULL);
		for (;;)
			pause();
	}
	pause_ns(random_below(3000000));
	kill(pid, sig);
	expect(pid, sig);
}

/* Process groups that are killed as a whole, with a command that starts others all the time. */
static void groups(int i)
{
	pid_t pid = made(fork());

	(void)i;
	if (pid == 0) {
		setpgid(0, 0);
		execv(rest[0], rest);
		_exit(99);
	}
	setpgid(pid, pid);
	pause_ns(2000000 + random_below(20000000));
	kill(-pid, SIGKILL);
	expect(pid, SIGKILL);
}

/* Children that die by themselves. */
static void deaths(int i)
{
	static const int sig[] = { SIGABRT, SIGSEGV, SIGBUS, SIGUSR1, 0 };
	int way = i % 5;
	pid_t pid = made(fork());

	if (pid == 0) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		if (way == 0)
			abort();
		if (way < 4)
			kill(getpid(), sig[way]);
		syscall(SYS_exit_group, 17);
	}
	expect(pid, way == 4 ? 17 << 8 : sig[way]);
}

/* Children that nobody waits for: they are gone, or killed, before their parent is. */
static void unwaited(int i)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready) < 0)
		fail("pipe");
	pid = made(fork());
	if (pid > 0) {
		close(ready[0]);
		close(ready[1]);
		expect(pid, 0);
		return;
	}
	pid = made(fork());
	if (pid == 0) {
		close(ready[0]);
		if (i % 2)
			_exit(3);
		if (write(ready[1], "x", 1) == 1)
			for (;;)
				pause();
		_exit(99);
	}
	close(ready[1]);
	/* End of file, or that it is up. */
	if (read(ready[0], &byte, 1) == 1)
		kill(pid, SIGKILL);
	_exit(0);
}

/* Children waited for in every other way, by a thread of their parent's the last time. */
static void *wait_any(void *pid)
{
	expect(*(pid_t *)pid, 9 << 8);
	return NULL;
}

static void waits(int i)
{
	siginfo_t info;
	struct rusage used;
	pthread_t thread;
	pid_t pid = made(fork());
	int status = 0, way = i % 5;

	if (pid == 0)
		_exit(9);
	info.si_status = 0;
	if (way == 0) {
		/* Twice, and only the second counts. */
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 ||
		    waitid(P_PID, (id_t)pid, &info, WEXITED) < 0)
			fail("waitid");
		status = info.si_status << 8;
	} else if (way == 1) {
		if (waitid(P_ALL, 0, &info, WEXITED) < 0)
			fail("waitid");
		status = info.si_status << 8;
	} else if (way == 2) {
		if (wait3(&status, 0, &used) != pid)
			fail("wait3");
	} else if (way == 3) {
		while (wait4(pid, &status, WNOHANG, NULL) == 0)
			sched_yield();
	} else {
		if (pthread_create(&thread, NULL, wait_any, &pid) != 0)
			fail("pthread_create");
		pthread_join(thread, NULL);
		return;
	}
	if (status != 9 << 8)
		fail("a child ended otherwise");
}

static void *body(void *unused)
{
	return unused;
}

/* Processes of five threads; in every other one the first is the first to end. */
static void threads(int i)
{
	pid_t pid = made(fork());
	pthread_t t[4];

	if (pid > 0) {
		expect(pid, 0);
		return;
	}
	for (int k = 0; k < 4; k++)
		if (pthread_create(&t[k], NULL, body, NULL) != 0)
			fail("pthread_create");
	for (int k = 0; k < 4; k++)
		pthread_join(t[k], NULL);
	if (i % 2)
		pthread_exit(NULL);
	exit(0);
}

/* What libc starts and waits for itself. */
static void libc(int i)
{
	char text[64];
	FILE *p;

	if (i % 2) {
		if (system("exit 5") != 5 << 8)
			fail("system");
		return;
	}
	p = popen("echo; exit 6", "r");
	if (!p || !fgets(text, sizeof text, p) || pclose(p) != 6 << 8)
		fail("popen");
}

/* Children that libc does not know of. */
static void raw(int i)
{
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		syscall(SYS_exit_group, i & 0x7f);
	expect(made(pid), (i & 0x7f) << 8);
}

/* Children whose end the kernel does not keep for their parent. */
static void ignored(int i)
{
	signal(SIGCHLD, SIG_IGN);
	if (made(fork()) == 0)
		_exit(i & 0x7f);
	while (wait(NULL) > 0)
		;
	signal(SIGCHLD, SIG_DFL);
}

/* Put a process into a control group. */
static void join_group(const char *group, pid_t pid)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "%ld\n", (long)pid) < 0)
		fail(path);
	close(fd);
}

/*
 * burn COUNT MS GROUP FILE: processes that use the CPU for MS ms and more, each in a control group
 * of its own below GROUP. FILE gets their pids and the CPU time in ns that they had used before.
 */
static void burns(int i)
{
	static const char *const how[] = { "alone", "thread", "exec", "killed" };
	char group[4096], ms[16];
	int go[2], used[2];
	int64_t before;
	pid_t pid;
	FILE *f;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(used, O_CLOEXEC) < 0)
		fail("pipe");
	pid = made(fork());
	snprintf(ms, sizeof ms, "%d", atoi(rest[0]) * (1 + i % 3));
	if (pid == 0) {
		close(go[1]);
		before = cpu_ns();
		if (write(used[1], &before, sizeof before) == sizeof before &&
		    read(go[0], ms, 1) == 0)
			execl(self, self, "1", "spin", ms, how[i % 4], (char *)NULL);
		_exit(99);
	}
	close(go[0]);
	close(used[1]);
	if (read(used[0], &before, sizeof before) != sizeof before)
		fail("read");
	snprintf(group, sizeof group, "%s/burn-%ld", rest[1], (long)pid);
	if (mkdir(group, 0700) < 0)
		fail(group);
	join_group(group, pid);
	close(go[1]);
	expect(pid, i % 4 == 3 ? SIGKILL : 0);
	close(used[0]);
	f = fopen(rest[2], "a");
	if (!f || fprintf(f, "%ld %lld\n", (long)pid, (long long)before) < 0 || fclose(f) != 0)
		fail(rest[2]);
}

/* lost COUNT MS GROUP: orphans that use the CPU for MS ms, in a control group. */
static void lost(int i)
{
	pid_t pid = made(fork());

	(void)i;
	if (pid == 0) {
		if (made(fork()) == 0) {
			join_group(rest[1], getpid());
			burn((int64_t)atoi(rest[0]) * 1000000);
		}
		_exit(0);
	}
	expect(pid, 0);
}

static void *burn_too(void *ns)
{
	burn(*(int64_t *)ns);
	return NULL;
}

/* COUNT is the time here; it is spent alone, with another thread, in two images, or cut off. */
static void spin(int ms)
{
	int64_t ns = (int64_t)ms * 1000000;
	char number[16];
	pthread_t thread;

	switch (rest[0] ? rest[0][0] : 'a') {
	case 't':
		if (pthread_create(&thread, NULL, burn_too, &ns) != 0)
			fail("pthread_create");
		burn(ns);
		pthread_join(thread, NULL);
		break;
	case 'e':
		burn(ns / 2);
		snprintf(number, sizeof number, "%d", ms);
		execl(self, self, "1", "spin", number, (char *)NULL);
		fail(self);
		break;
	case 'k':
		burn(ns);
		kill(getpid(), SIGKILL);
		break;
	default:
		burn(ns);
	}
}

static void sleeps(int s)
{
	sleep((unsigned)s);
}

static const struct {
	const char *name;
	void (*once)(int); /* called with COUNT, or */
	void (*each)(int); /* called COUNT times */
} kind[] = {
	{ "forks", NULL, forks },     { "chain", NULL, chain },    { "orphans", NULL, orphans },
	{ "spawn", NULL, spawn },     { "vfork", NULL, by_vfork }, { "images", images, images },
	{ "kills", NULL, kills },     { "deaths", NULL, deaths },  { "unwaited", NULL, unwaited },
	{ "threads", NULL, threads }, { "libc", NULL, libc },      { "raw", NULL, raw },
	{ "ignored", NULL, ignored }, { "waits", NULL, waits },    { "groups", NULL, groups },
	{ "burn", NULL, burns },      { "lost", NULL, lost },      { "spin", spin, NULL },
	{ "sleep", sleeps, NULL },
};

int main(int argc, char **argv)
{
	int count;
	char byte;

	if (argc < 4)
		return 2;
	self = argv[0];
	seed = strtoull(argv[1], NULL, 10);
	count = atoi(argv[3]);
	rest = argv + 4;
	for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++) {
		if (strcmp(argv[2], kind[k].name) != 0)
			continue;
		if (kind[k].once && (!kind[k].each || rest[0])) {
			kind[k].once(count - (kind[k].each != NULL));
			return 0;
		}
		if (pipe2(alive, O_CLOEXEC) < 0)
			fail("pipe");
		for (int i = 0; i < count; i++)
			kind[k].each(i);
		/* Orphans hold the other end. */
		close(alive[1]);
		if (read(alive[0], &byte, 1) != 0)
			fail("read");
		return 0;
	}
	return 2;
}
