/* common/job/slurmstep.c: which job an SLUID is, by what root's slurmstepd calls itself. */
#include "config.h"

#include "common/job/slurmstep.h"

#include "tests/unit/sampler/root.h"

#define GROUP "sys/fs/cgroup/system.slice/slurmstepd.scope/job_s0123456789ABC"

static char id[16];

/* Put a process into a group, with the uids of its status and its title. */
static void put_process(const char *group, const char *pid, const char *uids, const char *title)
{
	char name[300], text[100];

	snprintf(name, sizeof name, GROUP "/%s/cgroup.procs", group);
	snprintf(text, sizeof text, "%s\n", pid);
	root_put(name, text);
	snprintf(name, sizeof name, "proc/%s/cmdline", pid);
	root_put(name, title);
	snprintf(name, sizeof name, "proc/%s/status", pid);
	snprintf(text, sizeof text, "Name:\tx\nUid:\t%s\n", uids);
	root_put(name, text);
}

static const char *told(void)
{
	return pm_slurmstep_job(root, "/" GROUP, id, sizeof id) == 0 ? id : NULL;
}

START_TEST(sluids)
{
	static const char *const none[] = { "4711",
					    "s0123456789AB",
					    "s0123456789ABCD",
					    "S0123456789ABC",
					    "s0123456789abc",
					    "s0123456789AB-",
					    "" };
	struct pm_str s = { "s0123456789ABC", 14 };

	ck_assert(pm_slurmstep_is_sluid(s));
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		s = (struct pm_str){ none[i], strlen(none[i]) };
		ck_assert_msg(!pm_slurmstep_is_sluid(s), "%s", none[i]);
	}
}
END_TEST

START_TEST(by_roots)
{
	ck_assert_ptr_null(told());
	put_process("step_0/user/task_0", "20", "1000\t1000\t1000\t1000", "app");
	ck_assert_ptr_null(told());
	put_process("step_0/slurm", "10", "0\t0\t0\t0", "slurmstepd: [4711.0]");
	ck_assert_str_eq(told(), "4711");
	root_put("proc/10/cmdline", "slurmstepd: [4711.extern]");
	ck_assert_str_eq(told(), "4711");
	ck_assert_int_eq(pm_slurmstep_job(root, "/" GROUP "x", id, sizeof id), -1);
}
END_TEST

/* A set-uid program keeps the real uid of who started it, who chooses its title. */
START_TEST(by_nobody_else)
{
	put_process("step_0/slurm", "10", "1000\t0\t0\t0", "slurmstepd: [4711.0]");
	ck_assert_ptr_null(told());
	put_process("step_0/slurm", "10", "1000\t1000\t1000\t1000", "slurmstepd: [4711.0]");
	ck_assert_ptr_null(told());
}
END_TEST

START_TEST(titles)
{
	static const char *const none[] = { "slurmstepd",
					    "slurmstepd: ",
					    "slurmstepd: [.0]",
					    "slurmstepd: [x.0]",
					    "slurmstepd: [4711]",
					    "slurmstepd: [4711",
					    "sleep [4711.0]",
					    "slurmstepd: [1234567890123456.0]",
					    "" };

	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		put_process("step_0/slurm", "10", "0\t0\t0\t0", none[i]);
		ck_assert_msg(!told(), "%s", none[i]);
	}
	/* The process is gone. */
	root_put(GROUP "/step_0/slurm/cgroup.procs", "11\n12\n");
	ck_assert_ptr_null(told());
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("slurmstep");
	TCase *t = tcase_create("slurmstep");

	tcase_add_checked_fixture(t, root_make, root_remove);
	tcase_add_test(t, sluids);
	tcase_add_test(t, by_roots);
	tcase_add_test(t, by_nobody_else);
	tcase_add_test(t, titles);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
