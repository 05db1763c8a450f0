#!/bin/sh
# The lane that runs other projects' test suites bare and recorded tells what differs from what is
# broken anyway or flaky, and whether the records are those of the suite.
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need bash setpriv; then
	skip "other projects' suites are compared" "no $missing"
	done_testing
fi

mkdir "$work/lane" "$work/build" && cp "$abs_top_srcdir/tests/transparency/run" \
	"$abs_top_srcdir/tests/transparency/lib.sh" "$work/lane" &&
	cp "$PERFMON" "$PERFMON_LIBRARY" "$work/build" || exit 99
cat >"$work/lane/probe.sh" <<'END'
. "$(dirname "$0")/lib.sh"
needs() { :; }
fetch() { :; }
prepare() { :; }
version() { echo "probe 1"; }
run()
{
	[ "$1" != all ] || set -- $PROBES
	for group in "$@"; do
		# More processes than there are groups.
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do /bin/true; done
		case $group in
		steady | other) result=PASS ;;
		broken) result=FAIL ;;
		sensitive) [ -z "${LD_PRELOAD-}" ] && result=PASS || result=FAIL ;;
		sometimes) # Every other time recorded.
			result=PASS
			if [ -n "${LD_PRELOAD-}" ]; then
				n=$(($(cat sometimes 2>/dev/null) + 1))
				echo $n >sometimes
				[ $((n % 2)) -eq 0 ] || result=FAIL
			fi ;;
		chance) # One time in three both ways, which the first six times bare happen not to show.
			result=PASS
			n=$(($(cat chance 2>/dev/null) + 1))
			echo $n >chance
			[ -z "${LD_PRELOAD-}" ] && [ $n -le 6 ] || [ $((n % 3)) -ne 1 ] || result=FAIL ;;
		once) # The first time recorded, and never again.
			result=PASS
			[ -z "${LD_PRELOAD-}" ] || [ -e seen ] || result=FAIL
			[ -z "${LD_PRELOAD-}" ] || : >seen ;;
		many) # Twelve cases that fail together, once recorded.
			result=PASS
			[ -z "${LD_PRELOAD-}" ] || [ -e down ] || result=FAIL
			[ -z "${LD_PRELOAD-}" ] || : >down
			for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$result many case $i"; done ;;
		lost) # Twelve that fail whenever recorded.
			[ -z "${LD_PRELOAD-}" ] && result=PASS || result=FAIL
			for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "$result lost case $i"; done ;;
		late) # The first time bare, and never again.
			result=PASS
			[ -e tried ] || result=FAIL
			: >tried ;;
		esac
		echo "$result $group a case"
	done
	true
}
END
# run sets a clean environment: what the probe does is part of its text.
probe()
{
	{
		echo "PROBES='$1'"
		cat "$work/lane/probe.sh"
		echo '"$@"'
	} >"$work/lane/suite.sh"
	PM_TRANSPARENCY_LAYOUTS="${PM_TRANSPARENCY_LAYOUTS:-COLLATED_TSV PER_PROCESS}" PM_TRANSPARENCY_CACHE=$work/cache \
		"$work/lane/run" "$work/build" suite >"$work/out" 2>&1
	status=$?
	[ "${2-}" = "$status" ] || diag "$(cat "$work/out")"
}

probe "steady broken other" 0
is "$status" 0 "what fails bare as well is no difference"
is "$(grep -c '^PASS: .* 2 pass recorded, 0 that pass bare fail' "$work/out")" 2 \
	"both layouts are compared"
grep -q '3 cases, bare: 2 pass, 1 fail, 0 are skipped' "$work/out"
ok $? "the bare counts are printed"
is "$(grep -c '^  fails bare: broken a case$' "$work/out")" 1 "and what fails bare is named"
is "$(grep -c '^PASS: .*the records of [0-9]* processes load' "$work/out")" 2 \
	"the records are loaded"

probe "steady once late" 0
is "$status" 0 "what fails once is flaky, bare and recorded"
is "$(grep -c '^  flaky, .*: once a case (failed again: bare 0, recorded 0 of 5)' "$work/out")" 2 \
	"and named"
grep -q '3 cases, bare: 3 pass' "$work/out"
ok $? "what passes bare the second time passes"

probe "steady sensitive" 1
is "$status" 1 "what fails recorded alone fails the lane"
is "$(grep -c '^  differs, .*: sensitive a case (failed again: bare 0, recorded 5 of 5)' \
	"$work/out")" 2 "and is named"

PM_TRANSPARENCY_LAYOUTS=COLLATED_TSV probe "steady many" 0
is "$status|$(grep -c '^  repeated, .*: 13 of 14 cases did not pass' "$work/out")|$(grep -c 'flaky' "$work/out")" "0|1|0" \
	"a run that loses most of a suite is repeated whole"
PM_TRANSPARENCY_LAYOUTS=COLLATED_TSV probe "steady lost" 1
is "$status|$(grep -c '^  differs, .*: lost [a-z]* *case' "$work/out")" "1|13" "and what it loses again differs"

PM_TRANSPARENCY_LAYOUTS=COLLATED_TSV probe "sometimes" 1
is "$status" 1 "so does what fails now and then recorded, and never bare"
is "$(grep -c '^  differs, .*: sometimes a case (failed again: bare 0, recorded 10 of 20 after 0, 2 of 5)' \
	"$work/out")" 1 "after more runs"
PM_TRANSPARENCY_LAYOUTS=COLLATED_TSV probe "steady chance" 0
is "$status" 0 "what fails as often bare is flaky, whatever the first runs show"
is "$(grep -c '^  flaky, .*: chance a case (failed again: bare 7, recorded 7 of 20 after 0, 1 of 5)' \
	"$work/out")" 1 "and is named with both counts"

# A collector that records nothing would disturb nothing, either.
printf 'int nothing;\n' >"$work/nothing.c"
if need cc && cc -shared -fPIC -o "$work/build/libperfmon.so" "$work/nothing.c"; then
	probe "steady" 1
	is "$status" 1 "a run that was not recorded fails the lane"
	grep -q '^FAIL: .*the records of' "$work/out"
	ok $? "for want of records"
else
	skip "a run that was not recorded fails the lane" "no compiler"
fi

done_testing
