#!/bin/sh
# retire --to from PostgreSQL: jobs arrive whole in archives, and come back the same to either engine.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need sqlite3; then
	skip "retire --to" "no $missing"
	done_testing
fi
postgres_needed "PostgreSQL"
golden=$abs_top_srcdir/tests/golden
mkdir real v1 && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 150 2 >/dev/null || exit 99
PERFMON_DB=$work/3.db "$PERFMON" submit real v1 job >out 2>err
PERFMON_DB=$work/3.db "$PERFMON" annotate 4711 note=kept || exit 99
sqlite3 3.db "INSERT INTO phase VALUES (3, 1, 1, 'solve', 17, 1700000000000000, 1700000000000009, 9, 1);
	UPDATE user_day SET day_us = 1600000000000000 / 86400000000 * 86400000000 WHERE \"user\" = 'alice';
	UPDATE job SET start_us = 1600000000000000, end_us = 1600000001000000 WHERE id = 1"
postgres_sql postgres -c 'CREATE DATABASE jobs' -c 'CREATE DATABASE back' || exit 99
server=$(postgres_url jobs)
"$PERFMON" copy -q 3.db "$server" || exit 99

# Every row of every table and view, whichever engine.
dump() { "$abs_top_builddir/tests/progs/dumpdb" "$1" | LC_ALL=C sort; }
# alike FILE DB NAME
alike()
{
	dump "$2" >got.dump
	cmp -s "$1" got.dump
	ok $? "$3"
	cmp -s "$1" got.dump || diag "$(diff "$1" got.dump | cut -c1-200 | head -6)"
}
# on DB ARG...: output in out and err, "STATUS|ERRORS|last line" printed
on()
{
	name=$1
	shift
	PERFMON_DB=$name "$PERFMON" "$@" >out 2>err </dev/null
	echo "$?|$(cat err)|$(sed 's/, ended before .*[0-9]//' out | tail -n 1)"
}
move() { on "$1" retire --older-than 90d --to cold; }
moved="moved 3 jobs with 166 processes to cold"
archives="cold/_/2020-09.db cold/c1/2023-11.db cold/_/2023-11.db"
dump 3.db >3.dump

is "$(move "$server")|$(postgres_sql jobs -c 'SELECT count(*) FROM job')" "0||$moved|0" "three jobs move"
# shellcheck disable=SC2086 # words
on back.db submit $archives >said
alike 3.dump back.db "back in SQLite, every row is the same"
# shellcheck disable=SC2086 # words
is "$(on "$(postgres_url back)" submit $archives | cut -d'|' -f1,2)" "0|" "they come back to PostgreSQL"
alike 3.dump "$(postgres_url back)" "the same"
is "$(move "$(postgres_url back)")" "0||$moved" "and move again: the archives have the same rows"

# An archive that loses a row as it is written.
"$PERFMON" copy -q 3.db "$server"
rm -r cold && mkdir -m 700 cold cold/_ && mkdir none
PERFMON_DB=cold/_/2023-11.db "$PERFMON" submit none >out 2>err
sqlite3 cold/_/2023-11.db "CREATE TRIGGER fault BEFORE INSERT ON annotation BEGIN SELECT RAISE(IGNORE); END"
is "$(move "$server" | sed 's/#[0-9]*/#N/')|$(postgres_sql jobs -c 'SELECT jobid FROM job')" \
	"1|perfmon: warning: job #N tester/4711 is not moved: cold/_/2023-11.db has it with other rows in table annotation; nothing more of it was deleted|moved 2 jobs with 16 processes to cold|4711" \
	"an archive that is at fault"
is "$(postgres_sql jobs -c 'SELECT count(*) FROM process')" "150" "nothing of the job is deleted"
sqlite3 cold/_/2023-11.db "DROP TRIGGER fault"
is "$(move "$server")" "0||moved 1 job with 150 processes to cold" "mended, the next call moves it"
rm -f back.db*
# shellcheck disable=SC2086 # words
on back.db submit $archives >said
alike 3.dump back.db "and it is whole"

# Killed at any time, loads beside it.
for i in 1 2 3 4 5 6; do
	PERFMON_DB=$server "$PERFMON" drop -q -f && "$PERFMON" copy -q 3.db "$server" || break
	rm -rf cold back.db*
	PERFMON_DB=$server "$PERFMON" retire -q --older-than 90d --to cold >out 2>&1 &
	pid=$!
	PERFMON_DB=$server "$PERFMON" submit -q job >out2 2>&1
	sleep "0.$i"
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	move "$server" >said
	# shellcheck disable=SC2086 # words
	on back.db submit $archives >said2
	dump back.db | cmp -s - 3.dump || break
done
is "$i" 6 "killed six times"
alike 3.dump back.db "no job is lost or doubled"

# Parquet files: what the archives get from PostgreSQL is in them, each process once.
if need python3 zstd; then
	rows_of() { python3 "$abs_top_srcdir/tests/e2e/manage/dayfiles.py" "$@" 2>&1; }
	rows_of truth 3.db >3.rows
	PERFMON_DB=$server "$PERFMON" drop -q -f && "$PERFMON" copy -q 3.db "$server"
	rm -rf cold
	is "$(on "$server" retire --older-than 90d --to cold --parquet)|$(postgres_sql jobs -c 'SELECT count(*) FROM job')" "0||$moved|0" "three jobs move with --parquet"
	rows_of files cold | cmp -s 3.rows -
	ok $? "each process is there"
	rm -f cold/parquet/*/*c1* && "$PERFMON" copy -q 3.db "$server"
	is "$(on "$server" retire --older-than 90d --to cold --parquet --keep summary | cut -d'|' -f1,2)|$(postgres_sql jobs -c 'SELECT count(*) FROM process')" "0||0" \
		"they come back and move again, with a file lost"
	rows_of files cold | cmp -s 3.rows -
	ok $? "each process is there, once"
else
	skip "Parquet files from PostgreSQL" "no $missing"
fi
done_testing
