/* Read processes of this host. */
#include "config.h"

#include "report/top/live.h"

#include "common/safe/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Threads of a process whose input and output is read. */
#define THREADS_MAX 64

/* Read a small file below /proc. Returns its length, or -1. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size);

	if (fd >= 0)
		close(fd);
	return n;
}

/* Add what the threads of a process have read and written. One that ended is missing until the
 * process ends: /proc/PID/io has it, but waited-for children as well. */
static void read_io(int64_t pid, int64_t count[PM_TOP_COUNTS])
{
	char path[64], file[360], text[512];
	struct dirent *entry;
	int64_t io[PM_IO_FIELDS];
	int threads = 0;
	DIR *dir;

	snprintf(path, sizeof path, "/proc/%lld/task", (long long)pid);
	dir = opendir(path);
	while (dir && threads < THREADS_MAX && (entry = readdir(dir)) != NULL) {
		ssize_t n;

		if (entry->d_name[0] == '.')
			continue;
		threads++;
		snprintf(file, sizeof file, "%s/%s/io", path, entry->d_name);
		n = read_file(file, text, sizeof text);
		if (n <= 0 || pm_procfs_io(text, (size_t)n, io) < 0)
			continue;
		count[PM_TOP_READ] += io[PM_IO_RCHAR];
		count[PM_TOP_WRITTEN] += io[PM_IO_WCHAR];
		count[PM_TOP_FETCHED] += io[PM_IO_READ_BYTES];
		count[PM_TOP_STORED] += io[PM_IO_WRITE_BYTES];
	}
	if (dir)
		closedir(dir);
}

/* Resident memory in bytes, the second field of /proc/PID/statm, proc_pid_statm(5). */
static int64_t read_rss(int64_t pid)
{
	char path[64], text[128];
	long long pages = 0;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%lld/statm", (long long)pid);
	n = read_file(path, text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%*s %lld", &pages) == 1 ? pages * sysconf(_SC_PAGESIZE) : 0;
}

/* Read a process. Returns false if it has ended. */
static bool read_process(struct pm_top_model *m, struct pm_top_process *p)
{
	const int64_t tick_us = 1000000 / sysconf(_SC_CLK_TCK);
	int64_t count[PM_TOP_COUNTS] = { 0 };
	struct pm_procfs_stat stat;
	char path[64], text[1024];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)p->pid);
	n = read_file(path, text, sizeof text);
	if (n <= 0 || pm_procfs_stat(text, (size_t)n, &stat) < 0 || stat.starttime != p->starttime)
		return false;
	if (stat.state == 'Z' || stat.state == 'X')
		return true;
	count[PM_TOP_CPU] = (stat.utime + stat.stime) * tick_us;
	read_io(p->pid, count);
	pm_top_model_used(m, p, count);
	p->rss = read_rss(p->pid);
	m->host[p->host]->program[p->program].live_rss += p->rss;
	return true;
}

bool pm_top_live_read(struct pm_top_model *m)
{
	struct pm_top_process *p, *next;
	size_t count = 0;

	for (size_t i = 0; i < m->hosts; i++)
		for (size_t k = 0; k < m->host[i]->programs; k++)
			m->host[i]->program[k].live_rss = 0;
	for (p = m->first; p; p = next) {
		next = p->next;
		/* Pids of other namespaces are not those of our /proc. */
		if (!m->host[p->host]->here || p->pid_ns != m->own_pid_ns)
			continue;
		if (count++ == PM_TOP_LIVE_MAX)
			return false;
		if (read_process(m, p))
			p->gone = false;
		else if (p->gone)
			pm_top_model_end(m, p);
		else
			p->gone = true;
	}
	return true;
}
