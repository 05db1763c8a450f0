#!/bin/sh
# How fast submit loads, beside what sqlite3 makes of one line of 47 columns per process.
#   bench/submit.sh BUILD-DIRECTORY [ROUNDS [PROCESSES...]]
# Several sizes of made-up jobs (tests/progs/generate.c) are loaded in turn with .import of as many lines, each
# time into a new database, in WAL mode with synchronous = NORMAL for both and, for the import, a cache of
# 16 MB, twice submit's; what either reads was read right before, and what either wrote is on disk before
# the next begins. The lines hold the columns of papiex's dictionary of the same processes, what is
# unknown as 0, and go into a table without any index. Third, as what SQLite itself takes for it, the
# sqlite3 program copies the rows that submit made from database to database, into the same tables. Of
# the rounds the fastest counts, for each. Needs sqlite3 and room for 6 kB per process in TMPDIR.
build=${1:?usage: bench/submit.sh BUILD-DIRECTORY [ROUNDS [PROCESSES...]]}
rounds=${2:-3}
[ $# -ge 2 ] && shift 2 || shift $#
sizes=${*:-1000 100000 1000000}
work=$(mktemp -d "${TMPDIR:-/var/tmp}/perfmon-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
PERFMON_OUTPUT_PREFIX=$work/prefix XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work TMPDIR=$work
export PERFMON_OUTPUT_PREFIX XDG_CONFIG_HOME XDG_DATA_HOME TMPDIR

columns='tags hostname exename path args exitcode exitsignal pid generation ppid pgid sid numtids numranks
	tid mpirank start_us end_us usertime systemtime rssmax minflt majflt inblock outblock vol_ctxsw
	invol_ctxsw cminflt cmajflt cutime cstime num_threads starttime processor delayacct_blkio_time
	guest_time rchar wchar syscr syscw read_bytes write_bytes cancelled_write_bytes time_oncpu
	time_waiting timeslices rdtsc_duration'
texts=' tags hostname exename path args '
# shellcheck disable=SC2086 # words
set -- $columns
[ $# -eq 47 ] || { echo "bench/submit.sh: $# columns" >&2; exit 1; }

select='' create=''
for c in $columns; do
	case $texts in
	*" $c "*) select="$select, coalesce($c, '')" create="$create, $c TEXT" ;;
	*) select="$select, coalesce($c, 0)" create="$create, $c INTEGER" ;;
	esac
done

bytes()
{
	cat "$@" | wc -c
}

# best FILE WALL USER SYSTEM RSS...: keep the fastest line.
best()
{
	if [ ! -s "$1" ] || [ "$(sort -n "$1" "$work/cost" | head -n 1)" = "$(cat "$work/cost")" ]; then
		cp "$work/cost" "$1"
	fi
}

load()
{
	rm -f "$work"/p.db*
	sync
	cat "$work"/job/* >/dev/null
	PERFMON_DB=$work/p.db "$build/bench/cost" "$work/cost" "$build/perfmon" submit "$work/job" \
		>/dev/null || exit 1
	best "$work/submit"
}

# shell FILE ARGUMENT...: what the sqlite3 program takes with a new database.
shell()
{
	times=$1 database=$1.db
	shift
	rm -f "$database"*
	sync
	"$build/bench/cost" "$work/cost" sqlite3 "$database" 'PRAGMA journal_mode = WAL' \
		'PRAGMA synchronous = NORMAL' 'PRAGMA cache_size = -16384' "$@" >/dev/null || exit 1
	best "$times"
	rm -f "$database"*
}

import()
{
	cat "$work/lines" >/dev/null
	shell "$work/import" "CREATE TABLE line (${create#, })" '.mode tabs' ".import $work/lines line"
}

# With a condition, for SQLite would copy records as they are without.
copy()
{
	sqlite3 "$work/p.db" .schema >"$work/schema" || exit 1
	cat "$work/p.db" >/dev/null
	set -- BEGIN
	for t in process thread_row counter content; do
		set -- "$@" "INSERT INTO $t SELECT * FROM p.$t WHERE true"
	done
	shell "$work/copy" ".read $work/schema" "ATTACH '$work/p.db' AS p" "$@" COMMIT
}

for size in $sizes; do
	rm -rf "$work/job" "$work/submit" "$work/import" "$work/copy"
	made=$("$build/tests/progs/generate" "$work/job" "$size") || exit 1
	tsv=$(bytes "$work"/job/*.tsv)
	load
	sqlite3 -separator '	' "$work/p.db" "SELECT ${select#, } FROM process p JOIN host h
		ON h.job_id = p.job_id AND h.id = p.host_id" >"$work/lines" || exit 1
	rm "$work/submit"
	round=0
	while [ "$round" -lt "$rounds" ]; do
		load
		import
		copy
		round=$((round + 1))
	done
	# Its log is gone once it is closed.
	awk -v made="${made%% *}" -v tsv="$tsv" -v db="$(bytes "$work"/p.db*)" -v lines="$(wc -l <"$work/lines")" '
	function verdict(what, value, limit, holds) {
		printf "  %-34s %8.2f  %-8s %s\n", what, value, limit, holds ? "holds" : "missed"
	}
	NR == 1 { submit = wall = $1; user = $2; system_ = $3; rss = $4 }
	NR == 2 {
		rate = made / wall
		import = lines / $1
		printf "%d processes, %.1f MB of records\n", made, tsv / 1e6
		printf "  %-34s %8.0f processes/s, %.1f MB/s, %.2f us of CPU per process (%.2f of it in the kernel)\n",
			"submit", rate, tsv / wall / 1e6, (user + system_) * 1e6 / made, system_ * 1e6 / made
		printf "  %-34s %8.0f rows/s, %.2f us of CPU per row\n", "sqlite3 .import, 47 columns", import,
			($2 + $3) * 1e6 / lines
		verdict("processes per row of .import", rate / import, ">= 1.20", rate >= 1.2 * import)
	}
	NR == 3 {
		printf "  %-34s %8.0f processes/s, %.2f us of CPU per process: submit takes %.2f times as long\n",
			"sqlite3, copying the rows", made / $1, ($2 + $3) * 1e6 / made, submit / $1
		verdict("peak of resident memory, MB", rss / 1024, "<= 64", rss <= 64 * 1024)
		verdict("bytes of database per byte of TSV", db / tsv, "<= 1.20", db <= 1.2 * tsv)
	}' "$work/submit" "$work/import" "$work/copy"
done
