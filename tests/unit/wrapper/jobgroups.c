/* wrapper/sched/jobcgroups.c: jobs of a node by their control groups, on made-up trees, and whose processes count. */
#include "config.h"

#include "tests/unit/sampler/root.h"
#include "wrapper/sched/jobcgroups.h"

#include <poll.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/wait.h>

/* The user that we seem to be. */
static uid_t user;

uid_t geteuid(void)
{
	return user;
}

static struct pm_jobcgroups groups;

static void set_up(void)
{
	root_make();
	user = getuid();
	pm_jobcgroups_open(&groups, root);
}

static void tear_down(void)
{
	pm_jobcgroups_close(&groups);
	root_remove();
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct pm_jobgroup *)a)->id, ((const struct pm_jobgroup *)b)->id);
}

/* The groups there are, "ID UID PATH;", by their ids. */
static const char *found(void)
{
	static char text[2000];
	size_t n = 0;

	pm_jobcgroups_scan(&groups);
	if (groups.count)
		qsort(groups.group, groups.count, sizeof groups.group[0], compare);
	text[0] = '\0';
	for (size_t i = 0; i < groups.count; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s %lld %s;", groups.group[i].id,
				      (long long)groups.group[i].uid,
				      groups.group[i].path + strlen(root) + 1);
	return text;
}

static void put_group(const char *path, pid_t pid)
{
	char name[300], text[32] = "";

	snprintf(name, sizeof name, "%s/cgroup.procs", path);
	if (pid)
		snprintf(text, sizeof text, "0\n%ld\n", (long)pid);
	root_put(name, text);
}

START_TEST(groups_of_jobs)
{
	const struct passwd *nobody = getpwnam("nobody");
	char want[1000];

	ck_assert_str_eq(found(), "");
	put_group("slurm/uid_1001/job_77/step_0/task_1", 0);
	/* What is below a job's is the job's. */
	put_group("slurm/uid_1001/job_77/job_78", 0);
	put_group("system.slice/slurmstepd.scope/job_79/step_batch/user", 0);
	put_group("user.slice/user-1002.slice/user@1002.service/flux.slice/shell-0-f5.service", 0);
	put_group("user.slice/user-1002.slice/user@1002.service/job_80", 0);
	put_group("oar/nobody_81", 0);
	put_group("oar/no-such-user-here_82", 0);
	put_group(".hidden/job_83", 0);
	root_put("job_84", "");
	snprintf(want, sizeof want,
		 "77 1001 slurm/uid_1001/job_77;"
		 "79 -1 system.slice/slurmstepd.scope/job_79;"
		 "81 %ld oar/nobody_81;"
		 "82 -1 oar/no-such-user-here_82;"
		 "f5 1002 user.slice/user-1002.slice/user@1002.service/flux.slice/shell-0-f5.service;",
		 nobody ? (long)nobody->pw_uid : -1L);
	ck_assert_str_eq(found(), want);
	root_remove_path("slurm");
	root_remove_path("oar");
	root_remove_path("user.slice");
	ck_assert_str_eq(found(), "79 -1 system.slice/slurmstepd.scope/job_79;");
}
END_TEST

START_TEST(deep_groups)
{
	put_group("1/2/3/4/5/6/7/job_7", 0);
	put_group("1/2/3/4/5/6/7/8/job_8", 0);
	ck_assert_str_eq(found(), "7 -1 1/2/3/4/5/6/7/job_7;");
}
END_TEST

/* A job has a group in each hierarchy: that with processes counts. */
START_TEST(hierarchies)
{
	pid_t pid = getpid();

	put_group("cpu/slurm/uid_0/job_5", getuid() ? 0 : pid);
	put_group("memory/slurm/uid_0/job_5", 0);
	put_group("freezer/slurm/uid_0/job_5", 0);
	found();
	ck_assert_uint_eq(groups.count, 1);
	if (getuid() == 0)
		ck_assert_str_eq(found(), "5 0 cpu/slurm/uid_0/job_5;");
	put_group("cpu/slurm/uid_0/job_5", 0);
	put_group("freezer/slurm/uid_0/job_5/step_1", getuid() ? 0 : pid);
	if (getuid() == 0)
		ck_assert_str_eq(found(), "5 0 freezer/slurm/uid_0/job_5;");
}
END_TEST

static bool is_readable(void)
{
	struct pollfd p = { .fd = groups.fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

START_TEST(changes_are_told)
{
	put_group("slurm/uid_5/job_1", 0);
	found();
	if (groups.fd < 0)
		return;
	ck_assert(!is_readable());
	put_group("slurm/uid_5/job_2", 0);
	ck_assert(is_readable());
	found();
	ck_assert(!is_readable());
	root_remove_path("slurm/uid_5/job_1");
	ck_assert(is_readable());
	found();
	put_group("new", 0);
	ck_assert(is_readable());
	found();
	/* What comes below that, too. */
	put_group("new/deeper", 0);
	ck_assert(is_readable());
}
END_TEST

/* Whether a process of ours counts for a group of this user, where we seem to be that one. */
static bool counts(int64_t of, uid_t seem)
{
	struct pm_jobgroup group = { .uid = of };
	struct pm_jobgroup_process p;
	char want[64];
	struct stat a, b;

	snprintf(group.path, sizeof group.path, "%s/g", root);
	user = seem;
	if (pm_jobcgroups_process(&group, &p) < 0)
		return false;
	snprintf(want, sizeof want, "/proc/%ld", (long)getpid());
	ck_assert(p.pid == getpid() && p.uid == getuid());
	ck_assert(fstat(p.fd, &a) == 0 && stat(want, &b) == 0 && a.st_ino == b.st_ino);
	ck_assert_int_eq(fcntl(p.fd, F_GETFD), FD_CLOEXEC);
	close(p.fd);
	return true;
}

START_TEST(processes_of_the_user)
{
	uid_t me = getuid();

	put_group("g/a/b/c/d", getpid());
	/* For root: of the user that the group names; without one of anybody but root. */
	ck_assert(counts(me, 0));
	ck_assert(!counts(me + 1, 0));
	ck_assert_int_eq(counts(-1, 0), me != 0);
	/* A plain user's own alone. */
	ck_assert(counts(-1, me) || me == 0);
	ck_assert(!counts(-1, me + 1));
	ck_assert(!counts(me, me + 1));
	ck_assert(counts(me + 1, me) || me == 0);
	/* Of a group and four levels below it. */
	root_remove_path("g");
	put_group("g/a/b/c/d/e", getpid());
	ck_assert(!counts(me, 0));
	root_remove_path("g");
	put_group("g", getpid());
	ck_assert(counts(me, 0));
	root_remove_path("g");
	put_group("g/.a", getpid());
	ck_assert(!counts(me, 0));
}
END_TEST

START_TEST(processes_that_are_gone)
{
	struct pm_jobgroup group = { .uid = -1 };
	struct pm_jobgroup_process p;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	snprintf(group.path, sizeof group.path, "%s/g", root);
	ck_assert_int_lt(pm_jobcgroups_process(&group, &p), 0);
	put_group("g", pid);
	ck_assert_int_lt(pm_jobcgroups_process(&group, &p), 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("jobgroups");
	TCase *t = tcase_create("jobgroups");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, groups_of_jobs);
	tcase_add_test(t, deep_groups);
	tcase_add_test(t, hierarchies);
	tcase_add_test(t, changes_are_told);
	tcase_add_test(t, processes_of_the_user);
	tcase_add_test(t, processes_that_are_gone);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
