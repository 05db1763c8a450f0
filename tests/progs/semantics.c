/*
 * What a program can observe of the calls that the collector interposes: results, errno, statuses,
 * masks, descriptors, environment. Prints one line per observation; the lines must be the same with
 * and without the collector.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

/* Print a result and errno; errno was set to a mark before the call. */
static void say(const char *what, long result)
{
	int error = errno;

	printf("%s: %ld %s\n", what, result, error == 12345 ? "untouched" : strerror(error));
	fflush(stdout);
	errno = 12345;
}

static pid_t spawn(int code, unsigned usec)
{
	pid_t pid = fork();

	if (pid == 0) {
		usleep(usec);
		_exit(code);
	}
	return pid;
}

static void ignore(int sig)
{
	(void)sig;
}

static void waits(void)
{
	struct rusage ru;
	siginfo_t info;
	int status = 0;
	pid_t pid;

	errno = 12345;
	say("wait, no children", wait(&status));
	say("waitpid, no children", waitpid(-1, &status, 0));
	say("waitpid, nobody's pid", waitpid(999999, NULL, WNOHANG));
	say("waitpid, bad options", waitpid(-1, &status, 0x10000));
	say("wait3, no children", wait3(&status, 0, &ru));
	say("wait4, no children", wait4(-1, NULL, 0, NULL));
	memset(&info, 0, sizeof info);
	say("waitid, no children", waitid(P_ALL, 0, &info, WEXITED));
	say("waitid, no options", waitid(P_ALL, 0, &info, 0));

	pid = spawn(1, 50000);
	say("waitpid, running", waitpid(pid, &status, WNOHANG));
	info.si_pid = 7;
	say("waitid, running", waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG));
	say("waitid, running, si_pid", info.si_pid);
	say("waitpid, is it", waitpid(pid, &status, 0) == pid);
	say("status", status);
	pid = spawn(2, 0);
	say("wait, is it", wait(&status) == pid);
	say("status", status);
	pid = spawn(3, 0);
	say("wait4 into nothing", wait4(pid, NULL, 0, NULL) == pid);
	pid = spawn(4, 0);
	say("waitid WNOWAIT", waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	say("si_status", info.si_status);
	say("waitid without info", waitid(P_PID, (id_t)pid, NULL, WEXITED));
	say("waitid again", waitid(P_PID, (id_t)pid, NULL, WEXITED));
	pid = spawn(5, 0);
	say("waitpid, bad pointer", waitpid(pid, (int *)8, 0));
	pid = fork();
	if (pid == 0) {
		raise(SIGSTOP);
		usleep(200000);
		abort();
	}
	say("waitpid WUNTRACED", waitpid(pid, &status, WUNTRACED) == pid);
	say("stopped by", WIFSTOPPED(status) ? WSTOPSIG(status) : -1);
	kill(pid, SIGCONT);
	say("waitpid WCONTINUED", waitpid(pid, &status, WCONTINUED) == pid && WIFCONTINUED(status));
	say("waitpid, aborted", waitpid(pid, &status, 0) == pid);
	say("signal", WTERMSIG(status));

	struct sigaction sa = { .sa_handler = ignore }, before;
	sigaction(SIGALRM, &sa, &before);
	pid = spawn(0, 300000);
	ualarm(50000, 0);
	say("waitpid, interrupted", waitpid(pid, &status, 0));
	waitpid(pid, NULL, 0);
	sigaction(SIGALRM, &before, NULL);

	signal(SIGCHLD, SIG_IGN);
	errno = 12345;
	pid = spawn(0, 0);
	say("waitpid, SIGCHLD ignored", waitpid(pid, &status, 0));
	signal(SIGCHLD, SIG_DFL);
	errno = 12345;
	say("system", system("exit 7"));
	FILE *pipe = popen("exit 8", "r");
	say("pclose", pclose(pipe));
}

/* Calls that wait inside libc, and what they leave behind. */
static void inner_waits(void)
{
	struct sigaction sa;
	sigset_t mask;
	wordexp_t w;
	FILE *pipe;

	errno = 12345;
	say("system without a command", system(NULL));
	say("system, killed", system("kill -9 $$"));
	say("system, not found", system("/nonexistent/program 2>/dev/null"));
	say("popen, bad mode", popen("true", "x") != NULL);
	pipe = popen("cat >/dev/null; exit 4", "w");
	say("popen", pipe != NULL);
	say("pclose", pclose(pipe));
	pipe = popen("exit 4", "r");
	waitpid(-1, NULL, 0);
	errno = 12345;
	say("pclose, somebody else waited", pclose(pipe));
	say("wordexp", wordexp("$(echo a b) c", &w, 0));
	say("words", (long)w.we_wordc);
	wordfree(&w);
	say("wordexp, no commands", wordexp("$(echo a)", &w, WRDE_NOCMD));
	say("wordexp, syntax", wordexp("$(", &w, 0));
	signal(SIGCHLD, SIG_IGN);
	errno = 12345;
	say("system, SIGCHLD ignored", system("exit 3"));
	signal(SIGCHLD, SIG_DFL);
	signal(SIGINT, ignore);
	say("system, interrupts its parent", system("kill -INT $PPID"));
	sigaction(SIGINT, NULL, &sa);
	say("the handler is back", sa.sa_handler == ignore);
	signal(SIGINT, SIG_DFL);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	say("SIGCHLD blocked behind it", sigismember(&mask, SIGCHLD));
}

/* Cancelling unwinds the stack: what is to be cleaned up on the way is. */
static void scope_left(const char **what)
{
	printf("%s: its scope was left\n", *what);
	fflush(stdout);
}

/* The scope is entered before the call that is cancelled is. */
static volatile int entered;

#define SCOPE(name)                                                                                \
	const char *scope __attribute__((cleanup(scope_left), unused)) = name;                     \
	entered = 1

static void *wait_forever(void *pid)
{
	SCOPE("waitpid");
	waitpid(*(pid_t *)pid, NULL, 0);
	return NULL;
}

static void *system_forever(void *unused)
{
	SCOPE("system");
	if (system("exec sleep 100") == 0)
		return unused;
	return NULL;
}

static void cancellation(void)
{
	pthread_t id;
	void *result;
	pid_t pid = spawn(0, 3000000);
	int type;

	pthread_create(&id, NULL, wait_forever, &pid);
	while (!entered)
		usleep(1000);
	usleep(20000);
	pthread_cancel(id);
	pthread_join(id, &result);
	errno = 12345;
	say("waitpid is a cancellation point", result == PTHREAD_CANCELED);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	entered = 0;
	pthread_create(&id, NULL, system_forever, NULL);
	while (!entered)
		usleep(1000);
	usleep(20000);
	pthread_cancel(id);
	pthread_join(id, &result);
	errno = 12345;
	say("system is a cancellation point", result == PTHREAD_CANCELED);
	say("and leaves no child", waitpid(-1, NULL, WNOHANG));
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	say("cancel type", type == PTHREAD_CANCEL_DEFERRED);
}

/* In a child that shares its parent's memory. */
static void exec_after_vfork(const char *what, const char *path)
{
	static char *const none[] = { NULL };
	static volatile int result, error;
	pid_t pid = vfork();

	if (pid == 0) {
		result = execve(path, none, environ);
		error = errno;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	errno = error;
	say(what, result);
}

static void execs(void)
{
	char *const none[] = { NULL };
	/* Volatile: the compiler is not to see what is wrong with them. */
	const char *volatile null = NULL, *volatile bad = (const char *)8;
	char **volatile bad_list = (char **)8;

	errno = 12345;
	say("execve NULL", execve(null, none, none));
	say("execve empty", execve("", none, environ));
	say("execve missing", execve("/nonexistent/x", none, environ));
	say("execv directory", execv("/", none));
	say("execv not executable", execv("/etc/passwd", none));
	say("execvp missing", execvp("no-such-program-here", none));
	say("execvp empty", execvp("", none));
	say("execlp missing", execlp("no-such-program-here", "x", (char *)NULL));
	say("execl through a file", execl("/etc/passwd/x", "x", (char *)NULL));
	say("execle missing", execle("/nonexistent", "x", (char *)NULL, environ));
	say("fexecve bad descriptor", fexecve(-1, none, environ));
	say("execve bad pointer", execve(bad, none, environ));
	say("execve bad argv", execve("/bin/true", bad_list, environ));
	exec_after_vfork("execve missing after vfork", "/nonexistent/x");
	exec_after_vfork("execve bad pointer after vfork", bad);
	exec_after_vfork("execve null after vfork", null);
}

static void descriptors(const char *when)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	int n = 0;

	while ((d = readdir(dir)) != NULL)
		n += d->d_name[0] != '.';
	closedir(dir);
	int next = open("/dev/null", O_RDONLY);
	printf("%s: %d descriptors, the next is %d\n", when, n, next);
	close(next);
	fflush(stdout);
}

static void *descriptors_in_thread(void *unused)
{
	descriptors("in a thread");
	return unused;
}

static void signals(void)
{
	sigset_t mask;
	int blocked = 0, handled = 0;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int sig = 1; sig < 65; sig++) {
		struct sigaction sa;

		blocked += sigismember(&mask, sig) == 1;
		if (sigaction(sig, NULL, &sa) == 0)
			handled += sa.sa_handler != SIG_DFL;
	}
	printf("signals: %d blocked, %d not default\n", blocked, handled);
}

static void environment(void)
{
	int n = 0;

	for (char **e = environ; *e; e++)
		n += strncmp(*e, "LD_PRELOAD=", 11) != 0 && strncmp(*e, "PERFMON_", 8) != 0;
	printf("environment: %d variables\n", n);
}

static void first_at_exit(void)
{
	printf("atexit handlers still print, errno %d\n", errno == 12345);
}

int main(void)
{
	pthread_t id;
	stack_t stack;

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	atexit(first_at_exit);
	signals();
	environment();
	descriptors("at start");
	waits();
	inner_waits();
	execs();
	cancellation();
	pthread_create(&id, NULL, descriptors_in_thread, NULL);
	pthread_join(id, NULL);
	descriptors("at the end");
	signals();
	sigaltstack(NULL, &stack);
	printf("alternate stack: %d\n", stack.ss_flags == SS_DISABLE);
	errno = 12345;
	return 0;
}
