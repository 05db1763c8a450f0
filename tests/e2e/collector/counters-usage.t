#!/bin/sh
# Counters that the kernel keeps for every thread anyway, against the same events by perf_event_open
# in the same threads; and why page faults are not among them.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

counters=$abs_top_builddir/tests/progs/counters
refuse=$abs_top_builddir/tests/progs/refuse

# The bit 8, not when idle, means nothing to a thread, and makes the collector open the event.
counted '1:3:0:0:0:8:direct' env true
if ! value direct record=end | grep -q '^[0-9]'; then
	skip "counters of the kernel's own" "context switches cannot be counted by perf_event_open: $(value direct record=end)"
	done_testing
fi

# Between the two readings of a thread it may lose the CPU: once in a while they differ by that.
try=0
equal=
while [ "$try" -lt 20 ] && [ -z "$equal" ]; do
	try=$((try + 1))
	counted '1:3:0:0:0:0:usage 1:3:0:0:0:8:direct' "$counters" switch 200
	table | sed -n 's/.*	record=\([a-z]*\)	.*	counters=\([^	]*\)	.*/\1 \2/p' |
		tr '=' ' ' >"$work/both"
	awk '$3 != $5 { exit 1 }' "$work/both" && equal=yes
done
diag "$(cat "$work/both")"
is "$(cut -d' ' -f1 "$work/both" | sort | uniq -c | tr -s ' \n' ' ')" " 4 end 6 thread " \
	"context switches: of images, their sums, forks and threads"
is "$(awk '$3 < 100' "$work/both")" "" "each has counted those of its thread"
is "$equal" yes "and as many as the kernel's event ($try tries)"

# Interrupts, and what a hypervisor takes away, are in one of the two and not in the other: on a
# machine that does much else they differ by some percent.
near()
{
	test "${usage:-0}" -gt 100000000 && test "$usage" -gt $(($1 - $1 / 4)) &&
		test "$usage" -lt $(($1 + $1 / 4))
}
for domain in 0 2; do
	other=$(printf '%x' $((domain + 8)))
	for try in 1 2 3 4 5 6 7 8 9 10; do
		counted "1:1:0:0:0:$domain:usage 1:1:0:0:0:$other:task 1:0:0:0:0:$other:cpu" "$counters" burn 60
		usage=$(value usage record=end)
		task=$(value task record=end)
		cpu=$(value cpu record=end)
		near "$task" && near "$cpu" && break
	done
	near "$task"
	ok $? "the clock of a thread is task-clock, domain $domain: $usage and $task ns ($try tries)"
	near "$cpu"
	ok $? "and cpu-clock: $cpu ns"
done

# What no descriptor is needed for cannot be denied. The kernel tells user mode from its own by ticks:
# there are many in this time.
counted '1:0:0:0:0:2:cpu 1:1:0:0:0:2:task 1:3:0:0:0:0:cs 1:2:0:0:0:2:faults' "$refuse" 13 "$counters" burn 60
is "$(value faults record=end exename=counters)" '?EACCES' "where counting is denied"
for name in cpu task; do
	test "$(value $name record=end exename=counters)" -gt 1000000
	ok $? "there is the $name clock"
done
value cs record=end exename=counters | grep -q '^[0-9][0-9]*$'
ok $? "and context switches"
is "$(counted '1:3:0:0:0:2:user' "$counters" switch 20; value user record=end | sort -u)" 0 \
	"there are none in user mode"

# faults KIND N: page faults in user mode, in all, minor ones in all, and those of getrusage.
faults()
{
	counted '1:2:0:0:0:2:user 1:2:0:0:0:0:all 1:5:0:0:0:0:minor' "$counters" fault "$1" "$2"
	echo "$(value user record=end) $(value all record=end) $(value minor record=end) $(field minflt record=end)"
}

# More than of a program that does the same but for these pages: what the loader does varies a bit.
for case in "user 1000 1000 1000 1000" "kernel 0 1000 1000 1000" "ahead 0 0 0 1000" \
	"denied 1000 1000 0 0"; do
	kind=${case%% *}
	is "$kind $(echo "$(faults "$kind" 1000) $(faults "$kind" 0)" |
		awk '{ print int(($1 - $5) / 1000 + .5) * 1000, int(($2 - $6) / 1000 + .5) * 1000,
			int(($3 - $7) / 1000 + .5) * 1000, int(($4 - $8) / 1000 + .5) * 1000 }')" "$case" \
		"1000 pages, $kind: faults in user mode, in all, minor, and those of getrusage"
done
done_testing
