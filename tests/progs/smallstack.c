/*
 * Makes calls on a stack of a given size, below which there is nothing:
 *   smallstack BYTES CALL    one of those below; the status is 0 where it did what it does
 *   smallstack least CALL    the least number of bytes that it takes, in steps of 64, printed
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

extern char **environ;

#define AREA 65536

static const char *const call_name[] = { "execl",   "execlp", "execle", "execv", "execve",
					 "execvp",  "fork",   "vfork",  "wait",  "waitpid",
					 "wait3",   "wait4",  "waitid", "_exit", "quick_exit",
					 "refused", NULL };
static const char *call;
static int status = 1;
static ucontext_t back, there;

static int wait_for(pid_t pid)
{
	struct rusage ru;
	siginfo_t info;
	int st = 1;

	if (strcmp(call, "wait") == 0)
		return wait(&st) == pid ? st : 1;
	if (strcmp(call, "wait3") == 0)
		return wait3(&st, 0, &ru) == pid ? st : 1;
	if (strcmp(call, "wait4") == 0)
		return wait4(pid, &st, 0, &ru) == pid ? st : 1;
	if (strcmp(call, "waitid") == 0)
		return waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 ? info.si_status : 1;
	return waitpid(pid, &st, 0) == pid ? st : 1;
}

/* A child by fork before anything that is measured. */
static pid_t child;

static void on_small_stack(void)
{
	static char name[] = "true";
	char *argv[] = { name, NULL };
	pid_t pid;

	if (strcmp(call, "execl") == 0)
		execl("/bin/true", "true", (char *)NULL);
	else if (strcmp(call, "execlp") == 0)
		execlp("/bin/true", "true", (char *)NULL);
	else if (strcmp(call, "execle") == 0)
		execle("/bin/true", "true", (char *)NULL, environ);
	else if (strcmp(call, "execv") == 0)
		execv("/bin/true", argv);
	else if (strcmp(call, "execve") == 0)
		execve("/bin/true", argv, environ);
	else if (strcmp(call, "execvp") == 0)
		execvp("/bin/true", argv);
	else if (strcmp(call, "refused") == 0)
		status = execl("/dev/null", "null", (char *)NULL) == 0;
	else if (strcmp(call, "_exit") == 0)
		_exit(0);
	else if (strcmp(call, "quick_exit") == 0)
		quick_exit(0);
	else if (strcmp(call, "fork") == 0) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		status = pid > 0 ? wait_for(pid) : 1;
	} else if (strcmp(call, "vfork") == 0) {
		pid = vfork();
		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		status = pid > 0 ? wait_for(pid) : 1;
	} else {
		status = wait_for(child);
	}
}

static volatile int begun;

static void *lives(void *unused)
{
	begun = 1;
	pause();
	return unused;
}

static int run(size_t bytes)
{
	pthread_t thread;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *area = mmap(NULL, AREA + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* It ends where the pages end, and begins `bytes` above memory that is not there. */
	if (area == MAP_FAILED || mprotect(area + page, AREA, PROT_READ | PROT_WRITE) < 0 ||
	    getcontext(&there) < 0)
		return 99;
	there.uc_stack.ss_sp = area + page;
	there.uc_stack.ss_size = bytes;
	there.uc_link = &back;
	if (strncmp(call, "wait", 4) == 0) {
		child = fork();
		if (child == 0)
			_exit(0);
	}
	/* Of what lives for a moment, and has one thread, less is told. */
	if (pthread_create(&thread, NULL, lives, NULL) != 0)
		return 99;
	do
		nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
	while (!begun);
	makecontext(&there, on_small_stack, 0);
	swapcontext(&back, &there);
	return status;
}

/* Whether it works with so much. */
static int works(size_t bytes)
{
	int st = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(bytes));
	return pid > 0 && waitpid(pid, &st, 0) == pid && st == 0;
}

int main(int argc, char **argv)
{
	size_t bytes = 64;

	if (argc != 3)
		return 99;
	if (strcmp(argv[2], "list") == 0) {
		for (int i = 0; call_name[i]; i++)
			puts(call_name[i]);
		return 0;
	}
	call = argv[2];
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (strcmp(argv[1], "least") != 0)
		return run((size_t)atoi(argv[1]));
	while (bytes < AREA && !works(bytes))
		bytes += 64;
	printf("%zu\n", bytes);
	return bytes >= AREA;
}
