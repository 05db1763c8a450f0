#!/bin/sh
# Counters of threads: exact where a breakpoint counts, unknown with a reason where nothing can.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

counters=$abs_top_builddir/tests/progs/counters
if ! need nm; then
	skip "counters" "no $missing"
	done_testing
fi
address=$(nm "$counters" | awk '$3 == "watched" { print $1 }' | sed 's/^0*//')

# entry NAME TYPE [CONFIG [CONFIG1 [CONFIG2 [BPTYPE]]]]: as the wrapper hands an event on.
entry()
{
	printf '%s:%s:%s:%s:%s:2:%s' "$2" "${3:-0}" "${4:-0}" "${5:-0}" "${6:-0}" "$1"
}

touched=$(entry touched 5 0 "$address" 4 3)
faults=$(entry faults 1 2)
minor=$(entry minor 1 5)
clock=$(entry clock 1 1)

layout=COLLATED_TSV
if ! counted "$touched" "$counters" touch 1 >/dev/null || ! value touched record=end | grep -q '^1$'; then
	skip "counters" "the kernel counts no breakpoint here: $(value touched record=end | head -n 1)"
	done_testing
fi

for layout in $layouts; do
	counted "$touched" "$counters" threads 64 >"$work/truth"
	is $? 0 "$layout: a program of 64 threads"
	sed '$d' "$work/truth" | sort >"$work/want"
	table | grep 'record=thread' | sed 's/.*	tid=\([0-9]*\)	.*	counters=touched=\([^	]*\)	.*/\1 \2/' |
		grep -vw "$(field tid record=start)" | sort >"$work/got"
	is "$(wc -l <"$work/want" | tr -d ' ') $(diff "$work/want" "$work/got")" "64 " \
		"$layout: the count of every thread is its own"
	is "$(value touched record=end)" "$(tail -n 1 "$work/truth" | cut -d' ' -f2)" "$layout: the process counts their sum"

	counted "$touched" "$counters" fork >"$work/truth"
	while read -r pid count; do
		is "$(value touched record=end "pid=$pid" end_reason=exit)" "$count" \
			"$layout: over fork and vfork each process counts its own"
		count=
	done <<END
$(awk '!seen[$1]++' "$work/truth" | sed '3,$d')
END
	pid=$(tail -n 1 "$work/truth" | cut -d' ' -f1)
	is "$(value touched record=end "pid=$pid" | tr '\n' ' ')" "5 5 " "$layout: over exec each image counts its own"

	counted "$faults ?ENOENT:PAPI_TOT_INS $clock" "$counters" touch 1 >/dev/null
	set -- "$(value PAPI_TOT_INS record=end | sort -u)" "$(value faults record=end | head -n 1)" \
		"$(value clock record=end | head -n 1)"
	is "$1" '?ENOENT' "$layout: an event that is not to be had says why"
	test "${2:-0}" -gt 5 && test "${3:-0}" -gt 1000
	ok $? "$layout: and costs the others nothing ($2 faults, $3 ns)"

	counted "$touched 5:77:77:4:3:2:" "$counters" touch 3 >/dev/null
	is "$(value touched record=end | tr '\n' ' ')" "3 3 " "$layout: an entry that is no event changes no count"

	counted "$(entry bad 1 999) $faults" "$counters" touch 1 >/dev/null
	value bad record=end | head -n 1 | grep -q '^?E[A-Z]*$'
	ok $? "$layout: an event that the kernel refuses says why: $(value bad record=end | head -n 1)"
	test "$(value faults record=end | head -n 1)" -gt 5
	ok $? "$layout: and costs the others nothing"

	counted "$faults $minor $clock" "$counters" close >"$work/truth"
	is $? 0 "$layout: a program that closes all descriptors goes on"
	is "$(value faults record=end) $(value minor record=end)" '?closed ?closed' "$layout: its counters are unknown"
	test "$(value clock record=end)" -gt 1000
	ok $? "$layout: but what needs no descriptor"
	test "$(cut -d' ' -f2 "$work/truth")" -ge 2
	ok $? "$layout: which it did close"

	counted "$faults $minor" "$counters" reuse >"$work/truth"
	is $? 0 "$layout: a program that uses the numbers for its own files is not disturbed"
	is "$(value faults record=end ppid=0 | sort -u)$(value faults record=end | sort -u | tail -n 1)" '?closed' \
		"$layout: its counters are unknown"

	# Beyond the soft limit nobody looks; where there is no room, near its end, or past 1023 of many.
	for limit in 8:8 8:4096 64:64 1024:1024 1024:4096 4096:8192 20000:20000; do
		prlimit --nofile="$limit" "$counters" list >"$work/bare" 2>/dev/null || continue
		counted "$faults $minor" prlimit --nofile="$limit" "$counters" list >"$work/with"
		case $limit in
		64:64) first=56 ;;
		1024:1024) first=896 ;;
		20000:20000) first=1024 ;;
		*) first=999999 ;;
		esac
		awk -v first="$first" '$1 == "limit" || $1 < first' "$work/with" | cmp -s - "$work/bare"
		ok $? "$layout: limit $limit: the program sees its own descriptors and limits"
		got=$(value faults record=end exename=counters)
		case $limit:$got in
		8:8:\?EMFILE) ok 0 "$layout: limit $limit: there is no room" ;;
		*:[0-9]*) ok 0 "$layout: limit $limit: it was counted" ;;
		*) ok 1 "$layout: limit $limit: counted? $got" ;;
		esac
	done

	# CPU time by the kernel's own clock, in each of four threads and all together.
	counted "$(entry clock 1 1)" "$counters" spin 20 a b c d >"$work/truth"
	wrong=$(while read -r tid ns; do
		got=$(value clock record=thread "tid=$tid")
		[ "${got:-0}" -gt $((ns / 2)) ] && [ "$got" -lt $((ns * 2)) ] || echo "$tid: $got, not $ns"
	done <"$work/truth")
	is "$wrong" "" "$layout: the clock of each thread is its own"

	PERFMON_OPTIONS=$layout,PERF_COUNT_SW_PAGE_FAULTS,page-faults,PAPI_L1_DCM
	rm -rf "$records"
	mkdir -m 700 "$records"
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$PERFMON_OPTIONS LD_PRELOAD=$PERFMON_LIBRARY "$counters" touch 1 >/dev/null
	unset PERFMON_OPTIONS
	test "$(value PERF_COUNT_SW_PAGE_FAULTS record=end | head -n 1)" -gt 5 &&
		test "$(value page-faults record=end | head -n 1)" -gt 5
	ok $? "$layout: without perfmon the kernel's own events are known by name"
	is "$(value PAPI_L1_DCM record=end | sort -u)" '?wrapper' "$layout: others say that they need it"
done

# What the kernel takes to open a counter is the collector's, not the program's.
layout=COLLATED_TSV
if [ "${PM_SANITIZED:-no}" = no ] && need strace &&
	strace -o "$work/trace" --inject=perf_event_open:delay_enter=1 true 2>/dev/null; then
	for case in "threads 2:150000" "fork:50000"; do
		# shellcheck disable=SC2086
		counted "$faults" strace -f -o "$work/trace" --inject=perf_event_open:delay_enter=50000 \
			"$counters" ${case%:*} >/dev/null
		field duration_us record=end exename=counters >"$work/durations"
		field own_overhead_us record=end exename=counters | paste - "$work/durations" >"$work/own"
		is "$(awk -v least="${case#*:}" '$1 < least || $2 < 50000' "$work/own")" "" \
			"${case%:*}: opening is charged, and in the time of its image: $(tr '\t\n' ' ,' <"$work/own")"
	done
	is "$(wc -l <"$work/own" | tr -d ' ')" 4 "of a process, a fork child and what they exec"
else
	skip "the charge for opening" "strace is not there or may not delay"
fi
done_testing
