#!/bin/sh
# Threads, through execs that fail, forks, destructors and odd statuses: what an image's records sum up is
# what it did, nothing twice and nothing of its parent's.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

accounts=$abs_top_builddir/tests/progs/accounts
# The kernel finds that it is no program behind what the collector looks at.
head -c 4096 /dev/zero >refused && chmod +x refused

# written PATTERN...: bytes that the program wrote, by the last line with these patterns.
written() { echo $(($(field wchar "$@" | tail -n 1) - $(field own_wchar "$@" | tail -n 1))); }

# cpu PATTERN...: 1 where its time on a CPU is that of getrusage, within a quarter and 10 ms.
cpu()
{
	echo $(($(field time_oncpu "$@" | tail -n 1) / 1000)) \
		$(($(field usertime "$@" | tail -n 1) + $(field systemtime "$@" | tail -n 1))) |
		awk '{ d = $1 - $2; d = d < 0 ? -d : d; print (d < $2 / 4 + 10000) ? 1 : "0 (" $0 ")" }'
}

# unequal PID: which figures of the process are not the sum of its threads', one image alone.
unequal()
{
	table | awk -F '\t' -v pid="$1" '
		BEGIN {
			n = split("delayacct_blkio_time rchar wchar syscr syscw read_bytes write_bytes " \
				"cancelled_write_bytes time_oncpu time_waiting timeslices own_rchar own_wchar " \
				"own_syscr own_syscw own_outblock", name, " ")
		}
		{
			split("", v)
			for (i = 2; i < NF; i++)
				v[substr($i, 1, index($i, "=") - 1)] = substr($i, index($i, "=") + 1)
		}
		v["pid"] != pid { next }
		v["record"] == "thread" {
			for (i = 1; i <= n; i++)
				if (name[i] in v)
					sum[i] += v[name[i]]
		}
		v["record"] == "end" {
			for (i = 1; i <= n; i++)
				if (v[name[i]] != sum[i])
					print name[i], v[name[i]], sum[i]
		}'
}

for layout in $layouts; do
	# A process that has children has to sum up its threads.
	record() { collect "$layout" "$accounts" "$@"; }

	record child write=100 thread=30000 living=40000 thread=5000 exit=256
	is "$?" 0 "$layout: a status of 256 is 0"
	me=$(field pid record=end exename=accounts numtids=4)
	is "$(field exitcode record=end pid="$me")" 0 "$layout: in its record, too"
	is "$(written record=end pid="$me")" 75100 "$layout: what threads wrote, ended or alive, is counted once"
	is "$(cpu record=end pid="$me")" 1 "$layout: and what they computed"
	is "$(unequal "$me")" "" "$layout: and all else that is summed"
	record write=1 exit=-1
	is "$?:$(field exitcode record=end)" 255:255 "$layout: a status of -1 is 255"

	# An exec that fails tells of the threads that live, and takes it back.
	record child write=100 thread=30000 living=40000 refused living=2000 refused refused exit=0
	me=$(field pid record=end exename=accounts numtids=4 | tail -n 1)
	is "$(field pid record=resumed pid="$me" | grep -c .)" 3 "$layout: three execs fail"
	is "$(written record=end end_reason=exit pid="$me")" 72100 \
		"$layout: what was told of living threads then is not counted again"
	is "$(cpu record=end end_reason=exit pid="$me")" 1 "$layout: nor what they computed"

	# A fork child is an image of its own: it has none of its parent's threads, their sums or lines.
	record thread=300000 living=400000 fork child write=50 thread=1000 exit=0
	me=$(field pid record=end exename=accounts numtids=2 | head -n 1)
	is "$(written record=end pid="$me" numtids=2)" 1050 "$layout: a fork child has not written what its parent did"
	is "$(cpu record=end pid="$me" numtids=2)" 1 "$layout: nor computed it"
	is "$(field tid record=thread | sort | uniq -d)" "" "$layout: each thread has one line"
	PERFMON_EVENTS='1:1:0:0:0:6:task-clock 1:3:0:0:0:0:context-switches'
	export PERFMON_EVENTS
	record thread=200000 thread=0 thread=0 thread=0 thread=0 thread=0 fork write=1 exit=0
	unset PERFMON_EVENTS
	me=$(field pid record=end numtids=1 | head -n 1)
	test "$(value task-clock record=end pid="$me")" -lt 100000000
	ok $? "$layout: nor counted what its parent's threads did"
	is "$(overdrawn)" "" "$layout: nor does it have what the collector cost its parent"

	# The last of the rounds in which destructors run is not the program's.
	record late=1000 exit=0
	is "$(field wchar record=thread | sort -n | tail -n 1)" 3000 "$layout: what destructors of a thread write is its own"

	# Lines that could not be written are counted once, by whoever lost them.
	rm -rf "$records"
	PERFMON_OUTPUT=$records "$PERFMON" start || exit 99
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout LD_PRELOAD=$PERFMON_LIBRARY \
		"$accounts" elsewhere child fork here exit=0 2>err ||
		PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout LD_PRELOAD=$PERFMON_LIBRARY true
	lost=$(cat "$records"/*.tally | awk -F '\t' '$1 == "lost" { n += $3 } END { print n + 0 }')
	is "$lost" 2 "$layout: what a parent lost is not counted by its child again"
	mv "$records.elsewhere" "$records" 2>/dev/null
done

# System time of children is told apart where their waits are counted only.
rm -rf "$records"
PERFMON_OUTPUT=$records "$PERFMON" start
PERFMON_OUTPUT=$records PERFMON_MAX_BYTES=1 LD_PRELOAD=$PERFMON_LIBRARY \
	sh -c 'sh -c "dd if=/dev/zero of=/dev/null bs=1 count=300000 2>/dev/null; exit 3"; exit 4'
awk -F '\t' '$1 == "children" { u += $4; s += $5 } END { print u + 0, s + 0 }' "$records"/*.tally >spent
read -r user system <spent
test "$system" -gt 20000
ok $? "waits beyond max_bytes have system time ($user us in user mode, $system us in the kernel)"
done_testing
