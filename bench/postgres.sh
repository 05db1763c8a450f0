#!/bin/sh
# How fast submit loads into PostgreSQL, beside what psql makes of one line of 47 columns per process.
#   bench/postgres.sh BUILD-DIRECTORY [ROUNDS [PROCESSES...]]
# Jobs are made up as for bench/submit.sh, and loaded in turn into SQLite, into PostgreSQL and, as lines,
# by psql's \copy into a table without any index. The server is one of its own with the settings it comes
# with, on a socket; jobs of one size go into one database, so that it grows. Of the rounds the fastest
# counts. Needs a server, psql, and room for 10 kB per process in TMPDIR.
build=${1:?usage: bench/postgres.sh BUILD-DIRECTORY [ROUNDS [PROCESSES...]]}
rounds=${2:-3}
[ $# -ge 2 ] && shift 2 || shift $#
sizes=${*:-1000 100000 1000000}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
server || { echo "bench/postgres.sh: $postgres_missing" >&2; exit 1; }

select='' create=''
for c in tags hostname exename path args; do
	select="$select, coalesce($c, '')" create="$create, $c text"
done
for c in exitcode exitsignal pid generation ppid pgid sid numtids numranks tid mpirank start_us end_us usertime \
	systemtime rssmax minflt majflt inblock outblock vol_ctxsw invol_ctxsw cminflt cmajflt cutime cstime \
	num_threads starttime processor delayacct_blkio_time guest_time rchar wchar syscr syscw read_bytes \
	write_bytes cancelled_write_bytes time_oncpu time_waiting timeslices rdtsc_duration; do
	select="$select, coalesce($c, 0)" create="$create, $c bigint"
done

for size in $sizes; do
	postgres_sql postgres -c "CREATE DATABASE jobs_$size" || exit 1
	round=0
	while [ "$round" -le "$rounds" ]; do
		a_job "$round" "$size"
		rm -f "$work"/p.db*
		timed sqlite env PERFMON_DB="$work/p.db" "$build/perfmon" submit "$work/job"
		timed server env PERFMON_DB="$(postgres_url "jobs_$size")" "$build/perfmon" submit "$work/job"
		if [ "$round" -eq 0 ]; then
			# The first made the schema, and what psql is to copy.
			postgres_sql "jobs_$size" -c "COPY (SELECT ${select#, } FROM process p JOIN host h
				ON h.job_id = p.job_id AND h.id = p.host_id) TO STDOUT" >"$work/lines" || exit 1
			rm "$work"/*.all
		else
			postgres_sql "jobs_$size" -c "CREATE TABLE line_$round (${create#, })" || exit 1
			timed copy psql -X -q -h "$postgres_host" -U postgres -d "jobs_$size" \
				-c "\\copy line_$round from '$work/lines'"
			postgres_sql "jobs_$size" -c "DROP TABLE line_$round" || exit 1
		fi
		round=$((round + 1))
	done
	awk -v made="$made" -v sqlite="$(cat "$work/sqlite")" -v server="$(cat "$work/server")" -v copy="$(cat "$work/copy")" '
	BEGIN {
		printf "%d processes\n", made
		printf "  %-34s %8.0f processes/s\n", "submit into PostgreSQL", made / server
		printf "  %-34s %8.0f processes/s\n", "submit into SQLite", made / sqlite
		printf "  %-34s %8.0f rows/s\n", "psql COPY, 47 columns", made / copy
		printf "  %-34s %8.2f  >= 1.00  %s\n", "PostgreSQL per SQLite", sqlite / server,
			server <= sqlite ? "holds" : "missed"
		printf "  %-34s %8.2f\n", "processes per row of COPY", copy / server
	}'
	rm "$work"/*.all
	postgres_sql postgres -c "DROP DATABASE jobs_$size" || exit 1
done
