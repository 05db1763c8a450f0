#!/bin/sh
# list: tables, JSON and CSV of what the database holds.
# shellcheck source=tests/e2e/lib.sh
. "$abs_top_srcdir/tests/e2e/lib.sh"

for job in busy counted empty killed; do
	cp -R "$abs_top_srcdir/tests/golden/report/$job" "$work/$job" && chmod -R u+w "$work/$job"
done
"$PERFMON" submit busy >out 2>err
"$PERFMON" submit empty killed >out 2>err

is "$("$PERFMON" list --width 120 | awk 'NR > 1 { print $NF }' | tr '\n' ' ')" \
	"lost nothing train " "jobs, newest first"
is "$("$PERFMON" list jobs --limit 2 | wc -l | tr -d ' ')" 3 "--limit"
is "$("$PERFMON" list jobs 4712 | awk 'NR > 1 { print $NF }')" nothing "one job"
is "$("$PERFMON" list jobs --limit 0 | wc -l | tr -d ' ')" 4 "--limit 0 is all"
"$PERFMON" list --limit x >out 2>err
is "$?" 2 "a bad limit is refused"
"$PERFMON" list --json --csv >out 2>err
is "$?" 2 "one format at a time"
"$PERFMON" list jobs 4711 4712 >out 2>err
is "$?" 2 "one job at a time"
"$PERFMON" list nonsense >out 2>err
is "$?" 2 "what is neither a subject nor a job is a usage error"
grep -q 'list takes jobs, processes, .* or a job; nonsense: no such job' err
ok $? "and is named, and what there is"

"$PERFMON" list jobs >out
grep -q -e Folded -e Lost out
is "$?" 1 "no columns for what no job has"
if need sqlite3; then
	sqlite3 "$XDG_DATA_HOME/perfmon/perfmon.db" "UPDATE job SET folded = 1200, lost = 3 WHERE jobid = '4711'"
	"$PERFMON" list jobs --width 80 >out
	is "$(awk 'NR == 1 { folded = index($0, "Folded"); lost = index($0, "Lost lines") }
		NR > 1 { print substr($0, folded, 6) "|" substr($0, lost, 10) }' out | tr '\n' ';')" \
		"      |          ;      |          ; 1 200|         3;" \
		"processes that were folded and lines that were lost, where a job has some"
else
	skip "processes that were folded and lines that were lost, where a job has some" "no $missing"
fi

is "$("$PERFMON" list counters counted | wc -l | tr -d ' ')" 73 "a line per counter of process and thread"
"$PERFMON" list counters counted | grep -q '^2001  2011  PAPI_L1_TCM  *90 750 000    100 %  *model$'
ok $? "one of a thread, made of two events"
"$PERFMON" list counters counted | grep -q '^2003        page-faults  *unknown *closed *keeper$'
ok $? "one that is unknown"
is "$("$PERFMON" list counters counted --csv | tr -d '\r' | sed -n '1p;14p')" \
	"job_id,process_id,thread_id,name,value,ratio,reason,scope
1,2,0,L1D:REPLACEMENT,120000000,,," "counters as CSV"
if need sqlite3 python3; then
	cp "$XDG_DATA_HOME/perfmon/perfmon.db" quotes.db
	sqlite3 quotes.db "UPDATE job SET name = 'a\"b', account = '\"', queue = 'two, words', script = '=1+2', problems = '' WHERE jobid = '4711';
		UPDATE process SET time_waiting = 5000000000, numtids = 1"
	# What a reader of CSV makes of it is what was there.
	is "$(PERFMON_DB=$work/quotes.db "$PERFMON" list jobs 4711 --csv | python3 -c '
import csv, sys
row = next(csv.DictReader(sys.stdin))
print([row[k] for k in ("name", "account", "queue", "script", "problems")])')" \
		"['a\"b', '\"', 'two, words', '=1+2', '']" "quotes, commas and signs in CSV come back as they were"
	PERFMON_DB=$work/quotes.db "$PERFMON" list threads 4711 --width 200 >out
	is "$(awk 'NR == 1 { at = index($0, "Waited") } NR > 1 { print substr($0, at, 6) }' out | sort -u | tr -d ' ')" "5.00s" \
		"5 s of waiting, which the kernel counts in ns"
	sqlite3 quotes.db "UPDATE job SET cluster = 'here', \"user\" = 'root', jobid = 'r8' WHERE jobid = '4711'"
	for other in elsewhere/root/r8 here/other/r8 her/root/r8; do
		for verb in "list processes" show report "annotate --replace" "delete -f"; do
			# shellcheck disable=SC2086 # words
			set -- $verb $other
			[ "$1" != annotate ] || set -- "$@" a=b
			PERFMON_DB=$work/quotes.db "$PERFMON" "$@" >out 2>err
			is "$?|$(sed 's/ in .*//' err)" "1|perfmon: $other: no such job" "$*: a job of another cluster or user"
		done
	done
	is "$(sqlite3 quotes.db "SELECT count(*) FROM job WHERE jobid = 'r8'")" 1 "and it is still there"
	PERFMON_DB=$work/quotes.db "$PERFMON" delete -f here/root/r8 >out 2>err
	is "$?|$(sqlite3 quotes.db "SELECT count(*) FROM job WHERE jobid = 'r8'")" "0|0" "the whole name finds it"
else
	skip "quotes in CSV, units, names of jobs" "no $missing"
fi
is "$("$PERFMON" list counters counted --json | grep -c '"reason": *"closed"')" 11 "and JSON"
is "$("$PERFMON" list counters 4712)" "no counters" "a job without counters"

is "$("$PERFMON" list processes 4711 | wc -l | tr -d ' ')" 47 "a line per image"
is "$("$PERFMON" list processes busy | wc -l | tr -d ' ')" 47 "from a directory, too"
"$PERFMON" list processes 4711 --width 100 | grep -q "^1200  .*SIGKILL  *worker --rank 0\$"
ok $? "a process line"
is "$("$PERFMON" list processes 4712)" "no processes" "an empty job"
is "$("$PERFMON" list threads 4711 | wc -l | tr -d ' ')" 47 "a line per thread"
"$PERFMON" list hosts 4711 | grep -q '^node17   128        4  16.4 GB         46 '
ok $? "a host line"
is "$("$PERFMON" list tags 4711 | tr -s ' ' | tr '\n' ';')" \
	"Of Name Value Processes;job exp run:7;job model v=2;process model v=2 1;process phase train 1;" \
	"tags keep : and = in values"
"$PERFMON" list metrics | grep -q '^rssmax  *kB  *PEAK '
ok $? "metrics with unit and kind"

for what in jobs processes threads hosts tags metrics; do
	"$PERFMON" list $what 4711 --csv >csv 2>err
	is "$?" 0 "$what as CSV"
	is "$(awk '!/\r$/' csv | wc -l | tr -d ' ')" 0 "every line ends in CR LF: $what"
	"$PERFMON" list $what 4711 --json >json 2>err
	is "$?" 0 "$what as JSON"
	is "$(head -c 1 json)$(tail -n 1 json)" "[]" "which is an array: $what"
	is "$(grep -c '^  {' json)" "$(($(wc -l <csv) - 1))" "with as many rows: $what"
done

# Every cell of CSV is the value that JSON has of its row and column, and none is left out.
if need python3; then
	for what in jobs processes threads counters hosts tags metrics; do
		job=4711
		[ $what != counters ] || job=counted
		"$PERFMON" list $what $job --csv >csv 2>err
		"$PERFMON" list $what $job --json >json 2>err
		is "$(python3 - <<'PYTHON'
import csv, json
rows = list(csv.reader(open("csv", newline="")))
objects = json.load(open("json"))
assert len(rows) > 1 and len(rows) == len(objects) + 1, (len(rows), len(objects))
names, texts, numbers = rows[0], 0, 0
assert len(set(names)) == len(names) and names == list(objects[0]), (names, list(objects[0]))
for row, o in zip(rows[1:], objects):
    assert len(row) == len(names), row
    for name, cell in zip(names, row):
        value = o[name]
        if isinstance(value, bool):
            raise AssertionError(name)
        if value is None:
            assert cell == "", (name, cell)
        elif isinstance(value, int):
            assert cell == str(value), (name, cell, value)
            numbers += 1
        elif isinstance(value, float):
            assert float(cell) == value or abs(float(cell) - value) < 1e-12 * abs(value), (name, cell, value)
            numbers += 1
        elif isinstance(value, str) and "\\" not in cell:
            assert cell.lstrip("'") == value, (name, cell, value)
            texts += 1
        elif name == "args" and "\\" not in cell:
            assert cell.lstrip("'").split(" ") == value or cell == "" and value == [], (cell, value)
            texts += 1
assert texts + numbers >= 2 * len(objects), (texts, numbers)
# Microseconds since 1970 take more than 32 bits.
assert "start_us" not in names or max(o["start_us"] or 0 for o in objects) > 1600000000000000
print("equal")
PYTHON
		)" equal "each cell of CSV is what JSON says: $what"
	done
else
	skip "each cell of CSV is what JSON says" "no $missing"
fi

"$PERFMON" list jobs 4711 --json >json
for fact in '"jobid":"4711"' '"rssmax":2400000' '"killed":3' '"gid":4321' '"groups":["anna"]' \
	'"submit_us":null'; do
	grep -q -F "$fact" json
	ok $? "raw value in JSON: $fact"
done
# In every form of JSON: what is unknown, or there is none of, is null, and no text is empty but a job's own.
for command in "list jobs" "list hosts" "list processes" "list threads" "list tags" "list counters" "list metrics" show report; do
	for job in 4711 4712 counted; do
		# shellcheck disable=SC2086 # words
		"$PERFMON" $command $job --json | tr ',{' '\n\n' | grep ':  *""\|:""' | sed "s|^ *|$command $job: |"
	done
done >empty
is "$(cat empty)" "" "no JSON has empty texts"
"$PERFMON" list jobs 4711 --json >json
for member in cluster array_task; do
	grep -q "\"$member\":null" json && "$PERFMON" show 4711 --json | grep -q "\"$member\":null" &&
		"$PERFMON" report 4711 --json | grep -q "\"$member\": null"
	ok $? "$member is null in all"
done
"$PERFMON" list processes 4711 --json >json
grep -q -F '"args":["-u","/home/anna/model/train.py","--epochs","10","--name","a b"]' json
ok $? "arguments are an array of texts"
grep -q -F '"args":["\u001B]0;owned\u0007","\n\r",{"hex":"fffe"},"","\u00FC\u00F1\u00EF","\u202E"]' json
ok $? "hostile arguments come through exactly"

"$PERFMON" list tags 4711 --csv | tr -d '\r' >csv
is "$(sed -n 2p csv | cut -d, -f 3-)" "exp,run:7" "a CSV row"
"$PERFMON" list processes 4711 --csv | grep -q ',"-u /home/anna/model/train.py '
ok $? "CSV quotes what holds a blank"

# What is kept of a retired job's hosts is shown; what is gone is unknown.
if need sqlite3; then
	"$PERFMON" -q submit --db retired.db busy
	sqlite3 retired.db "DELETE FROM process"
	cp retired.db nameless.db
	sqlite3 nameless.db "UPDATE host SET hostname = NULL"
	is "$("$PERFMON" list hosts 4711 --db nameless.db | sed -n '2s/ .*//p') $("$PERFMON" list summaries 4711 --db nameless.db | sed -n '2s/ .*//p')" "unknown unknown" "a host without a name is unknown"
	is "$("$PERFMON" report 4711 --db nameless.db | grep -c '^  Host  *unknown host, 4 of 128 CPUs')" 1 "in the report, too"
	is "$("$PERFMON" list hosts --columns hostname,cpu_time 4711 --db retired.db | sed -n 2p | tr -s ' ')" "node17 1 min 02 s" "the CPU time of a retired job's host stays"
	is "$("$PERFMON" list hosts 4711 --db retired.db | sed -n 2p | grep -c 'GB  *unknown  *1 min 02 s')" 1 "in its line, too, and how many processes it had is unknown"
fi
done_testing
