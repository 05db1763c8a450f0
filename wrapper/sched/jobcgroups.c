/* Find and watch the control groups of jobs. */
#include "config.h"

#include "wrapper/sched/jobcgroups.h"

#include "common/grow.h"
#include "common/job/jobgroup.h"
#include "common/job/slurmstep.h"
#include "common/path.h"
#include "common/safe/procfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* Levels and directories that a scan searches: more than any batch system has above its jobs. */
#define DEPTH_MAX   7
#define VISITED_MAX 8192

/* Levels that are searched below a job's group: steps, tasks. */
#define STEPS_MAX 4

void pm_jobcgroups_open(struct pm_jobcgroups *g, const char *root)
{
	memset(g, 0, sizeof *g);
	g->root = root;
	g->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

void pm_jobcgroups_close(struct pm_jobcgroups *g)
{
	if (g->fd >= 0)
		close(g->fd);
	free(g->group);
	memset(g, 0, sizeof *g);
	g->fd = -1;
}

/* The number in a path between two texts, such as "/uid_" and "/"; -1: no such number. */
static int64_t number_in(const char *path, const char *before, const char *behind)
{
	const char *p = strstr(path, before);
	size_t n;
	int64_t v;

	if (!p)
		return -1;
	p += strlen(before);
	n = strspn(p, "0123456789");
	return strncmp(p + n, behind, strlen(behind)) == 0 && pm_tsv_number(p, n, &v) == 0 ? v : -1;
}

/* The uid of the user named by a path: Slurm's slurm/uid_N, a user's own systemd, OAR's
 * oar/NAME_ID; -1: the path names no user. */
static int64_t user_of(const char *path)
{
	int64_t uid = number_in(path, "/uid_", "/");
	const char *oar = strstr(path, "/oar/"), *end;
	struct passwd *pw;
	char name[64];

	if (uid < 0)
		uid = number_in(path, "/user@", ".service/");
	end = oar ? strrchr(oar, '_') : NULL;
	if (uid < 0 && end &&
	    snprintf(name, sizeof name, "%.*s", (int)(end - oar - 5), oar + 5) < (int)sizeof name) {
		pw = getpwnam(name);
		uid = pw ? (int64_t)pw->pw_uid : -1;
	}
	return uid;
}

/* Whether a user may have created the group: below their own systemd, users can create groups of
 * any name. Flux is the only batch system that has jobs there. */
static bool is_users_own(const char *path)
{
	return strstr(path, "/user.slice/") && strncmp(pm_path_base(path), "shell-", 6) != 0;
}

static bool has_process(const struct pm_jobgroup *group)
{
	struct pm_jobgroup_process p;

	if (pm_jobcgroups_process(group, &p) < 0)
		return false;
	close(p.fd);
	return true;
}

/* Add a job's group. If several hierarchies have a group of the job, keep one that has processes.
 */
static void add_group(struct pm_jobcgroups *g, struct pm_str id, const char *path)
{
	struct pm_jobgroup *one = NULL;
	const struct pm_str named = id;
	char told[32];

	if (pm_slurmstep_is_sluid(id) && pm_slurmstep_job("", path, told, sizeof told) == 0)
		id = (struct pm_str){ told, strlen(told) };
	if (named.n >= sizeof one->named || is_users_own(path))
		return;
	for (size_t i = 0; i < g->count && !one; i++)
		if (strlen(g->group[i].id) == id.n && memcmp(g->group[i].id, id.p, id.n) == 0)
			one = &g->group[i];
	if (one && has_process(one))
		return;
	if (!one) {
		if (!PM_GROW(g->group, g->count, g->capacity, 16))
			return;
		one = &g->group[g->count++];
	}
	snprintf(one->id, sizeof one->id, "%.*s", (int)id.n, id.p);
	snprintf(one->named, sizeof one->named, "%.*s", (int)named.n, named.p);
	snprintf(one->path, sizeof one->path, "%s", path);
	one->uid = user_of(path);
}

/* Search a directory for the groups of jobs, but not inside a job's group. */
static void search_directory(struct pm_jobcgroups *g, const char *path, int depth)
{
	const char *name = pm_path_base(path);
	const struct pm_str above = { name, strlen(name) };
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	/* Watch before reading: a directory made meanwhile is either read or reported. */
	if (g->fd >= 0)
		inotify_add_watch(g->fd, path, IN_CREATE | IN_DELETE | IN_MOVE | IN_ONLYDIR);
	while (g->visited < VISITED_MAX && (entry = readdir(dir)) != NULL) {
		struct pm_str child = { entry->d_name, strlen(entry->d_name) }, id;
		char below[PATH_MAX];

		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR ||
		    snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >=
			    (int)sizeof below)
			continue;
		g->visited++;
		if (pm_jobgroup_id(above, child, &id))
			add_group(g, id, below);
		else if (depth < DEPTH_MAX)
			search_directory(g, below, depth + 1);
	}
	closedir(dir);
}

void pm_jobcgroups_scan(struct pm_jobcgroups *g)
{
	char events[4096];

	while (g->fd >= 0 && read(g->fd, events, sizeof events) > 0)
		;
	g->count = g->visited = 0;
	if (g->root) {
		search_directory(g, g->root, 0);
		return;
	}
	search_directory(g, "/sys/fs/cgroup", 0);
	search_directory(g, "/dev/cpuset", 0);
}

/* Open a process's /proc directory if the job's user started the process. Returns 0 or -1. */
static int open_process(const struct pm_jobgroup *group, pid_t pid, struct pm_jobgroup_process *p)
{
	char name[64], text[4096];
	int64_t uid = -1;
	ssize_t n = -1;
	int fd;

	snprintf(name, sizeof name, "/proc/%ld", (long)pid);
	p->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p->fd < 0)
		return -1;
	fd = openat(p->fd, "status", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof text);
		close(fd);
	}
	if (n > 0 && pm_procfs_real_uid(text, (size_t)n, &uid) == 0 &&
	    (geteuid() != 0 || group->uid < 0 || uid == group->uid) &&
	    (geteuid() == 0 ? uid != 0 || group->uid == 0 : uid == geteuid())) {
		p->pid = pid;
		p->uid = (uid_t)uid;
		return 0;
	}
	close(p->fd);
	return -1;
}

static int find_process(const struct pm_jobgroup *group, const char *path, int depth,
			struct pm_jobgroup_process *p)
{
	char name[PATH_MAX], line[64];
	struct dirent *entry;
	int rc = -1;
	FILE *f;
	DIR *dir;

	if (snprintf(name, sizeof name, "%s/cgroup.procs", path) >= (int)sizeof name)
		return -1;
	f = fopen(name, "re");
	while (f && rc < 0 && fgets(line, sizeof line, f)) {
		long pid = strtol(line, NULL, 10);

		if (pid > 0)
			rc = open_process(group, (pid_t)pid, p);
	}
	if (f)
		fclose(f);
	dir = rc == 0 || depth >= STEPS_MAX ? NULL : opendir(path);
	while (dir && rc < 0 && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR &&
		    snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name)
			rc = find_process(group, name, depth + 1, p);
	if (dir)
		closedir(dir);
	return rc;
}

int pm_jobcgroups_process(const struct pm_jobgroup *group, struct pm_jobgroup_process *p)
{
	return find_process(group, group->path, 0, p);
}
