/* Try events by perf_event_open(2) on ourselves: libraries' queries accept events that do not open.
 */
#include "config.h"

#include "wrapper/events/tryopen.h"

#include "common/safe/event_attr.h"
#include "common/settings/readconfig.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The meaning of perf_event_open's error numbers, for hardware events and for others. */
static const struct meaning {
	int error;
	enum pm_tryopen_state state;
	const char *hardware, *other;
} meanings[] = {
	{ ENOENT, PM_TRYOPEN_UNSUPPORTED, "this machine has no hardware counters for it",
	  "this kernel does not support it" },
	{ ENODEV, PM_TRYOPEN_UNSUPPORTED, "this machine has no hardware counters for it",
	  "this kernel does not support it" },
	{ ENXIO, PM_TRYOPEN_UNSUPPORTED, "the counters of this machine do not support it",
	  "this kernel does not support it" },
	{ EOPNOTSUPP, PM_TRYOPEN_UNSUPPORTED,
	  "the counters of this machine cannot count it this way",
	  "this kernel cannot count it this way" },
	{ EINVAL, PM_TRYOPEN_UNSUPPORTED,
	  "the kernel refuses it: it is not an event of this machine, or counts a CPU, not a "
	  "thread",
	  "the kernel refuses it" },
	{ EACCES, PM_TRYOPEN_DENIED, NULL, NULL },
	{ EPERM, PM_TRYOPEN_DENIED, NULL, NULL },
	{ ENOSYS, PM_TRYOPEN_DENIED, NULL, NULL },
	{ ENOSPC, PM_TRYOPEN_LIMITED, "all counters that could count it are in use",
	  "all breakpoint registers are in use" },
	{ EBUSY, PM_TRYOPEN_LIMITED, "another program uses the counters exclusively",
	  "it is in use by another program" },
	{ EMFILE, PM_TRYOPEN_LIMITED, "no descriptor is free (ulimit -n)",
	  "no descriptor is free (ulimit -n)" },
	{ ENFILE, PM_TRYOPEN_LIMITED, "the system has no descriptor left",
	  "the system has no descriptor left" },
	{ ENOMEM, PM_TRYOPEN_LIMITED, "no memory", "no memory" },
	{ E2BIG, PM_TRYOPEN_UNSUPPORTED, "the kernel is too old for it",
	  "the kernel is too old for it" },
};

static const struct meaning *find_meaning(int error)
{
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if (meanings[i].error == error)
			return &meanings[i];
	return NULL;
}

const char *pm_tryopen_state_name(enum pm_tryopen_state state)
{
	static const char *const name[PM_TRYOPEN_STATES] = { "ok", "unknown", "unsupported",
							     "denied", "limited" };

	return name[state];
}

enum pm_tryopen_state pm_tryopen_state(int error)
{
	const struct meaning *m = find_meaning(error);

	return m ? m->state : PM_TRYOPEN_UNSUPPORTED;
}

int pm_tryopen_open(const struct pm_event *e)
{
	struct perf_event_attr attr = pm_event_attr(e);
	long fd;

	attr.disabled = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* Open a file of /proc below the setting root. */
static FILE *open_proc(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/proc/%s", pm_config_get(PM_SET_root), name);
	return fopen(path, "re");
}

int pm_tryopen_paranoid(int *level)
{
	FILE *f = open_proc("sys/kernel/perf_event_paranoid");
	int n;

	if (!f)
		return -1;
	n = fscanf(f, "%d", level);
	fclose(f);
	return n == 1 ? 0 : -1;
}

bool pm_tryopen_filtered(void)
{
	FILE *f = open_proc("self/status");
	char line[256];
	int mode = 0;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Seccomp: %d", &mode) == 1)
			break;
	if (f)
		fclose(f);
	return mode != 0;
}

/* Explain a denial: by perf_event_paranoid if its level denies the event, else by a seccomp filter
 * or security module. */
static void explain_denied(char why[PM_TRYOPEN_WHY_MAX], const struct pm_event *e, int error)
{
	bool kernel = (e->exclude & PM_EXCLUDE_KERNEL) == 0;
	int level;

	if (error == ENOSYS)
		snprintf(why, PM_TRYOPEN_WHY_MAX, "%s",
			 pm_tryopen_filtered()
				 ? "a seccomp filter, such as a container's, forbids it"
				 : "this kernel is built without perf events");
	else if (pm_tryopen_paranoid(&level) == 0 && geteuid() != 0 && level >= 3)
		snprintf(why, PM_TRYOPEN_WHY_MAX, "perf_event_paranoid is %d", level);
	else if (pm_tryopen_paranoid(&level) == 0 && geteuid() != 0 && level >= 2 && kernel)
		snprintf(why, PM_TRYOPEN_WHY_MAX,
			 "perf_event_paranoid is %d, which permits user mode only%s", level,
			 e->kernel_only ? ", but this event happens in the kernel" : "");
	else if (pm_tryopen_filtered())
		snprintf(why, PM_TRYOPEN_WHY_MAX,
			 "a seccomp filter, such as a container's, forbids it");
	else
		snprintf(why, PM_TRYOPEN_WHY_MAX, "the kernel or its security module forbids it");
}

void pm_tryopen_explain(char why[PM_TRYOPEN_WHY_MAX], const struct pm_event *e, int error)
{
	const struct meaning *m = find_meaning(error);
	bool software = e->type == PERF_TYPE_SOFTWARE || e->type == PERF_TYPE_BREAKPOINT ||
			e->type == PERF_TYPE_TRACEPOINT;

	if (!m)
		snprintf(why, PM_TRYOPEN_WHY_MAX, "%s", strerror(error));
	else if (!m->other)
		explain_denied(why, e, error);
	else
		snprintf(why, PM_TRYOPEN_WHY_MAX, "%s", software ? m->other : m->hardware);
}
