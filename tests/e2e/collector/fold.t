#!/bin/sh
# Record files that have reached max_bytes: short processes become totals of their program, none is
# forgotten, and the directory grows no more.
# shellcheck disable=SC2154 # set by lib.sh and collector.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/collector.sh
. "$abs_top_srcdir/tests/e2e/collector.sh"

depart=$abs_top_builddir/tests/progs/depart
limit=30000
printf '#!/nonexistent/interpreter\n' >bad
chmod +x bad
cat >storm.sh <<'END'
i=0
while [ $i -lt "$1" ]; do
	/bin/true
	(exit 3)
	i=$((i + 1))
done
./bad 2>/dev/null
(kill -9 "$(sh -c 'echo $PPID')")
exit 9
END
cat >storms.sh <<'END'
sh storm.sh "$1" 2>/dev/null & a=$!
sh storm.sh "$1" 2>/dev/null & b=$!
sh storm.sh "$1" 2>/dev/null & c=$!
sh storm.sh "$1" 2>/dev/null & d=$!
wait $a; wait $b; wait $c; wait $d
exit 9
END

# storm LAYOUT LIMIT COMMAND...: recorded as a job of its own, which is then closed.
storm()
{
	layout=$1
	max=$2
	shift 2
	rm -rf "$records"
	PERFMON_OUTPUT=$records "$PERFMON" start || return 99
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout PERFMON_MAX_BYTES=$max \
		LD_PRELOAD=$PERFMON_LIBRARY "$@" 2>err
	status=$?
	cat "$records"/*.tsv >all.tsv 2>/dev/null
	grown=$(wc -c <all.tsv)
	return $status
}

# folded FIELD [NAME]: a value of the tally's slots of folded programs, added up.
folded()
{
	cat "$records"/*.tally | awk -F '\t' -v n="$1" -v name="${2:-}" '
		$1 == "folded" && (name == "" || $2 == name) { sum += $n } END { print sum + 0 }'
}

# waited FIELD: the same of waits.
waited()
{
	cat "$records"/*.tally | awk -F '\t' -v n="$1" '$1 == "children" { sum += $n } END { print sum + 0 }'
}

for layout in $layouts; do
	storm "$layout" 0 sh storm.sh 40
	is "$?:$(folded 3)" "9:0" "$layout: without a limit nothing is folded"
	images=$(field pid record=start | grep -c .)
	waits=$(field pid record=reaped | grep -c .)
	failed=$(table | grep 'record=end' | grep -c 'exitcode=[1-9]')
	storm "$layout" $limit sh storm.sh 40
	is "$?:$(grep -v -e Killed err)" "9:" "$layout: a storm beyond the limit"
	test "$(folded 3)" -gt 20
	ok $? "$layout: is folded"
	# The one that was killed told nobody; a wait did.
	is "$(($(field pid record=start | grep -c .) + $(folded 3)))" "$((images - 1))" \
		"$layout: its images are recorded or folded, each once"
	is "$(($(field pid record=reaped | grep -c .) + $(waited 3)))" "$waits" \
		"$layout: its waits are recorded or counted"
	is "$(waited 7)" 1 "$layout: the one that was killed is counted"
	is "$(($(table | grep 'record=end' | grep -c 'exitcode=[1-9]') + $(folded 7)))" "$failed" \
		"$layout: failures are recorded or counted"
	test "$(folded 8 true)" -gt 500 && test "$(folded 4)" -gt 0 && test "$(folded 6)" -gt 0
	ok $? "$layout: totals have times and a peak"
	is "$(table | grep -c DAMAGED)" 0 "$layout: records are whole"
	first=$grown
	storm "$layout" $limit sh storm.sh 100
	test "$grown" -lt $((first + 8192)) && test "$grown" -lt $((limit + 32768))
	ok $? "$layout: three times the storm leaves record files of the same size"

	storm "$layout" 0 sh storms.sh 20
	images=$(field pid record=start | grep -c .)
	storm "$layout" $limit sh storms.sh 20
	is "$(($(field pid record=start | grep -c .) + $(folded 3)))" "$((images - 4))" \
		"$layout: four storms at once: every image is recorded or folded"

	# A parent that began below the limit says nothing of the end of a child that is counted.
	storm "$layout" 1 sh -c '/bin/true; /bin/true; exit 9'
	is "$?:$(folded 3 true):$(waited 3):$(field pid record=reaped | grep -c .)" "9:2:2:0" \
		"$layout: what is folded is counted once, however soon"

	# What is not short, and what says its last words.
	# shellcheck disable=SC2016
	storm "$layout" 1 sh -c '"$1" threads=60 exit=5; "$1" exit=6; exit 9' sh "$depart"
	if [ "$layout" = COLLATED_TSV ]; then
		is "$(field exitcode record=end exename=depart) $(field args record=start exename=depart)" "5 threads=60 exit=5" \
			"$layout: a program with many threads is recorded all the same"
		is "$(field tid record=thread | grep -c .)" 61 "$layout: and so are they"
		is "$(folded 3 depart)" 1 "$layout: one without is not"
	fi
	other=65534
	[ "$(id -u)" -ne $other ] || other=65533
	for call in "setuid=$other" "unshare=user" filter; do
		"$depart" $call exit=5 >/dev/null 2>&1 || [ $? -ne 77 ] || continue
		# shellcheck disable=SC2016
		storm "$layout" 1 sh -c '/bin/true; "$1" "$2" exit=5; exit 9' sh "$depart" "$call"
		is "$(folded 3 depart):$(field record exename=depart 2>/dev/null)" "1:" "$layout: $call: is counted once"
	done

	# Without a tally there are no totals.
	rm -rf "$records"
	mkdir -m 700 "$records"
	PERFMON_OUTPUT=$records PERFMON_OPTIONS=$layout PERFMON_MAX_BYTES=1 \
		LD_PRELOAD=$PERFMON_LIBRARY sh -c '/bin/true; (exit 3); exit 9'
	is "$(field exitcode record=end exitcode=9)" 9 "$layout: without a tally all is recorded"
done

# More programs than there is room for.
mkdir bin
for i in $(seq 1 300); do ln "$depart" "bin/program-$i" 2>/dev/null || cp "$depart" "bin/program-$i"; done
# shellcheck disable=SC2016
storm COLLATED_TSV 1 sh -c 'for p in bin/*; do $p exit=0; done; exit 9'
is "$(cat "$records"/*.tally | awk -F '\t' '$1 == "folded" && $2 !~ /^program/ && $2 != "" && $2 != "dash" && $2 != "bash" { n++ }
	END { print n + 0 }'):$(($(folded 3) + $(field pid record=start | grep -c .) >= 301))" "0:1" \
	"of more programs than there are totals none is forgotten"
test "$(cat "$records"/*.tally | awk -F '\t' '$1 == "folded" && $2 == "" { n += $3 } END { print n + 0 }')" -gt 0
ok $? "those that found no room are counted together"

# It comes up wherever one looks.
storm COLLATED_TSV $limit sh storm.sh 40
n=$(folded 3)
PERFMON_OUTPUT=$records "$PERFMON" stop 2>err
grep -q "$n short processes are recorded only in totals per program" err
ok $? "stop says how many were folded"
is "$("$PERFMON" dump "$records" 2>/dev/null | grep '^stop_folded')" "stop_folded $n" "the metadata says it"
if need sqlite3; then
	PERFMON_DB=$work/db "$PERFMON" submit "$records" >out 2>&1
	is "$?:$(sqlite3 "$work/db" "SELECT folded, folded_cpu_us = (SELECT sum(usertime + systemtime) FROM folded_program),
		(SELECT sum(images) FROM folded_program), (SELECT sum(failed) FROM folded_program),
		(SELECT waits FROM folded_wait), (SELECT killed FROM folded_wait) FROM job")" \
		"0:$n|1|$n|$(folded 7)|$(waited 3)|1" "the database says it"
else
	skip "the database says it" "no $missing"
fi
"$PERFMON" report "$records" 2>err | tr -s ' \n' ' ' | grep -q "$n more short processes, which used .* of CPU time, began after the record files had reached"
ok $? "the report says it"

# From the setting to the collector.
"$PERFMON" --max-bytes 20k -a run sh storm.sh 40 2>err
is "$?:$(grep -c 'short processes are recorded only in totals' err)" "9:1" "run takes the limit from its option"
done_testing
