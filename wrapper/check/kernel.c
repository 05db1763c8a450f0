/* Check the kernel's interfaces that the collector reads. */
#include "config.h"

#include "common/cli/check.h"
#include "common/path.h"
#include "common/pidns.h"
#include "common/settings/readconfig.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/* 2020-01-01: a clock before that was never set. */
#define CLOCK_MIN 1577836800

/* Read a small file of /proc, below the setting root. Returns its length or -1. */
static ssize_t read_proc(const char *name, char *text, size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/proc/%s", pm_config_get(PM_SET_root), name);
	return pm_path_read(path, text, size);
}

void pm_check_kernel_proc(struct pm_check *c)
{
	char path[PATH_MAX + 32], self[64];
	ssize_t n;

	snprintf(path, sizeof path, "%s/proc/self", pm_config_get(PM_SET_root));
	n = readlink(path, self, sizeof self - 1);
	self[n > 0 ? n : 0] = '\0';
	if (n <= 0 && access(path, F_OK) < 0)
		pm_check_report(c, PM_CHECK_FAIL, "mount /proc",
				"%s: %s; processes have no names and few metrics", path,
				strerror(errno));
	else if (n > 0 && atol(self) != (long)getpid())
		pm_check_report(
			c, PM_CHECK_WARN,
			"mount a /proc for this pid namespace, as unshare --mount-proc does",
			"/proc belongs to another pid namespace: process ids do not match");
	else if (pm_pidns_first() == 0)
		pm_check_report(c, PM_CHECK_PASS, "",
				"in a pid namespace: process ids are those inside the container");
	else
		pm_check_report(c, PM_CHECK_PASS, "", "/proc is mounted");
}

void pm_check_kernel_schedstat(struct pm_check *c)
{
	char text[256];

	/* The process that reads the file has run, so its time on a CPU is not 0. */
	if (read_proc("self/schedstat", text, sizeof text) > 0 && strtoll(text, NULL, 10) > 0)
		pm_check_report(c, PM_CHECK_PASS, "",
				"times on a CPU and waiting for one are known");
	else
		pm_check_report(
			c, PM_CHECK_WARN, "use a kernel with CONFIG_SCHED_INFO",
			"no schedstat: time_oncpu, time_waiting and timeslices are unknown");
}

void pm_check_kernel_io(struct pm_check *c)
{
	char text[512];

	if (read_proc("self/io", text, sizeof text) > 0)
		pm_check_report(c, PM_CHECK_PASS, "", "reads and writes are counted");
	else
		pm_check_report(
			c, PM_CHECK_WARN, "use a kernel with CONFIG_TASK_IO_ACCOUNTING",
			"no /proc/self/io: rchar, wchar, read_bytes, write_bytes and others are "
			"unknown");
}

void pm_check_kernel_delays(struct pm_check *c)
{
	char text[64];

	if (read_proc("sys/kernel/task_delayacct", text, sizeof text) > 0 && text[0] == '1')
		pm_check_report(c, PM_CHECK_PASS, "", "delays are accounted");
	else
		pm_check_report(
			c, PM_CHECK_WARN,
			"an administrator may set kernel.task_delayacct to 1 (sysctl), before "
			"the job",
			"delays are not accounted: delayacct_blkio_time is unknown");
}

void pm_check_kernel_clock(struct pm_check *c)
{
	struct timex t = { .modes = 0 };
	time_t now = time(NULL);

	if (now < CLOCK_MIN)
		pm_check_report(c, PM_CHECK_FAIL, "set the clock",
				"the clock was never set: it says %lld seconds since 1970",
				(long long)now);
	else if (adjtimex(&t) >= 0 && (t.status & STA_UNSYNC))
		pm_check_report(
			c, PM_CHECK_WARN, "run chronyd or ntpd, where jobs have several hosts",
			"the clock is not synchronised: times of several hosts may not agree");
	else
		pm_check_report(c, PM_CHECK_PASS, "", "the clock is set");
}
