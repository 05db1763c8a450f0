/*
 * Programs at the limits of what the system allows. Prints a line per observation, equal with and
 * without a collector; lines that begin with "# " are for the test to compare with the records.
 *
 * usage: peers_limits arguments COUNT BYTES  becomes "digest" with so many arguments of so many
 * bytes peers_limits digest ARGUMENT...     what of its arguments arrived peers_limits file a file
 * size limit that the program reaches itself peers_limits vfork                  what a vfork child
 * shares with its parent peers_limits stack                  how much of its stack limit main can
 * use peers_limits bytes                  becomes "digest" with arguments of every byte there is
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int arguments(char *self, long count, long bytes)
{
	static char digest[] = "digest";
	char **argv = calloc((size_t)count + 3, sizeof *argv);
	char *text = malloc((size_t)bytes + 1);

	memset(text, 'x', (size_t)bytes);
	text[bytes] = '\0';
	argv[0] = self;
	argv[1] = digest;
	for (long i = 0; i < count; i++)
		argv[i + 2] = text;
	execv("/proc/self/exe", argv);
	printf("%s\n", strerror(errno));
	return 77;
}

/* The length and digest that stand for arguments that are too long to be kept. */
static int digest(int argc, char **argv)
{
	uint64_t length = 0, fnv = 0xcbf29ce484222325u;

	for (int i = 1; i < argc; i++) {
		const unsigned char *p = (const unsigned char *)argv[i];

		do {
			fnv = (fnv ^ *p) * 0x100000001b3u;
			length++;
		} while (*p++);
	}
	printf("%d arguments\n%" PRIu64 ":%016" PRIx64 "\n", argc - 1, length, fnv);
	return 3;
}

static int every_byte(char *self)
{
	static char digest_[] = "digest";
	static char text[256][4];
	char *argv[259];
	int n = 0;

	argv[n++] = self;
	argv[n++] = digest_;
	for (int i = 1; i < 256; i++) {
		text[i][0] = 'a';
		text[i][1] = (char)i;
		text[i][2] = i % 2 ? 'b' : '\0';
		argv[n++] = text[i];
	}
	argv[n] = NULL;
	execv("/proc/self/exe", argv);
	return 97;
}

static volatile sig_atomic_t signals;

static void counts(int sig)
{
	(void)sig;
	signals++;
}

static int file_size(void)
{
	char name[] = "peers.XXXXXX";
	static char block[8192];
	int fd = mkstemp(name), status;
	pid_t pid;
	sigset_t set;

	unlink(name);
	signal(SIGXFSZ, counts);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4096, RLIM_INFINITY });
	/* Each of these is a line or two of the collector, beyond the limit before long. */
	for (int i = 0; i < 40; i++) {
		pid = fork();
		if (pid == 0)
			_exit(signals ? 1 : 0);
		waitpid(pid, &status, 0);
		if (status != 0)
			printf("a child was ended: %x\n", (unsigned)status);
	}
	printf("signals of children: %d\n", signals);
	printf("write up to the limit: %ld\n", (long)write(fd, block, sizeof block));
	printf("write beyond: %ld\n", (long)write(fd, block, 1));
	printf("signals of the program's own: %d\n", signals);

	/* One that waits is still there, once. */
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("write beyond: %ld\n", (long)write(fd, block, 1));
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	printf("signals while it was blocked: %d\n", signals);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	printf("signals after: %d\n", signals);
	fflush(stdout);
	signal(SIGXFSZ, SIG_DFL);
	pid = fork();
	if (pid == 0) {
		(void)!write(fd, block, 1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("ended by its own write: %d\n", WTERMSIG(status) == SIGXFSZ);
	return 5;
}

static int shared = 1;

static int by_vfork(char *self)
{
	char *const code[] = { self, (char[]){ "digest" }, NULL };
	volatile int local = 1;
	int status, error;
	pid_t pid, own = getpid();

	errno = 0;
	for (volatile int i = 0; i < 3; i++) {
		pid = vfork();
		if (pid == 0) {
			shared++;
			local++;
			if (getppid() != own || getpid() == own)
				_exit(96);
			if (i == 1)
				execv("/nonexistent", code);
			if (i == 2)
				execve("/proc/self/exe", code, environ);
			_exit(20 + i);
		}
		/* The parent was not here before its child had gone. */
		error = errno;
		waitpid(pid, &status, 0);
		printf("shared %d, local %d, errno %d\n", shared, local, error);
		printf("status %x\n", (unsigned)status);
		printf("# %ld %s %d\n", (long)pid, i < 2 ? "reaped" : "exit", WEXITSTATUS(status));
		fflush(stdout);
	}
	return 6;
}

static size_t deep(size_t n)
{
	volatile char room[1024];

	room[0] = (char)n;
	return n ? deep(n - 1) + (size_t)room[0] * 0 + 1 : 0;
}

static void *in_thread(void *unused)
{
	deep(4);
	return unused;
}

/* Use all but 48 kB of the stack of main, and have the smallest threads there are. */
static int stack(void)
{
	struct rlimit limit;
	pthread_attr_t attr;
	pthread_t id;

	getrlimit(RLIMIT_STACK, &limit);
	printf("depth %zu\n", deep((size_t)limit.rlim_cur / 1200 - 48));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)sysconf(_SC_THREAD_STACK_MIN));
	for (int i = 0; i < 4; i++) {
		if (pthread_create(&id, &attr, in_thread, NULL) != 0)
			return 97;
		pthread_join(id, NULL);
	}
	return 7;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (strcmp(what, "arguments") == 0 && argc > 3)
		return arguments(argv[0], atol(argv[2]), atol(argv[3]));
	if (strcmp(what, "digest") == 0)
		return digest(argc, argv);
	if (strcmp(what, "bytes") == 0)
		return every_byte(argv[0]);
	if (strcmp(what, "file") == 0)
		return file_size();
	if (strcmp(what, "vfork") == 0)
		return by_vfork(argv[0]);
	if (strcmp(what, "stack") == 0)
		return stack();
	return 98;
}
