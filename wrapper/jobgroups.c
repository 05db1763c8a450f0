/* Find and watch the control groups of jobs. */
#include "config.h"

#include "wrapper/jobgroups.h"

#include "common/grow.h"
#include "common/jobgroup.h"
#include "common/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

/* Levels and directories that are looked at: more than any batch system's layout has above jobs. */
#define DEPTH_MAX   7
#define VISITED_MAX 8192

/* Levels below a job's group: steps, tasks. */
#define STEPS_MAX 4

void pm_jobgroups_open(struct pm_jobgroups *g, const char *root)
{
	memset(g, 0, sizeof *g);
	g->root = root;
	g->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

void pm_jobgroups_close(struct pm_jobgroups *g)
{
	if (g->fd >= 0)
		close(g->fd);
	free(g->group);
	memset(g, 0, sizeof *g);
	g->fd = -1;
}

/* Note a job's group. Of several hierarchies the one that has processes counts. */
static void add(struct pm_jobgroups *g, struct pm_str id, const char *path)
{
	struct pm_jobgroup *one = NULL;

	if (id.n >= sizeof one->id)
		return;
	for (size_t i = 0; i < g->count && !one; i++)
		if (strlen(g->group[i].id) == id.n && memcmp(g->group[i].id, id.p, id.n) == 0)
			one = &g->group[i];
	if (one && pm_jobgroups_process(one))
		return;
	if (!one) {
		if (!PM_GROW(g->group, g->count, g->capacity, 16))
			return;
		one = &g->group[g->count++];
	}
	snprintf(one->id, sizeof one->id, "%.*s", (int)id.n, id.p);
	snprintf(one->path, sizeof one->path, "%s", path);
}

/* Look through a directory for groups of jobs; what is below them belongs to them. */
static void look(struct pm_jobgroups *g, const char *path, int depth)
{
	const char *name = pm_path_base(path);
	const struct pm_str above = { name, strlen(name) };
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	/* Watched first: what comes while we look is seen or told. */
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
			add(g, id, below);
		else if (depth < DEPTH_MAX)
			look(g, below, depth + 1);
	}
	closedir(dir);
}

void pm_jobgroups_scan(struct pm_jobgroups *g)
{
	char events[4096];

	while (g->fd >= 0 && read(g->fd, events, sizeof events) > 0)
		;
	g->count = g->visited = 0;
	if (g->root) {
		look(g, g->root, 0);
		return;
	}
	look(g, "/sys/fs/cgroup", 0);
	look(g, "/dev/cpuset", 0);
}

/* The best process of a group; 0 where there is none. *plain: it is not root's. */
static pid_t best_process(const char *path, int depth, bool *plain)
{
	char name[PATH_MAX], line[64];
	pid_t best = 0;
	struct dirent *entry;
	FILE *f;
	DIR *dir;

	*plain = false;
	if (snprintf(name, sizeof name, "%s/cgroup.procs", path) >= (int)sizeof name)
		return 0;
	f = fopen(name, "re");
	while (f && !*plain && fgets(line, sizeof line, f)) {
		long pid = strtol(line, NULL, 10);
		struct stat st;
		char proc[64];

		snprintf(proc, sizeof proc, "/proc/%ld", pid);
		if (pid <= 0 || stat(proc, &st) < 0)
			continue;
		*plain = st.st_uid != 0;
		if (*plain || !best)
			best = (pid_t)pid;
	}
	if (f)
		fclose(f);
	dir = *plain || depth >= STEPS_MAX ? NULL : opendir(path);
	while (dir && !*plain && (entry = readdir(dir)) != NULL) {
		pid_t found;

		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR ||
		    snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= (int)sizeof name)
			continue;
		found = best_process(name, depth + 1, plain);
		if (found && (*plain || !best))
			best = found;
	}
	if (dir)
		closedir(dir);
	return best;
}

pid_t pm_jobgroups_process(const struct pm_jobgroup *group)
{
	bool plain;

	return best_process(group->path, 0, &plain);
}
