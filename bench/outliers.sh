#!/bin/sh
# What outliers, rootcause, model and analyze take where a database has JOBS jobs, 500 of each name, in SQLite and
# PostgreSQL: rows of table job, made by SQL from that of one job which is loaded.
#   bench/outliers.sh BUILD-DIRECTORY [JOBS [ROUNDS]]
# Shown is the fastest of the rounds. Needs sqlite3, 700 bytes per job in TMPDIR, and for the second half a server.
build=${1:?usage: bench/outliers.sh BUILD-DIRECTORY [JOBS [ROUNDS]]}
jobs=${2:-100000}
rounds=${3:-5}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
"$build/tests/progs/generate" "$work/job" 20 >/dev/null && PERFMON_DB=$work/site.db "$build/perfmon" -q submit "$work/job" || exit 1

# rows NUMBERS COLUMNS: the statement that makes the jobs. Figures scatter by a fifth, differently in each.
rows()
{
	echo "$2" | awk -v numbers="$1" '{
		n = split($0, c, ",")
		for (i = 1; i <= n; i++) {
			v = "j.\"" c[i] "\""
			if (c[i] == "jobid") v = "CAST(1000000 + n AS TEXT)"
			if (c[i] == "name") v = "'"'name' || CAST(n / 500 AS TEXT)"'"
			if (c[i] ~ /^(start_us|epoch_us|end_us)$/) v = "1700000000000000 + n * 60000000"
			if (c[i] ~ /^(duration_us|cpu_time|processes|rssmax|rchar|wchar|minflt|usertime|systemtime|syscr|syscw)$/)
				v = "1000000 + (n * " (7919 + 2 * i) " + n / 7 * " (104729 + i) ") % 200000"
			if (c[i] == "running") v = 0
			if (c[i] == "analyzed_us") v = 1
			columns = columns (i > 1 ? ", " : "") "\"" c[i] "\""
			values = values (i > 1 ? ", " : "") v
		}
		print "INSERT INTO job (" columns ") SELECT " values " FROM " numbers " CROSS JOIN job j WHERE j.name IS NULL OR j.name NOT LIKE '"'name%'"';"
	}'
}
# measure DATABASE: what each takes.
measure()
{
	PERFMON_DB=$1
	export PERFMON_DB
	sql=$2
	first=$((1000000 + jobs / 2 / 500 * 500))
	name=name$((jobs / 2 / 500))
	while read -r words; do
		rm -f "$work/look" "$work/look.all"
		for _ in $(seq "$rounds"); do
			case $words in
			analyze*) $sql "UPDATE job SET analyzed_us = NULL WHERE jobid = '$first'" >/dev/null ;;
			"model create"*) "$build/perfmon" -q model delete reference >/dev/null 2>&1 ;;
			esac
			# shellcheck disable=SC2086 # words
			timed look "$build/perfmon" $words
		done
		awk -v what="$words" '{ printf "  %-52s %8.1f ms\n", what, $1 * 1000 }' "$work/look"
	done <<-END
		outliers --name $name
		outliers --name $name --feature * --pca
		model create reference --name $name --feature * --pca
		outliers --name $name --model reference
		rootcause $first
		rootcause $first --model reference
		analyze -q
	END
	$sql "UPDATE job SET analyzed_us = NULL" >/dev/null
	rm -f "$work/look" "$work/look.all"
	timed look "$build/perfmon" analyze -q
	awk -v jobs="$jobs" '{ printf "  %-52s %8.1f s, %.0f jobs/s, %d MB\n", "analyze -q, all jobs due", $1, jobs / $1, $4 / 1000 }' "$work/look.all"
}
set -f
lite() { sqlite3 "$work/site.db" "$@"; }
columns=$(lite "SELECT group_concat(name, ',') FROM pragma_table_info('job') WHERE name <> 'id'")
lite "PRAGMA synchronous = OFF; $(rows "(WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n + 1 < $jobs) SELECT n FROM c) g" "$columns")
	UPDATE job SET analyzed_us = 1; ANALYZE" >/dev/null || exit 1
echo "$(lite 'SELECT count(*) FROM job') jobs in SQLite"
measure "$work/site.db" lite
server || { echo "bench/outliers.sh: $postgres_missing" >&2; exit 1; }
postgres_sql postgres -c "CREATE DATABASE site" && PERFMON_DB=$(postgres_url site) "$build/perfmon" -q submit "$work/job" || exit 1
server_sql() { postgres_sql site -c "$1"; }
server_sql "$(rows "generate_series(CAST(0 AS bigint), $jobs - 1) g(n)" "$columns") UPDATE job SET analyzed_us = 1" || exit 1
server_sql "VACUUM ANALYZE job"
echo "$(server_sql 'SELECT count(*) FROM job') jobs in PostgreSQL"
measure "$(postgres_url site)" server_sql
