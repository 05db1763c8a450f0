#!/bin/sh
# Programs built with sanitizers, by gcc and clang: they run as without the collector, find what they
# find, and are recorded.
# shellcheck disable=SC2154 # set by lib.sh, collector.sh and coexist.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/coexist.sh
. "$abs_top_srcdir/tests/e2e/coexist.sh"

unset TSAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS

# reports FILE: what a sanitizer said, without places.
reports()
{
	sed -n 's/.*\(ERROR\|WARNING\|SUMMARY\): \([A-Za-z]*\): \([a-z -]*\).*/\1 \2 \3/p' "$1" | sort | uniq -c
}

# finds PROGRAM MISTAKE: ends and says the same of a mistake.
finds()
{
	./"$1" "$2" >bare.out 2>bare.err
	bare=$?
	test $bare -ne 5 && test -n "$(reports bare.err)"
	ok $? "$1 finds: $2"
	collect "$layout" ./"$1" "$2" >with.out 2>with.err
	is "$? $(reports with.err)" "$bare $(reports bare.err)" "$layout: $1: the same of a $2"
}

export ASAN_OPTIONS
for compiler in gcc clang; do
	for sanitizer in address thread undefined; do
		program=$compiler-$sanitizer
		need "$compiler" && missing="$program"
		"$compiler" -g -O1 -fexceptions -fsanitize=$sanitizer -o "$program" \
			"$abs_top_srcdir/tests/progs/everything.c" -lpthread >log 2>&1 &&
			ASAN_OPTIONS=verify_asan_link_order=0 ./"$program" >/dev/null 2>log
		if [ $? -ne 5 ]; then
			skip "programs of $compiler with $sanitizer" "no $missing that works here"
			continue
		fi
		# What `perfmon run` sets; gcc's runtime wants to be the first library of all.
		ASAN_OPTIONS=verify_asan_link_order=0
		for layout in $layouts; do
			alike "$program" ./"$program"
			ended "$program" "$program" 5
			# The runtime of clang's ThreadSanitizer makes one for itself.
			test "$(field numtids record=end "exename=$program" exitcode=5)" -ge 5
			ok $? "$layout: $program: its threads"
			# ThreadSanitizer runs handlers where it sees fit: they may wait there, too.
			alike "$program: waits in handlers" ./"$program" alarm
			is "$(grep -c . bare.out) $(field pid record=reaped exitcode=0 | sort -u | grep -c .)" \
				"1 40" "$layout: $program: each child of which is recorded"
		done
		layout=COLLATED_TSV
		case $sanitizer in
		address)
			alike "$program: unwinding" ./"$program" cancel
			finds "$program" overflow
			ASAN_OPTIONS=verify_asan_link_order=0:exitcode=33
			finds "$program" leak
			;;
		thread)
			finds "$program" race
			;;
		esac
	done
done
unset ASAN_OPTIONS

# By run, start and source: gcc's programs run, and what the user asks for stays.
layout=COLLATED_TSV
if [ -x gcc-address ]; then
	./gcc-address >bare.out 2>bare.err
	bare=$?
	"$PERFMON" -a run ./gcc-address >with.out 2>with.err
	compare "perfmon run" $?
	ASAN_OPTIONS=exitcode=33 "$PERFMON" -a run ./gcc-address overflow >out 2>err
	is "$?" 33 "perfmon run: the user's ASAN_OPTIONS count"
	ASAN_OPTIONS=verify_asan_link_order=1 "$PERFMON" -a run ./gcc-address >out 2>err
	is "$(grep -c 'runtime does not come first' err)" 1 \
		"perfmon run: even those that keep the program from running"
	# shellcheck disable=SC2016 # the inner shell expands
	ASAN_OPTIONS=exitcode=34 sh -c '
		"$1" start && eval "$("$1" source --shell sh)" || exit
		./gcc-address; echo $?
		./gcc-address overflow 2>/dev/null; echo $?
		perfmon_uninstrument
		echo "$ASAN_OPTIONS"
		"$1" stop' x "$PERFMON" >with.out 2>with.err
	is "$? $(tail -n 3 with.out | tr '\n' ' ')" "0 5 34 exitcode=34 " \
		"perfmon source: the same, and back again"
	sed 's/^/# /' with.err
else
	skip "perfmon run and source of programs with AddressSanitizer" "no such program works here"
fi
done_testing
