#!/bin/sh
# What recording costs /bin/true: user instructions and system calls over bare. Both are counted,
# not timed.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"

# As `perfmon run` starts a program.
mkdir -m 700 "$work/records"
PERFMON_OUTPUT=$work/records
PERFMON_JOBID=1
PERFMON_EXE=$PERFMON
PERFMON_HOST=$("$PERFMON" -q -a run env | sed -n 's/^PERFMON_HOST=//p')
export PERFMON_OUTPUT PERFMON_JOBID PERFMON_EXE PERFMON_HOST

instructions()
{
	env LD_PRELOAD="$1" valgrind --tool=callgrind --callgrind-out-file=/dev/null /bin/true 2>&1 |
		sed -n 's/.*Collected *: *\([0-9]*\).*/\1/p'
}

calls()
{
	strace -c -o "$work/strace" -E LD_PRELOAD="$1" /bin/true
	awk '$NF == "total" { print $4 }' "$work/strace"
}

if need valgrind; then
	# The first process of a job writes the header, too.
	LD_PRELOAD=$PERFMON_LIBRARY /bin/true
	bare=$(instructions '')
	with=$(instructions "$PERFMON_LIBRARY")
	diag "instructions: bare $bare, recorded $with"
	test "${bare:-0}" -gt 50000 && test "$((with - bare))" -gt 10000
	ok $? "instructions were counted, and the collector was there"
	test "$((with - bare))" -le 50000
	ok $? "/bin/true: at most 50 000 instructions over bare (+$((with - bare)))"
else
	skip "instructions of /bin/true" "no $missing"
fi
if need strace && strace -o /dev/null true 2>/dev/null; then
	bare=$(calls '')
	with=$(calls "$PERFMON_LIBRARY")
	diag "system calls: bare $bare, recorded $with"
	test "${bare:-0}" -gt 10 && test "$((with - bare))" -gt 10
	ok $? "system calls were counted, and the collector was there"
	test "$((with - bare))" -le 45
	ok $? "/bin/true: at most 45 system calls over bare (+$((with - bare)))"
else
	skip "system calls of /bin/true" "strace is not there or may not trace"
fi
done_testing
