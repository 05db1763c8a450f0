#!/bin/sh
# What export writes equals the database, value by value, in every format, kind and layout, read by other programs: of a
# recorded job of hostile texts, of a made-up one of 180 000 processes, and of one of 64 nodes with samples each second, made
# from recorded ones; of another database, too, where one is named. Settings: PM_READBACK_PROCESSES (180 000; in a part of the
# proof 1500), PM_READBACK_NODES (64; 2) and PM_READBACK_SECONDS (60; 10); PM_READBACK_DB, a database whose jobs are read back as well.
# shellcheck disable=SC2154 # set by lib.sh and hostile.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/prove/lib.sh
. "$abs_top_srcdir/tests/prove/lib.sh"

if ! need python3 sqlite3 zstd; then
	skip "exports are read back" "no $missing"
	done_testing
fi
# size WHOLE PART: the size of this run.
size() { if [ "$PM_PROVE_PART" -eq 1 ]; then echo "$1"; else echo "$2"; fi; }
processes=${PM_READBACK_PROCESSES:-$(size 180000 1500)}
nodes=${PM_READBACK_NODES:-$(size 64 2)}
seconds=${PM_READBACK_SECONDS:-$(size 60 10)}
# Of each tick of the hostile job, which takes half a minute, there are hundreds of samples.
# shellcheck disable=SC2034 # used by hostile.sh
hostile_sample=$(size 100ms 2s)
export PERFMON
# shellcheck source=tests/e2e/hostile.sh
. "$abs_top_srcdir/tests/e2e/hostile.sh"

# read_back DATABASE JOBID [PART...]: compare what is exported of a job with the database; all parts where none is named.
read_back()
{
	read_database=$1 read_job=$2
	shift 2
	PERFMON_DB=$read_database python3 "$abs_top_srcdir/tests/prove/readback.py" "$read_database" "$read_job" "$@" >compared 2>&1
	read_status=$?
	cat compared
	while IFS='	' read -r what text; do
		[ -z "$text" ] || finding "$read_job, $what" "$text"
	done <compared
	return $read_status
}

# Its rows are read back in every run of tests/e2e/hostile.t: a part of the proof leaves them out.
# shellcheck disable=SC2046 # words
hostile() { read_back "$db" hostile $(size "" "whole layouts"); }

many()
{
	"$abs_top_builddir/tests/progs/generate" --jobid many job "$processes" && PERFMON_DB=$PWD/many.db "$PERFMON" -q submit job &&
		read_back "$PWD/many.db" many
}

# The load changes most series; what is recorded is repeated with noise of its own on each node.
nodes()
{
	"$PERFMON" -q -j recorded --sample 1s -a run sh -c 'for i in $(seq '"$(size 60 5)"'); do
		dd if=/dev/zero of=load bs=1M count=20 2>/dev/null; ls -lR /usr/lib >/dev/null 2>&1; sleep 0.5; done' &&
		"$abs_top_builddir/tests/progs/generate" --jobid nodes job $((20 * nodes)) "$nodes" &&
		"$abs_top_builddir/tests/progs/replay" "$PERFMON_OUTPUT_PREFIX"/*/recorded/*.series "$nodes" "${seconds}s" 9 job &&
		PERFMON_DB=$PWD/nodes.db "$PERFMON" -q submit job && read_back "$PWD/nodes.db" nodes
}

# A twin: of rows that are exported from another database, other values of a process and of a job are told in each format.
planted()
{
	"$abs_top_builddir/tests/progs/generate" --jobid twin job 10 && PERFMON_DB=$PWD/twin.db "$PERFMON" -q submit job &&
		cp twin.db other.db && sqlite3 other.db "UPDATE process SET cpu_time = cpu_time + 1 WHERE id = 2; UPDATE job SET name = 'other'" || return 1
	PERFMON_DB=$PWD/twin.db python3 "$abs_top_srcdir/tests/prove/readback.py" "$PWD/other.db" twin rows >told 2>&1 && return 1
	cat told
	formats=$(grep -c '	.* values: ' told)
	[ "$formats" -ge 6 ] && [ "$(grep -c '^processes: 1 differences$' told):$(grep -c '^jobs: 1 differences$' told)" = "$formats:$formats" ]
}

of_database()
{
	cp "$PM_READBACK_DB" named.db || return 1
	for jobid in $(sqlite3 named.db "SELECT jobid FROM job"); do
		read_back "$PWD/named.db" "$jobid" || return 1
	done
}

rounds 1 hostile "a job of hostile texts"
rounds 1 many "a job of $processes processes"
rounds 1 nodes "a job of $nodes nodes, $seconds seconds"
[ -z "${PM_READBACK_DB-}" ] || rounds 1 of_database "jobs of $PM_READBACK_DB"
rounds 1 planted "values that are others are told in each format"
done_testing
