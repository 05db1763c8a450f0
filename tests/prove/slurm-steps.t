#!/bin/sh
# What perfmon adds to the steps of a Slurm job, in a real Slurm of two nodes: by sbatch --perfmon, by
# TaskProlog and TaskEpilog, and by both, with and without events chosen in the job. Recorded and bare steps
# take turns. What is asserted are counts: every task is recorded with its events, none of the bare ones, one
# job id is one job. Times are findings; those of a busy machine say nothing.
# shellcheck disable=SC2154,SC2317 # set by lib.sh; called by rounds
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"
# shellcheck source=tests/slurm/cluster.sh
. "$abs_top_srcdir/tests/slurm/cluster.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

reason=$(cluster_reason)
[ -n "$reason" ] || need sqlite3 python3 || reason="no $missing"
plugin=$abs_top_builddir/spank_perfmon.so
[ -n "$reason" ] || [ -e "$plugin" ] || reason="built without slurm/spank.h"
if [ -n "$reason" ]; then
	skip "what perfmon adds to steps" "$reason"
	done_testing
fi
trap 'status=$?; cluster_down; cd /; rm -rf "$work"; exit $status' EXIT
site_install && cp "$plugin" "$site/" || exit 99

# --- the CPU time of source --slurm -------------------------------------------------------------------
# Of itself and of what it waits for, by getrusage(2).
cat >own.py <<'END'
import os, statistics, sys
# Each with its job: how often, whether each opens a job of its own, and the setting options.
def measure(calls, fresh, options):
    spent = []
    for i in range(calls):
        pid = os.fork()
        if pid == 0:
            env = dict(os.environ, SLURM_JOB_ID=str(1000 + i if fresh else 900), SLURM_CLUSTER_NAME="two",
                       SLURM_STEP_ID=str(i), SLURM_PROCID="0", SLURM_TASK_PID=str(os.getppid()),
                       PERFMON_OPTIONS=options)
            os.dup2(os.open("/dev/null", os.O_RDWR), 1)
            os.execve(sys.argv[1], ["perfmon", "-q", "source", "--slurm"], env)
        _, status, usage = os.wait4(pid, 0)
        if status:
            sys.exit("status %d" % status)
        spent.append((usage.ru_utime + usage.ru_stime) * 1000)
    return "%.1f ms median, %.1f ms at most" % (statistics.median(spent), max(spent))
calls = int(sys.argv[2])
events = "PERF_COUNT_SW_PAGE_FAULTS,PAPI_TOT_INS"
for fresh, options, about in ((False, "", "joins a job"), (True, "", "opens a job"),
                              (False, events, "joins, with events"), (True, events, "opens, with events")):
    print("CPU time of source --slurm that %s\t%s" % (about, measure(calls, fresh, options)))
END
python3 own.py "$site/bin/perfmon" $((2000 / PM_PROVE_PART > 20 ? 2000 / PM_PROVE_PART : 20)) >own
ok $? "source --slurm succeeds each time"
while IFS="$(printf '\t')" read -r key value; do finding "$key" "$value"; done <own
rm -rf "${PERFMON_OUTPUT_PREFIX:?}"/*

# --- steps --------------------------------------------------------------------------------------------
cluster_up "optional $site/spank_perfmon.so perfmon=$site/bin/perfmon" || { ok 1 "a cluster"; done_testing; }
query_default '' ' '
pairs=20
[ "$PM_PROVE_PART" -eq 1 ] || pairs=1
# Slurm itself takes some 3 s to end a step that has any TaskEpilog, here: bare steps have scripts that do nothing.
printf '#!/bin/sh\nexit 0\n' >"$work/nothing.sh"
chmod 755 "$work/nothing.sh"
# Those of rounds that an earlier run has passed count on.
times=${prove_file:-$work/steps}.times
[ -e "$prove_file.passed" ] || rm -f "$times"

# A step of each kind by turns, as long as each takes in ns: "WAY EVENTS recorded|bare NS".
cat >"$work/steps.sh" <<END
#!/bin/sh
way=\$1 events=\$2 pairs=\$3
scripts="--task-prolog=$site/perfmon/slurm/taskprolog.sh --task-epilog=$site/perfmon/slurm/taskepilog.sh"
idle="--task-prolog=$work/nothing.sh --task-epilog=$work/nothing.sh"
recorded= bare=
# No step waits until Slurm has cleared the one before away.
export SLURM_OVERLAP=1
[ \$way = plugin ] || recorded=\$scripts bare=\$idle
[ \$way = prolog ] || bare="\$bare --perfmon=off"
# The script is a task of the job as well, where TaskProlog is for all: the job is open meanwhile.
[ \$way = plugin ] || SLURM_TASK_PID=\$\$ $site/perfmon/slurm/taskprolog.sh >/dev/null
[ \$events = no ] || export PERFMON_OPTIONS=PERF_COUNT_SW_PAGE_FAULTS
step()
{
	kind=\$1
	shift
	before=\$(date +%s%N)
	srun -N2 -n4 "\$@" true
	echo "\$way \$events \$kind \$((\$(date +%s%N) - before))"
}
i=0
while [ \$i -lt \$pairs ]; do
	i=\$((i + 1))
	[ \$((i % 2)) -eq 0 ] || step bare \$bare
	step recorded \$recorded
	[ \$((i % 2)) -eq 1 ] || step bare \$bare
done
END

# steps SEED: a job of such pairs; the seed chooses the way and whether there are events.
steps()
{
	case $(($1 % 3)) in
	0) way=plugin option=--perfmon ;;
	1) way=prolog option= ;;
	*) way=both option=--perfmon ;;
	esac
	events=no
	[ $(($1 / 3 % 2)) -eq 0 ] || events=yes
	# shellcheck disable=SC2086 # nothing, or one word
	job=$(slurm sbatch --parsable -W -N2 -n4 -o "$PWD/out" $option "$work/steps.sh" $way $events $pairs) || return 1
	# What else there is comes from srun.
	grep -E '^(plugin|prolog|both) (yes|no) (bare|recorded) [0-9]+$' out >>"$times"
	rm -rf "$XDG_DATA_HOME"
	find "$cluster"/n?/tmp/perfmon* -mindepth 2 -maxdepth 2 -type d -name "$job*" -print0 |
		xargs -0 "$PERFMON" -q submit || return 1
	counted=0
	[ "$events" = no ] || counted=$((4 * pairs))
	got=$(query "select count(distinct j.id), count(distinct p.id), count(distinct c.process_id),
		(select count(distinct step || ' ' || mpirank) from process where exename = 'true'),
		(select coalesce(sum(tasks_unrecorded), 0) from host)
		from job j join process p on p.job_id = j.id and p.exename = 'true'
		left join counter c on c.job_id = p.job_id and c.process_id = p.id
			and c.name = 'PERF_COUNT_SW_PAGE_FAULTS' where j.jobid = '$job'")
	want="1 $((4 * pairs)) $counted $((4 * pairs)) 0"
	[ "$got" = "$want" ] || { echo "job $job, $way, events: $events: $got, not $want"; cat out; return 1; }
}
rounds 60 steps "every task of recorded steps is recorded with its events, no other, in one job"

cat >"$work/sum.py" <<'END'
import statistics, sys
# Of pairs, in the order of the steps.
times = {}
for line in open(sys.argv[1]):
    way, events, kind, ns = line.split()
    times.setdefault((way, events), {}).setdefault(kind, []).append(int(ns) / 1e6)
for (way, events), t in sorted(times.items()):
    more = [r - b for r, b in zip(t["recorded"], t["bare"])]
    twenty = [sum(more[i:i + 20]) for i in range(0, len(more) - 19, 20)]
    worst = ", 20 steps %.0f ms by median" % statistics.median(twenty) if twenty else ""
    print("a step by %s, events: %s\t%.1f ms longer by median of %d pairs (bare: %.1f ms)%s" %
          (way, events, statistics.median(more), len(more), statistics.median(t["bare"]), worst))
END
python3 "$work/sum.py" "$times" >sums
while IFS="$(printf '\t')" read -r key value; do finding "$key" "$value"; done <sums
done_testing
