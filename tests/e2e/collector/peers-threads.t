#!/bin/sh
# Threads: every one has its line, whenever and from wherever it was created and however it ended.
# shellcheck disable=SC2154,SC2034,SC2031 # set by lib.sh; used by peers.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/peers.sh
. "$abs_top_srcdir/tests/e2e/peers.sh"

threads=$abs_top_builddir/tests/progs/peers_threads
execs=$abs_top_builddir/tests/progs/peers_execs

# The threads of `with` are those of the database, and no line was refused.
in_database()
{
	sed -n 's/^# \([0-9]* thread .*\)/\1/p' with | sort >want
	query "SELECT pid || ' thread ' || t.tid || ' ' || t.thread_name FROM thread_row t
		JOIN process p ON t.process_id = p.id WHERE p.exename = 'peers_threads'" |
		sort | diff want - >difference
	holds "the database has every thread once" "$(cat difference)" ""
	holds "and rejects nothing" "$(query "SELECT line || ': ' || reason FROM reject")" ""
}

# delayed MICROSECONDS:when=N COMMAND...: collect with the Nth write of every task late. Returns 1
# where that cannot be.
delayed()
{
	need strace && strace -o trace --inject=write:delay_enter=1 true 2>/dev/null || return 1
	late=$1
	shift
	collect "$layout" strace -f -o trace --inject="write:delay_enter=$late" \
		-E LD_PRELOAD="$PERFMON_LIBRARY" "$@" >with
	:
}

short=10000
for layout in $layouts; do
	behaviour "thousands of short threads"
	same "$threads" short $short
	threads_known
	test "$(sed -n 's/^# growth //p' with)" -le 64
	fails "no memory is kept for those that ended ($(sed -n 's/^# growth //p' with) kB)" $?

	job "$threads" short $short >with
	in_database
	short=1000

	behaviour "more than 3 500 threads at once"
	same "$threads" many 4000
	if [ "$bare" -eq 77 ]; then
		skip "$behaviour" "not so many threads allowed here"
	else
		threads_known
	fi

	behaviour "threads created from 16 threads at once"
	same "$threads" sixteen 50
	threads_known

	behaviour "detached threads"
	same "$threads" detached 40
	threads_known

	behaviour "cancelled threads"
	same "$threads" cancelled 20
	threads_known

	behaviour "threads alive when main returns"
	same "$threads" alive 8
	threads_known

	behaviour "live threads do not delay the exit"
	if need strace && strace -o trace true 2>/dev/null; then
		# Counted, not timed: nobody waits for anybody on the way from the last thread's begin.
		collect "$layout" strace -f -o trace -E LD_PRELOAD="$PERFMON_LIBRARY" "$threads" alive 8 \
			>with 2>with.err
		holds "the program ran" "$?:$(field numtids record=end exename=peers_threads)" "11:9"
		holds "calls that wait" "$(grep -c -e 'nanosleep(' -e 'futex(.*WAIT' -e 'poll(' -e 'select' \
			-e 'epoll_' -e 'wait4(' -e 'waitid(' -e 'rt_sigtimedwait(.*NULL, 8' trace)" 0
	else
		skip "$behaviour" "strace is not there or may not trace"
	fi

	behaviour "threads that end while main returns have one line each"
	same "$threads" racing 150 6
	threads_known
	job "$threads" racing 20 6 >with
	in_database
	# The first write of each thread comes late, which is the process's before that: lines are on
	# their way when the image ends.
	if delayed 50000:when=1 "$threads" racing 2 60; then
		threads_known
	else
		skip "$behaviour: lines on their way" "strace is not there or may not delay calls"
	fi

	behaviour "exit from another thread"
	same "$threads" other 5
	threads_known
	# While the end record is on its way.
	if delayed 300000:when=3+ "$threads" both; then
		holds "while main ends" "$(field end_reason record=end exitcode=13 exename=peers_threads)" exit
		threads_known
	else
		skip "$behaviour: while main ends" "strace is not there or may not delay calls"
	fi

	behaviour "threads go on when main leaves by pthread_exit"
	same "$threads" left
	threads_known
	same "$threads" last
	threads_known

	behaviour "threads of an image that ends by exec"
	same "$threads" exec 3 "$threads" exec 2 "$threads" short 4
	threads_known

	behaviour "threads around an exec that fails"
	printf '\177ELFnonsense' >nonsense
	chmod +x nonsense
	same "$threads" failed ./nonsense
	job "$threads" failed ./nonsense >with
	in_database
	# What a thread adds while its line is on its way is kept when the exec fails, and so is what
	# it does, and that it ends, once the image's end was announced.
	for case in 101:ending 1+:late; do
		if delayed 300000:when="${case%:*}" "$execs" "${case#*:}" ./nonsense; then
			known
		else
			skip "$behaviour: a line on its way" "strace is not there or may not delay calls"
		fi
	done

	behaviour "thread ids and times in both layouts"
	same "$threads" times
	threads_known

	behaviour "threads from constructors"
	same "$abs_top_builddir/tests/progs/peers_linked"
	threads_known

	behaviour "threads of dlopened libraries"
	same "$threads" dlopened "$abs_top_builddir/tests/progs/peers_library.so"
	threads_known
done
peers_done
