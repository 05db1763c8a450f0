#!/bin/sh
# perfmon migrate of PostgreSQL databases of earlier versions with jobs: rows, numbers and partitions.
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL"
golden=$abs_top_srcdir/tests/golden
generate=$abs_top_builddir/tests/progs/generate
dump() { "$abs_top_builddir/tests/progs/dumpdb" "$1" | LC_ALL=C sort; }
mkdir real v1 && cp "$golden"/schema/job/* real && cp "$golden"/v1/job/* v1 && "$generate" job 60 2 >/dev/null || exit 99
"$generate" --jobid 12 later 20 1 >/dev/null || exit 99
mkdir late && mv job/*n1* late || exit 99
postgres_sql postgres -c 'CREATE DATABASE fresh' || exit 99
# Behind the day of loading: numbers from 1 on, as those of earlier versions.
PGOPTIONS='-c perfmon.today=2001_01_01 -c perfmon.month=2020_11'
export PGOPTIONS
fresh=$(postgres_url fresh)
PERFMON_DB=$fresh "$PERFMON" submit real v1 job >out 2>err
PERFMON_DB=$fresh "$PERFMON" annotate 4711 note=kept || exit 99
dump "$fresh" | grep -v '^schema_version' >fresh.dump
is "$(for t in host process thread_row counter tag_set annotation series tick_block sample_block series_summary program_summary load content reject; do
	grep -q "^$t	" fresh.dump || echo "$t"
done)" "" "there is something in every table"

for version in 4 5; do
	postgres_older fresh version$version $version || exit 99
	old=$(postgres_url version$version)
	olds() { postgres_sql version$version "$@"; }
	# A later month has no job any more, and the next one never had one.
	PGOPTIONS='-c perfmon.month=2020_12' olds -c "INSERT INTO job (cluster, \"user\", jobid, array_task, restart_count, epoch_us)
		VALUES ('', 'u', 'next', '', 0, 0)" -c "DELETE FROM job WHERE jobid = 'next'" || exit 99
	PERFMON_DB=$old "$PERFMON" list jobs >out 2>err
	case $version$? in 50) true ;; *) grep -q 'run `perfmon migrate`' err ;; esac
	ok $? "version $version: reads, or says what to do"
	contents=$(olds -c "SELECT relfilenode FROM pg_class WHERE relname = 'content'")
	PERFMON_DB=$old "$PERFMON" migrate >out 2>err
	is "$?|$(cat err)" "0|" "version $version: migrates"
	dump "$old" | grep -v '^schema_version' >old.dump
	cmp -s fresh.dump old.dump
	ok $? "version $version: every row is that of a fresh load"
	diag "$(diff fresh.dump old.dump | cut -c1-200 | head -n 4)"
	is "$(olds -c 'SELECT first_id, last_id, name FROM job_range ORDER BY 1')" "1|100000000|2020_11_1
100000001|200000000|2020_12_100000001
200000001|300000000|2021_01_200000001" "version $version: the months are ranges"
	is "$(olds -c "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class WHERE relispartition AND relkind = 'r' AND relname ~ '(1|old)$' AND relname !~ '00000'")" \
		"content_old counter_2020_11_1 process_2020_11_1 program_summary_old sample_block_2020_11_1 series_old series_summary_old tag_set_2020_11_1 tag_summary_2020_11_1 thread_row_2020_11_1 tick_block_2020_11_1" \
		"version $version: and have partitions"
	is "$(olds -c "SELECT relfilenode FROM pg_class WHERE relname = 'content_old'")" "$contents" "version $version: no content was copied"
	PERFMON_DB=$old "$PERFMON" verify >out 2>err
	is "$?|$(cat err)" "0|" "version $version: verify finds nothing"
	PERFMON_DB=$old "$PERFMON" submit late later >out 2>err
	is "$?|$(cat err)|$(olds -c 'SELECT id, hosts FROM job WHERE jobid IN (12::text, 4711::text) ORDER BY id' | tr '\n' ' ')" "0||3|2 300000001|1 " \
		"version $version: a late host of an old job, and a new job behind the ranges"
	PERFMON_DB=$old "$PERFMON" verify >out 2>err
	is "$?|$(cat err)" "0|" "version $version: and verify finds nothing"
	is "$(olds -c 'BEGIN' -c 'DELETE FROM host WHERE job_id = 1; DELETE FROM load WHERE job_id = 3; DELETE FROM job WHERE id = 2' -c "SELECT
		(SELECT count(*) FROM series WHERE job_id < 3), (SELECT count(*) FROM series_summary WHERE job_id < 3), (SELECT count(*)
		FROM tick_block WHERE job_id < 3), (SELECT count(*) FROM sample_block WHERE job_id < 3), (SELECT count(*) FROM process
		WHERE job_id < 3), (SELECT count(*) FROM program_summary WHERE job_id = 2), (SELECT count(*) FROM content WHERE job_id IN (2, 3))" -c ROLLBACK)" \
		"0|0|0|0|0|0|0" "version $version: triggers delete the rows of a host, a file and a job"
	is "$(PERFMON_DB=$old "$PERFMON" retire --older-than 1d 2>&1 | sed 's/ with.*//')|$(olds -c "SELECT string_agg(relname, ' ' ORDER BY relname),
		sum(pg_relation_size(oid)) FILTER (WHERE relname !~ 'old$') FROM pg_class WHERE relispartition AND relkind = 'r'")" \
		"retired 4 jobs|content_old program_summary_old series_old series_summary_old|" "version $version: retire drops the partitions of old months"
	left=
	for table in series series_summary process program_summary content tag_set job host load; do
		left=$left$(olds -c "SELECT count(*) FROM $table")
	done
	is "$left" 000000000 "version $version: and leaves nothing"
	PERFMON_DB=$old "$PERFMON" copy "$fresh" "$old" >out 2>err
	is "$?|$(cat err)|$(olds -c 'SELECT min(id), count(*) FROM job')" "0||300000002|3" "version $version: numbers are not given out again"
	dump "$old" | grep -v '^schema_version' >old.dump
	cmp -s fresh.dump old.dump
	ok $? "version $version: jobs load as before"
	diag "$(diff fresh.dump old.dump | cut -c1-200 | head -n 4)"
done
# A database without jobs has no old partitions.
postgres_sql postgres -c 'CREATE DATABASE empty' && postgres_sql empty -1 -f "$golden/schema/5.postgres" >out 2>&1 || exit 99
PERFMON_DB=$(postgres_url empty) "$PERFMON" migrate >out 2>err
is "$?|$(cat err)|$(postgres_sql empty -c "SELECT count(*) FROM pg_class WHERE relispartition")" "0||0" "a database without jobs"
PERFMON_DB=$(postgres_url empty) "$PERFMON" copy "$fresh" "$(postgres_url empty)" >out 2>err
is "$?|$(postgres_sql empty -c 'SELECT min(id), max(id) FROM job')" "0|1|3" "its first job has number 1"
done_testing
