#!/bin/sh
# outliers ops, processes and threads: values and marks against an account in Python, on both engines; planted ones; EPMT's examples.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "outliers of operations" "no python3 with sqlite3"
	done_testing
fi
account=$abs_top_srcdir/tests/e2e/report/outliers-ops.py
TZ=UTC
export TZ PERFMON PERFMON_DB
cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
PERFMON_DB=$work/one.db
"$PERFMON" -q submit busy 2>/dev/null
# made WHAT: the database of it
made()
{
	cp one.db "$1.db" && python3 "$account" make "$1.db" "$1" && PERFMON_DB=$work/$1.db
}
# asked WHAT
asked()
{
	python3 "$account" ask mixed.db >answers 2>&1
	grep '^#' answers | head -n 5
	read -r compared wrong <<-END
		$(tail -n 1 answers)
	END
	test "${compared:-0}" -gt 2500 && is "$wrong" 0 "$1: $compared values and marks are those of the account"
}

made mixed && asked "unknown values and odd tags"
for fault in factor zero; do
	test "$(python3 "$account" ask mixed.db $fault | tail -n 1 | cut -d ' ' -f 2)" -gt 0
	ok $? "noticed: an account with the fault '$fault'"
done

# --- planted: 5 % of the values are 10, 20 and 50 % more, of others that scatter by 5 % -----------
made planted
python3 "$account" planted planted.db >rates
while read -r kind false ten twenty fifty; do
	diag "$kind: marked by two methods: $false of normal values; of 100 that are 10, 20, 50 % more: $ten, $twenty, $fifty"
	awk -v f="$false" 'BEGIN { exit !(f <= 0.005) }'
	ok $? "$kind: two methods mark at most 5 of 1000 values that scatter normally"
	test "$fifty" -eq 100 && test "$twenty" -ge 40 && test "$twenty" -ge "$ten"
	ok $? "$kind: all are found that are half as much again, and many that are a fifth more, four standard deviations"
done <rates
is "$(wc -l <rates)" 3 "operations, processes and threads"

# --- as people use it: EPMT's examples ------------------------------------------------------------
made copies
# table ARG...: its rows without the spaces
table()
{
	"$PERFMON" outliers "$@" >out 2>err
	echo "$?$(cat err)"
	tr -s ' ' <out | sed 's/^ //; s/ $//'
}
is "$(table processes 7001 --width 120)" "0
Program Host PID Tags # Job User Figure Value Usual: from to Score By
cp n1 1007 op:copy 1 7001 anna duration_us 2.00 s 1.00 s 1.00 s 2 IQR MADZ
cp n1 1007 op:copy 1 7001 anna cpu_time 2.00 s 1.00 s 1.00 s 2 IQR MADZ" "ten copies, of which one took twice as long"
is "$(table threads 7001 --width 130 --limit 1 | sed 's/1007 [0-9]* /1007 TID /')" "0
Program Host PID TID Tags # Job User Figure Value Usual: from to Score By
cp n1 1007 TID op:copy 1 7001 anna duration_us 2.00 s 1.00 s 1.00 s 2 IQR MADZ
left out: 1 row; --limit 0 prints all" "their threads, and what --limit leaves out"
is "$(table ops --name kern --by op --outlier-madz 2.5 --outlier-z 1.5 --width 100)" "0
kern: 5 operations of 4 jobs
Operation # Job User Figure Value Usual: from to Score By
op:build 5 7005 anna duration_us 2.00 s 1.00 s 1.00 s 3 IQR MADZ z
op:build 5 7005 anna cpu_time 1.00 s 500 ms 500 ms 3 IQR MADZ z" "the operation that took twice as long, with EPMT's limits"
"$PERFMON" outliers ops --name kern --by op --outlier-madz 2.5 --outlier-z 1.5 --json >out
is "$(python3 -c '
import json
g, = json.load(open("out"))["groups"]
rows = [(o["tags"]["op"], r["jobid"], [r["figures"][f]["score"] for f in ("duration_us", "cpu_time", "processes")], r["outlier"]) for o in g["operations"] for r in o["rows"]]
print(len(rows), [r for r in rows if r[3] or any(r[2])], len(g["outliers"]))')" "20 [('build', '7005', [3, 3, 0], True)] 2" "a row for each of five operations in four jobs, with all scores"
is "$(table ops --name kern --op-tag op:clean)" "0
nothing stands out of 1 operation in 4 jobs" "one operation, of which none stands out"
is "$(table ops --good 7003,7004,7006 --by op --name kern --feature duration_us --width 100 | grep -c '^op:build 5 7005')" 1 "beside good jobs"
is "$(table processes --name kern --by op | tail -n 2)" "sh 1000 op:build 7005 duration_us 2.00 s 1.00 s 1.00 s 2
sh 1000 op:build 7005 cpu_time 1.00 s 500 ms 500 ms 2" "processes of several jobs"
is "$(table processes 7002)" "1perfmon: outliers processes: of 3 processes, no 4 are of the same program and tags" "three are too few"
is "$(table ops 7003 7004 7005 --by op)" \
	"1perfmon: outliers ops: no operation is in 4 comparable jobs: of the same name, or tags exp_name and exp_component" "and so are three jobs"
is "$(table ops --op-tag nothing)" "1perfmon: outliers ops: no process of 6 jobs has such tags; perfmon ops --keys lists those that there are" "tags that none has"
is "$(table threads 7001 --feature rssmax)" "2perfmon: 'rssmax' is no figure of threads" "a figure that threads do not have"
"$PERFMON" outliers processes "$abs_top_srcdir/tests/golden/report/busy" >out 2>err
is "$? $(cat err)" "0 " "of a directory that is not loaded"
for words in "users" "ops --pca" "threads --distributions" "processes 7001 --user anna" "processes 7001 --score 4" "ops --by ," "ops --op-tag :1" "jobs --op-tag op"; do
	# shellcheck disable=SC2086 # words
	is "$(table $words | cut -c1)" 2 "outliers $words is a usage error"
done

postgres_needed "outliers of operations in PostgreSQL"
postgres_sql postgres -c "CREATE DATABASE ops" && "$PERFMON" -q copy "$work/mixed.db" "$(postgres_url ops)"
PERFMON_DB=$(postgres_url ops)
asked "in PostgreSQL"
done_testing
