#!/bin/sh
# Many kinds of failures, and of programs without records: the most frequent are told, wherever they come.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if ! need sqlite3; then
	skip "many kinds" "no $missing"
	done_testing
fi
export PERFMON_DB="$work/kinds.db"
"$PERFMON" -a -j kinds run true && "$PERFMON" -q submit "$PERFMON_OUTPUT_PREFIX"/*/kinds

# add FIRST LAST COLUMNS VALUES: processes of these ids below the first one.
add()
{
	query "WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
		INSERT INTO process (job_id, id, host_id, parent_id, depth, pid, start_us, end_us, duration_us, $3)
		SELECT 1, i, 1, 1, 1, i, p.start_us, p.end_us, p.duration_us, $4 FROM n, process p WHERE p.id = 1"
}
# value SQL: of the report, as json.
value()
{
	"$PERFMON" report --json kinds >json
	sqlite3 :memory: "SELECT $1 FROM (SELECT CAST(readfile('json') AS text) AS report)"
}

add 10000 19999 "image_us, exename, args, end_reason, exitcode" "i, 'sh', '-c test\\x20' || i, 'exit', 1"
add 20000 25000 "image_us, exename, end_reason, exitsignal" "i, 'cc1', 'signal', 11"
query "UPDATE job SET failed = 15001, processes = 15002"
is "$(value "json_extract(report, '\$.failures[0].count')")" 5001 "crashes behind ten thousand other failures are the first line"
is "$(value "(SELECT sum(value ->> '\$.count') FROM json_each(report, '\$.failures'))")" 15001 "and all are in the lines"
is "$(value "(SELECT count(*) FROM json_each(report, '\$.advice') WHERE value ->> '\$.id' = 'crashed')")" 1 "and advised"

add 30000 39999 "exename, last_call" "'own' || i, 'execve'"
add 40000 43999 "exename, last_call" "'zz', 'execve'"
query "UPDATE job SET processes = 29002, without_end = 14000"
is "$(value "json_extract(report, '\$.quality.silent')")" 14000 "each program without records is counted"
"$PERFMON" report kinds | tr -s ' \n' '  ' >page
grep -q 'zz (4000 times)' page
ok $? "and the most frequent is named"
done_testing
