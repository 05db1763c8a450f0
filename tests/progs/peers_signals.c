/*
 * Signals as a program sees them. Prints a line per observation, equal with and without a
 * collector; lines that begin with "# " are for the test to compare with the records.
 *
 * usage: peers_signals dispositions       handler, flags and mask of all 64 signals, everywhere
 *        peers_signals ignored PROGRAM... ignore every signal that can be, then run the program
 *        peers_signals flags              what SA_RESTART, SA_ONSTACK, ... do and do not
 *        peers_signals zombies N          N children under an ignored SIGCHLD, N under SA_NOCLDWAIT
 *        peers_signals malloc N           N children killed by SIGTERM while threads are in malloc,
 *                                         N that leave by _exit from a handler there
 *        peers_signals every              a child killed by each deadly signal
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t count, on_stack, nested, info_ok;
static int channel[2];
static char stack[65536];
static sigjmp_buf out;

static void say(const char *what, long result)
{
	int error = errno;

	printf("%s: %ld %s\n", what, result, result < 0 ? error == EINTR ? "EINTR" : strerror(error) : "");
	fflush(stdout);
}

/* --- dispositions ---------------------------------------------------------------------------- */

/* As the kernel has it: libc hides the two signals that it uses itself. */
static void *dispositions(void *where)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} sa;
	uint64_t mask = 0;

	for (int sig = 1; sig <= 64; sig++) {
		memset(&sa, 0, sizeof sa);
		if (syscall(SYS_rt_sigaction, sig, NULL, &sa, sizeof sa.mask) < 0)
			exit(97);
		printf("%s: %d: %s, flags %lx, mask %" PRIx64 "\n", (const char *)where, sig,
		       sa.handler == SIG_DFL   ? "default"
		       : sa.handler == SIG_IGN ? "ignored"
					       : "handler",
		       sa.flags, sa.mask);
	}
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, sizeof mask);
	printf("%s: blocked: %" PRIx64 "\n", (const char *)where, mask);
	fflush(stdout);
	return NULL;
}

static int dispositions_everywhere(void)
{
	static char first[] = "main", second[] = "thread", third[] = "fork child", last[] = "later";
	pthread_t id;
	pid_t pid;

	dispositions(first);
	pthread_create(&id, NULL, dispositions, second);
	pthread_join(id, NULL);
	pid = fork();
	if (pid == 0) {
		dispositions(third);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	dispositions(last);
	return 0;
}

/* --- flags ----------------------------------------------------------------------------------- */

static void counts(int sig)
{
	(void)sig;
	count++;
}

/* At the third time lets the read that it interrupted return. */
static void feeds(int sig)
{
	(void)sig;
	if (++count == 3 && write(channel[1], "x", 1) != 1)
		_exit(98);
}

static void looks_at_stack(int sig)
{
	char here;

	(void)sig;
	on_stack = (uintptr_t)&here >= (uintptr_t)stack &&
		   (uintptr_t)&here < (uintptr_t)stack + sizeof stack;
}

static void nests(int sig)
{
	static volatile sig_atomic_t depth;

	nested = ++depth > nested ? depth : nested;
	if (depth < 3)
		raise(sig);
	depth--;
}

static void with_info(int sig, siginfo_t *info, void *context)
{
	info_ok =
		sig == SIGUSR1 && info->si_pid == getpid() && info->si_code == SI_TKILL && context;
}

static void jumps(int sig)
{
	(void)sig;
	siglongjmp(out, 1);
}

static void tick(int on)
{
	struct itimerval often = { { 0, on * 1000 }, { 0, on * 1000 } };

	setitimer(ITIMER_REAL, &often, NULL);
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static void read_back(const char *what, int sig)
{
	struct sigaction sa;

	sigaction(sig, NULL, &sa);
	/* The C library adds SA_RESTORER on some architectures. */
	say(what, sa.sa_flags & ~0x04000000);
}

__attribute__((noinline)) static int overflow(volatile char *from, int depth)
{
	volatile char room[4096];

	room[0] = from[0];
	return depth ? overflow(room, depth - 1) + room[0] : 0;
}

static void *overflows(void *unused)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };

	sigaltstack(&alternate, NULL);
	handle(SIGSEGV, jumps, SA_ONSTACK);
	if (sigsetjmp(out, 1) == 0)
		overflow(stack, 1 << 20);
	say("a stack overflow is survived on the alternate stack", 1);
	signal(SIGSEGV, SIG_DFL);
	return unused;
}

static int flags(void)
{
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction sa = { .sa_sigaction = with_info, .sa_flags = SA_SIGINFO };
	struct timespec hour = { 3600, 0 };
	pthread_t id;
	siginfo_t info;
	pid_t pid;
	char c;

	if (pipe(channel) < 0)
		return 97;
	/* The timer goes on: no moment is missed. */
	handle(SIGALRM, counts, 0);
	tick(1);
	say("read without SA_RESTART", read(channel[0], &c, 1));
	say("nanosleep without SA_RESTART", nanosleep(&hour, NULL));
	pid = fork();
	if (pid == 0) {
		for (;;)
			pause();
	}
	say("waitpid without SA_RESTART", waitpid(pid, NULL, 0));
	say("waitid without SA_RESTART", waitid(P_PID, (id_t)pid, &info, WEXITED));
	tick(0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	handle(SIGALRM, feeds, SA_RESTART);
	count = 0;
	tick(1);
	say("read with SA_RESTART", read(channel[0], &c, 1));
	tick(0);
	say("its handler ran", count >= 3);
	read_back("flags of SA_RESTART", SIGALRM);

	handle(SIGUSR1, looks_at_stack, SA_ONSTACK);
	raise(SIGUSR1);
	say("SA_ONSTACK without a stack", on_stack);
	sigaltstack(&alternate, NULL);
	raise(SIGUSR1);
	say("SA_ONSTACK with one", on_stack);
	read_back("flags of SA_ONSTACK", SIGUSR1);
	handle(SIGUSR1, looks_at_stack, 0);
	raise(SIGUSR1);
	say("without SA_ONSTACK", on_stack);

	handle(SIGUSR2, counts, (int)SA_RESETHAND);
	read_back("flags of SA_RESETHAND", SIGUSR2);
	count = 0;
	raise(SIGUSR2);
	sigaction(SIGUSR2, NULL, &sa);
	say("SA_RESETHAND: ran, default again", count == 1 && sa.sa_handler == SIG_DFL);
	handle(SIGUSR2, nests, SA_NODEFER);
	raise(SIGUSR2);
	say("SA_NODEFER: depth", nested);
	read_back("flags of SA_NODEFER", SIGUSR2);

	sa = (struct sigaction){ .sa_sigaction = with_info, .sa_flags = SA_SIGINFO };
	sigfillset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	say("SA_SIGINFO", info_ok);
	sigaction(SIGUSR1, NULL, &sa);
	say("sa_mask kept", sigismember(&sa.sa_mask, SIGTERM));
	pthread_create(&id, NULL, overflows, NULL);
	pthread_join(id, NULL);
	return 0;
}

/* --- children -------------------------------------------------------------------------------- */

static int zombies_left(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int n = 0;

	while ((d = readdir(dir)) != NULL) {
		char path[300], state = 0;
		int parent = 0;
		FILE *f;

		snprintf(path, sizeof path, "/proc/%s/stat", d->d_name);
		if (d->d_name[0] < '1' || d->d_name[0] > '9' || (f = fopen(path, "r")) == NULL)
			continue;
		if (fscanf(f, "%*d (%*[^)]) %c %d", &state, &parent) == 2 && state == 'Z')
			n += parent == getpid();
		fclose(f);
	}
	closedir(dir);
	return n;
}

static int no_zombies(int children)
{
	for (int how = 0; how < 2; how++) {
		handle(SIGCHLD, how ? SIG_DFL : SIG_IGN, how ? SA_NOCLDWAIT : 0);
		for (int i = 0; i < children; i++) {
			pid_t pid = fork();

			if (pid == 0)
				_exit(40 + how);
			printf("# %ld exit %d\n", (long)pid, 40 + how);
		}
		/* Returns when the last is gone. */
		say(how ? "wait, SA_NOCLDWAIT" : "wait, SIGCHLD ignored", wait(NULL));
		say("zombies", zombies_left());
	}
	return 0;
}

static void *allocates(void *unused)
{
	unsigned n = 1;
	int told = 0;

	for (;;) {
		void *volatile p = malloc(n = n * 1103515245 % 5000 + 1);

		free(p);
		if (!told && write(channel[1], "x", 1) == 1)
			told = 1;
	}
	return unused;
}

static void leaves(int sig)
{
	(void)sig;
	_exit(43);
}

static int in_malloc(int rounds)
{
	enum { THREADS = 3 };
	char c[THREADS + 1];
	int right = 0;

	alarm(300);
	for (int i = 0; i < 2 * rounds; i++) {
		int status, leave = i % 2;
		pid_t pid;
		size_t n = 0;

		if (pipe(channel) < 0)
			return 97;
		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			pthread_t id;

			if (leave)
				signal(SIGTERM, leaves);
			for (int t = 0; t < THREADS; t++)
				pthread_create(&id, NULL, allocates, NULL);
			allocates(NULL);
		}
		while (n < sizeof c)
			n += (size_t)read(channel[0], c, sizeof c - n);
		kill(pid, SIGTERM);
		waitpid(pid, &status, 0);
		right += leave ? WIFEXITED(status) && WEXITSTATUS(status) == 43
			       : WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
		printf("# %ld %s\n", (long)pid, leave ? "exit 43" : "signal 15");
		close(channel[0]);
		close(channel[1]);
	}
	say("ended as they should", right);
	return 0;
}

static int every_signal(void)
{
	for (int sig = 1; sig <= 64; sig++) {
		int status;
		pid_t pid;

		if (sig == SIGCHLD || sig == SIGCONT || sig == SIGURG || sig == SIGWINCH ||
		    sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU ||
		    sig == 32 || sig == 33 /* the C library's own */)
			continue;
		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			kill(getpid(), sig);
			_exit(99);
		}
		waitpid(pid, &status, 0);
		printf("signal %d: %x\n", sig, (unsigned)status & 0x7f);
		printf("# %ld signal %d\n", (long)pid, sig);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (strcmp(what, "dispositions") == 0)
		return dispositions_everywhere();
	if (strcmp(what, "ignored") == 0 && argc > 2) {
		for (int sig = 1; sig <= 64; sig++)
			signal(sig, SIG_IGN);
		execv(argv[2], argv + 2);
		return 99;
	}
	if (strcmp(what, "flags") == 0)
		return flags();
	if (strcmp(what, "zombies") == 0)
		return no_zombies(n);
	if (strcmp(what, "malloc") == 0)
		return in_malloc(n);
	if (strcmp(what, "every") == 0)
		return every_signal();
	return 98;
}
