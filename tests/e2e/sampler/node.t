#!/bin/sh
# The node's sources against independent readings of this machine: what is sampled lies between a
# reading before the sampler and one after it, or equals both.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

series=live/$(uname -n).series

# Counters: source, metric, object, value in the unit of the series.
readings()
{
	awk -v OFMT=%.0f -v tick="$(getconf CLK_TCK)" '
	/^cpu / { print "cpu user -", $2 * 1e6 / tick; print "cpu system -", $4 * 1e6 / tick
		print "cpu steal -", $9 * 1e6 / tick; print "cpu guest -", $10 * 1e6 / tick }
	/^cpu0 / { print "cpu user cpu0", $2 * 1e6 / tick }
	/^ctxt/ { print "cpu context_switches -", $2 }
	/^processes/ { print "cpu forks -", $2 }
	/^intr/ { print "cpu interrupts -", $2 }
	/^softirq/ { print "cpu softirqs -", $2; print "cpu softirqs timer", $4 }' /proc/stat
	awk -v OFMT=%.0f '$1 == "pgfault" || $1 == "pgmajfault" || $1 == "pgfree" { print "vmstat", $1, "-", $2 }
	$1 == "pgpgout" { print "vmstat pgpgout -", $2 * 1024 }' /proc/vmstat
	awk -v OFMT=%.0f '{ print "load uptime -", $1 * 1e6 }' /proc/uptime
	[ ! -r /proc/pressure/cpu ] || awk -F = '/^some/ { print "pressure some cpu", $5 }' /proc/pressure/cpu
	for stat in /sys/devices/system/node/node*/numastat; do
		[ ! -r "$stat" ] || awk -v node="$(basename "${stat%/*}")" '
			$1 == "numa_hit" { print "numa hit", node, $2 }' "$stat"
	done
	# Disks with a device of their own; the sums where there is no other.
	for disk in /sys/block/*; do
		[ -e "$disk/device" ] || continue
		case $disk in */sr* | */fd*) continue ;; esac
		awk -v OFMT=%.0f -v disk="$(basename "$disk")" '{ print "disk reads", disk, $1; print "disk read_bytes", disk, $3 * 512
			print "disk writes", disk, $5; print "disk write_bytes", disk, $7 * 512 }' "$disk/stat"
	done
	received=0 sent=0
	for net in /sys/class/net/*; do
		[ -r "$net/statistics/rx_bytes" ] || continue
		echo "network rx_bytes $(basename "$net") $(cat "$net/statistics/rx_bytes")"
		echo "network tx_packets $(basename "$net") $(cat "$net/statistics/tx_packets")"
		[ -e "$net/device" ] && [ ! -e "$net/bonding" ] || continue
		received=$((received + $(cat "$net/statistics/rx_bytes")))
		sent=$((sent + $(cat "$net/statistics/tx_bytes")))
		echo "network rx_bytes - $received"
		echo "network tx_bytes - $sent"
	done | awk '$3 == "-" { last[$2] = $0; next } { print } END { for (m in last) print last[m] }'
}

has_ticks()
{
	[ "$(series_ticks "$series")" -ge "$1" ]
}

mkdir live
sources=cpu,memory,vmstat,numa,pressure,load,disk,network,filesystem,frequency,interrupts
readings >before
taskset_cpu=$(awk '/^Cpus_allowed_list/ { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)
if need taskset; then
	taskset -c "$taskset_cpu" "$PERFMON" sample -i 50ms -d live --sources $sources &
else
	"$PERFMON" sample -i 50ms -d live --sources $sources &
fi
sampler=$!
wait_for has_ticks 4
kill $sampler
wait $sampler
is $? 0 "the node can be sampled"
readings >after
is "$(series_check "$series")" "" "the file is right"

# Whatever is read of a counter is not less than before and not more than afterwards.
series_last()
{
	awk -F '\t' '
	$NF != "." { next }
	$1 == "perfmon-series-1" { split("", name); split("", value) }
	$1 == "series" { name[$2] = $3 " " $4 " " ($5 == "" ? "-" : $5) }
	$1 == "tick" {
		n = split($4, pair, " ")
		for (i = 1; i <= n; i++) { at = index(pair[i], "="); value[substr(pair[i], 1, at - 1)] = substr(pair[i], at + 1) }
	}
	END { for (id in name) print name[id], value[id] }' "$series" | sort
}
series_last >last
sed 's/ \([^ ]*\)$/ before \1/' before >all
sed 's/ \([^ ]*\)$/ after \1/' after >>all
sed 's/ \([^ ]*\)$/ sampled \1/' last >>all
awk -v OFMT=%.0f '{ key = $1 " " $2 " " $3; v[key, $4] = $5; keys[key] = 1 }
	# The kernel steps in ticks, and awk in doubles.
	END {
		for (k in keys) {
			if (!((k, "before") in v) || !((k, "after") in v))
				continue
			count++
			s = v[k, "sampled"]
			if (s !~ /^[0-9]+$/ || s + 0 < v[k, "before"] - 1 || s + 0 > v[k, "after"] + 1)
				print k ": " v[k, "before"], s, v[k, "after"]
		}
		if (count < 12) print "only", count
	}' all >out
is "$(cat out)" "" "counters lie between readings before and afterwards"

value()
{
	awk -v key="$1 $2 ${3:--}" '$1 " " $2 " " $3 == key { print $4 }' last
}
is "$(value memory total)" "$(awk -v OFMT=%.0f '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo)" "memory"
is "$(value memory swap_total)" "$(awk -v OFMT=%.0f '/^SwapTotal/ { print $2 * 1024 }' /proc/meminfo)" "swap"
is "$(value memory used)" "$(($(value memory total) - $(value memory available)))" "used memory is the rest of what is available"
is "$(value cpu cpus)" "$(getconf _NPROCESSORS_ONLN)" "CPUs online"
if need taskset; then
	is "$(value cpu allocated)" 1 "CPUs allocated to a job that is bound to one"
else
	skip "CPUs allocated to a job that is bound to one" "no taskset"
fi

# What these CPUs did, in all columns, is the time that passed.
awk -F '\t' -v cpu="cpu$taskset_cpu" '
$1 == "series" && $3 == "cpu" && $4 ~ /^allocated_/ { kind[$2] = $4 }
$1 == "series" && $3 == "cpu" && $5 == cpu && $4 !~ /^guest/ { part[$2] = $4 }
$1 == "tick" {
	n = split($4, pair, " ")
	for (i = 1; i <= n; i++) {
		split(pair[i], v, "=")
		if (v[1] in kind) sum[kind[v[1]]] = v[2]
		if (v[1] in part) { if (!(v[1] in first)) first[v[1]] = v[2]; last[v[1]] = v[2] }
	}
}
END {
	for (id in part) d[part[id]] = last[id] - first[id]
	print sum["allocated_busy"] - d["user"] - d["nice"] - d["system"] - d["irq"] - d["softirq"], sum["allocated_steal"] - d["steal"]
}' "$series" >out
if need taskset; then
	is "$(cat out)" "0 0" "they were busy as that CPU was, guests not counted twice"
else
	skip "they were busy as that CPU was, guests not counted twice" "no taskset"
fi

node=/sys/devices/system/node/node0/meminfo
if [ -r $node ]; then
	is "$(value numa total node0)" "$(awk -v OFMT=%.0f '/MemTotal/ { print $4 * 1024 }' $node)" "memory of node 0"
else
	skip "memory of node 0" "no NUMA"
fi
if [ "$(value filesystem size /)" ] && need stat; then
	is "$(value filesystem size /)" "$(($(stat -f -c '%b * %S' /)))" "size of the file system of /"
else
	skip "size of the file system of /" "it is of no local file system"
fi

# Each is there or says why not.
"$PERFMON" sources cgroup nfs netfs frequency pressure | grep -A 1 '^[a-z]' | grep '^  ' | grep -v -E \
	'^  (available|not available \((absent|permission|unsupported)\): .)' >out
is "$(cat out)" "" "what is not here says why"


# perfmon sources measures what is available, and knows periods.
if need python3; then
	"$PERFMON" sources --json cpu memory frequency nfs netfs >json
	python3 - <<-'END' >out
		import json
		for s in json.load(open("json")):
		    if s["available"]:
		        good = s["cost_ns"] > 0 and s["series"] > s["unknown"] >= 0 and "reason" not in s
		    else:
		        good = s["reason"] and s["why"] and "cost_ns" not in s
		    print(s["name"], s["period_us"], "good" if good else s)
	END
	is "$(tr '\n' ' ' <out)" "cpu 0 good memory 0 good netfs 60000000 good nfs 10000000 good frequency 10000000 good " \
		"sources --json says what readings cost, or why there are none"
else
	skip "sources --json says what readings cost, or why there are none" "no python3"
fi

done_testing
