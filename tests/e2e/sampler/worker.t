#!/bin/sh
# perfmon sample: a process that reads sources is stopped, killed, or crashes; the others go on.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

host=$(uname -n)
series=$host.series
# A crash is to look like one.
[ "${PM_SANITIZED:-no}" = no ] || export ASAN_OPTIONS="$ASAN_OPTIONS:handle_segv=0"

if ! need ps setsid; then
	skip "processes that read sources" "no $missing"
	done_testing
	exit
fi

# The process of a sampler that has this name, "" for none.
worker()
{
	ps -o pid=,stat=,comm= --ppid "$1" | awk -v name="perfmon:$2" '$3 == name && $2 !~ /^Z/ { print $1 }'
}

has_worker()
{
	[ "$(worker "$1" "$2")" ]
}

# How many values of a series of the file are known, or unknown for a reason.
known()
{
	series_values "$@" | grep -c '^[0-9]'
}

unknown()
{
	reason=$1
	shift
	series_values "$@" | grep -c "^.N:$reason"
}

at_least()
{
	want=$1
	shift
	[ "$("$@")" -ge "$want" ]
}

sleep 1000 &
job=$!
mkdir out
"$PERFMON" sample -i 100ms -d out --pid $job --sources process,cpu,memory,sampler >log 2>&1 &
sampler=$!
file=out/$series
wait_for at_least 3 known "$file" cpu user
wait_for has_worker $sampler node
wait_for has_worker $sampler tree

# --- stopped ----------------------------------------------------------------------------------

before=$(known "$file" process rss)
kill -STOP "$(worker $sampler node)"
wait_for at_least 5 unknown late "$file" cpu user
stopped=$(known "$file" cpu user)
wait_for at_least $((before + 8)) known "$file" process rss
is "$(known "$file" cpu user)" "$stopped" "nothing is read by a process that is stopped"
ok $(($(unknown late "$file" memory total) < 5)) "what it reads is late"
is "$(unknown '' "$file" process rss)" 0 "what others read stays complete"
late=$(series_values "$file" sampler late_readings cpu | tail -n 1)
ok $((late < 4)) "late readings are counted"
kill -CONT "$(worker $sampler node)"
wait_for at_least $((stopped + 3)) known "$file" cpu user
ok $? "it goes on when it is continued"

# --- ended ------------------------------------------------------------------------------------

before=$(known "$file" memory total)
old=$(worker $sampler node)
kill -KILL "$old"
wait_for at_least $((before + 5)) known "$file" memory total
ok $? "one that was killed is started again"
ok $(($(worker $sampler node) == old)) "as another process"
kill -SEGV "$(worker $sampler tree)"
before=$(known "$file" process rss)
wait_for at_least $((before + 3)) known "$file" process rss
ok $? "one that crashed is started again"
is "$(series_values "$file" sampler failures | tail -n 1)" 3 "failures are counted, of each source"
is "$(series_values "$file" sampler failures process | tail -n 1)" 1 "and apart"
is "$(series_check "$file")" "" "every line is as documented"
for metric in usertime cost; do
	object=
	[ $metric = cost ] && object=memory
	values=$(series_values "$file" sampler $metric $object)
	is "$(printf '%s\n' "$values" | sort -n)" "$values" "$metric of the sampler never falls"
done

# --- what is kept when it crashes -------------------------------------------------------------

# Nothing in /proc tells that the processes below one that is gone belong to the job, nor what that used.
mkdir orphans && mkfifo orphans/go
"$abs_top_builddir/tests/progs/sampler_chain" 4 0 10 <orphans/go >orphans/pids &
root=$!
exec 9>orphans/go
"$PERFMON" sample -i 50ms -d orphans --pid $root --sources process,sampler 9>&- >log.orphans 2>&1 &
follower=$!
orphans=orphans/$series
processes()
{
	[ "$(series_values "$orphans" process processes | tail -n 1)" = "$1" ]
}
wait_for processes 4
kill -KILL $root
wait $root 2>/dev/null
wait_for processes 3
before=$(known "$orphans" process rchar)
kill -SEGV "$(worker $follower tree)"
wait_for at_least $((before + 5)) known "$orphans" process rchar
ok $? "what follows the tree is started again"
wait_for processes 3
ok $? "and knows the processes whose parent is gone"
exec 9>&-
wait $follower
is $? 0 "it ends when they do"
for metric in usertime systemtime rchar syscw; do
	values=$(series_known "$orphans" process $metric)
	is "$(printf '%s\n' "$values" | sort -n)" "$values" "$metric never falls"
done

# --- slow sources -----------------------------------------------------------------------------

# They share a process, and have a turn when the sampler begins and when it ends. The one that the
# process hangs with keeps it; the others get a new one. Where sanitizers make the first turn dear, the
# budget does not let them have the last one.
if [ "$PM_SANITIZED" = yes ]; then
	skip "a process of sources with a period that is stopped" "sanitizers are dearer than the budget"
elif "$PERFMON" sources | sed -n '/^frequency/{n;p;}' | grep -q '^  available'; then
	mkdir slow
	"$PERFMON" sample -i 100ms -d slow --pid $job --sources process,frequency,interrupts,sampler >log.slow 2>&1 &
	slow=$!
	wait_for at_least 1 known "slow/$series" frequency frequency
	wait_for at_least 1 known "slow/$series" interrupts interrupts
	is "$(ps -o comm= --ppid $slow | grep -c slow)" 1 "one process reads all sources with a period"
	# Until both may be read again, by their budget: a thousandth of the time.
	wait_for at_least 1 known "slow/$series" sampler cost frequency
	wait_for at_least 1 known "slow/$series" sampler cost interrupts
	sleep $(($(for source in frequency interrupts; do
		series_values "slow/$series" sampler cost $source | tail -n 1
	done | sort -n | tail -n 1) / 1000000 + 1))
	before=$(known "slow/$series" frequency frequency)
	others=$(known "slow/$series" interrupts interrupts)
	kill -STOP "$(worker $slow slow)"
	kill -TERM $slow
	wait $slow
	is "$? $(known "slow/$series" frequency frequency) $(unknown late "slow/$series" frequency frequency)" "0 $before 1" \
		"where it is stopped, one source is late"
	is "$(known "slow/$series" interrupts interrupts)" $((others + 1)) "the others are read by another process"
	is "$(unknown '' "slow/$series" process rss)" 0 "and what is read at every tick is complete"
	is "$(cat log.slow)" "" "all of it without a word"
else
	skip "a process of sources with a period that is stopped" "one such source alone"
fi

# --- the sampler ends -------------------------------------------------------------------------

kill -STOP "$(worker $sampler node)"
kill -TERM $sampler
wait $sampler
is $? 0 "a process that is stopped does not keep the sampler"
is "$(cat log)" "" "nothing on standard output and standard error"

# Killed, it takes all of them along, the stopped one too.
"$PERFMON" sample -i 100ms -d out --pid $job >log 2>&1 &
sampler=$!
wait_for has_worker $sampler node
wait_for has_worker $sampler tree
pids=$(ps -o pid= --ppid $sampler)
kill -STOP "$(worker $sampler node)"
kill -KILL $sampler
wait $sampler 2>/dev/null
gone()
{
	for pid in $pids; do
		[ ! -d "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" || return 1
	done
}
wait_for gone
ok $? "a sampler that is killed leaves no process"

# A terminal's interrupt reaches all of them, and the last sample is taken all the same.
mkdir group
setsid "$PERFMON" sample -i 1h -d group --pid $job --sources process,cpu >log 2>&1 &
sampler=$!
wait_for at_least 1 known "group/$series" cpu user
kill -INT -$sampler
wait $sampler
is "$? $(known "group/$series" cpu user) $(known "group/$series" process rss)" "0 2 2" \
	"an interrupt of all of them ends with a last sample"
kill $job
wait $job 2>/dev/null

done_testing
