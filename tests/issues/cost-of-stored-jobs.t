#!/bin/sh
# What a verb of one job costs does not grow with the jobs that wait in the same place: their directories are listed, and
# none is opened.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need strace; then
	skip "jobs that are stored cost the others nothing" "no $missing"
	done_testing
fi
export SLURM_CLUSTER_NAME=cost SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_TASK_PID=$$

# opens JOB VERB...: how many files the verb opens in that job of Slurm.
opens()
{
	id=$1
	shift
	# A program that is traced cannot look for leaks.
	SLURM_JOB_ID=$id ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 strace -f -qq -e trace=open,openat,openat2 -o opened "$PERFMON" -q "$@" >/dev/null || return
	wc -l <opened
}

# costs JOB: of a job's verbs, one after the other.
costs()
{
	echo "opened $(opens "$1" source --slurm)"
	echo "joined $(opens "$1" source --slurm)"
	echo "found $(opens "$1" annotate a=b)"
	echo "closed $(opens "$1" stop --slurm)"
	echo "started $(opens '' start -j "own-$1")"
	echo "stopped $(opens '' stop -j "own-$1")"
}
# The first job makes the place.
costs 0 >/dev/null
costs 1 >few
is "$(grep -c ' [1-9]' few)" 6 "each verb works"
prefix=$(dirname "$(find "$PERFMON_OUTPUT_PREFIX" -mindepth 2 -type d -name 1)")
seq 1000 1059 | while read -r i; do cp -r "$prefix/1" "$prefix/$i"; done
costs 2 >many
is "$(cat many)" "$(cat few)" "60 jobs more, and no file more is opened"
done_testing
