#!/bin/sh
# Records in a mount that only the job's processes see go with the job (Slurm's job_container/tmpfs,
# pam_namespace): start and check say so, and the last TaskEpilog packs them from inside.
# shellcheck disable=SC2154,SC2016 # set by lib.sh; inner shells expand
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

if [ "$(id -u)" -ne 0 ] || ! need unshare || ! unshare -m true 2>/dev/null; then
	skip "records in a mount of the job's own" "needs root and mount namespaces"
	done_testing
fi
mkdir private link
mkdir real && ln -s "$work/real" link/to
# inside COMMAND...: in a namespace of its own; $mount mounts there.
inside() { unshare -m sh -c 'eval "$mount" && exec "$@"' sh "$@"; }
export mount PERFMON

# seen NAME MOUNT [PREFIX]: 1 where start warns, 1 where check does.
seen()
{
	mount=$2
	rm -rf "$work/prefix" && mkdir "$work/prefix"
	PERFMON_OUTPUT_PREFIX=${3-$PERFMON_OUTPUT_PREFIX} inside sh -c '"$PERFMON" start -j seen 2>start.err
		"$PERFMON" check output.mount >check.out; :'
	echo "$(grep -c 'private mount of this job' start.err):$(grep -c '^warn  output.mount' check.out)"
}
is "$(seen none :)" 0:0 "a namespace alone hides nothing"
is "$(seen tmpfs "mount -t tmpfs -o mode=1777 none $work/prefix")" 1:1 "a tmpfs of its own: start and check say so"
is "$(seen bind "mount --bind $work/private $work/prefix")" 1:1 "so do they of another directory of the same file system"
is "$(seen same "mount --bind $work/prefix $work/prefix")" 0:0 "not of the same directory"
is "$(seen above "mount -t tmpfs -o mode=755 none $work/prefix && mkdir $work/prefix/a" "$work/prefix/a")" 1:1 "of a mount further up"
is "$(seen link "mount -t tmpfs -o mode=1777 none $work/real" "$work/link/to/x")" 1:1 "of one behind a symbolic link"
is "$("$PERFMON" start -j plain 2>&1 | grep -c private):$("$PERFMON" check output.mount | grep -c '^pass')" 0:1 "and not without any"

# --- Slurm ------------------------------------------------------------------------------------------
if ! "$PERFMON" -q -a -j probe run true || ! "$PERFMON" -q stage -j probe >out 2>err; then
	grep -q 'built without' err && skip "TaskEpilog packs" "$(cut -d: -f2- <err)" && done_testing
fi
rm -rf prefix && mkdir prefix
mkdir -p site/bin site/var/spool/perfmon
cp "$PERFMON" "$PERFMON_LIBRARY" site/bin/
PERFMON_LIBRARY=$work/site/bin/libperfmon.so
for script in taskprolog taskepilog; do
	sed "s|@bindir@|$work/site/bin|g; s|@localstatedir@|$work/site/var|g" "$abs_top_srcdir/slurm/$script.sh.in" >site/$script.sh
	chmod 755 site/$script.sh
done
# A task as slurmstepd starts it: its own process runs TaskProlog, takes the exports and becomes the program.
cat >task.sh <<'END'
SLURM_TASK_PID=$$ site/taskprolog.sh >"exports.$1"
while read -r word; do export "${word#export }"; done <"exports.$1"
shift
exec "$@"
END
export SLURM_JOB_ID=31 SLURM_CLUSTER_NAME=two SLURM_STEP_ID=0 SLURM_PROCID=0
mount="mount -t tmpfs -o mode=1777 none $work/prefix"
inside sh -c '
	sh task.sh 0 true; SLURM_TASK_PID=1 site/taskepilog.sh
	echo "$?:$(ls site/var/spool/perfmon):$(ls -d prefix/*/31):$(ls prefix/*/31/*.tsv 2>/dev/null | wc -l)" >between
	sleep 1.1
	SLURM_STEP_ID=1 sh task.sh 1 false; SLURM_TASK_PID=1 site/taskepilog.sh'
host=$(uname -n)
is "$(cat between)" "0:31.$host.tgz:prefix/$(id -un)/31:0" "the last TaskEpilog of a step packs what there is, and leaves the job"
is "$(find site/var/spool/perfmon -name '31.*' | wc -l | tr -d ' '):$(find prefix -mindepth 1)" 2: "that of the next step packs the rest"
unset SLURM_JOB_ID SLURM_CLUSTER_NAME SLURM_STEP_ID SLURM_PROCID
"$PERFMON" -q submit --spool site/var/spool/perfmon --spool-age 0
is "$?:$(query "select count(*), (select group_concat(exename) from (select exename from process order by 1)) from job where jobid = '31'")" \
	"0:1|false,true" "both load into one job"
is "$(query "select count(*) from host where stop_time_us is not null")" 1 "which is closed"

# A mount that others see as well: nothing is packed before Epilog.
mkdir prefix/shared
SLURM_JOB_ID=32 PERFMON_OUTPUT_PREFIX=$work/prefix/shared sh task.sh 2 true
SLURM_JOB_ID=32 PERFMON_OUTPUT_PREFIX=$work/prefix/shared SLURM_TASK_PID=1 site/taskepilog.sh
is "$(find site/var/spool/perfmon -name '32.*' | wc -l | tr -d ' '):$(find prefix/shared -name 'job-*.json' | wc -l | tr -d ' ')" 0:1 \
	"where others see the records they wait for Epilog"
done_testing
