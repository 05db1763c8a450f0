/* submit/job/counters.c: items of the column counters, and what is derived from them at load. */
#include "config.h"

#include "submit/job/counters.h"
#include "tests/unit/submit/submit.h"

#include <math.h>
#include <stdio.h>

static struct pm_str str(const char *s)
{
	return (struct pm_str){ s, strlen(s) };
}

/* A counter as "NAME VALUE RATIO REASON", - for what it has not. */
static const char *text(const struct pm_counter *c)
{
	static char t[256];
	int n = snprintf(t, sizeof t, "%.*s ", (int)c->name.n, c->name.p);

	n += c->known ? snprintf(t + n, sizeof t - (size_t)n, "%lld ", (long long)c->value)
		      : snprintf(t + n, sizeof t - (size_t)n, "- ");
	n += isnan(c->ratio) ? snprintf(t + n, sizeof t - (size_t)n, "- ")
			     : snprintf(t + n, sizeof t - (size_t)n, "%g ", c->ratio);
	snprintf(t + n, sizeof t - (size_t)n, "%.*s%s%s", c->reason.n ? (int)c->reason.n : 1,
		 c->reason.n ? c->reason.p : "-", c->scope ? " " : "", c->scope ? c->scope : "");
	return t;
}

START_TEST(items)
{
	static const struct {
		const char *item, *want;
	} row[] = {
		{ "cycles=12", "cycles 12 - -" },
		{ "cycles=12@0.25", "cycles 12 0.25 -" },
		{ "cycles=12@0.90625", "cycles 12 0.90625 -" },
		{ "cycles=12@1", "cycles 12 1 -" },
		{ "cycles=12@0.5.5", "cycles 12 - -" },
		{ "cycles=12@0.5x", "cycles 12 - -" },
		{ "cycles=12@.", "cycles 12 - -" },
		{ "cycles=12@", "cycles 12 - -" },
		{ "cycles=?ENOENT", "cycles - - ENOENT" },
		{ "cycles=?", "cycles - - -" },
		{ "cpu/config=1/=7", "cpu/config=1/ 7 - -" },
		{ "a=1=?closed", "a=1 - - closed" },
		{ "cycles=x", "cycles - - -" },
		{ "cycles=", "cycles - - -" },
		{ "cycles=5@x", "cycles 5 - -" },
		{ "rapl:::E=5@node", "rapl:::E 5 - - node" },
		{ "coretemp:::t=-5@node", "coretemp:::t -5 - - node" },
		{ "rapl:::E=5@nodes", "rapl:::E 5 - -" },
		{ "user@host=5", "user@host 5 - -" },
		{ "a\\x20b=9223372036854775807", "a\\x20b 9223372036854775807 - -" },
	};
	struct pm_counter c;

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		ck_assert_int_eq(pm_counter_parse(&c, str(row[i].item)), 0);
		ck_assert_str_eq(text(&c), row[i].want);
	}
	ck_assert_int_eq(pm_counter_parse(&c, str("")), -1);
	ck_assert_int_eq(pm_counter_parse(&c, str("cycles")), -1);
	ck_assert_int_eq(pm_counter_parse(&c, str("=5")), -1);
}
END_TEST

START_TEST(derivations)
{
	static char a[] = "L1D:LD", b[] = "L1I:LD", x[] = "C", name[] = "PAPI_L1_TCM";
	static const struct {
		const char *formula, *list, *want;
	} row[] = {
		{ "N0 N1 +", "L1D:LD=10 L1I:LD=5 C=1", "PAPI_L1_TCM 15 - -" },
		{ "N0 N1 -", "L1I:LD=5 L1D:LD=10", "PAPI_L1_TCM 5 - -" },
		{ "N0 N1 -", "L1D:LD=5 L1I:LD=10", "PAPI_L1_TCM - - range" },
		{ "N0 4 N1 * + N2 /", "L1D:LD=10 L1I:LD=5 C=4", "PAPI_L1_TCM 8 - - rate" },
		{ "N0 N1 /", "L1D:LD=10 L1I:LD=0", "PAPI_L1_TCM - - range rate" },
		{ "N0 N1 +", "L1D:LD=10@0.5 L1I:LD=5@0.25", "PAPI_L1_TCM 15 0.25 -" },
		{ "N0 N1 +", "L1D:LD=10@0.5 L1I:LD=5", "PAPI_L1_TCM 15 0.5 -" },
		{ "N0 N1 +", "L1D:LD=10@0.5 L1I:LD=?ENOSPC", "PAPI_L1_TCM - - ENOSPC" },
		{ "N0 N1 +", "L1D:LD=?closed L1I:LD=?EMFILE", "PAPI_L1_TCM - - closed" },
		{ "N0 N1 +", "L1D:LD=10 C=3", "PAPI_L1_TCM - - missing" },
		{ "N0 N1 +", "L1D:LD=9223372036854775807 L1I:LD=0",
		  "PAPI_L1_TCM 9223372036854775807 - -" },
		{ "N0 N1 +", "L1D:LD=9223372036854775807 L1I:LD=1", "PAPI_L1_TCM - - range" },
		{ "N0 N1 +", "L1D:LD=9007199254740992 L1I:LD=1",
		  "PAPI_L1_TCM 9007199254740993 - -" },
		{ "N0 N1 + N7 +", "L1D:LD=1 L1I:LD=1", "PAPI_L1_TCM - - range" },
		{ "N0 N1 + Nx +", "L1D:LD=1 L1I:LD=1", "PAPI_L1_TCM - - range" },
		{ "N0 +", "L1D:LD=1 L1I:LD=1", "PAPI_L1_TCM - - range" },
		{ "N0 N1 +", "cycles=1 page-faults=2", NULL },
		{ "N0 N1 +", "", NULL },
	};
	struct pm_counter c;

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		char formula[64];
		struct pm_derived d = { .name = name, .formula = formula, .term = { a, b, x } };
		int rc;

		snprintf(formula, sizeof formula, "%s", row[i].formula);
		d.terms = strstr(formula, "N2") ? 3 : 2;
		rc = pm_counter_derive(&c, &d, str(row[i].list));
		ck_assert_int_eq(rc, row[i].want != NULL);
		if (row[i].want)
			ck_assert_str_eq(text(&c), row[i].want);
	}
}
END_TEST

#define META(host, boot, events)                                                                   \
	"{\"format\":\"perfmon-job-1\",\"job\":{\"user\":\"u\",\"uid\":7,\"jobid\":\"1\","         \
	"\"epoch_us\":5},\"host\":{\"hostname\":\"" host "\",\"boot_id\":\"" boot "\"}" events "}"

#define TCM(formula)                                                                               \
	",\"events\":[{\"name\":\"page-faults\",\"state\":\"ok\"},"                                \
	"{\"name\":\"PAPI_L1_TCM\",\"state\":\"ok\",\"terms\":[\"d m\",\"i=m\"],"                  \
	"\"formula\":\"" formula "\"},"                                                            \
	"{\"name\":\"late\",\"state\":\"limited\",\"reason\":\"E2BIG\"},"                          \
	"{\"name\":\"gone\",\"state\":\"unknown\",\"reason\":\"unknown\"}]"

#define LINES(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

/* What was one too many is unknown wherever something was counted; what has none of a preset's
 * terms did not ask for it. */
START_TEST(rows)
{
	struct test_job j;

	test_begin(&j);
	test_meta(&j, "job-n0.json", META("n0", "boot-a", TCM("N0 N1 +")));
	test_meta(&j, "job-n1.json", META("n1", "boot-b", TCM("N0 N1 -")));
	test_records(
		&j, "n0-7.tsv",
		LINES("record=start pid=10 ppid=1 image_us=1000",
		      "record=thread pid=10 image_us=1000 tid=10 end_us=1900 "
		      "counters=page-faults=3",
		      "record=end pid=10 image_us=1000 end_us=2000 end_reason=exit numtids=2 "
		      "counters=page-faults=3",
		      "record=start pid=11 ppid=1 image_us=1001 hostname=n1 boot_id=boot-b",
		      "record=end pid=11 image_us=1001 end_us=2000 end_reason=exit hostname=n1 "
		      "boot_id=boot-b counters=page-faults=4"));
	test_load(&j);
	ck_assert_msg(j.rc == 0, "%s", j.e.text);
	ck_assert_str_eq(test_query(&j, "SELECT process_id, thread_id, name, value, reason FROM "
					"counter ORDER BY 1, 2, 3"),
			 "1 0 late - E2BIG;1 0 page-faults 3 -;1 1 late - E2BIG;"
			 "1 1 page-faults 3 -;2 0 late - E2BIG;2 0 page-faults 4 -");
	test_end(&j);
}
END_TEST

/* Append a record line whose list of counters has several items. */
static void put_record(char *all, size_t size, const char *host, int64_t pid, const char *kind,
		       const char *counters)
{
	struct pm_record r;
	struct pm_buf b;
	size_t n = strlen(all);

	pm_record_clear(&r);
	test_fields(&r, TEST_DEFAULTS " image_us=1000 end_us=2000 end_reason=exit");
	pm_record_text(&r, PM_COL_record, kind, strlen(kind));
	pm_record_text(&r, PM_COL_hostname, host, strlen(host));
	pm_record_text(&r, PM_COL_boot_id, strcmp(host, "n0") == 0 ? "boot-a" : "boot-b", 6);
	pm_record_int(&r, PM_COL_pid, pid);
	pm_record_int(&r, PM_COL_tid, pid + 100);
	pm_record_text(&r, PM_COL_counters, counters, strlen(counters));
	pm_buf_init(&b, all + n, size - n - 1);
	pm_record_format(&r, &b);
	ck_assert(!b.truncated);
	all[n + b.len] = '\0';
}

/* Every process and thread gets the preset, by the formula of its own host. */
START_TEST(presets)
{
	static char all[16384];
	struct test_job j;

	test_begin(&j);
	test_meta(&j, "job-n0.json", META("n0", "boot-a", TCM("N0 N1 +")));
	test_meta(&j, "job-n1.json", META("n1", "boot-b", TCM("N0 N1 -")));
	all[0] = '\0';
	put_record(all, sizeof all, "n0", 10, "thread", "d\\x20m=4@0.5 i=m=1");
	put_record(all, sizeof all, "n0", 10, "end", "d\\x20m=10@0.5 i=m=5");
	put_record(all, sizeof all, "n0", 12, "end", "d\\x20m=10 i=m=?closed");
	put_record(all, sizeof all, "n1", 11, "end", "d\\x20m=10 i=m=4");
	put_record(all, sizeof all, "n1", 13, "end", "cycles=1");
	test_file(&j, "n0-7.tsv", all, strlen(all));
	test_load(&j);
	ck_assert_msg(j.rc == 0, "%s", j.e.text);
	ck_assert_str_eq(test_query(&j,
				    "SELECT pid, thread_id, value, ratio, reason FROM counter c "
				    "JOIN process p ON p.id = c.process_id WHERE name = "
				    "'PAPI_L1_TCM' ORDER BY 1, 2"),
			 "10 0 15 0.5 -;10 1 5 0.5 -;11 0 6 - -;12 0 - - closed");
	ck_assert_str_eq(test_query(&j, "SELECT value, processes, unknown, reason FROM "
					"counter_summary WHERE name = 'PAPI_L1_TCM'"),
			 "21 2 1 closed");
	test_end(&j);
}
END_TEST

/* What counts for a node was seen by several processes: it is not summed. */
START_TEST(nodes)
{
	static char all[16384];
	struct test_job j;

	test_begin(&j);
	test_meta(&j, "job-n0.json", META("n0", "boot-a", ""));
	put_record(all, sizeof all, "n0", 10, "end", "page-faults=5 rapl:::E=700@node");
	put_record(all, sizeof all, "n0", 11, "end", "page-faults=6 rapl:::E=900@node");
	put_record(all, sizeof all, "n0", 12, "end", "page-faults=7 rapl:::E=?fork");
	test_file(&j, "n0-7.tsv", all, strlen(all));
	test_load(&j);
	ck_assert_msg(j.rc == 0, "%s", j.e.text);
	ck_assert_str_eq(test_query(&j, "SELECT name, value, processes, unknown, scope FROM "
					"counter_summary ORDER BY 1"),
			 "page-faults 18 3 0 -;rapl:::E 900 2 1 node");
	test_end(&j);
}
END_TEST

/* A sum of quotients means nothing; each process has its own. */
START_TEST(rates)
{
	static char all[16384];
	struct test_job j;

	test_begin(&j);
	test_meta(&j, "job-n0.json", META("n0", "boot-a", TCM("N0 N1 /")));
	put_record(all, sizeof all, "n0", 10, "end", "d\\x20m=10 i=m=5");
	put_record(all, sizeof all, "n0", 11, "end", "d\\x20m=12 i=m=3");
	put_record(all, sizeof all, "n0", 12, "end", "d\\x20m=12 i=m=?closed");
	put_record(all, sizeof all, "n0", 13, "start", "");
	test_file(&j, "n0-7.tsv", all, strlen(all));
	test_load(&j);
	ck_assert_msg(j.rc == 0, "%s", j.e.text);
	ck_assert_str_eq(test_query(&j, "SELECT value, scope FROM counter WHERE name = "
					"'PAPI_L1_TCM' ORDER BY process_id"),
			 "2 rate;4 rate;- rate");
	ck_assert_str_eq(test_query(&j, "SELECT name, value, processes, unknown, unrecorded, scope "
					"FROM counter_summary ORDER BY name"),
			 "PAPI_L1_TCM - 2 1 1 rate;d\\x20m 34 3 0 1 -;i=m 8 2 1 1 -;"
			 "late - 0 3 1 -");
	test_end(&j);
}
END_TEST

/* Damaged metadata costs its events, and nothing else. */
START_TEST(damaged)
{
	static const char *const events[] = {
		",\"events\":[1,null,\"x\",{},{\"name\":5},{\"name\":\"\"}]",
		",\"events\":[{\"name\":\"p\",\"terms\":[],\"formula\":\"N0\"}]",
		",\"events\":[{\"name\":\"p\",\"terms\":[1,2],\"formula\":\"N0\"}]",
		",\"events\":[{\"name\":\"p\",\"terms\":[\"page-faults\"],\"formula\":7}]",
		",\"events\":[{\"name\":\"p\",\"terms\":\"page-faults\",\"formula\":\"N0\"}]",
		",\"events\":[{\"name\":\"p\",\"terms\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\","
		"\"8\",\"9\",\"10\",\"11\",\"12\",\"13\",\"14\",\"15\",\"16\",\"page-faults\"],"
		"\"formula\":\"N0\"}]",
		",\"events\":{}",
		",\"events\":null",
		",\"events\":7",
	};

	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		struct test_job j;
		char meta[1024];

		snprintf(meta, sizeof meta, META("n0", "boot-a", "%s"), events[i]);
		test_begin(&j);
		test_meta(&j, "job-n0.json", meta);
		test_records(&j, "n0-7.tsv",
			     LINES("record=end pid=10 image_us=1000 end_us=2000 end_reason=exit "
				   "counters=page-faults=3"));
		test_load(&j);
		ck_assert_msg(j.rc >= 0, "%s", j.e.text);
		ck_assert_str_eq(test_query(&j, "SELECT name, value FROM counter"),
				 "page-faults 3");
		test_end(&j);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_counters");
	TCase *t = tcase_create("counters");

	tcase_add_test(t, items);
	tcase_add_test(t, derivations);
	tcase_add_test(t, rows);
	tcase_add_test(t, presets);
	tcase_add_test(t, nodes);
	tcase_add_test(t, rates);
	tcase_add_test(t, damaged);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
