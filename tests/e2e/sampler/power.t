#!/bin/sh
# perfmon sample, sources and check with energy and temperature, on recorded trees: values, permission and its
# remedies, machines that have none. tests/unit/sampler/rapl.c and its neighbours have the values.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

series=$(uname -n).series
root=$work/root
class=sys/class/powercap

# put FILE TEXT: a file of the recorded tree.
put()
{
	mkdir -p "$root/${1%/*}" && printf '%s\n' "$2" >"$root/$1"
}

# --- rapl -------------------------------------------------------------------------------------

for package in 0 1; do
	put $class/intel-rapl:$package/name package-$package
	put $class/intel-rapl:$package/energy_uj 26214300000$package
	put $class/intel-rapl:$package/max_energy_range_uj 262143328850
	put $class/intel-rapl:$package:0/name dram
	put $class/intel-rapl:$package:0/energy_uj 500$package
	put $class/intel-rapl:$package:0/max_energy_range_uj 65712999613
done
mkdir rapl
"$PERFMON" sample -i 100ms -d rapl --root "$root" --sources rapl,sampler >log 2>&1 &
sampler=$!
first()
{
	series_known "rapl/$series" rapl package_energy package-0
}
wait_for eval '[ -n "$(first)" ]'
put $class/intel-rapl:0/energy_uj 1000000
wait_for eval '[ "$(first | tail -n 1)" = 262144328850 ]'
ok $? "a counter that goes around goes on in the series"
kill $sampler
wait $sampler
is "$? $(series_check "rapl/$series")" "0 " "energy can be sampled"
is "$(series_last "rapl/$series" rapl dram_energy package-1/dram) $(series_last "rapl/$series" rapl dram_energy)" \
	"5001 10001" "a zone has its name, and the whole its sum"

# --- events in place of the files ---------------------------------------------------------------

# A PMU power whose type is that of a clock which the kernel has everywhere: a count of 1 J/s, by the kernel's events.
pmu=pmu/sys/bus/event_source/devices/power
mkdir -p $pmu/events pmu/sys/devices/system/cpu/cpu0/topology pmu/proc
echo 1 >$pmu/type
echo 0 >$pmu/cpumask
echo 'event=0x00' >$pmu/events/energy-pkg
echo Joules >$pmu/events/energy-pkg.unit
echo 1e-9 >$pmu/events/energy-pkg.scale
echo 0 >pmu/sys/devices/system/cpu/cpu0/topology/physical_package_id
if "$PERFMON" sources --root pmu rapl | grep -q '^  available'; then
	mkdir events
	"$PERFMON" sample -i 1s -d events --root pmu --sources rapl >log 2>&1 &
	sampler=$!
	wait_for eval '[ "$(series_known "events/$series" rapl package_energy package-0 2>/dev/null | wc -l)" -ge 3 ]'
	kill $sampler
	wait $sampler
	awk -F '\t' '
	$1 == "series" && $5 == "package-0" { one = $2 }
	$1 == "series" && $5 == "" && $4 == "package_energy" { all = $2 }
	$1 == "tick" {
		n = split($4, pair, " ")
		for (i = 1; i <= n; i++) { split(pair[i], v, "="); value[v[1]] = v[2] }
		if (value[one] ~ /^\\N/) next
		if (value[one] != value[all]) wrong++
		if (first) { energy = value[one] - last; time = $3 - first_us; ratio = energy / time }
		else { first = 1; last = value[one]; first_us = $3 }
	}
	END { print wrong + 0, (ratio > 0.8 && ratio < 1.2) }' "events/$series" >out
	is "$(cat out)" "0 1" "without the files the PMU power tells the energy"
	"$PERFMON" sources --root pmu rapl | grep -c 'package-0: by perf_event_open' >out
	is "$(cat out)" 1 "and sources says so"
else
	skip "the PMU power" "no events on this machine"
fi

# --- permission -------------------------------------------------------------------------------

chmod 755 "$work" && chmod -R a+rX "$root" && chmod 400 "$root"/$class/*/energy_uj
# plain COMMAND...: as a user who may not read them.
plain()
{
	if [ "$(id -u)" -eq 0 ]; then
		HOME=/nonexistent setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 "$root"/$class/*/energy_uj
fi
if [ "$(id -u)" -ne 0 ] || need setpriv; then
	cp "$PERFMON" "$work/perfmon" && chmod 755 "$work/perfmon"
	plain "$work/perfmon" sources --root "$root" rapl >out
	remedy="chmod a+r $root/$class/*/energy_uj"
	is "$(sed -n 2p out | grep -c "not available (permission).*energy_uj: Permission denied; .*$(echo "$remedy" | sed 's/[*]/[*]/')")" 1 \
		"who may not read energy is told, and what to do"
	plain "$work/perfmon" check --root "$root" kernel.energy >out
	is "$(grep -c '^warn  kernel.energy .*Permission denied' out) $(grep -c -F "$remedy" out)" "1 1" \
		"perfmon check says so, too"
	sh -c "$(sed -n 's/.*\(chmod a+r [^ ]*\).*/\1/p' out | head -n 1)"
	plain "$work/perfmon" check --root "$root" kernel.energy >out
	is "$(grep -c '^pass  kernel.energy .*can read the energy' out)" 1 "its remedy is one"
	plain "$work/perfmon" sources --root "$root" rapl >out
	is "$(sed -n 2p out)" "  available" "after which the source can be read"
	# The other checks of devices: nothing there, readable, and not.
	plain "$work/perfmon" check --root "$root" devices.power devices.drm >out
	is "$(grep -c '^pass  devices.power .*nothing here tells' out) $(grep -c '^pass  devices.drm .*nothing here tells' out)" "2 2" \
		"perfmon check says where nothing tells power, or of GPUs"
	put sys/class/hwmon/hwmon0/name power_meter
	put sys/class/hwmon/hwmon0/power1_average 120000000
	put sys/class/drm/card0/device/uevent 'DRIVER=amdgpu
PCI_SLOT_NAME=0000:03:00.0'
	put sys/class/drm/card0/device/gpu_busy_percent 5
	plain "$work/perfmon" check --root "$root" devices.power devices.drm >out
	is "$(grep -c '^pass  devices.power .*can read sensors' out) $(grep -c "^pass  devices.drm .*can read values of AMD's" out)" "1 1" \
		"and where they are"
	chmod 0 "$root/sys/class/hwmon/hwmon0/power1_average" "$root/sys/class/drm/card0/device/gpu_busy_percent"
	plain "$work/perfmon" check --root "$root" devices.power devices.drm >out
	is "$(grep -c '^warn  devices.power' out) $(grep -c '^warn  devices.drm' out)" "1 1" "and that this user may not read them"
else
	for name in "who may not read energy is told, and what to do" "perfmon check says so, too" "its remedy is one" \
		"perfmon check says where nothing tells power, or of GPUs" "and where they are" "and that this user may not read them" \
		"after which the source can be read"; do
		skip "$name" "no $missing"
	done
fi
# The rule of the manual page: keys, each compared or assigned to a text.
rule=$(sed -n '/^SUBSYSTEM=="powercap"/,/[^e]$/p' "$abs_top_srcdir/man/perfmon-series.5" | sed 's/\\e$//' | tr -d '\n' | tr -s ' ')
parses()
{
	echo "$1" | grep -q -E '^[A-Z]+(\{[A-Za-z_]+\})?(==|!=|=|[+]=|:=)"[^"]*"(, [A-Z]+(\{[A-Za-z_]+\})?(==|!=|=|[+]=|:=)"[^"]*")*$'
}
parses "$rule"
ok $? "the rule for udev is one"
parses "$(echo "$rule" | sed 's/add"/add/')"
is $? 1 "noticed: one that is not closed"

# --- none -------------------------------------------------------------------------------------

if need strace ps && strace -qq true 2>/dev/null; then
	rm -rf "$root"
	put proc/stat "cpu  1 2 3 4 5 6 7 8 9 10
cpu0 1 2 3 4 5 6 7 8 9 10
intr 1"
	put proc/loadavg "0.00 0.01 0.05 1/2 3"
	PERFMON_ROOT=$root
	export PERFMON_ROOT
	without=$(series_calls without cpu) none=$(series_calls none cpu,rapl,pm_counters,hwmon,thermal) more=$(series_calls more cpu,load)
	unset PERFMON_ROOT
	# One more in each of these ticks would be 20.
	ok $((none >= without + 15)) "without such devices a tick makes not one system call more"
	ok $((more < without + 15)) "noticed: a source that reads one more file"
	diag "system calls in 20 ticks: $without without these sources, $none with them, $more with one more file"
else
	skip "without such devices a tick makes not one system call more" "no $missing, or none may be traced"
	skip "noticed: a source that reads one more file" "no $missing, or none may be traced"
fi

done_testing
