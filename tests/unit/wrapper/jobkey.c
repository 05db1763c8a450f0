/*
 * Small decisions of wrapper/: which metadata is that of a job, what its name says, how it ended,
 * which shell a name is, what an error of the kernel means, and what becomes of the environment of
 * commands.
 */
#include "config.h"

#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/events/tryopen.h"
#include "wrapper/job/job.h"
#include "wrapper/job/launch.h"
#include "wrapper/job/outcome.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/metadata/nametags.h"
#include "wrapper/process/child.h"
#include "wrapper/process/shell.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the job's key ------------------------------------------------------------------------------ */

/* Metadata "SCHEDULER CLUSTER JOBID TASK RESTARTS EPOCH ELEMENT", - for what is not there; a P
 * behind it for what only steps without the job's environment wrote. */
static json_t *metadata(const char *text)
{
	char f[8][32] = { "" };
	json_t *doc = pm_metadata_new(), *facts = json_object();

	sscanf(text, "%31s %31s %31s %31s %31s %31s %31s %31s", f[0], f[1], f[2], f[3], f[4], f[5],
	       f[6], f[7]);
	for (int i = 0; i < 8; i++)
		if (strcmp(f[i], "-") == 0)
			f[i][0] = '\0';
	pm_metadata_text(doc, PM_JOB_job_scheduler, f[0]);
	pm_metadata_text(doc, PM_JOB_job_cluster, f[1]);
	pm_metadata_text(doc, PM_JOB_job_jobid, f[2]);
	pm_metadata_text(doc, PM_JOB_job_array_task, f[3]);
	if (f[4][0])
		pm_metadata_int(doc, PM_JOB_job_restart_count, atoi(f[4]));
	if (f[5][0])
		pm_metadata_int(doc, PM_JOB_job_epoch_us, atoi(f[5]));
	if (f[6][0])
		json_object_set_new(facts, "element_id", json_string(f[6]));
	if (f[7][0])
		json_object_set_new(facts, PM_JOB_PARTIAL, json_string("yes"));
	pm_metadata_json(doc, PM_JOB_job_facts, facts);
	return doc;
}

/* A whole identity: of an element of an array, restarted once. */
static const struct pm_ident whole = { .scheduler = "slurm",
				       .cluster = "c4",
				       .jobid = "90",
				       .array_task = "3",
				       .restart_count = 1,
				       .epoch_us = 500,
				       .element = "93" };
/* What a step has whose srun had nothing. */
static const struct pm_ident partial = {
	.scheduler = "slurm", .jobid = "93", .restart_count = 0, .element = "93"
};

static const struct key {
	const char *text;
	bool is_whole, is_partial;
} keys[] = {
	{ "slurm c4 90 3 1 500 93", true, true },
	{ "slurm - 90 3 1 500 93", true, true },
	{ "slurm c5 90 3 1 500 93", false, true },
	{ "pbs c4 90 3 1 500 93", false, false },
	{ "slurm c4 90 4 1 500 94", false, false },
	{ "slurm c4 91 3 1 500 94", false, false },
	{ "slurm c4 90 - 1 500 90", false, false },
	{ "slurm c4 90 3 1 500 -", true, false },
	{ "slurm c4 90 3 2 500 93", false, true },
	{ "slurm c4 90 3 - 500 93", false, true },
	{ "slurm c4 90 3 1 501 93", false, true },
	{ "slurm c4 90 3 1 - 93", false, true },
	{ "slurm - 93 - 0 500 93 P", true, true },
	{ "slurm - 93 - 0 500 - P", false, true },
	{ "slurm - 94 - 0 500 94 P", false, false },
};

START_TEST(same_job)
{
	const struct key *k = &keys[_i];
	json_t *doc = metadata(k->text);

	setenv("SLURM_CLUSTER_NAME", "c4", 1);
	ck_assert(!pm_job_is_partial(&whole));
	ck_assert_msg(pm_job_is_same(doc, &whole) == k->is_whole, "%s", k->text);
	unsetenv("SLURM_CLUSTER_NAME");
	ck_assert(pm_job_is_partial(&partial));
	ck_assert_msg(pm_job_is_same(doc, &partial) == k->is_partial, "%s", k->text);
	json_decref(doc);
}
END_TEST

START_TEST(completed)
{
	json_t *doc = metadata("slurm - 93 - 0 - 93 P"), *was = json_deep_copy(doc);
	struct pm_ident id = whole;

	unsetenv("SLURM_CLUSTER_NAME");
	ck_assert(!pm_job_complete(doc, &partial));
	ck_assert(json_equal(doc, was));
	setenv("SLURM_CLUSTER_NAME", "c4", 1);
	id.restart_count = -1;
	ck_assert(pm_job_complete(doc, &id));
	ck_assert_str_eq(pm_metadata_get_text(doc, PM_JOB_job_cluster), "c4");
	ck_assert_str_eq(pm_metadata_get_text(doc, PM_JOB_job_jobid), "90");
	ck_assert_str_eq(pm_metadata_get_text(doc, PM_JOB_job_array_task), "3");
	ck_assert_int_eq(pm_metadata_get_int(doc, PM_JOB_job_restart_count, -1), 0);
	ck_assert_ptr_null(json_object_get(pm_metadata_get(doc, PM_JOB_job_facts), PM_JOB_PARTIAL));
	/* What is whole stays as it is. */
	ck_assert(!pm_job_complete(doc, &whole));
	ck_assert_int_eq(pm_metadata_get_int(doc, PM_JOB_job_restart_count, -1), 0);
	json_decref(doc);
	ck_assert(pm_job_complete(was, &whole));
	ck_assert_int_eq(pm_metadata_get_int(was, PM_JOB_job_restart_count, -1), 1);
	json_decref(was);
	/* A cluster alone is missing, or is another one. */
	doc = metadata("slurm - 90 3 1 500 93");
	ck_assert(pm_job_complete(doc, &whole));
	ck_assert_str_eq(pm_metadata_get_text(doc, PM_JOB_job_cluster), "c4");
	id.cluster = "c5";
	ck_assert(!pm_job_complete(doc, &id));
	ck_assert_str_eq(pm_metadata_get_text(doc, PM_JOB_job_cluster), "c4");
	json_decref(doc);
}
END_TEST

START_TEST(directories)
{
	static const struct {
		const char *directory;
		bool may;
	} names[] = {
		{ "90_3", true },    { "90_3.2", true }, { "93", true },  { "93.12", true },
		{ "90_4", false },   { "90", false },    { "9", false },  { "90_33", false },
		{ "90_3.x", false }, { "903", false },   { "94", false },
	};

	setenv("SLURM_CLUSTER_NAME", "c4", 1);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		ck_assert_msg(pm_job_may_be_in(names[i].directory, "90_3", &whole) == names[i].may,
			      "%s", names[i].directory);
	unsetenv("SLURM_CLUSTER_NAME");
	/* The directory may have the name of an array that the step does not know. */
	ck_assert(pm_job_may_be_in("90_3", "93", &partial));
}
END_TEST

START_TEST(displayed)
{
	char id[PM_JOB_NAME_MAX], jobid[300];
	json_t *doc = metadata("slurm c4 90 3 1 500 93");

	pm_job_display_id(doc, id);
	ck_assert_str_eq(id, "90_3");
	pm_metadata_text(doc, PM_JOB_job_array_task, "");
	pm_metadata_text(doc, PM_JOB_job_jobid, ".a/.b\n\x7f");
	pm_job_display_id(doc, id);
	ck_assert_str_eq(id, "_a_.b__");
	memset(jobid, 'x', sizeof jobid);
	jobid[PM_JOB_NAME_MAX - 1] = '\0';
	pm_metadata_text(doc, PM_JOB_job_jobid, jobid);
	pm_job_display_id(doc, id);
	ck_assert_str_eq(id, jobid);
	jobid[PM_JOB_NAME_MAX - 1] = 'x';
	jobid[PM_JOB_NAME_MAX] = '\0';
	pm_metadata_text(doc, PM_JOB_job_jobid, jobid);
	pm_job_display_id(doc, id);
	ck_assert_str_eq(id, "unknown");
	json_decref(doc);
}
END_TEST

/* --- what a name says --------------------------------------------------------------------------- */

static const struct named {
	const char *patterns, *name, *want; /* the tags, or what is wrong */
	int rc;
} named[] = {
	{ "{a}_{b}", "x_y", "{\"a\":\"x\",\"b\":\"y\"}", 0 },
	{ "{a}_{b}", "x_y_z", "{\"a\":\"x_y\",\"b\":\"z\"}", 0 },
	{ "{a}_{b}", "x_", "{}", 0 },
	{ "{a}_{b}", "xy", "{}", 0 },
	{ "x{a:[0-9]{2}}", "x12", "{\"a\":\"12\"}", 0 },
	{ "x{a:[0-9]{2}}", "x123", "{}", 0 },
	{ "x{a:[0-9]{2}}", "wx12", "{}", 0 },
	{ "x{a:[0-9]*}y", "xy", "{\"a\":\"\"}", 0 },
	{ "a.c", "abc", "{}", 0 },
	{ "a.c{n}", "a.cd", "{\"n\":\"d\"}", 0 },
	{ "a+[b](c)*?^$|\\{n}", "a+[b](c)*?^$|\\d", "{\"n\":\"d\"}", 0 },
	{ "q{n} \t {m}z  {k}", "az", "{\"m\":\"a\"}", 0 },
	{ "{n}z {m}", "az", "{\"n\":\"a\"}", 0 },
	{ "", "az", "{}", 0 },
	{ "{n", "az", "a '{' without its '}' in '{n'", -1 },
	{ "{}", "az", "a field without a name in '{}'", -1 },
	{ "{:x}", "az", "a field without a name in '{:x}'", -1 },
	{ "{n:(x)}", "az", "a group in '{n:(x)}'", -1 },
	{ "{n:[}", "az", "not a regular expression in '{n:[}'", -1 },
	{ "{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}{q}", "az",
	  "too many or overlong fields in '{q}'", -1 },
	{ "{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}{l}{m}{n}{o}{p}", "az", "{}", 0 },
};

START_TEST(names)
{
	const struct named *n = &named[_i];
	char bad[256] = "", *text;
	json_t *tags = json_object();

	ck_assert_int_eq(pm_nametags_set(tags, n->patterns, n->name, bad), n->rc);
	text = json_dumps(tags, JSON_COMPACT | JSON_SORT_KEYS);
	ck_assert_str_eq(n->rc ? bad : text, n->want);
	free(text);
	/* The next one is tried all the same. */
	if (n->rc) {
		char more[128];

		snprintf(more, sizeof more, "%s {all}", n->patterns);
		ck_assert_int_eq(pm_nametags_set(tags, more, n->name, bad), -1);
		ck_assert_str_eq(json_string_value(json_object_get(tags, "all")), n->name);
	}
	json_decref(tags);
}
END_TEST

START_TEST(long_names)
{
	char pattern[80], name[1026], bad[256] = "";
	json_t *tags = json_object();

	for (int n = 63; n <= 64; n++) {
		snprintf(pattern, sizeof pattern, "{%.*s}", n,
			 "n234567890123456789012345678901234567890123456789012345678901234");
		ck_assert_int_eq(pm_nametags_set(tags, pattern, "x", bad), n == 63 ? 0 : -1);
		ck_assert_uint_eq(json_object_size(tags), 1);
	}
	for (size_t n = 1024; n <= 1025; n++) {
		json_object_clear(tags);
		memset(name, 'x', n);
		name[n] = '\0';
		ck_assert_int_eq(pm_nametags_set(tags, "{a}", name, bad), 0);
		ck_assert_uint_eq(json_object_size(tags), n == 1024);
		ck_assert_int_eq(pm_nametags_set(tags, name, "x", bad), n == 1024 ? 0 : -1);
	}
	json_decref(tags);
}
END_TEST

/* --- endings, shells ------------------------------------------------------------------------------ */

START_TEST(words_for_endings)
{
	static const struct {
		int signal;
		const char *word, *status; /* ended by it; 128 and it as exit status */
	} endings[] = {
		{ SIGKILL, "killed", "killed" },      { SIGXCPU, "cpu-limit", "cpu-limit" },
		{ SIGSEGV, "crash", "crash" },        { SIGXFSZ, "file-limit", "file-limit" },
		{ SIGBUS, "crash", "crash" },         { SIGILL, "crash", "crash" },
		{ SIGFPE, "crash", "crash" },         { SIGABRT, "crash", "crash" },
		{ SIGSYS, "crash", "crash" },         { SIGTRAP, "crash", "crash" },
		{ SIGTERM, "asked", "asked" },        { SIGINT, "asked", "asked" },
		{ SIGHUP, "asked", "asked" },         { SIGQUIT, "asked", "asked" },
		{ SIGUSR1, "asked", "asked" },        { SIGUSR2, "asked", "asked" },
		{ SIGALRM, "asked", "asked" },        { SIGPIPE, "signal", "failure" },
		{ SIGVTALRM, "signal", "failure" },
	};

	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
		int sig = endings[i].signal;

		ck_assert_str_eq(pm_outcome_reason(sig, -1), endings[i].word);
		ck_assert_str_eq(pm_outcome_reason((128 + sig) << 8, 0), endings[i].status);
		ck_assert_str_eq(pm_outcome_reason(sig << 8, 0), "failure");
		ck_assert_int_eq(pm_child_exit_status(sig), 128 + sig);
		ck_assert_int_eq(pm_child_exit_status(sig << 8), sig);
	}
	ck_assert_str_eq(pm_outcome_reason(1 << 8, 0), "failure");
	ck_assert_str_eq(pm_outcome_reason(0, 0), "success");
}
END_TEST

START_TEST(shells)
{
	static const struct {
		const char *name;
		int family; /* -1: none */
		bool is_bash;
	} known[] = {
		{ "sh", PM_SHELL_SH, false },
		{ "/usr/bin/bash", PM_SHELL_SH, true },
		{ "bash-5.2", PM_SHELL_SH, true },
		{ "bash4", PM_SHELL_SH, true },
		{ "rbash", PM_SHELL_SH, true },
		{ "bash-static", PM_SHELL_SH, true },
		{ "zsh-5.9", PM_SHELL_SH, false },
		{ "ksh", PM_SHELL_SH, false },
		{ "mksh", PM_SHELL_SH, false },
		{ "dash", PM_SHELL_SH, false },
		{ "busybox", PM_SHELL_SH, false },
		{ "csh", PM_SHELL_CSH, false },
		{ "tcsh", PM_SHELL_CSH, false },
		{ "bsd-csh", PM_SHELL_CSH, false },
		{ "fish", PM_SHELL_FISH, false },
		{ "/x/fish-3.1", PM_SHELL_FISH, false },
		{ "bashful", -1, false },
		{ "fisher", -1, false },
		{ "", -1, false },
		{ "/bin/", -1, false },
		{ "xsh", -1, false },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		struct pm_shell_found found = { PM_SHELL_SH, false };
		struct pm_err e;
		int rc = pm_shell_named(known[i].name, &found, &e);

		ck_assert_msg(rc == (known[i].family < 0 ? -1 : 0), "%s", known[i].name);
		ck_assert_msg(rc < 0 || (int)found.family == known[i].family, "%s", known[i].name);
		ck_assert_msg(rc < 0 || found.is_bash == known[i].is_bash, "%s", known[i].name);
	}
}
END_TEST

/* What an error of perf_event_open(2) means, and for whom: hardware events, others. */
START_TEST(trials)
{
	static const struct {
		int error;
		enum pm_tryopen_state state;
		const char *hardware, *other; /* in what is said */
	} errors[] = {
		{ ENOENT, PM_TRYOPEN_UNSUPPORTED, "no hardware counters", "does not support it" },
		{ ENODEV, PM_TRYOPEN_UNSUPPORTED, "no hardware counters", "does not support it" },
		{ ENXIO, PM_TRYOPEN_UNSUPPORTED, "do not support it", "does not support it" },
		{ EOPNOTSUPP, PM_TRYOPEN_UNSUPPORTED, "counters of this machine cannot", "kernel cannot" },
		{ EINVAL, PM_TRYOPEN_UNSUPPORTED, "counts a CPU", "refuses it" },
		{ EACCES, PM_TRYOPEN_DENIED, "", "" },
		{ EPERM, PM_TRYOPEN_DENIED, "", "" },
		{ ENOSYS, PM_TRYOPEN_DENIED, "", "" },
		{ ENOSPC, PM_TRYOPEN_LIMITED, "all counters", "breakpoint registers" },
		{ EBUSY, PM_TRYOPEN_LIMITED, "another program uses", "it is in use" },
		{ EMFILE, PM_TRYOPEN_LIMITED, "ulimit -n", "ulimit -n" },
		{ ENFILE, PM_TRYOPEN_LIMITED, "system has no", "system has no" },
		{ ENOMEM, PM_TRYOPEN_LIMITED, "no memory", "no memory" },
		{ E2BIG, PM_TRYOPEN_UNSUPPORTED, "too old", "too old" },
		{ EIO, PM_TRYOPEN_UNSUPPORTED, "nput/output error", "nput/output error" },
	};
	static const __u32 others[] = { PERF_TYPE_SOFTWARE, PERF_TYPE_BREAKPOINT,
					PERF_TYPE_TRACEPOINT };
	char why[PM_TRYOPEN_WHY_MAX];
	struct pm_event event;

	memset(&event, 0, sizeof event);
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		ck_assert_int_eq(pm_tryopen_state(errors[i].error), errors[i].state);
		event.type = PERF_TYPE_HARDWARE;
		pm_tryopen_explain(why, &event, errors[i].error);
		ck_assert_msg(strstr(why, errors[i].hardware), "%s", why);
		for (size_t k = 0; k < 3; k++) {
			event.type = others[k];
			pm_tryopen_explain(why, &event, errors[i].error);
			ck_assert_msg(strstr(why, errors[i].other), "%s", why);
		}
	}
}
END_TEST

/* --- environments --------------------------------------------------------------------------------- */

static void same_list(char **got, const char *want)
{
	char text[1024] = "";

	for (char **p = got; p && *p; p++) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", *p);
	}
	ck_assert_str_eq(got ? text : "NULL", want);
	free(got);
}

START_TEST(environments)
{
	struct pm_launch l = { .count = 2 };

	clearenv();
	setenv("A", "1", 1);
	setenv("BB", "2", 1);
	setenv("B", "3", 1);
	setenv("LD_PRELOAD", "/x.so", 1);
	l.variable[0] = (struct pm_launch_variable){ .name = "B", .value = (char *)"new" };
	l.variable[1] = (struct pm_launch_variable){ .name = "C", .value = (char *)"" };
	same_list(pm_launch_environ(&l), "A=1 BB=2 LD_PRELOAD=/x.so B=new C=");
	same_list(pm_launch_helper_environ(), "A=1 BB=2 B=3");
	unsetenv("LD_PRELOAD");
	same_list(pm_launch_helper_environ(), "A=1 BB=2 B=3");
}
END_TEST

START_TEST(unrecorded_commands)
{
	static const struct {
		const char *list, *want;
	} lists[] = {
		{ "/l/p.so", "A=1" },
		{ "/a.so:/l/p.so", "A=1 LD_PRELOAD=/a.so" },
		{ "/l/p.so:/a.so", "A=1 LD_PRELOAD=/a.so" },
		{ "/a.so /l/p.so:/b.so", "A=1 LD_PRELOAD=/a.so:/b.so" },
		{ "/l/p.so:/l/p.so", "A=1" },
		{ "/a.so", "NULL" },
		{ "/l/p.so2:/k/l/p.so", "NULL" },
		{ "", "NULL" },
	};
	const struct pm_cli cli = { .self = "/nowhere/perfmon" };
	struct pm_err e;
	char *text;

	clearenv();
	PM_SURE(pm_config_set(PM_SET_library, "/l/p.so", &e) == 0);
	ck_assert_ptr_null(pm_launch_bare_environ(&cli, &text));
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		clearenv();
		setenv("A", "1", 1);
		setenv("LD_PRELOAD", lists[i].list, 1);
		same_list(pm_launch_bare_environ(&cli, &text), lists[i].want);
		free(text);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("jobkey");
	TCase *c = tcase_create("jobkey");

	tcase_add_loop_test(c, same_job, 0, sizeof keys / sizeof keys[0]);
	tcase_add_test(c, completed);
	tcase_add_test(c, directories);
	tcase_add_test(c, displayed);
	tcase_add_loop_test(c, names, 0, sizeof named / sizeof named[0]);
	tcase_add_test(c, long_names);
	tcase_add_test(c, words_for_endings);
	tcase_add_test(c, shells);
	tcase_add_test(c, trials);
	tcase_add_test(c, environments);
	tcase_add_test(c, unrecorded_commands);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
