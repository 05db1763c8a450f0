#!/bin/sh
# What four software counters cost in every process and thread, alone and while `perfmon run` holds
# one event of each class open.
#   bench/counters.sh BUILD-DIRECTORY [ROUNDS]
# Run by `make bench`; as bench/collector.sh, whose units these are.
build=${1:?usage: bench/counters.sh BUILD-DIRECTORY [ROUNDS]}
rounds=${2:-5}
build=$(cd "$build" && pwd) || exit 1
work=$(mktemp -d "$build/bench-records.XXXXXX") || exit 1
holder=
trap '[ -z "$holder" ] || kill "$holder"; rm -rf "$work"' EXIT
trap 'exit 130' INT
mkdir -m 700 "$work/records" "$work/prefix"

# As `perfmon run` resolves and hands them on.
PERFMON_OUTPUT_PREFIX=$work/prefix
PERFMON_LIBRARY=$build/libperfmon.so
PERFMON_OPTIONS=PERF_COUNT_SW_CPU_CLOCK,perf::PAGE-FAULTS,perf::MINOR-FAULTS,perf::MAJOR-FAULTS
export PERFMON_OUTPUT_PREFIX PERFMON_LIBRARY PERFMON_OPTIONS
events=$("$build/perfmon" -q -a run env | sed -n 's/^PERFMON_EVENTS=//p')
[ -n "$events" ] || { echo "$0: no events to count here" >&2; exit 1; }

host=$(cd "$work" && PERFMON_OUTPUT_PREFIX=$work/prefix PERFMON_LIBRARY=$build/libperfmon.so \
	"$build/perfmon" -q -a run env | sed -n "s/^PERFMON_HOST=//p")
recorded="LD_PRELOAD=$build/libperfmon.so,PERFMON_HOST=$host,PERFMON_JOBID=1,PERFMON_EXE=$build/perfmon"
recorded=$recorded,PERFMON_OUTPUT=$work/records

# measure KEY RUNS OPERATIONS TITLE COMMAND...
measure()
{
	key=$1 runs=$2 operations=$3 title=$4
	shift 4
	printf '\n== %s\n' "$title"
	"$build/bench/pairs" "$rounds" "$runs" "$operations" bare "perfmon,$recorded" \
		"4 counters,$recorded,PERFMON_EVENTS=$events" -- "$@" | tee "$work/$key"
	rm -f "$work"/records/*
}

# target KEY ratio|more LIMIT TITLE
target()
{
	awk -v how="$2" -v limit="$3" -v title="$4" '
		$1 == "bare" { wall = $2; cpu = $6 }
		/^4 counters/ {
			w = how == "ratio" ? $3 / wall : $3 - wall
			c = how == "ratio" ? $7 / cpu : $7 - cpu
			printf "%-50s %8s %10.2f %-6s %10.2f\n", title, limit, w, w <= limit ? "holds" : "missed", c
		}' "$work/$1"
}

measure process 200 1 "/bin/true with 4 software counters" /bin/true
measure thread 1 2000 "threads with 4 software counters, one after the other" "$build/bench/loop" thread 2000
"$build/perfmon" -q -a run sleep 1000 &
holder=$!
sleep 1
measure process-held 200 1 "/bin/true with 4 software counters, while perfmon run holds them" /bin/true
measure thread-held 1 2000 "threads with 4 software counters, while perfmon run holds them" \
	"$build/bench/loop" thread 2000

printf '\n== targets of counters%37s %10s %17s\n' limit wall 'by CPU'
target process ratio 1.60 "/bin/true, x bare"
target process-held ratio 1.45 "/bin/true, x bare, held"
target thread more 40 "thread, us over bare"
target thread-held more 40 "thread, us over bare, held"
