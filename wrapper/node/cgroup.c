/* Control groups, versions 1 and 2 (Linux Documentation/admin-guide/cgroup-v1, cgroup-v2.rst). */
#include "config.h"

#include "wrapper/node/cgroup.h"

#include "common/job/jobgroup.h"
#include "common/path.h"
#include "common/safe/procfs.h"
#include "common/safe/tsv.h"

#include <dirent.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read a small file. Returns its length without the final newline, or -1. */
static int read_text(const char *path, char *buf, size_t size)
{
	ssize_t n = pm_path_read(path, buf, size);

	if (n < 0)
		return -1;
	while (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return (int)n;
}

/* Whether the comma-separated list has the word. */
static int has_word(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ",");

		if (n == len && memcmp(p, word, n) == 0)
			return 1;
		p += n + (p[n] == ',');
	}
	return 0;
}

/* Get our path in the hierarchy of a v1 controller, or in the unified hierarchy for "". Returns 0
 * or -1. */
static int own_path(const char *controller, char *path, size_t size)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX + 256];
	int rc = -1;

	if (!f)
		return -1;
	while (rc < 0 && fgets(line, sizeof line, f)) {
		char *list = strchr(line, ':'), *p = list ? strchr(list + 1, ':') : NULL;

		if (!p)
			continue;
		*p++ = '\0';
		list++;
		p[strcspn(p, "\n")] = '\0';
		if (*controller ? has_word(list, controller) : !*list)
			rc = snprintf(path, size, "%s", p) < (int)size ? 0 : -1;
	}
	fclose(f);
	return rc;
}

/* Find the mount point of a v1 controller's hierarchy, or of the unified hierarchy for "", and the
 * group that is mounted there (proc(5), mountinfo fields 5 and 4). Returns 0 or -1. */
static int find_mount(const char *controller, char *point, char *root)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[3 * PATH_MAX];
	int rc = -1;

	if (!f)
		return -1;
	while (rc < 0 && fgets(line, sizeof line, f)) {
		char *type = strstr(line, " - ");

		if (!type)
			continue;
		if (*controller) {
			char *options = strrchr(type, ' ');

			if (strncmp(type, " - cgroup ", 10) != 0)
				continue;
			options[strcspn(options, "\n")] = '\0';
			if (!has_word(options + 1, controller))
				continue;
		} else if (strncmp(type, " - cgroup2 ", 11) != 0) {
			continue;
		}
		_Static_assert(PATH_MAX == 4096, "widths of the format below");
		if (sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) == 2)
			rc = 0;
	}
	fclose(f);
	return rc;
}

/* Get the directory of a group below its mount point. Returns 0 or -1. */
static int group_directory(const char *controller, const char *path, char *dir)
{
	char point[PATH_MAX], root[PATH_MAX];
	size_t n;

	if (find_mount(controller, point, root) < 0)
		return -1;
	n = strlen(root);
	/* Containers mount a part of the hierarchy; groups outside that part cannot be read. */
	if (strcmp(root, "/") != 0) {
		if (strncmp(path, root, n) == 0 && (path[n] == '/' || !path[n]))
			path += n;
	}
	return snprintf(dir, PATH_MAX, "%s%s", point, path) < PATH_MAX ? 0 : -1;
}

static int read_group_file(const char *dir, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX + NAME_MAX];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return read_text(path, buf, size);
}

/* Hierarchies that account for CPU time: the unified one and those of v1's controllers. */
static const char *const account[] = { "", "cpuacct", "cpu" };
#define ACCOUNTS (sizeof account / sizeof account[0])

/* Limits: directories searched in and below a group, levels below a group, ancestors of a process.
 */
#define GROUPS_MAX    256
#define BELOW_MAX     6
#define ANCESTORS_MAX 64

/* The processes that a group may hold and still count as the job's alone. */
struct company {
	pid_t pid[ANCESTORS_MAX];
	int count, groups;
};

static void know_ancestors(struct company *c)
{
	pid_t pid = getppid();

	while (pid > 0 && c->count < ANCESTORS_MAX) {
		char name[64], text[1024];
		struct pm_procfs_stat stat;
		int n;

		c->pid[c->count++] = pid;
		snprintf(name, sizeof name, "/proc/%ld/stat", (long)pid);
		n = read_text(name, text, sizeof text);
		if (n <= 0 || pm_procfs_stat(text, (size_t)n, &stat) < 0)
			return;
		pid = (pid_t)stat.ppid;
	}
}

static bool is_known(const struct company *c, long pid)
{
	for (int i = 0; i < c->count; i++)
		if (c->pid[i] == pid)
			return true;
	return false;
}

/* Whether the group of this directory and the groups below it hold only known processes. */
static bool only_known(struct company *c, const char *dir)
{
	char path[PATH_MAX], line[64];
	bool only = ++c->groups <= GROUPS_MAX;
	struct dirent *entry;
	FILE *f;
	DIR *d;

	if (snprintf(path, sizeof path, "%s/cgroup.procs", dir) >= (int)sizeof path)
		return false;
	f = fopen(path, "re");
	if (!f)
		return false;
	/* A process of another pid namespace appears as 0. */
	while (only && fgets(line, sizeof line, f))
		only = is_known(c, strtol(line, NULL, 10));
	only = only && !ferror(f);
	fclose(f);
	d = only ? opendir(dir) : NULL;
	while (d && only && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR)
			only = snprintf(path, sizeof path, "%s/%s", dir, entry->d_name) <
				       (int)sizeof path &&
			       only_known(c, path);
	if (d)
		closedir(d);
	return only && d;
}

/* Whether a group is the machine's root, which all jobs share. The root of a cgroup namespace is an
 * ordinary group: in v2 it has cgroup.events, which the machine's root lacks. */
static bool is_machine_root(const char *path, const char *dir)
{
	char file[PATH_MAX + NAME_MAX];

	snprintf(file, sizeof file, "%s/cgroup.events", dir);
	return strcmp(path, "/") == 0 && access(file, F_OK) != 0;
}

/* Whether a group is a login session, which outlasts a job, or that of the service manager. */
static bool is_session(const char *path)
{
	const char *name = pm_path_base(path);

	return strncmp(name, "session-", 8) == 0 || strcmp(name, "init.scope") == 0;
}

static bool is_alone(const char *controller, const char *path, bool ancestors)
{
	struct company c = { .pid = { getpid() }, .count = 1 };
	char dir[PATH_MAX];

	if (is_session(path) || group_directory(controller, path, dir) < 0 ||
	    is_machine_root(path, dir))
		return false;
	if (ancestors)
		know_ancestors(&c);
	return only_known(&c, dir);
}

/* Get the path of our own group. Returns 0 or -1. */
static int own_account_path(char *path, size_t size)
{
	char v1[PATH_MAX];

	if (own_path("", path, size) == 0 && strcmp(path, "/") != 0)
		return 0;
	if ((own_path("cpuacct", v1, sizeof v1) == 0 || own_path("cpu", v1, sizeof v1) == 0) &&
	    snprintf(path, size, "%s", v1) < (int)size)
		return 0;
	return own_path("", path, size);
}

int pm_cgroup_find(const char *job, bool ancestors, char *path, size_t size)
{
	for (size_t i = 0; job && i < ACCOUNTS; i++) {
		size_t n;

		if (own_path(account[i], path, size) < 0)
			continue;
		n = pm_jobgroup_find(path, strlen(path), job);
		path[n] = '\0';
		if (n)
			return PM_CGROUP_NAMED;
	}
	for (size_t i = 0; i < ACCOUNTS; i++)
		if (own_path(account[i], path, size) == 0 && is_alone(account[i], path, ancestors))
			return PM_CGROUP_ALONE;
	if (own_account_path(path, size) < 0)
		return -1;
	pm_procfs_cgroup_job(path);
	return PM_CGROUP_SHARED;
}

/* Get the number of the line that begins with `name` and a blank. Returns 0 or -1. */
static int find_number(const char *text, const char *name, int64_t *v)
{
	size_t n = strlen(name);

	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, name, n) == 0 && p[n] == ' ')
			return pm_tsv_number(p + n + 1, strcspn(p + n + 1, "\n"), v);
	}
	return -1;
}

/* Add up the kills that memory.oom_control counts in a directory and below it: in v1 each group
 * counts only its own kills. Returns whether this directory has such a count. */
static bool add_kills(const char *dir, int depth, int64_t *kills)
{
	char text[4096], below[PATH_MAX];
	bool told = false;
	struct dirent *entry;
	int64_t own;
	DIR *d;

	if (read_group_file(dir, "memory.oom_control", text, sizeof text) > 0 &&
	    find_number(text, "oom_kill", &own) == 0) {
		*kills += own;
		told = true;
	}
	d = told && depth < BELOW_MAX ? opendir(dir) : NULL;
	while (d && (entry = readdir(d)) != NULL)
		if (entry->d_name[0] != '.' && entry->d_type == DT_DIR &&
		    snprintf(below, sizeof below, "%s/%s", dir, entry->d_name) < (int)sizeof below)
			add_kills(below, depth + 1, kills);
	if (d)
		closedir(d);
	return told;
}

int pm_cgroup_memory(char *path, size_t size)
{
	if (own_path("memory", path, size) < 0)
		return -1;
	pm_procfs_cgroup_job(path);
	return 0;
}

int pm_cgroup_oom_kills(const char *path, const char *memory, int64_t *kills)
{
	char dir[PATH_MAX], text[4096];

	if (group_directory("", path, dir) == 0 && !is_machine_root(path, dir) &&
	    read_group_file(dir, "memory.events", text, sizeof text) > 0)
		return find_number(text, "oom_kill", kills);
	if (!memory || strcmp(memory, "/") == 0 || group_directory("memory", memory, dir) < 0)
		return -1;
	*kills = 0;
	return add_kills(dir, 0, kills) ? 0 : -1;
}

/* Read the CPU time of a group in one hierarchy. Returns 0 or -1. */
static int read_cpu_us(const char *controller, const char *path, int64_t *us)
{
	char dir[PATH_MAX], text[4096];
	int n;

	if (group_directory(controller, path, dir) < 0 || is_machine_root(path, dir))
		return -1;
	if (!*controller)
		return read_group_file(dir, "cpu.stat", text, sizeof text) > 0
			       ? find_number(text, "usage_usec", us)
			       : -1;
	n = read_group_file(dir, "cpuacct.usage", text, sizeof text);
	if (n <= 0 || pm_tsv_number(text, (size_t)n, us) < 0)
		return -1;
	*us /= 1000; /* nanoseconds */
	return 0;
}

/* Whether this process is in the group of a hierarchy, or below it. */
static bool is_inside(const char *controller, const char *path)
{
	size_t n = strcmp(path, "/") == 0 ? 0 : strlen(path);
	char own[PATH_MAX];

	return own_path(controller, own, sizeof own) == 0 && strncmp(own, path, n) == 0 &&
	       (own[n] == '/' || !own[n]);
}

int pm_cgroup_cpu_us(const char *path, int64_t *us)
{
	/* Groups of different hierarchies may have the same path, so prefer the group we are in. */
	for (int inside = 1; inside >= 0; inside--)
		for (size_t i = 0; i < ACCOUNTS; i++)
			if (is_inside(account[i], path) == inside &&
			    read_cpu_us(account[i], path, us) == 0)
				return 0;
	return -1;
}

/* A group's own memory limit in bytes, or -1. memory.limit_in_bytes of v1 says "no limit" by a
 * number near the largest. */
static int64_t limit_v2(const char *dir)
{
	char text[64];
	int64_t limit;
	int n = read_group_file(dir, "memory.max", text, sizeof text);

	return n > 0 && pm_tsv_number(text, (size_t)n, &limit) == 0 ? limit : -1;
}

static int64_t limit_v1(const char *dir)
{
	char text[64];
	int64_t limit;
	int n = read_group_file(dir, "memory.limit_in_bytes", text, sizeof text);

	return n > 0 && pm_tsv_number(text, (size_t)n, &limit) == 0 && limit < INT64_MAX / 2 ? limit
											     : -1;
}

/* The CPUs that a group's own quota allows, in thousandths of a CPU; -1: no quota. */
static int64_t quota_v2(const char *dir)
{
	char text[128];
	int64_t quota, period;
	size_t n;

	if (read_group_file(dir, "cpu.max", text, sizeof text) <= 0)
		return -1;
	n = strcspn(text, " ");
	if (!text[n] || pm_tsv_number(text, n, &quota) < 0 ||
	    pm_tsv_number(text + n + 1, strlen(text + n + 1), &period) < 0 || period <= 0)
		return -1;
	return quota * 1000 / period;
}

static int64_t quota_v1(const char *dir)
{
	char text[128];
	int64_t quota, period;
	int n;

	n = read_group_file(dir, "cpu.cfs_quota_us", text, sizeof text);
	if (n <= 0 || pm_tsv_number(text, (size_t)n, &quota) < 0 || quota <= 0)
		return -1;
	n = read_group_file(dir, "cpu.cfs_period_us", text, sizeof text);
	if (n <= 0 || pm_tsv_number(text, (size_t)n, &period) < 0 || period <= 0)
		return -1;
	return quota * 1000 / period;
}

/* The smallest limit of our group and its parents, as `read` returns it; -1: no limit. */
static int64_t smallest_limit(const char *controller, int64_t (*read)(const char *dir))
{
	char path[PATH_MAX], dir[PATH_MAX];
	int64_t least = -1;

	if (own_path(controller, path, sizeof path) < 0)
		return -1;
	for (;;) {
		char *slash = strrchr(path, '/');
		int64_t q;

		if (group_directory(controller, path, dir) == 0 && (q = read(dir)) >= 0 &&
		    (least < 0 || q < least))
			least = q;
		if (!slash || slash == path)
			break;
		*slash = '\0';
	}
	return least;
}

/* The smaller of two limits; -1: no limit. */
static int64_t lower_limit(int64_t a, int64_t b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

int64_t pm_cgroup_memory_limit(void)
{
	return lower_limit(smallest_limit("", limit_v2), smallest_limit("memory", limit_v1));
}

/* The number of CPUs in our affinity mask, or -1. The kernel's mask has an unknown size, so try
 * growing ones. */
static int64_t count_affinity(void)
{
	for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
		cpu_set_t *set = CPU_ALLOC(cpus);
		size_t size = CPU_ALLOC_SIZE(cpus);
		int n = -1;

		if (!set)
			return -1;
		if (sched_getaffinity(0, size, set) == 0)
			n = CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (n > 0)
			return n;
	}
	return -1;
}

int64_t pm_cgroup_cpus_allowed(void)
{
	int64_t cpus = count_affinity();
	int64_t quota = lower_limit(smallest_limit("", quota_v2), smallest_limit("cpu", quota_v1));

	if (quota > 0) {
		int64_t whole = (quota + 999) / 1000;

		if (cpus < 0 || whole < cpus)
			cpus = whole;
	}
	return cpus;
}
