/* What files of a job say of it: metadata value by value, kinds of files by their names, who it is
 * of. */
#include "config.h"

#include "submit/input/bounds.h"
#include "submit/job.h"
#include "submit/job/gather.h"
#include "submit/job/meta.h"
#include "tests/unit/submit/submit.h"

#include <errno.h>

#define LINES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define FORMAT     "{\"format\":\"perfmon-job-1\","

/* Each value is of its type and in its range, or left out, counted and told. */
START_TEST(values)
{
	static const struct {
		const char *json;
		int wrong, beyond;
		const char *why, *text; /* what is said as metadata again, less the format */
	} c[] = {
		{ FORMAT "\"job\":{\"jobid\":\"1\",\"uid\":7,\"groups\":[\"a\",\"b\"],\"tags\":{"
			 "\"a\":null,"
			 "\"b\":\"c\"},\"epoch_us\":5},\"host\":{\"hostname\":\"h\"},\"start\":{"
			 "\"time_us\":6}}",
		  0, 0, "",
		  "\"job\":{\"jobid\":\"1\",\"epoch_us\":5,\"uid\":7,\"groups\":[\"a\",\"b\"],"
		  "\"tags\":{"
		  "\"a\":null,\"b\":\"c\"}},\"host\":{\"hostname\":\"h\"},\"start\":{\"time_us\":"
		  "6}" },
		{ FORMAT "\"job\":{\"jobid\":null,\"other\":5},\"x\":1}", 0, 0, "", "" },
		{ FORMAT "\"job\":5,\"host\":[]}", 0, 0, "", "" },
		{ FORMAT "\"job\":{\"jobid\":5}}", 1, 0, "job.jobid has a wrong type", "" },
		{ FORMAT "\"job\":{\"uid\":\"5\"}}", 1, 0, "job.uid has a wrong type", "" },
		{ FORMAT "\"job\":{\"uid\":5.0}}", 1, 0, "job.uid has a wrong type", "" },
		{ FORMAT "\"job\":{\"uid\":-1}}", 0, 0, "", "\"job\":{\"uid\":-1}" },
		{ FORMAT "\"job\":{\"uid\":-2}}", 1, 1, "job.uid is out of range", "" },
		{ FORMAT "\"job\":{\"uid\":4000000000000000}}", 0, 0, "",
		  "\"job\":{\"uid\":4000000000000000}" },
		{ FORMAT "\"job\":{\"uid\":4000000000000001}}", 1, 1, "job.uid is out of range",
		  "" },
		{ FORMAT "\"job\":{\"epoch_us\":4102444800000000}}", 0, 0, "",
		  "\"job\":{\"epoch_us\":4102444800000000}" },
		{ FORMAT "\"job\":{\"epoch_us\":4102444800000001}}", 1, 1,
		  "job.epoch_us is out of range", "" },
		{ FORMAT "\"stop\":{\"time_us\":-1}}", 0, 0, "", "\"stop\":{\"time_us\":-1}" },
		{ FORMAT "\"job\":{\"groups\":[\"a\",5]}}", 1, 0, "job.groups has a wrong type",
		  "" },
		{ FORMAT "\"job\":{\"groups\":[\"a\",null]}}", 1, 0, "job.groups has a wrong type",
		  "" },
		{ FORMAT "\"job\":{\"groups\":[]}}", 0, 0, "", "\"job\":{\"groups\":[]}" },
		{ FORMAT "\"job\":{\"tags\":{\"a\":5}}}", 1, 0, "job.tags has a wrong type", "" },
		{ FORMAT "\"job\":{\"tags\":[\"a\"]}}", 1, 0, "job.tags has a wrong type", "" },
		{ FORMAT "\"job\":{\"jobid\":5,\"uid\":-2,\"name\":\"x\",\"tags\":5}}", 3, 1,
		  "job.tags has a wrong type", "\"job\":{\"name\":\"x\"}" },
		{ FORMAT "\"events\":{}}", 1, 0, "events has a wrong type", "" },
		{ FORMAT "\"job\":{\"uid\":-2},\"events\":{}}", 2, 1, "events has a wrong type",
		  "" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_meta m, again;
		struct pm_err e;
		char *text, *end, packed[4096];
		size_t n = 0;

		ck_assert_int_eq(pm_meta_parse(&m, c[i].json, strlen(c[i].json), &e), 0);
		ck_assert_msg(m.wrong == c[i].wrong && m.beyond == c[i].beyond &&
				      strcmp(e.text, c[i].why) == 0,
			      "%s: %d %d %s", c[i].json, m.wrong, m.beyond, e.text);
		text = pm_meta_text(&m);
		for (const char *p = text; *p; p++)
			if (*p != ' ' && *p != '\n')
				packed[n++] = *p;
		packed[n] = '\0';
		end = packed + strlen(FORMAT);
		if (c[i].text[0]) {
			packed[n - 1] = '\0';
			ck_assert_str_eq(end, c[i].text);
		} else {
			ck_assert_str_eq(packed, "{\"format\":\"perfmon-job-1\"}");
		}
		ck_assert_int_eq(pm_meta_parse(&again, text, strlen(text), &e), 0);
		for (int k = 0; k < PM_JOB_KEYS; k++)
			ck_assert(m.set[k] == again.set[k] && m.number[k] == again.number[k] &&
				  (m.text[k] ? strcmp(m.text[k], again.text[k]) == 0
					     : !again.text[k]));
		free(text);
		pm_meta_free(&again);
		pm_meta_free(&m);
		ck_assert(!m.set[PM_JOB_job_uid] && !m.text[PM_JOB_job_jobid]);
	}
}
END_TEST

START_TEST(no_metadata)
{
	static const struct {
		const char *json, *why;
	} c[] = {
		{ "", "line 1: '[' or '{' expected near end of file" },
		{ "{\n\"a\":1,\n\"a\":2}", "line 3: duplicate object key near '\"a\"'" },
		{ "{}", "its format is not perfmon-job-1" },
		{ "[]", "its format is not perfmon-job-1" },
		{ "{\"format\":\"perfmon-job-2\"}", "its format is not perfmon-job-1" },
		{ "{\"format\":1}", "its format is not perfmon-job-1" },
	};
	struct pm_meta m;
	struct pm_err e;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		ck_assert_int_eq(pm_meta_parse(&m, c[i].json, strlen(c[i].json), &e), -1);
		/* The library's own words vary. */
		ck_assert_int_eq(strncmp(e.text, c[i].why, 8), 0);
		pm_meta_free(&m);
	}
	ck_assert_int_eq(pm_meta_parse(&m, NULL, 0, &e), -1);
	pm_meta_free(&m);
}
END_TEST

/* Events that no record holds: those made by formulas, and those that were too many. */
START_TEST(events)
{
	static char formula[1100], json[8192], terms[512];
	static const struct {
		int formula, terms;
		size_t want;
	} c[] = { { 1, 0, 0 },  { 1, 1, 1 },    { 1, 16, 1 },
		  { 1, 17, 0 }, { 1024, 2, 1 }, { 1025, 2, 0 } };
	struct pm_meta m;
	struct pm_err e;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		memset(formula, 'x', sizeof formula);
		formula[c[i].formula] = '\0';
		terms[0] = '\0';
		for (int k = 0; k < c[i].terms; k++)
			sprintf(terms + strlen(terms), "%s\"t=%d\"", k ? "," : "", k);
		snprintf(json, sizeof json,
			 FORMAT
			 "\"events\":[{\"name\":\"a "
			 "b\",\"terms\":[%s],\"formula\":\"%s\"},{\"name\":"
			 "\"c\"},{\"name\":\"d\",\"reason\":\"E2BIG\"},{\"name\":\"e\",\"reason\":"
			 "\"ENOENT\"}]}",
			 terms, formula);
		ck_assert_int_eq(pm_meta_parse(&m, json, strlen(json), &e), 0);
		ck_assert_str_eq(e.text, "");
		ck_assert_uint_eq(m.deriveds, c[i].want + 1);
		ck_assert_str_eq(m.derived[c[i].want].name, "d");
		ck_assert_str_eq(m.derived[c[i].want].reason, "E2BIG");
		ck_assert_ptr_null(m.derived[c[i].want].formula);
		if (c[i].want) {
			ck_assert_str_eq(m.derived[0].name, "a\\x20b");
			ck_assert_str_eq(m.derived[0].formula, formula);
			ck_assert_ptr_null(m.derived[0].reason);
			ck_assert_uint_eq(m.derived[0].terms, (size_t)c[i].terms);
			ck_assert_str_eq(m.derived[0].term[c[i].terms - 1],
					 strrchr(terms, 't') ? (terms[strlen(terms) - 1] = '\0',
								strrchr(terms, 't'))
							     : "");
		}
		pm_meta_free(&m);
	}
}
END_TEST

static char seen[256];

static int see(void *ctx, const char *name, const char *value)
{
	(void)ctx;
	sprintf(seen + strlen(seen), "%s=%s;", name, value ? value : "-");
	return strcmp(name, "stop") == 0 ? -1 : 0;
}

START_TEST(maps)
{
	ck_assert_int_eq(pm_meta_each("{\"a\":\"b\",\"c\":null,\"d\":\"\"}", see, NULL), 0);
	ck_assert_str_eq(seen, "a=b;c=-;d=;");
	seen[0] = '\0';
	ck_assert_int_eq(pm_meta_each("{\"a\":\"b\",\"stop\":\"x\",\"d\":\"\"}", see, NULL), -1);
	ck_assert_str_eq(seen, "a=b;stop=x;");
	ck_assert_int_eq(pm_meta_each("[]", see, NULL), -1);
	ck_assert_int_eq(pm_meta_each("{", see, NULL), -1);
	ck_assert_int_eq(pm_meta_each("{}", see, NULL), 0);
}
END_TEST

START_TEST(kinds_of_files)
{
	static const struct {
		const char *name;
		enum pm_file_kind kind;
		enum pm_foreign_kind foreign;
		size_t prefix;
	} c[] = {
		{ "job-n0.json", PM_FILE_META, PM_FOREIGN_NONE, 0 },
		{ "job.json", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
		{ "xjob-n0.json", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
		{ "job-n0.json.1", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
		{ ".job-n0.json", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
		{ "job_metadata", PM_FILE_META, PM_FOREIGN_PICKLE, 0 },
		{ "n0-1.tsv", PM_FILE_RECORDS, PM_FOREIGN_NONE, 0 },
		{ ".tsv", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
		{ ".n0.tsv", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
		{ "n0.tsv2", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
		{ "n0.series", PM_FILE_SERIES, PM_FOREIGN_NONE, 0 },
		{ "n0.phases", PM_FILE_PHASES, PM_FOREIGN_NONE, 0 },
		{ "n0.tally", PM_FILE_TALLY, PM_FOREIGN_NONE, 0 },
		{ "n0-papiex.tsv", PM_FILE_FOREIGN, PM_FOREIGN_TSV, 3 },
		{ "papiex.tsv", PM_FILE_FOREIGN, PM_FOREIGN_TSV, 0 },
		{ ".papiex.tsv", PM_FILE_OTHER, PM_FOREIGN_NONE, 1 },
		{ "n0-papiex-header.tsv", PM_FILE_FOREIGN, PM_FOREIGN_NAMES, 3 },
		{ "papiex-1000.tsv", PM_FILE_RECORDS, PM_FOREIGN_NONE, 0 },
		{ "n0-papiex-1-0.csv", PM_FILE_FOREIGN, PM_FOREIGN_CSV, 3 },
		{ "papiex.csv", PM_FILE_FOREIGN, PM_FOREIGN_CSV, 0 },
		{ "n0.csv", PM_FILE_OTHER, PM_FOREIGN_NONE, 0 },
	};
	static const bool merges[] = { [PM_FILE_RECORDS] = true,
				       [PM_FILE_SERIES] = true,
				       [PM_FILE_PHASES] = true,
				       [PM_FILE_FOREIGN] = true,
				       [PM_FILE_OTHER] = false };

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		ck_assert_msg(pm_gather_kind(c[i].name) == c[i].kind, "%s", c[i].name);
		ck_assert_msg(pm_foreign_kind(c[i].name) == c[i].foreign, "%s", c[i].name);
		ck_assert_msg(pm_foreign_prefix(c[i].name) == c[i].prefix ||
				      c[i].foreign == PM_FOREIGN_NONE,
			      "%s", c[i].name);
	}
	for (size_t k = 0; k <= PM_FILE_OTHER; k++)
		ck_assert(pm_gather_kind_merges((enum pm_file_kind)k) == merges[k]);
}
END_TEST

/* --- who a job is -------------------------------------------------------------------------------
 */

/* Gather files, a name and a text each, of a directory with this owner. */
static void gather(struct pm_gather *g, uid_t owner, const char *const (*file)[2])
{
	struct pm_err e;

	pm_log_level = -1;
	ck_assert_int_eq(pm_gather_init(g, "a/x.tar", "some/dir//", owner, &e), 0);
	for (; (*file)[0]; file++) {
		ck_assert_int_eq(pm_gather_begin(g, (*file)[0], &e), 0);
		ck_assert_int_eq(pm_gather_data(g, (*file)[1], strlen((*file)[1]), &e), 0);
		ck_assert_int_eq(pm_gather_end(g, true, &e), 0);
	}
	ck_assert_int_eq(pm_gather_finish(g, &e), 0);
}

#define FILES(...) ((const char *const[][2]){ __VA_ARGS__, { NULL, NULL } })

/* What the job is: id, cluster, user, task, restarts, epoch; and what is wrong with it. */
static const char *who(struct pm_gather *g)
{
	static char text[4096];
	struct pm_err e;
	const struct pm_meta *m = pm_job_identity(g, &e);

	if (!m)
		snprintf(text, sizeof text, "error: %s", e.text);
	else
		snprintf(text, sizeof text, "%s|%s|%s|%s|%lld|%lld|%s", m->text[PM_JOB_job_jobid],
			 m->text[PM_JOB_job_cluster], m->text[PM_JOB_job_user],
			 m->text[PM_JOB_job_array_task],
			 (long long)m->number[PM_JOB_job_restart_count],
			 (long long)m->number[PM_JOB_job_epoch_us], g->problems.text);
	return text;
}

static const char *records(const char *const *line)
{
	static char text[4][8192];
	static int turn;
	size_t n = 0;

	turn = (turn + 1) % 4;
	for (; *line; line++)
		n += test_line(text[turn] + n, sizeof text[0] - n, *line);
	text[turn][n] = '\0';
	return text[turn];
}

START_TEST(identities)
{
	struct pm_gather g;

	/* Of several hosts the first by name; what it does not say others may. */
	gather(&g, geteuid(),
	       FILES({ "job-b.json",
		       FORMAT "\"job\":{\"jobid\":\"b\",\"user\":\"u\",\"cluster\":\"c\","
			      "\"restart_count\":2,\"epoch_us\":9},\"host\":{\"hostname\":"
			      "\"b\"}}" },
		     { "job-a.json", FORMAT "\"job\":{\"jobid\":\"a\",\"user\":\"v\"},\"host\":{"
					    "\"hostname\":\"a\"},\"stop\":{\"time_us\":5}}" },
		     { "job-c.json",
		       FORMAT "\"job\":{\"jobid\":\"c\",\"array_task\":\"4\",\"epoch_us\":8},"
			      "\"host\":{\"hostname\":\"c\"}}" }));
	ck_assert_str_eq(who(&g), "a|c|v|4|2|9|");
	pm_gather_free(&g);
	/* Of records: the earliest start tells id, user and epoch. */
	gather(&g, 0,
	       FILES({ "n0-1.tsv",
		       records(LINES("record=start pid=11 ppid=1 image_us=1001 jobid=y uid=54321",
				     "record=start pid=10 ppid=1 image_us=1000 jobid=x uid=54320",
				     "record=start pid=12 ppid=1 image_us=1002 jobid=z uid=54322",
				     "record=end pid=9 image_us=900 end_us=950 end_reason=exit "
				     "jobid=w uid=54323")) }));
	ck_assert_str_eq(who(&g), "x||54320||0|1000|");
	pm_gather_free(&g);
	/* The directory's name where nothing tells. */
	gather(&g, 0,
	       FILES({ "n0-1.tsv", records(LINES("record=start pid=11 ppid=1 image_us=1001 "
						 "uid=54321")) }));
	ck_assert_str_eq(who(&g), "dir||54321||0|1001|");
	pm_gather_free(&g);
	/* Metadata without an id or a time. */
	gather(&g, 0,
	       FILES({ "job-n0.json",
		       FORMAT "\"job\":{\"user\":\"u\"},\"host\":{\"hostname\":\"n0\"}}" },
		     { "n0-1.tsv", records(LINES("record=start pid=11 ppid=1 image_us=1001 jobid=y "
						 "uid=54321")) }));
	ck_assert_str_eq(who(&g), "y||u||0|1001|");
	pm_gather_free(&g);
}
END_TEST

/* Files of another user are of that user's job, whatever they say. */
START_TEST(owners)
{
	static const char named[] = FORMAT "\"job\":{\"jobid\":\"1\",\"user\":\"u\",\"uid\":54321,"
					   "\"epoch_us\":5},\"host\":{\"hostname\":\"n0\"}}";
	static const char unnamed[] =
		FORMAT "\"job\":{\"jobid\":\"1\",\"uid\":54321,\"epoch_us\":5},"
		       "\"host\":{\"hostname\":\"n0\"}}";
	static const char nobody[] =
		FORMAT "\"job\":{\"jobid\":\"1\",\"user\":\"u\",\"epoch_us\":5},"
		       "\"host\":{\"hostname\":\"n0\"}}";
	const struct {
		uid_t owner;
		const char *text;
		bool strict;
		const char *want;
	} c[] = {
		{ 0, named, false, "1||u||0|5|" },
		{ geteuid(), named, true, "1||u||0|5|" },
		{ 54321, named, true, "1||u||0|5|" },
		{ 54322, named, false,
		  "1||54322||0|5|the files name uid 54321 but belong to uid 54322: the job is assigned to the "
		  "latter" },
		{ 54322, named, true,
		  "error: its metadata name uid 54321, but it belongs to uid 54322" },
		{ 0, unnamed, false, "1||54321||0|5|" },
		{ 54321, unnamed, false, "1||54321||0|5|" },
		{ 0, nobody, false, "1||u||0|5|" },
		{ 54322, nobody, true, "1||54322||0|5|" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		struct pm_gather g;

		gather(&g, c[i].owner, FILES({ "job-n0.json", c[i].text }));
		g.strict = c[i].strict;
		ck_assert_msg(strcmp(who(&g), c[i].want) == 0, "%zu: %s", i, who(&g));
		pm_gather_free(&g);
	}
}
END_TEST

/* What is wrong with metadata is noted, and costs nothing else. */
START_TEST(problems)
{
	static const struct {
		const char *text, *want;
		size_t metas;
	} c[] = {
		{ FORMAT "\"job\":{\"jobid\":5}}", "job-n0.json: job.jobid has a wrong type", 1 },
		{ FORMAT "\"job\":{}}", "", 1 },
		{ "{}", "job-n0.json: its format is not perfmon-job-1", 0 },
	};
	struct pm_gather g;

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		gather(&g, 0, FILES({ "job-n0.json", c[i].text }));
		ck_assert_str_eq(g.problems.text, c[i].want);
		ck_assert(g.faulty == (c[i].want[0] != '\0'));
		ck_assert_uint_eq(g.metas, c[i].metas);
		ck_assert(pm_gather_has_content(&g) == (c[i].metas > 0));
		pm_gather_free(&g);
	}
	/* The same thing twice is said once. */
	gather(&g, 0,
	       FILES({ "job-n0.json", "{}" }, { "job-n0.json", "{}" }, { "job-n1.json", "{}" }));
	ck_assert_str_eq(g.problems.text,
			 "job-n0.json: its format is not perfmon-job-1; job-n1.json: its "
			 "format is not perfmon-job-1");
	pm_gather_free(&g);
	/* Odd values are told, by column, and are unknown. */
	gather(&g, 0,
	       FILES({ "n0-1.tsv", records(LINES("record=end pid=11 image_us=1001 end_us=1002 "
						 "end_reason=exit minflt=-1 "
						 "rssmax=5",
						 "record=end pid=12 image_us=1001 end_us=1002 "
						 "end_reason=exit minflt=-1 "
						 "majflt=-5")) }));
	pm_gather_add_notes(&g);
	ck_assert_ptr_nonnull(strstr(g.problems.text, "minflt"));
	ck_assert_ptr_nonnull(strstr(g.problems.text, "; "));
	ck_assert_ptr_nonnull(strstr(g.problems.text, "majflt"));
	ck_assert_ptr_null(strstr(g.problems.text, "rssmax"));
	ck_assert(g.faulty);
	ck_assert_uint_eq(g.images.images, 2);
	ck_assert_uint_eq(g.file[0].lines, 2);
	ck_assert_uint_eq(g.file[0].rejected, 0);
	pm_gather_free(&g);
}
END_TEST

/* Headers of versions: each line is read by the last header of its own version. */
START_TEST(headers)
{
	char text[16384], *at = text;
	struct pm_gather g;

	at += sprintf(at, "perfmon-tsv-1\trecord\tboot_id\tpid\timage_us\thostname\tppid\t.\n");
	at += sprintf(at, "1\tstart\tb\t5\t1000\th\t4\t.\n");
	at += sprintf(at, "1\tstart\tb\t6\t1000\th\t.\n");
	at += sprintf(at, "1\tstart\tb\t7\t1000\th\t\\N\t.\n");
	gather(&g, 0, FILES({ "n0-1.tsv", text }));
	ck_assert_uint_eq(g.images.images, 2);
	ck_assert_uint_eq(g.images.image[0].ppid, 4);
	ck_assert_uint_eq(g.images.image[1].ppid, 0);
	ck_assert_uint_eq(g.file[0].lines, 3);
	ck_assert_uint_eq(g.file[0].rejected, 1);
	ck_assert_uint_eq(g.reject_count, 1);
	ck_assert_uint_eq(g.lines, 3);
	pm_gather_free(&g);
}
END_TEST

/* The user of a job is whose own files began first; files of others are read behind them. */
START_TEST(users_of_files)
{
	static const char root[] = FORMAT "\"job\":{\"jobid\":\"1\",\"user\":\"root\",\"uid\":0,"
					  "\"epoch_us\":5},\"host\":{\"hostname\":\"n0\"}}";
	static const char user[] = FORMAT "\"job\":{\"jobid\":\"1\",\"user\":\"u\",\"uid\":54321,"
					  "\"epoch_us\":5},\"host\":{\"hostname\":\"n0\"}}";
	static const struct {
		struct {
			const char *name, *text; /* of metadata, else of two starts */
			int64_t start[2];
			int64_t uid[2];
		} file[3];
		int64_t job, first_us;
		bool unsettled;
	} c[] = {
		/* by records: of its own files the earliest start */
		{ { { "n0-0.tsv", NULL, { 2000, 1900 }, { 54320, 0 } },
		    { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } } },
		  0,
		  1900,
		  true },
		{ { { "n0.tsv", NULL, { 2000, 2001 }, { 54321, 54322 } },
		    { "n1.tsv", NULL, { 1500, 1499 }, { 54322, 54320 } } },
		  54320,
		  PM_NO_TIME,
		  false },
		{ { { "n1.tsv", NULL, { 1500, 1499 }, { 54322, 54320 } },
		    { "n0.tsv", NULL, { 2000, 2001 }, { 54321, 54322 } } },
		  54320,
		  PM_NO_TIME,
		  false },
		/* without own ones that of the one other, or root */
		{ { { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } } },
		  54321,
		  PM_NO_TIME,
		  false },
		{ { { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } },
		    { "n0-54322.tsv", NULL, { 999, 1001 }, { 54322, 54322 } } },
		  0,
		  PM_NO_TIME,
		  true },
		/* as the metadata say: of several users root */
		{ { { "job-n0.json", root, { 0 }, { 0 } },
		    { "n0-0.tsv", NULL, { 2000, 1900 }, { 0, 0 } },
		    { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } } },
		  0,
		  1900,
		  false },
		{ { { "job-n0.json", user, { 0 }, { 0 } },
		    { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } },
		    { "n0-0.tsv", NULL, { 2000, 1900 }, { 0, 0 } } },
		  54321,
		  PM_NO_TIME,
		  false },
		{ { { "job-n0.json", user, { 0 }, { 0 } },
		    { "job-n1.json", root, { 0 }, { 0 } },
		    { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } } },
		  0,
		  PM_NO_TIME,
		  false },
		/* out of order */
		{ { { "job-n0.json", root, { 0 }, { 0 } },
		    { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } },
		    { "n0-0.tsv", NULL, { 2000, 1900 }, { 0, 0 } } },
		  0,
		  1900,
		  true },
		{ { { "n0-54321.tsv", NULL, { 1000, 1001 }, { 54321, 54321 } },
		    { "job-n0.json", root, { 0 }, { 0 } } },
		  0,
		  PM_NO_TIME,
		  true },
		{ { { "job-n0.json", root, { 0 }, { 0 } },
		    { "n0-2.tsv", NULL, { 1000, 1001 }, { 2, 2 } },
		    { "n0-1.tsv", NULL, { 1000, 1001 }, { 1, 1 } } },
		  0,
		  PM_NO_TIME,
		  true },
		{ { { "job-n0.json", root, { 0 }, { 0 } },
		    { "n0-1.tsv", NULL, { 1000, 1001 }, { 1, 1 } },
		    { "n0-2.tsv", NULL, { 1000, 1001 }, { 2, 2 } } },
		  0,
		  PM_NO_TIME,
		  false },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		const char *file[4][2] = { { NULL } };
		struct pm_gather g;

		for (size_t k = 0; k < 3 && c[i].file[k].name; k++) {
			char line[2][160];

			for (int n = 0; n < 2; n++)
				snprintf(line[n], sizeof line[n],
					 "record=start pid=%zu ppid=1 image_us=%lld uid=%lld",
					 10 * k + (size_t)n + 1, (long long)c[i].file[k].start[n],
					 (long long)c[i].file[k].uid[n]);
			file[k][0] = c[i].file[k].name;
			file[k][1] = c[i].file[k].text ? c[i].file[k].text
						       : records(LINES(line[0], line[1]));
		}
		gather(&g, 0, (const char *const(*)[2])file);
		ck_assert_msg(g.users.job == c[i].job && pm_gather_first_us(&g) == c[i].first_us &&
				      g.users.unsettled == c[i].unsettled,
			      "%zu: %lld %lld %d", i, (long long)g.users.job,
			      (long long)pm_gather_first_us(&g), g.users.unsettled);
		pm_gather_free(&g);
	}
}
END_TEST

/* Users of files have numbers, of which there are not without end. */
START_TEST(users)
{
	struct pm_guests g = { .count = 0 };

	pm_guest_enter(&g, -1);
	ck_assert(g.now == 0 && g.count == 0);
	for (int turn = 0; turn < 2; turn++)
		for (int uid = 0; uid < 400; uid++) {
			pm_guest_enter(&g, uid);
			ck_assert_int_eq(g.now, uid < PM_GUESTS_MAX ? uid + 1 : PM_GUESTS_MAX + 1);
		}
	ck_assert_int_eq(g.count, PM_GUESTS_MAX);
	pm_guest_enter(&g, -1);
	ck_assert_int_eq(g.now, 0);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/job/meta.c, gather.c and identity.c");
	TCase *t = tcase_create("metadata");

	tcase_add_test(t, values);
	tcase_add_test(t, no_metadata);
	tcase_add_test(t, events);
	tcase_add_test(t, maps);
	tcase_add_test(t, kinds_of_files);
	tcase_add_test(t, identities);
	tcase_add_test(t, owners);
	tcase_add_test(t, problems);
	tcase_add_test(t, headers);
	tcase_add_test(t, users_of_files);
	tcase_add_test(t, users);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
