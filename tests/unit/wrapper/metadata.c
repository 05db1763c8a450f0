/* wrapper/metadata/metadata.c: typed values, tags, hostile files. */
#include "config.h"

#include "common/secrets/redact_json.h"
#include "tests/unit/main.h"
#include "wrapper/job/outcome.h"
#include "wrapper/metadata/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The directory a test makes, removed behind it. */
static char dir[] = "/tmp/perfmon-unit.XXXXXX";

static void remove_directory(void)
{
	char command[64];

	snprintf(command, sizeof command, "rm -rf %s", dir);
	if (access(dir, F_OK) == 0 && system(command) != 0)
		abort();
}

/* An open directory of its own. */
static int new_directory(void)
{
	ck_assert_ptr_ne(mkdtemp(dir), NULL);
	return open(dir, O_RDONLY | O_DIRECTORY);
}

static void put_file(int at, const char *name, const char *text)
{
	int fd = openat(at, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

START_TEST(round_trip)
{
	json_t *doc = pm_metadata_new(), *back;
	int fd = new_directory();
	struct pm_err e;
	struct stat st;

	pm_metadata_text(doc, PM_JOB_job_jobid, "1-1");
	pm_metadata_text(doc, PM_JOB_job_name, NULL);
	pm_metadata_text(doc, PM_JOB_start_cwd, "/a\xff\tb");
	pm_metadata_int(doc, PM_JOB_start_time_us, 1700000000000000);
	ck_assert_int_eq(pm_metadata_write(fd, "h", doc, &e), 0);
	ck_assert_int_eq(fstatat(fd, "job-h.json", &st, 0), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	back = pm_metadata_read(fd, "h", &e);
	ck_assert(json_equal(doc, back));
	ck_assert_str_eq(pm_metadata_get_text(back, PM_JOB_job_jobid), "1-1");
	ck_assert_ptr_eq(pm_metadata_get_text(back, PM_JOB_job_name), NULL);
	ck_assert_str_eq(pm_metadata_get_text(back, PM_JOB_start_cwd), "/a\\xff\\tb");
	ck_assert_int_eq(pm_metadata_get_int(back, PM_JOB_start_time_us, 0), 1700000000000000);
	ck_assert_int_eq(pm_metadata_get_int(back, PM_JOB_stop_time_us, -1), -1);
	ck_assert(!pm_metadata_is_closed(back));
	pm_metadata_int(back, PM_JOB_stop_time_us, 1);
	ck_assert(pm_metadata_is_closed(back));
	pm_metadata_reopen(back);
	ck_assert(!pm_metadata_is_closed(back));
	json_decref(back);
	back = pm_metadata_read(fd, "", &e);
	ck_assert(json_equal(doc, back));
	json_decref(back);
	json_decref(doc);
	ck_assert_ptr_eq(pm_metadata_read(fd, "other", &e), NULL);
	ck_assert_int_eq(errno, ENOENT);
	close(fd);
}
END_TEST

START_TEST(hostile_files)
{
	static const char *const text[] = {
		"",
		"{",
		"[]",
		"null",
		"{}",
		"{\"format\": 1}",
		"{\"format\": \"perfmon-job-2\"}",
		"{\"format\": \"perfmon-job-1\", \"format\": \"perfmon-job-1\"}",
		"\xff\xfe",
		"{\"format\": \"perfmon-job-1\"} x",
	};
	int fd = new_directory();
	struct pm_err e;

	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
		put_file(fd, "job-h.json", text[i]);
		ck_assert_msg(pm_metadata_read(fd, "h", &e) == NULL, "accepted: %s", text[i]);
		ck_assert_int_ne(errno, ENOENT);
	}
	ck_assert_int_eq(symlinkat("/etc/passwd", fd, "job-link.json"), 0);
	ck_assert_ptr_eq(pm_metadata_read(fd, "link", &e), NULL);
	ck_assert_int_eq(mkfifoat(fd, "job-fifo.json", 0600), 0);
	ck_assert_ptr_eq(pm_metadata_read(fd, "fifo", &e), NULL);
	ck_assert_int_eq(mkdirat(fd, "job-dir.json", 0700), 0);
	ck_assert_ptr_eq(pm_metadata_read(fd, "dir", &e), NULL);
	/* Values of other types than the table's are unknown, not trusted. */
	put_file(fd, "job-h.json",
		 "{\"format\": \"perfmon-job-1\", \"job\": {\"jobid\": 5, \"epoch_us\": \"x\"},"
		 " \"start\": 3, \"stop\": []}");
	json_t *doc = pm_metadata_read(fd, "h", &e);
	ck_assert_ptr_ne(doc, NULL);
	ck_assert_ptr_eq(pm_metadata_get_text(doc, PM_JOB_job_jobid), NULL);
	ck_assert_int_eq(pm_metadata_get_int(doc, PM_JOB_job_epoch_us, -7), -7);
	ck_assert_ptr_eq(pm_metadata_get(doc, PM_JOB_start_cwd), NULL);
	ck_assert(!pm_metadata_is_closed(doc));
	json_decref(doc);
	close(fd);
}
END_TEST

static void tags_become(const char *tags, const char *want)
{
	json_t *doc = pm_metadata_new();
	char *text;

	pm_metadata_add_tags(doc, tags);
	text = json_dumps(pm_metadata_get(doc, PM_JOB_job_tags), JSON_COMPACT | JSON_SORT_KEYS);
	ck_assert_str_eq(text, want);
	free(text);
	json_decref(doc);
}

START_TEST(tags)
{
	tags_become("", "{}");
	tags_become("a:b", "{\"a\":\"b\"}");
	tags_become("a:b:c=d;e:f", "{\"a\":\"b:c=d\",\"e\":\"f\"}");
	tags_become("flag", "{\"flag\":\"1\"}");
	tags_become("a:;;;b:c;", "{\"a\":\"\",\"b\":\"c\"}");
	tags_become("a:1; b:2", "{\"a\":\"1\",\"b\":\"2\"}");
	tags_become("a:1;a:2", "{\"a\":\"2\"}");
	tags_become(":x", "{}");
	tags_become("\xff:\xfe", "{\"\\\\xff\":\"\\\\xfe\"}");
}
END_TEST

/* What was killed in the group before the job began is none of it. */
START_TEST(oom_kills)
{
	ck_assert_int_eq(pm_outcome_oom_kills(0, 0), 0);
	ck_assert_int_eq(pm_outcome_oom_kills(2, 2), 0);
	ck_assert_int_eq(pm_outcome_oom_kills(2, 5), 3);
	ck_assert_int_eq(pm_outcome_oom_kills(3, 1), -1);
	ck_assert_int_eq(pm_outcome_oom_kills(-1, 2), -1);
	ck_assert_int_eq(pm_outcome_oom_kills(2, -1), -1);
	ck_assert_str_eq(pm_outcome_reason(9, pm_outcome_oom_kills(2, 2)), "killed");
	ck_assert_str_eq(pm_outcome_reason(9, pm_outcome_oom_kills(2, 3)), "memory");
	ck_assert_str_eq(pm_outcome_reason(137 << 8, pm_outcome_oom_kills(2, 3)), "memory");
	ck_assert_str_eq(pm_outcome_reason(0, pm_outcome_oom_kills(2, 3)), "success");
}
END_TEST

/* Each part of a job's metadata by the rules for what it holds, and no other part. */
START_TEST(secrets_of_each_part)
{
	static const struct {
		const char *section, *key, *value;
		int count;
	} part[] = {
		{ "job", "name", "\"https://u:Zq7x@h/\"", 1 },
		{ "job", "script", "\"https://u:Zq7x@h/\"", 1 },
		{ "job", "facts", "{\"PASSWORD\": \"Zq7x\"}", 1 },
		{ "job", "tags", "{\"ghp_0123456789abcdefghijABCD\": \"Zq7x\"}", 1 },
		{ "job", "tags", "{\"password\": \"1\"}", 0 },
		{ "job", "annotations", "{\"password\": \"Zq7x\"}", 1 },
		{ "job", "annotations", "{\"password\": 1}", 0 },
		{ "start", "cwd", "\"https://u:Zq7x@h/\"", 1 },
		{ "start", "modules", "[\"a\", \"https://u:Zq7x@h/\", \"https://u:Zq7x@i/\"]", 2 },
		{ "start", "command", "[\"mysql\", \"--password\", \"Zq7x\"]", 1 },
		{ "start", "environment", "{\"A\": \"1\", \"PASSWORD\": \"Zq7x\"}", 1 },
		{ "stop", "environment_changes", "{\"PASSWORD\": \"Zq7x\", \"B\": null}", 1 },
		{ "host", "name", "\"https://u:Zq7x@h/\"", 0 },
	};
	char text[256], *made;
	json_t *doc;

	for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
		snprintf(text, sizeof text, "{\"%s\": {\"%s\": %s}}", part[i].section, part[i].key,
			 part[i].value);
		doc = json_loads(text, 0, NULL);
		ck_assert_ptr_nonnull(doc);
		ck_assert_msg(pm_redact_metadata(doc) == part[i].count, "%s", text);
		made = json_dumps(doc, 0);
		ck_assert_msg(!part[i].count ||
				      !strstr(made, part[i].key[0] == 't' ? "ghp" : "Zq7x"),
			      "%s", made);
		free(made);
		json_decref(doc);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("metadata");
	TCase *c = tcase_create("metadata");

	tcase_add_test(c, secrets_of_each_part);
	tcase_add_test(c, round_trip);
	tcase_add_test(c, hostile_files);
	tcase_add_test(c, tags);
	tcase_add_test(c, oom_kills);
	tcase_add_checked_fixture(c, NULL, remove_directory);
	suite_add_tcase(s, c);
	return s;
}

PM_UNIT_MAIN(suite)
