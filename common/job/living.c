/* Find recorded processes that are still running. */
#include "config.h"

#include "common/job/living.h"

#include "common/job/jobdir.h"
#include "common/job/quality.h"
#include "common/pidns.h"
#include "common/safe/procfs.h"
#include "common/safe/tsv.h"
#include "common/safe/variables.h"
#include "common/settings/settings.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most processes named in a message. */
#define NAMED_MAX 3

/* Most ancestors that are followed. */
#define ANCESTORS_MAX 64

/* The search and its results so far. */
struct search {
	int64_t pid_ns;                 /* pid namespace of this process */
	struct pm_quality_image *image; /* images without an end record */
	size_t images;
	bool here;       /* the job is on this host: environments count as well as records */
	struct stat dir; /* the job directory */
	char path[PATH_MAX];
	int64_t self[ANCESTORS_MAX]; /* this process and its ancestors */
	size_t selves;
	char *list;
	size_t size;
	int count;
};

/* A running process. */
struct process {
	int64_t pid, ppid, starttime; /* pids in the namespace of this process */
	char name[32];
};

/* Read a process by its pid in this namespace. Returns whether it exists and can still start
 * others. */
static bool read_process(int64_t pid, struct process *p)
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
		return false;
	p->pid = pid;
	p->ppid = stat.ppid;
	p->starttime = stat.starttime;
	snprintf(p->name, sizeof p->name, "%.*s", (int)stat.comm.n, stat.comm.p);
	/* A zombie can no longer start processes. */
	return stat.state != 'Z' && stat.state != 'X';
}

static void list_process(struct search *s, const struct process *p)
{
	size_t n = strlen(s->list);

	if (s->count++ < NAMED_MAX)
		snprintf(s->list + n, s->size - n, "%s%s (%lld)", n ? ", " : "", p->name,
			 (long long)p->pid);
	else if (s->count == NAMED_MAX + 1)
		snprintf(s->list + n, s->size - n, ", ...");
}

static int take_image(void *ctx, const struct pm_quality_image *image)
{
	struct search *s = ctx;

	if (image->pid <= 0 || image->starttime < 0)
		return 0;
	if (!(s->images & (s->images + 1))) {
		struct pm_quality_image *more =
			realloc(s->image, (2 * s->images + 1) * sizeof *more);

		if (!more)
			return 1;
		s->image = more;
	}
	s->image[s->images++] = *image;
	return 0;
}

/* The pid of a process in its own namespace: the last number of NSpid (proc_pid_status(5)). -1
 * where unknown. */
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

/* Whether a process is one of the images. Inside a container the image recorded another pid. */
static bool is_image(const struct search *s, const struct process *p)
{
	int64_t inner = -1;
	char path[64];
	struct stat st;

	for (size_t i = 0; i < s->images; i++) {
		const struct pm_quality_image *image = &s->image[i];

		if (image->starttime != p->starttime)
			continue;
		if (image->pid_ns < 0 || image->pid_ns == s->pid_ns) {
			if (image->pid == p->pid)
				return true;
			continue;
		}
		snprintf(path, sizeof path, "/proc/%lld/ns/pid", (long long)p->pid);
		if (inner < 0)
			inner = inner_pid(p->pid);
		if (inner == image->pid && stat(path, &st) == 0 &&
		    (int64_t)st.st_ino == image->pid_ns)
			return true;
	}
	return false;
}

/* Whether a value of PERFMON_OUTPUT names the job directory. A path from another user's process is
 * never passed to stat(2), which could block as long as that user likes. */
static bool is_directory(const struct search *s, const char *value)
{
	struct stat st;

	return strcmp(value, s->path) == 0 ||
	       (s->dir.st_uid == geteuid() && stat(value, &st) == 0 && st.st_dev == s->dir.st_dev &&
		st.st_ino == s->dir.st_ino);
}

/*
 * Whether the children of a process will be recorded in the directory although the process itself
 * may have no record: an excluded program, one beyond max_bytes, a static one. Its environment
 * tells.
 */
static bool passes_recording_on(const struct search *s, const struct process *p)
{
	static const char preload[] = PM_VARIABLE_PRELOAD "=";
	const char *variable = pm_setting_info[PM_SET_output].env;
	size_t length = strlen(variable), size = 0;
	bool preloaded = false, output = false;
	char path[64], *entry = NULL;
	struct stat st;
	FILE *f;

	for (size_t i = 0; i < s->selves; i++)
		if (s->self[i] == p->pid)
			return false;
	snprintf(path, sizeof path, "/proc/%lld/environ", (long long)p->pid);
	f = fopen(path, "re");
	if (f && fstat(fileno(f), &st) == 0 && st.st_uid == s->dir.st_uid)
		while ((!preloaded || !output) && getdelim(&entry, &size, '\0', f) > 0) {
			if (strncmp(entry, preload, sizeof preload - 1) == 0)
				preloaded = strstr(entry, "libperfmon") != NULL;
			else if (strncmp(entry, variable, length) == 0 && entry[length] == '=')
				output = is_directory(s, entry + length + 1);
		}
	free(entry);
	if (f)
		fclose(f);
	return preloaded && output;
}

/* Find this process and its ancestors, which are not waited for: they wait for this search. */
static void find_ancestors(struct search *s)
{
	struct process p = { .ppid = getpid() };

	while (s->selves < ANCESTORS_MAX && p.ppid > 0) {
		int64_t pid = p.ppid;

		s->self[s->selves++] = pid;
		if (!read_process(pid, &p))
			break;
	}
}

static void search_processes(struct search *s)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		struct process p;
		int64_t pid;

		if (pm_tsv_number(entry->d_name, strlen(entry->d_name), &pid) == 0 &&
		    read_process(pid, &p) &&
		    (is_image(s, &p) || (s->here && passes_recording_on(s, &p))))
			list_process(s, &p);
	}
	if (dir)
		closedir(dir);
}

int pm_living_find(int dir, const char *host, char *list, size_t size, struct pm_err *e)
{
	struct search s = { .pid_ns = pm_pidns_own(), .list = list, .size = size };
	char own[256], link[64];
	ssize_t n;
	int rc;

	list[0] = '\0';
	rc = pm_quality_each_open(dir, host, take_image, &s, e);
	if (rc == 1)
		rc = pm_err(e, "out of memory");
	pm_jobdir_host(own, sizeof own);
	snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
	n = readlink(link, s.path, sizeof s.path - 1);
	s.here = (!host || strcmp(host, own) == 0) && n > 0 && fstat(dir, &s.dir) == 0;
	s.path[n > 0 ? n : 0] = '\0';
	if (s.here)
		find_ancestors(&s);
	if (rc == 0 && (s.images || s.here))
		search_processes(&s);
	free(s.image);
	return rc < 0 ? -1 : s.count;
}
