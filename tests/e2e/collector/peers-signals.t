#!/bin/sh
# Signals: what the program set is what it gets, and no handler of the collector is in the way.
# shellcheck disable=SC2154,SC2016,SC2034 # set by lib.sh, used by peers.sh; the commands' own shells expand
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/peers.sh
. "$abs_top_srcdir/tests/e2e/peers.sh"

signals=$abs_top_builddir/tests/progs/peers_signals

for layout in $layouts; do
	behaviour "no signal handler is installed"
	same "$signals" dispositions
	# Before glibc 2.34 libpthread handles 32 and 33 from the start: these two are as without recording.
	holds "62 signals, none of them handled" \
		"$(grep -c '^main: \([0-9]\|[12].\|3[^23]\|[456].\): \(default\|ignored\), flags 0, mask 0$' with)" 62
	# In threads and children as without recording: the C library itself handles one there.

	behaviour "SA_RESTART is not forced"
	same "$signals" flags
	holds "reads and waits are interrupted" "$(grep -c ' without SA_RESTART: -1 EINTR$' with)" 4
	holds "and go on where the program asked for it" "$(grep 'read with SA_RESTART' with)" \
		"read with SA_RESTART: 1 "

	behaviour "SA_ONSTACK and SA_RESETHAND are kept"
	holds "on the alternate stack" "$(grep 'SA_ONSTACK with one\|a stack overflow' with)" \
		"SA_ONSTACK with one: 1 
a stack overflow is survived on the alternate stack: 1 "
	holds "default after the first signal" "$(grep 'SA_RESETHAND: ran' with)" \
		"SA_RESETHAND: ran, default again: 1 "

	behaviour "SIG_IGN stays and is inherited"
	same "$signals" ignored "$signals" dispositions
	holds "by the next image, its threads and children" \
		"$(grep -v -e ': 32: ' -e ': 33: ' with | grep -c ': ignored')" 240
	same "$signals" ignored /bin/sh -c '"$1" dispositions' x "$signals"

	behaviour "a child that ignores SIGHUP survives it"
	same nohup sh -c 'kill -HUP $$; sh -c "kill -HUP \$\$; exit 6"; exit $?' <&-
	holds "and is recorded" "$(field exitcode record=end end_reason=exit exitcode=6 | grep -c .)" 2

	behaviour "ignoring SIGCHLD leaves no zombies"
	same "$signals" zombies 20
	known

	behaviour "SIGTERM ends a process whose threads are in malloc"
	same "$signals" malloc 20
	holds "each of them" "$(grep ended with)" "ended as they should: 40 "
	known

	behaviour "the number of the signal"
	same "$signals" every
	known
	job "$signals" every >with
	sed -n 's/^# \(.*\)/\1/p' with | sort >want
	query "SELECT pid || ' ' || end_reason || ' ' || exitsignal FROM process WHERE exitsignal IS NOT NULL" |
		sort | diff want - >difference
	holds "is in the database" "$(cat difference)" ""
done
peers_done
