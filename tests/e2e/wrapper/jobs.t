#!/bin/sh
# The life of a job: start, finding it again, stop; several jobs; batch systems; metadata.
# shellcheck disable=SC2154,SC2016,SC2012,SC2094 # set by lib.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

job_dirs() { find "$PERFMON_OUTPUT_PREFIX" -mindepth 2 -maxdepth 2 -type d | sort -V; }
newest() { find "$PERFMON_OUTPUT_PREFIX" -mindepth 2 -maxdepth 2 -type d -printf '%T@ %p\n' |
	sort -n | tail -n 1 | cut -d' ' -f2; }
value() { "$PERFMON" dump "$2" | sed -n "s/^$1 //p"; }
sid=$(ps -o sid= -p $$ 2>/dev/null | tr -d ' ')
[ -n "$sid" ] || sid=$(sed 's/.*) //' /proc/$$/stat | cut -d' ' -f4)
host=$(uname -n)

# --- start, run, stop in a session --------------------------------------------------------------
"$PERFMON" stop >out 2>err
is "$?:$(cat out):$(cat err)" "1::perfmon: no job is open; see perfmon start" "nothing to stop"
"$PERFMON" start >out 2>err
is "$?:$(cat out err)" "0:" "start says nothing"
is "$(job_dirs)" "$PERFMON_OUTPUT_PREFIX/$(id -un)/$sid-1" "the job is named by session and number"
# Root's programs may become other users, who pass through and see nothing.
dir=700
[ "$(id -u)" -ne 0 ] || dir=711
is "$(stat -c %a "$PERFMON_OUTPUT_PREFIX/$(id -un)") $(stat -c %a "$(newest)") $(
	stat -c %a "$(newest)/job-$host.json")" "$dir $dir 600" "all of it is the user's alone"
"$PERFMON" start >out 2>err
is "$?:$(cat out):$(wc -l <err)" "0::1" "a second start succeeds, with a warning"
is "$(job_dirs | wc -l)" 1 "and makes no second job"
"$PERFMON" -e -q start >out 2>err
is "$?:$(cat out err)" "1:" "with -e that is a failure, with -q a silent one"
"$PERFMON" run sh -c 'exit 5'
is $? 5 "run in the open job returns the command's status"
(cd / && setsid -w true 2>/dev/null; "$PERFMON" run true)
is "$(awk -F '\t' '$2 == "reaped"' "$(newest)"/*.tsv | wc -l)" 2 "both commands are in it"
is "$(value stop_time_us "$(newest)")" "" "the job is open"
"$PERFMON" -v stop >out 2>err
is "$?:$(cat out):$(cat err)" "0::perfmon: job $sid-1 is complete in $(newest)" "-v tells what stop did"
"$PERFMON" stop >out 2>err
is "$?:$(cat err)" "0:perfmon: warning: job $sid-1 is closed already" "a second stop has nothing to do"
"$PERFMON" stop -e >out 2>err
is "$?" 1 "with -e that is a failure"
[ "$(value stop_records "$(newest)")" -ge 6 ]
ok $? "records are counted"
is "$(value stop_without_end "$(newest)")" 0 "every image has its end"

"$PERFMON" start
"$PERFMON" run sh -c 'kill -KILL $$'
"$PERFMON" stop
is "$(basename "$(newest)")" "$sid-2" "the next job of the session is number 2"
is "$(value stop_without_end "$(newest)")" 1 "a killed process counts as one without end"

# Jobs started at the same time never collide.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$PERFMON" -a run sh -c "exit $i" &
done
wait
is "$(job_dirs | wc -l)" 14 "12 jobs at once make 12 directories"
is "$(for d in $(job_dirs); do value stop_exit_status "$d"; done | sort -n | tr '\n' ' ')" \
	"1 2 3 4 5 6 7 8 9 10 11 12 " "each with its own status"

# --- several open jobs --------------------------------------------------------------------------
"$PERFMON" start -j one && "$PERFMON" -j two start
ok $? "start -j names a job, before or after the verb"
for verb in run\ true stop source; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" $verb >out 2>err
	is "$?:$(cat out):$(sed 's/one, two/LIST/; s/two, one/LIST/' err)" \
		"1::perfmon: several jobs are open: LIST; choose one with -j" \
		"${verb%% *} refuses to choose among several jobs"
done
"$PERFMON" -j one run sh -c 'echo "$PERFMON_JOBID"' >out
is "$(cat out)" one "run -j chooses"
"$PERFMON" -jone stop
is $? 0 "stop -j chooses"
"$PERFMON" run sh -c 'echo "$PERFMON_JOBID"' >out
is "$(cat out)" two "one left: no need to choose"
"$PERFMON" stop
"$PERFMON" stop -j one >out 2>err
is "$?:$(cat err)" "0:perfmon: warning: job one is closed already" "a closed job is not stopped again"
"$PERFMON" stop -e -j one >out 2>err
is "$?:$(cat err)" "1:perfmon: job one is not open" "with -e that is a failure"
"$PERFMON" start -j one
is "$(ls -d "$PERFMON_OUTPUT_PREFIX"/*/one* | wc -l)" 2 "its name can be used again, for another job"
"$PERFMON" stop -j one
for bad in ../x a/b .hidden '' "$(printf 'a\nb')" "$(printf '%0300d' 1)"; do
	"$PERFMON" start -j "$bad" >out 2>&1 && echo "accepted: $bad"
done >bad
is "$(cat bad)" "" "names that are no file names are refused"

# --- inside a job of run -a ---------------------------------------------------------------------
before=$(job_dirs | wc -l)
"$PERFMON" -a run sh -c '"$0" start; "$0" run true; "$0" stop; /bin/true' "$PERFMON" >out 2>err
is "$?:$(($(job_dirs | wc -l) - before))" "0:1" "start and stop inside run -a leave its job alone"
is "$(grep -v -e 'is left open' -e 'is open already' err)" "" "which is not locked meanwhile"
is "$(value stop_exit_status "$(newest)")" 0 "which ends with the command"

# --- dry runs -----------------------------------------------------------------------------------
before=$(job_dirs)
"$PERFMON" -n start >out 2>err
is "$?:$(job_dirs)" "0:$before" "start -n changes nothing"
"$PERFMON" start
"$PERFMON" stop -n >out 2>err
is "$?:$(cat out)" "0:would stop job $(basename "$(newest)") in $(newest)" "stop -n says what it would do"
is "$(value stop_time_us "$(newest)")" "" "and does not"
"$PERFMON" stop

# --- Slurm and PBS ------------------------------------------------------------------------------
slurm() {
	env SLURM_JOB_ID=901 SLURM_ARRAY_JOB_ID=900 SLURM_ARRAY_TASK_ID=7 SLURM_CLUSTER_NAME=big \
		SLURM_JOB_NAME='my job' SLURM_JOB_PARTITION=short SLURM_JOB_ACCOUNT=acc \
		SLURM_JOB_NODELIST='n[1-2]' SLURM_JOB_NUM_NODES=2 SLURM_NTASKS=4 \
		SLURM_JOB_START_TIME=1700000000 "$@"
}
slurm "$PERFMON" start
dir=$PERFMON_OUTPUT_PREFIX/$(id -un)/900_7
is "$(for k in scheduler cluster jobid array_task restart_count name queue account nodes tasks \
	epoch_us facts.nodelist facts.element_id; do value $k "$dir"; done)" \
	"slurm
big
900
7
0
my job
short
acc
2
4
2023-11-14T22:13:20.000000Z
n[1-2]
901" "Slurm's environment gives the job its identity and facts"
slurm "$PERFMON" run sh -c 'echo "$PERFMON_JOBID"' >out
is "$(cat out)" 900_7 "run finds it by Slurm's id"
slurm "$PERFMON" stop
slurm "$PERFMON" start
slurm "$PERFMON" stop
is "$(ls -d "$dir"*)" "$dir" "a second step of the same job goes on in its directory"
slurm env SLURM_RESTART_COUNT=1 "$PERFMON" start
is "$(ls -d "$dir"* | wc -l)" 2 "the job restarted is another job"
slurm env SLURM_RESTART_COUNT=1 "$PERFMON" stop
slurm env SLURM_JOB_START_TIME=1800000000 "$PERFMON" start
test -d "$dir.1800000000000000"
ok $? "an id that Slurm gave again is another job"
slurm env SLURM_JOB_START_TIME=1800000000 "$PERFMON" stop
is $? 0 "which stop finds"
slurm "$PERFMON" -a run sh -c 'exit 3'
is "$?" 3 "run -a under Slurm"
is "$(value stop_exit_status "$dir")" 3 "belongs to Slurm's job"

PBS_JOBID='12[3].server' PBS_JOBNAME=weather PBS_QUEUE=q "$PERFMON" start
dir="$PERFMON_OUTPUT_PREFIX/$(id -un)/12[3].server"
is "$(value scheduler "$dir") $(value jobid "$dir") $(value name "$dir") $(value queue "$dir")" \
	"pbs 12[3].server weather q" "PBS's environment gives the job its identity"
is "$(PBS_JOBID='12[3].server' sh -c 'eval $("$0" source); echo "$PERFMON_OUTPUT"' "$PERFMON")" \
	"$dir" "and source works with its brackets"
PBS_JOBID='12[3].server' "$PERFMON" stop
PBS_JOBID=../../evil "$PERFMON" start
is "$(find "$work" -name '*evil*' | sed "s|$PERFMON_OUTPUT_PREFIX/$(id -un)/||")" "_._.._evil" \
	"an id made to leave the directory stays in it"
PBS_JOBID=../../evil "$PERFMON" stop

# Other batch systems are in tests/unit/wrapper/sched.c. Two at once: the nearest daemon above decides.
env JOB_ID=12 SGE_TASK_ID=3 JOB_NAME=grid QUEUE=all.q "$PERFMON" start
dir=$PERFMON_OUTPUT_PREFIX/$(id -un)/12_3
is "$(for k in scheduler jobid array_task name queue; do value $k "$dir"; done | tr '\n' ' ')" \
	"sge 12 3 grid all.q " "a task of Grid Engine is a job of its own"
env JOB_ID=12 SGE_TASK_ID=3 "$PERFMON" stop
cp /bin/sh slurmstepd && cp /bin/sh pbs_mom
# above DAEMON...: the job that perfmon finds below these processes, the nearest last.
above()
{
	echo '"$PERFMON" -n start | cut -d" " -f4' >layer.0
	layer=0
	for daemon in $(printf '%s\n' "$@" | tac); do
		echo "./$daemon layer.$layer; true" >layer.$((layer + 1))
		layer=$((layer + 1))
	done
	PBS_JOBID=1.server SLURM_JOB_ID=2 PERFMON=$PERFMON sh layer.$layer
}
is "$(above pbs_mom slurmstepd) $(above slurmstepd pbs_mom)" "2 1.server" \
	"of nested batch systems the nearest one's job is ours"
is "$(above pbs_mom) $(above slurmstepd) $(above)" "1.server 2 2" "variables that a job inherited do not count beside its own"

# --- environment: allow-list, changes, secrets --------------------------------------------------
OMP_NUM_THREADS=4 MY_OWN=no SLURM_TOKEN=hidden-1 PERFMON_JOB_TAGS='a:b:c=d;flag; e:f' \
	EPMT_DB_PASSWORD=hidden-2 OMPI_URL='tcp://me:hidden-3@host/x' GONE=1 HF_AUTH=hidden-4 \
	"$PERFMON" start -j env
NEW='ghp_0123456789abcdefghijABCDEFGHIJ hidden?' LANG=xx HF_AUTH=hidden-5 \
	PERFMON_JOB_TAGS='e:g' "$PERFMON" stop -j env
dir=$PERFMON_OUTPUT_PREFIX/$(id -un)/env
"$PERFMON" dump "$dir" >meta
is "$(grep -E '^start_environment.(OMP_NUM|MY_OWN|OMPI_URL)' meta)" \
	"start_environment.OMPI_URL tcp://me:[redacted]@host/x
start_environment.OMP_NUM_THREADS 4" "the environment is that of the list"
is "$(grep -E '^stop_environment_changes.(GONE|LANG|NEW|HF_AUTH)' meta)" \
	"stop_environment_changes.GONE (unset)
stop_environment_changes.HF_AUTH [redacted]
stop_environment_changes.LANG xx
stop_environment_changes.NEW [redacted] hidden?" "and what changed, whatever its name"
is "$(grep -r -l -e 'hidden-' "$dir")" "" "no secret is in any file"
is "$(grep '^tags' meta)" "tags.a b:c=d
tags.e g
tags.flag 1" "tags keep : and =, and stop adds its own"
is "$(ls -A "$dir")" "$(printf '%s\n' "$host-$(id -u).tally" "job-$host.json" | sort)" \
	"nothing else is left, but the tally"
PERFMON_ENVIRONMENT=none "$PERFMON" -a run true
is "$("$PERFMON" dump "$(newest)" | grep -c environment)" 0 \
	"environment = none stores none"
MY_OWN=yes PERFMON_ENVIRONMENT=all "$PERFMON" -a -j all run true
is "$(value start_environment.MY_OWN "$PERFMON_OUTPUT_PREFIX/$(id -un)/all")" yes "all stores all"
PERFMON_ARGS=redacted "$PERFMON" -a -j red run echo --password=x --token y -k z >out
is "$("$PERFMON" dump -j red | grep '^start_command')" "start_command.0 echo
start_command.1 --password=[redacted]
start_command.2 --token
start_command.3 [redacted]
start_command.4 -k
start_command.5 z" "args = redacted hides secrets of the command"

# --- facts ----------------------------------------------------------------------------------------
"$PERFMON" -a -j facts run printf 'x' >out
dir=$PERFMON_OUTPUT_PREFIX/$(id -un)/facts
is "$(value hostname "$dir") $(value kernel "$dir") $(value machine "$dir") $(value boot_id "$dir")" \
	"$(uname -n) $(uname -r) $(uname -m) $(cat /proc/sys/kernel/random/boot_id)" "host facts"
is "$(value cpus_allowed "$dir") $(value page_size "$dir") $(value clock_ticks "$dir")" \
	"$(nproc) $(getconf PAGESIZE) $(getconf CLK_TCK)" "CPUs, page size, clock"
is "$(value user "$dir") $(value uid "$dir") $(value gid "$dir") $(value groups.0 "$dir")" \
	"$(id -un) $(id -u) $(id -g) $(id -gn)" "user facts"
is "$(value start_cwd "$dir") $(value name "$dir")" "$work printf" "directory and name"
if need lscpu && lscpu -p=CORE,SOCKET >cores && [ -r /sys/devices/system/cpu/cpu0/topology/core_id ]; then
	is "$(value cores "$dir")" "$(grep -v '^#' cores | sort -u | wc -l)" "cores, as lscpu counts them"
else
	skip "cores, as lscpu counts them" "no lscpu, or no topology"
fi
is "$(value swap_kb "$dir")" "$(awk '/^SwapTotal/ { print $2 }' /proc/meminfo)" "swap space"
taskset -c 0 "$PERFMON" -a -j pinned run true 2>/dev/null
is "$(value cpus_allowed "$PERFMON_OUTPUT_PREFIX/$(id -un)/pinned")" 1 "CPUs allowed follow the affinity"
if need python3; then
	python3 - "$dir/job-$host.json" <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["format"] == "perfmon-job-1", d["format"]
assert set(d) == {"format", "version", "job", "host", "start", "stop"}, set(d)
assert isinstance(d["start"]["time_us"], int) and d["stop"]["time_us"] >= d["start"]["time_us"]
assert d["start"]["command"] == ["printf", "x"]
assert d["stop"]["environment_changes"] == {}
PYTHON
	ok $? "the file is JSON in the documented form"
else
	skip "the file is JSON in the documented form" "no python3"
fi
"$PERFMON" -a -j "bytes" run printf "$(printf 'a\200b\tc')" >out
is "$("$PERFMON" dump -j bytes | sed -n 's/^start_command.1 //p')" 'a\\x80b\\tc' \
	"text that is not UTF-8 is stored escaped"

# --- dump --------------------------------------------------------------------------------------------
"$PERFMON" dump facts >a && "$PERFMON" dump -j facts >b && "$PERFMON" dump "$dir" >c &&
	"$PERFMON" dump "$dir/job-$host.json" >d
is "$?" 0 "dump takes a job, -j, a directory and a file"
cmp -s a b && cmp -s b c && cmp -s c d
ok $? "and prints the same"
is "$(LC_ALL=C sort a)" "$(cat a)" "lines are sorted by key"
"$PERFMON" dump --json "$dir" | cmp -s - "$dir/job-$host.json"
ok $? "dump --json is the document"
cp -r "$dir" two-hosts && sed "s/\"hostname\": \"$host\"/\"hostname\": \"other\"/" \
	"$dir/job-$host.json" >two-hosts/job-other.json
is "$("$PERFMON" dump two-hosts | grep -c '^other jobid facts$')" 1 "several hosts are told apart"
if need tar && tar -C "$dir" -cf facts.tar . 2>/dev/null; then
	"$PERFMON" dump facts.tar | cmp -s - a
	ok $? "an archive's metadata is printed, too"
	tar -cf empty.tar a
	"$PERFMON" dump empty.tar >out 2>err
	is "$?:$(cat out):$(cat err)" "1::perfmon: empty.tar: no job metadata" \
		"an archive without is an error"
else
	skip "an archive's metadata is printed, too" "no tar"
	skip "an archive without is an error" "no tar"
fi
for bad in nowhere ./nowhere /dev/null "$PERFMON_LIBRARY"; do
	"$PERFMON" dump "$bad" >out 2>err
	is "$?:$(cat out):$(grep -c '^perfmon: ' err)" "1::1" "dump of ${bad##*/} is an error"
done
echo '{"format": "other"}' >other.json
"$PERFMON" dump other.json >out 2>err
is "$?:$(cat out)" "1:" "so is a JSON file of another kind"

# The last one closed, whatever started it, where no job is open and none is named.
prefix=$PERFMON_OUTPUT_PREFIX
PERFMON_OUTPUT_PREFIX=$work/last
"$PERFMON" dump >out 2>err
is "$?:$(cat out):$(cat err)" "1::perfmon: no job is open and none is closed; name one, see perfmon status" "dump without any job is an error"
"$PERFMON" start && "$PERFMON" stop && "$PERFMON" -a -j last run true
is "$("$PERFMON" dump -k jobid)" last "dump without an operand prints the last job closed"
"$PERFMON" -j first start
PERFMON_OUTPUT="$(find "$work/last" -name first)" "$PERFMON" dump -k jobid >out
is "$?:$(cat out)" "0:first" "an open one comes first"
rm -rf "$work/last"
"$PERFMON" annotate a=b 2>err
is "$?:$(cat err)" "1:perfmon: no job is open; name one, see perfmon status" "annotate wants an open job, or a name"
PERFMON_OUTPUT_PREFIX=$prefix

# --- a directory of the user's choice ------------------------------------------------------------
PERFMON_OUTPUT=$work/chosen "$PERFMON" start
PERFMON_OUTPUT=$work/chosen "$PERFMON" run true
PERFMON_OUTPUT=$work/chosen "$PERFMON" stop
is "$?:$(cd chosen && ls "$host-$(id -u).tsv" "job-$host.json" | wc -l)" "0:2" "PERFMON_OUTPUT set by hand is the job's directory"

done_testing
