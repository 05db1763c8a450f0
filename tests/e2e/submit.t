#!/bin/sh
# perfmon submit: a directory, again, hosts that come late, newer files, what it prints.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

generate=$abs_top_builddir/tests/progs/generate
PERFMON_DB=$work/perfmon.db
export PERFMON_DB

# What the database says, by perfmon's own reader where sqlite3 is absent.
query()
{
	python3 -c '
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print("|".join("" if v is None else str(v) for v in row))' "${2:-$PERFMON_DB}" "$1"
}

if ! need python3; then
	skip "submit" "no $missing to look into the database with"
	done_testing
fi

want=$("$generate" job 400 2) || exit 99
# shellcheck disable=SC2086
set -- $want
processes=$1 rows=$2 failed=$3 killed=$4

"$PERFMON" submit job >out 2>err
is $? 0 "a good job: exit status 0"
is "$(sed 's/ [0-9]* processes\/s$//' out)" "job 4711: $processes processes, $(query 'SELECT count(*) FROM thread') threads, 0 rejected," \
	"one line per job"
is "$(cat err)" "" "nothing on standard error"
is "$(query 'SELECT processes, failed, killed, running, reaped_only, rejected, hosts FROM job')" \
	"$processes|$failed|$killed|0|0|0|2" "the job's counts are the generator's"
is "$(query 'SELECT count(*) FROM thread_row')" "$rows" "a row per thread"
is "$(query 'SELECT count(*), count(DISTINCT host_id) FROM process')" "$processes|2" "a row per process"
is "$(query 'SELECT count(*) FROM process WHERE parent_id IS NULL')" 2 "one root per host"
is "$(query 'SELECT count(*) FROM process p JOIN process q ON q.id = p.parent_id WHERE q.host_id <> p.host_id')" 0 \
	"no parent on another host"
is "$(query 'SELECT name, value FROM tag WHERE process_id = 0')" "exp|a:b=c" "the job's tag"
is "$(query "SELECT count(*) FROM tag WHERE process_id > 0 AND name = 'stage' AND value = 'one=1'")" "$processes" \
	"the processes' tags"
is "$(query "SELECT DISTINCT name, value, ratio FROM counter WHERE thread_id = 0 ORDER BY name")" \
	"perf::PAGE-FAULTS|70|0.5
perf::TASK-CLOCK|1500000|" "counters with their ratio"
is "$(query 'SELECT sum(cpu_time) = (SELECT cpu_time FROM job), sum(minflt) = (SELECT minflt FROM job), max(rssmax) = (SELECT rssmax FROM job) FROM process')" \
	"1|1|1" "sums and maxima of the job are those of its processes"
is "$(query 'SELECT sum(inclusive_cpu_time) = (SELECT cpu_time FROM job) FROM process WHERE parent_id IS NULL')" 1 \
	"the roots' inclusive time is all time"
is "$(query 'SELECT count(*) FROM process p WHERE p.inclusive_cpu_time <> coalesce(p.cpu_time, 0) + (SELECT coalesce(sum(inclusive_cpu_time), 0) FROM process c WHERE c.parent_id = p.id)')" \
	0 "inclusive time is own time and that of the children"
is "$(query "SELECT count(*) FROM process WHERE generation = 1 AND end_reason = 'exit' AND usertime NOT BETWEEN 500 AND 5519")" \
	0 "an image's time is without that of the image before it"
is "$(query 'PRAGMA integrity_check')$(query 'PRAGMA foreign_key_check')" ok "the database is whole"

query 'SELECT * FROM process ORDER BY id' >before
"$PERFMON" submit job >out 2>err
is "$?|$(cat out)" "0|job 4711: already loaded, nothing new" "the same again: a no-op that says so"
query 'SELECT * FROM process ORDER BY id' | cmp -s - before
ok $? "and nothing changed"
is "$(query 'SELECT count(*) FROM load')" 4 "nor was a load noted"
cp -R job elsewhere && "$PERFMON" submit elsewhere >out
is "$(cat out)" "job 4711: already loaded, nothing new" "a copy of it is the same"

mkdir host0 host1 && cp job/*n0* host0 && cp job/*n1* host1 || exit 99
PERFMON_DB=$work/late.db "$PERFMON" submit host1 >out 2>err
PERFMON_DB=$work/late.db "$PERFMON" submit host0 >out 2>err
is $? 0 "a host that comes late"
grep -q 'added to what was there' out
ok $? "is added"
same='SELECT processes, threads, failed, killed, hosts, cpus, cpu_time, start_us, end_us, duration_us, efficiency, rchar, rssmax FROM job'
is "$(query "$same" late.db)" "$(query "$same")" "and the job is as if loaded at once"
rows='SELECT h.hostname, p.pid, p.image_us, p.depth, p.cpu_time, p.inclusive_cpu_time, q.pid FROM process p JOIN host h ON h.id = p.host_id LEFT JOIN process q ON q.id = p.parent_id ORDER BY 1, 2, 3'
is "$(query "$rows" late.db | cksum)" "$(query "$rows" | cksum)" "so are its processes"

# A job loaded while it runs, and again when it is over.
mkdir early && cp job/job-n0.json early && head -n 101 job/n0-1000.tsv >early/n0-1000.tsv || exit 99
PERFMON_DB=$work/grown.db "$PERFMON" submit early >out 2>err
is $? 0 "a job that is still growing"
PERFMON_DB=$work/grown.db "$PERFMON" submit job >out 2>err
is $? 0 "and the whole of it later"
grep -q 'in place of what was there' out
ok $? "replaces it"
is "$(query "$rows" grown.db | cksum)" "$(query "$rows" | cksum)" "with the same rows"
is "$(query 'SELECT count(*), sum(rejected) FROM load' grown.db)" "4|0" "and the same files"
"$PERFMON" submit -n job >out 2>err
is $? 0 "--dry-run"
grep -q "$processes processes" out && grep -q 'nothing was written' out
ok $? "says what would be loaded"
PERFMON_DB=$work/never.db "$PERFMON" submit --dry-run job >out 2>&1
[ ! -e never.db ]
ok $? "and makes no database"
"$PERFMON" submit -q job >out 2>err
is "$?$(cat out err)" 0 "-q: silence"
PERFMON_DB=$work/json.db "$PERFMON" submit --json job >out
is "$(python3 -c 'import json; j = json.load(open("out"))[0]; print(j["job"], j["state"], j["processes"], j["rejected"])')" \
	"4711 new $processes 0" "--json"

"$PERFMON" submit "$work/none" >out 2>err
is "$?|$(cat err)" "1|perfmon: $work/none: No such file or directory" "a source that is not there"
echo hello >text.tgz
"$PERFMON" submit text.tgz 2>err
is "$?|$(grep -c 'text.tgz: no archive, or cut in its first header' err)" "1|1" "a text is no archive"
"$PERFMON" submit 4711 2>err
is "$?|$(cat err)" "1|perfmon: 4711: No such file or directory; a job is named by its id behind -j" "a job's id is no source"
mkdir empty && "$PERFMON" submit empty >out 2>err
is $? 1 "a directory without a job"
grep -q 'no job in it' err
ok $? "says so"
"$PERFMON" submit "$work/none" job empty >out 2>err
is "$?|$(wc -l <err)|$(cat out)" "1|2|job 4711: already loaded, nothing new" "one bad source costs no other"

# Without operands.
(unset PERFMON_DB && "$PERFMON" submit) >out 2>err
is $? 1 "nothing to submit"
grep -q 'no closed job' err
ok $? "says so"
if "$PERFMON" -a run true 2>err && "$PERFMON" -a run false 2>>err; [ ! -s err ]; then
	unset PERFMON_DB
	"$PERFMON" submit >out 2>err
	is $? 0 "the user's newest job, by itself"
	"$PERFMON" submit -n >out3 2>err
	"$PERFMON" submit >out2 2>err
	is $? 0 "then the one before it"
	is "$(sed 's/:.*//;q' out3)" "$(sed 's/:.*//' out2)" "which a dry run names, too"
	[ "$(sed 's/:.*//' out)" != "$(sed 's/:.*//' out2)" ]
	ok $? "which is another"
	"$PERFMON" submit >out 2>err
	is $? 1 "then there is none"
	grep -q 'the database has them all' err
	ok $? "and why"
	db=$HOME/data/perfmon/perfmon.db
	is "$(stat -c %a "$db" "$(dirname "$db")" | tr '\n' ' ')" "600 700 " "its database is private"
	is "$(query 'SELECT exit_status FROM job ORDER BY start_us' "$db" | tr '\n' ' ')" "0 1 " "exit statuses"
else
	diag "$(cat err)"
	ok 1 "recording a job to submit"
fi
done_testing
