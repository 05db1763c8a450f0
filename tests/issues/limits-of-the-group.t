#!/bin/sh
# What a control group leaves a job counts, not what the host has: memory was compared with the host's, a kill for
# want of it was told as anybody's where the job's group of the cpu controller was the root, and half a CPU
# is one that the job may use.
# shellcheck disable=SC2016 # the commands' own shells expand
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

# new CONTROLLER: a group below ours of that controller, in $group. Version 1, or 2 where it delegates.
new()
{
	path=$(awk -F: -v c="$1" '{ n = split($2, a, ","); for (i = 1; i <= n; i++) if (a[i] == c) print $3 }' /proc/self/cgroup)
	for above in "/sys/fs/cgroup/$1${path%/}" "/sys/fs/cgroup/$1"; do
		group=$above/perfmon-test-$$
		mkdir "$group" 2>/dev/null && groups="$groups $group" && return
	done
	group=
	return 1
}
groups=
leave()
{
	status=$?
	cd /
	for group in $groups; do rmdir "$group"; done
	chmod -R u+rwx "$work"
	rm -rf "$work"
	exit $status
}
trap leave EXIT
value() { "$PERFMON" dump "$PERFMON_OUTPUT_PREFIX"/*/"$2" | sed -n "s/^$1 //p"; }
inside() { sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"; }

if new memory && echo 100000000 2>/dev/null >"$group/memory.limit_in_bytes" &&
	cat "$group/memory.limit_in_bytes" >limit; then
	# What is pushed out goes to no disk: without swap the limit is where it ends.
	cat "$group/memory.limit_in_bytes" 2>/dev/null >"$group/memory.memsw.limit_in_bytes"
	inside "$PERFMON" -a -j eats run sh -c 'head -c 300000000 /dev/zero | tail >/dev/null' >out 2>&1
	is "$(value memory_limit_kb eats)" $(($(cat limit) / 1024)) "the limit of memory is recorded"
	is "$(value stop_exit_reason eats | sed 's/success/memory/')" memory "so are kills"
	[ "$(value stop_cgroup_oom_kills eats)" -gt "$(value start_cgroup_oom_kills eats)" ]
	ok $? "which the group of memory counts, whatever that of the cpu controller is"
	inside "$PERFMON" -a -j killed run sh -c 'exec tail /dev/zero' >out 2>&1
	is $? 137 "a command that is killed for want of memory"
	is "$(value stop_exit_reason killed)" memory "has that as its reason"
	"$PERFMON" -q submit "$PERFMON_OUTPUT_PREFIX"/*/killed 2>err
	"$PERFMON" report killed | tr -s ' \n' ' ' >page
	grep -q 'The kernel killed 1 process of the job for lack of memory.*its control group may use 100 MB' page
	ok $? "the report says so"
	grep -q 'Memory peak [^ ]* *[0-9>.]* % of 100 MB' page
	ok $? "and compares with the limit"
	# Started in the group, stopped from outside of it.
	inside sh -c '"$0" start -j split; head -c 300000000 /dev/zero | "$0" -j split run tail >/dev/null; :' "$PERFMON" \
		>out 2>&1
	"$PERFMON" stop -j split
	[ "$(value stop_cgroup_oom_kills split)" -gt "$(value start_cgroup_oom_kills split)" ]
	ok $? "a job that is stopped from another group has its own group's kills"
	"$PERFMON" start -j none && inside "$PERFMON" stop -j none
	is "$(value stop_exit_reason none)" "" "and none of a group that it was not in"
else
	skip "limits of memory" "no control group of version 1 can be made here"
fi
if new cpu && echo 100000 2>/dev/null >"$group/cpu.cfs_period_us"; then
	for quota in 50000 100000 150000; do
		echo $quota >"$group/cpu.cfs_quota_us" || break
		inside "$PERFMON" -a -j "quota$quota" run true
		want=$(((quota + 99999) / 100000)) cpus=$(nproc)
		[ "$want" -le "$cpus" ] || want=$cpus
		is "$(value cpus_allowed "quota$quota")" "$want" "a quota of $quota in 100000 us is a part of $want CPUs"
	done
else
	skip "quotas" "no control group of version 1 can be made here"
fi
done_testing
