#!/bin/sh
# A role without any grant could attach the function that numbers jobs to a temporary table of its own, use up the
# numbers of a month, and make partitions of any number: no job loaded any more. It could also hold the lock of a new month.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE jobs' -c 'CREATE DATABASE old' || exit 99
PGOPTIONS='-c perfmon.month=2030_11'
export PGOPTIONS
for n in 1 2 3; do
	"$abs_top_builddir/tests/progs/generate" --jobid $n job$n 20 1 >/dev/null || exit 99
done
as() { psql -X -q -A -t -h "$postgres_host" -U "$1" -d "$2" -c "$3" 2>&1; }
submit() { PERFMON_DB=$(postgres_url "$1" "$2") "$PERFMON" -q submit "$3" 2>&1; echo $?; }
# attack DATABASE: prints what the server says.
attack()
{
	as nobody "$1" "CREATE TEMPORARY TABLE mine (id bigint);
		CREATE TRIGGER t BEFORE INSERT ON mine FOR EACH ROW EXECUTE FUNCTION perfmon_new_job()"
	as nobody "$1" "CREATE TEMPORARY TABLE mine (id bigint);
		CREATE TRIGGER t BEFORE INSERT ON mine FOR EACH ROW EXECUTE FUNCTION perfmon_new_job();
		INSERT INTO mine VALUES (100000000), (8999999999999999)"
}

is "$(submit jobs postgres job1)" 0 "a database of one's own"
postgres_sql jobs -c 'CREATE ROLE nobody LOGIN; CREATE ROLE loads LOGIN; GRANT perfmon_loader TO loads' || exit 99
is "$(attack jobs | sort -u)" "ERROR:  permission denied for function perfmon_new_job" "a role without grants"
# One that loads may use the function, but for the jobs of this database alone.
postgres_sql jobs -c 'GRANT EXECUTE ON FUNCTION perfmon_new_job() TO nobody' || exit 99
is "$(attack jobs | head -n 1 | sed 's/pg_temp_[0-9]*/pg_temp/')" \
	"ERROR:  perfmon_new_job() is for the table job alone, not pg_temp.mine" "the table is looked at, too"
is "$(submit jobs loads job2)|$(postgres_sql jobs -c 'SELECT max(id) FROM job' -c 'SELECT count(*) FROM job_month')" "0|2
2" "jobs load, and have the next numbers"

# A lock that anybody may take holds nobody up where a month begins.
as nobody jobs "$(printf 'SELECT pg_advisory_lock(hashtextextended(%s, 0)), pg_sleep(600)' "'perfmon month of public'")" >said &
holder=$!
count=0
until [ "$(postgres_sql jobs -c "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")" = 1 ]; do
	[ $((count += 1)) -gt 600 ] && break
	sleep 0.1
done
said=$(PGOPTIONS='-c perfmon.month=2031_05 -c lock_timeout=5s' PERFMON_DB=$(postgres_url jobs loads) timeout 60 "$PERFMON" -q submit job3 2>&1)
is "$?|$said|$(postgres_sql jobs -c 'SELECT max(id) FROM job')" "0||200000001" "a month that begins while somebody holds an advisory lock"
kill $holder
wait $holder 2>/dev/null

# --- a database of version 1 ------------------------------------------------------------------------
postgres_sql old -1 -f "$abs_top_srcdir/tests/golden/schema/1.postgres" >out 2>&1 || exit 99
postgres_sql old -c "INSERT INTO job (cluster, \"user\", jobid, array_task, restart_count, epoch_us) VALUES ('', 'u', '77', '', 0, 0)" || exit 99
attack old >out
is "$(postgres_sql old -c 'SELECT last_value FROM job_id_1')" 100000000 "of version 1: its numbers are used up"
is "$(submit old loads job1 | grep -c 'perfmon migrate')" 1 "a load says what to do"
PERFMON_DB=$(postgres_url old) "$PERFMON" list >out 2>err
is "$?|$(grep -c 'perfmon migrate' err)" "1|1" "so does whoever reads it"
PERFMON_DB=$(postgres_url old loads) "$PERFMON" migrate >out 2>err
is "$?|$(cat err)|$(postgres_sql old -c 'SELECT max(version) FROM schema_version')" "0||$(sed -n 's/^#define PM_SCHEMA_VERSION //p' "$abs_top_srcdir/sql/schema.h")" "a loader migrates it"
is "$(attack old | sort -u)" "ERROR:  permission denied for function perfmon_new_job" "no more of that"
is "$(submit old loads job1)|$(postgres_sql old -c 'SELECT max(id) FROM job')" "0|2" "jobs load, and have the next numbers again"
# What a migrated database has of functions is what a new one has.
functions="SELECT p.proname, p.prosecdef, p.proconfig, pg_get_userbyid(p.proowner), p.proacl, p.prosrc FROM pg_proc p
	JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'public' ORDER BY 1"
postgres_sql jobs -c 'REVOKE ALL ON FUNCTION perfmon_new_job() FROM nobody' || exit 99
postgres_sql jobs -c "$functions" >new
postgres_sql old -c "$functions" >migrated
cmp -s new migrated
ok $? "functions, owners and privileges are those of a new database"
diff new migrated | sed 's/^/# /' | head -n 10

# --- the one who made the schema ---------------------------------------------------------------------
# Where no roles may be made the tables are one user's; perfmon_secure() gives them to the loaders, and says so.
postgres_sql postgres -c 'CREATE ROLE plain LOGIN' -c 'CREATE DATABASE own OWNER plain' || exit 99
is "$(submit own plain job1)" 0 "a database of one user"
said=$(psql -X -q -h "$postgres_host" -U postgres -d own -c 'SET client_min_messages = notice' -c 'SELECT perfmon_secure()' 2>&1 >out)
case $said in *"GRANT perfmon_loader TO plain"*) true ;; *) false ;; esac
ok $? "perfmon_secure() tells whom to grant perfmon_loader"

is "$(submit own plain job2 | tail -n 1)" 1 "who loads no longer"
postgres_sql own -c 'GRANT perfmon_loader TO plain' || exit 99
is "$(submit own plain job2)" 0 "and with it does"
done_testing
