/* submit/sacctline.c: lines of sacct, of several versions of Slurm, and damaged ones. */
#include "config.h"

#include "submit/sacctline.h"
#include "tests/unit/main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pm_sacct_header h;
static struct pm_sacct_job job;
static struct pm_err e;

static void header(const char *line)
{
	ck_assert_msg(pm_sacct_header(&h, line, &e) == 0, "%s", e.text);
}

START_TEST(a_job)
{
	ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
	header("Account|JobID|State|Timelimit|ReqMem|NNodes|Submit|Cluster|User");
	ck_assert_int_eq(
		pm_sacct_line(&job, &h,
			      "a|4711_3|CANCELLED by 1000|1-02:03:04|16G|2|2026-11-20T08:00:00|"
			      "big|anna"),
		1);
	ck_assert_str_eq(job.jobid, "4711_3");
	ck_assert_str_eq(job.state, "CANCELLED");
	ck_assert_int_eq(job.timelimit_s, 93784);
	ck_assert_int_eq(job.memory_node_mb, 8192);
	ck_assert_int_eq(job.memory_cpu_mb, -1);
	ck_assert_int_eq(job.submit_us, 1795161600000000);
	ck_assert_str_eq(job.cluster, "big");
	ck_assert_str_eq(job.user, "anna");
}
END_TEST

static const struct {
	const char *limit, *memory;
	int64_t timelimit_s, node, cpu;
} values[] = {
	{ "01:00:00", "4000M", 3600, 4000, -1 },
	{ "10:30", "4000Mn", 630, 4000, -1 },
	{ "UNLIMITED", "2Gc", -1, -1, 2048 },
	{ "Partition_Limit", "0n", -1, -1, -1 },
	{ "", "", -1, -1, -1 },
	{ "1-00:00", "512000K", 86400, 500, -1 },
	{ "-1:00", "1.5T", -1, 1572864, -1 },
	{ "1:2:3x", "4000MB", -1, -1, -1 },
	{ "99999-00:00:00", "1e30G", 8639913600, -1, -1 },
	{ "999999-00:00:00", "nan", -1, -1, -1 },
	{ "365-00:00:00", "4096", 31536000, 4096, -1 },
};

START_TEST(limits_and_memory)
{
	char line[128];

	header("JobID|Timelimit|ReqMem|NNodes");
	snprintf(line, sizeof line, "7|%s|%s|1", values[_i].limit, values[_i].memory);
	ck_assert_int_eq(pm_sacct_line(&job, &h, line), 1);
	ck_assert_int_eq(job.timelimit_s, values[_i].timelimit_s);
	ck_assert_int_eq(job.memory_node_mb, values[_i].node);
	ck_assert_int_eq(job.memory_cpu_mb, values[_i].cpu);
}
END_TEST

/* Memory of a job on an unknown number of nodes says nothing of one. */
START_TEST(memory_of_unknown_nodes)
{
	header("JobID|ReqMem");
	ck_assert_int_eq(pm_sacct_line(&job, &h, "7|4G"), 1);
	ck_assert_int_eq(job.memory_node_mb, -1);
	ck_assert_int_eq(pm_sacct_line(&job, &h, "7|4Gn"), 1);
	ck_assert_int_eq(job.memory_node_mb, 4096);
}
END_TEST

START_TEST(other_lines)
{
	static const char *const none[] = { "", "4711.batch|x", "4711.0|x", "4711_3.extern|x" };
	static const char *const wrong[] = { "|x",    "x",    "4711_|x", "4711_x|x",
					     "47 11", "-5|x", "4711_3_4" };
	char text[4096];

	ck_assert_int_eq(pm_sacct_header(&h, "State|Job", &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "names no column JobID"));
	header("jobid|State");
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		ck_assert_int_eq(pm_sacct_line(&job, &h, none[i]), 0);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		ck_assert_int_eq(pm_sacct_line(&job, &h, wrong[i]), -1);
	ck_assert_int_eq(pm_sacct_line(&job, &h, "4711+2"), 1); /* a short line */
	ck_assert_str_eq(job.state, "");
	memset(text, 'S', sizeof text);
	memcpy(text, "4711|", 5);
	text[sizeof text - 1] = '\0';
	ck_assert_int_eq(pm_sacct_line(&job, &h, text), 1);
	ck_assert_uint_eq(strlen(job.state), PM_SACCT_TEXT - 1);
}
END_TEST

START_TEST(times)
{
	header("JobID|Submit");
	ck_assert_int_eq(pm_sacct_line(&job, &h, "7|1795161600"), 1);
	ck_assert_int_eq(job.submit_us, 1795161600000000);
	ck_assert_int_eq(pm_sacct_line(&job, &h, "7|Unknown"), 1);
	ck_assert_int_eq(job.submit_us, -1);
	ck_assert_int_eq(pm_sacct_line(&job, &h, "7|99999999999999999"), 1);
	ck_assert_int_eq(job.submit_us, -1);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_sacct");
	TCase *t = tcase_create("sacct");

	tcase_add_test(t, a_job);
	tcase_add_loop_test(t, limits_and_memory, 0, (int)(sizeof values / sizeof values[0]));
	tcase_add_test(t, memory_of_unknown_nodes);
	tcase_add_test(t, other_lines);
	tcase_add_test(t, times);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
