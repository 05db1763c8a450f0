#!/bin/sh
# The SPANK plugin in a real Slurm of two nodes: --perfmon of srun and sbatch, without TaskProlog and
# beside it.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source-path=SCRIPTDIR source=cluster.sh
. "$abs_top_srcdir/tests/slurm/cluster.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

reason=$(cluster_reason)
[ -n "$reason" ] || need sqlite3 || reason="no $missing"
plugin=$abs_top_builddir/spank_perfmon.so
[ -n "$reason" ] || [ -e "$plugin" ] || reason="built without slurm/spank.h"
if [ -n "$reason" ]; then
	skip "the SPANK plugin" "$reason"
	done_testing
fi
trap 'status=$?; cluster_down; cd /; rm -rf "$work"; exit $status' EXIT
site_install || exit 99
cp "$plugin" "$site/"
cluster_up "optional $site/spank_perfmon.so perfmon=$site/bin/perfmon" || { ok 1 "a cluster"; done_testing; }

query_default '' ' '
load()
{
	find "$cluster"/n?/tmp/perfmon* -mindepth 2 -maxdepth 2 -type d -print0 |
		xargs -0 "$PERFMON" submit >submit.out 2>&1
}
# The job id that `srun ... sh -c 'echo $SLURM_JOB_ID; ...'` printed.
id_in() { sed -n 's/^\([0-9]\{1,\}\)$/\1/p' "$1" | sed -n 1p; }
ran() { query "select count(*) from process p join job j on j.id = p.job_id where j.jobid = '$1' and exename = 'date'"; }
# shellcheck disable=SC2016 # the task expands
task='echo $SLURM_JOB_ID; date >/dev/null; exit 5'

is "$(slurm srun --help | grep -c -- --perfmon)" 1 "srun knows the option"
slurm srun -n1 sh -c "$task" >plain 2>/dev/null
is "$?" 5 "without the option the task runs"
slurm srun -N2 -n4 --perfmon sh -c "$task" >with 2>with.err
is "$?:$(grep -vc '^srun: ' with.err)" 5:0 "with it, too"
slurm srun -n1 --perfmon=PERF_COUNT_SW_PAGE_FAULTS sh -c "$task" >events 2>/dev/null
slurm srun -n1 --perfmon=off sh -c "$task" >off 2>/dev/null
cat >batch.sh <<'END'
#!/bin/sh
echo $SLURM_JOB_ID
srun -n2 -N2 date
srun -n2 -N2 --perfmon=off sh -c 'echo off; exec date'
END
slurm sbatch -W -N2 -n2 -o batch --perfmon batch.sh >/dev/null
is $? 0 "sbatch"
# Whatever of the environment the job is to have. What has no PATH needs none here.
cat >bare.sh <<'END'
#!/bin/sh
/bin/date >/dev/null
srun -n2 -N2 /bin/date
srun -n4 -N2 /bin/date
END
for export in NONE NIL; do
	slurm sbatch --parsable -W -N2 -n4 -o "batch.$export" --export=$export --perfmon bare.sh >"$export"
	is "$?:$(grep -c 20.. "batch.$export")" 0:6 "sbatch --export=$export"
done
slurm sbatch --parsable -W -N2 -n4 -o batch.events --perfmon=PERF_COUNT_SW_PAGE_FAULTS bare.sh >chosen
cat >apart.sh <<'END'
#!/bin/sh
export PERFMON_OPTIONS=PERF_COUNT_SW_PAGE_FAULTS
srun -n4 -N2 /bin/date
export PERFMON_OPTIONS=PERF_COUNT_SW_CPU_MIGRATIONS
srun -n4 -N2 /bin/date
END
slurm sbatch --parsable -W -N2 -n4 -o batch.apart --perfmon apart.sh >apart
# The user's own switches count, and a perfmon that is broken does nothing.
PERFMON_RECORDING=off slurm srun -n1 --perfmon sh -c "$task" >switched 2>/dev/null
mv "$site/bin/perfmon" away
slurm srun -n1 --perfmon sh -c "$task" >gone 2>gone.err
is "$?:$(id_in gone | grep -c .):$(grep -vc '^srun: ' gone.err)" 5:1:0 "no perfmon: the task runs"
printf '#!/bin/sh\necho export LD_PRELOAD=/half\nexit 1\n' >"$site/bin/perfmon"
chmod 755 "$site/bin/perfmon"
# shellcheck disable=SC2016
slurm srun -n1 --perfmon sh -c 'echo "${LD_PRELOAD-none}"; exit 5' >half 2>/dev/null
is "$?:$(cat half)" 5:none "a perfmon that fails: nothing of its output counts"
# What closes the job is begun by root and is in nobody's step: it runs no code of the user's, and who
# waits for it goes on when it does not end.
cat >"$site/bin/perfmon" <<END
#!/bin/sh
[ "\$2" = stop ] || exit 0
env >"$work/stop.env"
exec >&- 2>&-
exec sleep 1000
END
slurm env LD_LIBRARY_PATH=/none GCONV_PATH=/none MINE=kept timeout 300 srun -n1 --perfmon sh -c "$task" >stays 2>/dev/null
is "$?:$(id_in stays | grep -c .)" 5:1 "a perfmon that closes its output and stays is ended"
is "$(grep -c -e '^LD_' -e '^GCONV_PATH=' stop.env):$(grep -c -e '^MINE=kept' -e '^SLURM_JOB_ID=' stop.env)" 0:2 \
	"and it has nothing in its environment that would load the user's code"
mv away "$site/bin/perfmon"

# Beside TaskProlog, which records everything.
cat >>"$cluster/etc/slurm.conf" <<END
TaskProlog=$site/perfmon/slurm/taskprolog.sh
TaskEpilog=$site/perfmon/slurm/taskepilog.sh
END
slurm scontrol reconfigure
slurm srun -n2 sh -c "$task" >prolog 2>/dev/null
slurm srun -n2 --perfmon=PERF_COUNT_SW_PAGE_FAULTS sh -c "$task" >both 2>/dev/null
slurm srun -n2 --perfmon=off sh -c "$task" >neither 2>/dev/null
# shellcheck disable=SC2016 # the task's
slurm srun -n2 --perfmon sh -c 'echo "$PERFMON_TASK = $SLURM_JOB_ID.$SLURM_STEP_ID.$SLURM_PROCID"' >marked 2>/dev/null
is "$(awk 'NF == 3 && $1 == $3 { n++ } END { print n + 0 }' marked)" 2 "TaskProlog knows tasks that the plugin has recorded"

load
is $? 0 "what was recorded loads"
diag "$(cat submit.out)"
is "$(ran "$(id_in plain)")" 0 "without the option nothing is recorded"
is "$(ran "$(id_in with)")" 4 "with it every task"
is "$(query "select count(*) from host h join job j on j.id = h.job_id
	where j.jobid = '$(id_in with)' and stop_time_us is null")" 0 "and the job is closed everywhere"
is "$(query "select count(*) from job where jobid = '$(id_in with)'")" 1 "as one"
is "$(ran "$(id_in events)")" 1 "with events the task"
is "$(query "select count(*) > 0 from counter c join job j on j.id = c.job_id
	where j.jobid = '$(id_in events)' and c.name = 'PERF_COUNT_SW_PAGE_FAULTS' and c.value > 0")" 1 \
	"and they are counted"
is "$(ran "$(id_in off)")" 0 "with off nothing"
is "$(ran "$(id_in batch)")" 2 "sbatch: its steps, but for the one with off"
is "$(query "select count(*) from process p join job j on j.id = p.job_id
	where j.jobid = '$(id_in batch)' and exename = 'srun'" | awk '{ print ($1 >= 2) }')" 1 "sbatch: and the batch script"
# What each step of a job took nobody can say here, but no task was given up.
for export in NONE NIL; do
	is "$(ran "$(cat $export)")" 7 "sbatch --export=$export: the script and its steps"
done
# counted JOB: tasks of date, and those that have a count of page faults, of migrations.
counted()
{
	query "select count(distinct p.id), count(distinct case when c.name like '%PAGE_FAULTS' then p.id end),
		count(distinct case when c.name like '%MIGRATIONS' then p.id end)
		from process p join job j on j.id = p.job_id left join counter c on c.job_id = p.job_id and c.process_id = p.id
		where j.jobid = '$1' and p.exename = 'date'"
}
is "$(counted "$(cat chosen)")" "7 7 0" "sbatch --perfmon=EVENTS: every task with its events"
is "$(counted "$(cat apart)")" "8 4 4" "events chosen in the job, for each step: every task with its own"
is "$(cat "$cluster"/n?/tmp/perfmon/*/*/job-*.json | grep -c tasks_unrecorded)" 0 "no task was given up"
is "$(ran "$(id_in switched)")" 0 "PERFMON_RECORDING=off counts"
is "$(ran "$(id_in prolog)")" 2 "beside TaskProlog: recorded without the option"
is "$(ran "$(id_in both)")" 2 "beside TaskProlog: once with it"
is "$(query "select count(distinct process_id) > 0 from counter c join job j on j.id = c.job_id
	where j.jobid = '$(id_in both)' and c.name = 'PERF_COUNT_SW_PAGE_FAULTS'")" 1 \
	"beside TaskProlog: with its events"
is "$(ran "$(id_in neither)")" 0 "beside TaskProlog: not with off"
done_testing
