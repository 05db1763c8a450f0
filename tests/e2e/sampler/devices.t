#!/bin/sh
# perfmon sample with devices of several kinds: one that hangs delays none of the others.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

series=$(uname -n).series
root=$work/root
NVML_FAKE=$work/script
export NVML_FAKE

put()
{
	mkdir -p "$root/${1%/*}" && printf '%s\n' "$2" >"$root/$1"
}
put proc/stat "cpu  1 2 3 4 5 6 7 8 9 10
cpu0 1 2 3 4 5 6 7 8 9 10
intr 1"
put sys/class/powercap/intel-rapl:0/name package-0
put sys/class/powercap/intel-rapl:0/energy_uj 100
put sys/class/powercap/intel-rapl:0/max_energy_range_uj 262143328850
put sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data 1000
put sys/class/infiniband/mlx5_0/ports/1/link_layer InfiniBand
put sys/class/infiniband/mlx5_0/ports/1/state "4: ACTIVE"
echo 'gpus 8' >"$NVML_FAKE"

mkdir s
PERFMON_NVML_LIBRARY=$abs_top_builddir/tests/progs/nvml_fake.so "$PERFMON" sample -i 250ms -d s --root "$root" \
	--sources cpu,rapl,infiniband,nvidia >log 2>&1 &
sampler=$!
# values SOURCE METRIC OBJECT; late ...: number of those that are late.
values()
{
	series_values "s/$series" "$@"
}
late()
{
	values "$@" | grep -c '^.N:late'
}
wait_for eval '[ "$(values nvidia power GPU-0 | grep -c "^[0-9]")" -ge 2 ]'
printf 'gpus 8\n0 power hang\n' >script.next && mv script.next script
wait_for eval '[ "$(late nvidia power GPU-1)" -ge 1 ]'
ok $? "a GPU hangs"
# Those that shared its worker have another one after the first time, which is this one.
before=$(values rapl package_energy package-0 | wc -l)
wait_for eval '[ "$(values rapl package_energy package-0 | wc -l)" -ge $((before + 4)) ]'
is "$(values rapl package_energy package-0 | tail -n +$((before + 1)) | grep -c '^.N') $(values infiniband rx_bytes mlx5_0/1 | tail -n 4 | grep -c '^.N')" "0 0" \
	"energy and InfiniBand are read in time meanwhile"
is "$(values cpu user | grep -c '^.N')" 0 "and so is what is read at every tick"
if need ps; then
	for pid in $(ps -o pid=,comm= --ppid $sampler | awk '$2 == "perfmon:slow" { print $1 }'); do
		kill -STOP "$pid"
	done
	# The one that is being read is late; others get a worker anew.
	wait_for eval '[ $(($(late rapl package_energy package-0) + $(late infiniband rx_bytes mlx5_0/1))) -ge 1 ]'
	ok $? "noticed: a worker that stands still"
	for pid in $(ps -o pid=,comm= --ppid $sampler | awk '$2 == "perfmon:slow" { print $1 }'); do
		kill -CONT "$pid"
	done
else
	skip "noticed: a worker that stands still" "no $missing"
fi
kill $sampler
wait $sampler
is $? 0 "the sampler ends while the GPU hangs"
done_testing
