#!/bin/sh
# What Slurm runs before a task waits for no lock of its own, and for nothing else for ever: the task goes
# unrecorded, which is counted. And a task whose start time nobody could read is over when it is gone.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

user=$(id -un)
SLURM_JOB_ID=77 SLURM_CLUSTER_NAME=two SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_TASK_PID=$$
export SLURM_JOB_ID SLURM_CLUSTER_NAME SLURM_STEP_ID SLURM_PROCID SLURM_TASK_PID
job=$PERFMON_OUTPUT_PREFIX/$user/77
begin() { timeout -k 1 60 "$PERFMON" -q source --slurm; }
counted() { sed -n 's/^ *"tasks_unrecorded": \([0-9]*\).*/\1/p' "$job"/job-*.json; }
# until_counted N: for a minute.
until_counted()
{
	tries=600
	while [ "$(counted 2>/dev/null)" != "$1" ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
	counted
}

# --- its own lock -------------------------------------------------------------------------------
begin >first
if [ "${PM_SANITIZED:-no}" = no ] && need strace; then
	for options in page-faults context-switches page-faults; do
		PERFMON_OPTIONS=$options timeout -k 1 60 strace -f -o trace -e trace=flock,fcntl \
			"$PERFMON" -q source --slurm >"out.$options"
		is "$?:$(grep -c '^export PERFMON_EVENTS=.*'$options "out.$options"):$(grep -c EAGAIN trace)" 0:1:0 \
			"a task with events of its own ($options) is recorded and waits for no lock"
	done
	for verb in "stop --slurm" "stop --slurm --all"; do
		# shellcheck disable=SC2086 # words
		SLURM_JOB_ID=76 begin >/dev/null
		# shellcheck disable=SC2086
		SLURM_JOB_ID=76 timeout -k 1 60 strace -f -o trace.stop -e trace=flock,fcntl "$PERFMON" -q $verb >out
		is "$?:$(grep -c LOCK_EX trace.stop | awk '{ print ($1 > 0) }'):$(grep -c EAGAIN trace.stop)" 0:1:0 \
			"$verb waits for no lock of its own"
	done
	is "$(grep -c LOCK_EX trace)" 1 "events that a step before had are known: the job is locked once, to join it"
else
	skip "a task with events of its own" "no strace that can be trusted here"
fi
PERFMON_OPTIONS=page-faults begin >out
is "$(grep -c '^export PERFMON_EVENTS=.*page-faults' out)" 1 "a task with other events than the job has them"

# --- a lock of another process ------------------------------------------------------------------
# Held until the file is gone.
: >hold
mkfifo locked
perl -e 'use Fcntl ":flock"; opendir my $d, shift or die; open my $f, "<", "/proc/self/fd/" . fileno $d or die;
	flock $f, LOCK_EX or die; open my $l, ">", "locked"; print $l "x\n"; close $l;
	select undef, undef, undef, 0.1 while -e "hold"' "$job" &
holder=$!
cat locked >/dev/null
begin >late 2>late.err
is "$?:$(cat late):$(cat late.err)" "1::perfmon: no answer within 1000 ms" "a job that stays locked: the task is given up"
is "$(counted)" "" "which nobody could count yet"
rm hold
wait $holder
is "$(until_counted 1)" 1 "but does when the lock is free"
"$PERFMON" stop 2>stop.err
is "$(grep -c '1 task of Slurm' stop.err)" 1 "and stop says so"
is "$("$PERFMON" status 2>&1 | grep -c '1 task of Slurm')" 1 "and status"
begin >again
is "$(grep -c '^export PERFMON_OUTPUT=' again):$(counted)" 1:1 "the next one is recorded, the count stays"
"$PERFMON" -q stop
"$PERFMON" -q submit "$job"
is "$("$PERFMON" report 77 | tr -s ' \n' ' ' | grep -c '1 task of Slurm went unrecorded')$("$PERFMON" report --json 77 | grep -c '"tasks_unrecorded": 1')" \
	11 "and report"

# What fails is counted as well, whatever it was.
rm -rf "$job"
PERFMON_LIBRARY=$work/none begin >failed 2>failed.err
is "$?:$(cat failed):$(grep -c "collector $work/none" failed.err):$(until_counted 1)" "1::1:1" "a task that cannot be recorded is counted"

# --- a start time that cannot be read -----------------------------------------------------------
if [ "$(id -u)" -eq 0 ] && need unshare; then
	rm -rf "$job"
	# shellcheck disable=SC2016 # the inner shell expands
	env -u SLURM_TASK_PID unshare -m sh -c 'mount -t tmpfs none /proc && "$0" -q source --slurm; true' "$PERFMON" >out
	is "$(grep -c '^export PERFMON_OUTPUT=' out):$(cut -d ' ' -f 2 "$job"/.tasks-*)" 1:-1 "a task without /proc"
	"$PERFMON" -q stop --slurm
	is "$(grep -c '"stop"' "$job"/job-*.json)" 1 "is over when its process is gone"
else
	skip "a task without /proc" "needs root"
fi
done_testing
