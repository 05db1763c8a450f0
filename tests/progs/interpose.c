/*
 * Somebody else who interposes what the collector does, and passes every call on: linked as a
 * program, whose own functions come first, and as a library, to be preloaded before or behind the
 * collector. Appends the name of each function called to the file that INTERPOSE_LOG names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The next definition of a function, after this call of ours was noted. */
#define NEXT(name) ((__typeof__(name) *)next(#name))

/* No stdio and no memory: fork and vfork children come here, too. */
static void *next(const char *name)
{
	const char *path = getenv("INTERPOSE_LOG");
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	char line[32];
	size_t n = strlen(name);

	memcpy(line, name, n);
	line[n++] = '\n';
	if (fd >= 0 && write(fd, line, n) != (ssize_t)n)
		abort();
	close(fd);
	return dlsym(RTLD_NEXT, name);
}

pid_t fork(void)
{
	return NEXT(fork)();
}

pid_t wait(int *status)
{
	return NEXT(wait)(status);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return NEXT(waitpid)(pid, status, options);
}

pid_t wait3(int *status, int options, struct rusage *usage)
{
	return NEXT(wait3)(status, options, usage);
}

/* Not passed on as it is: by a function of another name, which the collector sees, too. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	(void)NEXT(wait4);
	if (usage)
		memset(usage, 0, sizeof *usage);
	return waitpid(pid, status, options);
}

int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	return NEXT(waitid)(type, id, info, options);
}

int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attr,
		   void *(*function)(void *), void *restrict argument)
{
	return NEXT(pthread_create)(id, attr, function, argument);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	return NEXT(execve)(path, argv, envp);
}

int execv(const char *path, char *const argv[])
{
	return NEXT(execv)(path, argv);
}

int execvp(const char *file, char *const argv[])
{
	return NEXT(execvp)(file, argv);
}

int system(const char *command)
{
	return NEXT(system)(command);
}

__attribute__((noreturn)) void _exit(int status)
{
	NEXT(_exit)(status);
	abort();
}

__attribute__((noreturn)) void _Exit(int status)
{
	NEXT(_Exit)(status);
	abort();
}
