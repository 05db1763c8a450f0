/* Find the processes of a batch job. */
#include "config.h"

#include "sampler/job/jobfind.h"

#include "common/grow.h"
#include "common/job/jobgroup.h"
#include "common/path.h"
#include "common/safe/procfs.h"
#include "sampler/job/cgroupdir.h"
#include "sampler/kernel/procfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of ancestors that are looked at; no chain of launchers has as many. */
#define ABOVE_MAX 64

/* Maximum number of samplers and their launchers that are followed: a node has one sampler per
 * step. */
#define SAMPLERS_MAX 256

struct pm_jobfind {
	const char *root;
	const struct pm_job_marks *marks;
	char *group;                 /* path of the control group given by the user, or NULL */
	pid_t self;                  /* 0 in a recorded tree */
	pid_t sampler[SAMPLERS_MAX]; /* samplers and their launchers */
	size_t samplers;
	pid_t *waiting;
	size_t waitings, capacity;
};

/* The path of a control group in its hierarchy, by its directory. The caller frees the path; NULL
 * where there is no such group. */
static char *find_group(const char *root, const char *directory)
{
	struct pm_procfile mounts;
	const char *mountinfo;
	char *group = NULL;

	if (pm_procfile_open(&mounts, root, "proc/self/mountinfo") < 0)
		return NULL;
	if (pm_procfile_read(&mounts, &mountinfo) > 0)
		group = pm_cgroupdir_name(directory, mountinfo);
	pm_procfile_close(&mounts);
	return group;
}

struct pm_jobfind *pm_jobfind_open(const char *root, const struct pm_job_marks *marks,
				   struct pm_err *e)
{
	struct pm_jobfind *f = calloc(1, sizeof *f);

	if (!f) {
		pm_err(e, "find job %s: out of memory", marks->job);
		return NULL;
	}
	f->root = root;
	f->marks = marks;
	if (marks->directory)
		f->group = find_group(root, marks->directory);
	f->self = root[0] == '\0' ? getpid() : 0;
	return f;
}

int pm_jobfind_group(const char *root, const char *directory, struct pm_err *e)
{
	char *group = find_group(root, directory), *path = NULL;
	bool there = group && asprintf(&path, "%s%s/cgroup.procs", root, directory) >= 0 &&
		     access(path, F_OK) == 0;

	free(group);
	free(path);
	return there ? 0 : pm_err(e, "--cgroup: '%s' is not a control group directory", directory);
}

bool pm_jobfind_is_gone(const struct pm_jobfind *f)
{
	char *path = NULL;
	bool gone = f->group && asprintf(&path, "%s%s", f->root, f->marks->directory) >= 0 &&
		    access(path, F_OK) < 0 && errno == ENOENT;

	free(path);
	return gone;
}

void pm_jobfind_close(struct pm_jobfind *f)
{
	if (!f)
		return;
	free(f->waiting);
	free(f->group);
	free(f);
}

/* --- a process in /proc ----------------------------------------------------------------------- */

/* Read a file of a process; the caller frees *text. Returns the length or -1. */
static ssize_t read_file(const struct pm_jobfind *f, pid_t pid, const char *name, char **text)
{
	struct pm_procfile file;
	const char *read = NULL;
	char relative[64];
	ssize_t n;

	*text = NULL;
	snprintf(relative, sizeof relative, "proc/%d/%s", (int)pid, name);
	if (pm_procfile_open(&file, f->root, relative) < 0)
		return -1;
	n = pm_procfile_read(&file, &read);
	if (n >= 0) {
		*text = malloc((size_t)n + 1);
		if (*text)
			memcpy(*text, read, (size_t)n + 1);
		else
			n = -1;
	}
	pm_procfile_close(&file);
	return n;
}

/* Whether a path of n bytes is that of the group given by the user, or below it. */
static bool is_group(const struct pm_jobfind *f, const char *path, size_t n)
{
	size_t group_n = f->group ? strlen(f->group) : 0;

	return group_n && n >= group_n && memcmp(path, f->group, group_n) == 0 &&
	       (n == group_n || path[group_n] == '/');
}

/* Whether a process is in the job's group of any hierarchy: batch systems use different ones. */
static bool in_cgroup(const struct pm_jobfind *f, pid_t pid)
{
	char *text;
	ssize_t n = read_file(f, pid, "cgroup", &text);
	bool found = false;

	for (char *p = text; n > 0 && p < text + n && !found;) {
		char *end = memchr(p, '\n', (size_t)(text + n - p));
		char *path = memchr(p, '/', (size_t)((end ? end : text + n) - p));

		if (!end)
			end = text + n;
		if (path)
			found = is_group(f, path, (size_t)(end - path)) ||
				(!f->marks->strict &&
				 pm_jobgroup_find(path, (size_t)(end - path), f->marks->cgroup));
		p = end + 1;
	}
	free(text);
	return found;
}

/* Whether an environment, NUL-terminated strings up to end, has an entry of n bytes. */
static bool has_entry(const char *p, const char *end, const char *entry, size_t n)
{
	for (; p < end; p += strlen(p) + 1)
		if (strncmp(p, entry, n) == 0 && p[n] == '\0')
			return true;
	return false;
}

/* Whether an environment has all entries of a mark. */
static bool has_mark(const char *text, const char *end, const char *mark)
{
	for (;;) {
		size_t n = strcspn(mark, "\n");

		if (!has_entry(text, end, mark, n))
			return false;
		if (!mark[n])
			return true;
		mark += n + 1;
	}
}

/* Whether the user started a process (real uid), even if its program is set-uid. */
static bool is_started_by(const struct pm_jobfind *f, pid_t pid, unsigned uid)
{
	char *text;
	ssize_t n = read_file(f, pid, "status", &text);
	int64_t real;
	bool is = n > 0 && pm_procfs_real_uid(text, (size_t)n, &real) == 0 && real == uid;

	free(text);
	return is;
}

/* Only the environments of our own user's processes count: a process can put anything into its
 * environment, and a privileged sampler could read that of any user. */
static bool in_environment(const struct pm_jobfind *f, pid_t pid)
{
	char *text;
	ssize_t n;
	bool found = false;

	if (f->marks->strict || (f->self && !is_started_by(f, pid, getuid())))
		return false;
	n = read_file(f, pid, "environ", &text);
	for (size_t i = 0; n > 0 && i < f->marks->marks && !found; i++)
		found = has_mark(text, text + n, f->marks->mark[i]);
	free(text);
	return found;
}

/* Whether perfmon with these arguments, up to end, is a sampler: without arguments, or with the
 * verb sample or a sampler's options. Another first word is another verb, or a program to record.
 */
static bool is_sampler(const char *p, const char *end)
{
	bool options = false;

	for (; p < end; p += strlen(p) + 1) {
		if (strcmp(p, "sample") == 0)
			return true;
		if (strcmp(p, "-a") == 0 || strcmp(p, "--auto") == 0)
			return false;
		if (*p != '-' && !options)
			return false;
		options = true;
	}
	return true;
}

bool pm_jobfind_samples(const char *arguments, size_t n)
{
	static const char *const launcher[] = {
		"srun",  "mpirun", "mpiexec",   "orterun", "prterun", "orted",
		"prted", "hydra_", "pmi_proxy", "ssh",     "pbsdsh",  "pbs_tmrsh",
		"aprun", "jsrun",  "blaunch",   "oarsh",   "flux",
	};
	const char *end = arguments + n, *p = arguments;
	bool launches = false;

	if (n == 0 || end[-1] != '\0')
		return false;
	if (strcmp(pm_path_base(p), "perfmon") == 0)
		return is_sampler(p + strlen(p) + 1, end);
	for (size_t i = 0; i < sizeof launcher / sizeof launcher[0]; i++)
		launches =
			launches || strncmp(pm_path_base(p), launcher[i], strlen(launcher[i])) == 0;
	while (launches && (p += strlen(p) + 1) < end)
		if (strcmp(pm_path_base(p), "perfmon") == 0)
			return is_sampler(p + strlen(p) + 1, end);
	return false;
}

bool pm_jobfind_belongs(const struct pm_jobfind *f, pid_t pid)
{
	if (f->marks->strict)
		return in_cgroup(f, pid) && is_started_by(f, pid, f->marks->uid);
	return in_cgroup(f, pid) || in_environment(f, pid);
}

static bool is_sampling(const struct pm_jobfind *f, pid_t pid)
{
	char *text;
	ssize_t n = read_file(f, pid, "cmdline", &text);
	bool does = n > 0 && pm_jobfind_samples(text, (size_t)n);

	free(text);
	return does;
}

void pm_jobfind_note(struct pm_jobfind *f, pid_t pid)
{
	for (size_t i = 0; i < f->samplers; i++)
		if (f->sampler[i] == pid)
			return;
	if (f->samplers < SAMPLERS_MAX && is_sampling(f, pid))
		f->sampler[f->samplers++] = pid;
}

/* --- processes that wait for samplers --------------------------------------------------------- */

static pid_t read_parent(const struct pm_jobfind *f, pid_t pid)
{
	struct pm_procfs_stat stat;
	char *text;
	ssize_t n = read_file(f, pid, "stat", &text);
	pid_t found = n > 0 && pm_procfs_stat(text, (size_t)n, &stat) == 0 ? (pid_t)stat.ppid : 0;

	free(text);
	return found;
}

static void add_waiting(struct pm_jobfind *f, pid_t pid)
{
	if (pm_jobfind_waits(f, pid))
		return;
	if (!PM_GROW(f->waiting, f->waitings, f->capacity, 32))
		return;
	f->waiting[f->waitings++] = pid;
}

static void add_above(struct pm_jobfind *f, pid_t pid)
{
	for (int i = 0; i < ABOVE_MAX && (pid = read_parent(f, pid)) > 1; i++)
		add_waiting(f, pid);
}

void pm_jobfind_look(struct pm_jobfind *f)
{
	size_t kept = 0;

	f->waitings = 0;
	if (f->self)
		add_above(f, f->self);
	for (size_t i = 0; i < f->samplers; i++) {
		if (!is_sampling(f, f->sampler[i]))
			continue; /* ended */
		add_waiting(f, f->sampler[i]);
		add_above(f, f->sampler[i]);
		f->sampler[kept++] = f->sampler[i];
	}
	f->samplers = kept;
}

bool pm_jobfind_waits(const struct pm_jobfind *f, pid_t pid)
{
	for (size_t i = 0; i < f->waitings; i++)
		if (f->waiting[i] == pid)
			return true;
	return false;
}
