/* The list of tasks of a Slurm job on this host. */
#include "config.h"

#include "wrapper/job/tasklist.h"

#include "common/safe/tsv.h"
#include "common/trusted.h"
#include "wrapper/node/host.h"
#include "wrapper/sched/sched.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Most generations between us and the task's process: another script may run the TaskProlog
 * script. */
#define GENERATIONS_MAX 8

static void file_name(char name[NAME_MAX + 1], const char *host)
{
	snprintf(name, NAME_MAX + 1, ".tasks-%.*s", NAME_MAX - 16, host);
}

static bool pid_exists(int64_t pid)
{
	return pid > 0 && pid <= INT_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

struct pm_task pm_tasklist_self(void)
{
	const char *text = pm_sched_text("SLURM_TASK_PID");
	int64_t named, pid = getppid();
	struct pm_task t = { pid, -1 };

	if (!text || pm_tsv_number(text, strlen(text), &named) < 0)
		named = -1;

	for (int i = 0; i < GENERATIONS_MAX && pid > 1; i++) {
		if (pid == named) {
			t.pid = pid;
			break;
		}
		pid = pm_host_parent(pid);
		/* Without /proc our ancestors are unknown, so trust SLURM_TASK_PID. */
		if (pid < 0 && pid_exists(named))
			t.pid = named;
	}
	t.starttime = pm_host_starttime(t.pid);
	return t;
}

int pm_tasklist_add(const struct pm_jobdir *d, const char *host, const struct pm_task *t,
		    struct pm_err *e)
{
	char name[NAME_MAX + 1], line[64];
	off_t size;
	int fd, n;

	file_name(name, host);
	n = snprintf(line, sizeof line, "%lld %lld\n", (long long)t->pid, (long long)t->starttime);
	fd = pm_trusted_append(d->fd, name, &size, e);
	if (fd < 0)
		return -1;
	if (write(fd, line, (size_t)n) != n) {
		pm_err(e, "write %s: %m", name);
		/* Half a line would spoil the next one. */
		if (ftruncate(fd, size) < 0)
			unlinkat(d->fd, name, 0);
		close(fd);
		return -1;
	}
	return close(fd) < 0 ? pm_err(e, "write %s: %m", name) : 0;
}

/* Without a start time only the pid identifies a process. */
static bool is_alive(int64_t pid, int64_t starttime)
{
	int64_t now = pm_host_starttime(pid);

	return now >= 0 && starttime >= 0 ? now == starttime : pid_exists(pid);
}

bool pm_tasklist_lives(const struct pm_jobdir *d, const char *host)
{
	char name[NAME_MAX + 1];
	long long pid, starttime;
	bool lives = false;
	FILE *f;
	int fd;

	file_name(name, host);
	fd = pm_trusted_open(d->fd, name, O_RDONLY, 0, NULL);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (!f) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while (!lives && fscanf(f, "%lld %lld", &pid, &starttime) == 2)
		lives = is_alive(pid, starttime);
	fclose(f);
	return lives;
}

void pm_tasklist_forget(const struct pm_jobdir *d, const char *host)
{
	char name[NAME_MAX + 1];

	file_name(name, host);
	unlinkat(d->fd, name, 0);
}
