#!/bin/sh
# Programs on a stack of a kilobyte or two (coroutines, signal handlers) exec, fork, wait and end as
# they do without the collector: its own frames are elsewhere.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

if [ "${PM_SANITIZED:-no}" = yes ]; then
	skip "calls on small stacks" "sanitizers need more of it themselves"
	done_testing
fi
small=$abs_top_builddir/tests/progs/smallstack
# Finding a function takes three kilobytes, once.
LD_BIND_NOW=1
export LD_BIND_NOW
for call in $("$small" - list); do
	bare=$("$small" least "$call")
	recorded=$(collect COLLATED_TSV "$small" least "$call")
	diag "$call: bare $bare, recorded $recorded bytes"
	test "$recorded" -le 1536
	ok $? "$call works on 1536 bytes"
	test "$((recorded - bare))" -le 1024
	ok $? "and takes a kilobyte more than bare, at most ($((recorded - bare)) bytes)"
done

# On such a stack all is told that is told elsewhere.
collect COLLATED_TSV "$small" 4096 execl
is "$?:$(field end_reason record=end | sort | tr '\n' ' '):$(field numtids record=end exename=smallstack)" \
	"0:exec exit :2" "an exec on a small stack is recorded as any other"
is "$(field record | sort | uniq -c | tr -s ' \n' ' ')" " 2 end 2 start 2 thread " "with its threads"
collect COLLATED_TSV "$small" 4096 refused
is "$?:$(field record | grep -c resumed)" "0:0" "one that cannot succeed is none"
done_testing
