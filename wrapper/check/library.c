/* Check that ld.so can load the collector into the programs of a job. */
#include "config.h"

#include "common/cli/check.h"
#include "wrapper/check/trialjob.h"
#include "wrapper/job/collector.h"
#include "wrapper/job/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/statvfs.h>

static const char *find_library(struct pm_check *c, char path[PATH_MAX])
{
	return pm_launch_library(c->cli->self, path, PATH_MAX);
}

void pm_check_library_file(struct pm_check *c)
{
	static const char install[] = "install perfmon, or set PERFMON_LIBRARY to libperfmon.so";
	static const char *const remedy[] = {
		[PM_COLLECTOR_UNUSABLE_PATH] =
			"set PERFMON_LIBRARY to an absolute path without colons or blanks",
		[PM_COLLECTOR_UNREADABLE] = install,
		[PM_COLLECTOR_NO_LIBRARY] = install,
		[PM_COLLECTOR_INCOMPLETE] = "install perfmon again",
		[PM_COLLECTOR_OTHER_LIBRARY] = install,
	};
	char beside[PATH_MAX], built_for[128];
	const char *path = find_library(c, beside);
	struct pm_err e;
	enum pm_collector what = pm_collector_look(path, &e);

	snprintf(built_for, sizeof built_for,
		 "set PERFMON_LIBRARY to the libperfmon.so that was built for %s",
		 pm_collector_machine());
	if (what == PM_COLLECTOR_FITS)
		pm_check_report(c, PM_CHECK_PASS, "", "%s", path);
	else
		pm_check_report(c, PM_CHECK_FAIL,
				what == PM_COLLECTOR_OTHER_MACHINE ? built_for : remedy[what], "%s",
				e.text);
}

void pm_check_library_mount(struct pm_check *c)
{
	char beside[PATH_MAX];
	const char *path = find_library(c, beside);
	struct statvfs fs;

	if (statvfs(path, &fs) < 0)
		pm_check_report(c, PM_CHECK_WARN, "", "%s: %s", path, strerror(errno));
	else if (fs.f_flag & ST_NOEXEC)
		pm_check_report(
			c, PM_CHECK_FAIL,
			"put libperfmon.so on a file system that is mounted without noexec, and "
			"set PERFMON_LIBRARY",
			"%s is on a file system mounted noexec: ld.so cannot load it", path);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "its file system permits execution");
}

void pm_check_library_privilege(struct pm_check *c)
{
	if (getauxval(AT_SECURE))
		pm_check_report(
			c, PM_CHECK_FAIL,
			"start programs from a shell without the set-user-ID bit and file "
			"capabilities",
			"this process is set-user-ID or has file capabilities: ld.so ignores "
			"LD_PRELOAD for it");
	else
		pm_check_report(c, PM_CHECK_PASS, "", "no privilege makes ld.so ignore LD_PRELOAD");
}

void pm_check_library_version(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	if (!t->version[0])
		pm_check_report(c, PM_CHECK_WARN, "see job.record",
				"not known: nothing was recorded");
	else if (strcmp(t->version, PACKAGE_VERSION) != 0)
		pm_check_report(c, PM_CHECK_WARN,
				"install both from one release, or set PERFMON_LIBRARY",
				"the collector is %s, perfmon is %s", t->version, PACKAGE_VERSION);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "collector and perfmon are %s",
				PACKAGE_VERSION);
}
