/* New pids are found, by their order and by listing /proc. */
#include "config.h"

#include "sampler/tree/pids.h"

#include "tests/unit/sampler/root.h"

#include <signal.h>
#include <sys/wait.h>

static struct pm_pids pids;
static int proc_fd;

static void begin_at(const char *prefix)
{
	char path[128];

	snprintf(path, sizeof path, "%s/proc", prefix);
	proc_fd = open(path, O_PATH | O_DIRECTORY);
	PM_SURE(proc_fd >= 0);
	pm_pids_open(&pids, prefix, proc_fd);
}

static void end(void)
{
	pm_pids_close(&pids);
	close(proc_fd);
}

/* How often the pid is among those of the last look. */
static int found(pid_t pid)
{
	int n = 0;

	for (size_t i = 0; i < pids.count; i++)
		n += pids.pid[i] == pid;
	return n;
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	PM_SURE(pid > 0);
	return pid;
}

static void stop_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* More looks than there are between two full ones, with a new child at each. */
START_TEST(children)
{
	begin_at("");
	ck_assert_int_eq(pm_pids_look(&pids), 0);
	ck_assert_int_eq(found(getpid()), 1);
	for (int i = 0; i < 150; i++) {
		pid_t pid = start_child();

		PM_SURE(pm_pids_look(&pids) == 0);
		PM_SURE(found(pid) == 1);
		/* Once more, in case it was not in /proc yet. */
		PM_SURE(pm_pids_look(&pids) == 0);
		PM_SURE(found(pid) == 1);
		stop_child(pid);
	}
	end();
}
END_TEST

/* Where pids are in order, old ones are not looked at again and again. */
START_TEST(old_ones_are_spared)
{
	int spared = 0;

	begin_at("");
	if (pids.countable) {
		for (int i = 0; i < 20; i++) {
			ck_assert_int_eq(pm_pids_look(&pids), 0);
			spared += !found(1);
		}
		ck_assert_int_gt(spared, 0);
	}
	end();
}
END_TEST

START_TEST(recorded)
{
	root_make();
	root_put("proc/7/stat", "");
	root_put("proc/4194304/stat", "");
	root_put("proc/loadavg", "0.00 0.00 0.00 1/2 7\n");
	root_put("proc/8x/stat", "");
	root_put("proc/-9/stat", "");
	root_put("proc/99999999999/stat", "");
	begin_at(root);
	ck_assert_int_eq(pids.countable, false);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(pm_pids_look(&pids), 0);
		ck_assert_uint_eq(pids.count, 2);
		ck_assert_int_eq(found(7), 1);
		ck_assert_int_eq(found(4194304), 1);
	}
	root_put("proc/6/stat", "");
	ck_assert_int_eq(pm_pids_look(&pids), 0);
	ck_assert_uint_eq(pids.count, 3);
	end();
	root_remove();
}
END_TEST

/* Pids that begin again from the low end, and a jump too wide to try each. */
START_TEST(out_of_order)
{
	const pid_t far[] = { INT32_MAX - 1, 1 };

	begin_at("");
	if (pids.countable)
		for (int i = 0; i < 2; i++) {
			ck_assert_int_eq(pm_pids_look(&pids), 0);
			pids.last[0] = pids.last[1] = far[i];
			ck_assert_int_eq(pm_pids_look(&pids), 0);
			if (i == 0) /* all of /proc */
				ck_assert_int_eq(found(1), 1);
			ck_assert_int_eq(found(getpid()), 1);
		}
	end();
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("sampler_pids");
	TCase *t = tcase_create("pids");

	tcase_add_test(t, children);
	tcase_add_test(t, old_ones_are_spared);
	tcase_add_test(t, recorded);
	tcase_add_test(t, out_of_order);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
