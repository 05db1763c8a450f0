#!/bin/sh
# A role without any grant could attach the function that numbers jobs to a temporary table of its own, use up the
# numbers of a range, and make partitions of any number: no job loaded any more. It could also hold the lock of a new range.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE jobs' -c 'CREATE DATABASE old' || exit 99
PGOPTIONS='-c perfmon.today=2030_11_20 -c perfmon.month=2030_11'
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
		INSERT INTO mine VALUES (10000000), (100000000), (8999999999999999)"
}

is "$(submit jobs postgres job1)" 0 "a database of one's own"
postgres_sql jobs -c 'CREATE ROLE nobody LOGIN; CREATE ROLE loads LOGIN; GRANT perfmon_loader TO loads' || exit 99
is "$(attack jobs | sort -u)" "ERROR:  permission denied for function perfmon_new_job" "a role without grants"
# One that loads may use the function, but for the jobs of this database alone.
postgres_sql jobs -c 'GRANT EXECUTE ON FUNCTION perfmon_new_job() TO nobody' || exit 99
is "$(attack jobs | head -n 1 | sed 's/pg_temp_[0-9]*/pg_temp/')" \
	"ERROR:  perfmon_new_job() is for the table job alone, not pg_temp.mine" "the table is looked at, too"
is "$(submit jobs loads job2)|$(postgres_sql jobs -c 'SELECT max(id) FROM job' -c 'SELECT count(*) FROM job_range')" "0|2
1" "jobs load, and have the next numbers"

# A lock that anybody may take holds nobody up where a range is made.
as nobody jobs "$(printf 'SELECT pg_advisory_lock(hashtextextended(%s, 0)), pg_sleep(600)' "'perfmon month of public'")" >said &
holder=$!
count=0
until [ "$(postgres_sql jobs -c "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")" = 1 ]; do
	[ $((count += 1)) -gt 600 ] && break
	sleep 0.1
done
sed -i 's/"epoch_us":1700000000000000/"epoch_us":1921320000000000/' job3/*.json || exit 99
said=$(PGOPTIONS='-c perfmon.today=2030_11_20 -c lock_timeout=5s' PERFMON_DB=$(postgres_url jobs loads) timeout 60 "$PERFMON" -q submit job3 2>&1)
is "$?|$said|$(postgres_sql jobs -c 'SELECT max(id) FROM job')" "0||10000001" "a range that is made while somebody holds an advisory lock"
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
is "$(submit old loads job1)|$(postgres_sql old -c 'SELECT max(id) FROM job')" "0|100000001" "jobs load, and have numbers behind those of the month"
# What a migrated database has of functions, tables, policies, triggers and partitions is what a new one has.
functions="SELECT p.proname, p.prosecdef, p.proconfig, pg_get_userbyid(p.proowner), p.proacl, p.prosrc FROM pg_proc p
	JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'public' ORDER BY 1"
postgres_sql jobs -c 'REVOKE ALL ON FUNCTION perfmon_new_job() FROM nobody' || exit 99
postgres_sql jobs -c "$functions" >new
postgres_sql old -c "$functions" >migrated
cmp -s new migrated
ok $? "functions, owners and privileges are those of a new database"
diff new migrated | sed 's/^/# /' | head -n 10
relations="SELECT c.relname, c.relkind, pg_get_userbyid(c.relowner), c.relacl, c.relrowsecurity, (SELECT string_agg(concat_ws(' ', p.polname,
	p.polcmd, p.polroles::regrole[], pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)), ', ' ORDER BY p.polname)
	FROM pg_policy p WHERE p.polrelid = c.oid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition ORDER BY 1"
others="SELECT t.tgrelid::regclass::text, pg_get_triggerdef(t.oid) FROM pg_trigger t WHERE NOT t.tgisinternal ORDER BY 1, 2;
	SELECT k.conrelid::regclass::text, k.conname, pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
	JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND NOT c.relispartition ORDER BY 1, 2;
	SELECT DISTINCT i.inhparent::regclass::text, c.relkind, pg_get_userbyid(c.relowner), c.relrowsecurity AND c.relname !~ '_old$', (SELECT count(*) FROM aclexplode(c.relacl) a
	WHERE a.grantee <> c.relowner), (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid), (SELECT count(*) FROM pg_constraint k
	WHERE k.conrelid = c.oid AND k.contype <> 'p'), (SELECT count(*) FROM pg_index x WHERE x.indrelid = c.oid)
	FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relkind = 'r' ORDER BY 1"
for database in jobs old; do
	postgres_sql $database -c "$relations" -c "$others" >$database.said || exit 99
done
cmp -s jobs.said old.said && [ -s jobs.said ]
ok $? "so are tables, views, policies, triggers, constraints and partitions"
diff jobs.said old.said | sed 's/^/# /' | head -n 10

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
