#!/bin/sh
# What list takes to find rows of many jobs by each of its filters, in SQLite and in PostgreSQL.
#   bench/find.sh BUILD-DIRECTORY [JOBS [PROCESSES [ROUNDS [ENGINE...]]]]
# The databases have JOBS jobs of PROCESSES processes each, made by SQL (bench/find.py), not by loading; in PostgreSQL of 30 days.
# Shown is the fastest of the rounds, and the least CPU time of perfmon itself, which tells of a busy machine. Needs python3, a PostgreSQL server, and
# 300 bytes per process in TMPDIR for each of the engines.
build=${1:?usage: bench/find.sh BUILD-DIRECTORY [JOBS [PROCESSES [ROUNDS [ENGINE...]]]]}
jobs=${2:-100000}
processes=${3:-100}
rounds=${4:-3}
[ $# -ge 4 ] && shift 4 || shift $#
engines=${*:-sqlite postgresql}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
"$build/tests/progs/generate" "$work/job" 20 >/dev/null || exit 1

ask()
{
	echo "$1: list --limit 20, $jobs jobs, $((jobs * processes)) processes"
	while read -r words; do
		rm -f "$work/look" "$work/look.all"
		for _ in $(seq "$rounds"); do
			eval "timed look \"\$build/perfmon\" list --limit 20 $words"
		done
		awk -v what="$words" '{ cpu = $2 + $3 } NR == 1 || $1 < wall { wall = $1 } NR == 1 || cpu < least { least = cpu }
			END { printf "  %-56s %7.1f ms %7.1f ms of CPU\n", what, wall * 1000, least * 1000 }' "$work/look.all"
	done <"$work/questions"
}

cat >"$work/questions" <<END
jobs --user user7
jobs --name name7 --status failed
jobs --host n7
jobs --tag exp:e7
jobs --where "processes > 50" --user user7
processes --user user7
processes --user user7 --failed
processes --name name7 --program prog7
processes --host n7
processes --tag exp:e7 --offset 1000
processes --status failed
processes --after @$((1700000000 + jobs * 30)) --before @$((1700000000 + jobs * 31))
processes --program prog7
processes --program rare
processes --program none
processes --longer 1h
processes --longer 119m
processes --longer 3h
processes --failed
processes --failed --longer 1h
processes --process-tag phase:p1
processes --process-tag phase:odd
processes --process-tag phase:none
processes --host n7 --pid 77
processes --where "cpu_time > 9000000"
processes --user user7 --where "exename = 'prog7'"
processes --tag exp:e7 --order cpu_time
threads --user user7
threads --program rare
tags --user user7
hosts --user user7
END
export PERFMON_DB
for engine in $engines; do
	if [ "$engine" = sqlite ]; then
		PERFMON_DB=$work/site.db
		"$build/perfmon" -q submit "$work/job" && python3 "$here/find.py" sqlite "$PERFMON_DB" "$jobs" "$processes" || exit 1
		ask SQLite
		rm -f "$work"/site.db*
	else
		server || { echo "bench/find.sh: $postgres_missing" >&2; exit 1; }
		postgres_sql postgres -c "CREATE DATABASE site" || exit 1
		PERFMON_DB=$(postgres_url site)
		"$build/perfmon" -q submit "$work/job" && python3 "$here/find.py" postgresql - "$jobs" "$processes" >"$work/site.sql" &&
			postgres_sql site -f "$work/site.sql" >/dev/null || exit 1
		ask PostgreSQL
		postgres_stop
	fi
done
