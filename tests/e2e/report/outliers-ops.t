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

"$PERFMON" -q model create mixed 7001 7002 7003 7004 7005 --by op --feature '*'
for words in "--model mixed" "--good 7001,7002,7003,7004,7005 --by op --feature * --name ocean"; do
	set -f
	# shellcheck disable=SC2086 # words
	"$PERFMON" outliers ops --json $words | python3 -c '
import json, sys
print([(o["operation"], o["jobid"], o["feature"], o["value"], o["usual"], o["score"]) for g in json.load(sys.stdin)["groups"] for o in g["outliers"]])'
	set +f
done >got
test "$(head -n 1 got | grep -o "'op:" | wc -l)" -gt 20 && is "$(sed -n 1p got)" "$(sed -n 2p got)" "a model judges operations of odd tags as its jobs do"
"$PERFMON" -q model delete mixed

# --- planted: 5 % of the values are 10, 20 and 50 % more, of others that scatter by 5 % -----------
made planted
python3 "$account" planted planted.db >answers
head -n 3 answers >rates
while read -r kind false ten twenty fifty; do
	diag "$kind: marked by two methods: $false of normal values; of 100 that are 10, 20, 50 % more: $ten, $twenty, $fifty"
	awk -v f="$false" 'BEGIN { exit !(f <= 0.005) }'
	ok $? "$kind: two methods mark at most 5 of 1000 values that scatter normally"
	test "$fifty" -eq 100 && test "$twenty" -ge 40 && test "$twenty" -ge "$ten"
	ok $? "$kind: all are found that are half as much again, and many that are a fifth more, four standard deviations"
done <rates
is "$(wc -l <rates)" 3 "operations, processes and threads"
read -r of first <<-END
	$(tail -n 1 answers)
END
test "$of" -ge 10 && is "$first" "$of" "root cause ranks first what makes operations slow, of $of that are found"

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

# perfmon ARG...: its status and standard error; standard output goes to out
perfmon()
{
	"$PERFMON" "$@" >out 2>err
	echo "$?|$(cat err)"
}
# json EXPRESSION: of x, what out has
json() { python3 -c 'import json; x = json.load(open("out")); print('"$1"')'; }
found='[(o["tags"]["op"], o["jobid"], o["feature"], o["value"], o["usual"], o["score"]) for g in x["groups"] for o in g["outliers"]]'
# models ENGINE: those that keep operations
models()
{
	is "$(perfmon model create kern 7003 7004 7006 --by op)|$(cat out)" "0||created model kern of 3 jobs: 3 figures, 5 operations" "$1: a model with operations"
	is "$(perfmon outliers ops --model kern --json)|$(json "$found")" \
		"0||[('build', '7005', 'duration_us', 2000004, [1000000, 1000003], 3), ('build', '7005', 'cpu_time', 1000004, [500000, 500003], 3)]" "$1: what is beyond it"
	is "$(perfmon outliers ops --good 7003,7004,7006 --by op --name kern --json)|$(json "$found")" "$(perfmon outliers ops 7005 --model kern --json)|$(json "$found")" \
		"$1: as beside its jobs, and of one job alone"
	is "$(perfmon model show kern --json)|$(json '[(o["tags"], [(f["name"], f["known"], f["least"], f["greatest"], f["madz"]["centre"]) for f in o["features"]]) for o in x["operations"]][0]')" \
		"0||({'op': 'build'}, [('cpu_time', 3, 500000, 500003, 500001), ('duration_us', 3, 1000000, 1000003, 1000001), ('processes', 3, 1, 1, 1)])" "$1: what it keeps"
	is "$(perfmon model list --json)|$(json 'x[0]["operations"]')|$(perfmon model show kern --width 100)|$(grep -c '^op:' out)" "0||5|0||15" "$1: list and show"
	is "$(perfmon rootcause 7005 --op op:build --model kern --json)|$(json '[(c["feature"], c["beyond"]) for c in x["causes"]], x["tags"]')" \
		"0||[('duration_us', True), ('cpu_time', True), ('processes', False)] {'op': 'build'}" "$1: root cause of an operation"
	is "$(perfmon rootcause 7005 --op op:clean --model kern)|$(sed -n 2p out)" "0||none of 3 figures is beyond theirs" "$1: of one that is as it was"
	is "$(perfmon model create atom 7003 7004 7006 --op-tag 'op:clean;op:clean' --feature '*' | cut -c1)|$(perfmon model delete atom kern)" "0|0|" "$1: by tags; they are deleted"
}
models SQLite
"$PERFMON" -q model create kern 7003 7004 7006 --op-tag op:build
sqlite3 copies.db "UPDATE model_feature SET greatest = 9e9, score = 1e9 WHERE operation = '{\"op\":\"build\"}'" 2>/dev/null ||
	python3 -c 'import sqlite3; d = sqlite3.connect("copies.db"); d.execute("UPDATE model_feature SET greatest = 9e9, score = 1e9 WHERE operation = ?", ("{\"op\":\"build\"}",)); d.commit()'
is "$(table ops --model kern)" "0
nothing stands out of 1 operation in 6 jobs" "noticed: a model with other values"
"$PERFMON" -q model create whole 7003 7004 7006
for words in "ops --model whole" "processes 7001 --model kern" "ops --model kern --by op"; do
	# shellcheck disable=SC2086 # words
	table $words | head -n 1
done >got
is "$(cat got)" "1perfmon: outliers ops: model whole has no operations; perfmon model create --by NAME makes one that has
2perfmon: outliers: a model is of jobs and ops
2perfmon: outliers ops: a model has its own operations; leave out --model, or --op-tag and --by" "models that do not fit"
is "$(perfmon rootcause 7005 --op op:build --model whole)$(perfmon rootcause 7005 --op op --model kern)$(perfmon rootcause 7005 --op op:nope --model kern)" \
	"1|perfmon: rootcause: model whole does not have the operation of --op; perfmon model show whole lists those that it has2|perfmon: --op op: one operation is needed, NAME:VALUE or several of them with semicolons between1|perfmon: rootcause: no process of job 7005 has the tags of --op; perfmon ops lists those that there are" \
	"root cause of what is not there"
is "$(perfmon model create x 7003 7004 7006 --by nothing)" "1|perfmon: model create: no operation with such tags is in 3 of the jobs; perfmon ops --keys lists the tags" "tags that no process has"
"$PERFMON" -q model delete kern whole

postgres_needed "outliers of operations in PostgreSQL"
postgres_sql postgres -c "CREATE DATABASE ops" && "$PERFMON" -q copy "$work/mixed.db" "$(postgres_url ops)"
PERFMON_DB=$(postgres_url ops)
asked "in PostgreSQL"
postgres_sql postgres -c "CREATE DATABASE models" && "$PERFMON" -q copy "$work/copies.db" "$(postgres_url models)"
PERFMON_DB=$(postgres_url models)
models PostgreSQL
done_testing
