#!/bin/sh
# Hardware counters, exactly: perfmon for arm64 records programs of known numbers of instructions in
# an emulated machine, whose processor counts each. `make check-pmu` runs it.
#
# Packages are fetched once, into PM_PMU_CACHE or else the folder pmu of the build folder; where they
# are not to be had, all of it is skipped.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/series.sh
. "$abs_top_srcdir/tests/e2e/series.sh"

own=$abs_top_srcdir/tests/pmu
cache=${PM_PMU_CACHE:-$abs_top_builddir/pmu}
build=$abs_top_builddir/pmu/build

if ! need sqlite3 busybox base64 gzip timeout; then
	skip "counters of an emulated processor" "no $missing"
	done_testing
fi
if [ -e "$abs_top_srcdir/config.status" ]; then
	skip "counters of an emulated processor" "the source folder is a build folder"
	done_testing
fi
why=$("$own/packages" "$cache")
case $? in
0) ;;
77)
	skip "counters of an emulated processor" "$why"
	done_testing
	;;
*)
	ok 1 "packages of the emulated machine: $why"
	done_testing
	;;
esac

"$own/build" "$cache" "$build" >"$work/build.log" 2>&1
built=$?
ok $built "perfmon builds for arm64 without warnings"
if [ $built -ne 0 ]; then
	diag "$(tail -n 20 "$work/build.log")"
	done_testing
fi
abs_top_builddir=$build sh "$abs_top_srcdir/tests/symbols.t" >"$work/symbols.log" 2>&1
ok $? "its collector shows and wants what it may"
grep '^not ok' "$work/symbols.log" | sed 's/^/# /'

"$own/boot" "$cache" "$build/image" "$own/jobs.sh" "$work/results" >"$work/boot.log" 2>&1
booted=$?
ok $booted "the machine runs its jobs"
if [ $booted -ne 0 ]; then
	diag "$(tail -n 20 "$work/boot.log" "$work/results/console")"
	done_testing
fi
cd "$work/results" || exit 99
diag "$(grep 'PMU driver' log)"
is "$(grep ': status' log)" "" "perfmon records, loads and reports there"
grep -q '^pass *counters.hardware' checked && grep -q '^PAPI_TOT_INS ' listed
ok $? "perfmon check and events know of the counters"
grep -q 'exact loop' report && grep -q 'exact loop' plain/report
ok $? "its reports show the jobs"

# values DATABASE JOB NAME: "pid tid value" of each process (tid 0) and thread, in order.
values()
{
	sqlite3 -separator ' ' "$1" "
		SELECT p.pid, ifnull(t.tid, 0), ifnull(c.value, c.reason) FROM counter c
		JOIN tag g ON g.job_id = c.job_id AND g.process_id = 0 AND g.name = 'case'
			AND g.value = '$2'
		JOIN process p ON p.job_id = c.job_id AND p.id = c.process_id
		LEFT JOIN thread_row t ON t.job_id = c.job_id AND t.process_id = c.process_id
			AND t.id = c.thread_id
		WHERE c.name = '$3' ORDER BY 1, 2, 3"
}

# compare TRUTH: "pid tid value" on standard input are those of the truth: no instruction of the loops
# is missing, and what else the program executed is less than a thousandth.
compare()
{
	sort -n -k1,1 -k2,2 -k3,3 "$1" >want
	cat >got
	paste -d ' ' want got | awk '
		NF != 6 || $4 != $1 || $5 != $2 || $6 - $3 < 0 || ($6 - $3) * 1000 > $3 { wrong = 1 }
		END { exit wrong || NR == 0 }'
}

# counted DATABASE JOB NAME WHAT: and so it is in the database.
counted()
{
	values "$1" "$2" "$3" | compare "$(dirname "$1")/truth.$2"
	right=$?
	ok $right "$3 within 0.1 %: $4"
	[ $right -eq 0 ] || diag "$(paste want got)"
}

for event in PAPI_TOT_INS PAPI_TOT_CYC; do
	counted db threads $event "each of 5 threads, and their process"
	counted db files $event "the same in files of each process"
	counted db family $event "process, fork child, and what a vfork child executes"
	counted db exec $event "both images of a process"
	counted plain/db plain $event "a plain user's, perf_event_paranoid 2"
	counted plain/db limited $event "where the kernel was asked for and may not be counted"
	counted db bogus $event "beside an event that nothing knows"
done
is "$(values db bogus PAPI_NO_SUCH | cut -d ' ' -f 3)" unknown "the unknown event is unknown"
is "$(values plain/db denied PAPI_TOT_INS | cut -d ' ' -f 3)" EACCES "perf_event_paranoid 4: unknown, and why"
for name in instructions PERF_COUNT_HW_INSTRUCTIONS arm_ac57::INST_RETIRED cycles; do
	counted db names $name "by this name"
done
for name in r8 armv8_pmuv3/inst_retired/; do
	counted db others $name "by this name"
done
for name in instructions arm_ac57::INST_RETIRED; do
	counted db domain $name:u "in user mode"
	kernel=$(values db domain $name:k | cut -d ' ' -f 3)
	test "$kernel" -gt 1000 && test "$kernel" -lt 10000000
	ok $? "$name:k, in the kernel, is another number: $kernel"
done

# The collector alone takes the names itself.
awk -F '\t' '$2 == "end"' alone/*.tsv | tr '[:space:]' '[\n*]' | sed -n 's/^instructions=//p' |
	sed "s/^/$(cut -d ' ' -f 1,2 truth.alone) /" | compare truth.alone
ok $? "without perfmon the collector counts the same"

# What the programs of collector/semantics.t and collector/clone.t see, on this architecture.
for program in semantics cloneschildren clonesrefused clonesthreads; do
	test -s bare.$program && cmp -s bare.$program recorded.$program
	same=$?
	ok $same "$program is as without the collector"
	[ $same -eq 0 ] || diag "$(diff bare.$program recorded.$program)"
	grep -q '	end	' $program/*.tsv
	ok $? "$program is recorded"
done

# More events than counters: they take turns, in groups that count together.
many=$(sed -n 's/^many=//p' "$own/jobs.sh" | tr , '\n' | wc -l)
sqlite3 -separator ' ' db "
	SELECT c.name, c.value, c.ratio FROM counter c JOIN tag g ON g.job_id = c.job_id
		AND g.process_id = 0 AND g.name = 'case' AND g.value = 'many'" >shares
is "$(wc -l <shares)" $((many + 2)) "all of $((many + 2)) events share the counters"
is "$(awk '!($3 > 0.1 && $3 < 0.9)' shares)" "" "each says that it did not count all the time"
want=$(cut -d ' ' -f 3 truth.many)
is "$(awk -v want="$want" '{ off = $2 / want - 1 } off < -0.1 || off > 0.1' shares)" "" \
	"their scaled values are within 10 %"
# Cycles are instructions in this machine: what counts at the same times scales to the same number.
awk '{ value[$1] = $2; ratio[$1] = $3 }
	END {
		off = value["PAPI_TOT_INS"] / value["PAPI_TOT_CYC"] - 1
		exit ratio["PAPI_TOT_INS"] != ratio["PAPI_TOT_CYC"] || off < -1e-5 || off > 1e-5
	}' shares
ok $? "instructions and cycles count together"
test "$(cut -d ' ' -f 3 shares | sort -u | wc -l)" -gt 1
ok $? "not all of them do"

# The sampler, of a tree of processes.
for event in instructions cycles; do
	echo "0 0 $(series_last series/emulated.series perf count $event)" >counted
	sed 's/^[0-9]* [0-9]*/0 0/' truth.series >truth
	compare truth <counted
	right=$?
	ok $right "the sampler counts $event within 0.1 %, asked for as ipc"
	[ $right -eq 0 ] || diag "$(paste truth counted)"
done
want=$(cut -d ' ' -f 3 truth.turns)
for event in $(sed -n 's/^many=//p' "$own/jobs.sh" | tr , ' '); do
	for metric in count enabled running; do
		series_last turns/emulated.series perf $metric "$event"
	done | paste -s -d ' ' - | sed "s|^|$event |"
done >turns.all
is "$(wc -l <turns.all)" "$many" "the sampler: more events than counters"
is "$(awk '!($4 > 0.05 * $3 && $4 < 0.95 * $3)' turns.all)" "" "each says how long it counted"
is "$(awk -v want="$want" '{ off = $2 * $3 / $4 / want - 1 } off < -0.1 || off > 0.1' turns.all)" "" \
	"scaled they are within 10 %"
awk '{ count[$1] = $2; enabled[$1] = $3; running[$1] = $4 }
	END {
		off = count["instructions"] / count["cycles"] - 1
		exit enabled["instructions"] != enabled["cycles"] || running["instructions"] != running["cycles"] ||
			off < -1e-5 || off > 1e-5
	}' turns.all
ok $? "those of a group count together"
done_testing
