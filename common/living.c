/* Recorded processes that still live. */
#include "config.h"

#include "common/living.h"
#include "common/pidns.h"
#include "common/procfs.h"
#include "common/quality.h"
#include "common/tsv.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Processes named in a message at most. */
#define NAMED_MAX 3

/* What is found so far, and where. */
struct search {
	int64_t pid_ns;                 /* ours */
	struct pm_quality_image *other; /* images of other namespaces, where their pids count */
	size_t others;
	char *list;
	size_t size;
	int count;
};

/* The state of a process by its pid here, with its name; 0 where there is none. */
static char look(int64_t pid, int64_t *starttime, char name[32])
{
	struct pm_procfs_stat stat;
	char path[64], text[4096];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof text);
		close(fd);
	}
	if (n <= 0 || pm_procfs_stat(text, (size_t)n, &stat) < 0)
		return 0;
	*starttime = stat.starttime;
	snprintf(name, 32, "%.*s", (int)stat.comm.n, stat.comm.p);
	/* A zombie starts nothing any more. */
	return stat.state == 'Z' || stat.state == 'X' ? 0 : stat.state;
}

static void add(struct search *s, int64_t pid, const char *name)
{
	size_t n = strlen(s->list);

	if (s->count++ < NAMED_MAX)
		snprintf(s->list + n, s->size - n, "%s%s (%lld)", n ? ", " : "", name,
			 (long long)pid);
	else if (s->count == NAMED_MAX + 1)
		snprintf(s->list + n, s->size - n, ", ...");
}

static int take(void *ctx, const struct pm_quality_image *image)
{
	struct search *s = ctx;
	int64_t starttime;
	char name[32];

	if (image->pid <= 0 || image->starttime < 0)
		return 0;
	if (image->pid_ns < 0 || image->pid_ns == s->pid_ns) {
		if (look(image->pid, &starttime, name) && starttime == image->starttime)
			add(s, image->pid, name);
		return 0;
	}
	if (!(s->others & (s->others + 1))) {
		struct pm_quality_image *more =
			realloc(s->other, (2 * s->others + 1) * sizeof *more);

		if (!more)
			return 1;
		s->other = more;
	}
	s->other[s->others++] = *image;
	return 0;
}

/* The pid of a process in its own namespace: the last number of NSpid (proc_pid_status(5)). -1
 * where it cannot be told. */
static int64_t inner_pid(int64_t pid)
{
	char path[64], line[512];
	long long inner = -1;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%lld/status", (long long)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, "NSpid:", 6) == 0) {
			char *last = strrchr(line, '\t');

			inner = last ? atoll(last + 1) : -1;
			break;
		}
	if (f)
		fclose(f);
	return inner;
}

/* Whether a process, by its pid here, is one of the images of other namespaces. */
static bool is_other(const struct search *s, int64_t pid, int64_t starttime)
{
	int64_t inner = -1;
	char path[64];
	struct stat st;

	for (size_t i = 0; i < s->others; i++) {
		if (s->other[i].starttime != starttime)
			continue;
		snprintf(path, sizeof path, "/proc/%lld/ns/pid", (long long)pid);
		if (inner < 0)
			inner = inner_pid(pid);
		if (inner == s->other[i].pid && stat(path, &st) == 0 &&
		    (int64_t)st.st_ino == s->other[i].pid_ns)
			return true;
	}
	return false;
}

/* Processes of containers have other pids here: only a walk through all processes finds them. */
static void look_at_all(struct search *s)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		int64_t pid, starttime;
		char name[32];

		if (pm_tsv_number(entry->d_name, strlen(entry->d_name), &pid) == 0 &&
		    look(pid, &starttime, name) && is_other(s, pid, starttime))
			add(s, pid, name);
	}
	if (dir)
		closedir(dir);
}

int pm_living_find(int dir, const char *host, char *list, size_t size, struct pm_err *e)
{
	struct search s = { .pid_ns = pm_pidns_own(), .list = list, .size = size };
	int rc;

	list[0] = '\0';
	rc = pm_quality_each_open(dir, host, take, &s, e);
	if (rc == 1)
		rc = pm_err(e, "out of memory");
	if (rc == 0 && s.others)
		look_at_all(&s);
	free(s.other);
	return rc < 0 ? -1 : s.count;
}
