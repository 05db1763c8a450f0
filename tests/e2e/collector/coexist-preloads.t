#!/bin/sh
# Other preloads, in front of the collector and behind it: allocators, a profiler, another clock,
# fakeroot, eatmydata, stdbuf.
# shellcheck disable=SC2154 # set by lib.sh, collector.sh and coexist.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/coexist.sh
. "$abs_top_srcdir/tests/e2e/coexist.sh"

semantics=$abs_top_builddir/tests/progs/semantics

# collect_with ORDER LIBRARY COMMAND...: recorded, beside another preload.
collect_with()
{
	case $1 in
	before) both=$2:$PERFMON_LIBRARY ;;
	behind) both=$PERFMON_LIBRARY:$2 ;;
	esac
	shift 2
	rm -rf "$records"
	mkdir -m 700 "$records"
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout LD_PRELOAD=$both "$@"
}

# neighbour LIBRARY PROGRAM...: programs behave with both preloads as with the other one alone.
neighbour()
{
	other=$(object "$1") || {
		skip "$1" "not installed"
		return 1
	}
	library=$1
	shift
	for program in "$@"; do
		case $program in
		"$semantics") status=0 ;;
		*) status=5 ;;
		esac
		LD_PRELOAD=$other "$program" >bare.out 2>bare.err
		bare=$?
		is "$bare" "$status" "$library alone"
		for order in before behind; do
			collect_with $order "$other" "$program" >with.out 2>with.err
			compare "$library $order, $(basename "$program")" $?
			ended "$library $order" "$(basename "$program")" $status
			is "$(field record record=reaped | grep -c .)" \
				"$(grep -c . "$(basename "$program").reaped")" \
				"$layout: $library $order: its children"
		done
	done
}

for layout in $layouts; do
	for program in "$semantics" "$everything"; do
		collect $layout "$program" >out
		field record record=reaped >"$(basename "$program").reaped"
	done
	for library in libjemalloc.so.2 libtcmalloc.so.4 libprofiler.so.0 libeatmydata.so \
		libfakeroot-sysv.so libstdbuf.so; do
		neighbour $library "$everything"
	done
	FAKETIME='@2001-02-03 04:05:06'
	export FAKETIME
	neighbour libfaketime.so.1 "$everything"
	neighbour libfaketimeMT.so.1 "$everything"
	unset FAKETIME
done
# The long observation of everything, for those that do most in a process.
layout=COLLATED_TSV
neighbour libjemalloc.so.2 "$semantics"
FAKETIME='@2001-02-03 04:05:06' neighbour libfaketime.so.1 "$semantics"

layout=COLLATED_TSV
if other=$(object libfaketime.so.1); then
	for order in before behind; do
		began=$(date +%s)
		FAKETIME='@2001-02-03 04:05:06 x1000' collect_with $order "$other" \
			sh -c 'date +%Y; sleep 0.01; exit 4' >out
		is "$? $(cat out)" "4 2001" "libfaketime $order: the program has the time it was given"
		for column in start_us end_us image_us; do
			field $column record=end
		done | sort -n >moments
		first=$(head -n 1 moments) last=$(tail -n 1 moments)
		test "${first%??????}" -ge "$((began - 1))" && test "${last%??????}" -le "$(date +%s)"
		ok $? "libfaketime $order: the records have the true one"
	done
fi

# A profile is written, and has what the program did.
if other=$(object libprofiler.so.0); then
	for order in before behind; do
		rm -f profile
		CPUPROFILE=$work/profile collect_with $order "$other" "$abs_top_builddir/tests/progs/itself" \
			scratch 2 0 >out 2>err
		is "$?" 5 "libprofiler $order: a profiled program"
		test -s profile
		ok $? "libprofiler $order: its profile is written"
		grep -q 'PROFILE: interrupts' err
		ok $? "libprofiler $order: and says so"
		is "$(field numtids record=end)" 3 "libprofiler $order: its threads are recorded"
	done
fi

# Somebody who interposes the same functions is called as without the collector, and what passes
# through is recorded all the same.
calls=$abs_top_builddir/tests/progs/calls
other=$abs_top_builddir/tests/progs/interpose.so
for layout in $layouts; do
	for order in program before behind; do
		INTERPOSE_LOG=$work/log
		export INTERPOSE_LOG
		rm -f log
		case $order in
		program) "$(dirname "$calls")/interpose" >bare.out 2>bare.err ;;
		*) LD_PRELOAD=$other "$calls" >bare.out 2>bare.err ;;
		esac
		bare=$?
		sort log | uniq -c >bare.log
		is "$bare $(grep -c . bare.out) $(grep -c . bare.log)" "22 13 13" "all functions are called"
		rm -f log
		case $order in
		program) collect "$layout" "$(dirname "$calls")/interpose" >with.out 2>with.err ;;
		*) collect_with $order "$other" "$calls" >with.out 2>with.err ;;
		esac
		compare "interposed, $order" $?
		sort log | uniq -c >with.log
		diff bare.log with.log >difference
		ok $? "$layout: interposed, $order: each call arrives"
		[ ! -s difference ] || diag "$(cat difference)"
		unset INTERPOSE_LOG
		is "$(field exitcode record=reaped | sort -n | tr '\n' ' ')" \
			"1 2 3 4 5 6 7 8 9 10 11 12 21 " "$layout: interposed, $order: each child is recorded once"
		is "$(field exitcode record=end end_reason=exit | sort -n | tr '\n' ' ')" \
			"1 2 3 4 5 6 7 8 9 10 11 12 21 22 " "$layout: interposed, $order: and each end"
		is "$(field numtids record=end exitcode=22)" 2 "$layout: interposed, $order: and the thread"
	done
done

# stdbuf, fakeroot and eatmydata set LD_PRELOAD themselves.
for layout in $layouts; do
	if need fakeroot && object libfakeroot-sysv.so >/dev/null; then
		alike "fakeroot" fakeroot sh -c 'touch f; chown 5:6 f; stat -c "%u:%g" f; id -u; exit 3'
		is "$bare $(head -n 1 bare.out)" "3 5:6" "fakeroot works"
		ended "fakeroot" touch 0
		is "$(field exitcode record=end exename=chown)" 0 "$layout: fakeroot: chown is recorded"
	else
		skip "$layout: fakeroot" "not installed"
	fi
	alike "stdbuf" stdbuf -oL "$everything"
	ended "stdbuf" everything 5
	if need eatmydata; then
		alike "eatmydata" eatmydata "$everything"
		ended "eatmydata" everything 5
	else
		skip "$layout: eatmydata" "no $missing"
	fi
done
done_testing
