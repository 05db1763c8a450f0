#!/bin/sh
# The sampler's account by taskstats: every task of the job in full, however short it lived, and
# nobody else's, against the kernel's own figures for a control group and for waited-for children.
#
# PM_TASKSTATS_PROCESSES sets how many processes of 20 ms there are, PM_TASKSTATS_PERCENT how near the
# CPU time has to be; `make check-taskstats` runs 1 000 within 2 %.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"

processes=${PM_TASKSTATS_PROCESSES:-50}
percent=${PM_TASKSTATS_PERCENT:-5}
series=$(uname -n).series
burn=$abs_top_builddir/tests/progs/sampler_burn

if [ "$(id -u)" -eq 0 ] && need setpriv; then
	chmod 755 "$work" "$work/home"
	is "$(setpriv --reuid=65534 --regid=65534 --clear-groups "$PERFMON" sources |
		grep -A 1 '^taskstats:' | tail -n 1)" \
		"  not available (permission): taskstats: Operation not permitted" \
		"a plain user is told that permission is missing"
fi
if ! "$PERFMON" sources | grep -A 1 '^taskstats:' >about || ! grep -q '^  available' about; then
	skip "taskstats" "$(tail -n 1 about)"
	done_testing
fi

# job DIR ARGUMENT...: burn in a control group of its own, sampled from its beginning to its end.
# Sets $us (by rusage) and $charged (by the group). Others come and go all the time, several a tick, and as
# fast as they can where there is more to count.
job()
{
	directory=$1
	shift
	mkdir "$directory" && mkfifo "$directory/go" "$directory/start"
	make_group
	inside=$group
	if [ -n "$by_group" ]; then
		inside=$group/job_$$
		mkdir "$inside"
	fi
	while :; do
		/bin/true
		[ -n "${PM_TASKSTATS_PROCESSES-}" ] || sleep 0.01
	done &
	others=$!
	sh -c '[ -z "$1" ] || echo $$ >"$1/cgroup.procs"; read -r _ <"$2"; shift 2; exec "$@"' - \
		"$inside" "$directory/start" "$burn" "$@" <"$directory/go" >"$directory/us" &
	root=$!
	exec 9>"$directory/go"
	[ -z "$by_group" ] || wait_for grep -q . "$inside/cgroup.procs"
	if [ -n "$by_group" ]; then set -- --job $$; else set -- --pid $root; fi
	"$PERFMON" sample "$@" -d "$directory" -i 100ms --sources process,taskstats 9>&- &
	sampler=$!
	wait_for has_ticks 1
	before=$([ -z "$group" ] || charged "$group")
	echo >"$directory/start"
	# For as long as it takes.
	until [ -s "$directory/us" ] || ! kill -0 $root; do sleep 0.1; done
	us=$(cat "$directory/us")
	[ -z "$group" ] || wait_for only_root
	charged=$([ -z "$group" ] || echo $(($(charged "$group") - before)))
	# One whole tick from here on.
	wait_for has_ticks $(($(series_ticks "$directory/$series") + 2))
	exec 9>&-
	wait $sampler
	is $? 0 "$directory: the sampler ends with the job"
	kill $others
	wait $others 2>/dev/null
	drop_group
	is "$(series_check "$directory/$series")" "" "$directory: every line is as documented"
	is "$(last lost)" 0 "$directory: the kernel lost nothing"
	for metric in cpu_run_virtual minflt ended; do
		values=$(series_known "$directory/$series" taskstats $metric)
		is "$(printf '%s\n' "$values" | sort -n)" "$values" "$directory: $metric never falls"
	done
}

has_ticks()
{
	[ "$(series_ticks "$directory/$series")" -ge "$1" ]
}

only_root()
{
	[ "$(wc -l <"$inside/cgroup.procs")" -eq 1 ]
}

last()
{
	series_last "$directory/$series" taskstats "$1"
}

# near GOT WANT NAME TASKS: the kernel writes a record before it takes the task's memory apart, which takes
# the longer the busier the machine is: so much may be missing of each task.
end_us=$("$burn" ends 100)
near()
{
	diag "$3: $1, truth $2, $4 ends of $end_us us"
	awk -v a="$1" -v b="$2" -v p="$percent" -v e=$(($4 * end_us)) 'BEGIN { d = a - b; p *= b / 100; exit !(d < p && d > -p - e) }'
	ok $? "$3 within $percent % and the ends of its tasks"
}

# Empty, or the sampler is to find the job by its control group.
by_group=

# A child each of 20 ms; the root is alive at the first tick.
job short "$processes" 20
near $(($(last cpu_run_virtual) / 1000)) "$us" "CPU time of $processes processes of 20 ms" "$processes"
is "$(last ended_processes) $(last ended)" "$((processes + 1)) $((processes + 1))" \
	"each ended process counts once"
if [ -n "$charged" ]; then
	near "$us" "$charged" "the same by rusage and control group" 0
fi

ok $((${discrepancy:=$(last discrepancy)} < -us / 10 - 40000 || discrepancy > us / 10 + 40000)) \
	"the tree's account is the same"
diag "discrepancy $discrepancy us"

# Threads: each counts once, and the sum that the kernel adds for their process not again.
job threads 5 10 4
near $(($(last cpu_run_virtual) / 1000)) "$us" "CPU time of 20 threads" 26
is "$(last ended_processes) $(last ended)" "6 26" "six processes, 26 tasks"

# Orphans that no tick saw, known by their birth.
job orphans 0 20 0 10
if [ "$(last forks_lost)" = 0 ]; then
	is "$(last ended_processes)" 21 "orphans and those who left them count"
	if [ -n "$charged" ]; then
		near $(($(last cpu_run_virtual) / 1000)) "$charged" "CPU time with orphans" 40
	fi
else
	skip "orphans" "births are not told: $(last forks_lost)"
fi

# Orphans that live longer than a tick, whose parents did not: the tree has them, too.
job daemons 0 700 0 2
if [ "$(last forks_lost)" = 0 ]; then
	tree=$(($(series_last "$directory/$series" process usertime) + $(series_last "$directory/$series" process systemtime)))
	diag "the tree: $tree us of 1400 ms and more"
	test "$tree" -ge 700000
	ok $? "CPU time of daemons is in that of the tree"
else
	skip "CPU time of daemons" "births are not told: $(last forks_lost)"
fi

# The same of a job that batch systems would have made: no root, but a control group.
if [ -n "$charged" ]; then
	by_group=yes
	job group 20 20 0 5
	near $(($(last cpu_run_virtual) / 1000)) "$charged" "CPU time of a job in a control group" 30
	is "$(last ended_processes)" 31 "all its processes count"
fi

done_testing
