#!/bin/sh
# Tools that look into processes: valgrind, gdb, strace, ltrace, perf. They are recorded, and so is
# the program they look at.
# shellcheck disable=SC2154 # set by lib.sh, collector.sh and coexist.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/coexist.sh
. "$abs_top_srcdir/tests/e2e/coexist.sh"

# shellcheck disable=SC2034 # for alike: these tools take a second, and the layout is none of theirs
keep_bare=yes

# works PROGRAM COMMAND...: the program is there, and may do here what it is for.
works()
{
	need "$1" || return 1
	missing="right to run $*"
	shift
	"$@" >works.log 2>&1
}

tools="memcheck helgrind drd"
for layout in $layouts; do
	if ! need valgrind; then
		skip "$layout: valgrind" "no $missing"
		continue
	fi
	for tool in $tools; do
		alike "$tool" valgrind --tool=$tool --error-exitcode=42 "$everything"
		ended "$tool" everything 5
	done
	tools=memcheck
done
layout=COLLATED_TSV

if need valgrind; then
	for mistake in leak overflow uninitialised; do
		alike "memcheck finds $mistake" valgrind -q --leak-check=full --error-exitcode=42 \
			"$everything" $mistake
		is "$bare" 42 "and there is something to find"
	done
	alike "memcheck counts descriptors" valgrind --track-fds=yes "$everything" leak
	for tool in helgrind drd; do
		collect $layout valgrind --tool=$tool --error-exitcode=42 "$everything" race >out 2>err
		is "$?" 42 "$tool finds a race of the program"
		grep -q 'increment (' err
		ok $? "$tool says where it is"
		# Every report names the place of the access in its fourth line at the latest.
		is "$(grep -A 3 -E 'data race|Conflicting' err | grep -E 'batch|thread_ends|pm_')" "" \
			"$tool reports none of the collector's variables"
	done
fi

if works gdb gdb -nx -batch -ex run /bin/true && grep -q 'exited normally' works.log; then
	debug()
	{
		debug_name=$1
		shift
		alike "gdb: $debug_name" gdb -nx -batch -ex 'set debuginfod enabled off' \
			-ex 'set print thread-events off' "$@"
	}
	for layout in $layouts; do
		debug "run" -ex run -ex 'print $_exitcode' "$everything"
		ended "gdb: run" everything 5
		processes "gdb: run"
	done
	layout=COLLATED_TSV
	debug "breakpoint in a thread" -ex 'tbreak work' -ex run -ex 'info symbol $pc' -ex continue \
		-ex 'print $_exitcode' "$everything"
	ended "gdb: breakpoint" everything 5
	debug "catch of fork and exec" -ex 'catch fork' -ex 'catch exec' -ex run -ex continue \
		-ex continue -ex continue -ex 'print $_exitcode' "$everything"
	debug "following children" -ex 'set follow-fork-mode child' -ex run \
		-ex 'print $_exitcode' --args sh -c '(exit 3); exit 4'
	is "$(field exitcode record=end end_reason=exit | grep -c '^[34]$')" 2 \
		"parent and child, the one followed and the other, are recorded"
	debug "kill" -ex 'break main' -ex run -ex kill "$everything"
	is "$(field exitsignal record=reaped "pid=$(field pid record=start exename=everything)")" 9 \
		"what the debugger killed is recorded as killed"

	# Attached to and left, it goes on.
	mkfifo go
	# shellcheck disable=SC2016 # the inner shell expands
	collect $layout sh -c 'echo $$ >pid; read -r line; exit 6' <go &
	exec 7>go
	until [ -s pid ]; do sleep 0.05; done
	gdb -nx -batch -p "$(cat pid)" -ex 'set debuginfod enabled off' -ex detach >log 2>&1
	is "$?" 0 "gdb attaches and detaches"
	echo >&7
	exec 7>&-
	wait $!
	is "$? $(field exitcode record=end "pid=$(cat pid)")" "6 6" "and the program ends as it should"
else
	skip "gdb" "no $missing"
fi

if works strace strace -o /dev/null true; then
	for layout in $layouts; do
		alike "strace" strace -f -o log "$everything"
		grep -q '+++ exited with 5 +++' log
		ok $? "$layout: strace saw the end"
		ended "strace" everything 5
		processes "strace"
		alike "strace with statistics" strace -f -c -o log "$everything"
	done
else
	skip "strace" "no $missing"
fi

layout=COLLATED_TSV
if works ltrace ltrace -o log true; then
	# It takes the output of what it traces away at times, recorded or not.
	for _ in 1 2 3 4 5; do
		ltrace -f -o log "$everything" >bare.out 2>bare.err
		bare=$?
		[ ! -s bare.out ] || break
	done
	for _ in 1 2 3 4 5; do
		collect "$layout" ltrace -f -o log "$everything" >with.out 2>with.err
		status=$?
		[ ! -s with.out ] || break
	done
	compare "ltrace" $status
	grep -q 'pthread_create' log && grep -q 'exited (status 5)' log
	ok $? "ltrace saw calls and the end"
	ended "ltrace" everything 5
	processes "ltrace"
else
	skip "ltrace" "no $missing"
fi

if works perf perf stat -o log -e task-clock true; then
	alike "perf stat" perf stat -o log -e task-clock "$everything"
	ended "perf stat" everything 5
	alike "perf record" perf record -q -o perf.data -e cpu-clock "$everything"
	ended "perf record" everything 5
	# It overwrites its own arguments while it runs.
	is "$(field args record=start exename=perf | sort -u)" \
		"record -q -o perf.data -e cpu-clock $everything" "perf's arguments are those it was given"
	alike "perf report" perf report -q -i perf.data --stdio --sort comm
else
	skip "perf" "no $missing"
fi
done_testing
