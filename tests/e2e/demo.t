#!/bin/sh
# The whole path on a small job: record, submit, list, show, report, in both layouts.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# job LAYOUT: a script with children, an exec chain and a failure, recorded as a job.
job()
{
	PERFMON_OPTIONS=$1 "$PERFMON" -a run sh -c '
		/bin/echo first
		/bin/sh -c "exec /bin/sleep 0.01"
		/bin/false
		exit 3' >stdout 2>stderr
}

job COLLATED_TSV
is $? 3 "the command's exit status is returned"
is "$(cat stdout)" first "its output is its own"
is "$(cat stderr)" "" "and nothing is added to its errors"

"$PERFMON" submit >submit.out 2>submit.err
is "$?:$(cat submit.err)" "0:" "submit loads the newest job"
db=$XDG_DATA_HOME/perfmon/perfmon.db
test -s "$db"
ok $? "the database is where the user's data is"
is "$(stat -c %a "$db")" 600 "and is the user's alone"

"$PERFMON" list processes >list.1 2>&1
is $? 0 "list processes"
for name in "$(basename "$(readlink -f /bin/sh)")" echo sleep false; do
	grep -q -w "$name" list.1
	ok $? "the list has $name"
done
"$PERFMON" show >tree 2>&1
is $? 0 "show"
grep -q sleep tree
ok $? "the tree has sleep"
for width in 80 120; do
	"$PERFMON" report --width $width >report.$width 2>&1
	is $? 0 "report in $width columns"
	is "$(awk -v w=$width '{ gsub(/[\200-\277]/, "") } length($0) > w' report.$width)" "" \
		"no line is longer"
done
grep -q -i 'false' report.80
ok $? "the report names the program that failed"

"$PERFMON" submit "$PERFMON_OUTPUT_PREFIX"/*/* >again.out 2>&1
is $? 0 "submit of the same job again succeeds"
"$PERFMON" list processes >list.2 2>&1
cmp list.1 list.2
ok $? "and changes nothing"

job PER_PROCESS
"$PERFMON" submit >submit.out 2>submit.err
is "$?:$(cat submit.err)" "0:" "a job with a file per process loads, too"

if need sqlite3; then
	is "$(sqlite3 "$db" 'SELECT count(DISTINCT n) FROM
		(SELECT count(*) AS n FROM process GROUP BY job_id)')" 1 \
		"both layouts have the same number of processes"
	is "$(sqlite3 "$db" 'SELECT group_concat(exename, " ") FROM
		(SELECT DISTINCT exename FROM process WHERE exitcode = 1)')" false \
		"the one that failed is known"
	is "$(sqlite3 "$db" 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok \
		"the database is sound"
else
	skip "both layouts have the same number of processes" "no $missing"
fi

done_testing
