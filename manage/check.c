/* perfmon check: tests of what a database needs as it grows. They change nothing. */
#include "config.h"

#include "common/cli/check.h"

#include "common/now.h"
#include "common/settings/readconfig.h"
#include "db/db.h"
#include "db/usage.h"
#include "sql/schema.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define DAY_US      INT64_C(86400000000)
#define GROWTH_DAYS 30
#define BACKUP_DAYS 2

/* Below this many jobs, every plan is fast enough without statistics. */
#define MANY_JOBS 10000

/* Open the database for reading. NULL if there is none yet, or if it cannot be read, which other
 * checks report: then a finding says that nothing was checked. */
static struct pm_db *open_database(struct pm_check *c)
{
	const char *setting = pm_config_get(PM_SET_db);
	struct pm_db *db = NULL;
	struct pm_err e;
	char *path = NULL;
	long pid;

	/* Opening would wait for the holder of an exclusive lock. */
	if (!pm_db_is_served(setting) && !pm_db_missing(setting))
		path = pm_db_path(setting, &e);
	errno = 0;
	if (path && pm_db_locked(path, &pid, &e) > 0)
		pm_check_report(c, PM_CHECK_PASS, "", "not checked: see database.lock");
	else if (pm_db_open(&db, setting, PM_DB_READ, &e) < 0)
		pm_check_report(c, PM_CHECK_PASS, "",
				errno == ENOENT ? "nothing was ever loaded"
						: "not checked: see database.schema");
	free(path);
	return db;
}

/* Query one number; -1 with e filled, also if it is unknown. */
static int64_t query_number(struct pm_db *db, const char *sql, int64_t bound, struct pm_err *e)
{
	struct pm_stmt *q;
	int64_t n = -1;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	if (bound >= 0)
		pm_db_bind_int(q, 1, bound);
	if (pm_db_step(q, e) > 0 && !pm_db_is_null(q, 0))
		n = pm_db_int(q, 0);
	pm_db_finish(q);
	return n;
}

void pm_check_database_indexes(struct pm_check *c)
{
	struct pm_db *db = open_database(c);
	const char *name;
	struct pm_err e;
	size_t n = 0, missing = 0;

	if (!db)
		return;
	for (; (name = pm_schema_index_name(n, pm_db_has_zones(db))) != NULL; n++) {
		int rc = pm_usage_has(db, name, &e);

		if (rc > 0)
			continue;
		missing++;
		if (rc < 0)
			pm_check_report(c, PM_CHECK_WARN, "", "%s", e.text);
		else
			pm_check_report(c, PM_CHECK_WARN,
					"create it with its line of `perfmon schema`",
					"index %s is missing: look-ups read every job", name);
	}
	if (missing == 0)
		pm_check_report(c, PM_CHECK_PASS, "", "all %zu indexes are there", n);
	pm_db_close(db);
}

void pm_check_database_statistics(struct pm_check *c)
{
	struct pm_db *db = open_database(c);
	struct pm_err e = { "" };
	int64_t without, jobs;

	if (!db)
		return;
	jobs = query_number(db, "SELECT count(*) FROM job", -1, &e);
	without = jobs < 0 ? -1 : pm_usage_unanalyzed(db, &e);
	if (without < 0)
		pm_check_report(c, PM_CHECK_WARN, "", "not known: %s", e.text);
	else if (without > 0 && jobs > MANY_JOBS)
		pm_check_report(c, PM_CHECK_WARN,
				"run ANALYZE with sqlite3 or psql, or see to autovacuum",
				"the database has no statistics: plans of queries are guesses");
	else
		pm_check_report(c, PM_CHECK_PASS, "",
				without > 0 ? "none, and too few jobs to need any"
					    : "there are statistics");
	pm_db_close(db);
}

/* Days until the free space on the database's file system is used up; INT64_MAX if unknown. */
static int64_t days_left(int64_t per_day)
{
	char *path = pm_db_is_served(pm_config_get(PM_SET_db))
			     ? NULL
			     : pm_db_path(pm_config_get(PM_SET_db), NULL);
	struct statvfs fs;
	int64_t days = INT64_MAX;

	if (path && per_day > 0 && statvfs(path, &fs) == 0)
		days = (int64_t)(fs.f_bavail * fs.f_frsize) / per_day;
	free(path);
	return days;
}

void pm_check_database_growth(struct pm_check *c)
{
	struct pm_db *db = open_database(c);
	int64_t bytes = -1, unused, now = pm_now_us(), jobs = -1, recent = -1, oldest = now;
	double days, per_day;
	struct pm_err e = { "" };

	if (!db)
		return;
	if (pm_usage_sees_all(db, &e) == 0)
		pm_err(&e, "this user does not see every job");
	else if (!e.text[0] && (jobs = query_number(db, "SELECT count(*) FROM job", -1, &e)) > 0 &&
		 (oldest = query_number(db, "SELECT min(start_us) FROM job", -1, &e)) >= 0 &&
		 (recent = query_number(db, "SELECT count(*) FROM job WHERE start_us >= ?",
					now - GROWTH_DAYS * DAY_US, &e)) > 0 &&
		 pm_usage_whole(db, &bytes, &unused, &e) == 0 && bytes >= 0 && unused > 0)
		bytes -= unused;
	if (e.text[0]) {
		pm_check_report(c, PM_CHECK_PASS, "", "not known: %s", e.text);
	} else if (jobs <= 0 || recent <= 0 || bytes < 0) {
		pm_check_report(c, PM_CHECK_PASS, "", "no job began in the last %d days",
				GROWTH_DAYS);
	} else {
		/* A young database is measured since its first job, for a day at least. */
		days = fmax(1, fmin(GROWTH_DAYS, (double)(now - oldest) / DAY_US));
		per_day = (double)bytes / (double)jobs * (double)recent / days;
		if (days_left((int64_t)per_day) < GROWTH_DAYS)
			pm_check_report(c, PM_CHECK_WARN,
					"delete old jobs with `perfmon retire`, or make room",
					"grows by %.1f MB a day: space for %lld days",
					per_day / 1e6, (long long)days_left((int64_t)per_day));
		else
			pm_check_report(c, PM_CHECK_PASS, "",
					"grows by %.1f MB a day: %.1f jobs of %.1f kB",
					per_day / 1e6, (double)recent / days,
					(double)bytes / (double)jobs / 1e3);
	}
	pm_db_close(db);
}

void pm_check_database_backup(struct pm_check *c)
{
	static const char remedy[] =
		"see perfmon-schema(5), BACKUP, and renew it with every backup";
	const char *path = pm_config_get(PM_SET_backup);
	struct stat st;
	int64_t age;
	bool late;

	if (!path || !*path) {
		pm_check_report(c, PM_CHECK_PASS, "",
				"not known: the setting backup names no file");
		return;
	}
	if (stat(path, &st) < 0) {
		pm_check_report(c, PM_CHECK_WARN, remedy, "%s: %s", path, strerror(errno));
		return;
	}
	age = (pm_now_us() / 1000000 - (int64_t)st.st_mtime) / 3600;
	late = age < 0 || age >= BACKUP_DAYS * 24;
	pm_check_report(c, late ? PM_CHECK_WARN : PM_CHECK_PASS, late ? remedy : "",
			"the last backup is %lld hours old: %s", (long long)age, path);
}
