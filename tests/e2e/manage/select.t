#!/bin/sh
# delete, retire, copy, verify and report of the jobs that options select: those and no others; on both engines.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
. "$abs_top_srcdir/tests/e2e/manage.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

for job in busy counted empty killed; do
	cp -R "$abs_top_srcdir/tests/golden/report/$job" "$job" && chmod -R u+w "$job"
done
PERFMON_DB=$work/all.db "$PERFMON" -q submit busy counted empty killed 2>/dev/null

# names: of the jobs that are there, the oldest first.
names()
{
	PERFMON_DB=$db "$PERFMON" list jobs --order id:asc --columns name --csv | tr -d '\r' | tail -n +2 | tr '\n' ' '
}
run()
{
	PERFMON_DB=$db "$PERFMON" "$@" >"$work/out" 2>"$work/err" </dev/null
}
# fresh: the four jobs, in $db of the engine.
sqlite()
{
	rm -f "$work"/x.db*
	cp "$work/all.db" "$work/x.db"
	db=$work/x.db
}
postgres()
{
	postgres_sql postgres -c "DROP DATABASE IF EXISTS x" -c "CREATE DATABASE x TEMPLATE whole" 2>/dev/null || exit 99
	db=$(postgres_url x)
}

all="train model nothing lost "
# shellcheck disable=SC2034 # words of the table are evaluated
endless="EXISTS (WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT 1 FROM n WHERE i < 0)"
check()
{
	fresh=$1
	$fresh
	is "$(names)" "$all" "$fresh: four jobs"
	# --- nothing goes by mistake
	while IFS='|' read -r status words why; do
		# shellcheck disable=SC2086 # words
		eval "run $words"
		is "$? $(cat out err | grep -c -e "$why")" "$status 1" "$fresh: $words: $why"
	done <<-'END'
		2|delete -f|say by options such as --tag which
		2|delete -f --tag ''|the name is missing
		2|delete -f --status ''|no status
		2|delete -f --after ''|not a time
		2|delete -f --where ''|it is empty
		2|delete -f --where '1) OR (1'|not opened
		1|delete -f --where 'nonsense = 1'|nonsense.*does not exist\|no such column: nonsense
		2|delete -f '#1' --user anna|name jobs, or say by options which
		2|delete --name model|no terminal to confirm it on
		0|delete -f --name ''|^0 jobs to delete
		0|delete -f --name "train' OR 1=1 --"|^0 jobs to delete
		0|delete -f --user %|^0 jobs to delete
		0|delete -f --user ann_|^0 jobs to delete
		2|retire --user anna|set the age
		2|retire --after never --older-than 1d|not a time
		2|retire --older-than 1d --where ''|it is empty
		2|retire --older-than 1d --where '1) OR (1'|not opened
		1|retire --older-than 1d --where 'nonsense = 1'|nonsense.*does not exist\|no such column: nonsense
		1|retire --older-than 1d --keep summary --where 'nonsense = 1'|a condition in SQL
		1|retire --older-than 1d -n --where 'nonsense = 1'|a condition in SQL
		1|retire --older-than 1d --to archives --where 'nonsense = 1'|a condition in SQL
		1|retire --older-than 1d --where 'id IN (DELETE FROM job RETURNING id)'|syntax error
		1|retire --older-than 1d --statement-timeout 200ms --where "$endless"|stopped after 0.2 s
		1|retire --older-than 1d -n --statement-timeout 200ms --where "$endless"|stopped after 0.2 s
		0|retire --older-than 1d --where '1 = 0'|retired 0 jobs
		0|retire --older-than 1d --name model --where 'processes < 5'|retired 0 jobs
		0|retire -n --older-than 1d --where 'processes = 5'|would retire job #.* anna/4714 with 5 processes
		0|retire --name '' --older-than 1d|retired 0 jobs
		0|delete -n --name model,lost|^2 jobs would be deleted
		0|retire -n --name model --older-than 1d|would retire job #.* anna/4714 with 5 processes
		2|report --newest 2|of which jobs
		2|report 4711 --user anna|not both
	END
	is "$(names)" "$all" "$fresh: none of these deletes a job"
	run delete -n --status killed
	is "$(sed 's/#[0-9]*/#N/; s/ from .*//' out | tr '\n' ';')" \
		"would delete job #N anna/4713 with 3 processes;1 job would be deleted;" "$fresh: a dry run names the jobs"
	# --- what was asked for goes
	run delete -f --tag exp:run:7 --name train
	is "$?|$(names)" "0|model nothing lost " "$fresh: deleted by its tag" || cat out err
	run delete -f --where 'processes = 5'
	is "$?|$(names)" "0|nothing lost " "$fresh: deleted by a condition"
	run delete -f --status failed,killed --after @0
	is "$?|$(names)" "0|nothing " "$fresh: deleted by its end"
	$fresh
	run retire --name model,lost --older-than 1d
	is "$?|$(names)|$(cut -d, -f1 out)" "0|train nothing |retired 2 jobs with 8 processes" "$fresh: retired by name"
	run retire --name train --keep summary --older-than 1d
	run list processes '#1' --csv
	is "$(names)|$(wc -l <out)" "train nothing |1" "$fresh: the processes of one"
	$fresh
	run retire --where 'processes = 5' --keep summary --older-than 1d
	is "$?|$(cut -d, -f1 out)" "0|retired 1 job with 5 processes" "$fresh: the processes of one by a condition"
	run retire --where 'processes = 5 OR name = '"'lost'" --older-than 1d
	is "$?|$(names)" "0|train nothing " "$fresh: retired by a condition"
	run retire --where "name = 'train'" --older-than 1d --to "$work/archives.$fresh"
	is "$?|$(names)|$(cut -d, -f1 out | sed 's/ to .*//')" "0|nothing |moved 1 job with 46 processes" "$fresh: moved by a condition"
	$fresh
	run retire --name model --older-than 9999d
	is "$?|$(names)" "0|$all" "$fresh: not before its time"
	run verify --name train,lost
	is "$? $(sed 's/.*: //' out)" "0 2 jobs checked, 0 faults" "$fresh: verify"
	run report --user anna --newest 2 --json
	is "$?|$(grep -c '"jobid": *"471[23]"' out)" "0|2" "$fresh: reports of the newest two"
	run report --name train,lost
	is "$? $(grep '^Job [0-9]*:' out | tr '\n' ';')" "0 Job 4713: lost, user anna;Job 4711: train, user anna;" "$fresh: reports of two"
	run report --user nobody
	is "$? $(cat out)" "0 no jobs" "$fresh: of none"
	rm -f "$work"/to.db*
	run copy "$db" "$work/to.db" --name train,lost
	db=$work/to.db
	is "$(names)" "lost train " "$fresh: copied by name"
	run delete -f --name x
	is "$(names)" "lost train " "$fresh: the copy is whole"
}
check sqlite

# --- PostgreSQL ----------------------------------------------------------------------------------
postgres_needed "PostgreSQL: jobs that options select"
postgres_sql postgres -c "CREATE DATABASE whole" || exit 99
"$PERFMON" copy "$work/all.db" "$(postgres_url whole)" >out 2>err || diag "$(cat err)"
check postgres
done_testing
