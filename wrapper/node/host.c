/* Facts about this host and its processes, from /proc. */
#include "config.h"

#include "wrapper/node/host.h"

#include "common/safe/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t pm_host_text(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n;
}

/* Longest /proc/PID/stat, with room to spare. */
#define STAT_SIZE 4096

/* Read /proc/PID/stat. The name in *stat points into `text`. Returns 0 or -1. */
static int read_stat(int64_t pid, char text[STAT_SIZE], struct pm_procfs_stat *stat)
{
	char path[64];
	long n;

	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	n = (long)pm_host_text(path, text, STAT_SIZE);
	return n > 0 ? pm_procfs_stat(text, (size_t)n, stat) : -1;
}

int64_t pm_host_starttime(int64_t pid)
{
	struct pm_procfs_stat stat;
	char text[STAT_SIZE];

	return read_stat(pid, text, &stat) < 0 ? -1 : stat.starttime;
}

int64_t pm_host_cpu_us(int64_t pid)
{
	struct pm_procfs_stat stat;
	char text[STAT_SIZE];

	if (read_stat(pid, text, &stat) < 0)
		return -1;
	return (stat.utime + stat.stime + stat.cutime + stat.cstime) * 1000000 /
	       sysconf(_SC_CLK_TCK);
}

int64_t pm_host_parent(int64_t pid)
{
	struct pm_procfs_stat stat;
	char text[STAT_SIZE];

	return read_stat(pid, text, &stat) < 0 ? -1 : stat.ppid;
}

int pm_host_program(int64_t pid, char *name, size_t size, int64_t *parent)
{
	struct pm_procfs_stat stat;
	char text[STAT_SIZE];

	if (read_stat(pid, text, &stat) < 0)
		return -1;
	snprintf(name, size, "%.*s", (int)stat.comm.n, stat.comm.p);
	*parent = stat.ppid;
	return 0;
}

uint64_t pm_host_proc_dev(void)
{
	char self[32];
	struct stat st;
	ssize_t n = readlink("/proc/self", self, sizeof self - 1);

	if (n <= 0)
		return 0;
	self[n] = '\0';
	return atol(self) == getpid() && stat("/proc/self/stat", &st) == 0 ? st.st_dev : 0;
}

int pm_host_delayacct(void)
{
	char text[8];

	return pm_host_text("/proc/sys/kernel/task_delayacct", text, sizeof text) > 0 &&
	       text[0] == '1';
}

int pm_host_gpus(void)
{
	DIR *d = opendir("/dev/dri");
	const struct dirent *e;
	int found = 0;

	while (d && !found && (e = readdir(d)) != NULL)
		found = strncmp(e->d_name, "renderD", 7) == 0;
	if (d)
		closedir(d);
	return found;
}
