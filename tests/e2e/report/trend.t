#!/bin/sh
# trend: runs of a job, and changes of known places; on both engines.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh and postgres.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/postgres.sh
. "$abs_top_srcdir/tests/e2e/postgres.sh"
# shellcheck source=tests/e2e/report/plain.sh
. "$abs_top_srcdir/tests/e2e/report/plain.sh"

TZ=UTC
export TZ PERFMON
"$PERFMON" -q -a -j 4711 run sh -c true
PERFMON_DB=$work/real.db
export PERFMON_DB
"$PERFMON" -q submit 4711
"$PERFMON" trend sh >out 2>err
is "$? $(cat err) $(head -n 1 out)" "0  sh: 1 run, 0 changes" "one run"
for words in "" "a b" "sh --name sh" "sh --json --csv" "sh --figure nothing" "sh --figure *" "sh --limit -1"; do
	set -f
	# shellcheck disable=SC2086 # words
	"$PERFMON" trend $words >out 2>err
	is "$? $(wc -c <out)" "2 0" "trend $words is a usage error"
	set +f
done
"$PERFMON" trend nobody >out 2>err
is "$? $(grep -c 'no job in .* that the options take' err)" "1 1" "a job that is not there"
if ! need python3 sqlite3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "trends" "no python3 with sqlite3"
	done_testing
fi

# Thirty runs: CPU time is a fifth more from the 13th on, wall time is not known of one and falls with the 21st.
python3 - "$abs_top_srcdir" <<-'END'
	import sys
	sys.path.insert(0, sys.argv[1] + "/tests/e2e")
	import madejobs
	cpu = [(1200 if i >= 12 else 1000) * 1000 + i % 3 * 5000 for i in range(30)]
	wall = [(500 if i >= 20 else 600) * 1000 + i * 7 % 5 * 2000 for i in range(30)]
	wall[3] = None
	madejobs.make("real.db", {"build": ({}, {"cpu_time": cpu, "duration_us": wall}), "w\x1b[31m": ({}, {"cpu_time": [5] * 3}), "</h2><script>alert(1)</script>'\"&\u202e": ({}, {"cpu_time": [6] * 3}),
		"ocean": ({"exp_name": "e", "exp_component": "c"}, {"cpu_time": [7] * 3})}, 1)
END
"$PERFMON" trend build --csv | tr -d '\r' >csv
is "$(head -n 1 csv)" "job,id,jobid,user,start_us,duration_us,duration_us_change,cpu_time,cpu_time_change" "CSV: its names"
is "$(awk -F , 'NR > 1 && ($7 != "" || $9 != "") { print NR - 1, $7, $9 }' csv)" "13  0.199005
21 -0.165563 " "CSV: where the figures changed, and by how much"
is "$(sed -n 5p csv | cut -d , -f 6) $(wc -l <csv)" " 31" "what is not known is not there"
"$PERFMON" trend build --width 100 --limit 20 >out
is "$(head -n 1 out) $(tail -n 1 out)" "build: 30 runs, 2 changes   earlier runs, which --limit 0 shows, too: 10" "text: runs, changes, and what is left out"
is "$(grep -c 'CPU time +20 %$' out) $(grep -c 'Wall time -17 %$' out) $(awk 'NR > 2 && $1 ~ /^[0-9]+$/' out | wc -l)" "1 1 20" "text: changes stand where they begin"
is "$("$PERFMON" trend build --json | python3 -c '
import json, sys
x = json.load(sys.stdin)["trends"]
print(len(x), x[0]["job"], [(f["figure"], [(c["id"], c["before"], c["after"]) for c in f["changes"]]) for f in x[0]["figures"]], x[0]["runs"][-1]["figures"])')" \
	"1 build [('duration_us', [(22, 604000, 504000)]), ('cpu_time', [(14, 1005000, 1205000)])] {'duration_us': 506000, 'cpu_time': 1210000}" "JSON"

# --- pages ----------------------------------------------------------------------------------------
plain_page "trend --html" trend build --limit 20
is "$(plain print page.html '*headings, len(tables), labels[0]')" \
	"(1, 'Trend of build') (2, 'build: 30 runs, 2 changes') 1 Wall time of 30 runs over time: median 602 ms, from 500 ms to 608 ms; -17 % from run #22 on; unknown of 1 run." \
	"page: the figures, in words beside the picture"
is "$(plain print page.html 're.search("earlier runs, which --limit 0 shows, too: 10", text) is not None, "perfmon trend build --limit 20" in text')" "True True" \
	"page: what is left out is said, and the command"
"$PERFMON" trend build --limit 0 --html page.html
"$PERFMON" trend build --limit 0 --json >json
plain print page.html '[[r[0], value(r[2]), value(r[3])] for r in tables[0][1:]]' >got
python3 -c '
import json
print([[str(r["id"])] + [None if r["figures"][k] is None else float(r["figures"][k]) for k in ("duration_us", "cpu_time")] for r in json.load(open("json"))["trends"][0]["runs"]])' >want
is "$(cat got)" "$(cat want)" "page: its numbers are those of JSON, and what is not known is none"
is "$(plain print page.html '[str(c) for r in tables[0][1:] for c in r if c == "unknown"], *[r[4] for r in tables[0][1:] if r[4]]')" \
	"['unknown'] CPU time +20 % Wall time -17 %" "page: unknown is called so, changes stand where they begin"
# The picture: two strokes where one value of 30 is not known, 29 and 30 dots, one change each; values of the first and the last run.
is "$(plain print page.html '*[(c, d.count("M")) for c, d in paths]')" \
	"('level', 2) ('change', 1) ('line', 2) ('dots', 29) ('level', 2) ('change', 1) ('line', 1) ('dots', 30)" "picture: what is not known is a gap"
is "$(plain print page.html '*[[round(float(y), 1) for y in re.findall("M[0-9.]+ ([0-9.]+)", d)][:3] for c, d in paths if c == "dots"]')" \
	"[12.5, 9.3, 6.0] [94.0, 91.9, 89.8]" "picture: the largest value is at the top, the least at the bottom"
"$PERFMON" trend --after 2000-01-01 --figure cpu_time --html page.html
is "$(plain check page.html)|$(plain print page.html 'len(headings), len(tables), "alert(1)" in text, text.count("\\x1b[31m")')" "|6 5 True 1" \
	"page: names that are markup or no text are shown as they are"
sqlite3 real.db "UPDATE job SET duration_us = NULL WHERE name = 'build'"
"$PERFMON" trend build --figure duration_us --html page.html
is "$(plain check page.html)|$(plain print page.html 'len(paths), "unknown of all runs" in text')" "|0 True" "page: of what is never known there is no picture"

sqlite3 real.db "UPDATE job SET cpu_time = 1000000 WHERE name = 'build'"
is "$("$PERFMON" trend build --csv --figure cpu_time --limit 0 | tr -d '\r' | awk -F , 'NR > 1 && $7 != ""' | wc -l)" 0 "noticed: without the change there is none"
"$PERFMON" trend --after 2000-01-01 --figure cpu_time >out
is "$(grep -c ': .* runs\{0,1\}, ' out) $(grep -c '^e / c: 3 runs' out) $(grep -c "$(printf '\033')" out)" "5 1 0" "options: each job by itself, names made safe"

postgres_needed "trends in PostgreSQL"
postgres_sql postgres -c "CREATE DATABASE site" && "$PERFMON" -q copy "$work/real.db" "$(postgres_url site)"
for db in "$work/real.db" "$(postgres_url site)"; do
	"$PERFMON" --db "$db" trend --figure '*' --name build --where 'cpu_time > 5' --json | sed 's/"id":[0-9]*/"id":0/g'
done | uniq >got
is "$(wc -l <got) $(grep -c '"trends"' got)" "1 1" "PostgreSQL says the same"
done_testing
