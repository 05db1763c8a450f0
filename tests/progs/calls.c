/*
 * Children that end in every way, waited for by every function: one line each, the same in every
 * run. Ends with 22.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define ARGV(...) ((char **)(uintptr_t)(const char *const[]){ __VA_ARGS__, NULL })

static void *nothing(void *argument)
{
	return argument;
}

/* A child that ends with this status by this means. */
static pid_t child(int status)
{
	pid_t pid = fork();
	char text[16];

	if (pid != 0)
		return pid;
	snprintf(text, sizeof text, "exit %d", status);
	switch (status) {
	case 1:
		_Exit(1);
	case 2:
		execve("/bin/sh", ARGV("sh", "-c", text), environ);
		break;
	case 3:
		execv("/bin/sh", ARGV("sh", "-c", text));
		break;
	case 4:
		execvp("sh", ARGV("sh", "-c", text));
		break;
	case 5:
		execl("/bin/sh", "sh", "-c", text, (char *)NULL);
		break;
	case 6:
		execlp("sh", "sh", "-c", text, (char *)NULL);
		break;
	case 7:
		execle("/bin/sh", "sh", "-c", text, (char *)NULL, environ);
		break;
	}
	_exit(status);
}

int main(void)
{
	struct rusage usage;
	siginfo_t info;
	pthread_t id;
	int status;

	for (int i = 1; i <= 12; i++) {
		pid_t pid = child(i), got;

		status = 0;
		switch (i % 6) {
		case 0:
			got = wait(&status);
			break;
		case 1:
			got = waitpid(pid, &status, 0);
			break;
		case 2:
			got = wait3(&status, 0, &usage);
			break;
		case 3:
			got = wait4(pid, &status, 0, &usage);
			break;
		case 4:
			info.si_pid = 0;
			waitid(P_PID, (id_t)pid, &info, WEXITED);
			got = info.si_pid;
			status = info.si_status << 8;
			break;
		default:
			got = waitpid(pid, NULL, 0);
			status = i << 8;
		}
		printf("%d: %d %d\n", i, got == pid, status >> 8);
		fflush(stdout);
	}
	printf("system: %d\n", system("exit 21") >> 8);
	pthread_create(&id, NULL, nothing, NULL);
	pthread_join(id, NULL);
	fflush(stdout);
	return 22;
}
