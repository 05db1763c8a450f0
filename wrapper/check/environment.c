/* Check settings, environment variables and the batch system. */
#include "config.h"

#include "common/cli/check.h"
#include "common/handed.h"
#include "common/safe/variables.h"
#include "common/settings/readconfig.h"
#include "wrapper/job/switchoff.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/sched/sched.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

void pm_check_config_files(struct pm_check *c)
{
	for (size_t i = 0; pm_config_problem(i); i++)
		pm_check_report(c, PM_CHECK_FAIL,
				"correct it, see perfmon.conf(5), or remove it: it has no effect",
				"%s", pm_config_problem(i));
	if (!pm_config_problem(0))
		pm_check_report(c, PM_CHECK_PASS, "", "all settings are valid");
}

static bool is_known(const char *name, size_t n)
{
	for (int s = 0; s < PM_SETTINGS; s++)
		if (strlen(pm_setting_info[s].env) == n &&
		    strncmp(pm_setting_info[s].env, name, n) == 0)
			return true;
	for (int i = 0; i < PM_HANDED_ALL; i++)
		if (strlen(pm_handed_name[i]) == n && strncmp(pm_handed_name[i], name, n) == 0)
			return true;
	return false;
}

/* Report environment variables that are set by an old name of a setting. Returns their number. */
static int report_aliases(struct pm_check *c, const struct pm_setting_info *info)
{
	const char *alias = info->aliases;
	int found = 0;

	for (; *alias; alias += strspn(alias, " ")) {
		size_t n = strcspn(alias, " ");
		char name[64], remedy[128];

		snprintf(name, sizeof name, "%.*s", (int)n, alias);
		alias += n;
		if (!getenv(name))
			continue;
		found++;
		snprintf(remedy, sizeof remedy, "set %s instead of %s", info->env, name);
		pm_check_report(
			c, PM_CHECK_WARN, remedy, "%s is an old name of %s%s", name, info->env,
			getenv(info->env) ? ", which is also set and takes precedence" : "");
	}
	return found;
}

void pm_check_config_names(struct pm_check *c)
{
	static const char prefix[] = PM_VARIABLE_PREFIX;
	int found = 0;

	for (char **p = environ; *p; p++) {
		size_t n = strcspn(*p, "=");

		if (strncmp(*p, prefix, sizeof prefix - 1) != 0 || is_known(*p, n))
			continue;
		found++;
		pm_check_report(c, PM_CHECK_WARN,
				"unset it (perfmon config lists all settings)",
				"%.*s is not a setting and has no effect", (int)(n < 200 ? n : 200),
				*p);
	}
	for (int s = 0; s < PM_SETTINGS; s++)
		found += report_aliases(c, &pm_setting_info[s]);
	if (!found)
		pm_check_report(c, PM_CHECK_PASS, "", "no unknown or outdated variable is set");
}

void pm_check_config_recording(struct pm_check *c)
{
	char why[256];

	if (pm_switchoff_is(c->cli, why))
		pm_check_report(c, PM_CHECK_WARN,
				"if that is not intended, see SWITCHING IT OFF in perfmon(1)",
				"jobs are not recorded: %s", why);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "recording is on");
}

/* Warn about variables that name jobs of batch systems other than ours. */
static void report_others(struct pm_check *c, const struct pm_sched *ours)
{
	const struct pm_sched *s;
	char remedy[128];

	for (size_t i = 0; (s = pm_sched_at(i)) != NULL; i++) {
		char *name = s != ours ? pm_sched_variable(s) : NULL;

		if (!name)
			continue;
		snprintf(remedy, sizeof remedy, "unset %s if it is left over", name);
		pm_check_report(c, PM_CHECK_WARN, remedy,
				"%s also names a job of %s; perfmon uses the job of %s", name,
				s->name, ours->name);
		free(name);
	}
}

void pm_check_scheduler_job(struct pm_check *c)
{
	char above[64][PM_SCHED_COMM], remedy[160];
	const struct pm_sched *s;
	struct pm_ident id;
	bool seen, whole;
	char *name;
	size_t n = pm_sched_above(above, 64, &whole);

	s = pm_sched_choose(above, n, &id, &seen);
	if (s == &pm_sched_none) {
		pm_check_report(c, PM_CHECK_PASS, "",
				"no batch system: jobs are named after the session");
		return;
	}
	name = pm_sched_variable(s);
	snprintf(remedy, sizeof remedy, "unset %s if it is left over, or name the job with -j",
		 name ? name : "it");
	if (!seen && whole && *s->daemons)
		pm_check_report(c, PM_CHECK_WARN, remedy,
				"%s names job %s of %s, but no ancestor process is %s",
				name ? name : "", id.jobid, s->name, s->daemons);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "job %s%s%s of %s, from %s", id.jobid,
				id.array_task ? "_" : "", id.array_task ? id.array_task : "",
				s->name, name ? name : "");
	free(name);
	report_others(c, s);
}

/* Whether a path of LD_PRELOAD is a collector, by its name. */
static bool is_collector(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strncmp(slash ? slash + 1 : path, "libperfmon", 10) == 0;
}

static void report_preload(struct pm_check *c, const char *path, int *collectors)
{
	/* Only ld.so can expand $LIB and the like, or search for a name without a slash. */
	bool plain = strchr(path, '/') && !strchr(path, '$');

	if (plain && access(path, R_OK) < 0)
		pm_check_report(c, PM_CHECK_FAIL,
				"remove it from LD_PRELOAD (perfmon_uninstrument, if source put it "
				"there): ld.so complains in every program",
				"LD_PRELOAD has %s: %s", path, strerror(errno));
	*collectors += is_collector(path);
}

void pm_check_environment_preload(struct pm_check *c)
{
	const char *list = getenv(PM_VARIABLE_PRELOAD), *output = pm_config_get(PM_SET_output);
	int collectors = 0;

	while (list && *list) {
		size_t n = strcspn(list, ": ");
		char path[PATH_MAX];

		if (n > 0 && snprintf(path, sizeof path, "%.*s", (int)n, list) < PATH_MAX)
			report_preload(c, path, &collectors);
		list += n + (list[n] != '\0');
	}
	if (collectors == 0)
		pm_check_report(c, PM_CHECK_PASS, "",
				"no collector is preloaded; perfmon run and perfmon source do so");
	else if (!*output)
		pm_check_report(c, PM_CHECK_WARN,
				"use eval \"$(perfmon source)\" instead of setting LD_PRELOAD by "
				"hand, or set PERFMON_OUTPUT to a directory",
				"a collector is preloaded, but PERFMON_OUTPUT is not set: nothing "
				"is recorded");
	else
		pm_check_report(c, PM_CHECK_PASS, "", "a collector is preloaded and writes to %s",
				output);
	if (collectors > 1)
		pm_check_report(c, PM_CHECK_WARN, "remove all but one from LD_PRELOAD",
				"%d collectors are preloaded: only the first one records",
				collectors);
}

void pm_check_environment_output(struct pm_check *c)
{
	const char *path = pm_config_get(PM_SET_output);
	static const char remedy[] = "unset PERFMON_OUTPUT, or start a new job with perfmon start";
	struct stat st;

	if (!*path)
		pm_check_report(c, PM_CHECK_PASS, "", "not set: perfmon finds the job itself");
	else if (stat(path, &st) < 0)
		pm_check_report(c, PM_CHECK_FAIL, remedy, "%s: %s", path, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		pm_check_report(c, PM_CHECK_FAIL, remedy, "%s is not a directory", path);
	else if (st.st_uid != geteuid() && geteuid() != 0)
		pm_check_report(c, PM_CHECK_FAIL, remedy, "%s belongs to another user", path);
	else if (access(path, W_OK) < 0)
		pm_check_report(c, PM_CHECK_FAIL, remedy, "%s cannot be written: %s", path,
				strerror(errno));
	else
		pm_check_report(c, PM_CHECK_PASS, "", "%s", path);
}

void pm_check_environment_tmpdir(struct pm_check *c)
{
	const char *set = getenv("TMPDIR"), *path = set && *set ? set : "/tmp";
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) < 0 || access(path, W_OK | X_OK) < 0)
		pm_check_report(c, PM_CHECK_WARN,
				"set TMPDIR to a directory that exists and can be written",
				"%s%s: %s; loads of big jobs may fail", set ? "TMPDIR is " : "",
				path, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		pm_check_report(c, PM_CHECK_WARN, "set TMPDIR to a directory",
				"TMPDIR is %s, which is not a directory", path);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "%s%s", path,
				statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOEXEC)
					? ", mounted noexec: perfmon executes nothing there"
					: "");
}
