#!/bin/sh
# Jobs of a real Slurm of two nodes whose control groups are named by SLUIDs, as Slurm 26.05 and later name them: the
# steps of an older one, with its own slurmstepd and its titles, are put into such groups.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source-path=SCRIPTDIR source=cluster.sh
. "$abs_top_srcdir/tests/slurm/cluster.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"

reason=$(cluster_reason)
[ -n "$reason" ] || need ps bash || reason="no $missing"
if [ -z "$reason" ]; then
	make_group
	[ -n "$group" ] || reason="no control groups can be made here"
fi
if [ -n "$reason" ]; then
	skip "jobs by SLUIDs" "$reason"
	done_testing
fi
PERFMON_OUTPUT_PREFIX=/tmp/perfmon-sluid-$$
mkdir -m 1777 "$PERFMON_OUTPUT_PREFIX"
export PERFMON_OUTPUT_PREFIX
trap 'status=$?; cluster_down; leave_group; cd /; rm -rf "$work" "$PERFMON_OUTPUT_PREFIX"; exit $status' EXIT
cluster_up || { diag "$(cat "$cluster"/*.log "$cluster"/n?/*.log "$cluster/slurmctld.out")"; ok 1 "a cluster"; done_testing; }
ok 0 "two nodes are up"
host=$(uname -n)

# A job of two tasks on each node, of a user.
user=65534
slurm setpriv --reuid=$user --regid=$user --clear-groups srun -N2 -n4 --ntasks-per-node=2 -D / sleep 300 >out 2>&1 &
client=$!
tasks()
{
	ps -e -o pid=,uid=,args= | awk -v u=$user '$2 == u && $3 ~ /sleep$/ && $4 == 300 { print $1 }'
}
until_true eval '[ "$(tasks | wc -l)" -eq 4 ]'
ok $? "its tasks run"
job=$(slurm squeue -h -o %i)
steps=$(ps -e -o pid=,args= | sed -n "s/^ *\([0-9]*\) slurmstepd: \[${job}[.]0\].*/\1/p")
is "$(echo "$steps" | wc -l)" 2 "root's slurmstepd has the job in its title, on each node"
# The groups that 26.05 makes, by the node of each step.
sluid=$(printf 's%013d' "$job") n=0
for step in $steps; do
	n=$((n + 1))
	for task in $(tasks); do
		ps -o ppid= -p "$task" | grep -q -w "$step" || continue
		in=$group/system.slice/n${n}_slurmstepd.scope/job_$sluid/step_0/user/task_$task
		mkdir -p "$in" && echo "$task" >"$in/cgroup.procs"
	done
	in=$group/system.slice/n${n}_slurmstepd.scope/job_$sluid/step_0/slurm
	mkdir -p "$in" && echo "$step" >"$in/cgroup.procs"
done
is "$(find "$group" -name 'task_*' | wc -l)" 4 "each task is in a group of an SLUID"
# A user's process in such a group that lies: its title, and its environment.
liar=s00000000LIAR0
in=$group/system.slice/n1_slurmstepd.scope/job_$liar/step_0/user/task_0
mkdir -p "$in"
# shellcheck disable=SC2016 # the inner shells expand
sh -c 'echo $$ >"$0/cgroup.procs" && exec env -i PATH="$PATH" SLURM_JOB_ID="$1" \
	setpriv --reuid=1 --regid=1 --clear-groups bash -c "exec -a \"\$0\" sleep 300" "slurmstepd: [$1.0]"' "$in" "$job" &
lies=$!

of_job()
{
	echo "$PERFMON_OUTPUT_PREFIX"/*/"$1"
}
sampled()
{
	[ "$(series_ticks "$(of_job "$1")/$host.series")" -ge 3 ] && [ -n "$(series_known "$(of_job "$1")/$host.series" process processes)" ]
}
"$PERFMON" sample --all-jobs --cgroups "$group/system.slice/n1_slurmstepd.scope" -i 50ms --sources process,sampler -v 2>service &
service=$!
wait_for sampled "$job" && wait_for sampled $liar
is "$(stat -c %u "$(of_job "$job")/$host.series") $(series_known "$(of_job "$job")/$host.series" process processes | sort -n | tail -n 1)" \
	"$user 2" "--all-jobs samples the job's two tasks on a node, under the job's id"
is "$(stat -c %u "$(of_job $liar)/$host.series") $(find "$PERFMON_OUTPUT_PREFIX" -name "$job" | wc -l)" "1 1" \
	"the process that lies is in the job of its group alone"
kill -TERM $service
wait $service
mkdir s
"$PERFMON" sample -i 50ms -d s --sources jobs,load >log 2>&1 &
sampler=$!
wait_for eval '[ -n "$(series_known "s/$host.series" jobs present "$job")" ]'
ok $? "source jobs has the job by its id"
is "$(series_known "s/$host.series" jobs present "$sluid" | wc -l)" 0 "and not by its SLUID"
kill $sampler $lies
wait $sampler $lies
slurm scancel "$job"
wait $client
until_true job_over "$job"
ok $? "the job ends as ever"
done_testing
