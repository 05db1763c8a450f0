#!/bin/sh
# One job id on one cluster is one job, whatever a step was told of it: srun without the job's environment
# (env -i srun --jobid=N --overlap) gives neither the cluster nor the array nor the count of restarts. And
# Epilog packs every directory of the job there is, within a time of its own.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

user=$(id -un)
jobs=$PERFMON_OUTPUT_PREFIX/$user
# What a task of the job has, and what a step has whose srun had nothing.
bare() { env -i HOME="$HOME" PATH="$PATH" PERFMON_OUTPUT_PREFIX="$PERFMON_OUTPUT_PREFIX" \
	PERFMON_LIBRARY="$PERFMON_LIBRARY" SLURM_STEP_ID=0 SLURM_PROCID=0 "$@"; }
begin() { bare SLURM_TASK_PID=$$ "$@" "$PERFMON" -q source --slurm | sed -n 's/^export PERFMON_OUTPUT=//p'; }
end() { bare SLURM_TASK_PID=$$ "$@" "$PERFMON" -q stop --slurm; }
value() { sed -n "s/^  \"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "$jobs/$1"/job-*.json; }
printf 'SlurmctldHost=login\nClusterName=Two\n' >slurm.conf

# --- the cluster --------------------------------------------------------------------------------
is "$(begin SLURM_JOB_ID=900 SLURM_CLUSTER_NAME=two)" "$jobs/900" "a task with the job's environment"
is "$(begin SLURM_JOB_ID=900)" "$jobs/900" "a step that knows no cluster joins it"
is "$(begin SLURM_JOB_ID=900 SLURM_WORKING_CLUSTER=two:127.0.0.1:1:2:3)" "$jobs/900" "so does one that Slurm's client told it"
is "$(begin SLURM_JOB_ID=900 SLURM_CONF="$work/slurm.conf")" "$jobs/900" "and one that has Slurm's configuration"
is "$(begin SLURM_JOB_ID=900 SLURM_CLUSTER_NAME=three | sed 's/\.[0-9]*$/.N/')" "$jobs/900.N" \
	"the job of the same id of another cluster is another one"
is "$(begin SLURM_JOB_ID=901)" "$jobs/901" "such a step may be the first"
is "$(begin SLURM_JOB_ID=901 SLURM_CLUSTER_NAME=two):$(value 901 cluster)" "$jobs/901:two" \
	"the next task joins it, and says which cluster that is"
is "$(begin SLURM_JOB_ID=902 SLURM_CONF="$work/slurm.conf"):$(value 902 cluster)" "$jobs/902:two" \
	"where it can be known it is known at once"

# --- array and restarts -------------------------------------------------------------------------
array="SLURM_ARRAY_JOB_ID=90 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=93 SLURM_CLUSTER_NAME=two SLURM_RESTART_COUNT=1"
# shellcheck disable=SC2086 # words
is "$(begin $array)" "$jobs/90_3" "an element of an array, restarted once"
is "$(begin SLURM_JOB_ID=93)" "$jobs/90_3" "a step that knows the id of the element alone joins it"
array="SLURM_ARRAY_JOB_ID=90 SLURM_ARRAY_TASK_ID=4 SLURM_JOB_ID=94 SLURM_CLUSTER_NAME=two SLURM_RESTART_COUNT=1"
is "$(begin SLURM_JOB_ID=94)" "$jobs/94" "and may be the first"
# shellcheck disable=SC2086
is "$(begin $array):$(value 94 jobid)_$(value 94 array_task):$(value 94 restart_count)" "$jobs/94:90_4:1" \
	"the next task joins it, and says which element of which array that is"
# shellcheck disable=SC2086
end $array
is "$(grep -c '"stop"' "$jobs"/94/job-*.json)" 0 "it is open while this process lives"

echo 4194304 1 >>"$(ls "$jobs"/94/.tasks-*)"
# shellcheck disable=SC2086
end $array
is "$(grep -c '"stop"' "$jobs"/94/job-*.json)" 0 "whatever became of others"

# --- Epilog -------------------------------------------------------------------------------------
# As an earlier perfmon left it: two directories, the newer one by a step that knew no cluster.
cp -R "$jobs/900" "$jobs/900.17"
sed -i 's/^  "cluster": "two"/  "cluster": ""/; s/^\(  "time_us": 1\)7/\18/' "$jobs"/900.17/job-*.json
is "$(bare SLURM_JOB_ID=900 SLURM_CLUSTER_NAME=two SLURM_JOB_EXIT_CODE2=7:0 "$PERFMON" -q stop --slurm --all | sort)" \
	"$jobs/900
$jobs/900.17" "Epilog tells of every directory of the job"
is "$(value 900.17 cluster):$(grep -l '"stop"' "$jobs"/900/job-*.json "$jobs"/900.17/job-*.json | grep -c .)" two:2 \
	"closes each, and says which cluster it was on"
sed -i 's/"restart_count": 0/"restart_count": 5/' "$jobs"/902/job-*.json
is "$(bare SLURM_JOB_ID=902 SLURM_CLUSTER_NAME=two "$PERFMON" -q stop --slurm --all):$(value 902 restart_count)" \
	"$jobs/902:5" "the count of restarts, which Epilog does not know, it leaves alone"
"$PERFMON" submit "$jobs/900" "$jobs/900.17" "$jobs/901" "$jobs/90_3" "$jobs/94" >submit.out 2>&1
is "$?:$(query "select count(*) from job where jobid = '900'")" 0:1 "which makes one job in the database"
diag "$(cat submit.out)"

# A process of the user's that keeps perfmon from ending keeps no node: here perfmon itself.
if [ "$(id -u)" -eq 0 ] && need setpriv timeout getent; then
	mkdir -p site/bin site/var/spool/perfmon
	sed "s|@bindir@|$work/site/bin|g; s|@localstatedir@|$work/site/var|g; s/\<300\>/1/; s/\<30\>/1/g" \
		"$abs_top_srcdir/slurm/epilog.sh.in" >epilog.sh
	chmod 755 epilog.sh
	cp "$PERFMON" site/bin/
	SLURM_JOB_UID=$(id -u) SLURM_JOB_GID=$(id -g)
	export SLURM_JOB_UID SLURM_JOB_GID
	SLURM_JOB_ID=900 SLURM_CLUSTER_NAME=two ./epilog.sh
	is "$(find site/var/spool/perfmon -name '900*.tgz' | wc -l | tr -d ' '):$(find "$jobs" -name '900*' | wc -l | tr -d ' ')" 2:1 \
		"Epilog packs every directory of the job, not that of another cluster's"
	cat >site/bin/perfmon <<-END
		#!/bin/sh
		trap '' TERM HUP INT
		: >$work/began
		while :; do sleep 1; done
	END
	SLURM_JOB_ID=900 timeout -k 1 60 ./epilog.sh
	is "$?:$(ls began)" 0:began "Epilog ends where perfmon does not"
else
	skip "Epilog packs every directory" "needs root"
fi
done_testing
