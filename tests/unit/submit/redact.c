/* submit/rows/redact.c: which columns and rows of a loaded job are redacted, how often, and that nothing
 * else changes. What a secret is: tests/unit/common/redact.c. */
#include "config.h"

#include "common/digest.h"
#include "submit/rows/files.h"
#include "submit/rows/redact.h"
#include "tests/unit/submit/submit.h"

#define URL     "https://me:Zq7x@host/x"
#define CLEAN   "https://me:[redacted]@host/x"
#define CONTENT "{\"start\":{\"environment\":{\"DB_PASSWORD\":\"Zq7x\",\"COLOR\":\"red\"}}}"
#define OTHER   "nothing of that"

/* %d: the job's number. */
static const char rows[] =
	"INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, epoch_us, name, "
	"script, tags, facts, annotations, queue) VALUES (%1$d, '', 'u', '%1$d', '', 0, 0, "
	"'get " URL "', '" URL "', '{\"db_password\":\"Zq7x\",\"color\":\"blue\"}', "
	"'{\"MY_PASSWORD\":\"Zq7x\",\"N\":\"5\"}', '{\"api_password\":\"Zq7x\",\"see\":\"" URL
	"\"}', '" URL "');"
	"INSERT INTO host (job_id, id, hostname, start_cwd, start_modules, start_command, "
	"start_environment, stop_environment_changes, kernel) VALUES (%1$d, 1, 'n0', '" URL
	"', '[\"gcc\",\"" URL "\"]', '[\"mysql\",\"--password\",\"Zq7x\",\"db\"]', "
	"'{\"DB_PASSWORD\":\"Zq7x\",\"HOME\":\"/h\"}', '{\"DB_PASSWORD\":\"Zq7x\",\"A\":null}', "
	"'" URL "'), (%1$d, 2, 'n1', '/h', '[]', '[]', '{}', NULL, NULL);"
	"INSERT INTO process (job_id, id, host_id, exename, args, tags) VALUES "
	"(%1$d, 1, 1, 'curl', '-u me:Zq7x x', 'a:b;db_password:Zq7x'), "
	"(%1$d, 2, 2, 'tar', '-u me:file x', 'a:b'), (%1$d, 3, 2, NULL, '', ''), "
	"(%1$d, 4, 2, NULL, NULL, NULL), (%1$d, 5, 1, 'wget', '" URL " --password Zq7x', NULL);"
	"INSERT INTO tag_set (job_id, id, name, value) VALUES (%1$d, 0, 'db_password', 'Zq7x'), "
	"(%1$d, 0, 'n', '1'), (%1$d, 1, 'a', 'b'), (%1$d, 1, 'db_password', 'Zq7x'), "
	"(%1$d, 2, '--password Zq7x', '1'), (%1$d, 2, '--password Zq7y', '1'), "
	"(%1$d, 3, 'password', '1');"
	"INSERT INTO annotation (job_id, name, value) VALUES (%1$d, 'api_password', 'Zq7x'), "
	"(%1$d, 'color', 'blue');"
	"INSERT INTO phase (job_id, host_id, id, name, pid, ended) VALUES (%1$d, 1, 1, '" URL
	"', 7, 1), (%1$d, 1, 2, 'solve', 7, 1), (%1$d, 2, 1, '" URL "', 7, 1);"
	"INSERT INTO load (job_id, id, file, source, digest, bytes, lines, rejected) VALUES "
	"(%1$d, 0, 'n0.tally', 's', 'd', 1, 0, 0), "
	"(%1$d, 1, 'job-n0.json', 's', 'd', length('" CONTENT "'), 0, 0), "
	"(%1$d, 2, 'job-n1.json', 's', 'd', 99, 0, 0), "
	"(%1$d, 3, 'job-n2.json', 's', 'd', length('" OTHER "'), 0, 0);"
	"INSERT INTO content (job_id, load_id, part, coding, bytes) VALUES "
	"(%1$d, 1, 1, '', CAST('" CONTENT "' AS blob)), "
	"(%1$d, 2, 1, '', CAST('" CONTENT "' AS blob)), (%1$d, 3, 1, '', CAST('" OTHER
	"' AS blob));"
	"INSERT INTO reject (job_id, id, load_id, file, line, reason, bytes) VALUES "
	"(%1$d, 1, 1, 'f', 1, 'r', CAST('start --password Zq7x' AS blob)), "
	"(%1$d, 2, 1, 'f', 2, 'r', CAST('start 5' AS blob)), (%1$d, 3, 1, 'f', 3, 'r', x'')";

/* What of job 1 is there afterwards. */
static const struct {
	const char *sql, *want;
} c[] = {
	{ "SELECT name, script, tags, facts, annotations, queue FROM job WHERE id = 1",
	  "get " CLEAN " " CLEAN " {\"db_password\":\"[redacted]\",\"color\":\"blue\"} "
	  "{\"MY_PASSWORD\":\"[redacted]\",\"N\":\"5\"} "
	  "{\"api_password\":\"[redacted]\",\"see\":\"" CLEAN "\"} " URL },
	{ "SELECT start_cwd, start_modules, start_command, start_environment, "
	  "stop_environment_changes, kernel FROM host WHERE job_id = 1 ORDER BY id",
	  CLEAN " [\"gcc\",\"" CLEAN "\"] [\"mysql\",\"--password\",\"[redacted]\",\"db\"] "
		"{\"DB_PASSWORD\":\"[redacted]\",\"HOME\":\"/h\"} "
		"{\"DB_PASSWORD\":\"[redacted]\",\"A\":null} " URL ";/h [] [] {} - -" },
	{ "SELECT id, args, tags FROM process WHERE job_id = 1 ORDER BY id",
	  "1 -u me:[redacted] x a:b;db_password:[redacted];2 -u me:file x a:b;3  ;4 - -;"
	  "5 " CLEAN " --password [redacted] -" },
	{ "SELECT id, name, value FROM tag_set WHERE job_id = 1 ORDER BY id, name",
	  "0 db_password [redacted];0 n 1;1 a b;1 db_password [redacted];"
	  "2 --password [redacted] 1;3 password 1" },
	{ "SELECT name, value FROM annotation WHERE job_id = 1 ORDER BY name",
	  "api_password [redacted];color blue" },
	{ "SELECT host_id, id, name FROM phase WHERE job_id = 1 ORDER BY host_id, id",
	  "1 1 " CLEAN ";1 2 solve;2 1 " CLEAN },
	{ "SELECT CAST(bytes AS text) FROM reject WHERE job_id = 1 ORDER BY id",
	  "start --password [redacted];start 5;" },
};

static int take(void *ctx, const char *p, size_t n, struct pm_err *e)
{
	char *text = ctx;

	(void)e;
	ck_assert_uint_lt(strlen(text) + n, 512);
	strncat(text, p, n);
	return 0;
}

/* The kept content of a file of job 1 is without secrets, and its digest and size say so; the size
 * of a file that was another one where it lay stays. */
static void expect_content(struct test_job *j, int load, const char *want, const char *bytes)
{
	char text[512] = "", sql[128], digest[PM_DIGEST_TEXT];
	struct pm_digest d;

	ck_assert_int_ge(pm_files_read(j->db, 1, load, take, text, &j->e), 0);
	ck_assert_str_eq(text, want);
	pm_digest_init(&d);
	pm_digest_add(&d, text, strlen(text));
	pm_digest_text(&d, digest);
	snprintf(sql, sizeof sql, "SELECT digest, bytes FROM load WHERE job_id = 1 AND id = %d",
		 load);
	snprintf(text, sizeof text, "%s %s", strcmp(want, OTHER) == 0 ? "d" : digest, bytes);
	ck_assert_str_eq(test_query(j, sql), text);
}

START_TEST(a_job_is_redacted)
{
	/* As a file of metadata is written. */
	static const char clean[] = "{\n \"start\": {\n  \"environment\": {\n   \"DB_PASSWORD\": "
				    "\"[redacted]\",\n   \"COLOR\": \"red\"\n  }\n }\n}\n";
	static const char *const table[] = { "job",   "host", "process", "tag_set", "annotation",
					     "phase", "load", "content", "reject" };
	char sql[8192], bytes[16], *before[sizeof table / sizeof table[0]];
	int64_t count = 0;
	struct test_job j;

	test_begin(&j);
	for (int job = 1; job <= 2; job++) {
		snprintf(sql, sizeof sql, rows, job);
		ck_assert_msg(pm_db_exec(j.db, sql, &j.e) == 0, "%s", j.e.text);
	}
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE %s = 2", table[i],
			 i ? "job_id" : "id");
		before[i] = strdup(test_query(&j, sql));
		ck_assert_ptr_nonnull(strstr(before[i], i == 6 ? "99" : ""));
	}
	ck_assert_int_eq(pm_db_begin(j.db, &j.e), 0);
	ck_assert_int_eq(pm_redact_job(j.db, 3, &count, &j.e), 0);
	ck_assert_msg(pm_redact_job(j.db, 1, &count, &j.e) == 1, "%s", j.e.text);
	ck_assert_int_eq(pm_db_commit(j.db, &j.e), 0);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
		ck_assert_str_eq(test_query(&j, c[i].sql), c[i].want);
	/* 6 of the job, 5 of the host, 4 of processes, 4 of sets, 1 annotation, 1 name of a phase,
	 * 1 line, 2 files. */
	ck_assert_int_eq(count, 24);
	snprintf(bytes, sizeof bytes, "%zu", sizeof clean - 1);
	expect_content(&j, 1, clean, bytes);
	expect_content(&j, 2, clean, "99");
	snprintf(bytes, sizeof bytes, "%zu", sizeof OTHER - 1);
	expect_content(&j, 3, OTHER, bytes);
	/* The other job is as it was. */
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE %s = 2", table[i],
			 i ? "job_id" : "id");
		ck_assert_str_eq(test_query(&j, sql), before[i]);
		free(before[i]);
	}
	/* Again there is nothing. */
	ck_assert_int_eq(pm_db_begin(j.db, &j.e), 0);
	ck_assert_int_eq(pm_redact_job(j.db, 1, &count, &j.e), 1);
	ck_assert_int_eq(pm_db_commit(j.db, &j.e), 0);
	ck_assert_int_eq(count, 0);
	test_end(&j);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit_redact");
	TCase *t = tcase_create("redact");

	tcase_add_test(t, a_job_is_redacted);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
