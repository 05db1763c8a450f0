/*
 * Steps from each earlier version of the schema to the next.
 * A change of the schema raises PM_SCHEMA_VERSION and adds a row to `steps` here. Its SQL, one text
 * per engine, makes the tables of the new version out of those of the old one. It is written out in
 * full and never changed again, while sql/tables.c always makes the present version.
 * Views are dropped before the first step and created in their current form after the last one, as
 * are the table metric and, in PostgreSQL, functions and privileges. Foreign keys are not enforced
 * meanwhile, so that a step can rebuild a table under its old name; after the last step each must
 * hold.
 * tests/golden/schema/ has a database of each version as SQL, and tests/e2e/manage/migrate.t
 * compares the migrated database with a new one into which the same jobs are loaded.
 */
#include "config.h"

#include "db/migrate.h"

#include "db/energy.h"
#include "db/engine.h"
#include "db/erase.h"
#include "db/foreignkeys.h"
#include "db/migrate_energy.h"
#include "db/migrate_models.h"
#include "db/migrate_samples.h"
#include "db/migrate_tagsums.h"
#include "db/migrate_zones.h"
#include "db/programs.h"
#include "db/seriestotal.h"
#include "db/tagsums.h"
#include "db/userdays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In version 1 any role could use up the ids of a month and create months with any id. New jobs
 * continue after the last job there is; months beyond it are dropped and created again when needed.
 */
#define NUMBERS_AGAIN                                                                              \
	"DO $$ DECLARE f bigint; m text; t text; BEGIN "                                           \
	"FOR f, m IN SELECT first_id, month FROM job_month WHERE first_id > "                      \
	"(SELECT coalesce(max(id), 0) FROM job) LOOP "                                             \
	"FOR t IN SELECT p.relname FROM pg_class p JOIN pg_namespace n ON n.oid = p.relnamespace " \
	"WHERE n.nspname = current_schema() AND p.relkind = 'p' LOOP "                             \
	"EXECUTE format('DROP TABLE IF EXISTS %I', format('%s_%s_%s', t, m, f)); END LOOP; "       \
	"EXECUTE format('DROP SEQUENCE job_id_%s', f); "                                           \
	"DELETE FROM job_month WHERE first_id = f; END LOOP; "                                     \
	"FOR f IN SELECT first_id FROM job_month LOOP "                                            \
	"EXECUTE format('SELECT setval(''job_id_%s'', coalesce(max(j.id), %s), max(j.id) IS NOT "  \
	"NULL) FROM job_id_%s s LEFT JOIN job j ON j.id BETWEEN %s AND %s GROUP BY s.last_value "  \
	"HAVING s.last_value > coalesce(max(j.id), %s) + 10000000', f, f, f, f, f + 99999999, "    \
	"f); "                                                                                     \
	"END LOOP; END $$"

/*
 * Drop STRICT, which SQLite before 3.37 cannot read: only the stored text of the definitions
 * changes, a change that SQLite's page on ALTER TABLE allows if it leaves the row format alone.
 * Creating the views afterwards makes other connections read the schema again.
 */
#define NOT_STRICT                                                                                 \
	"PRAGMA writable_schema = ON;"                                                             \
	"UPDATE sqlite_master SET sql = substr(sql, 1, length(sql) - length(') STRICT')) || ')'"   \
	" WHERE type = 'table' AND sql LIKE '%) STRICT';"                                          \
	"UPDATE sqlite_master SET sql ="                                                           \
	" substr(sql, 1, length(sql) - length(') STRICT, WITHOUT ROWID')) || ') WITHOUT ROWID'"    \
	" WHERE type = 'table' AND sql LIKE '%) STRICT, WITHOUT ROWID';"                           \
	"PRAGMA writable_schema = OFF;"

/* Version 1 took the job's CPU time from wait4(2) for its command, or from a control group that
 * other processes may have shared. Neither shows what recording missed, so the coverage becomes
 * unknown. */
#define MEASURED(integer)                                                                          \
	"ALTER TABLE host ADD COLUMN memory_limit_kb " integer ";"                                 \
	"ALTER TABLE host ADD COLUMN tasks_unrecorded " integer ";"                                \
	"ALTER TABLE host ADD COLUMN start_cgroup_memory TEXT;"                                    \
	"ALTER TABLE host ADD COLUMN start_cgroup_own TEXT;"                                       \
	"ALTER TABLE host ADD COLUMN start_reopened " integer ";"                                  \
	"ALTER TABLE host ADD COLUMN stop_measured_cpu_us " integer ";"                            \
	"ALTER TABLE host ADD COLUMN stop_measured_by TEXT;"                                       \
	"ALTER TABLE load ADD COLUMN uid " integer ";"                                             \
	"UPDATE host SET coverage = NULL, charged_cpu_us = stop_charged_cpu_us;"                   \
	"UPDATE job SET coverage = NULL, charged_cpu_us = (SELECT CASE WHEN count(*) = "           \
	"count(stop_charged_cpu_us) THEN CAST(sum(stop_charged_cpu_us) AS bigint) END"             \
	" FROM host WHERE host.job_id = job.id);"

/* `nulls` is " NULLS LAST" where CREATE INDEX accepts that. An administrator may have made or
 * dropped any of them. */
#define INDEXES(nulls)                                                                             \
	"DROP INDEX IF EXISTS job_of_user; DROP INDEX IF EXISTS job_by_jobid;"                     \
	"DROP INDEX IF EXISTS job_by_shown_id; DROP INDEX IF EXISTS job_by_start;"                 \
	"DROP INDEX IF EXISTS job_by_end; DROP INDEX IF EXISTS job_by_uid;"                        \
	"DROP INDEX IF EXISTS job_by_user; DROP INDEX IF EXISTS job_by_name;"                      \
	"DROP INDEX IF EXISTS job_by_account; DROP INDEX IF EXISTS job_by_queue;"                  \
	"DROP INDEX IF EXISTS job_by_exit; DROP INDEX IF EXISTS tag_of_job;"                       \
	"CREATE INDEX job_by_jobid ON job (jobid);"                                                \
	"CREATE INDEX job_by_shown_id ON job ((CASE WHEN array_task = '' THEN jobid ELSE jobid "   \
	"|| '_' || array_task END));"                                                              \
	"CREATE INDEX job_by_start ON job (start_us DESC" nulls ", id DESC);"                      \
	"CREATE INDEX job_by_end ON job ((coalesce(end_us, start_us, epoch_us)));"                 \
	"CREATE INDEX job_by_uid ON job (uid, start_us DESC" nulls ", id DESC);"                   \
	"CREATE INDEX job_by_user ON job (\"user\", start_us DESC" nulls ", id DESC);"             \
	"CREATE INDEX job_by_name ON job ((substr(name, 1, 100)), start_us DESC" nulls             \
	", id DESC);"                                                                              \
	"CREATE INDEX job_by_account ON job ((substr(account, 1, 100)), start_us DESC" nulls       \
	", id DESC);"                                                                              \
	"CREATE INDEX job_by_queue ON job ((substr(queue, 1, 100)), start_us DESC" nulls           \
	", id DESC);"                                                                              \
	"CREATE INDEX job_by_exit ON job (exit_status, exit_signal);"                              \
	"CREATE INDEX tag_of_job ON tag_set (name, (substr(value, 1, 100))) WHERE id = 0;"

/* Tables of blocks of samples; pm_migrate_samples() fills them from sample_3 and drops that. */
#define BLOCKS(integer, text, real, blob, of_host, of_series, partitioned)                         \
	"ALTER TABLE sample RENAME TO sample_3;"                                                   \
	"CREATE TABLE tick_block (job_id " integer " NOT NULL, id " integer                        \
	" NOT NULL, host_id " integer " NOT NULL, ticks " integer " NOT NULL, time_us " integer    \
	" NOT NULL, digits " integer " NOT NULL, times " text " NOT NULL, monotonic_us " integer   \
	", monotonic_digits " integer ", monotonics " text ", PRIMARY KEY (job_id, id)" of_host    \
	")" partitioned ";"                                                                        \
	"CREATE TABLE sample_block (job_id " integer " NOT NULL, series_id " integer               \
	" NOT NULL, id " integer " NOT NULL, tick_block_id " integer " NOT NULL, tick " integer    \
	" NOT NULL, begin_us " integer " NOT NULL, end_us " integer " NOT NULL, samples " integer  \
	" NOT NULL, known " integer " NOT NULL, first " integer " NOT NULL, step " integer         \
	" NOT NULL, base " integer " NOT NULL, deviations " blob " NOT NULL, unknown " text        \
	", minimum " integer ", maximum " integer ", mean " real                                   \
	", PRIMARY KEY (job_id, series_id, id)" of_series ")" partitioned ";"

#define BLOCK_PARTITIONS                                                                           \
	"DO $$ DECLARE f bigint; m text; t text; p text; BEGIN "                                   \
	"FOR f, m IN SELECT first_id, month FROM job_month LOOP "                                  \
	"FOREACH t IN ARRAY ARRAY['tick_block', 'sample_block'] LOOP "                             \
	"p := format('%s_%s_%s', t, m, f); "                                                       \
	"EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', p, t); "                        \
	"EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', t, p, " \
	"f, f + 100000000); "                                                                      \
	"END LOOP; END LOOP; END $$;"

/* Tables of totals; fill_totals() fills them. */
#define TOTALS(integer, text, real, narrow)                                                        \
	"CREATE TABLE program_summary (job_id " integer " NOT NULL, program " text                 \
	" NOT NULL, processes " integer " NOT NULL, runs " integer                                 \
	" NOT NULL, threads_known " integer " NOT NULL, failed " integer                           \
	" NOT NULL, killed " integer " NOT NULL, cpu_time " integer ", systemtime " integer        \
	", duration_us " integer ", rssmax " integer ", threads " integer ", rchar " integer       \
	", wchar " integer ", syscr " integer ", syscw " integer ", read_bytes " integer           \
	", write_bytes " integer ", tiny_reads " integer ", tiny_read_bytes " integer              \
	", tiny_writes " integer ", tiny_write_bytes " integer                                     \
	", PRIMARY KEY (job_id, program), FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE "     \
	"CASCADE)" narrow "CREATE TABLE user_day (cluster " text " NOT NULL, \"user\" " text       \
	" NOT NULL, day_us " integer " NOT NULL, jobs " integer " NOT NULL, failed " integer       \
	" NOT NULL, processes " integer " NOT NULL, cpu_time " integer ", cpu_time_jobs " integer  \
	" NOT NULL, allocated_us " integer ", allocated_us_jobs " integer                          \
	" NOT NULL, rchar " integer ", rchar_jobs " integer " NOT NULL, wchar " integer            \
	", wchar_jobs " integer " NOT NULL, read_bytes " integer ", read_bytes_jobs " integer      \
	" NOT NULL, write_bytes " integer ", write_bytes_jobs " integer                            \
	" NOT NULL, PRIMARY KEY (cluster, \"user\", day_us))" narrow                               \
	"CREATE TABLE series_summary (job_id " integer " NOT NULL, series_id " integer             \
	" NOT NULL, samples " integer " NOT NULL, known " integer " NOT NULL, begin_us " integer   \
	" NOT NULL, end_us " integer " NOT NULL, minimum " integer ", maximum " integer            \
	", mean " real ", PRIMARY KEY (job_id, series_id), FOREIGN KEY (job_id, series_id) "       \
	"REFERENCES series (job_id, id) ON DELETE CASCADE)" narrow

/* Ranges of numbers by day; the months become ranges. Four more tables are partitioned: what they
 * had is a partition for all numbers so far, which has neither references nor readers, as any
 * other. The functions of the new triggers are replaced after the last step. */
#define RANGES                                                                                     \
	"CREATE TABLE job_range (first_id bigint PRIMARY KEY, last_id bigint NOT NULL,"            \
	" name text COLLATE \"C\" NOT NULL UNIQUE); "                                              \
	"INSERT INTO job_range SELECT first_id, first_id + 99999999, month || '_' || first_id "    \
	"FROM job_month; "                                                                         \
	"DO $$ DECLARE t text; old text; r text; top bigint; BEGIN "                               \
	"SELECT max(last_id) + 1 INTO top FROM job_range; "                                        \
	"FOREACH t IN ARRAY ARRAY['content', 'series_summary', 'series', 'program_summary'] LOOP " \
	"old := t || '_old'; "                                                                     \
	"EXECUTE format('ALTER TABLE %I RENAME TO %I', t, old); "                                  \
	"EXECUTE format('ALTER TABLE %I RENAME CONSTRAINT %I TO %I', old, t || '_pkey', old || "   \
	"'_pkey'); "                                                                               \
	"FOR r IN SELECT conname FROM pg_constraint WHERE conrelid = old::regclass AND contype = " \
	"'f' LOOP "                                                                                \
	"EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', old, r); END LOOP; "                  \
	"FOR r IN SELECT polname FROM pg_policy WHERE polrelid = old::regclass LOOP "              \
	"EXECUTE format('DROP POLICY %I ON %I', r, old); END LOOP; "                               \
	"EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', old); "                        \
	"FOR r IN SELECT DISTINCT CAST(a.grantee::regrole AS text) FROM pg_class c, "              \
	"aclexplode(c.relacl) a"                                                                   \
	" WHERE c.oid = old::regclass AND a.grantee NOT IN (0, c.relowner) LOOP "                  \
	"EXECUTE format('REVOKE ALL ON %I FROM %s', old, r); END LOOP; "                           \
	"EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', old); "                                    \
	"EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL) PARTITION BY RANGE (job_id)', "   \
	"t, old); "                                                                                \
	"IF top IS NULL THEN EXECUTE format('DROP TABLE %I', old); ELSE "                          \
	"EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)', " \
	"t, old, top); "                                                                           \
	"END IF; END LOOP; END $$; "                                                               \
	"DROP FUNCTION perfmon_make_month(bigint, text); DROP TABLE job_month; "                   \
	"CREATE FUNCTION perfmon_renew_job() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN "   \
	"NEW; END'; "                                                                              \
	"CREATE FUNCTION perfmon_gone_load() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN "   \
	"OLD; END'; "                                                                              \
	"CREATE TRIGGER perfmon_renew_job BEFORE UPDATE OF problems ON job FOR EACH ROW"           \
	" WHEN (OLD.problems LIKE '%retired: its processes%' AND coalesce(NEW.problems, '')"       \
	" NOT LIKE '%retired: its processes%') EXECUTE FUNCTION perfmon_renew_job(); "             \
	"CREATE TRIGGER perfmon_gone_load BEFORE DELETE ON load FOR EACH ROW EXECUTE FUNCTION "    \
	"perfmon_gone_load();"

/* The unique key of jobs in the order in which they come, which also finds them by id. That of
 * users' names leaves the one of their numbers only jobs without a name. */
#define JOB_KEY     "UNIQUE (jobid, array_task, \"user\", cluster, restart_count, epoch_us)"
#define JOB_KEY_WAS "UNIQUE (cluster, \"user\", jobid, array_task, restart_count, epoch_us)"
#define KEYS                                                                                       \
	"ALTER TABLE job DROP CONSTRAINT IF EXISTS "                                               \
	"job_cluster_user_jobid_array_task_restart_count_epoch_us_key;"                            \
	"ALTER TABLE job ADD " JOB_KEY ";"                                                         \
	"DROP INDEX IF EXISTS job_by_jobid; DROP INDEX IF EXISTS job_by_uid;"                      \
	"CREATE INDEX job_by_uid ON job (uid, start_us DESC NULLS LAST, id DESC) WHERE \"user\" "  \
	"= '';"

/* GPUs of hosts, unknown of those already loaded. */
#define HOST_GPUS(text) "ALTER TABLE host ADD COLUMN gpus " text ";"

/* Efficiency of jobs whose processes still ran was computed of part of their CPU time. */
#define STILL_RUNNING "UPDATE job SET efficiency = NULL WHERE running > 0;"

/* A partition of the totals of tags for each range of numbers that has others. */
#define TAGSUM_PARTITIONS                                                                          \
	"DO $$ DECLARE r record; p text; BEGIN "                                                   \
	"FOR r IN SELECT first_id, last_id, name FROM job_range LOOP "                             \
	"p := format('tag_summary_%s', r.name); "                                                  \
	"CONTINUE WHEN to_regclass(format('process_%s', r.name)) IS NULL; "                        \
	"EXECUTE format('CREATE TABLE %I (LIKE tag_summary INCLUDING ALL)', p); "                  \
	"EXECUTE format('ALTER TABLE tag_summary ATTACH PARTITION %I FOR VALUES FROM (%s) TO "     \
	"(%s)', "                                                                                  \
	"p, r.first_id, r.last_id + 1); "                                                          \
	"END LOOP; END $$;"

/* Whether SQLite enforces foreign keys: dropping a table then deletes all that refers to its rows.
 * Returns 1, 0 or -1 with e filled. */
static int has_references(struct pm_db *db, struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, "PRAGMA foreign_keys", &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	if (rc > 0)
		rc = pm_db_int(q, 0) != 0;
	pm_db_finish(q);
	return rc;
}

/* SQLite cannot change a key: the table is made anew out of its own text. Returns 0 or -1 with e
 * filled. */
static int renew_jobs(struct pm_db *db, struct pm_err *e)
{
	static const char begin[] = "CREATE TABLE ", was[] = JOB_KEY_WAS;
	static const char rest[] =
		"INSERT INTO job_7 SELECT * FROM job; DROP TABLE job;"
		"ALTER TABLE job_7 RENAME TO job;"
		"CREATE INDEX job_by_shown_id ON job ((CASE WHEN array_task = '' THEN jobid ELSE "
		"jobid || '_' || array_task END));"
		"CREATE INDEX job_by_start ON job (start_us DESC, id DESC);"
		"CREATE INDEX job_by_end ON job ((coalesce(end_us, start_us, epoch_us)));"
		"CREATE INDEX job_by_user ON job (\"user\", start_us DESC, id DESC);"
		"CREATE INDEX job_by_uid ON job (uid, start_us DESC, id DESC) WHERE \"user\" = '';"
		"CREATE INDEX job_by_name ON job ((substr(name, 1, 100)), start_us DESC, id DESC);"
		"CREATE INDEX job_by_account ON job ((substr(account, 1, 100)), start_us DESC, id "
		"DESC);"
		"CREATE INDEX job_by_queue ON job ((substr(queue, 1, 100)), start_us DESC, id "
		"DESC);"
		"CREATE INDEX job_by_exit ON job (exit_status, exit_signal);";
	const char *text, *columns, *key;
	char *sql = NULL;
	struct pm_stmt *q;
	int rc;

	if (db->engine->dialect != PM_DIALECT_SQLITE)
		return 0;
	rc = has_references(db, e);
	if (rc != 0)
		return rc < 0 ? -1 : pm_err(e, "foreign keys are enforced");
	if (pm_db_prepare(db, "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'job'",
			  &q, e) < 0)
		return -1;
	rc = pm_db_step(q, e);
	text = rc > 0 ? pm_db_text(q, 0, NULL) : NULL;
	columns = text && strncmp(text, begin, sizeof begin - 1) == 0 ? strchr(text, '(') : NULL;
	key = columns ? strstr(columns, was) : NULL;
	if (rc >= 0 && !key)
		rc = pm_err(e, "table job has not the key that perfmon gave it");
	else if (rc >= 0 && asprintf(&sql, "%sjob_7 %.*s" JOB_KEY "%s;%s", begin,
				     (int)(key - columns), columns, key + sizeof was - 1, rest) < 0)
		rc = pm_err(e, "out of memory");
	pm_db_finish(q);
	if (rc < 0)
		return -1;
	rc = pm_db_exec(db, sql, e);
	free(sql);
	return rc;
}

/* Jobs whose processes there are: what is left of those of a job that is being retired does not
 * make its totals. */
#define WHOLE_JOBS "SELECT id FROM job WHERE NOT (" PM_ERASE_GONE_PROCESSES ")"

/* Compute totals of the jobs of a query. Returns 0 or -1 with e filled. */
static int renew_each(struct pm_db *db, const char *sql,
		      int (*renew)(struct pm_db *db, int64_t job, struct pm_err *e),
		      struct pm_err *e)
{
	struct pm_stmt *q;
	int rc;

	if (pm_db_prepare(db, sql, &q, e) < 0)
		return -1;
	while ((rc = pm_db_step(q, e)) > 0)
		if (renew(db, pm_db_int(q, 0), e) < 0) {
			rc = -1;
			break;
		}
	pm_db_finish(q);
	return rc;
}

/* Fill the tables of totals. By the loader's own rules, so that both agree: a later version that
 * changes these tables has them filled anew by its own step, and removes this one's. */
static int fill_totals(struct pm_db *db, struct pm_err *e)
{
	return renew_each(db, WHOLE_JOBS " ORDER BY id", pm_programs_renew, e) < 0 ||
			       pm_userdays_fill(db, e) < 0
		       ? -1
		       : pm_seriestotal_fill(db, e);
}

static int fill_tagsums(struct pm_db *db, struct pm_err *e)
{
	return renew_each(db,
			  WHOLE_JOBS " AND EXISTS (SELECT 1 FROM tag_set t WHERE t.job_id = job.id "
				     "AND t.id > 0) ORDER BY id",
			  pm_tagsums_renew, e);
}

static const struct pm_migrate_step steps[] = {
	{
		.from = 1,
		.about = "SQLite 3.26 or newer can read the tables; in PostgreSQL only loaders can "
			 "call the function that numbers jobs; coverage is known only where the "
			 "kernel accounts for the whole job, and becomes unknown for jobs already "
			 "loaded",
		.sql = { MEASURED("INTEGER") NOT_STRICT, MEASURED("bigint") NUMBERS_AGAIN },
		.costs = { { "job", { { 0, 800, 9000 }, { 0, 800, 9000 } } },
			   { "host", { { 0, 800, 9000 }, { 0, 800, 9000 } } } },
	},
	{
		.from = 2,
		.about = "indexes find jobs by id, user, time, name, account, queue, exit status "
			 "and "
			 "tag",
		.sql = { INDEXES(""), INDEXES(" NULLS LAST") },
		.costs = { { "job", { { 400, 0, 12000 }, { 700, 0, 12000 } } } },
	},
	{
		.from = 3,
		.about = "samples are coded in blocks; their rows are those of the view sample",
		.sql = { BLOCKS("INTEGER", "TEXT", "REAL", "BLOB",
				", FOREIGN KEY (job_id, host_id) REFERENCES host (job_id, id) ON "
				"DELETE CASCADE",
				", FOREIGN KEY (job_id, series_id) REFERENCES series (job_id, id) "
				"ON DELETE CASCADE",
				""),
			 BLOCKS("bigint", "text COLLATE \"C\"", "double precision", "bytea", "", "",
				" PARTITION BY RANGE (job_id)") BLOCK_PARTITIONS },
		.convert = pm_migrate_samples,
		.costs = { { "series", { { 150, 0, 3000 }, { 150, 0, 3000 } } },
			   /* SQLite may overwrite what it frees. */
			   { "sample", { { 3, 30, 500 }, { 3, 0, 1000 } } } },
	},
	{
		.from = 4,
		.about =
			"totals of the programs and series of each job, and of each user's jobs by "
			"day",
		.sql = { TOTALS("INTEGER", "TEXT", "REAL", " WITHOUT ROWID;"),
			 TOTALS("bigint", "text COLLATE \"C\"", "double precision", ";") },
		.convert = fill_totals,
		.costs = { { "job", { { 1200, 0, 30000 }, { 1500, 0, 200000 } } },
			   { "process", { { 0, 0, 1500 }, { 0, 0, 3000 } } },
			   { "series", { { 100, 0, 3000 }, { 100, 0, 3000 } } } },
	},
	{
		.from = 5,
		.reads = true,
		.about = "PostgreSQL: partitions by the day of the job, which retire drops; in "
			 "SQLite "
			 "nothing changes",
		.sql = { "", RANGES },
	},
	{
		.from = 6,
		.reads = true,
		.about = "two indexes less for each job to be entered in, and one in the order of "
			 "its id",
		.sql = { "", KEYS },
		.convert = renew_jobs,
		.costs = { { "job", { { 900, 0, 15000 }, { 300, 0, 10000 } } } },
	},
	{
		.from = 7,
		.about = "indexes for lists of jobs in other orders, by host and by annotation; "
			 "GPU time "
			 "and memory of processes and jobs, unknown of those already loaded; "
			 "energy of "
			 "the meters of each host, by its samples, of hosts and of jobs",
		.sql = { PM_MIGRATE_ORDERS("", "") PM_MIGRATE_GPU_COLUMNS("INTEGER")
				 PM_MIGRATE_ENERGY("INTEGER", "TEXT", "REAL"),
			 PM_MIGRATE_ORDERS(" NULLS LAST", " NULLS FIRST")
				 PM_MIGRATE_GPU_COLUMNS("bigint") PM_MIGRATE_ENERGY(
					 "bigint", "text COLLATE \"C\"", "double precision") },
		.convert = pm_energy_fill,
		/* Rows of hosts that have meters, spread over all series: one in a hundred or so.
		 */
		.costs = { { "job", { { 200, 0, 8000 }, { 400, 0, 8000 } } },
			   { "series", { { 2, 1, 1500 }, { 5, 3, 3000 } } } },
	},
	{
		.from = 8,
		.about = "reference models, analyses of jobs, and an index of the jobs that were "
			 "not analyzed; GPUs of hosts, unknown of those already loaded; bounds of "
			 "figures for lists of the largest; totals of sets of tags of large jobs",
		.sql = { PM_MIGRATE_MODELS("INTEGER", "TEXT", "REAL", " WITHOUT ROWID;")
				 HOST_GPUS("TEXT") STILL_RUNNING PM_MIGRATE_ZONES
					 PM_MIGRATE_TAGSUMS("INTEGER", "BLOB",
							    ", FOREIGN KEY (job_id) REFERENCES job "
							    "(id) ON DELETE CASCADE",
							    " WITHOUT ROWID;"),
			 PM_MIGRATE_MODELS("bigint", "text COLLATE \"C\"", "double precision",
					   ";") HOST_GPUS("text COLLATE \"C\"")
				 STILL_RUNNING PM_MIGRATE_FIGURES(" NULLS LAST") PM_MIGRATE_TAGSUMS(
					 "bigint", "bytea", "", " PARTITION BY RANGE (job_id);")
					 TAGSUM_PARTITIONS },
		.convert = fill_tagsums,
		.costs = { { "job", { { 20, 0, 3000 }, { 230, 0, 200000 } } },
			   /* Of large jobs whose processes have tags. */
			   { "process", { { 6, 0, 1500 }, { 6, 0, 3000 } } } },
	},
	{ .from = 0 },
};

_Static_assert(sizeof steps / sizeof steps[0] == PM_SCHEMA_VERSION,
	       "a step from every earlier version of the schema");

const struct pm_migrate_step *pm_migrate_steps(void)
{
	return steps;
}

bool pm_migrate_readable(int version)
{
	for (const struct pm_migrate_step *s = steps; s->from; s++)
		if (s->from >= version && !s->reads)
			return false;
	return true;
}

/* Drop the views that a text defines, the last first: a view follows the views that it uses. */
static int drop_views(struct pm_db *db, const char *text, struct pm_err *e)
{
	static const char begin[] = "\nCREATE VIEW ";
	const char *at = strstr(text, begin);
	struct pm_stmt *q = NULL;
	char *sql = NULL;
	int rc, n;

	if (!at)
		return 0;
	at += sizeof begin - 1;
	n = (int)strcspn(at, " \n(");
	if (drop_views(db, at, e) < 0)
		return -1;
	/* In an earlier version a table may have had the name. */
	rc = asprintf(&sql, "SELECT 1 FROM (%s) c WHERE kind = 'view' AND name = ?",
		      db->engine->catalog);
	if (rc < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_prepare(db, sql, &q, e);
	free(sql);
	if (rc < 0)
		return -1;
	pm_db_bind_text(q, 1, at, (size_t)n);
	rc = pm_db_step(q, e);
	pm_db_finish(q);
	if (rc <= 0)
		return rc;
	if (asprintf(&sql, "DROP VIEW %.*s", n, at) < 0)
		return pm_err(e, "out of memory");
	rc = pm_db_exec(db, sql, e);
	free(sql);
	return rc;
}

static int note_version(struct pm_db *db, int version, struct pm_err *e)
{
	char *sql = pm_schema_version_row(db->engine->dialect, version);
	int rc = sql ? pm_db_exec(db, sql, e) : pm_err(e, "out of memory");

	free(sql);
	return rc;
}

/* Report a broken foreign key as an error. */
static int fail_dangling(void *ctx, const struct pm_foreignkey *f, int64_t job, int64_t rows,
			 struct pm_err *e)
{
	(void)ctx;
	return pm_foreignkeys_fail(f, job, rows, e);
}

/* Drop the views, run the steps, create the views and check foreign keys, inside the transaction.
 * Returns 0 or -1. */
static int take_steps(struct pm_db *db, const struct pm_migrate_step *step, int to,
		      pm_migrate_fn *each, void *ctx, struct pm_err *e)
{
	char *views = pm_schema_derived(db->engine->dialect);
	int rc = -1;

	if (!views)
		return pm_err(e, "out of memory");
	if (drop_views(db, views, e) < 0)
		goto out;
	for (const struct pm_migrate_step *s = step; s->from; s++) {
		if (s->from < db->version || s->from >= to)
			continue;
		each(ctx, s);
		if (pm_db_exec(db, s->sql[db->engine->dialect], e) < 0 ||
		    (s->convert && s->convert(db, e) < 0) || note_version(db, s->from + 1, e) < 0) {
			pm_err_prefix(e, "from version %d to %d", s->from, s->from + 1);
			goto out;
		}
	}
	if (pm_db_exec(db, "DELETE FROM metric", e) == 0 && pm_db_exec(db, views, e) == 0)
		rc = pm_foreignkeys_check(db, 0, fail_dangling, NULL, e);
out:
	free(views);
	return rc;
}

int pm_migrate_by(struct pm_db *db, const struct pm_migrate_step *step, int to, bool dry,
		  pm_migrate_fn *each, void *ctx, struct pm_err *e)
{
	int from = db->version, rc;

	if (from == 0)
		return pm_err(e, "database %s: nothing was ever loaded into it", db->name);
	if (dry) {
		for (; each && step->from; step++)
			if (step->from >= from && step->from < to)
				each(ctx, step);
		return from;
	}
	if (from >= to)
		return from;
	if (db->engine->references(db, false, e) < 0)
		return pm_err_prefix(e, "database %s", db->name);
	rc = pm_db_begin(db, e);
	if (rc == 0) {
		/* Another process may have migrated the database meanwhile. */
		rc = pm_db_lock(db, "schema", e);
		if (rc == 0)
			rc = pm_db_schema_read(db, e);
		from = db->version;
		if (rc == 0 && from > to)
			rc = pm_err(e, "a newer perfmon has migrated it to schema version %d",
				    from);
		else if (rc == 0 && from < to)
			rc = take_steps(db, step, to, each, ctx, e);
		if (rc == 0)
			rc = pm_db_commit(db, e);
		if (rc < 0)
			pm_db_rollback(db);
	}
	if (db->engine->references(db, true, rc < 0 ? NULL : e) < 0 || rc < 0)
		return pm_err_prefix(e, "database %s", db->name);
	db->version = to;
	return from;
}

int pm_migrate_run(struct pm_db *db, bool dry, pm_migrate_fn *each, void *ctx, struct pm_err *e)
{
	return pm_migrate_by(db, steps, PM_SCHEMA_VERSION, dry, each, ctx, e);
}
