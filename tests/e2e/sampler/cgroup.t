#!/bin/sh
# perfmon sample --cgroup: the processes of a control group by its directory, in both versions, and events
# that are counted for the group.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"

series=$(uname -n).series
counters=$abs_top_builddir/tests/progs/counters

is "$("$PERFMON" sample --cgroup "$work" 2>&1; echo $?)" \
	"perfmon: --cgroup: --cgroup: '$work' is not a control group directory
2" "another directory is a mistake"
is "$("$PERFMON" sample --cgroup "$work" --pid 1 2>&1; echo $?)" "perfmon: --cgroup cannot be combined with --pid or --job
2" "so is --pid beside it"

has_ticks()
{
	[ "$(series_ticks "$1/$series")" -ge "$2" ]
}

# in_group GROUP COMMAND...: in the background, in the group.
in_group()
{
	# shellcheck disable=SC2016 # the inner shell expands
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$@" &
}

# processes DIR NUMBER
processes()
{
	[ "$(series_values "$1/$series" process processes | tail -n 1)" = "$2" ]
}

touched()
{
	[ -s touched ]
}

if [ "$(id -u)" -ne 0 ]; then
	skip "control groups" "only root makes control groups"
	done_testing
fi
for parent in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/cpuacct; do
	version=1
	[ ! -e "$parent/cgroup.controllers" ] || version=2
	group=$parent/perfmon-test-$$
	{ [ $version -eq 2 ] || [ -e "$parent/cpuacct.usage" ]; } && mkdir "$group" 2>/dev/null || continue
	trap leave_group EXIT
	dir=version$version
	mkdir "$dir"
	mkfifo "$dir/go"
	in_group "$group" sh -c "read -r _ <'$dir/go'"
	first=$!
	sleep 600 &
	other=$!
	"$PERFMON" sample --cgroup "$group" -i 50ms -d "$dir" --sources process,cgroup,perf \
		--perf page-faults,task-clock 2>"$dir/err" &
	sampler=$!
	wait_for processes "$dir" 1
	ok $? "version $version: the group's process"
	# What others put into the group, too.
	rm -f touched
	in_group "$group" sh -c "'$counters' touch 5000 >touched; exec sleep 600"
	second=$!
	wait_for touched
	wait_for has_ticks "$dir" $(($(series_ticks "$dir/$series") + 2))
	wait_for processes "$dir" 2
	ok $? "version $version: and one that comes, and no other"
	cpu=$(series_last "$dir/$series" cgroup cpu_time)
	charged=$(charged "$group")
	ok $((cpu <= 0 || cpu > charged)) "version $version: the group's CPU time: $cpu us of $charged"
	if [ $version -eq 2 ]; then
		faults=$(series_last "$dir/$series" perf count page-faults)
		case $faults in
		\\N:*) skip "version 2: events of all that run in the group" "$faults" ;;
		*) ok $((faults <= 0)) "version 2: events of all that run in the group: $faults" ;;
		esac
	fi
	# It looks every second whether they are there.
	sleep 1.5
	kill $second
	echo >"$dir/go"
	wait $first $second 2>/dev/null
	wait $sampler
	is "$? $(cat "$dir/err")" "0 " "version $version: it ends when the group is empty"
	is "$(series_check "$dir/$series")" "" "version $version: every line is as documented"
	kill $other
	drop_group
done
done_testing
