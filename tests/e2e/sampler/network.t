#!/bin/sh
# perfmon sample and sources with interconnects and parallel file systems, on recorded trees: series, permission,
# machines that have none. tests/unit/sampler/lustre.c and its neighbours have the values.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

series=$(uname -n).series
root=$work/root

# put FILE TEXT: a file of the recorded tree.
put()
{
	mkdir -p "$root/${1%/*}" && printf '%s\n' "$2" >"$root/$1"
}

# --- Lustre -----------------------------------------------------------------------------------

mount=scratch-ffff9a3bc0de1000
# stats OPENS: what a mount did.
stats()
{
	put sys/kernel/debug/lustre/llite/$mount/stats "snapshot_time 1784929200.772792457 secs.nsecs
read_bytes 5 samples [bytes] 4096 4194304 7000 1
open $1 samples [usec] 1 2 30 100"
}
put sys/fs/lustre/llite/$mount/fstype lustre
stats 7
put sys/kernel/debug/lnet/stats "0 28 0 1 2 0 0 3 4 0 0"
mkdir lustre
"$PERFMON" sample -i 100ms -d lustre --root "$root" --sources lustre,lnet,sampler >log 2>&1 &
sampler=$!
opens()
{
	series_known "lustre/$series" lustre opens $mount
}
wait_for eval '[ -n "$(opens)" ]'
stats 12
wait_for eval '[ "$(opens | tail -n 1)" = 12 ]'
ok $? "what a mount does goes on in the series"
kill $sampler
wait $sampler
is "$? $(series_check "lustre/$series")" "0 " "Lustre can be sampled"
is "$(series_last "lustre/$series" lustre read_bytes $mount) $(series_last "lustre/$series" lustre opens) $(series_last "lustre/$series" lnet rx_bytes)" \
	"7000 12 4" "a mount has its name, and the whole its sum"

# --- InfiniBand -------------------------------------------------------------------------------

port=sys/class/infiniband/mlx5_0/ports/1
put $port/counters/port_rcv_data 1000
put $port/counters/port_xmit_data 20000
put $port/link_layer InfiniBand
put $port/state "4: ACTIVE"
"$PERFMON" sources --root "$root" infiniband >out
is "$(sed -n '2p; 4p' out)" "  available
  mlx5_0/1: InfiniBand, state 4: ACTIVE" "perfmon sources describes a port"
is "$(grep -c '^    absent: rx_packets tx_packets rate$' out)" 1 "and what it does not have"
mkdir infiniband
"$PERFMON" sample -i 100ms -d infiniband --root "$root" --sources infiniband,sampler >log 2>&1 &
sampler=$!
received()
{
	series_known "infiniband/$series" infiniband rx_bytes mlx5_0/1
}
wait_for eval '[ -n "$(received)" ]'
put $port/counters/port_rcv_data 1001
wait_for eval '[ "$(received | tail -n 1)" = 4004 ]'
ok $? "what a port receives goes on in the series"
kill $sampler
wait $sampler
is "$? $(series_check "infiniband/$series")" "0 " "InfiniBand can be sampled"

# --- permission -------------------------------------------------------------------------------

# plain COMMAND...: as a user who may not look into debugfs.
plain()
{
	if [ "$(id -u)" -eq 0 ]; then
		HOME=/nonexistent setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}
chmod 755 "$work" && chmod -R a+rX "$root" && chmod 0 "$root/sys/kernel/debug"
if [ "$(id -u)" -ne 0 ] || need setpriv; then
	cp "$PERFMON" "$work/perfmon" && chmod 755 "$work/perfmon"
	for source in lustre lnet; do
		plain "$work/perfmon" sources --root "$root" $source >out
		is "$(sed -n 2p out | grep -c "not available (permission).*: Permission denied; .*chmod a+x $root/sys/kernel/debug,")" 1 \
			"$source: who may not look into debugfs is told, and what to do"
	done
	plain "$work/perfmon" check --root "$root" devices.lustre >out.check
	is "$(grep -c '^warn  devices.lustre .*Permission denied' out.check) $(grep -c -F "chmod a+x $root/sys/kernel/debug" out.check)" "1 1" \
		"perfmon check says so, too"
	sh -c "$(sed -n 's/.*\(chmod a+x [^ ,]*\),.*/\1/p' out | head -n 1)"
	for source in lustre lnet; do
		plain "$work/perfmon" sources --root "$root" $source >out
		is "$(sed -n 2p out)" "  available" "$source: after which it can be read"
	done
else
	skip "perfmon check says so, too" "no $missing"
	for source in lustre lnet; do
		skip "$source: who may not look into debugfs is told, and what to do" "no $missing"
		skip "$source: after which it can be read" "no $missing"
	done
fi
chmod 755 "$root/sys/kernel/debug"

# --- none -------------------------------------------------------------------------------------

if need strace ps && strace -qq true 2>/dev/null; then
	rm -rf "$root"
	put proc/stat "cpu  1 2 3 4 5 6 7 8 9 10
cpu0 1 2 3 4 5 6 7 8 9 10
intr 1"
	put proc/loadavg "0.00 0.01 0.05 1/2 3"
	PERFMON_ROOT=$root
	export PERFMON_ROOT
	without=$(series_calls without cpu) none=$(series_calls none cpu,lustre,lustre_rpc,lnet,infiniband,infiniband_errors,cxi,ethtool,edac,resctrl,schedstat,import) more=$(series_calls more cpu,load)
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
