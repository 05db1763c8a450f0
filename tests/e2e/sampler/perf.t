#!/bin/sh
# Events that the sampler counts for a job: exactly, by a breakpoint that a known number of accesses
# hits in all processes and threads of the job; and what cannot be counted says why.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

series=$(uname -n).series
counters=$abs_top_builddir/tests/progs/counters

has_ticks()
{
	[ "$(series_ticks "$1/$series")" -ge "$2" ]
}

last()
{
	series_last "$1/$series" perf "$2" "$3"
}

if ! need nm; then
	skip "events" "no $missing"
	done_testing
fi
watched=mem:0x$(nm "$counters" | awk '$3 == "watched" { print $1 }' | sed 's/^0*//')/4:rw

mkdir job && mkfifo job/go
sh -c 'read -r _ <job/go
	"$0" threads 4; "$0" fork & "$0" touch 5; wait; read -r _ <job/go' "$counters" >job/touched &
root=$!
"$PERFMON" sample --pid $root -i 20ms -d job --sources perf \
	--perf "$watched,task-clock,page-faults,cycles,cs" 2>job/err &
sampler=$!
wait_for has_ticks job 1
echo >job/go
touched()
{
	# Each process prints its own; threads what their process has, too.
	[ "$(wc -l <job/touched)" -eq 11 ]
}
wait_for touched
wait_for has_ticks job $(($(series_ticks "job/$series") + 3))
want=$(awk '{ n += $2 } NR == 5 { n = $2 } END { print n }' job/touched)
got=$(last job count "$watched")
case $("$counters" hits):$got in
*" 3:"[0-9]*) is "$got" "$want" "every access of all processes and threads counts, once" ;;
*) skip "every access counts" "no breakpoints here: $got" ;;
esac
is "$(last job enabled task-clock)" "$(last job running task-clock)" "a clock is never multiplexed"
ok $(($(last job count task-clock) <= 0)) "time on a CPU"
ok $(($(last job count page-faults) <= 0)) "page faults"
case $(last job count cycles) in
\\N:absent) ok 0 "there are no cycles without a hardware counter, not 0" ;;
\\N:*) skip "cycles" "$(last job count cycles)" ;;
*) ok $(($(last job count cycles) <= 0)) "cycles" ;;
esac
for metric in count enabled running; do
	values=$(series_known "job/$series" perf $metric page-faults)
	is "$(printf '%s\n' "$values" | sort -n)" "$values" "$metric never falls"
done
echo >job/go
wait $sampler
is "$?:$(cat job/err)" 0: "the sampler ends with the job"
is "$(series_check "job/$series")" "" "every line is as documented"

# Loaded, they are in the report, with what they make.
if need sqlite3; then
	"$PERFMON" -q -j sampled start && "$PERFMON" -q -j sampled stop
	cp "$work"/prefix/*/sampled/job-*.json job
	"$PERFMON" -q --db "$work/db" submit job >submitted 2>&1
	"$PERFMON" --db "$work/db" report >report 2>&1
	value=$(series_last "job/$series" perf count page-faults)
	case $value in
	\\N:*) skip "the report has what was counted" "$value" ;;
	*)
		is "$(sed -n '/^Sampled counters/,/^$/s/^ *page-faults *\([0-9,]*\) .*/\1/p' report | tr -d ,)" "$value" \
			"the report has what was counted"
		ok "$(grep -c '^ *Page faults  .*/s' report | awk '{ print !($1 == 1) }')" "and the rate that it makes"
		"$PERFMON" --db "$work/db" report --json >report.json 2>&1
		is "$(tr -d ' \n' <report.json | grep -c '"sampled_counters":\[{"name":".*"sampled_metrics":\[')" 1 "so has its JSON"
		;;
	esac
else
	skip "the report has what was counted" "no sqlite3"
fi

# Without a process: the node, for whom that may be known.
if [ "$(id -u)" -eq 0 ]; then
	mkdir node
	"$PERFMON" sample -i 20ms -d node --sources perf --perf cpu-clock &
	sampler=$!
	wait_for has_ticks node 3
	kill $sampler
	wait $sampler
	got=$(last node count cpu-clock)
	case $got in
	\\N:*) skip "all CPUs" "$got" ;;
	*) ok $((got <= 0)) "without --pid all CPUs count" ;;
	esac
fi

# What a plain user may not count.
if [ "$(id -u)" -eq 0 ] && need setpriv &&
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
	chmod 755 "$work" "$work/home"
	setpriv --reuid=65534 --regid=65534 --clear-groups sleep 60 &
	root=$!
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$PERFMON" sample -i 20ms --pid $root --sources perf --perf cs,cpu-clock >plain &
	sampler=$!
	plain_ticks()
	{
		[ "$(series_ticks plain)" -ge 2 ]
	}
	wait_for plain_ticks
	kill $root
	wait $sampler
	is "$(series_last plain perf count cs)" '\N:permission' \
		"a plain user is told that the kernel may not be counted"
else
	skip "a plain user is told that the kernel may not be counted" "not root, or all may"
fi

# Too many descriptors are not a smaller count.
mkdir many
sleep 60 &
root=$!
(
	# shellcheck disable=SC3045 # every sh has -n
	ulimit -n 40 && exec "$PERFMON" sample --pid $root -i 20ms -d many --sources perf \
		--perf "$(for name in page-faults minor-faults major-faults cpu-clock task-clock \
			alignment-faults emulation-faults; do
			printf '%s,%s:u,%s:k,%s:uk,' $name $name $name $name
		done)"
) &
sampler=$!
wait_for has_ticks many 2
kill $root
wait $sampler
is "$(series_values "many/$series" perf count emulation-faults:uk | grep -v late | tail -n 1)" '\N:unsupported' \
	"what there are no descriptors for is unknown"

"$PERFMON" sample --perf nonsense >out 2>err
is "$? $(cat out err)" \
	"2 perfmon: --perf: unknown kernel event 'nonsense'; perfmon events lists them" \
	"an unknown event is a mistake"
"$PERFMON" sample --perf faults,cycles,faults >out 2>err
is "$? $(cat out err)" "2 perfmon: --perf: event 'faults' is named twice" "so is one that is there twice"
is "$("$PERFMON" sources | grep -A 1 '^perf:' | tail -n 1)" \
	"  not available (absent): no events requested (--perf)" "without events there is no source"

done_testing
