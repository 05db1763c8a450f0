#!/bin/sh
# What the report said of things that it did not know, or that meant nothing: workers that a pool ends were
# failures, a job that was never closed had an efficiency, one that nobody queued was "Queued 0 s", and
# the collector's waiting for a CPU was told as its cost. Rules: tests/unit/report/advice.c, report_query.c.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

jobs=$PERFMON_OUTPUT_PREFIX/$(id -un)
said() { sed -n "/^  $1 /,/^  [A-Z]/p" out | sed '1!{/^  [A-Z]/d}' | tr -s ' \n' ' '; }

# --- a pool ends its workers, and a pipe its writer ----------------------------------------------------
cat >pool.sh <<'POOL'
for i in 1 2 3; do sleep 100 & pids="$pids $!"; done
kill -TERM $pids
wait
seq 1000000 | head -n 1
sh -c 'exit 3'
env true
POOL
"$PERFMON" -a -j pool run sh pool.sh >/dev/null 2>&1
"$PERFMON" report "$jobs/pool" >out 2>err
said Failed >failed
grep -q '^ Failed 1 ended with a status other than 0 [3-4] ended by a signal that requests the end' failed
ok $? "a pool's SIGTERM is no failure:$(cat failed)"
is "$(sed -n '/^Failed processes/,/^$/p' out | grep -o -E 'status [0-9]*|SIG[A-Z]*' | tr '\n' ' ')" "status 3 " \
	"among failed processes are none that were asked to end"
"$PERFMON" report --json "$jobs/pool" | tr -d ' ,"' | grep -E '^(failed|killed|asked_to_end):' | tr '\n' ' ' >counts
grep -q -E '^failed:[45] killed:([34]) asked_to_end:\1 $' counts
ok $? "in JSON, too: $(cat counts)"
grep -q '^  Cost  *perfmon used at least .* of CPU time in the job' out
ok $? "what perfmon cost is CPU time first:$(said Cost)"

# --- a job that is open --------------------------------------------------------------------------------
"$PERFMON" start -j open && "$PERFMON" -j open run true
"$PERFMON" report "$jobs/open" >out 2>err
grep -q '^  Wall time .* so far: the job was not closed' out
ok $? "the wall time of a job that is open is what is recorded:$(said 'Wall time')"
"$PERFMON" -j open run sleep 60 &
pid=$!
i=0
until grep -q sleep "$jobs/open"/*.tsv || [ $i -ge 500 ]; do
	i=$((i + 1))
	sleep 0.02
done
"$PERFMON" report "$jobs/open" >out 2>err
said Efficiency >efficiency
grep -q '^ Efficiency unknown: 1 process still ran, and its CPU time is known only when it ends' efficiency
ok $? "and its efficiency is unknown while it runs:$(cat efficiency)"
kill $pid
wait $pid 2>/dev/null
"$PERFMON" stop -j open
"$PERFMON" report "$jobs/open" | grep -q 'not closed'
is $? 1 "closed, neither is said"

# --- the queue -----------------------------------------------------------------------------------------
meta=$(ls "$jobs/open"/job-*.json)
epoch=$(sed -n 's/.*"epoch_us": \([0-9]*\).*/\1/p' "$meta")
queued()
{
	cp "$meta" kept.json
	sed "s/\"epoch_us\":/\"submit_us\": $((epoch - $1)), &/" kept.json >"$meta"
	"$PERFMON" report "$jobs/open" | sed -n 's/^  Queued  *\([^,]*\),.*/\1/p'
	cp kept.json "$meta"
}
is "$(queued 0)|$(queued 400000)|$(queued 2000000)" "||2.00 s" "what started at once, by its own clock, was not queued"

# --- killed by itself ----------------------------------------------------------------------------------
for signal in KILL XCPU XFSZ; do
	"$PERFMON" -a -j itself-$signal run sh -c 'kill -'$signal' $$' 2>err
	"$PERFMON" report "$jobs/itself-$signal" | tr -s ' \n' ' ' >out
	grep -q "1 process of .* ended by SIG${signal}[ ,.]" out && ! grep -q -e 'killed by' -e 'it used more' -e 'grew beyond' \
		-e 'was reached' -e 'by hand' out
	ok $? "nobody is blamed for a SIG$signal that a process sent itself"
done
"$PERFMON" report "$jobs/itself-KILL" | tr -s ' \n' ' ' >out
grep -q 'sender not recorded: .* another program' out
ok $? "who sent SIGKILL is said not to be known:$(grep -o 'ended by SIGKILL [^.]*' out)"

# --- a command that there is not -----------------------------------------------------------------------
: >plain
for command in nosuchcmd ./plain; do
	name=${command#./} status=127
	[ "$command" = nosuchcmd ] || status=126
	"$PERFMON" -a -j "$name" run "$command" 2>err
	is $? $status "$command: its status is that of a shell"
	"$PERFMON" report "$jobs/$name" >out
	is "$(said Coverage)" " Coverage none: there was nothing to record " "and its coverage is no matter of accounts"
	is "$(said Result)" " Result not started: exit status $status Summary " "nor its result that of a program"
	tr -s ' \n' ' ' <out | grep -q "command could not be started: it [^.]*(exit status $status)" && ! grep -q 'it reported a failure' out
	ok $? "the advice says so"
	is "$("$PERFMON" dump -k stop_exit_reason "$jobs/$name")|$("$PERFMON" dump -k stop_charged_cpu_us "$jobs/$name")" \
		"not-started|0" "so do the metadata, and what perfmon used is not charged to it"
done
"$PERFMON" start -j nothing && "$PERFMON" stop -j nothing
"$PERFMON" report "$jobs/nothing" >out
is "$(said Coverage)" " Coverage unknown: no process was recorded " "a job in which nothing was run has none, either"

# --- retired processes ---------------------------------------------------------------------------------
# What went with them was a zero, an empty table, or time "outside of recorded processes".
PERFMON_DB=$work/retired.db
export PERFMON_DB
cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && "$PERFMON" -q submit busy 2>/dev/null
for keep in programs summary; do
	"$PERFMON" -q retire --older-than 1d --keep $keep
	"$PERFMON" report --all '#1' >out 2>err
	is "$?|$(grep -E 'outside of|, $|Critical|^Timeline|^Ranks' out)" "0|" "--keep $keep: the report has no path, no time line and no half a sentence"
	grep -q '^  Problems  *retired: its processes' out
	ok $? "and says what is gone"
	"$PERFMON" report --json '#1' | tr -d ' \n' >json
	is "$(grep -o -E '"(unseen|unknown_cpu|refused|silent|steps|outside_us|seen)":[^,]*' json | sort -u | tr '\n' ' ')" \
		'"outside_us":null "refused":null "seen":null "silent":null "steps":0 "unknown_cpu":null "unseen":null ' \
		"in JSON it is null"
	"$PERFMON" report --html page.html '#1'
	is "$(grep -c -e 'id="timeline"' -e 'id="tree"' -e 'id="critical"' page.html)" 0 "the page has no empty sections"
	is "$("$PERFMON" show --critical '#1' 2>err)" "no critical path: the processes of the job were retired" "show --critical says why there is none"
done
said Processes >processes
grep -q '^ Processes [0-9]* records; programs and threads were retired' processes
ok $? "without totals of programs it does not say that none was recorded:$(cat processes)"
is "$("$PERFMON" report --brief '#1' | sed -n 's/^Most  *\([^;]*\).*/\1/p')" "the programs were retired" "nor does --brief"
"$PERFMON" report --json '#1' | tr -d ' \n' | grep -o -E '"(runs|programs|threads_known)":[0-9n][^,]*' | sort -u | tr '\n' ' ' >json
is "$(cat json)" '"programs":null "runs":null "threads_known":null ' "and their number is null"
done_testing
