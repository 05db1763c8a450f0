#!/bin/sh
# submit --sacct: what Slurm's accounting knows of loaded jobs, on both engines.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

cp -R "$abs_top_srcdir/tests/golden/report/busy" . && chmod -R u+w busy && rm -f busy/*.series || exit 99
cp -R busy array && sed -i 's/"jobid": "4711"/"jobid": "4800"/; s/"array_task": ""/"array_task": "3"/' array/job-*.json &&
	sed -i 's/	4711	/	4800	/' array/*.tsv || exit 99
cat >accounting <<'END'
JobID|State|Timelimit|ReqMem|NNodes|Submit|User
4711|TIMEOUT|00:01:00|32000M|2|2025-11-21T01:43:20|anna
4711.batch|CANCELLED|||2||
4800_3|COMPLETED|02:00:00|8Gc|1|Unknown|anna
4800_4|COMPLETED|02:00:00|8Gc|1|Unknown|anna
4711|FAILED|00:10:00||1||bernd
END

check()
{
	name=$1
	PERFMON_DB=$2
	export PERFMON_DB
	"$PERFMON" -q submit busy array >/dev/null 2>&1
	"$PERFMON" submit --sacct accounting >out 2>err
	is "$?|$(cat out err)" "0|sacct: 2 jobs told of, 2 not in the database" "$name: jobs are found, by user and array task"
	"$PERFMON" report --section header,requested --width 100 4711 >out
	is "$(sed -n 's/^  Batch system  *//p; s/^  Queued  *//p' out)" "10 min 00 s, since 2025-11-21 01:43:20 UTC
slurm, queue batch, account climate, ended as TIMEOUT" "$name: the final state, and the time in the queue"
	is "$(sed -n 's/^  Time  *\([0-9 min]*00 s\)  *\(.*[a-z0-9]\)  *100 %  *\(.*\)/\1|\2|\3/p; s/^  Memory  *//p' out)" \
		"16.8 GB  at least 2.46 GB (one process)  unknown
1 min 00 s|1 min 00 s, then it was ended|2 min 00 s" "$name: time limit and memory of a node, and what to ask for"
	"$PERFMON" report --section requested --width 100 4800_3 | grep -q '^  Memory  *34.4 GB'
	ok $? "$name: memory by CPU"
	"$PERFMON" list --annotation sacct.state:TIMEOUT | grep -q 4711
	ok $? "$name: jobs are found by their state"
	sed -i 's/TIMEOUT/NODE_FAIL/' accounting
	"$PERFMON" submit --sacct - <accounting >out 2>err
	"$PERFMON" report --section header 4711 | grep -q 'ended as NODE_FAIL'
	ok $? "$name: from standard input, the last word wins"
	sed -i 's/NODE_FAIL/TIMEOUT/' accounting
	"$PERFMON" -q submit --replace busy >/dev/null 2>&1
	"$PERFMON" report --section header 4711 | grep -q 'ended as NODE_FAIL'
	ok $? "$name: it stays where a job is loaded again"
	is "$("$PERFMON" verify >out 2>&1; echo $?)" 0 "$name: verify"
	printf 'JobID|State\n4711|A\nbad line|B\n' | "$PERFMON" submit --sacct - >out 2>err
	is "$?|$(cat err)" "1|perfmon: --sacct -: 1 line of no job" "$name: a damaged line is told of"
	"$PERFMON" report --section header 4711 | grep -q 'ended as A'
	ok $? "$name: the others count"
	printf 'State\nx\n' | "$PERFMON" submit --sacct - >out 2>err
	is "$?|$(grep -c 'names no column JobID' err)" "1|1" "$name: noticed: what is no output of sacct"
}
check SQLite "$work/a.db"
if postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE sacct' || exit 99
	check PostgreSQL "$(postgres_url sacct)"
else
	skip "PostgreSQL" "$postgres_missing"
fi
for words in 'busy' '--all' '-j 4711' '--spool .'; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" submit --sacct accounting $words >out 2>err
	is "$?|$(grep -c 'give it alone' err)" "2|1" "--sacct with $words is refused"
done
"$PERFMON" submit --sacct "$work/nowhere" >out 2>err
is "$?|$(grep -c nowhere err)" "1|1" "a file that is not there is named"

done_testing
