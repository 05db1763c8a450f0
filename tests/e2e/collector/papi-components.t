#!/bin/sh
# Components of PAPI, by a library in its place that knows some (tests/progs/papi_fake.c): what they count
# for the node is there once, what for a thread in each; and what they do to the program's process is
# not noticed there.
# shellcheck source=tests/e2e/papi.sh
. "${abs_top_srcdir:?}/tests/e2e/papi.sh"

version=$("$PERFMON" check counters.papi | sed -n 's/.*PAPI \([0-9.]*\).*/\1/p' | head -n 1)
mkdir fake
cp "$progs/papi_fake.so" "fake/libpapi.so.$version"
"$PERFMON" events "gauge*" >names 2>&1
is "$(cat names)" "perfmon: no known event matches 'gauge*'" "what PAPI lacks is not listed"
LD_LIBRARY_PATH=$work/fake
export LD_LIBRARY_PATH
PAPI_FAKE_NOISE=1 "$PERFMON" events "*gauge*" >names 2>&1
is "$(sed 's/  */ /g' names)" "gauge:::ten PAPI what gauge:::ten shows [nJ] (papi, for the whole node)
gauge:::minus PAPI what gauge:::minus shows [nJ] (papi, for the whole node)
gauge:::half PAPI what gauge:::half shows [nJ] (papi, for the whole node)
gauge:::huge PAPI what gauge:::huge shows [nJ] (papi, for the whole node)" "events of PAPI's components are listed, with units, and nothing of what their libraries print"
"$PERFMON" events --all broken:::one | grep -q -- '-- PAPI: .*(PAPI_ESYS)$'
ok $? "one that is added and does not start is told as it is"
PERFMON_OPTIONS=io:::all "$PERFMON" -a run true 2>err
grep -q 'io:::all: not counted: it includes waited-for children' err
ok $? "a component whose counts say nothing of a process is refused"
PERFMON_OPTIONS=gauge:::ten "$PERFMON" check counters.options | grep -q 'gauge:::ten: read by PAPI, per node'
ok $? "check shows it"

gauges="$(papi node 0 gauge gauge:::ten ten) $(papi node 0 gauge gauge:::minus minus)"
gauges="$gauges $(papi node 2 gauge gauge:::half half) $(papi node 1 gauge gauge:::huge huge)"
library=@library:7000000:$work/fake/libpapi.so.$version
gauges="$library $gauges"
unset LD_LIBRARY_PATH
for layout in $layouts; do
	counted "$gauges" "$progs/counters" threads 3 >truth
	is "$(field counters record=end)" "ten=10@node minus=-5@node half=3@node huge=?range" \
		"$layout: a process says once what its node counted"
	is "$(field counters record=thread | sort -u)" "unknown" "$layout: and its threads say nothing of it"
done
ticks=$(papi thread 0 perf_event fake::ticks ticks)
for layout in $layouts; do
	counted "$library $ticks" "$progs/counters" threads 3 >truth
	is "$(value ticks record=thread | sort | uniq -c | tr -s ' ')|$(value ticks record=end)" " 4 1|4" "$layout: a set of its own in each thread, summed for the process"
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
counted "$library $(papi node 0 broken broken:::one one) $(papi node 0 gauge gauge:::ten ten)" \
	"$progs/counters" list >/dev/null
is "$(field counters record=end)" "one=?PAPI_ESYS ten=10@node" "a component that does not start costs another nothing"
between=$(papi node 0 broken broken:::one one)
counted "$library $(papi node 0 gauge gauge:::ten ten) $between $(papi node 1 gauge gauge:::huge huge) $(papi node 0 gauge gauge:::minus minus)" \
	"$progs/counters" list >/dev/null
is "$(field counters record=end)" "ten=10@node one=?PAPI_ESYS huge=?range minus=-5@node" "nor stands between it and its next event"
counted "$library $(papi node 0 net net:::bytes bytes)" "$progs/counters" list >/dev/null
if [ "$(field duration_us record=end)" -lt 900000 ]; then
	is "$(value bytes record=end)" "?early" "what a component has not read yet is unknown, and not 0"
else
	skip "what a component has not read yet is unknown, and not 0" "the program took a second"
fi
counted "$library $(papi process 0 io io:::all all)" "$progs/counters" threads 2 >/dev/null
is "$(value all record=end):$(field counters record=thread | sort -u)" "1:unknown" "what counts for a process is its own, once"
FAKE_VERSION=5000000 counted "$gauges" "$progs/counters" list >/dev/null
is "$(value ten record=end)" "?version" "a library that says it is another version is not used"

# What the program brings itself is the program's: here by another preload.
counted "$gauges" env LD_PRELOAD="$PERFMON_LIBRARY:$work/fake/libpapi.so.$version" "$progs/counters" list >/dev/null
is "$(value ten record=end exename=counters)" "?inuse" "a program that has PAPI itself keeps it to itself"

# --- loaded ------------------------------------------------------------------------------------------
LD_LIBRARY_PATH=$work/fake
export LD_LIBRARY_PATH
PERFMON_OPTIONS=gauge:::ten,page-faults "$PERFMON" -a -j node run sh -c '/bin/true; /bin/true; :' 2>err
is "$(cat err)" "" "a job asks for an event of a component by its name"
"$PERFMON" submit -j node >/dev/null
is "$(sqlite3 "$XDG_DATA_HOME/perfmon/perfmon.db" \
	"SELECT value, processes, scope FROM counter_summary WHERE name = 'gauge:::ten'")" "10|3|node" \
	"what three processes saw of their node is not summed"
"$PERFMON" report -j node | grep -q 'gauge:::ten *10 *3 *0 *per node: largest'
ok $? "nor in the report"
"$PERFMON" show -j node --counters | grep -q '10 (of the node) *gauge:::ten'
ok $? "show says whose count it is"
done_testing
