#!/bin/sh
# summary: sums of jobs against an account in Python, on both engines.
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
"$PERFMON" summary >out 2>err
is "$? $(cat err) $(awk 'NR == 2 { print $2, $3 }' out)" "0  1 0" "one job"
for words in "4711" "--by nothing" "--by tag:" "--json --csv" "--limit x" "--after nothing"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" summary $words >out 2>err
	is "$? $(wc -c <out)" "2 0" "summary $words is a usage error"
done
is "$("$PERFMON" summary --user nobody)" "no jobs" "no jobs"
if ! need python3 sqlite3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "sums" "no python3 with sqlite3"
	done_testing
fi
account="$abs_top_srcdir/tests/e2e/report/summary.py"
python3 "$account" make real.db 400
# The site's zone does not matter: months are those of UTC.
TZ=Pacific/Auckland
for by in user account queue partition name program day month tag:project tag:none; do
	python3 "$account" check real.db "$work/real.db" $by >got
	is "$(awk '{ print ($1 > 20), $2 }' got)" "1 0" "--by $by: $(cut -d ' ' -f 1 got) values are those of the account"
done
for filter in "--user u1,u3" "--after 2026-02-10 --before 2026-03-05" "--status failed" "--tag project:p1" "--where duration_us>100000000"; do
	# shellcheck disable=SC2086 # words
	python3 "$account" check real.db "$work/real.db" account $filter >got
	is "$(awk '{ print ($1 > 20), $2 }' got)" "1 0" "$filter: $(cut -d ' ' -f 1 got) values"
done
for fault in running wasted known; do
	test "$(FAULT=$fault python3 "$account" check real.db "$work/real.db" user | cut -d ' ' -f 2)" -gt 0
	ok $? "noticed: an account with the fault '$fault'"
done
"$PERFMON" summary --by account --limit 2 >out
is "$(sed -n '1s/ .*//p' out) $(grep -c '^all ' out) $(grep 'further ones' out) $(sed -n '/^Jobs that wasted/,$p' out | wc -l)" \
	"Account 1 further ones, which --limit 0 shows, too: 4 7" "text: two accounts, all of them, and the worst jobs"
is "$(grep -c 'still running, and not in the hours: ' out) $(grep -c 'use of CPUs not known, and not in used and wasted: ' out)" "1 1" "what is not in the sums is said"
"$PERFMON" summary --by user | grep -q "$(printf '\033')"
is "$?" 1 "names are made safe"
# Of 80 columns the failed jobs have one, with energy known, too; what is unknown is said, not shown as nothing.
cp real.db odd.db
sqlite3 odd.db "UPDATE job SET energy_uj = CASE WHEN \"user\" = 'u1' THEN 7200000000000 ELSE -5 END, rssmax = CASE WHEN \"user\" = 'u1' THEN rssmax ELSE -1 END"
"$PERFMON" --db "$work/odd.db" summary --by user --width 80 >out
is "$(sed -n '1s/ \+/ /gp' out | grep -c '^User Jobs Failed .* Energy kWh$')" 1 "80 columns have the failed jobs and the energy: $(head -n 1 out)"
"$PERFMON" --db "$work/odd.db" summary --by user --width 200 >out
is "$(awk '$1 == "u2" { print $(NF - 2), $(NF - 1), $NF }' out)" "unknown unknown unknown" "memory and energy below 0 are unknown: $(grep '^u2' out)"
# --- pages ----------------------------------------------------------------------------------------
plain_page "summary --html" summary --by user
"$PERFMON" summary --by user --json >json
cat >same.py <<-'END'
	import json, sys
	x = json.load(open("json"))
	rows = x["groups"] + [x["all"]]
	number = lambda v: None if v is None else float(v)
	print([[number(r[k]) for k in ("jobs", "failed", "core_hours", "core_hours_used", "core_hours_wasted", "efficiency")] for r in rows])
END
is "$(plain print page.html '[[None if value(c) is None else float("%.13g" % value(c)) for c in r[1:7]] for r in tables[0][1:]]')" \
	"$(python3 same.py | sed 's/\([0-9]\)\.0\([],]\)/\1.0\2/g')" "page: its numbers are those of JSON"
is "$(plain print page.html '[h[1] for h in headings], [r[-1] for r in tables[1][1:] if r[-1]].count("failed") > 0')" \
	"['Jobs by user', 'Jobs that wasted the most'] True" "page: the worst jobs, and which of them failed"
is "$(plain print page.html 'text.count("still running, and not in the hours: "), text.count("use of CPUs not known")')" "1 1" "page: what is not in the sums is said"
"$PERFMON" summary --by account --limit 2 --html page.html
is "$(plain print page.html 'len(tables[0]), "further ones, which --limit 0 shows, too: 4" in text')" "4 True" "page: two accounts, and how many more"
cp real.db evil.db
sqlite3 evil.db "UPDATE job SET name = '<img src=x onerror=alert(1)>\"''&' || char(27) || CAST(x'ff' AS TEXT) WHERE id % 2"
"$PERFMON" --db evil.db summary --by name --html page.html
is "$(plain check page.html)|$(plain print page.html '"<img src=x onerror=alert(1)>" in text, "\\xff" in text')" "|True True" "page: names that are markup or no text are shown as they are"
"$PERFMON" summary --user nobody --html page.html
is "$(plain check page.html)|$(plain print page.html '"no jobs" in text')" "|True" "page: of no jobs"

"$PERFMON" summary --by user --where 'nosuch = 1' >out 2>err
is "$? $(grep -c -- '--where: .*no such column: nosuch' err)" "1 1" "--where says what is wrong with it"

postgres_needed "sums in PostgreSQL"
postgres_sql postgres -c "CREATE DATABASE site" && "$PERFMON" -q copy "$work/real.db" "$(postgres_url site)"
for by in user queue program month tag:project; do
	python3 "$account" check real.db "$(postgres_url site)" $by >got
	is "$(awk '{ print ($1 > 20), $2 }' got)" "1 0" "PostgreSQL: --by $by: $(cut -d ' ' -f 1 got) values"
done
postgres_sql site -c "CREATE ROLE u1 LOGIN; CREATE ROLE chief LOGIN; GRANT perfmon_reader TO u1; GRANT perfmon_admin TO chief"
is "$("$PERFMON" --db "$(postgres_url site u1)" summary --csv --by month | cksum)" "$("$PERFMON" --db "$(postgres_url site)" summary --csv --by month --user u1 | cksum)" \
	"a reader is told of the own jobs"
is "$("$PERFMON" --db "$(postgres_url site chief)" summary --csv --by tag:project | cksum)" "$("$PERFMON" --db "$(postgres_url site)" summary --csv --by tag:project | cksum)" \
	"who may see all, of all"
done_testing
