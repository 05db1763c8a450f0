/* Control groups, versions 1 and 2 (Linux Documentation/admin-guide/cgroup-v1, cgroup-v2.rst). */
#include "config.h"

#include "wrapper/cgroup.h"
#include "common/path.h"
#include "common/procfs.h"
#include "common/tsv.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* 1 when the comma-separated list has the word. */
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

/* Our path in the hierarchy of a v1 controller, or in the unified one for "". Returns 0 or -1. */
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

/* Where the hierarchy of a v1 controller, or the unified one for "", is mounted, and which part of
 * it (proc(5), mountinfo fields 4 and 5). Returns 0 or -1. */
static int mount_of(const char *controller, char *point, char *root)
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

/* The directory of a group below its mount. Returns 0 or -1. */
static int directory(const char *controller, const char *path, char *dir)
{
	char point[PATH_MAX], root[PATH_MAX];
	size_t n;

	if (mount_of(controller, point, root) < 0)
		return -1;
	n = strlen(root);
	/* Containers see a part of the hierarchy; outside of it there is nothing to read. */
	if (strcmp(root, "/") != 0) {
		if (strncmp(path, root, n) == 0 && (path[n] == '/' || !path[n]))
			path += n;
	}
	return snprintf(dir, PATH_MAX, "%s%s", point, path) < PATH_MAX ? 0 : -1;
}

static int read_in(const char *dir, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX + NAME_MAX];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return read_text(path, buf, size);
}

/* The path of our own group. Returns 0 or -1. */
static int path_here(char *path, size_t size)
{
	char v1[PATH_MAX];

	if (own_path("", path, size) == 0 && strcmp(path, "/") != 0)
		return 0;
	if ((own_path("cpuacct", v1, sizeof v1) == 0 || own_path("cpu", v1, sizeof v1) == 0) &&
	    snprintf(path, size, "%s", v1) < (int)size)
		return 0;
	return own_path("", path, size);
}

int pm_cgroup_path(char *path, size_t size)
{
	if (path_here(path, size) < 0)
		return -1;
	pm_procfs_cgroup_job(path);
	return 0;
}

/* The number behind `name` and a blank, at the beginning of a line. Returns 0 or -1. */
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

int pm_cgroup_oom_kills(const char *path, int64_t *kills)
{
	char dir[PATH_MAX], own[PATH_MAX], text[4096];

	if (strcmp(path, "/") == 0)
		return -1;
	if (directory("", path, dir) == 0 && read_in(dir, "memory.events", text, sizeof text) > 0)
		return find_number(text, "oom_kill", kills);
	/* Of version 1 each controller may have a path of its own; the job's is that of the CPU's.
	 */
	if (own_path("memory", own, sizeof own) == 0 && strcmp(own, path) == 0 &&
	    directory("memory", path, dir) == 0 &&
	    read_in(dir, "memory.oom_control", text, sizeof text) > 0)
		return find_number(text, "oom_kill", kills);
	return -1;
}

int pm_cgroup_cpu_us(const char *path, int64_t *us)
{
	char dir[PATH_MAX], text[4096];
	int n;

	if (strcmp(path, "/") == 0)
		return -1;
	if (directory("", path, dir) == 0 && read_in(dir, "cpu.stat", text, sizeof text) > 0 &&
	    find_number(text, "usage_usec", us) == 0)
		return 0;
	if (directory("cpuacct", path, dir) < 0 ||
	    (n = read_in(dir, "cpuacct.usage", text, sizeof text)) <= 0 ||
	    pm_tsv_number(text, (size_t)n, us) < 0)
		return -1;
	*us /= 1000; /* nanoseconds */
	return 0;
}

/* CPUs that a quota leaves in thousandths, or -1 without one. */
static int64_t quota_v2(const char *dir)
{
	char text[128];
	int64_t quota, period;
	size_t n;

	if (read_in(dir, "cpu.max", text, sizeof text) <= 0)
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

	n = read_in(dir, "cpu.cfs_quota_us", text, sizeof text);
	if (n <= 0 || pm_tsv_number(text, (size_t)n, &quota) < 0 || quota <= 0)
		return -1;
	n = read_in(dir, "cpu.cfs_period_us", text, sizeof text);
	if (n <= 0 || pm_tsv_number(text, (size_t)n, &period) < 0 || period <= 0)
		return -1;
	return quota * 1000 / period;
}

/* The smallest quota of our group and every one above it, in thousandths of a CPU; -1: none. */
static int64_t smallest_quota(const char *controller, int64_t (*quota)(const char *dir))
{
	char path[PATH_MAX], dir[PATH_MAX];
	int64_t least = -1;

	if (own_path(controller, path, sizeof path) < 0)
		return -1;
	for (;;) {
		char *slash = strrchr(path, '/');
		int64_t q;

		if (directory(controller, path, dir) == 0 && (q = quota(dir)) >= 0 &&
		    (least < 0 || q < least))
			least = q;
		if (!slash || slash == path)
			break;
		*slash = '\0';
	}
	return least;
}

/* CPUs of our affinity mask, or -1. The kernel's mask may be larger than any we guess. */
static int64_t affinity(void)
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
	int64_t cpus = affinity();
	int64_t v2 = smallest_quota("", quota_v2), v1 = smallest_quota("cpu", quota_v1);
	int64_t quota = v2 < 0 || (v1 >= 0 && v1 < v2) ? v1 : v2;

	if (quota > 0) {
		int64_t whole = (quota + 999) / 1000;

		if (cpus < 0 || whole < cpus)
			cpus = whole;
	}
	return cpus;
}
