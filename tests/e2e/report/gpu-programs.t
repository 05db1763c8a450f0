#!/bin/sh
# Programs on GPUs in the report, and their part of the energy: exact totals where a driver has them, else samples, never
# both of one process; what adds up to the job's energy, in both engines.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

if ! need python3; then
	skip "programs on GPUs" "no $missing"
	done_testing
fi
made()
{
	python3 "$abs_top_srcdir/tests/e2e/report/gpu-programs.py" "$@"
}
made make job || exit 99
# check DATABASE NAME
check()
{
	PERFMON_DB=$1 "$PERFMON" -q submit job >out 2>err
	is "$?|$(cat err)" "0|" "$2: loaded"
	PERFMON_DB=$1 "$PERFMON" report '#1' --json --limit 100 >report.json 2>err
	is "$?|$(cat err)|$(made compare <report.json)" "0||" "$2: GPU time, memory and energy of programs, and what is left"
	is "$(made compare spoil eval <report.json | cut -d ' ' -f 1) $(made compare spoil left <report.json | cut -d ' ' -f 1)" "eval not" \
		"$2: noticed: two microjoules"
}
check "$work/a.db" SQLite
PERFMON_DB=$work/a.db "$PERFMON" report '#1' --width 100 >out
is "$(sed -n '/^Programs on GPUs/,/^$/p' out | tail -n +2 | awk 'NF { $1 = $1; print }')" \
	"Program Processes GPUs GPU time By Largest process Energy of GPUs
train 3 2 1 min 48 s samples 4.00 kB 39.8 kJ
sim 1 unknown 30.0 s exact totals 2.10 MB 21.0 kJ
post 1 unknown 10.0 s exact totals 102 kB 7.00 kJ
eval 1 1 7.50 s samples 700 B 3.91 kJ" "the table of the report"
is "$(sed -n '/^  GPU time/,/^  Read/p' out | sed '$d' | tr -s ' ')" " GPU time 40.0 s of engines; at the end of a process at most 2.10 MB
 1 min 55 s by samples of processes on GPUs" "its summary"
is "$(tr -s ' \n' ' ' <out | grep -c 'of programs, estimated: 42.0 kJ by CPU time, 71.7 kJ by GPU time; 17.3 kJ not attributed')" 1 "and its line of what is attributed"

# A process that runs, on a GPU of the library that stands for the driver's.
if [ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ]; then
	NVML_FAKE=$work/script
	export NVML_FAKE
	"$PERFMON" start -j real
	"$PERFMON" run -j real sh -c 'echo $$ >pid; for i in 1 2 3 4 5 6 7 8 9; do [ -e over ] || sleep 0.5; done' &
	process=$!
	wait_for test -s pid
	real=$(dirname "$(find "$PERFMON_OUTPUT_PREFIX" -name "job-*.json")") series=$real/$(uname -n).series
	printf 'gpus 1\n0 process %s 4096\n0 sample %s 50\n' "$(cat pid)" "$(cat pid)" >script
	"$PERFMON" sample -i 100ms -d "$real" --nvml-library "$abs_top_builddir/tests/progs/nvml_fake.so" --sources nvidia,nvidia_counters >log 2>&1 &
	sampler=$!
	wait_for grep -q '^series.*process_sm' "$series"
	wait_for eval '[ "$(grep -c ^tick "$series")" -ge 2 ]'
	: >over
	wait $process
	kill $sampler
	wait $sampler
	"$PERFMON" stop -j real
	PERFMON_DB=$work/real.db "$PERFMON" -q submit "$real"
	PERFMON_DB=$work/real.db "$PERFMON" report '#1' --json >report.json
	is "$(python3 -c 'import json
for g in json.load(open("report.json"))["gpu_programs"]:
    print(" -c " in g["program"], g["method"], g["processes"], g["gpus"], g["memory_peak_bytes"], 0 < g["gpu_time_us"] < 1e9)')" \
		"True sampled 1 1 4096 True" "a process that the sampler saw on a GPU is in the report"
else
	skip "a process that the sampler saw on a GPU is in the report" "not in the first pid namespace"
fi

if postgres_start; then
	postgres_sql postgres -c 'CREATE DATABASE gpus' || exit 99
	check "$(postgres_url gpus)" PostgreSQL
else
	skip "PostgreSQL" "$postgres_missing"
fi
done_testing
