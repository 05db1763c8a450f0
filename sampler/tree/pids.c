/* Find new pids: between two ticks, or by listing /proc. */
#include "config.h"

#include "sampler/tree/pids.h"

#include "common/grow.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Partial looks between two full ones, which find any process that slipped through. */
#define FULL_EVERY 60

/* More pids than this are found faster by listing /proc. */
#define RANGE_MAX 2048

/* 1 when the /proc in use is a real procfs, mounted for this process's own pid namespace. */
static int own_proc(const struct pm_pids *p)
{
	struct statfs fs;
	char link[32];
	ssize_t n = readlinkat(p->proc_fd, "self", link, sizeof link - 1);
	const char *at = link;
	int64_t pid;

	if (n <= 0 || fstatfs(p->loadavg.fd, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return 0;
	link[n] = '\n';
	return pm_procfile_number(&at, link + n + 1, &pid) == 0 && pid == getpid();
}

void pm_pids_open(struct pm_pids *p, const char *root, int proc_fd)
{
	memset(p, 0, sizeof *p);
	p->proc_fd = proc_fd;
	p->loadavg.fd = -1;
	if (root[0] != '\0' || pm_procfile_open(&p->loadavg, root, "proc/loadavg") < 0)
		return;
	p->countable = own_proc(p);
}

void pm_pids_close(struct pm_pids *p)
{
	pm_procfile_close(&p->loadavg);
	free(p->pid);
	memset(p, 0, sizeof *p);
}

/* The last pid that the kernel handed out, or 0 where it is unknown. */
static pid_t last_pid(struct pm_pids *p)
{
	const char *text, *at;
	ssize_t n;
	int64_t pid;

	if (!p->countable)
		return 0;
	n = pm_procfile_read(&p->loadavg, &text);
	if (n <= 0 || !(at = memrchr(text, ' ', (size_t)n)))
		return 0;
	at++;
	if (pm_procfile_number(&at, text + n, &pid) < 0 || pid > INT32_MAX)
		return 0;
	return (pid_t)pid;
}

static int add_pid(struct pm_pids *p, pid_t pid)
{
	if (!PM_GROW(p->pid, p->count, p->capacity, 256))
		return -1;
	p->pid[p->count++] = pid;
	return 0;
}

/* The pid of a file name in /proc, or 0 where it is no pid. */
static pid_t parse_pid(const char *name)
{
	int64_t pid = 0;

	for (const char *s = name; *s; s++) {
		if (*s < '0' || *s > '9' || pid > INT32_MAX / 10)
			return 0;
		pid = pid * 10 + (*s - '0');
	}
	return pid <= INT32_MAX ? (pid_t)pid : 0;
}

static int list_all(struct pm_pids *p)
{
	int fd = openat(p->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (!dir) {
		int saved = errno;

		if (fd >= 0)
			close(fd);
		errno = saved;
		return -1;
	}
	while (result == 0 && (errno = 0, entry = readdir(dir)) != NULL) {
		pid_t pid = parse_pid(entry->d_name);

		if (pid > 0)
			result = add_pid(p, pid);
	}
	if (errno)
		result = -1;
	closedir(dir);
	return result;
}

int pm_pids_look(struct pm_pids *p)
{
	/* Read this before listing: a pid handed out meanwhile is looked at next time. */
	const pid_t now = last_pid(p), from = p->last[1];

	p->count = 0;
	p->last[1] = p->last[0];
	p->last[0] = now;
	p->full = now <= 0 || from <= 0 || now < from || now - from > RANGE_MAX ||
		  p->looks >= FULL_EVERY;
	if (p->full) {
		p->looks = 0;
		return list_all(p);
	}
	p->looks++;
	for (pid_t pid = from + 1; pid <= now; pid++)
		if (add_pid(p, pid) < 0)
			return -1;
	return 0;
}
