/*
 * Processes that end in every way. Prints "# PID exit N", "# PID signal N" or, where the process
 * cannot tell of its end itself, "# PID reaped N", and what its end record must hold:
 * "# PID holds COLUMN LOWEST HIGHEST".
 *
 * usage: peers_endings all            every ending of a process that forked
 *        peers_endings handlers       CPU time in every kind of exit handler
 *        peers_endings execs FILE...  becomes each of the files, which may not be there or no
 * program peers_endings chain N        burns N ms, then is replaced by chain N-1 peers_endings eat
 * takes memory until it is killed peers_endings code N         exit(N)
 */
#define _GNU_SOURCE
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Not in the headers of older C libraries, nor in those libraries. */
extern pid_t _Fork(void) __attribute__((weak));

static const char *self;

static int64_t cpu_us(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (int64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * 1000000 + ru.ru_utime.tv_usec +
	       ru.ru_stime.tv_usec;
}

static void burn_ms(long ms)
{
	int64_t until = cpu_us() + 1000 * ms;

	while (cpu_us() < until)
		;
}

/* --- all ------------------------------------------------------------------------------------- */

static void by_return(void)
{
	execl(self, self, "code", "21", (char *)NULL);
}
static void by_err(void)
{
	errno = ENOENT;
	err(22, "err");
}
static void by_errx(void)
{
	errx(23, "errx");
}
static void complain(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	verrx(24, format, ap);
}
static void by_verrx(void)
{
	complain("%s", "verrx");
}
static void by_error(void)
{
	error(25, 0, "error");
}
static void by_error_at_line(void)
{
	error_at_line(26, ENOENT, "file", 1, "error_at_line");
}
static void by_quick_exit(void)
{
	quick_exit(27);
}
static void by_underscore_exit(void)
{
	_exit(28);
}
static void by_capital_exit(void)
{
	_Exit(29);
}
static void by_abort(void)
{
	abort();
}
static void by_assert(void)
{
	assert(!"this is meant to fail");
}
static void by_raw_exit_group(void)
{
	syscall(SYS_exit_group, 30);
}
static void by_raw_exit(void)
{
	syscall(SYS_exit, 31);
}
static void by_kill(void)
{
	raise(SIGKILL);
}
static void by_null(void)
{
	volatile int *volatile nowhere = (volatile int *)8;

	*nowhere = 1;
}
static void by_trap(void)
{
	__builtin_trap();
}
static void by_bus_error(void)
{
	char name[] = "peers.XXXXXX";
	int fd = mkstemp(name);
	volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	unlink(name);
	(void)p[0];
}
static void by_division(void)
{
	volatile int zero = 0;

	/* Not every processor traps. */
	raise(SIGFPE);
	_exit(1 / zero);
}
static void by_alarm(void)
{
	ualarm(1000, 0);
	for (;;)
		pause();
}
static void by_pipe(void)
{
	int fd[2];

	if (pipe(fd) < 0)
		_exit(97);
	close(fd[0]);
	(void)!write(fd[1], "x", 1);
}
static void by_cpu_limit(void)
{
	/* The soft limit counts whole seconds; this process has used more than none. */
	setrlimit(RLIMIT_CPU, &(struct rlimit){ 0, 1 });
	for (;;)
		;
}

static void *nothing(void *unused)
{
	return unused;
}

static void by_last_thread(void)
{
	pthread_t id;

	pthread_create(&id, NULL, nothing, NULL);
	pthread_exit(NULL);
}

static void after_failed_execs(void)
{
	char name[] = "peers.XXXXXX";
	int fd = mkstemp(name);

	if (write(fd, "\177ELFnonsense", 12) != 12 || fchmod(fd, 0700) < 0)
		_exit(97);
	close(fd);
	for (int i = 0; i < 3; i++) {
		execl("/nonexistent", "x", (char *)NULL);
		execl(name, name, (char *)NULL);
		execlp("no-such-program-here", "x", (char *)NULL);
		burn_ms(10);
	}
	unlink(name);
	printf("# %ld holds usertime+systemtime 30000 3000000\n", (long)getpid());
	exit(32);
}

static void twice_forked(void)
{
	pid_t pid;

	setsid();
	pid = fork();
	if (pid == 0) {
		printf("# %ld exit 34\n", (long)getpid());
		exit(34);
	}
	exit(33);
}

static void in_daemon(void)
{
	if (daemon(1, 1) < 0)
		_exit(97);
	printf("# %ld exit 35\n", (long)getpid());
	exit(35);
}

static const struct ending {
	const char *how;
	void (*body)(void);
} endings[] = {
	{ "exit 21", by_return },
	{ "exit 22", by_err },
	{ "exit 23", by_errx },
	{ "exit 24", by_verrx },
	{ "exit 25", by_error },
	{ "exit 26", by_error_at_line },
	{ "exit 27", by_quick_exit },
	{ "exit 28", by_underscore_exit },
	{ "exit 29", by_capital_exit },
	{ "signal 6", by_abort },
	{ "signal 6", by_assert },
	{ "reaped 30", by_raw_exit_group },
	{ "reaped 31", by_raw_exit },
	{ "signal 9", by_kill },
	{ "signal 11", by_null },
	{ "signal 4", by_trap },
	{ "signal 7", by_bus_error },
	{ "signal 8", by_division },
	{ "signal 14", by_alarm },
	{ "signal 13", by_pipe },
	{ "signal 24", by_cpu_limit },
	{ "exit 0", by_last_thread },
	{ "exit 32", after_failed_execs },
	{ "exit 33", twice_forked },
	{ "exit 0", in_daemon },
};

static pid_t child(const struct ending *e, pid_t (*make)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = make();
	if (pid == 0) {
		e->body();
		_exit(99);
	}
	waitpid(pid, &status, 0);
	printf("%s: %x\n# %ld %s\n", e->how, (unsigned)status & 0xff7f, (long)pid, e->how);
	return pid;
}

/* Of glibc since 2.34; the collector has one in any case. */
static int libc_has__Fork(void)
{
	return _Fork && strverscmp(gnu_get_libc_version(), "2.34") >= 0;
}

static int all(void)
{
	int twice = libc_has__Fork();

	if (!twice)
		printf("# no _Fork\n");
	/* What its children leave behind comes to it. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		child(&endings[i], fork);
		if (twice && strcmp(endings[i].how, "exit 0") != 0)
			child(&endings[i], _Fork);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

/* --- handlers -------------------------------------------------------------------------------- */

static int in_destructor;

/* Burn, and say what the end record must hold at least. */
static void burns(void)
{
	burn_ms(30);
	printf("# %ld holds usertime+systemtime %" PRId64 " %" PRId64 "\n", (long)getpid(),
	       cpu_us(), cpu_us() + 1000000);
	fflush(stdout);
}

static void burns_with_status(int status, void *unused)
{
	(void)status, (void)unused;
	burns();
}

__attribute__((destructor)) static void destructor(void)
{
	if (in_destructor)
		burns();
}

static void in_atexit(void)
{
	atexit(burns);
	exit(41);
}
static void in_on_exit(void)
{
	on_exit(burns_with_status, NULL);
	exit(42);
}
static void in_at_quick_exit(void)
{
	at_quick_exit(burns);
	quick_exit(43);
}
static void in_a_destructor(void)
{
	in_destructor = 1;
	exit(44);
}
static void in_all(void)
{
	atexit(burns);
	on_exit(burns_with_status, NULL);
	in_destructor = 1;
	exit(45);
}

static int handlers(void)
{
	static const struct ending burning[] = {
		{ "exit 41", in_atexit },        { "exit 42", in_on_exit },
		{ "exit 43", in_at_quick_exit }, { "exit 44", in_a_destructor },
		{ "exit 45", in_all },
	};

	for (size_t i = 0; i < sizeof burning / sizeof burning[0]; i++)
		child(&burning[i], fork);
	return 0;
}

/* --- images ---------------------------------------------------------------------------------- */

/* Each file in a child: after an exec that fails it exits with 50. */
static int execs(char **file)
{
	for (; *file; file++) {
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			execl(*file, *file, "code", "51", (char *)NULL);
			exit(50);
		}
		waitpid(pid, &status, 0);
		printf("%x\n# %ld %s %d %s\n", (unsigned)status, (long)pid,
		       WIFEXITED(status) ? "ended" : "signal", WEXITSTATUS(status), *file);
	}
	return 0;
}

static int chain(int n)
{
	char text[16];

	burn_ms(n);
	snprintf(text, sizeof text, "%d", n - 1);
	if (n > 0)
		execl(self, self, "chain", text, (char *)NULL);
	return 46;
}

__attribute__((noreturn)) static void eat(void)
{
	for (;;) {
		volatile char *p = malloc(1 << 20);

		for (int i = 0; p && i < 1 << 20; i += 4096)
			p[i] = 1;
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	self = "/proc/self/exe";
	if (strcmp(what, "all") == 0)
		return all();
	if (strcmp(what, "handlers") == 0)
		return handlers();
	if (strcmp(what, "execs") == 0)
		return execs(argv + 2);
	if (strcmp(what, "chain") == 0 && argc > 2)
		return chain(atoi(argv[2]));
	if (strcmp(what, "eat") == 0)
		eat();
	if (strcmp(what, "code") == 0 && argc > 2)
		return atoi(argv[2]);
	return 98;
}
