#!/bin/sh
# Events that PAPI reads: the same as those that the kernel is asked for directly, in each thread and
# image; and where PAPI cannot, a reason and a program undisturbed.
# shellcheck source=tests/e2e/papi.sh
. "${abs_top_srcdir:?}/tests/e2e/papi.sh"

direct=1:4:0:0:0:0:direct
through=$(papi thread 0 perf_event perf::CPU-MIGRATIONS:u=1:k=1 through)

# --- names -----------------------------------------------------------------------------------------
"$PERFMON" events --json papi:perf::CPU-MIGRATIONS >names 2>err
if ! "$progs/papi_host" >own 2>&1; then
	"$PERFMON" events --all --json papi:perf::CPU-MIGRATIONS >names
	grep -q '"why": "PAPI: ' names
	ok $? "where PAPI itself counts nothing, its reason is given: $(sed -n 's/^ *"why": //p' names)"
	skip "what PAPI reads" "PAPI does not know this processor"
	done_testing
fi
is "$(sed -n 's/^ *"\(state\|how\|scope\|domain\|source\)": "\([a-zA-Z]*\)",*/\1 \2/p' names | tr '\n' ' ')" \
	"state ok domain all source PAPI how papi scope thread " "papi: in front of a name has PAPI read it"
if ! grep -q '"ok"' names; then
	skip "what PAPI reads" "it cannot here: $(cat names err)"
	done_testing
fi
exported=$(PERFMON_OPTIONS=papi:perf::CPU-MIGRATIONS "$PERFMON" -a -j names run sh -c "echo \"\$PERFMON_EVENTS\"")
library=${exported%% *}
is "${exported#* }" "$(papi thread 0 perf_event perf::CPU-MIGRATIONS:u=1:k=1 papi:perf::CPU-MIGRATIONS)" \
	"it is handed to the programs, with the path of the library"
test -e "${library##*:}"
ok $? "which is there"
is "$(PERFMON_OPTIONS=papi:perf::PAGE-FAULTS PERFMON_COUNTER_DOMAIN=kernel "$PERFMON" -a run env |
	sed -n 's/^PERFMON_EVENTS=[^ ]* //p')" \
	"$(papi thread 0 perf_event perf::PAGE-FAULTS:u=0:k=1 papi:perf::PAGE-FAULTS)" "the domain is that which was asked for"
PERFMON_OPTIONS=papi:nosuchthing,rapl:::E,cpu-clock "$PERFMON" -a run true 2>err
grep -q "papi:nosuchthing: not counted: PAPI" err && grep -q "rapl:::E: not counted: PAPI" err && ! grep -q cpu-clock err
ok $? "what PAPI does not know costs nothing but itself: $(tr '\n' ' ' <err)"

# --- the same as directly --------------------------------------------------------------------------
if [ -z "$second" ]; then
	skip "PAPI and the kernel agree" "there is one CPU alone, and no migration"
	layouts=
fi
for layout in $layouts; do
	counted "$library $direct $through" taskset -c "$first" "$progs/migrate" "$first" "$second" once 50 >truth
	is "$(value direct record=end exename=migrate):$(value through record=end exename=migrate)" "100:100" \
		"$layout: PAPI counts what the kernel counts, and the program did"

	counted "$library $through" taskset -c "$first" "$progs/migrate" "$first" "$second" threads 20 >truth
	table | sed -n 's/.*	record=thread	.*	tid=\([0-9]*\)	.*	counters=through=\([0-9]*\)	.*/\1 \2/p' |
		grep -vw "$(field tid record=start exename=migrate)" | sort >got
	is "$(wc -l <got | tr -d ' ') $(sed '$d' truth | sort | diff - got)" "20 " "$layout: in every thread its own"
	is "$(value through record=end exename=migrate)" "$(tail -n 1 truth | cut -d' ' -f2)" "$layout: the process counts their sum"

	counted "$library $direct $through" taskset -c "$first" "$progs/migrate" "$first" "$second" alive 7 >truth
	is "$(value through record=thread "tid=$(cut -d' ' -f1 truth)"):$(value through record=end exename=migrate)" "14:14" \
		"$layout: in a thread that lives at the end, too"

	counted "$library $direct $through" taskset -c "$first" "$progs/migrate" "$first" "$second" fork >truth
	child=$(tail -n 1 truth | cut -d' ' -f1)
	is "$(value through record=end "pid=$child") $(value direct record=end "pid=$child")" "?fork 10" \
		"$layout: a fork child says that PAPI does not count it"
	is "$(value through record=end "pid=$(head -n 1 truth | cut -d' ' -f1)" exename=migrate)" "6" "$layout: and its parent goes on"

	counted "$library $through" taskset -c "$first" "$progs/migrate" "$first" "$second" exec 4 >truth
	is "$(value through record=end exename=migrate | tr '\n' ' ')" "8 10 " "$layout: over exec each image counts its own"

	counted "$library $direct ?ENOENT:gone $(papi thread 0 perf_event bogus::event bogus) $through" \
		taskset -c "$first" "$progs/migrate" "$first" "$second" _exit 3 >truth
	is "$(field counters record=end exename=migrate)" "direct=6 gone=?ENOENT bogus=?PAPI_ENOEVNT through=6" \
		"$layout: an event that PAPI does not know costs the others nothing"
done

# --- the program's descriptors ------------------------------------------------------------------------
faults=$(papi thread 0 perf_event perf::PAGE-FAULTS faults)
layout=COLLATED_TSV
for limit in 64:4096 1024:4096 256:256; do
	case $limit in
	256:256) end=224 ;;
	*) end=999999 ;;
	esac
	prlimit --nofile="$limit" "$progs/counters" list 2>/dev/null >all || continue
	awk -v end=$end '$1 == "limit" || $1 < end' all >bare
	counted "$library $faults" prlimit --nofile="$limit" "$progs/counters" list >all 2>said
	awk -v end=$end '$1 == "limit" || $1 < end' all | cmp -s - bare && [ ! -s said ]
	ok $? "limit $limit: the program sees its own descriptors and limits"
	value faults record=end exename=counters | grep -q '^[0-9]'
	ok $? "limit $limit: and is counted"
done
counted "$library $faults" "$progs/counters" close >truth
is "$?:$(value faults record=end)" "0:?closed" "a program that closes all descriptors goes on, and is unknown"
counted "$library $faults" "$progs/counters" reuse >truth
is "$?:$(value faults record=end ppid=0 | sort -u)$(value faults record=end | sort -u | tail -n 1)" "0:?fork" \
	"nothing is read from a number that the program uses for a file of its own"
value faults record=end | grep -q '^?closed$'
ok $? "and the reason says that it was closed"

# --- programs that use PAPI themselves -----------------------------------------------------------------
is "$("$progs/papi_host")" 100 "a program linked with PAPI counts its faults"
counted "$library $faults 1:2:0:0:0:6:direct" "$progs/papi_host" >truth 2>&1
is "$?:$(cat truth):$(value faults record=end)" "0:100:?inuse" "as it does recorded, and PAPI is left to it"
test "$(value direct record=end)" -gt 100
ok $? "which costs other events nothing"

counted "$library $faults" "$progs/papi_host_late" "${library##*:}" >truth 2>&1
is "$?:$(cat truth)" "0:100" "a program that opens PAPI later finds it as if nobody had"
test "$(value faults record=end)" -ge 100
ok $? "while its own faults are counted"
(
	ulimit -f 1
	counted "$library $faults" "$progs/counters" list >bare
	echo $? >status
)
is "$(cat status)" 0 "a limit on the size of files costs the program nothing"

if need cc; then
	echo 'void __tsan_init(void); void __tsan_init(void) {}  int main(void) { return 0; }' >tsan.c
	cc -rdynamic -o tsan tsan.c
	counted "$library $faults" ./tsan
	is "$(value faults record=end)" '?sanitizer' "PAPI is kept out of programs that look for races"
else
	skip "PAPI is kept out of programs that look for races" "no $missing"
fi

# --- no PAPI, or not that one --------------------------------------------------------------------------
head -c 3000 "${library##*:}" >part
for bad in "$library.gone" "@library:7000000:/proc/version" "@library:7000000:$work/part" ""; do
	counted "$bad $faults 1:2:0:0:0:6:direct" "$progs/counters" touch 1 >truth 2>said
	status=$?
	case $bad in
	"") want='?wrapper' ;;
	*) want='?dlopen' ;;
	esac
	is "$status:$(value faults record=end | sort -u):$(cat said)" "0:$want:" "without its library the reason is $want"
	test "$(value direct record=end | head -n 1)" -ge 1
	ok $? "and other events are counted"
done
counted "@library:1000000:${library##*:} $faults" "$progs/counters" touch 1 >truth
is "$(value faults record=end | sort -u)" '?PAPI_EINVAL' "a library of another version refuses"
done_testing
