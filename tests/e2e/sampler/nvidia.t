#!/bin/sh
# perfmon sample and sources with GPUs of NVIDIA's, by a library that stands for the driver's: none, eight, one
# whose driver hangs. tests/unit/sampler/nvidia.c has the values; tests/gpu/real.sh compares on a real machine.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

series=$(uname -n).series
library=$abs_top_builddir/tests/progs/nvml_fake.so
NVML_FAKE=$work/script
export NVML_FAKE

# script LINE...: what the library answers from now on.
script()
{
	printf '%s\n' "$@" >script.next
	mv script.next script
}

known()
{
	series_known "$@" | wc -l
}

# shellcheck disable=SC2317 # by wait_for
at_least()
{
	want=$1
	shift
	[ "$("$@")" -ge "$want" ]
}

# --- eight GPUs -------------------------------------------------------------------------------

script 'gpus 8' '* power 250000' '3 power 250001' '5 handle error 15' '0 process 77 4096'
mkdir eight
PERFMON_NVML_LIBRARY=$library "$PERFMON" sample -i 100ms -d eight --sources cpu,nvidia,nvidia_counters,nvidia_pcie,sampler >log 2>&1 &
sampler=$!
wait_for at_least 2 known "eight/$series" nvidia power GPU-7
kill $sampler
wait $sampler
is "$? $(series_check "eight/$series")" "0 " "eight GPUs can be sampled"
# values: power of each GPU in the file, as the script has it.
values()
{
	for gpu in 0 1 2 3 4 6 7; do
		[ "$(series_known "eight/$series" nvidia power GPU-$gpu | sort -u)" = "$1" ] || echo GPU-$gpu
	done
}
is "$(values 250000000)" GPU-3 "power is in uW, and that of each GPU its own"
is "$(values 250001000 | tr '\n' ' ')" "GPU-0 GPU-1 GPU-2 GPU-4 GPU-6 GPU-7 " "noticed: another value"
is "$(series_last "eight/$series" nvidia gpus) $(series_last "eight/$series" nvidia gpus_lost)" "7 1" \
	"a GPU that is lost leaves the others"
is "$(series_known "eight/$series" nvidia_counters energy GPU-7 | sort -u)" 123456789000 "energy is in uJ"
# On a machine that is slow one of them may be late, or a third come in between.
ok $(($(series_values "eight/$series" nvidia_counters energy GPU-7 | wc -l) < 2)) "energy is asked for as the sampler begins and ends"
is "$(series_last "eight/$series" nvidia process_memory GPU-0/77)" 4096 "a process on a GPU has its memory there"
is "$(grep -c GPU-5 "eight/$series")" 0 "a GPU that never answered has no series"

# --- the driver hangs -------------------------------------------------------------------------

mkdir hang
script 'gpus 2'
PERFMON_NVML_LIBRARY=$library "$PERFMON" sample -i 50ms -d hang --sources cpu,memory,nvidia >log 2>&1 &
sampler=$!
wait_for at_least 2 known "hang/$series" nvidia power GPU-0
script 'gpus 2' '0 power hang'
# shellcheck disable=SC2317 # by wait_for
late()
{
	series_values "hang/$series" nvidia power GPU-1 | grep -c '^.N:late'
}
wait_for at_least 1 late
ok $? "a driver that hangs is late"
before=$(known "hang/$series" cpu user)
wait_for at_least $((before + 30)) known "hang/$series" cpu user
# Whether what is read at every tick is complete.
all_known()
{
	[ "$(series_values "hang/$series" cpu user | grep -c '^.N')" = 0 ] &&
		[ "$(series_values "hang/$series" memory total | grep -c '^.N')" = 0 ]
}
all_known
ok $? "and keeps no other series from its ticks"
if need ps; then
	node=$(ps -o pid=,comm= --ppid $sampler | awk '$2 == "perfmon:node" { print $1 }')
	kill -STOP "$node"
	wait_for eval '! all_known'
	ok $? "noticed: another source that waits"
	kill -CONT "$node"
else
	skip "noticed: another source that waits" "no $missing"
fi
kill $sampler
wait $sampler
is $? 0 "the sampler ends while the driver hangs"

# --- none -------------------------------------------------------------------------------------

if need strace ps && strace -qq true 2>/dev/null; then
	without=$(series_calls without cpu,memory) none=$(series_calls none cpu,memory,amdgpu,intelgpu,nvidia,nvidia_counters,nvidia_pcie) more=$(series_calls more cpu,memory,load)
	# One more in each of these ticks would be 20.
	ok $((none >= without + 15)) "without a driver a tick makes not one system call more"
	ok $((more < without + 15)) "noticed: a source that reads one more file"
	diag "system calls in 20 ticks: $without without sources of GPUs, $none with them, $more with one more file"
else
	skip "without a driver a tick makes not one system call more" "no $missing, or none may be traced"
	skip "noticed: a source that reads one more file" "no $missing, or none may be traced"
fi
"$PERFMON" sources nvidia >out
ok $? "perfmon sources tells of GPUs"

# --- perfmon sources --------------------------------------------------------------------------

script 'gpus 2' '0 name NVIDIA H100 80GB HBM3' '0 memory2 85520809984 1 1' '0 encoder error 3' '1 utilization error 16'
"$PERFMON" sources --nvml-library "$library" nvidia >out
is "$(grep -A 4 '^  available' out | sed 1,2d)" "  GPU-0: NVIDIA H100 80GB HBM3, 0000:a0:00.0, 81559 MiB, power limit 700 W, driver 999.10
    unsupported: encoder
  GPU-1: Stand-in 1, 0000:a1:00.0: the GPU needs a reset; nvidia-smi --gpu-reset, or restart the node" \
	"sources names each GPU, what it does not have, and what to do"
"$PERFMON" sources --json --nvml-library "$library" nvidia >out.json
if need python3; then
	is "$(python3 -c 'import json; print("\n".join(json.load(open("out.json"))[0]["devices"]))')" \
		"$(grep -A 4 '^  available' out | sed '1,2d; s/^  //')" "and so does --json"
else
	skip "and so does --json" "no $missing"
fi
script '* init error 18'
"$PERFMON" sources --nvml-library "$library" nvidia >out
is "$(sed -n 2p out)" "  not available (unsupported): nvmlInit: driver and library are of different versions; after an update of the driver, restart the node (18)" \
	"where the driver cannot be used, sources says what to do"

done_testing
