#!/bin/sh
# ops: counts, durations and sums of operations against an account in Python, on both engines; and as people use it.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

TZ=UTC
export TZ PERFMON

# --- a recorded job -------------------------------------------------------------------------------
cat >steps.sh <<-'END'
	PERFMON_TAGS='op:copy;op_instance:1' sh -c 'cp /etc/passwd a; true; /bin/true'
	PERFMON_TAGS='op:copy;op_instance:2' sh -c '/bin/true; /bin/true'
	PERFMON_TAGS='op:sum' sh -c '/bin/true'
END
"$PERFMON" -q -a -j 4711 run sh steps.sh
PERFMON_DB=$work/real.db
export PERFMON_DB
"$PERFMON" -q submit 4711
"$PERFMON" ops --by op --width 100 4711 >out 2>err
is "$? $(cat err)" "0 " "operations of a job"
awk 'NR > 1 { print $1, $2 }' out | sort >rows
is "$(cut -d ' ' -f 1 rows | tr '\n' ' ')" "op:copy op:sum " "a line for each value of the tag"
is "$("$PERFMON" ops --tag op:copy --by op_instance --csv 4711 | cut -d , -f 1 | tr -d '\r' | sort | tr '\n' ' ')" \
	"op:copy;op_instance:1 op:copy;op_instance:2 operation " "instances of one"
"$PERFMON" ops --tag op:copy --roots 4711 >out
is "$(awk 'NR > 1' out | wc -l)" 2 "the roots are the two shells that the script started"
"$PERFMON" ops --data-movement 4711 >out
is "$(awk 'NR == 2 { print $1, $3 }' out)" "4711 1" "one program moves data"
PERFMON_DATA_MOVERS=copy "$PERFMON" ops --data-movement 4711 >out
test "$(awk 'NR == 2 { print $3 }' out)" -ge 5
ok $? "the setting data_movers names values of the tag, too"
"$PERFMON" ops --keys 4711 >out
is "$(awk 'NR > 1 { print $1, $3 }' out | tr '\n' ' ')" "op 2 op_instance 2 " "tags by how many processes have them"
"$PERFMON" ops --tag nothing:1 4711 >out
is "$? $(cat out)" "0 no processes with such tags" "an operation that is not there"
is "$("$PERFMON" ops --by op --json "$PERFMON_OUTPUT_PREFIX"/*/4711 2>err | tr ',' '\n' | grep -c '"operation"')" 2 "of a directory that is not loaded"
for words in "--csv --json" "--csv --roots" "--keys --roots" "--tag :1" "--tag a,," "--by ," "--metric nothing" "--metric *" "4711 --user root"; do
	set -f
	# shellcheck disable=SC2086 # words
	"$PERFMON" ops $words >out 2>err
	is "$? $(wc -c <out)" "2 0" "ops $words is a usage error"
	set +f
done
"$PERFMON" ops nobody >out 2>err
is "$? $(grep -c 'nobody: no such job' err)" "1 1" "a job that is not there"
"$PERFMON" ops --user nobody >out 2>err
is "$? $(grep -c 'no job in .* that the options take' err)" "1 1" "options that take no job"

# --- retired processes ----------------------------------------------------------------------------
cp real.db thin.db && cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
PERFMON_DB=$work/thin.db
"$PERFMON" -q submit busy 2>/dev/null
"$PERFMON" ops --data-movement --json '#1' >alone
"$PERFMON" ops --data-movement --json '#1' '#2' >whole
for keep in programs summary; do
	"$PERFMON" -q retire --older-than 1d --keep $keep
	is "$("$PERFMON" ops --data-movement --json --limit 1 '#1' '#2' 2>/dev/null | python3 -c '
import json, sys
x = json.load(sys.stdin)
print(len(x["jobs"]), x["jobs_left_out"])')" "1 1" "--limit leaves out jobs, and says so"
	"$PERFMON" ops --data-movement '#1' '#2' >out 2>err
	is "$(awk 'NR == 3 { print $3, $4, $(NF - 1), $NF }' out)|$(grep -c 'processes of 1 job were retired' err)" "unknown unknown unknown unknown|1" \
		"--keep $keep: what a job moved whose processes were retired is unknown, which is said"
	"$PERFMON" ops --data-movement --json '#1' '#2' 2>err >out
	is "$(sed 's/.*"all"://; s/,"jobs_retired".*//' out)|$(grep -o '"jobs_retired":[0-9]*' out | tr '\n' ' ')" \
		"$(sed 's/.*"all"://; s/,"jobs_retired".*//' alone)|\"jobs_retired\":0 \"jobs_retired\":1 \"jobs_retired\":1 " "and of all: the sums of the other one"
	test "$(sed 's/.*"all"://; s/,"jobs_retired".*//' whole)" != "$(sed 's/.*"all"://; s/,"jobs_retired".*//' out)"
	ok $? "noticed: with its CPU time they differ"
	is "$("$PERFMON" ops --data-movement --json '#2' 2>err | grep -o '"\(processes\|cpu_time\|percent\|runs\)":[^,}]*' | sort -u | tr '\n' ' ')" \
		'"cpu_time":null "percent":null "processes":null "runs":null ' "of no other job: unknown"
done
for words in "ops --by op #1 #2" "ops --keys #2" "ops --processes #2" "show #2" "show --tag op:x #2" "list processes #2" "list threads #2 --csv" \
	"list processes --program nothing" "list processes --user nobody --failed" "list processes --limit 1 --program cp" "ops #1" "show #1" "list jobs"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" $words >out 2>err
	echo "$words: $? $(grep -c 'processes of 1 job were retired' err)"
done >told
is "$(cat told)" "ops --by op #1 #2: 0 1
ops --keys #2: 0 1
ops --processes #2: 0 1
show #2: 0 1
show --tag op:x #2: 0 1
list processes #2: 0 1
list threads #2 --csv: 0 1
list processes --program nothing: 0 1
list processes --user nobody --failed: 0 0
list processes --limit 1 --program cp: 0 0
ops #1: 0 0
show #1: 0 0
list jobs: 0 0" "who asks for processes is told, unless nothing is missing"
is "$("$PERFMON" ops --by op --json '#1' '#2' 2>err | grep -o '"jobs_retired":.')" '"jobs_retired":1' "JSON has how many"
PERFMON_DB=$work/real.db

# --- against the account --------------------------------------------------------------------------
if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "the account" "no python3 with sqlite3"
	done_testing
fi
account="$abs_top_srcdir/tests/e2e/report/ops.py"

# asked WHAT FILE URL
asked()
{
	python3 "$account" ask "$2" "$3" >answers 2>&1
	grep '^#' answers
	read -r compared wrong <<-END
		$(tail -n 1 answers)
	END
	test "${compared:-0}" -gt "${4:-500}" && is "$wrong" 0 "$1: $compared values are those of the account"
}

# The sanitized program is slow, and counts the same.
many=1500 faults="touch later zero sum root mover below alive"
if [ "$PM_SANITIZED" = yes ]; then
	many=300 faults=
fi
cp real.db untimed.db && sqlite3 untimed.db "UPDATE process SET end_us = NULL WHERE tag_set IN (SELECT id FROM tag_set WHERE name = 'op' AND value = 'sum')"
is "$(PERFMON_DB=$work/untimed.db "$PERFMON" ops --by op --tag op:sum --intervals 4711 | tail -n 1 | sed 's/[0-9][0-9]*$/N/')" \
	"processes in no run, as their start or end is not known: N" "--intervals says what is in none"
cp real.db small.db && python3 "$account" make small.db 1 1 10 && asked "ten processes" small.db "$work/small.db" 200
cp real.db made.db && python3 "$account" make made.db 2 9 $many && asked "nine jobs of three hosts" made.db "$work/made.db" 5000
cp real.db some.db && python3 "$account" make some.db 8 1 200
for form in --json --csv --data-movement --keys; do
	for option in "--user=alice" "--where=\"user\" = 'alice'" "--where=id % 2 = 1" "--where=id % 2 = 0"; do
		PERFMON_DB=$work/made.db "$PERFMON" ops $form "$option" 2>&1 | cksum
	done | uniq -c | awk '{ printf "%s ", $1 }'
done >alike
is "$(cat alike)" "3 1 3 1 3 1 3 1 " "--where takes the jobs that meet it, as --user does, and no others"
PERFMON_DB=$work/made.db "$PERFMON" ops --where 'nosuch = 1' >out 2>err
is "$? $(grep -c -- '--where: .*no such column: nosuch' err)" "1 1" "and says what is wrong with it"
# shellcheck disable=SC2086 # words
[ -z "$faults" ] || python3 "$account" ask some.db "$work/some.db" $faults | grep -v '^#' >faulty
for fault in $faults; do
	read -r _ wrong <&3 && test "$wrong" -gt 0
	ok $? "noticed: an account with the fault '$fault'"
done 3<<-END
	$(cat faulty 2>/dev/null)
END

# Large jobs have totals of each set of tags, which are read in place of their processes.
cp real.db big.db && python3 "$account" make big.db 3 3 1800 && is "$(python3 "$account" sums big.db | cut -d ' ' -f 2)" 3 "three large jobs have totals" &&
	asked "from the totals of large jobs" big.db "$work/big.db"
# faults CHANGE: what verify says of tags after a change by SQL.
faults()
{
	cp big.db bad.db && sqlite3 bad.db "$1" && PERFMON_DB=$work/bad.db "$PERFMON" verify 2>/dev/null | sed -n 's/.*\(tags in set.*\)/\1/p'
}
is "$(faults 'SELECT 1' | sed 1d)" "" "verify: they are what the account says"
is "$(faults 'UPDATE tag_summary SET cpu_time = cpu_time + 1, rchar_known = 0 WHERE job_id = 1 AND tag_set = 1' | grep -c '')" 2 "noticed: other sums"
test "$(python3 "$account" ask big.db "$work/bad.db" | tail -n 1 | cut -d ' ' -f 2)" -gt 0
ok $? "noticed: operations of other sums"
is "$(faults 'DELETE FROM tag_summary WHERE job_id = 2 AND tag_set = 3' | grep -c 'no totals')" 1 "noticed: a set without totals"
is "$(faults 'INSERT INTO tag_summary SELECT * FROM tag_summary WHERE 0; UPDATE tag_summary SET tag_set = 99 WHERE job_id = 2 AND tag_set = 3' |
	grep -c 'totals')" 2 "noticed: totals without a set"
is "$(faults "UPDATE tag_summary SET runs = x'00' WHERE job_id = 1 AND tag_set = 1" | grep -c 'other runs')" 1 "noticed: other runs"
for bytes in ff 00 ffffffffffffffffff ffffffffffffffff7f00 0000ffffffffffffffff7f00 80808080808080804000; do
	faults "UPDATE tag_summary SET runs = x'$bytes' WHERE job_id = 1" >out
	PERFMON_DB=$work/bad.db "$PERFMON" ops '#1' >out 2>err
	echo "$? $(grep -c 'runs of the tags in set 1 are damaged' err)"
done | sort | uniq -c >got
is "$(tr -s ' \n' ' ' <got)" " 6 1 1 " "damaged runs are an error"
for change in "processes = 9223372036854775807" "processes = 0" "timed = processes + 1" "timed = -1" "runs = NULL, timed = 1" "cpu_time_known = 9223372036854775807"; do
	faults "UPDATE tag_summary SET $change WHERE job_id = 1" >out
	PERFMON_DB=$work/bad.db "$PERFMON" ops --metric cpu_time '#1' >out 2>err
	echo "$? $(grep -c 'totals of the tags in set 1 are damaged' err)"
done | sort | uniq -c >got
is "$(tr -s ' \n' ' ' <got)" " 6 1 1 " "so are damaged totals"
faults "UPDATE tag_summary SET cpu_time = NULL WHERE job_id = 1 AND tag_set = 1" >out
is "$(sqlite3 bad.db "SELECT count(cpu_time) < count(*), sum(cpu_time_known) > 0 FROM operation WHERE job_id = 1 AND (name, value) IN
	(SELECT name, value FROM tag_set WHERE job_id = 1 AND id = 1)")" "1|1" "the view: of a sum that is too large for a number there is none"

postgres_needed "operations in PostgreSQL"
postgres_sql postgres -c "CREATE DATABASE ops" && "$PERFMON" -q copy "$work/made.db" "$(postgres_url ops)"
asked "in PostgreSQL" made.db "$(postgres_url ops)" 5000
postgres_sql postgres -c "CREATE DATABASE big" && "$PERFMON" -q copy "$work/big.db" "$(postgres_url big)"
asked "from totals in PostgreSQL" big.db "$(postgres_url big)"
is "$(postgres_sql big -At -c "SELECT count(*) FROM tag_summary")" "$(sqlite3 big.db "SELECT count(*) FROM tag_summary")" "which are there"
done_testing
