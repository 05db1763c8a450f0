#!/bin/sh
# What metadata say of a job beyond its identity: how it ended and why, what changed in the
# environment, modules, script, queue, CPUs and coverage of each host; in the file, the database, and
# the report.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; other shells expand
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"
# shellcheck source=tests/e2e/cgroup.sh
. "$abs_top_srcdir/tests/e2e/cgroup.sh"

host=$(uname -n)
jobs=$PERFMON_OUTPUT_PREFIX/$(id -un)
value() { "$PERFMON" dump "$jobs/$2" | sed -n "s/^$1 //p"; }
query_default '' ' ' -
unset LOADEDMODULES

# --- how it ended ----------------------------------------------------------------------------------
n=0
while read -r command want; do
	n=$((n + 1))
	"$PERFMON" -a -j "end$n" run sh -c "ulimit -c 0; $(echo "$command" | tr _ ' ')" >out 2>&1
	is "$(value stop_exit_reason "end$n")" "$want" "$(echo "$command" | tr _ ' '): $want"
done <<'ENDINGS'
exit_0 success
exit_3 failure
kill_-KILL_$$ killed
kill_-TERM_$$ asked
env_--default-signal=INT_sh_-c_'kill_-INT_$$' asked
kill_-SEGV_$$ crash
kill_-ABRT_$$ crash
kill_-XCPU_$$ cpu-limit
kill_-XFSZ_$$ file-limit
kill_-PIPE_$$ signal
sh_-c_'kill_-KILL_$$';_exit_$? killed
exit_200 failure
ENDINGS
"$PERFMON" start -j open && "$PERFMON" stop -j open
is "$(value stop_exit_reason open)" "" "without a command nobody knows"

# A control group with less memory than a program takes, and more than perfmon with sanitizers.
make_group
memory=$(echo "$group" | sed 's|/cpuacct/|/memory/|')
limit=memory.limit_in_bytes
[ -e "$memory/memory.max" ] && limit=memory.max
if [ -n "$group" ] && { [ "$memory" = "$group" ] || mkdir "$memory" 2>/dev/null; } &&
	(echo 160000000 >"$memory/$limit") 2>/dev/null; then
	# Where there is swap, it is not to help.
	for file in memory.memsw.limit_in_bytes memory.swap.max; do
		[ ! -e "$memory/$file" ] || echo 160000000 2>/dev/null >"$memory/$file"
	done
	sh -c 'echo $$ >"$1/cgroup.procs" && echo $$ >"$2/cgroup.procs" && exec "$3" -a -j oom run tail /dev/zero' \
		sh "$group" "$memory" "$PERFMON" >out 2>&1
	is "$?:$(value stop_exit_reason oom)" "137:memory" "a program that took all memory there was"
	"$PERFMON" report "$jobs/oom" | tr -s ' \n' ' ' >out
	grep -q 'Result ended by SIGKILL.*; the kernel killed processes of the job for want of memory' out
	ok $? "the report says so"
	[ "$memory" = "$group" ] || rmdir "$memory"
else
	skip "a program that took all memory there was" "no control group to limit memory"
	skip "the report says so" "no control group to limit memory"
fi
drop_group

# --- environment and modules -------------------------------------------------------------------------
PERFMON_NONE=1 ASAN_OPTIONS='' GONE=1 ALSO_GONE=2 OLD=3 LOADEDMODULES=gcc/12.2:openmpi/4.1 "$PERFMON" start -j env
OLD=4 NEW=5 LOADEDMODULES=gcc/12.2:openmpi/4.1:hdf5/1.12 "$PERFMON" stop -j env
is "$("$PERFMON" dump "$jobs/env" | grep -E '^(start_modules|stop_environment)')" \
	"start_modules.0 gcc/12.2
start_modules.1 openmpi/4.1
stop_environment_added.0 NEW
stop_environment_changes.ALSO_GONE (unset)
stop_environment_changes.GONE (unset)
stop_environment_changes.LOADEDMODULES gcc/12.2:openmpi/4.1:hdf5/1.12
stop_environment_changes.NEW 5
stop_environment_changes.OLD 4
stop_environment_removed.0 ALSO_GONE
stop_environment_removed.1 GONE" "what was added, removed and changed"
"$PERFMON" report --width 100 "$jobs/env" >out
is "$(sed -n 's/^  \(Modules\|Environment\) */\1 /p' out)" \
	"Modules gcc/12.2, openmpi/4.1
Environment changed during the job: +NEW, -ALSO_GONE, -GONE, LOADEDMODULES, OLD" "in the report"
PERFMON_ENVIRONMENT=none LOADEDMODULES=a "$PERFMON" -a -j private run true
is "$("$PERFMON" dump "$jobs/private" | grep -c -e environment -e modules)" 0 "environment = none"
"$PERFMON" -a -j same run true
"$PERFMON" report "$jobs/same" | grep -q -e '^  Environment' -e '^  Modules'
is $? 1 "nothing is said of nothing"

# --- the script ----------------------------------------------------------------------------------------
mkdir dir
echo '"$PERFMON" start -j "$1"; "$PERFMON" stop -j "$1"' >dir/job.sh
export PERFMON
sh dir/job.sh script1
is "$(value script script1)" "$work/dir/job.sh" "the script that called start"
(cd dir && sh -eu ./job.sh script2)
is "$(value script script2)" "$work/dir/./job.sh" "behind options"
env sh "$work/dir/job.sh" script3
"$PERFMON" report "$jobs/script3" >out
is "$(sed -n 's/^  Script *//p' out | tr -d '\n ')" "$work/dir/job.sh" "in the report"
sh -c '"$PERFMON" start -j script4; "$PERFMON" stop -j script4'
is "$(value script script4)" "" "commands of -c are no script"
SLURM_JOB_ID=5 sh dir/job.sh 5
is "$(value script 5)" "" "nor is a batch system's copy"

# --- queue, CPUs, hosts ----------------------------------------------------------------------------------
slurm() {
	env SLURM_JOB_ID=77 SLURM_JOB_PARTITION=short SLURM_JOB_SUBMIT_TIME=1699999400 \
		SLURM_JOB_START_TIME=1700000000 SLURM_JOB_CPUS_PER_NODE='1(x2)' "$@"
}
slurm "$PERFMON" start && slurm "$PERFMON" stop
is "$(value submit_us 77) $(value epoch_us 77) $(value cpus_allocated 77)" \
	"2023-11-14T22:03:20.000000Z 2023-11-14T22:13:20.000000Z 1" "submitted, started, CPUs given"
"$PERFMON" report "$jobs/77" | grep -q '^  Queued  *10 min 00 s, since 2023-11-14 22:03:20'
ok $? "time in the queue"
if need sqlite3; then
	# Two hosts of 8 CPUs, of which the job was given 4 and 3; its start, a task's, might use 2 and 8.
	for h in a b; do
		stop=110 cpus=2,\"cpus_allocated\":4 charged=6000000
		[ $h = a ] || cpus=8,\"cpus_allocated\":3 charged=2000000
		mkdir -p two
		cat >two/job-$h.json <<JSON
{"format":"perfmon-job-1","version":"0","job":{"cluster":"","user":"$(id -un)","jobid":"two",
"array_task":"","restart_count":0,"epoch_us":100000000,"scheduler":"none"},
"host":{"hostname":"$h","boot_id":"boot-$h","cpus_online":8,"cpus_allowed":$cpus},
"start":{"time_us":100000000},"stop":{"time_us":${stop}000000,"measured_cpu_us":$charged,"measured_by":"cgroup"}}
JSON
	done
	# A record of 3 s of CPU time on host a, made from a real one.
	"$PERFMON" -a -j real run true
	awk -F '\t' -v OFS='\t' '
		/^perfmon-tsv/ { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
		$at["record"] == "end" { $at["usertime"] = 2000000; $at["systemtime"] = 1000000 }
		{ if ($at["hostname"] != "\\N") $at["hostname"] = "a"
		  $at["boot_id"] = "boot-a"; print }' "$jobs/real/$host-$(id -u).tsv" >two/a-0.tsv
	"$PERFMON" submit two >out 2>err
	is "$(query "SELECT cpus, round(efficiency, 2) FROM job WHERE jobid = 'two'")" "7 0.04" \
		"efficiency is of the CPUs given, else of those allowed"
	is "$(query "SELECT hostname, round(cpu_time / 1e6, 1), charged_cpu_us, round(coverage, 1) FROM host
		WHERE job_id = (SELECT id FROM job WHERE jobid = 'two') ORDER BY 1" | tr '\n' ';')" \
		"a 3.0 6000000 0.5;b - 2000000 -;" "coverage of each host"
	"$PERFMON" report two >out
	is "$(grep -c -e '^  Hosts  *a, 4 of 8 CPUs' -e '^  *b, 3 of 8 CPUs' -e '^  *50 % on a' out)" 3 "in the report"
	"$PERFMON" list hosts two --width 120 | grep -q '^a  *8  *2  *4 .* 50 %'
	ok $? "in the list of hosts"
else
	skip "CPUs and coverage of each host" "no $missing"
fi


# --- what a killed one left --------------------------------------------------------------------------
"$PERFMON" start -j left
name=$(cd "$jobs/left" && ls job-*.json)
echo '{' >"$jobs/left/.$name.new"
"$PERFMON" stop -j left
is "$?:$(find "$jobs/left" -name '*.new' | wc -l):$(grep -c '"stop"' "$jobs/left/$name")" 0:0:1 "metadata half written are in nobody's way"
done_testing
