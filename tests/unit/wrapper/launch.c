/* wrapper/job/launch.c: which variables make programs record themselves, their values, and what to
 * restore. How the arrays for commands are put together is in jobkey.c. */
#include "config.h"

#include "common/bootid.h"
#include "common/handed.h"
#include "common/pidns.h"
#include "common/settings/readconfig.h"
#include "tests/unit/main.h"
#include "wrapper/job/launch.h"
#include "wrapper/metadata/metadata.h"
#include "wrapper/node/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static char library[PATH_MAX];
static const struct pm_cli cli = { .self = "/nowhere/perfmon" };
static struct pm_jobdir job;
static json_t *doc;

static void set(enum pm_setting s, const char *value)
{
	struct pm_err e;

	ck_assert_msg(pm_config_set(s, value, &e) == 0, "%s", e.text);
}

static void set_up(void)
{
	const char *build = getenv("abs_top_builddir");
	struct pm_err e;

	snprintf(library, sizeof library, "%s/libperfmon.so", build ? build : "/nowhere");
	pm_unit_set_up();
	clearenv();
	setenv("HOME", pm_unit_dir, 1);
	ck_assert_int_eq(mkdir("job", 0700), 0);
	ck_assert_msg(pm_jobdir_open("job", &job, &e) == 0, "%s", e.text);
	set(PM_SET_library, library);
	doc = pm_metadata_new();
	pm_metadata_text(doc, PM_JOB_job_jobid, "77");
	pm_metadata_text(doc, PM_JOB_job_array_task, "3");
}

static void tear_down(void)
{
	clearenv();
	setenv("PATH", "/usr/bin:/bin", 1);
	json_decref(doc);
	pm_jobdir_close(&job);
	pm_unit_tear_down();
}

/* The variables, "NAME=VALUE" each, with what to restore behind it where there is something, LIB
 * for the library and JOB for the job's directory; that of the host left out. */
static const char *prepared(void)
{
	static char text[4096];
	struct pm_launch l;
	struct pm_err e;

	ck_assert_msg(pm_launch_prepare(&l, &cli, &job, doc, &e) == 0, "%s", e.text);
	text[0] = '\0';
	for (int i = 0; i < l.count; i++) {
		const struct pm_launch_variable *v = &l.variable[i];
		const char *value = v->value, *at = strstr(value, library);
		size_t n = strlen(text);

		if (strcmp(v->name, "PERFMON_HOST") == 0)
			continue;
		n += (size_t)snprintf(text + n, sizeof text - n, "%s=", v->name);
		if (at)
			snprintf(text + n, sizeof text - n, "%.*sLIB%s", (int)(at - value), value,
				 at + strlen(library));
		else
			snprintf(text + n, sizeof text - n, "%s",
				 strcmp(value, job.path) == 0 ? "JOB" : value);
		n = strlen(text);
		if (v->before)
			n += (size_t)snprintf(text + n, sizeof text - n, " (%s)", v->before);
		snprintf(text + n, sizeof text - n, "\n");
	}
	pm_launch_free(&l);
	return text;
}

/* In a build whose library this is not, as that for another architecture, there is nothing to
 * prepare. */
static bool has_library(void)
{
	return access(library, R_OK) == 0;
}

#define OWN  "PERFMON_OUTPUT=JOB\nPERFMON_JOBID=77_3\nPERFMON_EXE=/nowhere/perfmon\n"
#define ASAN "ASAN_OPTIONS=verify_asan_link_order=0\n"

START_TEST(nothing_set)
{
	if (has_library())
		ck_assert_str_eq(prepared(), OWN ASAN "LD_PRELOAD=LIB\n");
}
END_TEST

/* What commands of the user's have set comes back when it is over. */
START_TEST(what_the_user_has)
{
	if (!has_library())
		return;
	setenv("LD_PRELOAD", "/a.so /b.so", 1);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	setenv("PERFMON_OUTPUT", "/other", 1);
	setenv("PERFMON_EVENTS", "1:0:0:0:0:6:x", 1);
	ck_assert_str_eq(
		prepared(),
		"PERFMON_OUTPUT=JOB (/other)\nPERFMON_JOBID=77_3\nPERFMON_EXE=/nowhere/perfmon\n"
		"PERFMON_EVENTS= (1:0:0:0:0:6:x)\n"
		"ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0 (detect_leaks=0)\n"
		"LD_PRELOAD=/a.so /b.so:LIB (/a.so /b.so)\n");
	/* What the user asks of AddressSanitizer counts. */
	setenv("ASAN_OPTIONS", "verify_asan_link_order=1", 1);
	setenv("LD_PRELOAD", "", 1);
	unsetenv("PERFMON_EVENTS");
	unsetenv("PERFMON_OUTPUT");
	ck_assert_str_eq(prepared(), OWN "LD_PRELOAD=LIB ()\n");
	setenv("ASAN_OPTIONS", "", 1);
	ck_assert_str_eq(prepared(),
			 OWN "ASAN_OPTIONS=verify_asan_link_order=0 ()\nLD_PRELOAD=LIB ()\n");
}
END_TEST

/* What an earlier call set is not the user's. */
START_TEST(once_more)
{
	char list[2 * PATH_MAX];

	if (!has_library())
		return;
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	setenv("PERFMON_OUTPUT", "/earlier", 1);
	setenv("PERFMON_JOBID", "1", 1);
	setenv("PERFMON_EXE", "/x", 1);
	setenv("LD_PRELOAD", library, 1);
	ck_assert_str_eq(prepared(), OWN "LD_PRELOAD=LIB\n");
	snprintf(list, sizeof list, "/a.so:%s", library);
	setenv("LD_PRELOAD", list, 1);
	ck_assert_str_eq(prepared(), OWN "LD_PRELOAD=/a.so:LIB (/a.so)\n");
}
END_TEST

/* Settings travel by the names of today, numbers in plain ones; what is there already does not. */
START_TEST(settings)
{
	if (!has_library())
		return;
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	setenv("PERFMON_TAGS", "old:1", 1);
	setenv("PERFMON_EXCLUDE", "x", 1);
	set(PM_SET_tags, "a:b");
	set(PM_SET_exclude, "x");
	set(PM_SET_include, "*.sh");
	set(PM_SET_args, "none");
	set(PM_SET_options, "PER_PROCESS");
	set(PM_SET_max_bytes, "2M");
	set(PM_SET_args_max, "64k");
	ck_assert_str_eq(prepared(),
			 OWN "PERFMON_OPTIONS=PER_PROCESS\nPERFMON_TAGS=a:b (old:1)\n"
			     "PERFMON_ARGS=none\nPERFMON_INCLUDE=*.sh\n"
			     "PERFMON_MAX_BYTES=2097152\nPERFMON_ARGS_MAX=65536\nLD_PRELOAD=LIB\n");
	/* One that is to be as nobody set it takes the place of what is there. */
	set(PM_SET_tags, "");
	set(PM_SET_include, "");
	set(PM_SET_options, "");
	set(PM_SET_args, "redacted");
	ck_assert_str_eq(prepared(), OWN "PERFMON_TAGS= (old:1)\nPERFMON_MAX_BYTES=2097152\n"
					 "PERFMON_ARGS_MAX=65536\nLD_PRELOAD=LIB\n");
}
END_TEST

START_TEST(facts_of_the_host)
{
	char boot[64], want[512];
	struct pm_launch l;
	struct utsname u;
	struct pm_err e;
	int found = 0, n;

	if (!has_library())
		return;
	ck_assert_int_eq(uname(&u), 0);
	pm_bootid_read(boot);
	n = snprintf(want, sizeof want, "%s:%s:%d", u.nodename, boot,
		     pm_host_delayacct() + 2 * pm_host_gpus());
	if (pm_host_proc_dev())
		snprintf(want + n, sizeof want - (size_t)n, ":%" PRIu64 ":%" PRId64,
			 pm_host_proc_dev(), pm_pidns_own());
	ck_assert_int_eq(pm_launch_prepare(&l, &cli, &job, doc, &e), 0);
	for (int i = 0; i < l.count; i++)
		if (strcmp(l.variable[i].name, "PERFMON_HOST") == 0) {
			ck_assert_str_eq(l.variable[i].value, want);
			found++;
		}
	ck_assert_int_eq(found, boot[0] ? 1 : 0);
	pm_launch_free(&l);
}
END_TEST

START_TEST(no_collector)
{
	struct pm_launch l;
	struct pm_err e;
	char text[PATH_MAX];

	set(PM_SET_library, "/nowhere/x.so");
	ck_assert_int_eq(pm_launch_prepare(&l, &cli, &job, doc, &e), -1);
	ck_assert_str_eq(
		e.text,
		"the collector /nowhere/x.so: No such file or directory; install perfmon, or set "
		"PERFMON_LIBRARY");
	/* A setting counts, whatever is beside the program. */
	ck_assert_str_eq(pm_launch_library("/bin/sh", text, sizeof text), "/nowhere/x.so");
}
END_TEST

/* A setting has the name that the table of what is handed on gives it. */
START_TEST(names_of_settings)
{
#define PM_HANDED(id, rest)
#define PM_HANDED_SETTING(id, rest)                                                                \
	ck_assert_str_eq(pm_setting_info[PM_SET_##id].env, pm_handed_name[PM_HANDED_##id]);
#include "common/safe/handed.def"
#undef PM_HANDED
	ck_assert_str_eq(pm_setting_info[PM_SET_recording].env,
			 pm_handed_name[PM_HANDED_recording]);
	ck_assert_str_eq(pm_handed_name[PM_HANDED_output], "PERFMON_OUTPUT");
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("launch");
	TCase *t = tcase_create("launch");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, nothing_set);
	tcase_add_test(t, what_the_user_has);
	tcase_add_test(t, once_more);
	tcase_add_test(t, settings);
	tcase_add_test(t, facts_of_the_host);
	tcase_add_test(t, no_collector);
	tcase_add_test(t, names_of_settings);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
