#!/bin/sh
# perfmon verify and dbsize: a sound database is found sound, every kind of fault is found, sizes add up.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need sqlite3; then
	skip "verify" "no $missing"
	done_testing
fi
golden=$abs_top_srcdir/tests/golden
mkdir real v1 && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 || exit 99
"$abs_top_builddir/tests/progs/generate" job 150 2 >/dev/null || exit 99
# In several loads, so that rows were made anew.
mkdir part && mv job/*n1* part
PERFMON_DB=$work/base.db "$PERFMON" submit real v1 job >out 2>err
mv part/* job
PERFMON_DB=$work/base.db "$PERFMON" submit job >out 2>err
is "$(perfmon base.db verify)|$(cat out)" "0||$work/base.db: 3 jobs checked, 0 faults" "a sound database"

# found SQL CHECK TEXT NAME: with this done to the database, a line says TEXT, all of its lines are of
# CHECK (a word of --json), and the status is 1.
found()
{
	rm -f x.db*
	cp base.db x.db
	sqlite3 x.db "PRAGMA foreign_keys = OFF; $1" || exit 99
	said=$(perfmon x.db verify)
	grep -q -F -e "$2" out
	is "$said|$?" "1||0" "$3"
	grep -q -F -e "$2" out || diag "$(head -n 4 out)"
}
found "UPDATE process SET parent_id = 9999 WHERE job_id = 3 AND id = 5" \
	"job #3 tester/4711: process 5: parent_id 9999; expected: a process before it" "a parent that is not there"
found "UPDATE process SET parent_id = 4 WHERE job_id = 3 AND id = 3; UPDATE process SET parent_id = 3 WHERE job_id = 3 AND id = 4" \
	"process 3: parent_id 4; expected: a process before it" "a circle of parents"
found "UPDATE process SET depth = 7 WHERE job_id = 1 AND id = 2" "process 2: depth 7; expected: depth 1" "a depth"
found "UPDATE process SET depth = NULL WHERE job_id = 1 AND id = 2" "process 2: no depth; expected: depth 1" "no depth"
# Of a process without CPU time, which no sum would tell.
more="INSERT INTO process (job_id, id, host_id, parent_id, depth) SELECT 3, 9000, 1"
found "$more, 9999, 0" "process 9000: parent_id 9999; expected: a process before it" "a parent that is not there, at no depth"
found "$more, NULL, NULL" "process 9000: no depth; expected: depth 0" "no depth, without a parent"
# Numbers that are no integers, where somebody wrote them.
found "UPDATE process SET depth = depth + 0.5 WHERE job_id = 3 AND id = 5" "process 5: depth " "a depth between two"
found "UPDATE process SET start_us = start_us || 'x' WHERE job_id = 3 AND id = 5" "process 5: start_us " "a time that is a text"
for time in 1 946684799999999 4000000000000000; do
	found "UPDATE process SET start_us = $time, end_us = NULL WHERE job_id = 3 AND id = 5" \
		"process 5: start_us $time; expected: a time from 2000 on, and not in the future" "a process that started at $time"
	found "UPDATE process SET end_us = $time WHERE job_id = 3 AND id = 5" "process 5: end_us $time; expected: " "or ended then"
	found "UPDATE host SET start_time_us = $time, stop_time_us = NULL WHERE job_id = 3 AND id = 1" \
		"host 1: start_time_us $time; expected: a time from" "a host"
	found "UPDATE job SET submit_us = $time WHERE id = 3" "job: submit_us $time; expected: a time from" "a job"
done
found "UPDATE process SET end_us = start_us - 1 WHERE job_id = 3 AND id = 5" " or later" "a process that ends before it starts"
found "UPDATE host SET stop_time_us = start_time_us - 1 WHERE job_id = 3 AND id = 1" "host 1: stop_time_us " "a host"
found "UPDATE job SET end_us = start_us - 1 WHERE id = 3" "job: end_us " "a job"
found "UPDATE job SET submit_us = start_us + 1 WHERE id = 3" "job: start_us " "a job that starts before it was submitted"
thread=$(sqlite3 base.db "SELECT id || ' of process ' || process_id FROM thread_row WHERE job_id = 3 LIMIT 1")
of_thread="job_id = 3 AND id = ${thread%% *} AND process_id = ${thread##* }"
for time in 1 946684799999999 4000000000000000; do
	found "UPDATE thread_row SET start_us = $time, end_us = NULL WHERE $of_thread" \
		"thread $thread: start_us $time; expected: a time from 2000 on, and not in the future" "a thread that started at $time"
done
found "UPDATE process SET rdtsc_duration = -7 WHERE job_id = 3 AND id = 5" \
	"process 5: rdtsc_duration -7; expected: 0 or more" "cycles of a process below zero"
found "UPDATE thread_row SET rdtsc_duration = -1 WHERE $of_thread" \
	"thread $thread: rdtsc_duration -1; expected: 0 or more" "cycles of a thread"
now=$(($(date +%s) * 1000000))
cp base.db x.db
sqlite3 x.db "UPDATE process SET end_us = $now + 60000000 WHERE job_id = 3 AND id = 5"
is "$(perfmon x.db verify | grep -c .)|$(grep -c 'in the future' out)" "1|0" "a minute ahead is a clock that differs"
found "UPDATE process SET cpu_time = cpu_time + 1 WHERE job_id = 3 AND id = 5" "process 5: cpu_time" "a CPU time"
found "UPDATE process SET usertime = usertime + 1 WHERE job_id = 3 AND id = 5" "process 5: cpu_time" "one that is not what it is made of"
found "UPDATE process SET inclusive_cpu_time = inclusive_cpu_time + 1 WHERE job_id = 3 AND id = 1" \
	"process 1: inclusive_cpu_time" "the CPU time of a tree"
found "UPDATE process SET inclusive_cpu_time = NULL WHERE job_id = 3 AND id = 5" \
	"process 5: no inclusive_cpu_time; expected: inclusive_cpu_time" "none of a tree"
found "DELETE FROM process WHERE job_id = 3 AND id = (SELECT max(id) FROM process WHERE job_id = 3)" \
	"summary: processes" "a process that is gone"
found "UPDATE job SET failed = failed + 1 WHERE id = 2" "job #2 someone/77_3: summary: failed" "a number of the summary"
found "UPDATE job SET coverage = 0.5 WHERE id = 3" "summary: coverage 0.5; expected: " "a ratio of it"
found "UPDATE job SET rssmax = NULL WHERE id = 1" "summary: no rssmax; expected: rssmax" "a largest value of it"
found "UPDATE host SET cpu_time = 1 WHERE job_id = 1" "host 1: cpu_time 1; expected: cpu_time" "the summary of a host"
# Totals: each column, one more and unknown, rows that are missing and too many.
for column in $(sqlite3 base.db "SELECT name FROM pragma_table_info('program_summary') WHERE name NOT IN ('job_id', 'program')"); do
	found "UPDATE program_summary SET $column = coalesce($column, 0) + 1 WHERE job_id = 3 AND program = 'cc1'" \
		"job #3 tester/4711: program cc1: $column " "a total of a program: $column"
done
found "UPDATE program_summary SET rssmax = NULL WHERE job_id = 3 AND program = 'cc1'" "program cc1: no rssmax; expected: rssmax" \
	"one that is unknown"
found "DELETE FROM program_summary WHERE job_id = 3 AND program = 'cc1'" "program cc1: no row; expected: a row" "a program that is gone"
found "INSERT INTO program_summary (job_id, program, processes, runs, threads_known, failed, killed) VALUES (3, 'cc2', 1, 1, 0, 0, 0)" \
	"program cc2: a row; expected: no row" "one of no process"
found "UPDATE process SET exename = 'cc3' WHERE job_id = 3 AND id = (SELECT min(id) FROM process WHERE job_id = 3 AND exename = 'cc1')" \
	"program cc3: no row; expected: a row" "a process of another program"
for column in $(sqlite3 base.db "SELECT name FROM pragma_table_info('user_day') WHERE name NOT IN ('cluster', 'user', 'day_us')"); do
	found "UPDATE user_day SET $column = coalesce($column, 0) + 1 WHERE \"user\" = 'tester'" \
		"day 2023-11-14 of user tester: $column " "a total of a day: $column"
done
found "UPDATE user_day SET cpu_time = NULL WHERE \"user\" = 'tester'" "user tester: no cpu_time; expected: cpu_time" "one that is unknown"
found "DELETE FROM user_day WHERE \"user\" = 'tester'" "day 2023-11-14 of user tester: no jobs; expected: jobs 1" "a day that is gone"
for key in "cluster = 'c9'" "\"user\" = 'ghost'" "day_us = day_us - 86400000000"; do
	found "UPDATE user_day SET $key WHERE \"user\" = 'tester'" ": jobs 1; expected: no jobs" "a day of no job: $key"
done
found "DELETE FROM thread_row WHERE id = 1 AND job_id = 1" ": threads up to number" "a thread that is gone"
found "INSERT INTO counter (job_id, process_id, thread_id, name, value) VALUES (1, 1, 77, 'cycles', 1)" \
	"counter cycles of process 1: thread 77; expected: a thread it has" "a counter of no thread"
found "INSERT INTO tag_set (job_id, id, name, value) VALUES (1, 999, 'lost', '1')" \
	"tag lost: set 999; expected: a process that has it" "a tag of no process"
found "DELETE FROM tag_set WHERE job_id = 1 AND id = 1" "process 2: tag_set 1; expected: tags of the job" "tags that are gone"
found "DELETE FROM reject WHERE job_id = 2 AND id = 1" "1 lines rejected of 16; expected: 0 rejected" "a rejected line that is gone"
found "UPDATE reject SET load_id = 99 WHERE job_id = 2 AND id = 1" ": file 99 " "one of no file"
found "UPDATE content SET bytes = zeroblob(length(bytes)) WHERE job_id = 1 AND load_id = 2" "job #1 alice/11174-1: file 2 " \
	"content that is damaged"
found "UPDATE content SET load_id = 100 + load_id WHERE job_id = 3;
	UPDATE content SET load_id = CASE load_id WHEN 101 THEN 2 WHEN 102 THEN 1 ELSE load_id - 100 END WHERE job_id = 3" \
	"bytes, SHA-256 " "content of another file"
found "DELETE FROM series WHERE job_id = 1" "rows of table sample_block: they point to no row; expected: a row of table series" \
	"samples of no series"
found "DELETE FROM job WHERE id = 3" "job #3, which is missing: " "rows of no job"
rm -f x.db*
cp base.db x.db
python3 - <<'EOF'
import sqlite3
db = sqlite3.connect("x.db")
size = db.execute("PRAGMA page_size").fetchone()[0]
page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'process'").fetchone()[0]
db.close()
f = open("x.db", "r+b")
f.seek((page - 1) * size)
f.write(b"\xaa" * size)
EOF
perfmon x.db verify >said
is "$(cut -c1 said)|$(cat said out | grep -c -i -E 'sound|malformed')" "1|$(cat said out | grep -c -i -E 'sound|malformed' | sed 's/^0$/some/')" \
	"a damaged file"

# What is asked for.
cp base.db x.db
sqlite3 x.db "UPDATE process SET depth = depth + 1 WHERE job_id = 3"
n=$(sqlite3 x.db "SELECT count(*) FROM process WHERE job_id = 3 AND parent_id IS NULL")
is "$(perfmon x.db verify '#1' 77_3)|$(cat out)" "0||$work/x.db: 2 jobs checked, 0 faults" "other jobs are sound"
is "$(perfmon x.db verify -q 4711 --limit 0)|$(wc -l <out)" "1||$n" "a line per fault"
sqlite3 x.db "UPDATE process SET depth = depth + id WHERE job_id = 3"
is "$(perfmon x.db verify -j 4711 --limit 2)|$(grep -c 'process [0-9]*: depth' out)|$(grep -c 'more in check tree' out)" "1||2|1" \
	"--limit counts the rest"
is "$(perfmon x.db verify --json --limit 1)" "1|" "--json"
if need python3; then
	is "$(python3 -c '
import json
d = json.load(open("out"))
f = d["list"][0]
print(d["jobs"], d["faults"] > 100, len(d["list"]), f["job"], f["check"], sorted(f))')" \
		"3 True 1 3 tree ['check', 'expected', 'job', 'stored', 'what']" "has the faults"
fi
is "$(perfmon x.db verify nosuch | sed 's/ in .*//')" "1|perfmon: nosuch: no such job" "a job that is none"
cp base.db x.db
perfmon x.db retire --older-than 90d --keep-summary >/dev/null
is "$(perfmon x.db verify)|$(cat out)" "0||$work/x.db: 3 jobs checked, 0 faults" "summaries of retired jobs are sound"

# --- dbsize ---------------------------------------------------------------------------------------
rm -f x.db* && cp base.db x.db
is "$(perfmon x.db dbsize)|$(grep -c "^$work/x.db: " out)" "0||1" "dbsize"
for table in process counter sample_block content; do
	grep -q "^  $table  *$(sqlite3 x.db "SELECT count(*) FROM $table" | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\( \|$\)/\1 \2/; ta') " out
	ok $? "it counts the rows of $table"
done
is "$(grep -c '#[123] .*/' out)" 3 "and knows the jobs"
is "$(perfmon x.db dbsize job --limit 1)|$(grep -c '#' out)" "0||1" "the largest"
is "$(perfmon x.db dbsize tablespace)|$(sed '1,/^$/d' out)" "0||Tablespaces
  SQLite has none: the database is one file." "no tablespaces"
is "$(perfmon x.db dbsize room | cut -d: -f1-2)" "2|perfmon: unknown part 'room'" "a word that is none"
is "$(perfmon x.db dbsize all --json)" "0|" "--json"
if need python3; then
	python3 - <<-'EOF'
	import json, os, sqlite3, sys
	d = json.load(open("out"))
	db = sqlite3.connect("x.db")
	rows = {t["name"]: t["rows"] for t in d["tables"]}
	bad = [t for t in rows if rows[t] != db.execute("select count(*) from " + t).fetchone()[0]]
	if d["bytes"] != os.path.getsize("x.db"):
	    bad.append("bytes")
	parts = [p["bytes"] for p in d["tables"] + d["indexes"]]
	if None not in parts:
	    # The schema itself is in none of them.
	    if not 0 <= d["bytes"] - sum(parts) - d["free_bytes"] <= 98304:
	        bad.append("sum of parts: %s %s" % (d["bytes"], sum(parts)))
	    # A page of each part is there without jobs, too.
    of_jobs = sum(parts) - 4096 * len(parts)
    if abs(sum(j["about_bytes"] for j in d["jobs"]) / of_jobs - 1) > 0.3:
	        bad.append("jobs: %s %s" % (sum(j["about_bytes"] for j in d["jobs"]), of_jobs))
	if sum(j["rows"] for j in d["jobs"]) != sum(rows[t] for t in rows if t not in ("job", "metric", "schema_version", "user_day")):
	    bad.append("rows of jobs")
	if len(d["jobs"]) != 3 or d["jobs"] != sorted(d["jobs"], key=lambda j: -(j["about_bytes"] or j["rows"])):
	    bad.append("order")
	print(*bad)
	sys.exit(bool(bad))
	EOF
	ok $? "is right about every table, and adds up"
fi

# --- PostgreSQL -----------------------------------------------------------------------------------
postgres_needed "PostgreSQL"
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
server=$(postgres_url jobs)
# Jobs behind the day of loading are numbered together, as those in SQLite are.
PGOPTIONS='-c perfmon.today=2001_01_01'
export PGOPTIONS
"$PERFMON" copy -q base.db "$server" || exit 99
PERFMON_DB=$server "$PERFMON" verify >out 2>err
is "$?|$(cat err)|$(sed 's/.*: //' out)" "0||3 jobs checked, 0 faults" "PostgreSQL: a sound database"
postgres_sql jobs -c "UPDATE process SET inclusive_cpu_time = 1, depth = 9 WHERE job_id = 3 AND id = 1;
	UPDATE job SET processes = 0 WHERE id = 3; DELETE FROM reject; UPDATE host SET coverage = 3 WHERE job_id = 1;
	UPDATE program_summary SET runs = 0 WHERE job_id = 3 AND program = 'cc1'; UPDATE user_day SET failed = 9 WHERE \"user\" = 'tester'"
PERFMON_DB=$server "$PERFMON" verify >out 2>err
is "$?|$(cat err)|$(grep -c -E 'process 1: inclusive|process 1: depth|summary: processes|expected: [0-9]* rejected|host 1: coverage' out)|$(
	grep -c -E 'program cc1: runs 0|user tester: failed 9|user tester: processes' out)" "1||6|3" "its faults are found"
PERFMON_DB=$server "$PERFMON" dbsize all --json >out 2>err
is "$?|$(cat err)|$(grep -c '"name": "process"' out)|$(grep -c '"name": "pg_default"' out)|$(grep -c 'about_bytes' out)" "0||1|1|3" \
	"its sizes are told"
# What all databases of the server share hardly changes.
is "$(tr -d ' \n' <out | sed -n 's/.*{"name":"pg_global","bytes":\([0-9]*\)}.*/\1/p')" \
	"$(postgres_sql jobs -At -c "SELECT pg_tablespace_size('pg_global')")" "each tablespace has its own"
PERFMON_DB=$server "$PERFMON" dbsize >out 2>err
is "$?|$(cat err)|$(grep -c -E '^  process .* kB|^  process .* MB' out)" "0||1" "for people, too"
done_testing
