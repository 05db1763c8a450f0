/* wrapper/job/charge.c: what a job used, of made-up groups, accounts and clocks. */
#include "config.h"

#include "tests/unit/wrapper/cgroup.h"
#include "wrapper/job/charge.h"
#include "wrapper/metadata/metadata.h"

#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* --- what the kernel says ----------------------------------------------------------------------- */

/* CPU time in us, of user mode and the kernel, of ourselves and of those that we waited for. */
static int64_t self_us[2], waited_us[2];

int getrusage(__rusage_who_t who, struct rusage *u)
{
	const int64_t *us = who == RUSAGE_SELF ? self_us : waited_us;

	memset(u, 0, sizeof *u);
	u->ru_utime.tv_sec = us[0] / 1000000;
	u->ru_utime.tv_usec = us[0] % 1000000;
	u->ru_stime.tv_sec = us[1] / 1000000;
	u->ru_stime.tv_usec = us[1] % 1000000;
	return 0;
}

/* The clock that a command is followed by, and for which process; -1: the kernel has none. */
static int clock_fd = -1, clocks;
static pid_t clock_pid;
static struct perf_event_attr clock_attr;

/* It hands on six arguments, whether they were passed or not. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	static long (*real)(long, ...);
	va_list ap;
	long a[6];

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open) {
		memcpy(&clock_attr, (void *)a[0], sizeof clock_attr);
		clock_pid = (pid_t)a[1];
		clocks++;
		errno = EACCES;
		return clock_fd;
	}
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static uid_t user, effective;

uid_t getuid(void)
{
	return user;
}

uid_t geteuid(void)
{
	return effective;
}

/* --- a job's account ---------------------------------------------------------------------------- */

static const char *text_of(const json_t *doc, enum pm_job_key key)
{
	const char *text = pm_metadata_get_text(doc, key);

	return text ? text : "-";
}

static int64_t int_of(const json_t *doc, enum pm_job_key key)
{
	return pm_metadata_get_int(doc, key, -1);
}

/* Used by a group of version 1, us, and its kills. */
static void put_account(const char *us, const char *kills)
{
	char text[64];

	snprintf(text, sizeof text, "%s000\n", us);
	root_put("cpu/slurm/uid_5/job_77/cpuacct.usage", text);
	snprintf(text, sizeof text, "under_oom 0\noom_kill %s\n", kills);
	root_put("memory/slurm/uid_5/job_77/memory.oom_control", text);
}

static json_t *start_in_group(void)
{
	json_t *doc = pm_metadata_new();

	be_in("/", "/slurm/uid_5/job_77/step_1", "/slurm/uid_5/job_77/step_1");
	put_account("5000000", "2");
	self_us[0] = 1000001;
	self_us[1] = 2000003;
	waited_us[0] = 3000005;
	waited_us[1] = 4000007;
	pm_charge_start(doc, "77", true);
	return doc;
}

START_TEST(start_notes_the_group)
{
	json_t *doc = start_in_group();

	ck_assert_str_eq(text_of(doc, PM_JOB_start_cgroup), "/slurm/uid_5/job_77");
	ck_assert_str_eq(text_of(doc, PM_JOB_start_cgroup_own), "name");
	ck_assert_str_eq(text_of(doc, PM_JOB_start_cgroup_memory), "/slurm/uid_5/job_77");
	ck_assert_int_eq(int_of(doc, PM_JOB_start_cgroup_oom_kills), 2);
	ck_assert_int_eq(int_of(doc, PM_JOB_start_cgroup_cpu_us), 5000000);
	json_decref(doc);
	/* That of the shell around a command is not the command's; around a script it is. */
	for (int command = 0; command < 2; command++) {
		doc = pm_metadata_new();
		be_in("/a/g", NULL, NULL);
		put_processes("u/a/g", getpid(), getppid());
		pm_charge_start(doc, NULL, command);
		ck_assert_str_eq(text_of(doc, PM_JOB_start_cgroup), "/a/g");
		ck_assert_str_eq(text_of(doc, PM_JOB_start_cgroup_own), command ? "-" : "alone");
		ck_assert_str_eq(text_of(doc, PM_JOB_start_cgroup_memory), "-");
		ck_assert_int_eq(int_of(doc, PM_JOB_start_cgroup_cpu_us), -1);
		ck_assert_int_eq(int_of(doc, PM_JOB_start_cgroup_oom_kills), -1);
		json_decref(doc);
	}
}
END_TEST

/* What the group used, less what perfmon itself did there. */
START_TEST(stop_charges_the_group)
{
	static const struct {
		const char *us;
		int64_t self, waited, command, helpers, want;
	} cases[] = {
		{ "5900000", 0, 0, -1, 0, 900000 },
		{ "5900000", 100, 0, -1, 0, 899900 },
		{ "5900000", 100, 7000, -1, 0, 899900 },
		{ "5900000", 100, 7000, 6000, 0, 898900 },
		{ "5900000", 100, 7000, 7001, 0, 899900 },
		{ "5900000", 100, 7000, 6000, 20000, 878900 },
		{ "5000000", 100, 0, 0, 0, 0 },
		{ "4999999", 0, 0, 0, 0, -1 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		json_t *doc = start_in_group();

		self_us[i % 2] += cases[i].self;
		waited_us[(i + 1) % 2] += cases[i].waited;
		put_account(cases[i].us, "7");
		/* Stopped from another group. */
		be_in("/b", "/c", "/d");
		pm_charge_stop(doc, cases[i].command, cases[i].helpers);
		ck_assert_int_eq(int_of(doc, PM_JOB_stop_cgroup_cpu_us), atol(cases[i].us));
		ck_assert_int_eq(int_of(doc, PM_JOB_stop_cgroup_oom_kills), 7);
		ck_assert_msg(int_of(doc, PM_JOB_stop_measured_cpu_us) == cases[i].want, "%zu: %lld", i,
			      (long long)int_of(doc, PM_JOB_stop_measured_cpu_us));
		ck_assert_str_eq(text_of(doc, PM_JOB_stop_measured_by),
				 cases[i].want < 0 ? "-" : "cgroup");
		json_decref(doc);
	}
}
END_TEST

START_TEST(stop_leaves_unknown)
{
	json_t *doc = pm_metadata_new();

	/* A group that others share is no account of the job. */
	pm_metadata_text(doc, PM_JOB_start_cgroup, "/slurm/uid_5/job_77");
	pm_metadata_int(doc, PM_JOB_start_cgroup_cpu_us, 1000000);
	be_in("/", "/slurm/uid_5/job_77", NULL);
	put_account("5000000", "7");
	pm_charge_stop(doc, 5, 6);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_cgroup_cpu_us), 5000000);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_measured_cpu_us), -1);
	/* Nor is one of which the beginning is not known. */
	json_decref(doc);
	doc = pm_metadata_new();
	pm_metadata_text(doc, PM_JOB_start_cgroup, "/slurm/uid_5/job_77");
	pm_metadata_text(doc, PM_JOB_start_cgroup_own, "name");
	pm_charge_stop(doc, 5, 6);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_measured_cpu_us), -1);
	json_decref(doc);
}
END_TEST

/* A clock that has counted so many ns. */
static void put_clock(uint64_t ns)
{
	char path[128];

	root_put_bytes("clock", (const char *)&ns, sizeof ns);
	snprintf(path, sizeof path, "%s/clock", root);
	clock_fd = open(path, O_RDONLY);
}

START_TEST(a_clock_follows_the_command)
{
	json_t *doc = pm_metadata_new();

	be_in("/a", NULL, NULL);
	pm_charge_start(doc, NULL, true);
	put_clock(7654321999);
	user = effective = 0;
	pm_charge_follow(4711);
	ck_assert(clocks == 1 && clock_pid == 4711);
	ck_assert(clock_attr.type == PERF_TYPE_SOFTWARE &&
		  clock_attr.config == PERF_COUNT_SW_TASK_CLOCK);
	ck_assert(clock_attr.disabled && clock_attr.inherit && clock_attr.enable_on_exec);
	/* It has one. */
	pm_charge_follow(4712);
	ck_assert_int_eq(clocks, 1);
	pm_charge_stop(doc, 7654320, 1000);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_measured_cpu_us), 7654321);
	ck_assert_str_eq(text_of(doc, PM_JOB_stop_measured_by), "descendants");
	/* The time of what was waited for is whole. */
	ck_assert_int_eq(lseek(clock_fd, 0, SEEK_SET), 0);
	pm_charge_stop(doc, 7654322, 1000);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_measured_cpu_us), 7654322);
	/* What was there before the job was opened again, it has not seen; and it may not be read. */
	json_decref(doc);
	doc = pm_metadata_new();
	pm_charge_stop(doc, 5, 0);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_measured_cpu_us), -1);
	ck_assert_int_eq(lseek(clock_fd, 0, SEEK_SET), 0);
	pm_metadata_int(doc, PM_JOB_start_reopened, 1);
	pm_charge_stop(doc, 5, 0);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_measured_cpu_us), -1);
	json_decref(doc);
}
END_TEST

START_TEST(no_clock)
{
	json_t *doc = pm_metadata_new();

	put_clock(1000000);
	/* Programs with powers of their own stop the clock of a plain user. */
	user = 1000;
	effective = 0;
	pm_charge_follow(1);
	user = 0;
	effective = 1000;
	pm_charge_follow(1);
	user = effective = 0;
	/* A batch system's launchers are no descendants. */
	setenv("SLURM_JOB_ID", "5", 1);
	pm_charge_follow(1);
	unsetenv("SLURM_JOB_ID");
	ck_assert_int_eq(clocks, 0);
	/* The kernel refuses. */
	close(clock_fd);
	clock_fd = -1;
	pm_charge_follow(1);
	ck_assert_int_eq(clocks, 1);
	pm_charge_stop(doc, 5, 0);
	ck_assert_int_eq(int_of(doc, PM_JOB_stop_measured_cpu_us), -1);
	json_decref(doc);
	/* A group of the job's own says more. */
	json_decref(start_in_group());
	put_clock(1000000);
	pm_charge_follow(1);
	ck_assert_int_eq(clocks, 1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("charge");
	TCase *t = tcase_create("charge");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, start_notes_the_group);
	tcase_add_test(t, stop_charges_the_group);
	tcase_add_test(t, stop_leaves_unknown);
	tcase_add_test(t, a_clock_follows_the_command);
	tcase_add_test(t, no_clock);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
