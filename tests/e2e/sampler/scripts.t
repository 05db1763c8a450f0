#!/bin/sh
# Job scripts of users of the sampler of the SKA's Science Data Processor, as they are written there: of
# two for a matrix product, one for dask and one for PBS each runs, ends, and leaves the job's series.
# Only their folders are replaced; what they call besides perfmon stands for srun, mpirun and others.
# shellcheck disable=SC2016,SC2154 # the scripts' own shells expand; set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"
# shellcheck source=tests/e2e/database.sh
. "$abs_top_srcdir/tests/e2e/database.sh"

host=$(uname -n)
job=$$
mkdir bin
ln -s "$PERFMON" bin/perfmon
PATH=$work/bin:$PATH
PERFMON_DB=$work/db
# So that they are quick; the scripts say nothing of it, or -i 5, which counts then.
PERFMON_SAMPLE=100ms
export PATH PERFMON_DB PERFMON_SAMPLE

# stub NAME: a program for PATH from standard input.
stub()
{
	cat >"bin/$1"
	chmod +x "bin/$1"
}
# Launchers run the command once: this is the only node.
stub srun <<'END'
#!/bin/sh
while :; do
	case $1 in
	-n | --ntasks-per-node) shift 2 ;;
	*) break ;;
	esac
done
exec "$@"
END
stub mpirun <<'END'
#!/bin/sh
while :; do
	case $1 in
	-np | --map-by) shift 2 ;;
	-x) export "$2" && shift 2 ;;
	*) break ;;
	esac
done
"$@"
END
stub ssh <<'END'
#!/bin/sh
shift
exec "$@"
END
stub scontrol <<'END'
#!/bin/sh
echo localhost
END
stub python3 <<'END'
#!/bin/sh
exec sh "$@"
END
stub which <<'END'
#!/bin/sh
command -v "$1"
END
for name in dask-scheduler dask-worker; do
	stub $name <<-'END'
		#!/bin/sh
		exec sleep 600
	END
done
# The product of two matrices takes until it was sampled.
stub matmul <<'END'
#!/bin/sh
tries=600
until grep -q '^tick' perfmon-*/*.series 2>/dev/null || [ $((tries = tries - 1)) -eq 0 ]; do
	sleep 0.1
done
sleep 0.5
END

# in_job NAME SCRIPT ASSIGNMENT...: run it in a folder of its own in a job's environment.
in_job()
{
	mkdir -p "$1/src" && cp bin/matmul "$1/matmul" && cp bin/matmul "$1/src/cluster_dask_test.py" || return 1
	name=$1 script=$2
	shift 2
	(cd "$name" && env "$@" timeout 120 bash "$script" >out 2>err)
	is $? 0 "$name: the script ends"
	pids=$(ps -e -o pid=,args= | awk -v dir="$work/$name" '/sleep 600/ { print $1 }')
	for pid in $pids; do
		! tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -q "^PERFMON_DB=$work/db$" || kill "$pid"
	done
}

# Of the series of a job: they are as documented, and the job's processes are in them.
sampled()
{
	file=$(ls -d "$1"/perfmon-*/"$host.series")
	is "$(series_check "$file")" "" "$1: its series are as documented"
	test "$(series_known "$file" process processes | sort -n | tail -n 1)" -ge 1
	ok $? "$1: processes of the job are sampled"
	"$PERFMON" submit "${file%/*}" >>submitted 2>&1 || cat submitted
}

if ! need bash timeout ps; then
	skip "scripts" "no $missing"
	done_testing
fi

sed "s|/path/to/matmul/executable|$work/matmul|" >matmul.sh <<'END'
#!/bin/bash

#SBATCH --time=00:30:00
#SBATCH -J sdp-metrics-test
#SBATCH --nodes=2
#SBATCH --ntasks=2
#SBATCH --no-requeue
#SBATCH --exclusive
#SBATCH --output="slurm-%J.out"

WORK_DIR=/path/to/matmul/executable

# Make sure we have the right working directory
cd $WORK_DIR

echo -e "JobID: $SLURM_JOB_ID\n======"
echo "Time: `date`"
echo "Running on master node: `hostname`"
echo "Current directory: `pwd`"

srun -n $SLURM_JOB_NUM_NODES --ntasks-per-node 1 perfmon &
# mpirun --map-by node -np $SLURM_JOB_NUM_NODES perfmon &
mpirun -np ${SLURM_JOB_NUM_NODES} ./matmul 2000

wait
END
in_job matmul ../matmul.sh "SLURM_JOB_ID=${job}1" SLURM_JOB_NUM_NODES=1
sampled matmul
is "$(cat "matmul/.ipc-${job}1")" INPROGRESS "matmul: the sampler announced itself"

sed "s|/path/to/matmul/executable|$work/finished|" >finished.sh <<'END'
#!/bin/bash

#SBATCH --time=00:30:00
#SBATCH -J sdp-metrics-test
#SBATCH --nodes=2
#SBATCH --ntasks=2
#SBATCH --no-requeue
#SBATCH --exclusive
#SBATCH --output="slurm-%J.out"

WORK_DIR=/path/to/matmul/executable
MON_DIR=/path/to/ska-sdp-montor-cpu-metrics

# Make sure we have the right working directory
cd $WORK_DIR

echo -e "JobID: $SLURM_JOB_ID\n======"
echo "Time: `date`"
echo "Running on master node: `hostname`"
echo "Current directory: `pwd`"

srun -n $SLURM_JOB_NUM_NODES --ntasks-per-node 1 perfmon &
export MON_PID=$!
# mpirun --map-by node -np $SLURM_JOB_NUM_NODES perfmon &
mpirun -np ${SLURM_JOB_NUM_NODES} ./matmul 2000
echo "FINISHED" > .ipc-$SLURM_JOB_ID

wait $MON_PID
END
in_job finished ../finished.sh "SLURM_JOB_ID=${job}2" SLURM_JOB_NUM_NODES=1
sampled finished

cat >dask.sh <<'END'
#!/bin/bash

#SBATCH --time=00:30:00
#SBATCH -J sdp-metrics-test
#SBATCH --nodes=2
#SBATCH --ntasks=2
#SBATCH --mail-type=FAIL
#SBATCH --no-requeue
#SBATCH --exclusive
#SBATCH --output="slurm-%J.out"

MON_DIR=/path/to/ska-sdp-montor-cpu-metrics

SCHEFILE=$PWD/${SLURM_JOB_ID}.dasksche.json
WORKSPACE=$PWD/dask-worker-space

rm -rf $SCHEFILE
rm -rf $WORKSPACE

export DASK_SCHEDULER_FILE="$SCHEFILE"

#! Set up python
echo -e "Running python: `which python`"
echo -e "Running dask-scheduler: `which dask-scheduler`"

cd $SLURM_SUBMIT_DIR
echo -e "Changed directory to `pwd`.\n"

JOBID=${SLURM_JOB_ID}
echo ${SLURM_JOB_NODELIST}

scheduler=$(scontrol show hostnames $SLURM_JOB_NODELIST | uniq | head -n1)

echo "run dask-scheduler"
ssh ${scheduler} python3 `which dask-scheduler` --port=8786 --scheduler-file=$SCHEFILE  &

sleep 5

echo "Monitoring script"
srun -n $SLURM_JOB_NUM_NODES --ntasks-per-node 1 perfmon &
export MON_PID=$!

echo "run dask-worker"
srun -n ${SLURM_JOB_NUM_NODES} python3 `which dask-worker` --nanny --nprocs 4 --interface ib0 --nthreads 1\
--memory-limit 200GB --scheduler-file=$SCHEFILE ${scheduler}:8786 &

echo "Scheduler and workers now running"

#! We need to tell dask Client (inside python) where the scheduler is running
echo "Scheduler is running at ${scheduler}"

CMD="python3 src/cluster_dask_test.py ${scheduler}:8786 | tee cluster_dask_test.log"

eval $CMD
echo "FINISHED" > .ipc-$SLURM_JOB_ID

wait $MON_PID
END
# Its workers are never told to end.
in_job dask ../dask.sh "SLURM_JOB_ID=${job}3" SLURM_JOB_NUM_NODES=1 SLURM_JOB_NODELIST=localhost \
	SLURM_SUBMIT_DIR="$work/dask"
sampled dask

sed "s|/home/pbsuser|$work/pbs|" >pbs.sh <<'END'
#!/bin/bash

#PBS -N metrics-test
#PBS -V
#PBS -j oe
#PBS -k eod
#PBS -q workq
#PBS -l walltime=01:00:00
#PBS -l select=2:ncpus=6:mpiprocs=12

cd /home/pbsuser

# We need to copy the nodefile to CWD as it is not available from all compute nodes in the reservation
cp $PBS_NODEFILE nodefile

# Later we export a 'new' env variable PBS_NODEFILE_LOCAL using mpirun to the location of copied local nodefile
mpirun --map-by node -np 2 -x PBS_NODEFILE_LOCAL=$PWD/nodefile perfmon -i 5 -v -r -e &
sleep 2
mpirun --map-by node -np 2 ./matmul 1500

wait
END
printf 'one\none\ntwo\ntwo\n' >nodes
in_job pbs ../pbs.sh "PBS_JOBID=${job}4.server" "PBS_NODEFILE=$work/nodes"
sampled pbs
is "$(sed -n '1s/,.*//p' pbs/perfmon-*/report-*.txt)" "Job ${job}4.server" "pbs: -r wrote the report"
is "$(head -n 1 pbs/perfmon-*/"$host.series" | cut -f 4)" 5000000 "pbs: -i 5 is five seconds"

# Other nodes see the copy of the node file alone.
mkdir copy
(cd copy && env "PBS_JOBID=${job}5.server" "PBS_NODEFILE_LOCAL=$work/nodes" timeout 120 sh -c '
	perfmon -i 100ms -d . -p metrics &
	until grep -q "^tick" metrics/*.series 2>/dev/null; do sleep 0.1; done
	sleep 0.5 # is seen; a job of which nothing is seen is over after a minute
	wait' >out 2>err)
is "$?" 0 "PBS_NODEFILE_LOCAL: the script ends"
if need sqlite3; then
	is "$(query "SELECT scheduler, count(*) FROM job GROUP BY scheduler ORDER BY scheduler")" "pbs|1
slurm|3" "all load as jobs of their batch systems"
	"$PERFMON" submit copy/metrics >>submitted 2>&1
	is "$(query "SELECT nodes, tasks FROM job WHERE scheduler = 'pbs'")" "2|4
2|4" "PBS_NODEFILE and PBS_NODEFILE_LOCAL tell nodes and tasks"
else
	skip "all load as jobs of their batch systems" "no sqlite3"
	skip "PBS_NODEFILE and PBS_NODEFILE_LOCAL tell nodes and tasks" "no sqlite3"
fi

done_testing
