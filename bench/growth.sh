#!/bin/sh
# Whether loading slows down as a database grows: jobs of PROCESSES processes go into one database, JOBS of
# them, one after the other; each one's rate, and the last third of them against the first. SQLite, then
# PostgreSQL where a server is.
#   bench/growth.sh BUILD-DIRECTORY [JOBS [PROCESSES]]
# Needs room for 2 kB per process of all jobs in TMPDIR.
build=${1:?usage: bench/growth.sh BUILD-DIRECTORY [JOBS [PROCESSES]]}
jobs=${2:-10}
processes=${3:-1000000}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"

# grow NAME DATABASE
grow()
{
	n=0 bytes=0
	while [ "$n" -lt "$jobs" ]; do
		a_job "$n" "$processes"
		bytes=$((bytes + $(cat "$work"/job/*.tsv | wc -c)))
		timed "$1" env PERFMON_DB="$2" "$build/perfmon" submit "$work/job"
		n=$((n + 1))
	done
}

# told NAME TITLE BYTES
told()
{
	awk -v made="$made" -v title="$2" -v bytes="$bytes" -v size="$3" '
	{
		rate[NR] = made / $1
		cpu[NR] = ($2 + $3) * 1e6 / made
		if ($4 > peak) peak = $4
	}
	END {
		printf "%s: %d jobs of %d processes into one database\n", title, NR, made
		for (i = 1; i <= NR; i++)
			printf "  job %-30d %8.0f processes/s, %.2f us of CPU per process\n", i, rate[i], cpu[i]
		some = NR < 6 ? 1 : int(NR / 3)
		for (i = 1; i <= some; i++) {
			first += rate[i] / some
			last += rate[NR + 1 - i] / some
		}
		printf "  %-34s %8.2f  >= 0.85  %s\n", "last per first", last / first,
			(last >= 0.85 * first) ? "holds" : "missed"
		printf "  %-34s %8.2f\n", "peak of resident memory, MB", peak / 1024
		printf "  %-34s %8.2f\n", "bytes of database per byte of TSV", size / bytes
	}' "$work/$1.all"
}

grow sqlite "$work/grown.db"
told sqlite SQLite "$(cat "$work"/grown.db* | wc -c)"
rm -f "$work"/grown.db*
server || { echo "bench/growth.sh: $postgres_missing" >&2; exit 0; }
postgres_sql postgres -c "CREATE DATABASE grown" || exit 1
grow server "$(postgres_url grown)"
told server PostgreSQL "$(postgres_sql grown -c "SELECT pg_database_size('grown')")"
