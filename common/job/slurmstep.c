/* The job that a slurmstepd works for, by its title. */
#include "config.h"

#include "common/job/slurmstep.h"

#include "common/path.h"
#include "common/safe/procfs.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Levels below a job's group: step_batch, slurm, and one more. */
#define DEPTH_MAX 3

/* Directories and processes that are looked at; the first step has its slurmstepd. */
#define VISITED_MAX   256
#define PROCESSES_MAX 4096

struct search {
	const char *root;
	size_t visited, processes;
	char *id;
	size_t size;
};

bool pm_slurmstep_is_sluid(struct pm_str s)
{
	if (s.n != 14 || s.p[0] != 's')
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!(s.p[i] >= '0' && s.p[i] <= '9') && !(s.p[i] >= 'A' && s.p[i] <= 'Z'))
			return false;
	return true;
}

/* Read the beginning of a file of a process, NUL-terminated. Returns its length or -1. */
static ssize_t read_file(const struct search *s, const char *pid, const char *name, char *text,
			 size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/proc/%s/%s", s->root, pid, name);
	return pm_path_read(path, text, size);
}

/* Whether a process is root's slurmstepd; takes the job's id from its title. */
static bool tells(struct search *s, const char *pid)
{
	static const char before[] = "slurmstepd: [";
	char title[256], status[4096];
	const char *id;
	int64_t uid;
	ssize_t n;
	size_t length;

	if (read_file(s, pid, "cmdline", title, sizeof title) <= 0 ||
	    strncmp(title, before, sizeof before - 1) != 0)
		return false;
	id = title + sizeof before - 1;
	length = strspn(id, "0123456789");
	if (length == 0 || length >= s->size || id[length] != '.')
		return false;
	n = read_file(s, pid, "status", status, sizeof status);
	if (n <= 0 || pm_procfs_real_uid(status, (size_t)n, &uid) < 0 || uid != 0)
		return false;
	memcpy(s->id, id, length);
	s->id[length] = '\0';
	return true;
}

/* Ask the processes of a group. */
static bool ask_processes(struct search *s, const char *path)
{
	char name[PATH_MAX], pid[32];
	bool told = false;
	FILE *f;

	if (snprintf(name, sizeof name, "%s/cgroup.procs", path) >= (int)sizeof name)
		return false;
	f = fopen(name, "re");
	while (f && !told && s->processes < PROCESSES_MAX &&
	       fscanf(f, "%31[0-9]%*[^0-9]", pid) == 1) {
		s->processes++;
		told = tells(s, pid);
	}
	if (f)
		fclose(f);
	return told;
}

static bool ask_group(struct search *s, const char *path, int depth)
{
	bool told = ask_processes(s, path);
	struct dirent *entry;
	DIR *dir;

	if (told || depth == DEPTH_MAX || !(dir = opendir(path)))
		return told;
	while (!told && s->visited < VISITED_MAX && (entry = readdir(dir)) != NULL) {
		char below[PATH_MAX];

		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR ||
		    snprintf(below, sizeof below, "%s/%s", path, entry->d_name) >=
			    (int)sizeof below)
			continue;
		s->visited++;
		told = ask_group(s, below, depth + 1);
	}
	closedir(dir);
	return told;
}

int pm_slurmstep_job(const char *root, const char *directory, char *id, size_t size)
{
	struct search s = { .root = root, .id = id, .size = size };
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s%s", root, directory) >= (int)sizeof path)
		return -1;
	return ask_group(&s, path, 0) ? 0 : -1;
}
