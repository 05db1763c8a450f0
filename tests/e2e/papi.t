#!/bin/sh
# Events that PAPI reads: the same as those that the kernel is asked for directly, in each thread and
# image; what counts for the node once; and where PAPI cannot, a reason and a program undisturbed.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

progs=$abs_top_builddir/tests/progs
if ! need taskset prlimit sqlite3; then
	skip "PAPI" "no $missing"
	done_testing
fi
if [ ! -x "$progs/papi_host" ]; then
	PERFMON_OPTIONS=papi:fake::ticks "$PERFMON" -a run true 2>err
	grep -q "papi:fake::ticks: not counted: PAPI is missing: perfmon was built without it" err
	ok $? "without PAPI the reason says so"
	done_testing
fi

# The first two CPUs that we may use.
# shellcheck disable=SC2046 # one word each
set -- $(awk '/^Cpus_allowed_list:/ { n = split($2, part, ",")
	for (i = 1; i <= n; i++) { split(part[i], end, "-")
		for (c = end[1]; c <= (end[2] == "" ? end[1] : end[2]); c++) print c } }' /proc/self/status)
first=$1 second=$2

# papi SCOPE TYPE COMPONENT EVENT NAME: an entry as the wrapper hands it on.
papi()
{
	printf '@%s:%s:%x:%s:%s:%s' "$1" "$2" $((${#3} + ${#4} + 1)) "$3" "$4" "$5"
}

# counted EVENTS COMMAND...: collect with these events, in $layout.
counted()
{
	PERFMON_EVENTS=$1
	export PERFMON_EVENTS
	shift
	collect "$layout" "$@"
	status=$?
	unset PERFMON_EVENTS
	return $status
}

# value NAME PATTERN...: what the event counted in the lines with these patterns.
value()
{
	name=$1
	shift
	field counters "$@" | tr ' ' '\n' | sed -n "s/^$name=//p"
}

direct=1:4:0:0:0:0:direct
through=$(papi thread 0 perf_event perf::CPU-MIGRATIONS:u=1:k=1 through)

# --- names -----------------------------------------------------------------------------------------
"$PERFMON" events --json papi:perf::CPU-MIGRATIONS >names 2>err
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

# --- components that count for the node ------------------------------------------------------------------
version=$("$PERFMON" check counters.papi | sed -n 's/.*PAPI \([0-9.]*\).*/\1/p' | head -n 1)
mkdir fake
cp "$progs/papi_fake.so" "fake/libpapi.so.$version"
"$PERFMON" events "gauge*" >names 2>&1
is "$(cat names)" "perfmon: no event is known here whose name matches 'gauge*'" "what PAPI lacks is not listed"
LD_LIBRARY_PATH=$work/fake
export LD_LIBRARY_PATH
"$PERFMON" events "*gauge*" >names 2>&1
is "$(sed 's/  */ /g' names)" "gauge:::ten PAPI what gauge:::ten shows [nJ] (papi, of the whole node)
gauge:::minus PAPI what gauge:::minus shows [nJ] (papi, of the whole node)
gauge:::half PAPI what gauge:::half shows [nJ] (papi, of the whole node)
gauge:::huge PAPI what gauge:::huge shows [nJ] (papi, of the whole node)" "events of PAPI's components are listed, with units"
"$PERFMON" events --all broken:::one | grep -q -- '-- PAPI: .*(PAPI_ESYS)$'
ok $? "one that is added and does not start is told as it is"
PERFMON_OPTIONS=io:::all "$PERFMON" -a run true 2>err
grep -q 'io:::all: not counted: it holds what waited-for children did' err
ok $? "a component whose counts say nothing of a process is refused"
PERFMON_OPTIONS=gauge:::ten "$PERFMON" check counters.options | grep -q 'gauge:::ten: read by PAPI, of the node'
ok $? "check shows it"

gauges="$(papi node 0 gauge gauge:::ten ten) $(papi node 0 gauge gauge:::minus minus)"
gauges="$gauges $(papi node 2 gauge gauge:::half half) $(papi node 1 gauge gauge:::huge huge)"
gauges="@library:${library#@library:} $gauges"
gauges="@library:7000000:$work/fake/libpapi.so.$version ${gauges#* }"
unset LD_LIBRARY_PATH
for layout in $layouts; do
	counted "$gauges" "$progs/counters" threads 3 >truth
	is "$(field counters record=end)" "ten=10@node minus=-5@node half=3@node huge=?range" \
		"$layout: a process says once what its node counted"
	is "$(field counters record=thread | sort -u)" "unknown" "$layout: and its threads say nothing of it"
done
layout=COLLATED_TSV
prlimit --nofile=1024:4096 "$progs/counters" list >bare
counted "$gauges" prlimit --nofile=1024:4096 "$progs/counters" list >with 2>said
cmp -s with bare && [ ! -s said ]
ok $? "files that a component keeps open are out of the program's sight"
counted "$gauges" sh -c 'exec env -u LD_PRELOAD ls /proc/self/fd' >with
is "$(field counters record=end exename=env)" "ten=10@node minus=-5@node half=3@node huge=?range" "an image begins anew"
ls /proc/self/fd | cmp -s - with
ok $? "and leaves no descriptor to the one behind it"
counted "$gauges" "$progs/counters" close >truth
is "$(value ten record=end)" "?closed" "a component whose file was closed is not read"
counted "$gauges" "$progs/migrate" "$first" "$first" _exit 1 >truth
is "$(value ten record=end)" "10@node" "it is read at the end of a program that has a signal handler"
counted "$gauges" "$progs/migrate" "$first" "$first" handler 1 >truth
is "$(value ten record=end)" "?handler" "and not in the handler, which may have interrupted malloc"
counted "${gauges%% *} $(papi node 0 broken broken:::one one) $(papi node 0 gauge gauge:::ten ten)" \
	"$progs/counters" list >/dev/null
is "$(field counters record=end)" "one=?PAPI_ESYS ten=10@node" "a component that does not start costs another nothing"
counted "${gauges%% *} $(papi node 0 net net:::bytes bytes)" "$progs/counters" list >/dev/null
if [ "$(field duration_us record=end)" -lt 900000 ]; then
	is "$(value bytes record=end)" "?early" "what a component has not read yet is unknown, and not 0"
else
	skip "what a component has not read yet is unknown, and not 0" "the program took a second"
fi
counted "${gauges%% *} $(papi process 0 io io:::all all)" "$progs/counters" threads 2 >/dev/null
is "$(value all record=end):$(field counters record=thread | sort -u)" "1:unknown" "what counts for a process is its own, once"
FAKE_VERSION=5000000 counted "$gauges" "$progs/counters" list >/dev/null
is "$(value ten record=end)" "?version" "a library that says it is another version is not used"

# --- loaded ------------------------------------------------------------------------------------------
LD_LIBRARY_PATH=$work/fake
export LD_LIBRARY_PATH
PERFMON_OPTIONS=gauge:::ten,page-faults "$PERFMON" -a -j node run sh -c '/bin/true; /bin/true; :' 2>err
is "$(cat err)" "" "a job asks for an event of a component by its name"
"$PERFMON" submit -j node >/dev/null
is "$(sqlite3 "$XDG_DATA_HOME/perfmon/perfmon.db" \
	"SELECT value, processes, scope FROM counter_summary WHERE name = 'gauge:::ten'")" "10|3|node" \
	"what three processes saw of their node is not summed"
"$PERFMON" report -j node | grep -q 'gauge:::ten *10 *3 *0 *of a node: largest'
ok $? "nor in the report"
"$PERFMON" show -j node --counters | grep -q '10 (of the node) *gauge:::ten'
ok $? "show says whose count it is"
done_testing
