#!/bin/sh
# Numbers of jobs in PostgreSQL: a range for each day, whose partitions a query about a job or a day looks into alone.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL" "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 -c log_line_prefix=@@"
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
PGOPTIONS='-c perfmon.today=2024_10_05'
PERFMON_DB=$(postgres_url jobs)
export PGOPTIONS PERFMON_DB
sql() { postgres_sql jobs "$@"; }
"$PERFMON" schema --dialect postgresql | sql -1 -f - >/dev/null 2>&1 || exit 99
# job NAME EPOCH [ID]: the number of a new job; EPOCH is SQL of a time, or microseconds
job()
{
	case $2 in *[!0-9-]*) epoch="extract(epoch FROM timestamp '$2') * 1000000" ;; *) epoch=$2 ;; esac
	sql -c "INSERT INTO job (${3:+id, }cluster, \"user\", jobid, array_task, restart_count, epoch_us)
		VALUES (${3:+$3, }'', 'u', '$1', '', 0, $epoch) RETURNING id" 2>&1
}
ranges() { sql -c "SELECT string_agg((first_id - 1) / 10000000 || '=' || name, ' ' ORDER BY first_id) FROM job_range"; }

is "$(job a '2024-10-03 23:59:59') $(job b '2024-10-03 00:00:00') $(job c '2024-10-02 12:00') $(job d '2024-10-03 12:00')" "1 2 10000001 3" \
	"days have ranges in the order in which they appear"
is "$(job e '2024-10-06 23:59:59') $(job f '2024-10-07 00:00:00') $(job g '2024-10-05 12:00')" "20000001 30000001 30000002" \
	"tomorrow has its own, a later day counts as today"
is "$(job h '2024-08-26 00:00:00') $(job i '2024-08-25 23:59:59') $(job j '2024-08-03 12:00') $(job k '2004-02-29 12:00')" \
	"40000001 50000001 50000002 60000001" "more than 40 days ago, days of a month are together"
is "$(job l '1999-12-31 23:59:59') $(job m 0) $(job n -1) $(job o 9223372036854775807) $(job p -9223372036854775808)" \
	"30000003 30000004 30000005 30000006 30000007" "times before 2000 and wrong clocks count as today"
is "$(ranges)" "0=2024_10_03 1=2024_10_02 2=2024_10_06 3=2024_10_05 4=2024_08_26 5=2024_08_01 6=2004_02_01" "ranges have names"
is "$(sql -c "SELECT count(*), count(DISTINCT last_id - first_id), max(last_id - first_id) FROM job_range")" "7|1|9999999" "and ten million numbers each"
is "$(sql -c "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r' AND relname ~ '_20\d\d_\d\d_\d\d$'")" 77 "and partitions of eleven tables"
sql -c "UPDATE job SET start_us = 0, epoch_us = epoch_us - 86400000000 WHERE id = 3"
is "$(sql -c "SELECT id FROM job WHERE jobid = 'd'") $(job q '2024-10-03 12:00')" "3 4" "a job that is moved keeps its number"

# Numbers that are given, and a range that is used up.
is "$(job r '2024-10-03 12:00' 77) $(job s '2024-10-03 12:00') $(job t '2024-10-01 12:00' 95000000) $(job u '2024-10-01 12:00')" \
	"77 78 95000000 95000001" "a number that is given counts, and makes its range"
is "$(job v '2024-10-03 12:00' 10000000) $(job w '2024-10-03 12:00') $(job x '2024-10-03 12:00')" "10000000 100000001 100000002" "a day whose range is used up has another"
is "$(job y '2024-10-03 12:00' 85000000) $(job z '2024-10-03 12:00')" "85000000 100000003" "numbers between ranges"
is "$(ranges)" "0=2024_10_03 1=2024_10_02 2=2024_10_06 3=2024_10_05 4=2024_08_26 5=2024_08_01 6=2004_02_01 8=2024_10_03_80000001 9=2024_10_01 10=2024_10_03_100000001" \
	"as the ranges say"

# Two that need a range at once: one makes it.
for n in 1 2 3 4 5 6; do
	job at$n '2024-09-30 12:00' >number$n &
	eval "pid$n=\$!"
done
for n in 1 2 3 4 5 6; do eval "wait \$pid$n"; done
is "$(sort -n number? | tr '\n' ' ')|$(sql -c "SELECT count(*) FROM job_range WHERE name ~ '2024_09_30'")" \
	"110000001 110000002 110000003 110000004 110000005 110000006 |1" "six at once"

# Partitions that somebody has dropped come back with the next job.
sql -c "DROP TABLE process_2024_09_30, content_2024_09_30"
is "$(job back '2024-09-30 12:00')|$(sql -c "SELECT count(*) FROM pg_class WHERE relispartition AND relkind = 'r' AND relname ~ '_2024_09_30$'")" \
	"110000007|11" "partitions that were dropped"

# The name of a month of schema version 5 begins as that of a day: with the number 200000001, as the 20th.
sql -c "SELECT perfmon_make_range(200000001, 300000000, '2024_09_200000001')"
is "$(job twentieth '2024-09-20 12:00')|$(sql -c "SELECT first_id FROM job_range WHERE name = '2024_09_20'")" "300000001|300000001" "a month is no range of a day"

# --- plans ----------------------------------------------------------------------------------------
for day in 1 2 3 4; do
	"$abs_top_builddir/tests/progs/generate" --events 3 --jobid 7$day job$day 40 1 >/dev/null || exit 99
	sed -i "s/\"epoch_us\":1700000000000000/\"epoch_us\":$((1726000000 + 86400 * day))000000/" job$day/*.json || exit 99
done
"$PERFMON" -q submit job1 job2 job3 job4 >out 2>err
is "$?|$(cat err)|$(sql -c "SELECT count(DISTINCT (id - 1) / 10000000) FROM job WHERE jobid LIKE '7_'")" "0||4" "jobs of four days"
day=$(sql -c "SELECT r.name FROM job j JOIN job_range r ON j.id BETWEEN r.first_id AND r.last_id WHERE j.jobid = '73'")
sql -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT exename, sum(cpu_time) / 1e6 AS cpu_s FROM process
	WHERE job_id BETWEEN (SELECT min(first_id) FROM job_range WHERE name = '$day') AND
	(SELECT max(last_id) FROM job_range WHERE name = '$day') GROUP BY exename" >plan
is "$(grep 'on process_' plan | grep -v 'never executed' | grep -o 'on process_[0-9_]*')" "on process_$day" "a query about a day reads its partition"
if need python3; then
	for verb in "show 73" "show 73 --json" "report 73" "list processes 73" "verify 73" "list counters 73 --json" "list threads 73" \
		"submit --replace job3" "delete -f 72"; do
		: >"$postgres_host/data/log"
		# shellcheck disable=SC2086 # words
		"$PERFMON" $verb >out 2>err || diag "$verb: $(cat err)"
		python3 - "$postgres_host/data/log" <<-'END' >several
		import re, sys
		plans = 0
		for entry in open(sys.argv[1], errors="replace").read().split("@@"):
		    if "plan:" not in entry or "job_range" in entry:
		        continue
		    plans += 1
		    of = {}
		    for table, part in re.findall(r" on ([a-z_]+?)_(20\d\d_\d\d_\d\d(?:_\d+)?)\b", entry):
		        of.setdefault(table, set()).add(part)
		    for table in of:
		        if len(of[table]) > 1:
		            print(table, len(of[table]), re.sub(r"\s+", " ", entry)[:300])
		print("none" if plans < 1 else "")
		END
		is "$(cat several)" "" "$verb looks into one partition of a table"
	done
else
	skip "plans of verbs" "no $missing"
fi

# --- locks ----------------------------------------------------------------------------------------
# Statements that run often do not lock the partitions of other days, which somebody holds here.
many="many1 many2 many3 many4 many5 many6 many7 many8"
for name in $many; do
	cp -R job3 "$name" && sed -i "s/\"73\"/\"$name\"/" "$name"/*.json && sed -i "s/	73	/	$name	/" "$name"/*.tsv || exit 99
done
mkfifo held
sql <held >holds &
holder=$!
exec 7>held
echo "BEGIN; LOCK TABLE $(sql -c "SELECT string_agg(c.relname, ', ') FROM pg_class c JOIN job_range r ON c.relname LIKE '%\_' || r.name
	WHERE c.relkind = 'r' AND c.relispartition AND r.name <> '$day'"); SELECT 'holds';" >&7
count=0
until grep -q holds holds; do [ $((count += 1)) -gt 600 ] && exit 99; sleep 0.1; done
for verb in "submit" "submit --replace" "verify" "delete -f"; do
	# shellcheck disable=SC2086 # words
	PGOPTIONS="$PGOPTIONS -c statement_timeout=60s" "$PERFMON" $verb $many >out 2>err 7>&-
	is "$?|$(cat err)" "0|" "$verb of many jobs locks the partitions of their day alone"
done
exec 7>&-
wait $holder
done_testing
