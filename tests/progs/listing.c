/*
 * Lists directories in every way that libc and the kernel have, for collector/listing.t: prints the names,
 * sorted, that each way finds.
 *
 * usage: listing show DIRECTORY...   by every way, one line each, of which `same` where it is as
 * the one before listing forks               of /proc/self/fd in a fork child, in one that no hook
 * sees, and, by the system call, in a vfork child listing thread              of the descriptors of
 * the process and of a thread, from a thread listing reuse N             puts a file of its own on
 * descriptor N, and lists listing full N              uses up all but N descriptors, and lists
 *        listing errno               of errno at the end of a directory, and of one closed before
 *        listing wait                prints its pid, and waits for the end of standard input
 */
#include "config.h"

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

#define NAMES_MAX 8192

static char *names[NAMES_MAX];
static size_t count;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void add(const char *name)
{
	if (count == NAMES_MAX || (names[count++] = strdup(name)) == NULL)
		fail("too many names");
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static DIR *open_dir(const char *path)
{
	DIR *d = opendir(path);

	if (!d)
		fail(path);
	return d;
}

static void by_readdir(const char *path)
{
	DIR *d = open_dir(path);

	for (struct dirent *e; (e = readdir(d)) != NULL;)
		add(e->d_name);
	closedir(d);
}

static void by_readdir64(const char *path)
{
	DIR *d = open_dir(path);

	for (struct dirent64 *e; (e = readdir64(d)) != NULL;)
		add(e->d_name);
	closedir(d);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void by_readdir_r(const char *path)
{
	DIR *d = open_dir(path);
	struct dirent e, *found;

	while (readdir_r(d, &e, &found) == 0 && found)
		add(found->d_name);
	closedir(d);
}

static void by_readdir64_r(const char *path)
{
	DIR *d = open_dir(path);
	struct dirent64 e, *found;

	while (readdir64_r(d, &e, &found) == 0 && found)
		add(found->d_name);
	closedir(d);
}
#pragma GCC diagnostic pop

/* Begins anew, and goes back to a place it was at. */
static void by_seeking(const char *path)
{
	DIR *d = open_dir(path);
	struct dirent *e;
	long at;

	while (readdir(d))
		;
	rewinddir(d);
	e = readdir(d);
	if (e)
		add(e->d_name);
	at = telldir(d);
	while (readdir(d))
		;
	seekdir(d, at);
	while ((e = readdir(d)) != NULL)
		add(e->d_name);
	closedir(d);
}

static size_t asked;

static int all(const struct dirent *e)
{
	(void)e;
	asked++;
	return 1;
}

static int all64(const struct dirent64 *e)
{
	struct dirent **inner;
	int n;

	(void)e;
	asked++;
	/* A scan within a scan. */
	n = scandir("/proc/self/ns", &inner, NULL, NULL);
	while (n-- > 0)
		free(inner[n]);
	free(inner);
	return 1;
}

static void take(struct dirent **list, int n, const char *path)
{
	if (n < 0)
		fail(path);
	for (int i = 0; i < n; i++) {
		add(list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

static void by_scandir(const char *path)
{
	struct dirent **list;
	int n = scandir(path, &list, NULL, NULL);

	take(list, n, path);
}

static void by_scandirat(const char *path)
{
	struct dirent **list;
	int n;

	asked = 0;
	n = scandirat(AT_FDCWD, path, &list, all, alphasort);
	take(list, n, path);
	if ((int)asked != n)
		fail("the filter was asked for others");
}

static void by_scandir64(const char *path)
{
	struct dirent64 **list;
	int n;

	asked = 0;
	n = scandir64(path, &list, all64, alphasort64);
	if ((int)asked != n)
		fail("the filter was asked for others");
	take((struct dirent **)list, n, path);
}

static void by_scandirat64(const char *path)
{
	int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent64 **list;
	int n = scandirat64(root, path + 1, &list, NULL, NULL);

	take((struct dirent **)list, n, path);
	close(root);
}

/* In small pieces: some hold nothing but what is left out. */
static char piece[64];

static int by_call(const char *path, long (*list)(int, void *, size_t), size_t name_at)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long n;

	if (fd < 0)
		fail(path);
	while ((n = list(fd, piece, sizeof piece)) > 0)
		for (long at = 0; at < n;) {
			unsigned short length;

			memcpy(&length, piece + at + 16, sizeof length);
			add(piece + at + name_at);
			at += length;
		}
	close(fd);
	return (int)n;
}

static long getdents64_of(int fd, void *buf, size_t size)
{
	return getdents64(fd, buf, size);
}

static void by_getdents64(const char *path)
{
	by_call(path, getdents64_of, 19);
}

static long syscall64_of(int fd, void *buf, size_t size)
{
	return syscall(SYS_getdents64, fd, buf, size);
}

static void by_syscall64(const char *path)
{
	by_call(path, syscall64_of, 19);
}

#ifdef SYS_getdents
static long syscall_of(int fd, void *buf, size_t size)
{
	return syscall(SYS_getdents, fd, buf, size);
}

static void by_syscall(const char *path)
{
	by_call(path, syscall_of, 18);
}
#endif

static const struct way {
	const char *name;
	void (*list)(const char *path);
} ways[] = {
	{ "readdir", by_readdir },         { "readdir64", by_readdir64 },
	{ "readdir_r", by_readdir_r },     { "readdir64_r", by_readdir64_r },
	{ "seekdir", by_seeking },         { "scandir", by_scandir },
	{ "scandirat", by_scandirat },     { "scandir64", by_scandir64 },
	{ "scandirat64", by_scandirat64 }, { "getdents64", by_getdents64 },
	{ "syscall64", by_syscall64 },
#ifdef SYS_getdents
	{ "syscall", by_syscall },
#endif
};

/* One line for a way: its names. */
static void show(const char *title, const struct way *w, const char *path)
{
	count = 0;
	w->list(path);
	qsort(names, count, sizeof names[0], compare);
	printf("%s %s:", title, w->name);
	for (size_t i = 0; i < count; i++)
		if (names[i][0] != '.')
			printf(" %s", names[i]);
	putchar('\n');
	fflush(stdout);
	while (count > 0)
		free(names[--count]);
}

static void show_all(const char *title, const char *path)
{
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		show(title, &ways[i], path);
}

/* A fork that goes past every hook. */
static pid_t raw_fork(void)
{
#ifdef __x86_64__
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "a"((long)SYS_fork) : "rcx", "r11", "memory");
	return (pid_t)ret;
#else
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

static void forks(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		show_all("fork", "/proc/self/fd");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pid = raw_fork();
	if (pid == 0) {
		show_all("raw", "/proc/self/fd");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (pid == 0) {
		show("vfork", &ways[sizeof ways / sizeof ways[0] - 1], "/proc/self/fd");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *listing(void *unused)
{
	char path[64];

	(void)unused;
	snprintf(path, sizeof path, "/proc/self/task/%ld/fd", (long)syscall(SYS_gettid));
	show_all("own", path);
	show_all("thread-self", "/proc/thread-self/fd");
	snprintf(path, sizeof path, "/proc/self/task/%ld/fdinfo", (long)getpid());
	show_all("main", path);
	snprintf(path, sizeof path, "/proc/%ld/fd", (long)syscall(SYS_gettid));
	show_all("alias", path);
	return NULL;
}

static void reuse(int number)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		fail("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || dup2(0, number) < 0)
		fail("dup2");
	show_all("reuse", "/proc/self/fd");
}

static void full(int left)
{
	int used[4096], n = 0;

	while (n < 4096 && (used[n] = dup(0)) >= 0)
		n++;
	while (left-- > 0)
		close(used[--n]);
	show("full", &ways[5], "/proc/self/fd");
	show("full", &ways[0], "/proc/self/fd");
}

static void errnos(void)
{
	DIR *d = open_dir("/proc/self/fd");
	struct dirent **list;

	errno = 77;
	while (readdir(d))
		;
	printf("end %d\n", errno);
	closedir(d);
	printf("getdents64 %zd %d\n", getdents64(-1, piece, sizeof piece), errno);
	printf("syscall %ld %d\n", syscall(SYS_getdents64, -1, piece, sizeof piece), errno);
	printf("scandir %d %d\n", scandir("/nowhere", &list, NULL, NULL), errno);
	errno = 77;
	take(list, scandir("/proc/self/fd", &list, NULL, NULL), "/proc/self/fd");
	printf("scandir %d\n", errno);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t id;

	if (strcmp(what, "show") == 0) {
		for (int i = 2; i < argc; i++)
			show_all(argv[i], argv[i]);
	} else if (strcmp(what, "forks") == 0) {
		forks();
	} else if (strcmp(what, "thread") == 0) {
		if (pthread_create(&id, NULL, listing, NULL) != 0)
			fail("pthread_create");
		pthread_join(id, NULL);
	} else if (strcmp(what, "reuse") == 0) {
		reuse(atoi(argv[2]));
	} else if (strcmp(what, "full") == 0) {
		full(atoi(argv[2]));
	} else if (strcmp(what, "errno") == 0) {
		errnos();
	} else if (strcmp(what, "wait") == 0) {
		printf("%ld\n", (long)getpid());
		fflush(stdout);
		while (getchar() != EOF)
			;
	} else {
		return 2;
	}
	return 0;
}
