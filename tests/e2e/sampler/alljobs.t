#!/bin/sh
# perfmon sample --all-jobs: jobs come and go by control groups, each sampled as its user.
#
# PM_TASKSTATS_PROCESSES sets how many processes of 20 ms a job has, PM_TASKSTATS_PERCENT how near their
# CPU time has to be to what the kernel charged to its group; `make check-taskstats` runs 1 000 within 2 %.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

host=$(uname -n)

has_ticks()
{
	[ "$(series_ticks "$(of_job "$1")/$host.series")" -ge "$2" ]
}

# A tick may find the job before its process has been read.
knows_processes()
{
	[ -n "$(series_known "$(of_job "$1")/$host.series" process processes)" ]
}

# the directory of a job
of_job()
{
	echo "$PERFMON_OUTPUT_PREFIX"/*/"$1"
}

is_closed()
{
	grep -q '"stop"' "$(of_job "$1")/job-$host.json"
}

# --- a plain user's service ---------------------------------------------------------------------

# Its own jobs, in any folder that looks like that of control groups: no powers are needed.
# In the background, where it becomes the command.
plain()
{
	[ "$(id -u)" -ne 0 ] || set -- setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	exec "$@"
}
if [ "$(id -u)" -ne 0 ] || need setpriv; then
	chmod 755 "$work" && chmod 1777 "$PERFMON_OUTPUT_PREFIX" && mkdir -p -m 755 groups
	plain env "SLURM_JOB_ID=${$}7" sleep 300 &
	one=$!
	SLURM_JOB_ID=5 plain "$PERFMON" sample --all-jobs --cpuset_rootpath "$work/groups/jobs" -i 50ms -v 2>service &
	service=$!
	# There is no such folder yet; then there is, and a job without a process; then it has one.
	sleep 0.3
	mkdir -p "groups/jobs/slurm/uid_65534/job_${$}7/step_0"
	sleep 0.3
	is "$(ls "$PERFMON_OUTPUT_PREFIX")" "" "a control group without processes is not sampled"
	echo $one >"groups/jobs/slurm/uid_65534/job_${$}7/step_0/cgroup.procs"
	wait_for has_ticks "${$}7" 3 && wait_for knows_processes "${$}7"
	ok $? "a job that comes below --cpuset_rootpath is sampled"
	is "$(series_known "$(of_job "${$}7")/$host.series" process processes | sort -n | tail -n 1)" 1 \
		"its processes, and no others"
	kill $one
	wait_for is_closed "${$}7"
	ok $? "it is over when its processes are gone"
	kill -TERM $service
	wait $service
	is $? 0 "the service ends by SIGTERM"
else
	skip "a plain user's service" "no $missing"
fi

# --- all users' -----------------------------------------------------------------------------------

give_up()
{
	skip "jobs of a node" "$1"
	done_testing
	exit
}

[ "$(id -u)" -eq 0 ] || give_up "only root makes control groups and samples others' jobs"
need setpriv || give_up "no $missing"
make_group
[ -n "$group" ] || give_up "no control groups here"
# Ids that no other run of this test on the host has.
one=${$}1 two=${$}2
PERFMON_OUTPUT_PREFIX=/tmp/perfmon-alljobs-$$
mkdir -m 1777 "$PERFMON_OUTPUT_PREFIX"
export PERFMON_OUTPUT_PREFIX
export PERFMON_DB="$work/db"
trap 'rm -rf "$PERFMON_OUTPUT_PREFIX"; leave_group' EXIT

gone()
{
	! kill -0 "$1"
}

user=65534
run_in_job "$one" $user 'exec sleep 300' || give_up "no process can be put into a control group"
first=$pid
# With the powers alone that the unit leaves the service.
powers=$(sed -n 's/^CapabilityBoundingSet=CAP_//p' "$abs_top_builddir/sampler/perfmon-sample.service" |
	tr '[:upper:]' '[:lower:]' | sed 's/ cap_/,+/g')
is "$powers" "setuid,+setgid,+sys_ptrace,+net_admin,+perfmon,+bpf,+kill" "the unit leaves the service seven powers"
# setpriv of util-linux 2.36 knows the younger two by number alone.
SLURM_JOB_ID=5 setpriv --no-new-privs --inh-caps=-all \
	--bounding-set="-all,+$(echo "$powers" | sed 's/+perfmon/+cap_38/; s/+bpf/+cap_39/')" \
	"$PERFMON" sample --all-jobs --cgroups "$group" -i 50ms -v 2>service &
service=$!
wait_for has_ticks "$one" 3
ok $? "a job that was there is sampled"
is "$(stat -c %u "$(of_job "$one")/$host.series")" $user "into files of its user"
is "$(stat -c %a "$(of_job "$one")")" 700 "in a directory of its user alone"
for sampler in $(ps -o pid= --ppid $service); do
	awk '/^Uid/ { uid = $2 } /^CapEff/ { cap = $2 } END { print uid, cap }' "/proc/$sampler/status"
done >owner
is "$(cut -d ' ' -f 1 owner)" $user "by a process of its user"
# Of all powers none but CAP_NET_ADMIN, CAP_SYS_PTRACE, CAP_PERFMON and CAP_BPF.
powers=$(cut -d ' ' -f 2 owner)
is "$((0x${powers:-1} & ~0xC000081000))" 0 "with the powers to read accounts and counters alone"

# Another job of another user comes.
processes=${PM_TASKSTATS_PROCESSES:-50}
cp "$abs_top_builddir/tests/progs/sampler_burn" "$PERFMON_OUTPUT_PREFIX/burn"
run_in_job "$two" 1 "sleep 1; $PERFMON_OUTPUT_PREFIX/burn $processes 20 </dev/null; sleep 1"
second=$pid
wait_for has_ticks "$two" 3
ok $? "a job that comes is sampled"
wait $second
truth=$(charged "$group/slurm/uid_1/job_$two")
wait_for is_closed "$two"
ok $? "a job whose processes are gone is closed"
is "$("$PERFMON" submit "$(of_job "$two")" 2>&1 | sed 's/,.*//')" "job $two: 0 processes" \
	"it loads without records of processes"
is "$(query "SELECT jobid, scheduler, uid FROM job")" "$two|slurm|1" "as that job of that user"
file=$(of_job "$two")/$host.series
sampled=$(($(series_last "$file" process usertime) + $(series_last "$file" process systemtime)))
awk -v s="$sampled" -v t="$truth" -v p="${PM_TASKSTATS_PERCENT:-5}" '
	BEGIN { exit !(100 * (s - t) < p * t && 100 * (t - s) < p * t) }'
ok $? "CPU time of $processes processes of 20 ms: $sampled us sampled, $truth us charged"

kill -TERM $service
wait $service
is $? 0 "SIGTERM ends the service"
is "$(series_check "$(of_job "$one")/$host.series")" "" "the series of a job under way are whole"
kill $first
wait $first

# Energy, which only root may read: the service opens the files before it becomes the job's user.
chmod 755 "$work"
mkdir -p root/sys/class/powercap/intel-rapl:0 root/sys/class/powercap/intel-rapl:1
ln -s /proc root/proc
for zone in 0 1; do
	echo package-$zone >root/sys/class/powercap/intel-rapl:$zone/name
	echo 4$zone >root/sys/class/powercap/intel-rapl:$zone/energy_uj
done
chmod -R a+rX root && chmod 400 root/sys/class/powercap/*/energy_uj
PERFMON_ROOT=$work/root "$PERFMON" sample --all-jobs --cgroups "$group" -i 50ms --sources rapl,load,sampler -v 2>service &
service=$!
run_in_job "${$}3" $user 'exec sleep 300'
third=$pid
knows_energy()
{
	[ -n "$(series_known "$(of_job "${$}3")/$host.series" rapl package_energy package-1)" ]
}
wait_for has_ticks "${$}3" 3 && wait_for knows_energy
file=$(of_job "${$}3")/$host.series
is "$(series_last "$file" rapl package_energy package-0) $(series_last "$file" rapl package_energy package-1)" "40 41" \
	"energy that only root may read is read for a job's user"
cp "$PERFMON" "$work/perfmon" && chmod 755 "$work/perfmon"
HOME=/nonexistent setpriv --reuid=$user --regid=$user --clear-groups "$work/perfmon" sources --root "$work/root" rapl >out
is "$(grep -c 'not available (permission)' out)" 1 "noticed: the user's own sampler may not read it"
kill -TERM $service
wait $service
kill $third
wait $third

# Groups named by SLUIDs, as of Slurm 26.05: root's slurmstepd tells the job. A user who has its title, and the job's
# id in the environment, tells nothing.
if need bash; then
	job=${$}4 honest=$(printf 's%013d' "${$}4") liar=$(printf 's%013d' "${$}5")
	# sluid GROUP USER TITLE: a process of the user in the group of an SLUID; pid in $pid.
	sluid()
	{
		mkdir -p "$1"
		# shellcheck disable=SC2016 # the inner shells expand
		sh -c 'echo $$ >"$0/cgroup.procs" && exec env -i PATH="$PATH" SLURM_JOB_ID="$1" LD_FAKE=1 \
			setpriv --reuid="$2" --regid="$2" --clear-groups bash -c "exec -a \"\$0\" sleep 300" "$3"' \
			"$1" "$job" "$2" "$3" >>out 2>&1 &
		pid=$!
	}
	sluid "$group/slurm/uid_$user/job_$honest/step_0/slurm" 0 "slurmstepd: [$job.0]"
	step=$pid
	sluid "$group/slurm/uid_$user/job_$honest/step_0/user/task_0" $user task
	task=$pid
	sluid "$group/slurm/uid_1/job_$liar/step_0/user/task_0" 1 "slurmstepd: [$job.0]"
	lies=$pid
	"$PERFMON" sample --all-jobs --cgroups "$group" -i 50ms --sources process,sampler -v 2>service &
	service=$!
	wait_for has_ticks "$job" 3 && wait_for knows_processes "$job" && wait_for has_ticks "$liar" 3
	is "$(stat -c %u "$(of_job "$job")/$host.series") $(series_known "$(of_job "$job")/$host.series" process processes | sort -n | tail -n 1)" \
		"$user 1" "the job of an SLUID is what root's slurmstepd says"
	is "$(stat -c %u "$(of_job "$liar")/$host.series") $(find "$PERFMON_OUTPUT_PREFIX" -name "$job" | wc -l)" "1 1" \
		"who says so as a user is in no other job"
	kill -TERM $service
	wait $service
	kill $step $task $lies
	wait $step $task $lies
else
	skip "the job of an SLUID is what root's slurmstepd says" "no $missing"
	skip "who says so as a user is in no other job" "no $missing"
fi

is "$("$PERFMON" sample --all-jobs --pid 1 2>&1; echo $?)" \
	"perfmon: --all-jobs cannot be combined with --pid, --job, --cgroup, --directory or --prefix
2" "not with --pid"

done_testing
