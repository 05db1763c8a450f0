#!/bin/sh
# perfmon sample --all-jobs, a service of root's: which job a process belongs to, and whose it is, comes
# from control groups and real users. Processes could name another's job in their environments and get
# that job's figures, have set-uid programs sampled as root, and hide jobs of others.
# shellcheck disable=SC2016 # the commands' own shells expand
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"

give_up()
{
	skip "jobs by their groups" "$1"
	done_testing
}
[ "$(id -u)" -eq 0 ] || give_up "only root samples others' jobs"
need setpriv || give_up "no $missing"
make_group
[ -n "$group" ] || give_up "no control groups here"
host=$(uname -n)
chmod 755 "$work" && chmod 1777 "$PERFMON_OUTPUT_PREFIX"
# a and b are two users' jobs.
a=${$}1 b=${$}2 setuid=${$}3 root=${$}4 nobodys=${$}5 short=${$}6
user=65534 other=1

# start GROUP JOB PRIVILEGES COMMAND: in a group below ours, with SLURM_JOB_ID=JOB; its pid in $pids.
pids=
start()
{
	mkdir -p "$group/$1" || give_up "no control group can be made below another"
	# shellcheck disable=SC2086 # words
	sh -c 'echo $$ >"$0/cgroup.procs" && job=$1 && shift && exec env -i PATH="$PATH" SLURM_JOB_ID="$job" "$@"' \
		"$group/$1" "$2" setpriv $3 --clear-groups $4 &
	pids="$pids $!"
}
files()
{
	find "$PERFMON_OUTPUT_PREFIX" -mindepth 2 -maxdepth 2 -name "$1" -printf '%U %P\n' | sed 's, .*/, ,' | sort | tr '\n' ';'
}
has_ticks()
{
	[ "$(series_ticks "$(echo "$PERFMON_OUTPUT_PREFIX"/*/"$1"/"$host".series)" 2>/dev/null)" -ge "$2" ]
}
processes()
{
	series_known "$(echo "$PERFMON_OUTPUT_PREFIX"/*/"$1"/"$host".series)" process processes | sort -n | tail -n 1
}
knows_processes()
{
	[ -n "$(processes "$1")" ]
}
is_closed()
{
	grep -q '"stop"' "$PERFMON_OUTPUT_PREFIX"/*/"$1"/job-"$host".json
}

# A user's systemd is the user's to make groups in; this one has the name of b's job.
start "user.slice/user-$user.slice/job_$b" "$b" "--reuid=$user --regid=$user" "sleep 300"
start "slurm/uid_$user/job_$a/step_0" "$b" "--reuid=$user --regid=$user" "sleep 300"
start "slurm/uid_$user/job_$a/step_0" "$a" "--reuid=$other --regid=$other" "sleep 300"
start "elsewhere" "$a" "--reuid=$user --regid=$user" "sleep 300"
start "slurm/uid_$other/job_$b/step_0" "$b" "--reuid=$other --regid=$other" "sleep 300"
start "slurmstepd.scope/job_$setuid/step_0" "$setuid" "--ruid=$user --euid=0 --rgid=$user" "sleep 300"
start "slurm/uid_0/job_$root/step_0" "$root" "--reuid=0" "sleep 300"
start "slurmstepd.scope/job_$nobodys/step_0" "$nobodys" "--reuid=0" "sleep 300"
"$PERFMON" sample --all-jobs --cgroups "$group" -i 100ms -v 2>service &
service=$!
wait_for has_ticks "$a" 3 && wait_for has_ticks "$b" 3 && wait_for has_ticks "$root" 3 && wait_for has_ticks "$setuid" 3
ok $? "all jobs whose users are known are sampled"
is "$(files "$a") $(files "$b")" "$user $a; $other $b;" "each once, for the user whose it is"
# On a busy machine the first ticks come late, without values.
wait_for knows_processes "$a" && wait_for knows_processes "$b"
is "$(processes "$a")" 1 "a job has neither processes outside of its group that name it, nor another user's in it"
is "$(processes "$b")" 1 "nor another's that name it in their own"
is "$(files "$root")" "0 $root;" "root's own job, where the batch system says that it is"
is "$(files "$setuid")" "$user $setuid;" "a set-uid program is its real user's"
is "$(files "$nobodys")" "" "not what is root's and nobody says so"

# Gone before the sampler has looked.
start "slurm/uid_$user/job_$short/step_0" "$short" "--reuid=$user --regid=$user" "sleep 0.3"
wait_for [ -d "$(echo "$PERFMON_OUTPUT_PREFIX"/nobody)" ]
sleep 0.5
find "$group/slurm/uid_$user/job_$short" -depth -type d -exec rmdir {} \; 2>/dev/null
if wait_for grep -q "job $short: its sampler has ended" service; then
	is_closed "$short"
	ok $? "a job of 0.3 s is closed"
	[ "$(series_ticks "$(echo "$PERFMON_OUTPUT_PREFIX"/*/"$short"/"$host".series)")" -le 100 ]
	ok $? "when its group is gone, not a minute later"
fi
kill -TERM $service
wait $service
# shellcheck disable=SC2086 # words
kill $pids 2>/dev/null
wait
done_testing
