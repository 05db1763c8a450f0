/* Made-up hierarchies of control groups, of both versions, and the kernel's files that say where we are in them. */
#ifndef PM_TESTS_UNIT_WRAPPER_CGROUP_H
#define PM_TESTS_UNIT_WRAPPER_CGROUP_H

#include "tests/unit/sampler/root.h"

#include <dlfcn.h>

/* Files below the root in place of our own. */
FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*real)(const char *, const char *);
	char ours[512];

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "fopen");
	if (strcmp(path, "/proc/self/cgroup") != 0 && strcmp(path, "/proc/self/mountinfo") != 0)
		return real(path, mode);
	snprintf(ours, sizeof ours, "%s/%s", root, path + sizeof "/proc/self");
	return real(ours, mode);
}

/* Our groups: of the unified hierarchy, of cpu and cpuacct, of memory; NULL: there is none. */
static void be_in(const char *unified, const char *cpu, const char *memory)
{
	char text[2048] = "14:name=systemd:/elsewhere\n13:cpuset:/c\n";

	if (memory)
		snprintf(text + strlen(text), 500, "9:memory:%s\n", memory);
	if (cpu)
		snprintf(text + strlen(text), 500, "3:cpu,cpuacct:%s\n", cpu);
	if (unified)
		snprintf(text + strlen(text), 500, "0::%s\n", unified);
	root_put("cgroup", text);
}

/* Mounts of these hierarchies at u, cpu and memory below the root; `part` of the unified one. */
static void mount_all(const char *part)
{
	char text[2048];

	snprintf(text, sizeof text,
		 "20 1 0:19 / /none rw shared:7 - tmpfs tmpfs rw,memory\n"
		 "30 20 0:26 / %s/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
		 "31 20 0:27 / %s/set rw,nosuid shared:9 - cgroup cgroup rw,cpuset\n"
		 "32 20 0:28 / %s/cpu rw,nosuid shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
		 "33 20 0:29 / %s/memory rw,nosuid shared:11 - cgroup cgroup rw,memory\n"
		 "34 20 0:30 %s %s/u rw,nosuid shared:12 - cgroup2 cgroup2 rw,nsdelegate\n"
		 "35 20 0:30 /later %s/later rw - cgroup2 cgroup2 rw\n",
		 root, root, root, root, part, root, root);
	root_put("mountinfo", text);
}

static void set_up(void)
{
	clearenv();
	root_make();
	mount_all("/");
}

/* Processes of a group. */
static void put_processes(const char *group, pid_t one, pid_t other)
{
	char name[256], text[64];

	snprintf(name, sizeof name, "%s/cgroup.procs", group);
	snprintf(text, sizeof text, "%ld\n", (long)one);
	if (other)
		snprintf(text + strlen(text), 30, "%ld\n", (long)other);
	root_put(name, text);
	snprintf(name, sizeof name, "%s/cgroup.events", group);
	root_put(name, "populated 1\n");
}

#endif
