/* wrapper/job/find.c: which of a user's jobs a verb is about. Whose metadata is whose is in jobkey.c. */
#include "config.h"

#include "common/bootid.h"
#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/job/job.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/node/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char boot[64], host[256];
static struct pm_cli cli;

static void set_up(void)
{
	char prefix[128];
	struct pm_err e;

	pm_unit_set_up();
	snprintf(prefix, sizeof prefix, "%s/p", pm_unit_dir);
	ck_assert_int_eq(pm_config_set(PM_SET_output_prefix, prefix, &e), 0);
	clearenv();
	setenv("HOME", pm_unit_dir, 1);
	pm_bootid_read(boot);
	pm_jobdir_host(host, sizeof host);
	memset(&cli, 0, sizeof cli);
}

/* What a job is like, beside its name: of which session, begun when, closed, of a run -a. */
enum { HERE = 0, ELSEWHERE = 1, BEFORE = 2, OTHER_BOOT = 4, CLOSED = 8, AUTOMATIC = 16, LEFT = 32, OTHER_HOST = 64 };

/* Make a job in the directory of that name that began at second `time`. */
static void make_as(const char *directory, const char *jobid, const char *scheduler, int kind, int time)
{
	json_t *doc = pm_metadata_new(), *facts;
	long sid = (long)getsid(0);
	char id[32], start[32];
	struct pm_jobdir d;
	struct pm_err e;

	snprintf(id, sizeof id, "%ld", kind & ELSEWHERE ? sid + 1 : sid);
	snprintf(start, sizeof start, "%lld",
		 (long long)pm_host_starttime(sid) + (kind & BEFORE ? 1 : 0));
	facts = json_pack("{s:s,s:s}", "session_id", id, "session_start", start);
	if (kind & (AUTOMATIC | LEFT)) {
		snprintf(id, sizeof id, "%ld", (long)getpid());
		snprintf(start, sizeof start, "%lld",
			 (long long)pm_host_starttime(getpid()) - (kind & LEFT ? 1 : 0));
		json_object_set_new(facts, "runner_pid", json_string(id));
		json_object_set_new(facts, "runner_start", json_string(start));
		pm_metadata_json(doc, PM_JOB_start_command, json_pack("[s]", "true"));
	}
	pm_metadata_json(doc, PM_JOB_job_facts, facts);
	pm_metadata_text(doc, PM_JOB_job_jobid, jobid);
	pm_metadata_text(doc, PM_JOB_job_array_task, "");
	pm_metadata_text(doc, PM_JOB_job_scheduler, scheduler);
	pm_metadata_text(doc, PM_JOB_host_boot_id, kind & OTHER_BOOT ? "another" : boot);
	pm_metadata_int(doc, PM_JOB_start_time_us, time * 1000000LL);
	if (kind & CLOSED)
		pm_metadata_int(doc, PM_JOB_stop_time_us, time * 1000000LL + 1);
	ck_assert_msg(pm_jobdir_create(directory, &d, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_metadata_write(d.fd, kind & OTHER_HOST ? "other" : host, doc, &e), 0);
	pm_jobdir_close(&d);
	json_decref(doc);
}

static void make(const char *name, int kind, int time)
{
	make_as(name, name, "none", kind, time);
}

/* What is found: the directory's name, or "STATUS MESSAGE". */
static const char *found(const char *job, enum pm_job_want want)
{
	static char text[1200];
	struct pm_err e = { "" };
	struct pm_jobdir d;
	int rc;

	cli.value[PM_OPT_job] = job;
	rc = pm_job_find(&cli, want, &d, &e);
	if (rc == 0) {
		ck_assert_int_ge(d.fd, 0);
		ck_assert_str_eq(e.text, "");
		snprintf(text, sizeof text, "%s", d.name);
		pm_jobdir_close(&d);
	} else {
		snprintf(text, sizeof text, "%d %s", rc, e.text);
	}
	return text;
}

#define is(job, want, text) ck_assert_str_eq(found(job, PM_JOB_##want), text)

#define NO_OPEN "1 no job is open; see perfmon start"

START_TEST(jobs_of_a_session)
{
	is(NULL, OPEN, NO_OPEN);
	is(NULL, ANY, "1 no job is open; name one, see perfmon status");
	is(NULL, LAST, "1 no job is open and none is closed; name one, see perfmon status");
	/* Open ones of another session, of a number that came back, of another boot, of a run -a. */
	make("elsewhere", ELSEWHERE, 90);
	/* What a session leader that is gone began, none can tell. */
	if (pm_host_starttime(getsid(0)) >= 0)
		make("before", BEFORE, 90);
	make("boot", OTHER_BOOT, 90);
	make("run", AUTOMATIC, 90);
	is(NULL, OPEN, NO_OPEN);
	is(NULL, LAST, "1 no job is open and none is closed; name one, see perfmon status");
	make("one", HERE | CLOSED, 10);
	is(NULL, OPEN, NO_OPEN);
	is(NULL, ANY, "1 no job is open; name one, see perfmon status");
	is(NULL, LAST, "one");
	/* The newest closed one, of whatever session. */
	make("two", ELSEWHERE | CLOSED, 30);
	make("three", HERE | CLOSED, 20);
	is(NULL, LAST, "two");
	/* An open one comes first. */
	make("four", HERE, 5);
	is(NULL, OPEN, "four");
	is(NULL, ANY, "four");
	is(NULL, LAST, "four");
}
END_TEST

START_TEST(several_open_jobs)
{
	const char *text;

	make("a", HERE, 1);
	make("b", HERE, 2);
	text = found(NULL, PM_JOB_OPEN);
	ck_assert(strcmp(text, "-1 several jobs are open: a, b; choose one with -j") == 0 ||
		  strcmp(text, "-1 several jobs are open: b, a; choose one with -j") == 0);
	is("a", OPEN, "a");
	is("b", OPEN, "b");
}
END_TEST

/* Nobody closes what a killed run -a began: it is told of. */
START_TEST(jobs_that_were_left)
{
	make("left", LEFT, 1);
	is(NULL, OPEN, "1 no job is open in this session; job left was left open by a perfmon run that has died; "
		       "stop it with perfmon -j left stop");
	is("left", OPEN, "left");
}
END_TEST

START_TEST(jobs_by_name)
{
	is("x", OPEN, "1 job x is not open");
	is("x", ANY, "1 job x is not known");
	make("x", ELSEWHERE | CLOSED, 20);
	is("x", OPEN, "1 job x is not open");
	is("x", ANY, "x");
	is("x", LAST, "x");
	/* One of the same name behind it. */
	make_as("x.1", "x", "none", ELSEWHERE | CLOSED, 30);
	make("xy", HERE | CLOSED, 40);
	is("x", ANY, "x.1");
	make_as("x.2", "x", "none", AUTOMATIC | OTHER_BOOT, 10);
	is("x", OPEN, "x.2");
	is("x", ANY, "x.2");
	is("a/b", ANY, "-1 'a/b' cannot be a job id");
	is("", ANY, "-1 '' cannot be a job id");
	/* The metadata of another host do, too. */
	make("y", OTHER_HOST, 1);
	is("y", OPEN, "y");
}
END_TEST

/* In a batch job its own is meant, whoever started it; what is of another batch system is not it. */
START_TEST(jobs_of_a_batch_system)
{
	make("session", HERE, 1);
	setenv("PBS_JOBID", "7.s", 1);
	is(NULL, OPEN, "1 job 7.s is not open");
	make_as("7.s", "7.s", "slurm", ELSEWHERE, 5);
	is(NULL, OPEN, "1 job 7.s is not open");
	make_as("7.s.1", "7.s", "pbs", ELSEWHERE | OTHER_BOOT, 2);
	is(NULL, OPEN, "7.s.1");
	/* -j may name it, too, or another. */
	is("session", OPEN, "session");
	is("7.s.1", ANY, "7.s.1");
}
END_TEST

START_TEST(the_directory_that_is_set)
{
	char path[256];
	struct pm_err e;

	make("one", HERE, 1);
	make("two", HERE, 2);
	make("closed", HERE | CLOSED, 3);
	snprintf(path, sizeof path, "%s/p", pm_unit_dir);
	{
		char user[PATH_MAX];
		int fd = pm_jobdir_user(user, &e);

		ck_assert_int_ge(fd, 0);
		close(fd);
		snprintf(path, sizeof path, "%.200s/two", user);
		ck_assert_int_eq(pm_config_set(PM_SET_output, path, &e), 0);
		is(NULL, OPEN, "two");
		is("one", OPEN, "one");
		snprintf(path, sizeof path, "%.200s/closed", user);
		ck_assert_int_eq(pm_config_set(PM_SET_output, path, &e), 0);
		is(NULL, ANY, "closed");
		is(NULL, LAST, "closed");
		ck_assert_int_eq(strncmp(found(NULL, PM_JOB_OPEN), "-1 several", 10), 0);
		/* What is no job's is not meant. */
		ck_assert_int_eq(pm_config_set(PM_SET_output, user, &e), 0);
		ck_assert_int_eq(strncmp(found(NULL, PM_JOB_ANY), "-1 several", 10), 0);
	}
}
END_TEST

/* --- names -------------------------------------------------------------------------------------- */

START_TEST(names_of_jobs)
{
	char name[PM_JOB_NAME_MAX], longest[PM_JOB_NAME_MAX + 1];
	const struct pm_sched *sched;
	struct pm_ident id;
	struct pm_err e;

	ck_assert_int_eq(pm_job_identify(&cli, &id, &sched, name, &e), 0);
	ck_assert_str_eq(name, "");
	ck_assert_ptr_null(id.jobid);
	setenv("PBS_JOBID", "../7\n\x7f.s", 1);
	ck_assert_int_eq(pm_job_identify(&cli, &id, &sched, name, &e), 0);
	ck_assert_str_eq(name, "_._7__.s");
	/* Its own name is the batch system's job; another one is the user's. */
	setenv("PBS_JOBID", "7.s", 1);
	cli.value[PM_OPT_job] = "7.s";
	ck_assert_int_eq(pm_job_identify(&cli, &id, &sched, name, &e), 0);
	ck_assert_str_eq(id.scheduler, "pbs");
	cli.value[PM_OPT_job] = "mine";
	ck_assert_int_eq(pm_job_identify(&cli, &id, &sched, name, &e), 0);
	ck_assert(sched == &pm_sched_none && strcmp(name, "mine") == 0 && strcmp(id.jobid, "mine") == 0);
	ck_assert_str_eq(id.scheduler, "none");
	cli.value[PM_OPT_job] = NULL;
	memset(longest, 'x', sizeof longest);
	longest[PM_JOB_NAME_MAX] = '\0';
	setenv("PBS_JOBID", longest, 1);
	ck_assert_int_eq(pm_job_identify(&cli, &id, &sched, name, &e), -1);
	ck_assert_str_eq(e.text, "the job id of pbs is too long");
	longest[PM_JOB_NAME_MAX - 1] = '\0';
	setenv("PBS_JOBID", longest, 1);
	ck_assert_int_eq(pm_job_identify(&cli, &id, &sched, name, &e), 0);
	ck_assert_str_eq(name, longest);
}
END_TEST

START_TEST(locks)
{
	struct pm_jobdir d, other;
	struct pm_err e;

	make("one", HERE, 1);
	cli.value[PM_OPT_job] = "one";
	ck_assert_int_eq(pm_job_find(&cli, PM_JOB_ANY, &d, &e), 0);
	ck_assert_int_eq(pm_job_find(&cli, PM_JOB_ANY, &other, &e), 0);
	ck_assert_int_eq(pm_job_lock(&d, &e), 0);
	ck_assert_int_lt(flock(other.fd, LOCK_EX | LOCK_NB), 0);
	pm_job_unlock(&d);
	ck_assert_int_eq(pm_job_lock(&other, &e), 0);
	ck_assert_int_lt(flock(d.fd, LOCK_SH | LOCK_NB), 0);
	pm_jobdir_close(&other);
	ck_assert_int_eq(pm_job_lock(&d, &e), 0);
	pm_jobdir_close(&d);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("find");
	TCase *t = tcase_create("find");

	tcase_add_checked_fixture(t, set_up, pm_unit_tear_down);
	tcase_add_test(t, jobs_of_a_session);
	tcase_add_test(t, several_open_jobs);
	tcase_add_test(t, jobs_that_were_left);
	tcase_add_test(t, jobs_by_name);
	tcase_add_test(t, jobs_of_a_batch_system);
	tcase_add_test(t, the_directory_that_is_set);
	tcase_add_test(t, names_of_jobs);
	tcase_add_test(t, locks);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
