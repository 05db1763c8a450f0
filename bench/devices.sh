#!/bin/sh
# What devices cost the sampler: four packages and memories of RAPL, four ports of InfiniBand with all counters, eight GPUs
# of NVIDIA's, on trees and a library that stand for them (the driver's own work is not in the figures). Shown are
# CPU time per second at one tick a second, by process, with the devices and without; the system calls of a tick, by
# process and call; and the calls of the library by function. Of a recorded tree a file is opened for each reading, which on a
# machine stays open; the library that stands for the driver reads its script and notes its calls (newfstatat, write).
#   bench/devices.sh BUILD-DIRECTORY [SECONDS]
# Needs strace and ps.
build=$(cd "${1:?usage: bench/devices.sh BUILD-DIRECTORY [SECONDS]}" && pwd) || exit 1
seconds=${2:-30}
# shellcheck source=bench/load.sh
. "$(dirname "$0")/load.sh"
root=$work/root
PERFMON_ROOT=$root PERFMON_NVML_LIBRARY=$build/tests/progs/nvml_fake.so NVML_FAKE=$work/script
export PERFMON_ROOT PERFMON_NVML_LIBRARY NVML_FAKE
devices=rapl,infiniband,infiniband_errors,nvidia,nvidia_counters,nvidia_pcie

put()
{
	mkdir -p "$root/${1%/*}" && printf '%s\n' "$2" >"$root/$1"
}
put proc/stat "cpu  1 2 3 4 5 6 7 8 9 10
cpu0 1 2 3 4 5 6 7 8 9 10
intr 1"
for n in 0 1 2 3; do
	zone=sys/class/powercap/intel-rapl:$n
	put $zone/name package-$n && put $zone/energy_uj 100 && put $zone/max_energy_range_uj 262143328850
	put $zone/constraint_0_max_power_uw 200000000 && put $zone/constraint_0_power_limit_uw 200000000
	put $zone:0/name dram && put $zone:0/energy_uj 50 && put $zone:0/max_energy_range_uj 65712999613
	port=sys/class/infiniband/mlx5_$n/ports/1
	put "$port/link_layer" InfiniBand && put "$port/state" "4: ACTIVE" && put "$port/rate" "200 Gb/sec (4X HDR)"
	for counter in port_rcv_data port_xmit_data port_rcv_packets port_xmit_packets port_xmit_wait unicast_rcv_packets \
		unicast_xmit_packets multicast_rcv_packets multicast_xmit_packets symbol_error link_error_recovery link_downed \
		port_rcv_errors port_rcv_remote_physical_errors port_rcv_switch_relay_errors port_xmit_discards \
		port_xmit_constraint_errors port_rcv_constraint_errors local_link_integrity_errors \
		excessive_buffer_overrun_errors VL15_dropped; do
		put "$port/counters/$counter" 12345
	done
	for counter in duplicate_request implied_nak_seq_err lifespan local_ack_timeout_err np_cnp_sent np_ecn_marked_roce_packets \
		out_of_buffer out_of_sequence packet_seq_err req_cqe_error rp_cnp_handled rp_cnp_ignored rx_icrc_encapsulated \
		rx_read_requests rx_write_requests rnr_nak_retry_err roce_adp_retrans; do
		put "$port/hw_counters/$counter" 7
	done
done
printf 'gpus 8\n0 process 77 4096\n' >"$NVML_FAKE"

# processes: the sampler and its workers, as pid, name and CPU time in ns.
processes()
{
	for pid in $sampler $(ps -o pid= --ppid "$sampler"); do
		echo "$pid $(cat "/proc/$pid/comm") $(cut -d ' ' -f 1 "/proc/$pid/schedstat")"
	done | sort
}

# sample SOURCES: CPU time per second by process, from the fifth second on.
sample()
{
	mkdir "$work/s"
	"$build/perfmon" sample -i 1s -d "$work/s" --sources "$1" >"$work/log" 2>&1 &
	sampler=$!
	sleep 5
	processes >"$work/before"
	sleep "$seconds"
	processes >"$work/after"
	kill $sampler
	wait $sampler
	rm -r "$work/s"
	join "$work/before" "$work/after" | awk -v s="$seconds" '{ us = ($5 - $3) / 1000 / s; sum += us; printf "  %-44s %8.0f us\n", $2, us }
		END { printf "  %-44s %8.0f us\n", "all", sum }'
}
echo "CPU time per second, without devices"
sample cpu
echo "CPU time per second, with devices"
sample cpu,$devices | tee "$work/cost"
awk '/ all / { printf "  %-44s %8.2f ms  <= 1  %s\n", "in all", $2 / 1000, $2 <= 1000 ? "holds" : "missed" }' "$work/cost"

# What is done in a second, of ten.
mkdir "$work/t"
NVML_FAKE_CALLS=$work/calls strace -f -qq -e signal=none -o "$work/trace" "$build/perfmon" sample -i 1s -d "$work/t" \
	--sources cpu,$devices >"$work/log" 2>&1 &
tracer=$!
sleep 6
sampler=$(ps -o pid= --ppid $tracer | head -n 1 | tr -d ' ')
for pid in $(ps -o pid= --ppid "$sampler"); do
	echo "$pid $(cat "/proc/$pid/comm")"
done >"$work/names"
first=$(wc -l <"$work/trace") made=$(wc -l <"$work/calls")
sleep 10
last=$(wc -l <"$work/trace") asked=$(wc -l <"$work/calls")
kill "$sampler"
wait $tracer
echo "system calls per second, with devices"
sed -n "$first,${last}p" "$work/trace" | grep -v 'resumed>' | awk -v names="$work/names" '
	BEGIN { while ((getline line <names) > 0) { split(line, w, " "); name[w[1]] = w[2] } }
	{ call = $2; sub(/\(.*/, "", call); if (call ~ /^[a-z]/) n[(($1 in name) ? name[$1] : "perfmon") " " call]++ }
	END { for (k in n) printf "  %-44s %8.1f\n", k, n[k] / 10 }' | sort
echo "library calls per second"
sed -n "$((made + 1)),${asked}p" "$work/calls" | awk '{ n[$1]++ } END { for (k in n) printf "  %-44s %8.1f\n", k, n[k] / 10 }' | sort
