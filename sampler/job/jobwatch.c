/* Notice the end of a batch job on this host. */
#include "config.h"

#include "sampler/job/jobwatch.h"

#include "common/grow.h"
#include "common/safe/procfs.h"
#include "sampler/job/jobfind.h"
#include "sampler/kernel/procfile.h"
#include "sampler/tree/pids.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A job is over after this long without a running process, or if none appears in this time, us. */
#define PAUSE_US ((int64_t)3000000)
#define BEGIN_US ((int64_t)60000000)

struct member {
	pid_t pid;
	int64_t starttime;
};

struct pm_jobwatch {
	const char *root;
	struct pm_jobfind *find;
	struct pm_pids pids;
	int proc_fd;
	pid_t self; /* 0 in a recorded tree */
	struct member *member;
	size_t count, capacity;
	bool asked, seen;
	int64_t last_us; /* time when the job last ran, or of the first call */
};

struct pm_jobwatch *pm_jobwatch_open(const char *root, const struct pm_job_marks *marks,
				     struct pm_err *e)
{
	struct pm_jobwatch *w = calloc(1, sizeof *w);
	char *path = NULL;

	if (!w || asprintf(&path, "%s/proc", root) < 0) {
		free(w);
		pm_err(e, "watch job %s: out of memory", marks->job);
		return NULL;
	}
	w->root = root;
	w->self = root[0] == '\0' ? getpid() : 0;
	w->proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	w->find = pm_jobfind_open(root, marks, e);
	if (w->proc_fd < 0)
		pm_err(e, "open %s: %m", path);
	free(path);
	if (w->proc_fd >= 0)
		pm_pids_open(&w->pids, root, w->proc_fd);
	if (w->proc_fd >= 0 && w->find)
		return w;
	pm_jobwatch_close(w);
	return NULL;
}

void pm_jobwatch_close(struct pm_jobwatch *w)
{
	if (!w)
		return;
	if (w->proc_fd >= 0) {
		pm_pids_close(&w->pids);
		close(w->proc_fd);
	}
	pm_jobfind_close(w->find);
	free(w->member);
	free(w);
}

/* Whether a process exists and is no zombie; sets its start time then. */
static bool is_alive(const struct pm_jobwatch *w, pid_t pid, int64_t *starttime)
{
	struct pm_procfs_stat stat;
	struct pm_procfile file;
	const char *text;
	char relative[64];
	bool does = false;
	ssize_t n;

	snprintf(relative, sizeof relative, "proc/%d/stat", (int)pid);
	if (pm_procfile_open(&file, w->root, relative) < 0)
		return false;
	n = pm_procfile_read(&file, &text);
	if (n > 0 && pm_procfs_stat(text, (size_t)n, &stat) == 0 && stat.state != 'Z' &&
	    stat.state != 'X') {
		*starttime = stat.starttime;
		does = true;
	}
	pm_procfile_close(&file);
	return does;
}

static bool is_member(const struct pm_jobwatch *w, pid_t pid)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->member[i].pid == pid)
			return true;
	return false;
}

static void add_member(struct pm_jobwatch *w, pid_t pid)
{
	int64_t starttime;

	if (!PM_GROW(w->member, w->count, w->capacity, 64))
		return;
	if (is_alive(w, pid, &starttime))
		w->member[w->count++] = (struct member){ pid, starttime };
}

static void look_for_new(struct pm_jobwatch *w)
{
	if (pm_pids_look(&w->pids) < 0 && w->pids.count == 0)
		return;
	for (size_t i = 0; i < w->pids.count; i++) {
		pid_t pid = w->pids.pid[i];

		if (pid == w->self)
			continue;
		if (!is_member(w, pid)) {
			if (!pm_jobfind_belongs(w->find, pid))
				continue;
			add_member(w, pid);
		}
		pm_jobfind_note(w->find, pid);
	}
}

/* Whether a member keeps the job alive. Removes members that are gone. */
static bool is_running(struct pm_jobwatch *w)
{
	size_t i = 0;

	pm_jobfind_look(w->find);
	while (i < w->count) {
		int64_t starttime;

		if (!is_alive(w, w->member[i].pid, &starttime) ||
		    starttime != w->member[i].starttime) {
			w->member[i] = w->member[--w->count];
			continue;
		}
		if (!pm_jobfind_waits(w->find, w->member[i].pid))
			return true;
		i++;
	}
	return false;
}

bool pm_jobwatch_over(struct pm_jobwatch *w, int64_t now_us)
{
	look_for_new(w);
	if (!w->asked)
		w->last_us = now_us;
	w->asked = true;
	if (is_running(w)) {
		w->seen = true;
		w->last_us = now_us;
		return false;
	}
	/* The batch system removes a job's group after its last process has ended. */
	if (pm_jobfind_is_gone(w->find))
		return true;
	return now_us - w->last_us >= (w->seen ? PAUSE_US : BEGIN_US);
}
