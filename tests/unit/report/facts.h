/* A small database made by hand, and the facts of its job. */
#ifndef PM_TESTS_UNIT_REPORT_FACTS_H
#define PM_TESTS_UNIT_REPORT_FACTS_H

#include "db/programs.h"
#include "report/query/query.h"
#include "tests/unit/main.h"
#include "tests/unit/samples.h"

#include <stdio.h>

static struct pm_db *db;
static struct pm_facts f;
static struct pm_err e;

static void run(const char *sql)
{
	ck_assert_msg(pm_db_exec(db, sql, &e) == 0, "%s: %s", sql, e.text);
}

/* A job of 48 s, so that a step of the timeline is a second; two hosts. */
static void make(void)
{
	ck_assert_msg(pm_db_open(&db, "", PM_DB_MEMORY, &e) == 0, "%s", e.text);
	run("INSERT INTO job (id, cluster, \"user\", jobid, array_task, restart_count, epoch_us,"
	    " start_us, end_us, cpus, rssmax) VALUES (1, '', 'u', '1', '', 0, 1, 0, 48000000, 4, "
	    "7)");
	run("INSERT INTO host (job_id, id, hostname, memory_kb) VALUES (1, 1, 'a', 100)");
	run("INSERT INTO host (job_id, id, hostname, memory_kb) VALUES (1, 2, 'b', 50)");
	pm_facts_init(&f, 5);
}

static inline void unmake(void)
{
	pm_facts_free(&f);
	pm_db_close(db);
}

/* A value of a series, in SQL; "NULL" is an unknown one. */
static inline void sample(int id, int second, const char *value)
{
	static int64_t block;
	char time_us[32];

	snprintf(time_us, sizeof time_us, "%d", second * 1000000);
	block++;
	run(test_sample_sql(1000000 + block, id, block, time_us,
			    strcmp(value, "NULL") == 0 ? NULL : value));
}

static inline void facts(void)
{
	ck_assert_int_eq(pm_db_begin(db, &e), 0);
	ck_assert_msg(pm_programs_renew(db, 1, &e) == 0, "%s", e.text);
	ck_assert_int_eq(pm_db_commit(db, &e), 0);
	ck_assert_msg(pm_query_facts(db, 1, true, &f, &e) == 0, "%s", e.text);
}

/* Add a process; the values are SQL. */
static inline void process(int id, const char *parent, const char *exename, const char *args,
			   const char *rest_names, const char *rest_values)
{
	char sql[1024];

	snprintf(
		sql, sizeof sql,
		"INSERT INTO process (job_id, id, host_id, parent_id, pid, depth, pid_ns, image_us,"
		" exename, path, args, %s) VALUES (1, %d, 1, %s, %d, 0, 1, %d, %s, %s, %s, %s)",
		rest_names, id, parent, 100 + id, id, exename, exename, args, rest_values);
	run(sql);
}

#endif
