/* wrapper/check_*.c: what perfmon check finds, of a kernel, file systems and a temporary job that the test makes
 * up. Faults that are planted for real are in tests/e2e/wrapper/check.t. */
#include "config.h"

#include "tests/unit/wrapper/check.h"

#include "wrapper/check/trialjob.h"
#include "wrapper/process/ownmount.h"

#include <sys/statvfs.h>
#include <sys/timex.h>
#include <time.h>

/* --- what is there ------------------------------------------------------------------------------ */

/* File systems: of one that the path lies in, where that is there at all. */
static struct statvfs fs;
static const char *fs_path;

int statvfs(const char *restrict path, struct statvfs *restrict buf)
{
	if (!fs_path || strcmp(path, fs_path) != 0) {
		errno = ENOENT;
		return -1;
	}
	*buf = fs;
	return 0;
}

bool pm_ownmount_has(const char *path, char point[PATH_MAX])
{
	snprintf(point, PATH_MAX, "/point");
	return strcmp(path, "/own") == 0;
}

static time_t now = 1700000000;
static int clock_status;

time_t time(time_t *t)
{
	if (t)
		*t = now;
	return now;
}

int adjtimex(struct timex *t)
{
	t->status = clock_status;
	return 0;
}

/* The temporary job, and whether this perfmon can open databases. */
static struct pm_check_trial trial;
static const char *no_database;

const struct pm_check_trial *pm_check_trial(struct pm_check *c)
{
	(void)c;
	return &trial;
}

const char *pm_check_database_missing(void)
{
	return no_database;
}

/* --- the kernel --------------------------------------------------------------------------------- */

START_TEST(kernel)
{
	char self[32];

#define NO_DELAYS "warn delays are not accounted: delayacct_blkio_time is unknown; an administrator may set " \
		  "kernel.task_delayacct to 1 (sysctl), before the job"
#define NO_RUN    "warn no schedstat: time_oncpu, time_waiting and timeslices are unknown; use a kernel with " \
		  "CONFIG_SCHED_INFO"
	is(kernel_delays, NO_DELAYS);
	root_put("proc/sys/kernel/task_delayacct", "0\n");
	is(kernel_delays, NO_DELAYS);
	root_put("proc/sys/kernel/task_delayacct", "1\n");
	is(kernel_delays, "pass delays are accounted");
	is(kernel_proc, "fail R/proc/self: No such file or directory; processes have no names and few metrics; "
			"mount /proc");
	is(kernel_schedstat, NO_RUN);
	root_put("proc/self/schedstat", "0 0 0\n");
	is(kernel_schedstat, NO_RUN);
	root_put("proc/self/schedstat", "1 0 0\n");
	is(kernel_schedstat, "pass times on a CPU and waiting for one are known");
	is(kernel_io, "warn no /proc/self/io: rchar, wchar, read_bytes, write_bytes and others are unknown; "
		      "use a kernel with CONFIG_TASK_IO_ACCOUNTING");
	root_put("proc/self/io", "rchar: 0\n");
	is(kernel_io, "pass reads and writes are counted");
	root_remove_path("proc/self");
	snprintf(self, sizeof self, "%ld", (long)getpid() + 1);
	ck_assert_int_eq(symlink(self, "proc/self"), 0);
	is(kernel_proc, "warn /proc belongs to another pid namespace: process ids do not match; "
			"mount a /proc for this pid namespace, as unshare --mount-proc does");
	snprintf(self, sizeof self, "%ld", (long)getpid());
	ck_assert_int_eq(unlink("proc/self"), 0);
	ck_assert_int_eq(symlink(self, "proc/self"), 0);
	ck_assert_int_eq(strncmp(find(pm_check_kernel_proc), "pass ", 5), 0);
}
END_TEST

START_TEST(clocks)
{
	is(kernel_clock, "pass the clock is set");
	clock_status = STA_UNSYNC;
	is(kernel_clock, "warn the clock is not synchronised: times of several hosts may not agree; "
			 "run chronyd or ntpd, where jobs have several hosts");
	clock_status = STA_PLL | STA_NANO;
	is(kernel_clock, "pass the clock is set");
	/* 2020 began so long behind 1970. */
	now = 1577836799;
	is(kernel_clock, "fail the clock was never set: it says 1577836799 seconds since 1970; set the clock");
	now = 1577836800;
	is(kernel_clock, "pass the clock is set");
}
END_TEST

/* --- places ------------------------------------------------------------------------------------- */

static void record_at(const char *place)
{
	snprintf(trial.place, sizeof trial.place, "%s%s", place[0] == 'R' ? root : place,
		 place[0] == 'R' ? place + 1 : "");
}

START_TEST(places)
{
	char prefix[128];

	snprintf(prefix, sizeof prefix, "%s/p", root);
	set(PM_SET_output_prefix, prefix);
#define INSTALL "as root: install -d -m 1777 R/p"
	record_at("R/p-1000/x");
	is(output_place, "warn R/p: No such file or directory; jobs go to R/p-1000/x; " INSTALL
			 "; or set output_prefix");
	record_at("R/p/x");
	is(output_place, "pass jobs go to R/p/x");
	record_at("R/p-1000/x");
	ck_assert_int_eq(mkdir("p", 0755), 0);
	/* Nothing is wrong with it now, but jobs go elsewhere. */
	is(output_place, "warn R/p; jobs go to R/p-1000/x; " INSTALL "; or set output_prefix");
	ck_assert_int_eq(chmod("p", 0775), 0);
	is(output_place, "fail anybody could move other users' jobs in R/p, which is not sticky; jobs go to "
			 "R/p-1000/x; "
			 "as root: chmod 1777 R/p");
	ck_assert_int_eq(chmod("p", 0757), 0);
	is(output_place, "fail anybody could move other users' jobs in R/p, which is not sticky; jobs go to "
			 "R/p-1000/x; "
			 "as root: chmod 1777 R/p");
	ck_assert_int_eq(chmod("p", 01777), 0);
	is(output_place, "warn R/p; jobs go to R/p-1000/x; " INSTALL "; or set output_prefix");
	ck_assert_int_eq(rmdir("p"), 0);
	root_put("p", "");
	is(output_place, "fail R/p is not a directory; jobs go to R/p-1000/x; remove it; " INSTALL);
	ck_assert_int_eq(unlink("p"), 0);
	ck_assert_int_eq(symlink("/tmp", "p"), 0);
	is(output_place, "fail R/p is a symbolic link, which is not followed; jobs go to R/p-1000/x; "
			 "remove it; " INSTALL);
	/* There is no place at all. */
	trial.place[0] = '\0';
	snprintf(trial.fault, sizeof trial.fault, "no room");
	is(output_place, "fail R/p is a symbolic link, which is not followed; no room; remove it; " INSTALL);
	ck_assert_int_eq(unlink("p"), 0);
	ck_assert_int_eq(mkdir("p", 0755), 0);
	is(output_place, "fail no room; see output.space and output.inodes");
	/* Of a user that is not us. */
	user = files_of + 4711;
	if (files_of != 0) {
		record_at("R/p-1000/x");
		ck_assert_ptr_nonnull(strstr(find(pm_check_output_place), ", who could move other users' jobs"));
	}
}
END_TEST

START_TEST(room)
{
	record_at("/own/a/b");
	is(output_space, "warn not known");
	is(output_inodes, "pass no limit is known");
	/* The nearest directory that is there tells; root may use what is kept for it. */
	record_at("/owner/a");
	fs_path = "/owner";
	is(output_mount, "pass /owner is visible on the whole host");
	record_at("/own/a/b");
	fs_path = "/own";
	is(output_mount, "warn /point is a private mount of this job or session: its records vanish with it; "
			 "set output_prefix to a place visible on the whole host, or stage jobs to one before they "
			 "end, as the last TaskEpilog of Slurm does");
	fs = (struct statvfs){ .f_frsize = 4096, .f_bsize = 1, .f_bfree = 16384, .f_bavail = 256 };
	user = 0;
	is(output_space, "pass 67 MB free in /own");
	fs.f_bfree--;
	is(output_space, "warn 67 MB free in /own; make room, set max_bytes lower, or set output_prefix");
	user = 1000;
	is(output_space, "warn 1 MB free in /own; make room, set max_bytes lower, or set output_prefix");
	fs.f_bavail = 255;
	is(output_space, "fail no space left: 1044 kB in /own; make room (perfmon submit, then remove old jobs), "
			 "or set output_prefix");
	is(output_inodes, "pass no limit is known");
	fs.f_files = 9;
	fs.f_ffree = 1000;
	fs.f_favail = 8;
#define FEWER "; remove files such as old jobs, and do not record with PER_PROCESS"
	is(output_inodes, "warn room for 8 files in /own" FEWER);
	fs.f_favail = 7;
	is(output_inodes, "fail no inodes left: room for 7 files in /own; remove files such as old jobs, or set "
			  "output_prefix");
	user = 0;
	is(output_inodes, "pass room for 1000 files in /own");
	fs.f_ffree = 999;
	is(output_inodes, "warn room for 999 files in /own" FEWER);
}
END_TEST

START_TEST(archives)
{
	char path[128];

#define EXISTS "set stage_to to a directory that exists and can be written"
	ck_assert_int_eq(chdir("/"), 0);
	snprintf(path, sizeof path, "%s/s", root);
	set(PM_SET_stage_to, path);
	is(stage_place, "fail stage_to is R/s: No such file or directory; " EXISTS);
	root_put("s", "");
	ck_assert_int_eq(chmod(path, 0755), 0);
	is(stage_place, "fail stage_to is R/s, which is not a directory; " EXISTS);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	is(stage_place, "pass archives go to R/s");
}
END_TEST

START_TEST(temporary_files)
{
	char path[128];

	snprintf(path, sizeof path, "%s/t", root);
	setenv("TMPDIR", path, 1);
	is(environment_tmpdir, "warn TMPDIR is R/t: No such file or directory; loads of big jobs may fail; "
			       "set TMPDIR to a directory that exists and can be written");
	root_put("t", "");
	ck_assert_int_eq(chmod(path, 0755), 0);
	is(environment_tmpdir, "warn TMPDIR is R/t, which is not a directory; set TMPDIR to a directory");
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	is(environment_tmpdir, "pass R/t");
	fs_path = path;
	is(environment_tmpdir, "pass R/t");
	fs.f_flag = ST_NOEXEC;
	is(environment_tmpdir, "pass R/t, mounted noexec: perfmon executes nothing there");
	setenv("TMPDIR", "", 1);
	is(environment_tmpdir, "pass /tmp");
}
END_TEST

/* --- settings and variables --------------------------------------------------------------------- */

START_TEST(names_of_variables)
{
	is(config_names, "pass no unknown or outdated variable is set");
	/* What perfmon hands on, and settings, are known; others are not perfmon's. */
	setenv("PERFMON_EVENTS", "", 1);
	setenv("PERFMON_TAGS", "a:b", 1);
	setenv("PERFMONX", "1", 1);
	is(config_names, "pass no unknown or outdated variable is set");
#define UNKNOWN " is not a setting and has no effect; unset it (perfmon config lists all settings)"
	setenv("PERFMON_TAG", "1", 1);
	is(config_names, "warn PERFMON_TAG" UNKNOWN);
	unsetenv("PERFMON_TAG");
	setenv("PERFMON_TAGSX", "1", 1);
	is(config_names, "warn PERFMON_TAGSX" UNKNOWN);
	unsetenv("PERFMON_TAGSX");
	setenv("PAPIEX_TAGS", "c:d", 1);
	is(config_names, "warn PAPIEX_TAGS is an old name of PERFMON_TAGS, which is also set and takes precedence; "
			 "set PERFMON_TAGS instead of PAPIEX_TAGS");
	unsetenv("PERFMON_TAGS");
	is(config_names, "warn PAPIEX_TAGS is an old name of PERFMON_TAGS; "
			 "set PERFMON_TAGS instead of PAPIEX_TAGS");
}
END_TEST

START_TEST(preloads)
{
#define NONE "pass no collector is preloaded; perfmon run and perfmon source do so"
#define OUT  "remove it from LD_PRELOAD (perfmon_uninstrument, if source put it there): ld.so complains in " \
	     "every program"
	is(environment_preload, NONE);
	root_put("libperfmon.so", "");
	root_put("other.so", "");
	setenv("LD_PRELOAD", " ./other.so:libm.so.6 :$LIB/x.so ", 1);
	is(environment_preload, NONE);
	setenv("LD_PRELOAD", "./other.so ./gone.so", 1);
	is(environment_preload, "fail LD_PRELOAD has ./gone.so: No such file or directory; " OUT "\n" NONE);
	setenv("LD_PRELOAD", "./other.so:./libperfmon.so", 1);
	is(environment_preload, "warn a collector is preloaded, but PERFMON_OUTPUT is not set: nothing is recorded; "
				"use eval \"$(perfmon source)\" instead of setting LD_PRELOAD by hand, or set "
				"PERFMON_OUTPUT to a directory");
	set(PM_SET_output, "/job");
	is(environment_preload, "pass a collector is preloaded and writes to /job");
	setenv("LD_PRELOAD", "libperfmon.so:/x/$LIB/libperfmon.so", 1);
	is(environment_preload, "pass a collector is preloaded and writes to /job\n"
				"warn 2 collectors are preloaded: only the first one records; remove all but one "
				"from LD_PRELOAD");
}
END_TEST

START_TEST(output)
{
	char path[128];

#define ANEW "; unset PERFMON_OUTPUT, or start a new job with perfmon start"
	snprintf(path, sizeof path, "%s/job", root);
	is(environment_output, "pass not set: perfmon finds the job itself");
	set(PM_SET_output, path);
	is(environment_output, "fail R/job: No such file or directory" ANEW);
	root_put("job", "");
	is(environment_output, "fail R/job is not a directory" ANEW);
	ck_assert_int_eq(unlink("job"), 0);
	ck_assert_int_eq(mkdir("job", 0700), 0);
	is(environment_output, "pass R/job");
	user = files_of + 1;
	is(environment_output, "fail R/job belongs to another user" ANEW);
	user = 0;
	is(environment_output, "pass R/job");
}
END_TEST

START_TEST(batch_jobs)
{
	is(scheduler_job, "pass no batch system: jobs are named after the session");
	setenv("SLURM_JOB_ID", "5", 1);
	setenv("SLURM_CLUSTER_NAME", "c", 1);
	/* Whether a daemon of Slurm is above the test, it does not know. */
	ck_assert_ptr_nonnull(strstr(find(pm_check_scheduler_job), "job 5 of slurm"));
	setenv("PBS_JOBID", "6.s", 1);
	ck_assert_ptr_nonnull(strstr(find(pm_check_scheduler_job),
				     "\nwarn PBS_JOBID also names a job of pbs; perfmon uses the job of slurm; "
				     "unset PBS_JOBID if it is left over\n"));
}
END_TEST

/* --- the temporary job -------------------------------------------------------------------------- */

START_TEST(temporary_job)
{
	snprintf(trial.version, sizeof trial.version, "%s", PACKAGE_VERSION);
	is(job_record, "pass the trial job was recorded");
	is(job_stage, "pass the trial job was packed");
	is(job_load, "pass the trial job was loaded");
	is(library_version, "pass collector and perfmon are " PACKAGE_VERSION);
	snprintf(trial.version, sizeof trial.version, "0.0.1");
	is(library_version, "warn the collector is 0.0.1, perfmon is " PACKAGE_VERSION
			    "; install both from one release, or set PERFMON_LIBRARY");
	trial.version[0] = '\0';
	is(library_version, "warn not known: nothing was recorded; see job.record");
	snprintf(trial.stage, sizeof trial.stage, "full");
	snprintf(trial.load, sizeof trial.load, "wrong");
	is(job_stage, "fail the trial job was not packed: full; see output.space and output.inodes");
	is(job_load, "fail the trial job was not loaded: wrong; see output.space and environment.tmpdir");
	snprintf(trial.fault, sizeof trial.fault, "lost");
	is(job_record, "fail the trial job was not recorded: lost; see the checks of output");
	is(job_stage, "fail the trial job was not packed: full; see job.record");
	is(job_load, "fail the trial job was not loaded: wrong; see job.record");
	record_at("R/x");
	is(job_record, "fail the trial job was not recorded: lost; see the checks of library and output; in a "
		       "container, check that the collector is installed inside it");
	/* That the user wants it so is no fault. */
	trial.off = true;
	is(job_record, "warn the trial job was not recorded: lost; see config.recording");
	is(job_load, "warn the trial job was not loaded: wrong; see config.recording");
	no_database = "no SQLite";
	is(job_load, "warn the trial job was not loaded: no SQLite; load jobs with a perfmon that supports it");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("check");
	TCase *t = tcase_create("check");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, kernel);
	tcase_add_test(t, clocks);
	tcase_add_test(t, places);
	tcase_add_test(t, room);
	tcase_add_test(t, archives);
	tcase_add_test(t, temporary_files);
	tcase_add_test(t, names_of_variables);
	tcase_add_test(t, preloads);
	tcase_add_test(t, output);
	tcase_add_test(t, batch_jobs);
	tcase_add_test(t, temporary_job);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
