#!/bin/sh
# Exports of a made-up job, beside the CSV of SQLite's own shell for the same rows.
#
#   bench/export.sh BUILD [PROCESSES] [ROUNDS]
#
# Prints, for each, the fastest wall time of the rounds, rows a second and peak memory; the ratio to the shell.
build=${1:?name the build directory}
processes=${2:-1000000}
rounds=${3:-5}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
command -v sqlite3 >/dev/null 2>&1 || { echo "bench/export.sh: no sqlite3" >&2; exit 1; }
perfmon=$build/perfmon
export PERFMON_DB="$work/db"

a_job export "$processes"
"$perfmon" -q submit "$work/job" || exit 1
columns="t.*, h.hostname, h.boot_id"
rows="SELECT $columns FROM process t JOIN host h ON h.job_id = t.job_id AND h.id = t.host_id WHERE t.job_id = 1 ORDER BY t.id"
for _ in $(seq "$rounds"); do
	timed shell sqlite3 -csv -header -cmd ".output $work/shell.csv" "$PERFMON_DB" "$rows"
	for format in csv tsv jsonl parquet; do
		timed "$format" "$perfmon" export processes '#1' -o "$work/rows.$format"
	done
done
echo "$made processes, $rounds rounds"
for name in shell csv tsv jsonl parquet; do
	file=$work/rows.$name
	[ "$name" != shell ] || file=$work/shell.csv
	sort -n "$work/$name.all" | head -n 1 | awk -v name="$name" -v rows="$made" -v shell="$(cat "$work/shell")" \
		-v bytes="$(wc -c <"$file")" '{
			printf "%-8s %7.2f s  %8.0f rows/s  %5.2f x the speed of the shell  peak %5.1f MB  file %6.1f MB\n",
				name, $1, rows / $1, shell / $1, $4 / 1024, bytes / 1e6 }'
done
