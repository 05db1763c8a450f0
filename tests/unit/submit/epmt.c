/* What EPMT says of a job: times and their zones, values and their types. */
#include "config.h"

#include "common/log.h"
#include "submit/foreign/epmt_meta.h"
#include "tests/unit/main.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Noon of 2023-01-15, of 2023-07-15; minutes around the changes of 2023. */
#define WINTER ((int64_t)1673784000)
#define SUMMER ((int64_t)1689422400)

/* Hours that the clock of a zone is behind UTC at a time that it shows, in seconds of that clock.
 */
static int64_t behind(const char *zone, int64_t seconds)
{
	json_t *object = json_object(), *t = pm_epmt_meta_time(seconds * 1000000 + 123456, zone);
	int64_t us = pm_epmt_meta_utc(object, t) - seconds * 1000000 - 123456;

	json_decref(t);
	json_decref(object);
	ck_assert_int_eq(us % 3600000000, 0);
	return us / 3600000000;
}

/* Zones are known where the system has none. */
START_TEST(zones)
{
	static const struct {
		const char *zone;
		int winter, summer;
	} c[] = {
		{ "US/Eastern", 5, 4 },
		{ "America/New_York", 5, 4 },
		{ "EST5EDT", 5, 4 },
		{ "US/Central", 6, 5 },
		{ "America/Chicago", 6, 5 },
		{ "CST6CDT", 6, 5 },
		{ "US/Mountain", 7, 6 },
		{ "America/Denver", 7, 6 },
		{ "MST7MDT", 7, 6 },
		{ "US/Pacific", 8, 7 },
		{ "America/Los_Angeles", 8, 7 },
		{ "PST8PDT", 8, 7 },
		{ "EST", 5, 5 },
		{ "MST", 7, 7 },
		{ "HST", 10, 10 },
		{ "UTC", 0, 0 },
		{ "GMT", 0, 0 },
		{ "Etc/UTC", 0, 0 },
		/* rules; what nobody knows is taken for UTC */
		{ "XXX3", 3, 3 },
		{ "YYY-2", -2, -2 },
		{ "Mars/Olympus", 0, 0 },
		{ "Mars/Olympus4", 0, 0 },
		{ "nowhere", 0, 0 },
	};

	pm_log_level = -1;
	setenv("TZDIR", "/nonexistent", 1);
	setenv("TZ", "ZZZ9", 1);
	tzset();
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		ck_assert_msg(behind(c[i].zone, WINTER) == c[i].winter, "%s", c[i].zone);
		ck_assert_msg(behind(c[i].zone, SUMMER) == c[i].summer, "%s", c[i].zone);
	}
	/* From the second Sunday of March to the first one of November. */
	for (size_t i = 0; i < 12; i++) {
		int winter = c[i].winter;

		ck_assert_int_eq(behind(c[i].zone, 1678586340), winter);        /* 03-12 01:59 */
		ck_assert_int_eq(behind(c[i].zone, 1678590000), winter - 1);    /* 03-12 03:00 */
		ck_assert_int_eq(behind(c[i].zone, 1699145940), winter - 1);    /* 11-05 00:59 */
		ck_assert_int_eq(behind(c[i].zone, 1699149660 + 3600), winter); /* 11-05 02:01 */
	}
	/* The program's own zone is as before. */
	ck_assert_str_eq(getenv("TZ"), "ZZZ9");
	ck_assert_int_eq(timezone, 9 * 3600);
	unsetenv("TZ");
	behind("EST", WINTER);
	ck_assert_ptr_null(getenv("TZ"));
	ck_assert_int_eq(timezone, 0);
}
END_TEST

/* Of the zones that a time, the job's environment and this program have the first that can be one.
 */
START_TEST(whose_zone)
{
	static const char long_name[] =
		"a23456789b23456789c23456789d23456789e23456789f23456789g234";
	static const struct {
		const char *zone, *object;
		int hours;
	} c[] = {
		{ "EST", "{\"job_pl_env\":{\"TZ\":\"HST\",\"TIMEZONE\":\"MST\"}}", 5 },
		{ NULL, "{\"job_pl_env\":{\"TZ\":\"HST\",\"TIMEZONE\":\"MST\"}}", 10 },
		{ NULL, "{\"env_dict\":{\"TZ\":\"HST\",\"TIMEZONE\":\"MST\"}}", 10 },
		{ NULL, "{\"job_pl_env\":{\"TIMEZONE\":\"MST\"},\"env_dict\":{\"TZ\":\"HST\"}}",
		  7 },
		{ NULL, "{\"job_pl_env\":{}}", 9 },
		{ NULL, "{}", 9 },
		{ "", "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 10 },
		{ "/EST", "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 10 },
		{ "../EST", "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 10 },
		{ ":EST", "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 10 },
		{ "E T", "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 10 },
		{ NULL, "{\"job_pl_env\":{\"TZ\":\"/HST\",\"TIMEZONE\":\"MST\"}}", 7 },
		{ NULL, "{\"job_pl_env\":{\"TZ\":\"/HST\",\"TIMEZONE\":\"/MST\"}}", 9 },
		{ "EST\xc3\xa4", "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 10 },
		{ long_name, "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 0 },
		{ "a23456789b23456789c23456789d23456789e23456789f23456789g234567xyz",
		  "{\"job_pl_env\":{\"TZ\":\"HST\"}}", 10 },
	};

	pm_log_level = -1;
	setenv("TZDIR", "/nonexistent", 1);
	setenv("TZ", "ZZZ9", 1);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		json_t *object = json_loads(c[i].object, 0, NULL);
		json_t *t = pm_epmt_meta_time(WINTER * 1000000, c[i].zone);

		PM_SURE(object && t);
		ck_assert_msg(pm_epmt_meta_utc(object, t) ==
				      (WINTER + c[i].hours * 3600) * (int64_t)1000000,
			      "%zu", i);
		json_decref(t);
		json_decref(object);
	}
}
END_TEST

/* The metadata of an object, less what all have. */
static const char *meta(const char *object)
{
	static char out[8192];
	static const char head[] = "{\"format\":\"perfmon-job-1\"";
	json_t *o = json_loads(object, JSON_DECODE_ANY, NULL);
	char *text = NULL;
	struct pm_err e;

	ck_assert_msg(o != NULL, "%s", object);
	ck_assert_int_eq(pm_epmt_meta_object(o, &text, &e), 0);
	ck_assert_int_eq(strncmp(text, head, strlen(head)), 0);
	snprintf(out, sizeof out, "%s", text + strlen(head));
	free(text);
	json_decref(o);
	return out;
}

START_TEST(metadata)
{
	static const struct {
		const char *object, *want;
	} c[] = {
		{ "{}", "}" },
		/* texts: numbers are texts, too; what is empty or of another type is unknown */
		{ "{\"jobid\":17}", ",\"job\":{\"jobid\":\"17\"}}" },
		{ "{\"jobid\":\"\"}", "}" },
		{ "{\"jobid\":true}", "}" },
		{ "{\"jobid\":[1]}", "}" },
		/* numbers */
		{ "{\"exitcode\":3}", ",\"stop\":{\"exit_status\":3}}" },
		{ "{\"exitcode\":\"3\"}", ",\"stop\":{\"exit_status\":3}}" },
		{ "{\"exitcode\":\"-1\"}", ",\"stop\":{\"exit_status\":-1}}" },
		{ "{\"exitcode\":\"3x\"}", "}" },
		{ "{\"exitcode\":\"\"}", "}" },
		{ "{\"exitcode\":3.5}", "}" },
		{ "{\"exitcode\":null}", "}" },
		/* times */
		{ "{\"submit\":{\"clock_us\":5,\"zone\":\"UTC\"}}", ",\"job\":{\"submit_us\":5}}" },
		{ "{\"submit\":5}", "}" },
		/* lists */
		{ "{\"job_pl_groupnames\":[\"a\",\"b\"]}", ",\"job\":{\"groups\":[\"a\",\"b\"]}}" },
		{ "{\"job_pl_groupnames\":\"a\"}", "}" },
		/* maps: what is no text becomes one; null stays */
		{ "{\"annotations\":{\"a\":1,\"b\":[2],\"c\":null,\"d\":\"e\",\"f\":true}}",
		  ",\"job\":{\"annotations\":{\"a\":\"1\",\"b\":\"[2]\",\"c\":null,\"d\":\"e\","
		  "\"f\":\"true\"}}}" },
		{ "{\"annotations\":\"x\"}", "}" },
		{ "{\"annotations\":{\"api_token\":\"hunter2hunter2\"},\"tags\":{\"password\":"
		  "\"hunter2hunter2\"}}",
		  ",\"job\":{\"tags\":{\"password\":\"[redacted]\"},\"annotations\":{\"api_token\":"
		  "\"[redacted]\"}}}" },
		/* tags as text */
		{ "{\"tags\":\"a:b;c; d:e:f;;:x;g:\"}",
		  ",\"job\":{\"tags\":{\"a\":\"b\",\"c\":\"1\",\"d\":\"e:f\",\"g\":\"\"}}}" },
		{ "{\"tags\":\"\"}", ",\"job\":{\"tags\":{}}}" },
		/* of several keys the first; of a variable and a key the key */
		{ "{\"job_pl_id\":\"1\",\"jobid\":\"2\"}", ",\"job\":{\"jobid\":\"1\"}}" },
		{ "{\"user_id\":\"a\",\"env_dict\":{\"SLURM_JOB_USER\":\"b\"}}",
		  ",\"job\":{\"user\":\"a\"},\"start\":{\"environment\":{\"SLURM_JOB_USER\":\"b\"}}"
		  "}" },
		{ "{\"env_dict\":{\"PBS_O_LOGNAME\":\"b\",\"PBS_QUEUE\":\"q\"}}",
		  ",\"start\":{\"environment\":{\"PBS_O_LOGNAME\":\"b\",\"PBS_QUEUE\":\"q\"}},"
		  "\"job\":{\"user\":\"b\",\"queue\":\"q\"}}" },
		/* batch systems */
		{ "{\"env_dict\":{\"SLURM_JOBID\":\"1\",\"PBS_JOBID\":\"2\"}}",
		  ",\"start\":{\"environment\":{\"SLURM_JOBID\":\"1\",\"PBS_JOBID\":\"2\"}},"
		  "\"job\":{\"scheduler\":\"slurm\"}}" },
		{ "{\"env_dict\":{\"SLURM_JOB_ID\":\"1\"}}",
		  ",\"start\":{\"environment\":{\"SLURM_JOB_ID\":\"1\"}},\"job\":{\"scheduler\":"
		  "\"slurm\"}}" },
		{ "{\"job_pl_env\":{\"PBS_JOBID\":\"1\"},\"env_dict\":{\"LSB_JOBID\":\"1\"}}",
		  ",\"start\":{\"environment\":{\"PBS_JOBID\":\"1\"}},\"job\":{\"scheduler\":"
		  "\"pbs\"}}" },
		{ "{\"env_dict\":{\"LSB_JOBID\":\"1\"}}",
		  ",\"start\":{\"environment\":{\"LSB_JOBID\":\"1\"}},\"job\":{\"scheduler\":"
		  "\"lsf\"}}" },
		/* tags among the annotations, where nothing else says them */
		{ "{\"annotations\":{\"EPMT_JOB_TAGS\":\"a:b\"}}",
		  ",\"job\":{\"annotations\":{\"EPMT_JOB_TAGS\":\"a:b\"},\"tags\":{\"a\":\"b\"}}"
		  "}" },
		{ "{\"tags\":{\"c\":\"d\"},\"annotations\":{\"EPMT_JOB_TAGS\":\"a:b\"}}",
		  ",\"job\":{\"tags\":{\"c\":\"d\"},\"annotations\":{\"EPMT_JOB_TAGS\":\"a:b\"}}"
		  "}" },
		{ "{\"annotations\":{\"EPMT_JOB_TAGS\":5}}",
		  ",\"job\":{\"annotations\":{\"EPMT_JOB_TAGS\":\"5\"}}}" },
		/* why it ended */
		{ "{\"job_el_reason\":\"timeout\"}",
		  ",\"job\":{\"facts\":{\"exit_reason\":\"timeout\"}}}" },
		{ "{\"job_el_reason\":\"none\"}", "}" },
		{ "{\"job_el_reason\":\"\"}", "}" },
		/* changes of the environment, without old values */
		{ "{\"job_pl_env\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"},\"job_el_env\":{\"b\":"
		  "\"2\",\"c\":"
		  "\"4\",\"d\":\"5\",\"my_password\":\"hunter2hunter2\"}}",
		  ",\"start\":{\"environment\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}},\"stop\":{"
		  "\"environment_changes\":{\"c\":\"4\",\"d\":\"5\",\"my_password\":\"[redacted]\","
		  "\"a\":null}}}" },
		{ "{\"job_pl_env\":{\"a\":\"1\"},\"job_el_env\":\"x\"}",
		  ",\"start\":{\"environment\":{\"a\":\"1\"}}}" },
		{ "{\"job_el_env\":{\"a\":\"1\"}}", "}" },
	};

	pm_log_level = -1;
	setenv("TZ", "UTC0", 1);
	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++)
		ck_assert_msg(strcmp(meta(c[i].object), c[i].want) == 0, "%s: %s", c[i].object,
			      meta(c[i].object));
}
END_TEST

/* What is no text of JSON is escaped. */
START_TEST(strings)
{
	static const struct {
		const char *p;
		size_t n;
		const char *want;
	} c[] = {
		{ "", 0, "" },
		{ "a\tb\\", 4, "a\tb\\" },
		{ "a\xff", 2, "a\\xff" },
		{ "\xff\xfe\xfd\xfc", 4, "\\xff\\xfe\\xfd\\xfc" },
		{ "a\0b", 3, "a\\x00b" },
		{ "abc", 2, "ab" },
	};

	for (size_t i = 0; i < sizeof c / sizeof c[0]; i++) {
		json_t *s = pm_epmt_meta_string(c[i].p, c[i].n);

		ck_assert_str_eq(json_string_value(s), c[i].want);
		json_decref(s);
	}
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("submit/foreign/epmt_meta.c");
	TCase *t = tcase_create("metadata");

	tcase_add_test(t, zones);
	tcase_add_test(t, whose_zone);
	tcase_add_test(t, metadata);
	tcase_add_test(t, strings);
	suite_add_tcase(s, t);
	return s;
}

PM_UNIT_MAIN(suite)
