#!/bin/sh
# How fast submit loads into PostgreSQL, beside what psql takes for the same finished rows: of each table of a loaded job, by
# \copy from files into the same tables, with their keys and indexes, in one transaction of one connection, as submit has one;
# in PostgreSQL's text format, and in its binary format, which is what submit sends. In turns; of the rounds the fastest counts.
#   bench/rows.sh BUILD-DIRECTORY [PROCESSES [ROUNDS]]
# The server is one of its own with the settings it comes with. Needs a server, psql, and room for 10 kB per process in TMPDIR.
build=${1:?usage: bench/rows.sh BUILD-DIRECTORY [PROCESSES [ROUNDS]]}
size=${2:-100000}
rounds=${3:-3}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
server || { echo "bench/rows.sh: $postgres_missing" >&2; exit 1; }
postgres_sql postgres -c "CREATE DATABASE jobs" || exit 1
url=$(postgres_url jobs)
tables="job host load process thread_row excluded_program lost folded_program folded_wait counter program_summary content reject"

# forget: delete the job, and what that leaves dead.
forget()
{
	PERFMON_DB=$url "$build/perfmon" -q delete --force 1 >/dev/null && postgres_sql jobs -c VACUUM || exit 1
}

a_job 1 "$size"
PERFMON_DB=$url "$build/perfmon" -q submit "$work/job" || exit 1
for form in text binary; do
	{
		echo 'BEGIN;'
		for table in $tables; do
			postgres_sql jobs -c "\\copy (SELECT * FROM $table) to '$work/$table.$form' (format $form)" || exit 1
			[ ! -s "$work/$table.$form" ] || echo "\\copy $table from '$work/$table.$form' (format $form)"
		done
		echo 'COMMIT;'
	} >"$work/$form.sql"
done
for _ in $(seq "$rounds"); do
	for form in text binary; do
		forget
		timed $form psql -X -q -h "$postgres_host" -U postgres -d jobs -v ON_ERROR_STOP=1 -f "$work/$form.sql"
	done
	forget
	timed submit env PERFMON_DB="$url" "$build/perfmon" submit "$work/job"
done
awk -v made="$made" -v submit="$(cat "$work/submit")" -v text="$(cat "$work/text")" -v binary="$(cat "$work/binary")" 'BEGIN {
	printf "%d processes into PostgreSQL, s\n", made
	printf "  %-44s %8.2f\n  %-44s %8.2f\n  %-44s %8.2f\n", "submit", submit, "COPY of the same rows, text", text,
		"COPY of the same rows, binary", binary
	printf "  %-44s %8.2f  >= 0.7  %s\n", "rate of submit per rate of COPY, text", text / submit, (text >= 0.7 * submit) ? "holds" : "missed"
	printf "  %-44s %8.2f\n", "rate of submit per rate of COPY, binary", binary / submit
}'
