/*
 * CPU time that a job really used on a host. The result of wait4(2) for the command leaves out
 * processes that nobody waited for, which recording may have missed as well. Two accounts include
 * them: that of a control group which holds nothing but the job, and a perf software clock
 * (task-clock) that every descendant inherits, whatever its environment, namespace or parent. The
 * clock stops in programs that gain privileges (set-uid), except for root, and it misses processes
 * that a batch system's launchers start, since these are not descendants.
 */
#include "config.h"

#include "wrapper/job/charge.h"

#include "wrapper/metadata/metadata.h"
#include "wrapper/node/cgroup.h"
#include "wrapper/sched/sched.h"

#include <limits.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Valid from pm_charge_start or pm_charge_follow to pm_charge_stop, in one process. */
static struct {
	bool grouped;               /* the job has a control group of its own */
	int clock;                  /* descriptor of the inherited clock plus 1; 0: no clock */
	int64_t self_us, waited_us; /* CPU time of this process, and of its waited-for children,
				     * when pm_charge_start read the group's */
} state;

static int64_t usage_us(int who)
{
	struct rusage u;

	if (getrusage(who, &u) < 0)
		return 0;
	return ((int64_t)u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000 + u.ru_utime.tv_usec +
	       u.ru_stime.tv_usec;
}

static void note_usage(void)
{
	state.self_us = usage_us(RUSAGE_SELF);
	state.waited_us = usage_us(RUSAGE_CHILDREN);
}

void pm_charge_start(json_t *doc, const char *group_id, bool command)
{
	static const char *const how[] = {
		[PM_CGROUP_NAMED] = "name",
		[PM_CGROUP_ALONE] = "alone",
	};
	char path[PATH_MAX], memory[PATH_MAX];
	int64_t n;
	/* Other children of the shell that started `run` are not part of the job: only for `start`
	 * may ancestors be in the group. */
	int own = pm_cgroup_find(group_id, !command, path, sizeof path);

	if (own < 0)
		return;
	pm_metadata_text(doc, PM_JOB_start_cgroup, path);
	state.grouped = own != PM_CGROUP_SHARED;
	if (state.grouped)
		pm_metadata_text(doc, PM_JOB_start_cgroup_own, how[own]);
	if (pm_cgroup_memory(memory, sizeof memory) == 0)
		pm_metadata_text(doc, PM_JOB_start_cgroup_memory, memory);
	if (pm_cgroup_oom_kills(path, pm_metadata_get_text(doc, PM_JOB_start_cgroup_memory), &n) ==
	    0)
		pm_metadata_int(doc, PM_JOB_start_cgroup_oom_kills, n);
	if (pm_cgroup_cpu_us(path, &n) == 0)
		pm_metadata_int(doc, PM_JOB_start_cgroup_cpu_us, n);
	note_usage();
}

void pm_charge_follow(pid_t pid)
{
	struct perf_event_attr clock = {
		.size = sizeof clock,
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
	};
	struct pm_ident id;
	long fd;

	if (state.grouped || state.clock || getuid() != 0 || geteuid() != 0)
		return;
	pm_sched_identify(&id);
	if (id.jobid)
		return;
	fd = syscall(SYS_perf_event_open, &clock, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return;
	state.clock = (int)fd + 1;
}

/* Note a measured CPU time, less that of perfmon's own processes, and the account `by`. */
static void note_measured(json_t *doc, int64_t us, int64_t own_us, const char *by)
{
	pm_metadata_int(doc, PM_JOB_stop_measured_cpu_us, us > own_us ? us - own_us : 0);
	pm_metadata_text(doc, PM_JOB_stop_measured_by, by);
}

void pm_charge_stop(json_t *doc, int64_t command_us, int64_t helpers_us)
{
	const char *path = pm_metadata_get_text(doc, PM_JOB_start_cgroup);
	int64_t before = pm_metadata_get_int(doc, PM_JOB_start_cgroup_cpu_us, -1), kills, us;
	/* If another process started the job, `state` is empty here. */
	int64_t self_us = usage_us(RUSAGE_SELF) - state.self_us;
	int64_t waited_us = usage_us(RUSAGE_CHILDREN) - state.waited_us;
	uint64_t ns;

	helpers_us += command_us >= 0 && waited_us >= command_us ? waited_us - command_us : 0;
	/* The process that stops the job may be in another group, so use the group of start. */
	if (path && pm_cgroup_oom_kills(path, pm_metadata_get_text(doc, PM_JOB_start_cgroup_memory),
					&kills) == 0)
		pm_metadata_int(doc, PM_JOB_stop_cgroup_oom_kills, kills);
	if (path && pm_cgroup_cpu_us(path, &us) == 0) {
		pm_metadata_int(doc, PM_JOB_stop_cgroup_cpu_us, us);
		if (pm_metadata_get_text(doc, PM_JOB_start_cgroup_own) && before >= 0 &&
		    us >= before) {
			note_measured(doc, us - before, helpers_us + self_us, "cgroup");
			return;
		}
	}
	/* The clock has not counted processes from before the job was opened again. */
	if (!state.clock || pm_metadata_get_int(doc, PM_JOB_start_reopened, 0) > 0 ||
	    read(state.clock - 1, &ns, sizeof ns) != (ssize_t)sizeof ns)
		return;
	us = (int64_t)(ns / 1000);
	/* The clock stops just before each process ends, but wait4's time is complete, so take the
	 * larger. */
	note_measured(doc, us > command_us ? us : command_us, 0, "descendants");
}
