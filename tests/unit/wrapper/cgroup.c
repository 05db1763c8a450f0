/* wrapper/node/cgroup.c: limits, quotas, kills and CPU time of made-up hierarchies of both versions, and which group of
 * theirs is a job's. */
#include "config.h"

#include "tests/unit/wrapper/cgroup.h"

#include "wrapper/node/cgroup.h"

#include <limits.h>
#include <sched.h>

/* CPUs that we may use, and the smallest mask that the kernel writes them to. */
static int cpus = 4;
static size_t mask_size = 128;

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	(void)pid;
	if (size < mask_size) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, size);
	for (int i = 0; i < cpus; i++)
		CPU_SET_S((size_t)i, size, set);
	return 0;
}

/* --- limits ------------------------------------------------------------------------------------- */

START_TEST(memory_limits)
{
	be_in("/a/b/c", NULL, NULL);
	ck_assert_int_eq(pm_cgroup_memory_limit(), -1);
	root_put("u/a/b/c/memory.max", "7000\n");
	root_put("u/a/b/memory.max", "max\n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 7000);
	root_put("u/a/memory.max", "5000\n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 5000);
	root_put("u/a/b/memory.max", "6000\n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 5000);
	/* The root of a machine has none; that of a namespace is a group. */
	root_put("u/memory.max", "10\n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 5000);
	be_in("/", NULL, NULL);
	ck_assert_int_eq(pm_cgroup_memory_limit(), 10);
	/* Of both versions the lower one holds; what is near the largest number is none. */
	be_in("/a/b/c", "/a/b/c", "/m/n");
	root_put("memory/m/n/memory.limit_in_bytes", "9223372036854771712\n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 5000);
	root_put("memory/m/n/memory.limit_in_bytes", "5001\n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 5000);
	root_put("memory/m/memory.limit_in_bytes", "4999\n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 4999);
	be_in(NULL, "/a/b/c", "/m/n");
	ck_assert_int_eq(pm_cgroup_memory_limit(), 4999);
	root_remove_path("mountinfo");
	ck_assert_int_eq(pm_cgroup_memory_limit(), -1);
}
END_TEST

/* A container sees a part of the hierarchy as the whole. */
START_TEST(parts_of_a_hierarchy)
{
	mount_all("/docker/abc");
	root_put("u/x/memory.max", "1000\n");
	root_put("u/memory.max", "2000\n");
	root_put("u/docker/abcd/memory.max", "3000\n");
	be_in("/docker/abc/x", NULL, NULL);
	ck_assert_int_eq(pm_cgroup_memory_limit(), 1000);
	be_in("/docker/abc", NULL, NULL);
	ck_assert_int_eq(pm_cgroup_memory_limit(), 2000);
	be_in("/docker/abcd", NULL, NULL);
	ck_assert_int_eq(pm_cgroup_memory_limit(), 3000);
}
END_TEST

static const struct {
	const char *v2, *quota, *period;
	int want; /* of four CPUs */
} quotas[] = {
	{ "max 100000\n", "-1\n", "100000\n", 4 },
	{ "50000 100000\n", "-1\n", "100000\n", 1 },
	{ "100000 100000\n", "-1\n", "100000\n", 1 },
	{ "150000 100000\n", "-1\n", "100000\n", 2 },
	{ "200000 100000\n", "-1\n", "100000\n", 2 },
	{ "30000 10000\n", "-1\n", "100000\n", 3 },
	{ "3100 1000\n", "-1\n", "100000\n", 4 },
	{ "900000 100000\n", "-1\n", "100000\n", 4 },
	{ "100000\n", "-1\n", "100000\n", 4 },
	{ "100000 0\n", "-1\n", "100000\n", 4 },
	{ "", "50000\n", "100000\n", 1 },
	{ "", "110000\n", "100000\n", 2 },
	{ "", "90000\n", "30000\n", 3 },
	{ "", "0\n", "100000\n", 4 },
	{ "", "100000\n", "0\n", 4 },
	{ "", "100000\n", "", 4 },
	{ "200000 100000\n", "100000\n", "100000\n", 1 },
	{ "100000 100000\n", "200000\n", "100000\n", 1 },
};

START_TEST(processor_quotas)
{
	be_in("/a/b", "/p/q", NULL);
	root_put("u/a/b/cpu.max", quotas[_i].v2);
	root_put("cpu/p/q/cpu.cfs_quota_us", quotas[_i].quota);
	root_put("cpu/p/q/cpu.cfs_period_us", quotas[_i].period);
	ck_assert_int_eq(pm_cgroup_cpus_allowed(), quotas[_i].want);
	/* The group above has room for all, or for less. */
	root_put("u/a/cpu.max", "900000 100000\n");
	ck_assert_int_eq(pm_cgroup_cpus_allowed(), quotas[_i].want);
	root_put("u/a/cpu.max", "10000 100000\n");
	ck_assert_int_eq(pm_cgroup_cpus_allowed(), 1);
}
END_TEST

/* A kernel for more CPUs than we guess wants a larger mask. */
START_TEST(processors)
{
	be_in("/a", NULL, NULL);
	ck_assert_int_eq(pm_cgroup_cpus_allowed(), 4);
	mask_size = 1024;
	cpus = 5000;
	ck_assert_int_eq(pm_cgroup_cpus_allowed(), 5000);
	mask_size = 1 << 20;
	ck_assert_int_eq(pm_cgroup_cpus_allowed(), -1);
	root_put("u/a/cpu.max", "900000 100000\n");
	ck_assert_int_eq(pm_cgroup_cpus_allowed(), 9);
}
END_TEST

/* --- whose group -------------------------------------------------------------------------------- */
/* found JOB: "PATH HOW" as start.cgroup_own has it. */
static const char *found(const char *job, bool ancestors)
{
	static const char *const how[] = { "shared", "named", "alone" };
	static char text[PATH_MAX + 16];
	char path[PATH_MAX];
	int rc = pm_cgroup_find(job, ancestors, path, sizeof path);

	if (rc < 0)
		return "none";
	snprintf(text, sizeof text, "%s %s", path, how[rc]);
	return text;
}

START_TEST(groups_named_after_a_job)
{
	be_in("/slurm/uid_5/job_77/step_0", "/x", NULL);
	ck_assert_str_eq(found("77", false), "/slurm/uid_5/job_77 named");
	ck_assert_str_eq(found("7", false), "/slurm/uid_5/job_77 shared");
	ck_assert_str_eq(found(NULL, false), "/slurm/uid_5/job_77 shared");
	be_in("/user.slice", "/slurm/uid_5/job_77/step_0/task_1", NULL);
	ck_assert_str_eq(found("77", false), "/slurm/uid_5/job_77 named");
	ck_assert_str_eq(found("78", false), "/user.slice shared");
	be_in(NULL, "/slurm/uid_5/job_77", "/slurm/uid_5/job_78");
	ck_assert_str_eq(found("77", false), "/slurm/uid_5/job_77 named");
	ck_assert_str_eq(found("78", false), "/slurm/uid_5/job_77 shared");
	root_put("cgroup", "4:cpu:/slurm/job_9\n");
	ck_assert_str_eq(found("9", false), "/slurm/job_9 named");
	/* The unified hierarchy's root is no group of ours where version 1 has one. */
	be_in("/", "/p/q", NULL);
	ck_assert_str_eq(found("77", false), "/p/q shared");
	root_put("cgroup", "4:cpu:/only\n0::/\n");
	ck_assert_str_eq(found(NULL, false), "/only shared");
	be_in("/", NULL, NULL);
	ck_assert_str_eq(found("77", false), "/ shared");
	be_in(NULL, NULL, "/m");
	ck_assert_str_eq(found("77", false), "none");
	root_remove_path("cgroup");
	ck_assert_str_eq(found("77", false), "none");
}
END_TEST

START_TEST(groups_of_nobody_else)
{
	be_in("/a/g", NULL, NULL);
	put_processes("u/a/g", getpid(), 0);
	ck_assert_str_eq(found(NULL, false), "/a/g alone");
	/* What runs beside us, our parent too, unless that is of the job. */
	put_processes("u/a/g", getpid(), getppid());
	ck_assert_str_eq(found(NULL, false), "/a/g shared");
	ck_assert_str_eq(found(NULL, true), "/a/g alone");
	put_processes("u/a/g", getpid(), 0);
	root_put("u/a/g/sub/cgroup.procs", "");
	ck_assert_str_eq(found(NULL, false), "/a/g alone");
	/* Of another pid namespace. */
	root_put("u/a/g/sub/cgroup.procs", "0\n");
	ck_assert_str_eq(found(NULL, false), "/a/g shared");
	root_put("u/a/g/sub/cgroup.procs", "");
	put_processes("u/a/g/sub/deep", getpid(), 1);
	ck_assert_str_eq(found(NULL, false), "/a/g shared");
	root_remove_path("u/a/g/cgroup.procs");
	ck_assert_str_eq(found(NULL, false), "/a/g shared");
	/* Sessions outlast a job; init's group has the units in it. */
	be_in("/a/session-3.scope", NULL, NULL);
	put_processes("u/a/session-3.scope", getpid(), 0);
	ck_assert_str_eq(found(NULL, false), "/a/session-3.scope shared");
	be_in("/init.scope", NULL, NULL);
	put_processes("u/init.scope", getpid(), 0);
	ck_assert_str_eq(found(NULL, false), "/init.scope shared");
	/* The machine's root has no events; that of a namespace has. */
	be_in("/", NULL, NULL);
	root_put("u/cgroup.procs", "");
	root_remove_path("u/a");
	root_remove_path("u/init.scope");
	ck_assert_str_eq(found(NULL, false), "/ shared");
	put_processes("u", getpid(), 0);
	ck_assert_str_eq(found(NULL, false), "/ alone");
	/* Version 1, where the unified hierarchy's group is everybody's. */
	be_in("/shared", "/v1", NULL);
	put_processes("u/shared", 1, getpid());
	put_processes("cpu/v1", getpid(), 0);
	ck_assert_str_eq(found(NULL, false), "/v1 alone");
}
END_TEST

/* --- accounts ----------------------------------------------------------------------------------- */

/* CPU time of a group, -1 where it is unknown. */
static int64_t used(const char *path)
{
	int64_t us = -7;

	return pm_cgroup_cpu_us(path, &us) == 0 ? us : -1;
}

START_TEST(processor_time)
{
	be_in("/a/b", "/p", NULL);
	ck_assert_int_eq(used("/a"), -1);
	root_put("u/a/cpu.stat", "core_sched.usage_usec 1\nusage_usec 123456\nuser_usec 3\n");
	root_put("cpu/p/cpuacct.usage", "987654321\n");
	ck_assert_int_eq(used("/a"), 123456);
	ck_assert_int_eq(used("/p"), 987654);
	/* Of two of one name that is ours in which we are. */
	root_put("cpu/a/cpuacct.usage", "5000\n");
	root_put("u/p/cpu.stat", "usage_usec 6\n");
	ck_assert_int_eq(used("/a"), 123456);
	ck_assert_int_eq(used("/p"), 987654);
	be_in("/ab", "/a/b", NULL);
	ck_assert_int_eq(used("/a"), 5);
	root_put("cpu/a/cpuacct.usage", "many\n");
	ck_assert_int_eq(used("/a"), 123456);
	root_put("u/a/cpu.stat", "usage_usec\n");
	ck_assert_int_eq(used("/a"), -1);
	/* The whole machine's time is no job's; that of a namespace's root is. */
	be_in("/", "/", NULL);
	root_put("u/cpu.stat", "usage_usec 77\n");
	root_put("cpu/cpuacct.usage", "88000\n");
	ck_assert_int_eq(used("/"), -1);
	root_put("u/cgroup.events", "populated 1\n");
	ck_assert_int_eq(used("/"), 77);
}
END_TEST

/* Kills of a group, -1 where they are unknown. */
static int64_t killed(const char *path, const char *memory)
{
	int64_t n = -7;

	return pm_cgroup_oom_kills(path, memory, &n) == 0 ? n : -1;
}

START_TEST(kills_for_want_of_memory)
{
	be_in("/a", "/a", "/m/job_4/step_2");
	ck_assert_int_eq(killed("/a", NULL), -1);
	root_put("u/a/memory.events", "low 0\nhigh 1\nmax 9\noom 5\noom_kill 3\noom_group_kill 4\n");
	ck_assert_int_eq(killed("/a", NULL), 3);
	root_put("u/memory.events", "oom_kill 8\n");
	ck_assert_int_eq(killed("/", NULL), -1);
	/* In version 1 each group counts its own alone. */
	root_put("memory/m/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
	root_put("memory/m/x/memory.oom_control", "under_oom 0\noom_kill 20\n");
	root_put("memory/m/x/y/memory.oom_control", "under_oom 0\noom_kill 300\n");
	root_put("memory/m/.z/memory.oom_control", "oom_kill 4000\n");
	root_put("memory/m/without/tasks", "1\n");
	ck_assert_int_eq(killed("/nowhere", "/m"), 321);
	ck_assert_int_eq(killed("/nowhere", "/m/x"), 320);
	ck_assert_int_eq(killed("/nowhere", "/m/without"), -1);
	ck_assert_int_eq(killed("/nowhere", NULL), -1);
	root_put("memory/memory.oom_control", "oom_kill 9\n");
	ck_assert_int_eq(killed("/nowhere", "/"), -1);
	/* Version 2 knows it for all that is below. */
	ck_assert_int_eq(killed("/a", "/m"), 3);
}
END_TEST

START_TEST(group_of_memory)
{
	char path[PATH_MAX];

	be_in("/a", "/a", "/slurm/uid_1/job_4/step_2/task_0");
	ck_assert_int_eq(pm_cgroup_memory(path, sizeof path), 0);
	ck_assert_str_eq(path, "/slurm/uid_1/job_4");
	ck_assert_int_eq(pm_cgroup_memory(path, 5), -1);
	be_in("/a", "/a", NULL);
	ck_assert_int_eq(pm_cgroup_memory(path, sizeof path), -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("cgroup");
	TCase *t = tcase_create("cgroup");

	tcase_add_checked_fixture(t, set_up, root_remove);
	tcase_add_test(t, memory_limits);
	tcase_add_test(t, parts_of_a_hierarchy);
	tcase_add_loop_test(t, processor_quotas, 0, sizeof quotas / sizeof quotas[0]);
	tcase_add_test(t, processors);
	tcase_add_test(t, groups_named_after_a_job);
	tcase_add_test(t, groups_of_nobody_else);
	tcase_add_test(t, processor_time);
	tcase_add_test(t, kills_for_want_of_memory);
	tcase_add_test(t, group_of_memory);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
