#!/bin/sh
# What perfmon changes for a moment is as it was afterwards: dispositions of signals for the command of
# `run`, the lock of the descriptors' limit in the collector.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if need perl; then
	ignoring() { perl -e '$SIG{$_} = "IGNORE" for qw(CHLD HUP PIPE); exec @ARGV' "$@"; }
	want=$(ignoring grep SigIgn /proc/self/status)
	is "$(ignoring "$PERFMON" -a run grep SigIgn /proc/self/status)" "$want" \
		"signals that were ignored are, SIGCHLD too"
	is "$("$PERFMON" -a run grep SigIgn /proc/self/status)" "$(grep SigIgn /proc/self/status)" \
		"those that were not are not"
else
	skip "signals that were ignored are, SIGCHLD too" "no perl"
fi

# The first thread's counters find no room above the limit; the second's do, because the program has
# lowered it.
cat >room.py <<'END'
import os, resource, threading
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
def above(limit):
    # By number: lists leave out what the collector has open.
    found = 0
    for fd in range(limit, hard):
        try:
            os.fstat(fd)
            found += 1
        except OSError:
            pass
    return found
before = above(2000)
resource.setrlimit(resource.RLIMIT_NOFILE, (1500, hard))
seen = []
thread = threading.Thread(target=lambda: seen.append(above(1500) - before))
earlier = above(1500)
thread.start()
thread.join()
print(before, seen[0] > earlier)
END
if ! need python3; then
	skip "a limit that could not be raised keeps nobody from raising it later" "no python3"
else
	is "$(ulimit -S -n 2000 && ulimit -H -n 2001 &&
		"$PERFMON" -a --options page-faults,task-clock,cpu-clock,cpu-migrations run python3 room.py)" "0 True" \
		"a limit that could not be raised keeps nobody from raising it later"
fi

done_testing
