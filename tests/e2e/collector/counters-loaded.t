#!/bin/sh
# Counters of a real job from perfmon run to list, show and report: the same numbers everywhere.
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3; then
	skip "counters in the database" "no $missing"
	done_testing
fi
case $("$PERFMON" events page-faults 2>/dev/null) in
page-faults*) ;;
*)
	skip "counters in the database" "page faults cannot be counted here"
	done_testing
	;;
esac

export PERFMON_OPTIONS=page-faults,task-clock,nosuchthing
# A program that counts, one that closes what is not its own, one that is killed.
"$PERFMON" -q -a -j counted run sh -c '
	ls -R /etc >/dev/null 2>&1
	python3 -c "import os; os.closerange(3, 70000)"
	sh -c "kill -9 \$\$"
	exit 0' 2>err
"$PERFMON" submit >out 2>err
is $? 0 "a job with counters is loaded"
unset PERFMON_OPTIONS

"$PERFMON" report --json counted >report.json
is $? 0 "report"
"$PERFMON" list counters counted --json >list.json
is $? 0 "list counters"
"$PERFMON" list processes counted --json >processes.json
"$PERFMON" show --counters counted --limit 0 --width 200 >show.txt
is $? 0 "show --counters"

cat >check.py <<'EOF'
import json, sys
report, rows = json.load(open("report.json")), json.load(open("list.json"))
processes = json.load(open("processes.json"))
whole = [r for r in rows if r["thread_id"] == 0]
counters = {c["name"]: c for c in report["counters"]}
metrics = {m["id"]: m for m in report["metrics"]}
wall = report["totals"]["wall_us"] / 1e6
what = sys.argv[1]
if what == "names":
    print(*sorted(counters))
elif what == "sums":
    for name in ("page-faults", "task-clock"):
        known = [r["value"] for r in whole if r["name"] == name and r["value"] is not None]
        print(counters[name]["sum"] == sum(known), counters[name]["processes"] == len(known),
              counters[name]["unknown"] == sum(r["name"] == name and r["value"] is None for r in whole))
elif what == "unknown":
    c = counters["nosuchthing"]
    print(c["sum"], c["processes"], c["unknown"] == len({r["process_id"] for r in whole}), [r["reason"] for r in c["reasons"]])
elif what == "closed":
    closed = {p["id"] for p in processes if "closerange" in " ".join(map(str, p["args"] or []))
              and p["exename"].startswith("python")}
    print(closed and closed <= {r["process_id"] for r in whole if r["reason"] == "closed"})
elif what == "killed":
    killed = {p["id"] for p in processes if p["exitsignal"] == 9}
    print(bool(killed), any(r["process_id"] in killed for r in rows))
elif what == "metrics":
    print(abs(metrics["page_fault_rate"]["value"] * wall / counters["page-faults"]["sum"] - 1) < 1e-9,
          abs(metrics["cpus"]["value"] * wall * 1e9 / counters["task-clock"]["sum"] - 1) < 1e-9)
elif what == "shown":
    text = open("show.txt").read().split("\n")
    shown = sorted(int(l.replace("  page-faults", "").replace(" ", "")) for l in text
                   if l.endswith("  page-faults") and "unknown" not in l)
    print(shown == sorted(r["value"] for r in whole if r["name"] == "page-faults" and r["value"] is not None))
EOF
is "$(python3 check.py names)" "nosuchthing page-faults task-clock" "every event that was asked for"
is "$(python3 check.py sums | tr '\n' ' ')" "True True True True True True " \
	"the report's sums are those of the processes"
is "$(python3 check.py unknown)" "None 0 True ['unknown']" "what nobody knows is unknown everywhere"
is "$(python3 check.py closed)" True "so is what a program closed"
is "$(python3 check.py killed)" "True False" "a process that was killed has no counters"
is "$(python3 check.py metrics)" "True True" "what they make follows from the sums and the job's time"
is "$(python3 check.py shown)" True "the tree shows the same"
"$PERFMON" report counted --width 100 >out
for part in '^Counters$' '^  page-faults  ' 'unknown event name (unknown)' 'the program closed the' \
	'left no record of counters'; do
	grep -q "$part" out
	ok $? "the report says: $part"
done
done_testing
