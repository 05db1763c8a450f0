#!/bin/sh
# PostgreSQL takes whatever SQLite takes, and holds the same rows: jobs with and without metadata, old ones, recorded
# by other tools. It refused every job without metadata: in `? - 60000000` it took the time for a number of 32 bits.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"

postgres_needed "PostgreSQL"
samples=${PM_SAMPLES:-$abs_top_srcdir/../shared/samples}
dump=$abs_top_builddir/tests/progs/dumpdb
golden=$abs_top_srcdir/tests/golden
postgres_sql postgres -c 'CREATE DATABASE jobs' || exit 99
server=$(postgres_url jobs)
file=$work/jobs.db

# takes NAME JOB...: both take it and say the same of it.
takes()
{
	name=$1
	shift
	PERFMON_DB=$server "$PERFMON" submit "$@" >server.out 2>server.err
	server_status=$?
	PERFMON_DB=$file "$PERFMON" submit "$@" >file.out 2>file.err
	file_status=$?
	for which in server file; do
		sed 's/[0-9]* processes\/s//; s/similar ones:.*//' $which.out $which.err >$which.said
	done
	cmp -s server.said file.said
	is "$?|$server_status" "0|$file_status" "$name: the same is said"
	cmp -s server.said file.said || diag "$(diff server.said file.said | cut -c1-300 | head -n 6)"
	"$dump" "$server" | LC_ALL=C sort >server.rows
	"$dump" "$file" | LC_ALL=C sort >file.rows
	[ -s file.rows ] && cmp -s server.rows file.rows
	ok $? "$name: the same rows"
	cmp -s server.rows file.rows || diag "$(diff server.rows file.rows | cut -c1-300 | head -n 6)"
}

"$abs_top_builddir/tests/progs/generate" --jobid 81 job 60 2 >/dev/null || exit 99
mkdir bare && cp job/*.tsv bare && cp -R bare more && rm more/*n0* && rm bare/*n1* || exit 99
takes "a job without metadata" bare
takes "its other host, found to be of that job" more
takes "its metadata" job
is "$(postgres_sql jobs -c 'SELECT count(*), max(hosts) FROM job')" "1|2" "they are one job"
for job in "$golden"/v1/job "$golden"/schema/job "$golden"/report/*; do
	[ -d "$job" ] || continue
	mkdir recorded && cp "$job"/* recorded && rm -f recorded/job-*.json || exit 99
	takes "$(basename "$job") without metadata" recorded
	takes "$(basename "$job")" "$job"
	rm -r recorded
done
if [ -d "$samples/papiex" ]; then
	for job in "$samples"/papiex/* "$samples"/epmt/*.tgz; do
		takes "$(basename "$job")" "$job"
	done
	takes "all of them again" "$samples"/papiex/* "$samples"/epmt/*.tgz
else
	skip "files recorded by papiex and EPMT" "no $samples"
fi
done_testing
