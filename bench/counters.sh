#!/bin/sh
# What four software counters cost in every process and thread, alone and while `perfmon run` holds
# one event of each class open. Of the four, none, one, two or three are opened, each of a class of
# its own, and the first of a class makes the kernel patch its code, as the last does: the others are
# kept for every thread anyway. Two, that is what perf stat counts unasked.
# Turns are short and the median is of many: the first event of any thread on the machine after a
# second without makes its process wait for milliseconds, which long turns would charge to `one`. That
# wait is measured apart, of single processes; elsewhere on the machine nobody may count anything.
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

PERFMON_OUTPUT_PREFIX=$work/prefix
PERFMON_LIBRARY=$build/libperfmon.so
export PERFMON_OUTPUT_PREFIX PERFMON_LIBRARY
none=cpu-clock,task-clock,context-switches
one=cpu-clock,task-clock,context-switches,page-faults
two=task-clock,context-switches,cpu-migrations,page-faults
three=cpu-clock,page-faults,minor-faults,major-faults

# resolved EVENTS: as `perfmon run` hands them on.
resolved()
{
	PERFMON_OPTIONS=$1 "$build/perfmon" -q -a run env | sed -n 's/^PERFMON_EVENTS=//p'
}

none_events=$(resolved "$none")
one_events=$(resolved "$one")
two_events=$(resolved "$two")
three_events=$(resolved "$three")
if [ -z "$none_events" ] || [ -z "$one_events" ] || [ -z "$two_events" ] || [ -z "$three_events" ]; then
	echo "$0: no events to count here" >&2
	exit 1
fi

host=$(uname -n):$(cat /proc/sys/kernel/random/boot_id):$(cut -c1 /proc/sys/kernel/task_delayacct)
recorded="LD_PRELOAD=$build/libperfmon.so,PERFMON_HOST=$host,PERFMON_JOBID=1,PERFMON_EXE=$build/perfmon"
recorded=$recorded,PERFMON_OUTPUT=$work/records

# measure KEY TURNS RUNS OPERATIONS TITLE COMMAND...
measure()
{
	key=$1 turns=$2 runs=$3 operations=$4 title=$5
	shift 5
	printf '\n== %s\n' "$title"
	"$build/bench/pairs" "$turns" "$runs" "$operations" bare "perfmon,$recorded" \
		"none,$recorded,PERFMON_EVENTS=$none_events" "one,$recorded,PERFMON_EVENTS=$one_events" \
		"two,$recorded,PERFMON_EVENTS=$two_events" "three,$recorded,PERFMON_EVENTS=$three_events" \
		-- "$@" | tee "$work/$key"
	rm -f "$work"/records/*
}

# lone [EVENTS]: us that /bin/true takes after two seconds in which no event was open; the median of 5.
lone()
{
	for _ in 1 2 3 4 5; do
		sleep 2
		"$build/bench/pairs" 1 1 1 "case,$recorded,PERFMON_EVENTS=$1" -- /bin/true
	done | awk '$1 == "case" { print $2 }' | sort -n | sed -n 3p
}

# target KEY WHICH ratio|more LIMIT TITLE
target()
{
	awk -v which="$2" -v how="$3" -v limit="$4" -v title="$5" '
		$1 == "bare" { wall = $2; cpu = $6 }
		$1 == which {
			w = how == "ratio" ? $2 / wall : $2 - wall
			c = how == "ratio" ? $6 / cpu : $6 - cpu
			printf "%-46s %8s %10.2f %-6s %10.2f %s\n", title, limit, w, w <= limit ? "holds" : "missed",
				c, c <= limit ? "holds" : "missed"
		}' "$work/$1"
}

measure process $((rounds * 20)) 10 1 "/bin/true with 4 software counters" /bin/true
measure thread "$rounds" 1 2000 "threads with 4 software counters, one after the other" \
	"$build/bench/loop" thread 2000
printf '\n== /bin/true after two seconds without events, us\nperfmon %s, none %s, one %s\n' \
	"$(lone)" "$(lone "$none_events")" "$(lone "$one_events")"
PERFMON_OPTIONS=$two,$three "$build/perfmon" -q -a run sleep 1000 &
holder=$!
# The command is there: they are held.
until [ -n "$(cat "/proc/$holder/task/$holder/children")" ]; do
	sleep 0.1
done
measure process-held $((rounds * 20)) 10 1 "/bin/true with 4 software counters, while perfmon run holds them" \
	/bin/true
measure thread-held "$rounds" 1 2000 "threads with 4 software counters, while perfmon run holds them" \
	"$build/bench/loop" thread 2000

printf '\n== targets of 4 counters, of which some are opened\n'
printf '%-7s%s\n' none "$none" one "$one" two "$two" three "$three"
printf '%-46s %8s %17s %17s\n' '' limit wall 'by CPU'
for which in none one two three; do
	target process $which ratio 1.60 "$which: /bin/true, x bare"
	target process-held $which ratio 1.45 "$which: /bin/true, x bare, held"
	target thread $which more 40 "$which: thread, us over bare"
	target thread-held $which more 40 "$which: thread, us over bare, held"
done
