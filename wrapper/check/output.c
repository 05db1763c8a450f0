/* Check the directory of records: permissions, mount and free space. */
#include "config.h"

#include "common/cli/check.h"
#include "common/job/jobdir.h"
#include "common/settings/readconfig.h"
#include "wrapper/check/trialjob.h"
#include "wrapper/process/ownmount.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* With less free space even a short job is not recorded: bytes and inodes. */
#define SPACE_MIN  ((int64_t)1 << 20)
#define INODES_MIN 8

/* With less free space an ordinary job may not be recorded. */
#define SPACE_WANTED  ((int64_t)64 << 20)
#define INODES_WANTED 1000

static void user_name(uid_t uid, char name[64])
{
	struct passwd *pw = getpwuid(uid);

	if (pw)
		snprintf(name, 64, "%s", pw->pw_name);
	else
		snprintf(name, 64, "%lu", (unsigned long)uid);
}

/*
 * Judge by the rules of jobdir_user.c whether jobs can be made below the prefix. *why gets the
 * reason why they cannot, "": they can; *remedy gets advice. Both have room for `size` bytes.
 * Returns the verdict.
 */
static enum pm_check_verdict judge_prefix(const char *prefix, char *why, char *remedy, size_t size)
{
	struct stat st;
	char name[64];

	*why = *remedy = '\0';
	snprintf(remedy, size, "as root: install -d -m 1777 %s; or set output_prefix", prefix);
	if (lstat(prefix, &st) < 0) {
		snprintf(why, size, "%s: %s", prefix, strerror(errno));
		/* Jobs of plain users then go to a directory beside the prefix, by design. */
		return errno == ENOENT ? PM_CHECK_WARN : PM_CHECK_FAIL;
	}
	if (!S_ISDIR(st.st_mode)) {
		snprintf(remedy, size, "remove it; as root: install -d -m 1777 %s", prefix);
		snprintf(why, size, "%s is %s", prefix,
			 S_ISLNK(st.st_mode) ? "a symbolic link, which is not followed"
					     : "not a directory");
	} else if (st.st_uid != 0 && st.st_uid != geteuid()) {
		user_name(st.st_uid, name);
		snprintf(remedy, size,
			 "as root: chown root %s && chmod 1777 %s; or set output_prefix", prefix,
			 prefix);
		snprintf(why, size, "%s belongs to %s, who could move other users' jobs", prefix,
			 name);
	} else if ((st.st_mode & (S_IWGRP | S_IWOTH)) && !(st.st_mode & S_ISVTX)) {
		snprintf(remedy, size, "as root: chmod 1777 %s", prefix);
		snprintf(why, size, "anybody could move other users' jobs in %s, which is not sticky",
			 prefix);
	} else if (access(prefix, W_OK | X_OK) < 0) {
		if (errno == EROFS)
			snprintf(remedy, size,
				 "set output_prefix to a writable place, or have this one mounted "
				 "read-write");
		else
			snprintf(remedy, size, "as root: chmod 1777 %s; or set output_prefix",
				 prefix);
		snprintf(why, size, "%s: %s", prefix, strerror(errno));
	}
	return *why ? PM_CHECK_FAIL : PM_CHECK_PASS;
}

void pm_check_output_place(struct pm_check *c)
{
	const struct pm_check_trial *t = pm_check_trial(c);
	const char *prefix = pm_config_get(PM_SET_output_prefix);
	char why[PATH_MAX + 512], remedy[2 * PATH_MAX + 512];
	enum pm_check_verdict v = judge_prefix(prefix, why, remedy, sizeof why);

	if (t->fault[0] && !t->place[0])
		pm_check_report(c, PM_CHECK_FAIL,
				*why ? remedy : "see output.space and output.inodes", "%s%s%s", why,
				*why ? "; " : "", t->fault);
	else if (strncmp(t->place, prefix, strlen(prefix)) == 0 && t->place[strlen(prefix)] == '/')
		pm_check_report(c, PM_CHECK_PASS, "", "jobs go to %s", t->place);
	else
		pm_check_report(c, v == PM_CHECK_PASS ? PM_CHECK_WARN : v, remedy,
				"%s; jobs go to %s", *why ? why : prefix, t->place);
}

/* Find the file system of the jobs' directory, or of the prefix's nearest parent that exists. */
static int find_file_system(struct pm_check *c, char path[PATH_MAX], struct statvfs *fs)
{
	const struct pm_check_trial *t = pm_check_trial(c);

	snprintf(path, PATH_MAX, "%s",
		 t->place[0] ? t->place : pm_config_get(PM_SET_output_prefix));
	while (statvfs(path, fs) < 0) {
		char *slash = strrchr(path, '/');

		if (!slash || slash == path)
			return -1;
		*slash = '\0';
	}
	return 0;
}

void pm_check_output_mount(struct pm_check *c)
{
	char path[PATH_MAX], point[PATH_MAX];
	struct statvfs fs;

	if (find_file_system(c, path, &fs) == 0 && pm_ownmount_has(path, point))
		pm_check_report(
			c, PM_CHECK_WARN,
			"set output_prefix to a place visible on the whole host, or stage jobs to "
			"one before they end, as the last TaskEpilog of Slurm does",
			"%s is a private mount of this job or session: its records vanish with it",
			point);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "%s is visible on the whole host", path);
}

void pm_check_stage_place(struct pm_check *c)
{
	const char *path = pm_config_get(PM_SET_stage_to);
	static const char remedy[] = "set stage_to to a directory that exists and can be written";
	struct stat st;

	if (stat(path, &st) < 0 || access(path, W_OK | X_OK) < 0)
		/* The default is the current directory, which may be any. */
		pm_check_report(c,
				strcmp(pm_config_origin(PM_SET_stage_to), "default") == 0
					? PM_CHECK_WARN
					: PM_CHECK_FAIL,
				remedy, "stage_to is %s: %s", path, strerror(errno));
	else if (!S_ISDIR(st.st_mode))
		pm_check_report(c, PM_CHECK_FAIL, remedy,
				"stage_to is %s, which is not a directory", path);
	else
		pm_check_report(c, PM_CHECK_PASS, "", "archives go to %s", path);
}

void pm_check_output_space(struct pm_check *c)
{
	char path[PATH_MAX];
	struct statvfs fs;
	int64_t space;

	if (find_file_system(c, path, &fs) < 0) {
		pm_check_report(c, PM_CHECK_WARN, "", "not known");
		return;
	}
	space = (int64_t)(geteuid() == 0 ? fs.f_bfree : fs.f_bavail) * (int64_t)fs.f_frsize;
	if (space < SPACE_MIN)
		pm_check_report(
			c, PM_CHECK_FAIL,
			"make room (perfmon submit, then remove old jobs), or set output_prefix",
			"no space left: %lld kB in %s", (long long)space / 1000, path);
	else
		pm_check_report(c, space < SPACE_WANTED ? PM_CHECK_WARN : PM_CHECK_PASS,
				"make room, set max_bytes lower, or set output_prefix",
				"%lld MB free in %s", (long long)space / 1000000, path);
}

void pm_check_output_inodes(struct pm_check *c)
{
	char path[PATH_MAX];
	struct statvfs fs;
	int64_t files;

	if (find_file_system(c, path, &fs) < 0 || fs.f_files == 0) {
		/* Some file systems have no limit, and report 0. */
		pm_check_report(c, PM_CHECK_PASS, "", "no limit is known");
		return;
	}
	files = (int64_t)(geteuid() == 0 ? fs.f_ffree : fs.f_favail);
	if (files < INODES_MIN)
		pm_check_report(
			c, PM_CHECK_FAIL, "remove files such as old jobs, or set output_prefix",
			"no inodes left: room for %lld files in %s", (long long)files, path);
	else
		pm_check_report(c, files < INODES_WANTED ? PM_CHECK_WARN : PM_CHECK_PASS,
				"remove files such as old jobs, and do not record with PER_PROCESS",
				"room for %lld files in %s", (long long)files, path);
}
