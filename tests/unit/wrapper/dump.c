/* wrapper/dump/dump.c, dump_key.c: metadata as lines, and single values by both of their names. */
#include "config.h"

#include "tests/unit/main.h"
#include "wrapper/dump/dump.h"
#include "wrapper/metadata/metadata.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char one[] =
	"{'format':'perfmon-job-1','version':'1','job':{"
	"'jobid':'77','name':'ocean','script':'/s/job.sh','user':'ann','groups':['g1','g2'],"
	"'submit_us':1699999400000001,'facts':{'nodelist':'n[1-2]'},'array_task':'',"
	"'tags':{'exp_name':'CM4','exp_component':'atmos','exp_time':'0005','b':'x'},"
	"'annotations':{'note':'two\\nlines','a':'1'}},"
	"'host':{'hostname':'h1','memory_kb':16000},"
	"'start':{'time_us':1700000000000000,'monotonic_us':5,"
	"'environment':{'PATH':'/bin','A':'1','LANG':'C'}},"
	"'stop':{'time_us':1700000060500000,'exit_status':3,'exit_reason':'failure',"
	"'environment_changes':{'A':null,'B':'2'},'records':0},"
	"'events':["
	"{'name':'cycles','state':'ok','domain':'user'},"
	"{'name':'L1','state':'denied','reason':'EACCES','domain':'all','why':'may not'},"
	"{'name':'D','state':'ok','domain':'user','terms':['x','y'],'formula':'N0 N1 +'},"
	"{'name':'E','state':'ok','domain':'user','terms':['z']}]}";

static const char lines[] = "annotations.a 1\n"
			    "annotations.note two\\nlines\n"
			    "array_task \n"
			    "events.cycles ok (user)\n"
			    "events.L1 denied (EACCES): may not\n"
			    "events.D ok (user); N0 N1 + of x, y\n"
			    "events.E ok (user); z\n"
			    "facts.nodelist n[1-2]\n"
			    "groups.0 g1\n"
			    "groups.1 g2\n"
			    "hostname h1\n"
			    "jobid 77\n"
			    "memory_kb 16000\n"
			    "name ocean\n"
			    "script /s/job.sh\n"
			    "start_environment.A 1\n"
			    "start_environment.LANG C\n"
			    "start_environment.PATH /bin\n"
			    "start_monotonic_us 5\n"
			    "start_time_us 2023-11-14T22:13:20.000000Z\n"
			    "stop_environment_changes.A (unset)\n"
			    "stop_environment_changes.B 2\n"
			    "stop_exit_reason failure\n"
			    "stop_exit_status 3\n"
			    "stop_records 0\n"
			    "stop_time_us 2023-11-14T22:14:20.500000Z\n"
			    "submit_us 2023-11-14T22:03:20.000001Z\n"
			    "tags.b x\n"
			    "tags.exp_component atmos\n"
			    "tags.exp_name CM4\n"
			    "tags.exp_time 0005\n"
			    "user ann\n";

/* A document, whose texts have ' for ". */
static json_t *parse(const char *text)
{
	char *copy = strdup(text);
	json_error_t why;
	json_t *doc;

	for (char *p = copy; (p = strchr(p, '\'')) != NULL;)
		*p = '"';
	doc = json_loads(copy, 0, &why);
	ck_assert_msg(doc != NULL, "%s", why.text);
	free(copy);
	return doc;
}

static int said = -1, output;

/* Standard output goes into a file up to end_output(). */
static void begin_output(void)
{
	fflush(stdout);
	output = dup(STDOUT_FILENO);
	said = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
	ck_assert(output >= 0 && said >= 0 && dup2(said, STDOUT_FILENO) >= 0);
}

static const char *end_output(void)
{
	static char text[8192];
	ssize_t n;

	fflush(stdout);
	dup2(output, STDOUT_FILENO);
	close(output);
	n = pread(said, text, sizeof text - 1, 0);
	close(said);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

START_TEST(whole_documents)
{
	json_t *doc = parse(one);
	const char *text;

	begin_output();
	pm_dump_lines(doc, NULL);
	ck_assert_str_eq(end_output(), lines);
	begin_output();
	pm_dump_lines(doc, "h 1\n");
	text = end_output();
	for (const char *p = lines; *p; p += strcspn(p, "\n") + 1) {
		ck_assert(strncmp(text, "h 1\\n ", 6) == 0);
		text += 6;
		ck_assert_msg(strncmp(text, p, strcspn(p, "\n") + 1) == 0, "%s", text);
		text += strcspn(text, "\n") + 1;
	}
	ck_assert_str_eq(text, "");
	json_decref(doc);
}
END_TEST

/* Keys, and what they print as text and as JSON, blanks and newlines left out; NULL: an error. */
static const struct {
	const char *key, *text, *json;
} keys[] = {
	{ "jobid", "77\n", "\"77\"" },
	{ "job_pl_id", "77\n", "\"77\"" },
	{ "job_jobid", "77\n", "\"77\"" },
	{ "job_pl_jobname", "ocean\n", "\"ocean\"" },
	{ "exp_jobname", "ocean\n", "\"ocean\"" },
	{ "job_pl_scriptname", "/s/job.sh\n", "\"/s/job.sh\"" },
	{ "job_pl_username", "ann\n", "\"ann\"" },
	{ "job_username", "ann\n", "\"ann\"" },
	{ "job_pl_groupnames", "g1\ng2\n", "[\"g1\",\"g2\"]" },
	{ "job_pl_hostname", "h1\n", "\"h1\"" },
	{ "job_pl_start", "2023-11-14T22:13:20.000000Z\n", "1700000000000000" },
	{ "job_pl_submit", "2023-11-14T22:03:20.000001Z\n", "1699999400000001" },
	{ "job_pl_env", "PATH /bin\nA 1\nLANG C\n", "{\"PATH\":\"/bin\",\"A\":\"1\",\"LANG\":\"C\"}" },
	{ "job_pl_env_len", "3\n", "3" },
	{ "job_pl_from_batch", "nodelist n[1-2]\n", "{\"nodelist\":\"n[1-2]\"}" },
	{ "job_el_from_batch", "nodelist n[1-2]\n", "{\"nodelist\":\"n[1-2]\"}" },
	{ "job_el_stop", "2023-11-14T22:14:20.500000Z\n", "1700000060500000" },
	{ "job_el_status", "3\n", "3" },
	{ "job_el_exitcode", "3\n", "3" },
	{ "job_el_reason", "failure\n", "\"failure\"" },
	{ "job_el_env_changes", "A (unset)\nB 2\n", "{\"A\":null,\"B\":\"2\"}" },
	{ "job_el_env_changes_len", "2\n", "2" },
	{ "job_tags", NULL, "{\"exp_name\":\"CM4\",\"exp_component\":\"atmos\",\"exp_time\":\"0005\",\"b\":\"x\"}" },
	{ "exp_name", "CM4\n", "\"CM4\"" },
	{ "exp_component", "atmos\n", "\"atmos\"" },
	{ "exp_time", "0005\n", "\"0005\"" },
	{ "exp_oname", "0005\n", "\"0005\"" },
	{ "annotations", "note two\\nlines\na 1\n", NULL },
	{ "annotations.note", "two\\nlines\n", "\"two\\nlines\"" },
	{ "groups.1", "g2\n", "\"g2\"" },
	{ "groups.0", "g1\n", "\"g1\"" },
	{ "memory_kb", "16000\n", "16000" },
	{ "stop_records", "0\n", "0" },
	{ "array_task", "\n", "\"\"" },
	{ "stop_environment_changes.A", "(unset)\n", "null" },
	{ "start_environment.LANG", "C\n", "\"C\"" },
};

static const char *const missing[] = { "groups.2",     "groups.-1", "groups.x",	   "groups.",	"group",
				       "jobid.0",      "tags.none", "stop_files",  "tag",	"jobidx",
				       "start_time_u", "",	    "annotations.", "job_pl_x", ".jobid" };

/* Without blanks behind : and , and at the beginning of lines. */
static void squeeze(char *to, const char *from)
{
	for (; *from; from++)
		if (*from != '\n' && *from != ' ')
			*to++ = *from;
	*to = '\0';
}

START_TEST(single_values)
{
	json_t *all = json_pack("[o]", parse(one));
	struct pm_err e;
	char text[1000];

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		begin_output();
		ck_assert_msg(pm_dump_key(all, keys[i].key, false, &e) == 0, "%s", e.text);
		if (keys[i].text)
			ck_assert_str_eq(end_output(), keys[i].text);
		else
			end_output();
		begin_output();
		ck_assert_int_eq(pm_dump_key(all, keys[i].key, true, &e), 0);
		squeeze(text, end_output());
		if (keys[i].json)
			ck_assert_str_eq(text, keys[i].json);
	}
	for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
		begin_output();
		ck_assert_msg(pm_dump_key(all, missing[i], false, &e) == -1, "%s", missing[i]);
		ck_assert_str_eq(end_output(), "");
		snprintf(text, sizeof text, "the metadata has no %s", missing[i]);
		ck_assert_str_eq(e.text, text);
	}
	json_decref(all);
}
END_TEST

/* Of several hosts each has a line, but those that do not know it. */
START_TEST(values_of_hosts)
{
	json_t *all = json_pack("[o,o,o]", parse(one),
				parse("{'job':{'jobid':'77','tags':{'k':'v'}},'host':{'hostname':'h2'}}"),
				parse("{'job':{'name':'x'},'host':{'hostname':'h3'}}"));
	struct pm_err e;

	begin_output();
	ck_assert_int_eq(pm_dump_key(all, "jobid", false, &e), 0);
	ck_assert_str_eq(end_output(), "h1 77\nh2 77\n");
	begin_output();
	ck_assert_int_eq(pm_dump_key(all, "job_pl_env_len", false, &e), 0);
	ck_assert_str_eq(end_output(), "h1 3\n");
	begin_output();
	ck_assert_int_eq(pm_dump_key(all, "tags.k", true, &e), 0);
	ck_assert_str_eq(end_output(), "\"v\"\n");
	json_decref(all);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("dump");
	TCase *t = tcase_create("dump");

	tcase_add_checked_fixture(t, pm_unit_set_up, pm_unit_tear_down);
	tcase_add_test(t, whole_documents);
	tcase_add_test(t, single_values);
	tcase_add_test(t, values_of_hosts);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
