#!/bin/sh
# Jobs of a real Slurm of two nodes, recorded by TaskProlog and TaskEpilog alone: every process in
# the database with its node, step and rank, one job for each of Slurm's.
#
# PM_SLURM_SHORT=yes leaves out what takes Slurm a minute: a job that reaches its time limit.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source-path=SCRIPTDIR source=cluster.sh
. "$abs_top_srcdir/tests/slurm/cluster.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

reason=$(cluster_reason)
[ -n "$reason" ] || need sqlite3 mpirun.openmpi || reason="no $missing"
if [ -n "$reason" ]; then
	skip "jobs of a real Slurm" "$reason"
	done_testing
fi
trap 'status=$?; cluster_down; cd /; rm -rf "$work"; exit $status' EXIT
site_install || exit 99
# The spool is on a file system that both nodes have.
spool=$site/var/spool/perfmon
mkdir -p "$spool" && chmod 1777 "$spool" && chmod 711 "$site/var" "$site/var/spool"
cluster_up || { diag "$(cat "$cluster"/*.log "$cluster"/n?/*.log "$cluster/slurmctld.out")"; ok 1 "a cluster"; done_testing; }
ok 0 "two nodes are up"

query_default '' ' '
# What jobs left that no Epilog packed: their directories on the nodes.
left() { find "$cluster"/n?/tmp/perfmon* -mindepth 2 -maxdepth 2 -type d; }
# script NAME: a batch script from standard input.
script()
{
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod 755 "$1"
}
# sbatch OPTION... SCRIPT: prints the job's id.
sbatch() { slurm sbatch --parsable -o "$work/out.%A.%a" "$@"; }

# --- without a line in slurm.conf: one step ------------------------------------------------------
# shellcheck disable=SC2016 # the inner shell expands
slurm srun -n1 --task-prolog="$site/perfmon/slurm/taskprolog.sh" \
	--task-epilog="$site/perfmon/slurm/taskepilog.sh" sh -c 'echo "number $SLURM_JOB_ID"; exec sleep 1' >out 2>&1
is "$?" 0 "srun with --task-prolog and --task-epilog"
diag "$(cat out)"
# srun may ask a second time where the nodes are not quite up.
by_hand=$(sed -n 's/^number //p' out)

# --- for everybody, while the cluster runs --------------------------------------------------------
cat >>"$cluster/etc/slurm.conf" <<END
TaskProlog=$site/perfmon/slurm/taskprolog.sh
TaskEpilog=$site/perfmon/slurm/taskepilog.sh
Epilog=$site/perfmon/slurm/epilog.sh
END
slurm scontrol reconfigure
is $? 0 "the scripts are switched on by scontrol reconfigure"

if [ "${PM_SLURM_SHORT:-no}" = no ]; then
	script limit.sh <<'END'
date >/dev/null
sleep 300
END
	limit=$(sbatch -t 1 limit.sh)
fi

script steps.sh <<'END'
for step in 0 1 2; do
	srun -n4 -N2 -l hostname 2>/dev/null | sed "s/^/$step /"
done
END
steps=$(sbatch -N2 -n4 steps.sh)
script element.sh <<'END'
hostname
END
array=$(sbatch -a 1-20 element.sh)
script beside.sh <<'END'
for step in 0 1 2; do
	srun --exact --mem=0 -n2 -N2 sh -c 'echo $SLURM_STEP_ID $SLURM_PROCID $(hostname)' 2>/dev/null &
done
wait
exit 7
END
beside=$(sbatch -N2 -n6 --ntasks-per-node=3 beside.sh)
script empty.sh </dev/null
empty=$(sbatch empty.sh)
script many.sh <<'END'
srun -n127 -N2 --overcommit true
END
many=$(sbatch -N2 -n127 --overcommit many.sh)
# shellcheck disable=SC2016
alone=$(slurm srun -n3 -N2 -l sh -c 'echo $SLURM_JOB_ID; exec hostname' 2>/dev/null | sed -n 's/^0: \([0-9]*\)$/\1/p')
# shellcheck disable=SC2016 # the inner shell expands
slurm salloc -N2 -n2 sh -c 'echo "job $SLURM_JOB_ID"; srun hostname; srun hostname' >salloc.out 2>/dev/null
allocated=$(sed -n 's/^job //p' salloc.out)
# shellcheck disable=SC2016
heterogeneous=$(slurm srun -n1 sh -c 'echo $SLURM_JOB_ID; exec hostname' : -n1 hostname 2>/dev/null |
	sed -n 's/^\([0-9]\{1,\}\)$/\1/p')
# shellcheck disable=SC2016
nobody=$(cd / && HOME=/ slurm setpriv --reuid=65534 --regid=65534 --clear-groups \
	srun -n1 sh -c 'echo $SLURM_JOB_ID; exec hostname' 2>/dev/null | sed -n 's/^\([0-9]*\)$/\1/p')

# --- MPI's launchers -----------------------------------------------------------------------------
script mpi.sh <<'END'
srun --mpi=pmix -n4 -N2 -l hostname
mpirun.openmpi --allow-run-as-root --oversubscribe -n 4 --map-by node --tag-output hostname
END
mpi=$(sbatch -N2 -n4 mpi.sh)

# --- jobs that do not end by themselves ----------------------------------------------------------
script wait.sh <<'END'
hostname
: >"began.$SLURM_JOB_ID.$SLURM_RESTART_COUNT"
exec sleep 300
END
cancelled=$(sbatch wait.sh)
requeued=$(sbatch --requeue -w n1 wait.sh)
failed=$(sbatch --no-requeue -w n2 wait.sh)
lost=$(sbatch --no-requeue -w n1 wait.sh)
until_true test -e "began.$cancelled." && slurm scancel "$cancelled"
until_true test -e "began.$requeued." && slurm scontrol requeue "$requeued"
# The processes of Slurm that watch over a job's tasks: no TaskEpilog runs without them.
until_true test -e "began.$lost."
for pid in $(on_node n1 sh -c "grep -l 'slurmstepd: \[$lost\.' /proc/[0-9]*/cmdline" 2>/dev/null |
	sed 's/[^0-9]*\([0-9]*\).*/\1/'); do
	on_node n1 kill -9 "$pid"
done

for job in "$steps" "$array" "$beside" "$empty" "$many" "$mpi" "$cancelled"; do
	until_true job_over "$job" || diag "job $job does not end"
done
until_true test -e "began.$requeued.1"
slurm scancel "$requeued"
until_true job_over "$requeued"
until_true test -e "began.$failed."
node_kill n2
slurm scontrol update nodename=n2 state=down reason=test
until_true job_over "$failed"
is "$(sed -n "s/^JobId=$failed .* JobState=\([A-Z_]*\) .*/\1/p" "$cluster/completed")" NODE_FAIL "a node fails"
slurm scancel "$lost"
if [ -n "${limit-}" ]; then
	patience=200 until_true job_over "$limit"
	is "$(sed -n "s/^JobId=$limit .* JobState=\([A-Z_]*\) .*/\1/p" "$cluster/completed")" TIMEOUT \
		"a job reaches its time limit"
fi
# Slurm runs Epilog when it has said that the job is over.
for archive in "$steps.n1" "$steps.n2" "${array}_1.n[12]" "${array}_20.n[12]" "$beside.n1" "$beside.n2" \
	"$empty.n[12]" "$many.n1" "$many.n2" "$mpi.n1" "$mpi.n2" "$cancelled.n[12]" "$lost.n1" ${limit:+"$limit.n[12]"}; do
	# shellcheck disable=SC2016 # the inner shell expands
	until_true sh -c 'ls "$1"/$2.tgz' sh "$spool" "$archive" >/dev/null 2>&1
	ok $? "Epilog packs $archive"
done

# But for the jobs that began before there was an Epilog, or ended without one; and for the one whose process
# lives on, since nothing of Slurm's is left to kill it.
# shellcheck disable=SC2317 # called by until_true
packed() { [ "$(left | grep -cv "/$by_hand\$\|/$failed\$\|/$heterogeneous\$\|/$lost\$")" = 0 ]; }
until_true packed
ok $? "and leaves nothing of them on the nodes"
diag "$(left)"

# --- what came of it -----------------------------------------------------------------------------
archives=$(find "$spool" -name '*.tgz' | wc -l)
# All of them are whole, however new.
"$PERFMON" submit --spool "$spool" --spool-age 0 >submit.out 2>&1
is "$?:$(find "$spool/loaded" -name '*.tgz' | wc -l):$(find "$spool/failed" -name '*.tgz' 2>/dev/null | wc -l)" \
	"0:$archives:0" "a pass over the spool loads every archive"
left | tr '\n' '\0' | xargs -0 "$PERFMON" submit >>submit.out 2>&1
is $? 0 "what was not packed loads"
diag "$(cat submit.out)"

# one JOB NAME [WHERE]: there is one job of this id.
one()
{
	is "$(query "select count(*) from job where jobid = '$1' and scheduler = 'slurm'")" 1 "$2: one job"
}
# placed JOB EXPECTED NAME: step, rank and node of every process of hostname.
placed()
{
	query "select p.step, p.mpirank, h.hostname from process p
		join job j on j.id = p.job_id join host h on h.id = p.host_id and h.job_id = p.job_id
		where j.jobid = '$1' and p.exename = 'hostname' and p.step is not null order by 1, 2" >got
	is "$(cat got)" "$2" "$3"
}

one "$by_hand" "by hand"
is "$(query "select count(*) from process p join job j on j.id = p.job_id
	where j.jobid = '$by_hand' and exename = 'sleep' and mpirank = 0 and step = '0'")" 1 \
	"by hand: the task is recorded"

one "$steps" "2 nodes, 4 tasks, 3 steps"
sed 's/://' "out.$steps.4294967294" | sort >want
is "$(wc -l <want | tr -d ' ')" 12 "2 nodes, 4 tasks, 3 steps: ran"
placed "$steps" "$(cat want)" "2 nodes, 4 tasks, 3 steps: every process on its node, step and rank"
is "$(query "select count(*) from process p join job j on j.id = p.job_id
	where j.jobid = '$steps' and numranks is not null and numranks <> 4")" 0 "2 nodes, 4 tasks, 3 steps: of 4"
is "$(query "select count(distinct h.id) from host h join job j on j.id = h.job_id
	where j.jobid = '$steps' and stop_time_us is not null and stop_lost = 0")" 2 \
	"2 nodes, 4 tasks, 3 steps: closed on both nodes, nothing lost"

is "$(query "select count(*), count(distinct array_task) from job where jobid = '$array'")" "20 20" \
	"array of 20: a job each"
is "$(query "select count(*) from process p join job j on j.id = p.job_id
	where j.jobid = '$array' and exename = 'hostname'")" 20 "array of 20: every process"

one "$beside" "steps at once"
sort "out.$beside.4294967294" >want
query "select p.step, p.mpirank, h.hostname from process p
	join job j on j.id = p.job_id join host h on h.id = p.host_id and h.job_id = p.job_id
	where j.jobid = '$beside' and p.exename = 'hostname' order by 1, 2" >got
is "$(wc -l <want | tr -d ' '):$(cat got)" "6:$(cat want)" "steps at once: every process on its node, step and rank"

case $(slurm slurmctld -V 2>/dev/null) in
*" 1"[0-9].* | *" 20."*) skip "steps at once: how the job ended" "this version does not tell its Epilog" ;;
*)
	is "$(query "select count(*) from host h join job j on j.id = h.job_id where j.jobid = '$beside'
		and stop_exit_status = 7 and stop_exit_reason is not null")" 2 "steps at once: how the job ended"
	;;
esac

one "$empty" "an empty job"
is "$(query "select count(*) from process p join job j on j.id = p.job_id where j.jobid = '$empty'")" 1 \
	"an empty job: its shell"

one "$many" "127 tasks"
is "$(query "select count(*), count(distinct mpirank), min(mpirank), max(mpirank) from process p
	join job j on j.id = p.job_id where j.jobid = '$many' and exename = 'true'")" "127 127 0 126" \
	"127 tasks: every rank once"

one "$alone" "srun alone, 2 nodes"
is "$(query "select count(distinct p.host_id), group_concat(mpirank) from (select * from process
	order by mpirank) p join job j on j.id = p.job_id
	where j.jobid = '$alone' and exename = 'hostname'")" "2 0,1,2" "srun alone, 2 nodes: every rank"
one "$allocated" "salloc"
placed "$allocated" "0 0 n1
0 1 n2
1 0 n1
1 1 n2" "salloc: two steps on two nodes"
one "$heterogeneous" "heterogeneous job"
placed "$heterogeneous" "0 0 n1
0 1 n2" "heterogeneous job: both components"
one "$nobody" "another user's job"
is "$(query "select uid from job where jobid = '$nobody'"):$(stat -c %u "$(find "$spool" -name "$nobody.n?.tgz")")" 65534:65534 \
	"another user's job: theirs, and so is the archive"

one "$mpi" "MPI"
# Ranks of srun --mpi=pmix and of mpirun: "0: n1", "[1,0]<stdout>:n1"; "[1,0]<stdout>: n1" since 5.0.
sed -n 's/^\([0-9]*\): /\1 /p; s/^\[1,\([0-9]*\)\]<stdout>: */\1 /p' "out.$mpi.4294967294" | sort >want
query "select p.mpirank, h.hostname from process p
	join job j on j.id = p.job_id join host h on h.id = p.host_id and h.job_id = p.job_id
	where j.jobid = '$mpi' and p.exename = 'hostname' order by 1, 2" >got
is "$(wc -l <want | tr -d ' '):$(cat got)" "8:$(cat want)" "MPI: srun --mpi=pmix and mpirun over two nodes, every rank"
is "$(query "select count(*) from process p join job j on j.id = p.job_id where j.jobid = '$mpi'
	and exename in ('orted', 'orterun', 'srun') and mpirank is not null")" 0 "MPI: the launchers have none"

one "$cancelled" "scancel"
is "$(query "select count(*) from process p join job j on j.id = p.job_id
	where j.jobid = '$cancelled' and exename = 'sleep'")" 1 "scancel: what was killed is there"
is "$(query "select count(*) from host h join job j on j.id = h.job_id
	where j.jobid = '$cancelled' and stop_time_us is null")" 0 "scancel: the job is closed"
is "$(query "select group_concat(restart_count) from (select * from job order by restart_count)
	where jobid = '$requeued'")" 0,1 "requeue: a job for each run"
one "$failed" "node failure"
is "$(query "select exename from process p join job j on j.id = p.job_id where j.jobid = '$failed'
	and exename in ('hostname', 'sleep') order by 1" | tr '\n' ' ')" "hostname sleep " \
	"node failure: what ran there is there"
is "$(query "select stop_time_us is null from host h join job j on j.id = h.job_id
	where j.jobid = '$failed'")" 1 "node failure: marked as not closed"
one "$lost" "no TaskEpilog"
is "$(query "select count(*) from host h join job j on j.id = h.job_id
	where j.jobid = '$lost' and stop_time_us is null")" 0 "no TaskEpilog: Epilog closes the job"
is "$(query "select exename from process p join job j on j.id = p.job_id where j.jobid = '$lost'
	and exename in ('hostname', 'sleep') order by 1" | tr '\n' ' ')" "hostname sleep " \
	"no TaskEpilog: what ran is there"
if [ -n "${limit-}" ]; then
	one "$limit" "time limit"
	is "$(query "select count(*) from process p join job j on j.id = p.job_id
		where j.jobid = '$limit' and exename in ('date', 'sleep')")" 2 "time limit: both processes"
fi
is "$(query "select count(*) from process where exename like 'perfmon%' or args like '%perfmon/slurm/task%'")" 0 \
	"nothing of perfmon is in any job"
# Which numbers a node gives out is chance: that the rows above are whole shows most where both gave the same.
if [ "$(query "select count(*) from (select 1 from process p
	join host h on h.id = p.host_id and h.job_id = p.job_id group by pid
	having count(distinct hostname) > 1)")" -gt 0 ]; then
	ok 0 "both nodes gave out the same process ids"
else
	skip "both nodes gave out the same process ids" "not this time"
fi

cluster_down
# Their command lines name the cluster's folder.
left=0
for pid in $(cd /proc && echo [0-9]*); do
	if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$cluster/"; then
		left=$((left + 1))
		diag "$(tr '\0' ' ' <"/proc/$pid/cmdline")"
	fi
done 2>/dev/null
is "$left" 0 "nothing is left running"
is "$(grep -cF "$cluster" /proc/mounts)" 0 "nor mounted"
done_testing
