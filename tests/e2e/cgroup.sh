# shellcheck shell=sh
# Sourced behind lib.sh by tests that need the kernel's exact CPU time: that of a control group.
#
#   make_group        a new group in $group, which goes with the test; empty where there can be none
#   charged GROUP     the CPU time in us of all that ran in it and below
#   run_in_job JOB USER COMMAND...   a process of that user in the group of the job, its pid in $pid
#   drop_group        remove it

: "${work:?}"
group=
make_group()
{
	for parent in /sys/fs/cgroup/cpuacct /sys/fs/cgroup/unified /sys/fs/cgroup; do
		if [ -e "$parent/cpuacct.usage" ] || [ -e "$parent/cgroup.controllers" ]; then
			group=$parent/perfmon-test-$$
			mkdir "$group" 2>/dev/null && break
			group=
		fi
	done
	trap leave_group EXIT
}

charged()
{
	if [ -e "$1/cpuacct.usage" ]; then
		echo "$(($(cat "$1/cpuacct.usage") / 1000))"
	else
		awk '$1 == "usage_usec" { print $2 }' "$1/cpu.stat"
	fi
}

run_in_job()
{
	mkdir -p "$group/slurm/uid_$2/job_$1/step_0" || return 1
	# shellcheck disable=SC2016 # the inner shell expands
	in=$group/slurm/uid_$2/job_$1/step_0 user=$2 number=$1
	shift 2
	sh -c 'echo $$ >"$0/cgroup.procs" && exec env -i PATH="$PATH" SLURM_JOB_ID="$1" \
		SLURM_JOB_ACCOUNT=liar SLURM_JOB_PARTITION=liar LD_FAKE=1 \
		setpriv --reuid="$2" --regid="$2" --clear-groups sh -c "$3"' \
		"$in" "$number" "$user" "$*" >>out 2>&1 &
	pid=$!
}

drop_group()
{
	[ -z "$group" ] || find "$group" -depth -type d -exec rmdir {} \;
	group=
}

leave_group()
{
	status=$?
	drop_group
	cd /
	rm -rf "$work"
	exit $status
}
