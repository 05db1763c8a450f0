#!/bin/sh
# explore: components, segments and what is missing of an experiment; EPMT's own expectations.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"
# shellcheck source=tests/e2e/report/plain.sh
. "$abs_top_srcdir/tests/e2e/report/plain.sh"

if ! need python3 || ! python3 -c 'import sqlite3' 2>/dev/null; then
	skip "explore" "no python3 with sqlite3"
	done_testing
fi
cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
PERFMON_DB=$work/jobs.db
export PERFMON_DB PERFMON
"$PERFMON" -q submit busy 2>/dev/null
cat >made.py <<-'END'
	import sqlite3, sys
	def make(rows):
	    """rows: (experiment, component, segment, duration)"""
	    db = sqlite3.connect("jobs.db")
	    db.execute("DELETE FROM job WHERE id > 1")
	    db.execute("DELETE FROM tag_set")
	    db.execute("CREATE TEMP TABLE j AS SELECT * FROM job")
	    for n, (experiment, component, segment, duration) in enumerate(rows, 2):
	        db.execute("UPDATE j SET id = ?, jobid = ?, start_us = ?, duration_us = ?", (n, str(9000 + n), 17 * 10 ** 14 + n, duration))
	        db.execute("INSERT INTO job SELECT * FROM j")
	        for name, value in (("exp_name", experiment), ("exp_component", component), ("exp_time", segment)):
	            if value is not None:
	                db.execute("INSERT INTO tag_set VALUES (?, 0, ?, ?)", (n, name, value))
	    db.commit()
	years = ["%d0101" % y for y in range(1854, 1895, 5)]
	ocean = [10425623185, 6589174875, 7286331754, 6036720046, 9114150525, 6156192011, 6815710476, 860163243, 3619324767]
	sums = ocean[:6] + [26897098077, 2524023336, 3619324767]
END
# what JSON-EXPRESSION [OPTION...]: of x, the answer about ESM4.
what()
{
	expression=$1
	shift
	"$PERFMON" explore ESM4 --json "$@" >answer 2>err || cat err
	python3 -c "
import json
x = json.load(open('answer'))
print($expression)"
}
python3 -c '
from made import *
make([("ESM4", "ocean_annual_z_1x1deg", y, d) for y, d in zip(years, ocean)][::-1])'
is "$(what '*[j["score"] for j in x["components"][0]["jobs"]]')" "2 0 0 0 0 0 0 2 1" \
	"the scores of a component that EPMT expects"
is "$(what '*[s["score"] for s in x["segments"]], x["sum"], x["segments"][0]["segment"]')" "2 0 0 0 0 0 0 2 1 56903390882 18540101" \
	"and of its segments, which are all there is"
python3 -c '
from made import *
make([("ESM4", "ocean_annual_z_1x1deg", y, d) for y, d in zip(years, ocean[:-1] + [6000000000])])'
is "$(what '*[j["score"] for j in x["components"][0]["jobs"]]')" "2 0 0 0 0 0 0 2 0" "noticed: one that is as the others"
python3 -c '
from made import *
make([("ESM4", "ocean_annual_z_1x1deg", y, d) for y, d in zip(years, ocean)] +
    [("ESM4", "ocean_month_rho2_1x1deg", years[i], sums[i] - ocean[i]) for i in (6, 7)] + [("ESM2", "other", years[0], 5)])'
is "$(what '*[(s["segment"], s["sum"], s["score"]) for s in x["segments"] if s["score"]]')" "('18840101', 26897098077, 2)" \
	"of the sums by segment one stands out"
is "$(what '*[(c["component"], len(c["jobs"]), c["sum"], c["least"], c["greatest"]) for c in x["components"]]')" \
	"('ocean_annual_z_1x1deg', 9, 56903390882, 860163243, 10425623185) ('ocean_month_rho2_1x1deg', 2, 21745247694, 1663860093, 20081387601)" \
	"components, the largest first"
is "$(what '*[len(c["missing"]) for c in x["components"]], x["components"][1]["missing"][:2]')" "0 7 ['18540101', '18590101']" \
	"segments that a component lacks"
is "$(what '*[len(c["missing"]) for c in x["components"]]' --segments 18540101,20090101,5y)" "23 30" "in a range that is given"
"$PERFMON" explore ESM4 --metric efficiency >out
is "$(sed -n 3p out | tr -s ' ')" "Component Jobs Mean Least Greatest Variation" "means have no shares: $(sed -n 1p out)"
python3 -c '
from made import *
make([("ESM4", "z", s, 5) for s in ("18540101", "18540102", "18990101")])'
is "$(what '*[c["missing"] for c in x["components"]]') $(grep -c 'more than 10 000 steps' err)" "None 1" "segments too far apart to be listed are told"
python3 -c '
from made import *
make([("ESM4", "ocean_annual_z_1x1deg", y, d) for y, d in zip(years, ocean)] +
    [("ESM4", "ocean_month_rho2_1x1deg", years[i], sums[i] - ocean[i]) for i in (6, 7)] + [("ESM2", "other", years[0], 5)])'
is "$(what 'len(x["components"]), x["metric"], x["unit"]' --metric rssmax --limit 1)" "1 rssmax kB" "another figure, fewer components"
is "$(what 'x["sum"], *{c["sum"] for c in x["components"]}' --metric gpu_time)|$("$PERFMON" explore ESM4 --metric gpu_time | head -n 1 | sed 's/.*gpu_time //')" \
	"None None|unknown in all" "a figure that no job knows has no sum"
# A share of time: nine jobs of .2, one of .8 and one that is not known.
sqlite3 "$PERFMON_DB" "UPDATE job SET efficiency = .2; UPDATE job SET efficiency = .8 WHERE id = (SELECT max(job_id) - 1 FROM tag_set WHERE value = 'ocean_month_rho2_1x1deg');
	UPDATE job SET efficiency = NULL WHERE id = (SELECT max(job_id) FROM tag_set WHERE value = 'ocean_month_rho2_1x1deg')"
is "$(what '"sum" in x, round(x["mean"], 9), *[(round(c["mean"], 9), c["share"]) for c in x["components"]], *[round(s["mean"], 9) for s in x["segments"]][5:8]' --metric efficiency)" \
	"False 0.26 (0.8, None) (0.2, None) 0.2 0.5 0.2" "figures that are no sums have means"
is "$(what 'len(x["components"][0]["jobs"])' --before @1700000000.000005)" 3 "filters"

# One name that is no date leaves the others' range.
python3 -c '
from made import *
make([("ESM4", "ocean", y, 5) for y in years if y != years[3]] + [("ESM4", "ocean", "restart", 5)])'
is "$(what 'x["components"][0]["missing"]')" "['18690101']" "a segment that is no date hides none that is missing"

# Twelve components: ten are shown, and how many are not is said.
python3 -c '
from made import *
make([("ESM4", "c%02d" % c, y, 100 - c) for c in range(12) for y in years[:2]])'
is "$(what 'len(x["components"]), x["components_left_out"]') $(what 'len(x["components"]), x["components_left_out"]' --limit 0)" "10 2 12 0" "ten of twelve components"
"$PERFMON" explore ESM4 --segments 18540101,18640101,5y >out
is "$(grep -c '^further components, which --limit 0 shows, too: 2$' out) $(grep -c '^Missing of c0[0-9]: 18640101$' out)" "1 10" "as text, with what is missing"

# --- pages ----------------------------------------------------------------------------------------
plain_page "explore --html" explore ESM4 --segments 18540101,18640101,5y
what '*[(c["sum"], c["least"], c["greatest"]) for c in x["components"]], *[s["sum"] for s in x["segments"]]' >want
is "$(plain print page.html '*[tuple(int(value(r[i])) for i in (2, 4, 5)) for r in tables[0][1:]], *[int(value(r[2])) for r in tables[-1][1:]]')" \
	"$(cat want)" "page: its numbers are those of JSON"
is "$(plain print page.html 'len(tables), [h[1] for h in headings][:3], [h[1] for h in headings][-1], text.count("Missing of c0"), "further components, which --limit 0 shows, too: 2" in text')" \
	"12 ['Experiment ESM4', 'c00', 'c01'] All components 10 True" "page: components, segments, and what is missing"
python3 -c '
from made import *
make([("</title><script>alert(1)</script>", "<b onclick=x>\"&", "\x1b[31m", 10), ("</title><script>alert(1)</script>", "ok\u202e", None, None)])'
"$PERFMON" explore '</title><script>alert(1)</script>' --html page.html
is "$(plain check page.html)|$(plain print page.html 'text.count("</title><script>alert(1)</script>") > 1, "<b onclick=x>\"&" in text, [str(c) for c in tables[1][1]][:4:3], [str(r[3]) for r in tables[2][1:]]')" \
	"|True True ['\\\\x1b[31m', '10 us'] ['unknown']" "page: names that are markup or no text are shown as they are, unknown is called so"

# Two runs of a segment, one without a figure, segments that are no dates, a job without component.
python3 -c '
from made import *
make([("ESM4", "a,b;c", "first", 10), ("ESM4", "a,b;c", "first", 20), ("ESM4", "a,b;c", "second", None), ("ESM4", None, None, 7)])'
is "$(what '*[(s["segment"], s["jobs"], s["sum"]) for s in x["segments"]], *[(c["component"], c["sum"], c["missing"]) for c in x["components"]]')" \
	"('first', 2, 30) ('second', 1, None) ('a,b;c', 30, None) (None, 7, None)" "odd ones"
"$PERFMON" explore ESM4 --width 90 >out 2>err
is "$? $(cat err)" "0 " "as text"
tr -s ' ' <out >lines
is "$(cat lines)" "ESM4: 4 jobs, Wall time 37 us in all

Component Jobs Sum Share Least Greatest Variation
a,b;c 3 30 us 81 % 10 us 20 us 33 %
none 1 7 us 19 % 7 us 7 us 0 %

a,b;c
 Segment Job User Value Score By
 first 9002 anna 10 us 0
 first 9003 anna 20 us 0
 second 9004 anna unknown 0

none
 Segment Job User Value Score By
 9005 anna 7 us 0

All components
 Segment Jobs Sum Score By
 first 2 30 us 0
 second 1 unknown 0" "which says all of it"
while IFS='|' read -r status words why; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" explore $words >out 2>err
	is "$? $(grep -c -e "$why" err)" "$status 1" "explore $words: $why"
done <<-'END'
	2||takes an experiment
	2|a b|takes an experiment
	1|nothing|no job in .* has the tag exp_name as nothing
	2|ESM4 --segments 1854,1894|FROM,TO,STEP is needed
	2|ESM4 --segments 1854,1894,5w|FROM,TO,STEP is needed
	2|ESM4 --segments 1894,1854,5y|forwards
	2|ESM4 --segments 1854,9999,1d|10 000 steps
	2|ESM4 --metric duration_us,rssmax|one figure is needed
	2|ESM4 --metric size|is no figure
	1|ESM4 --user nobody|of those that the options take
END
done_testing
