#!/bin/sh
# perfmon-sampler(7) is true: every metric that it names is sampled, in its unit; every option is taken; every
# row has a test in sampler-map.tsv, whose case passed. make runs these tests before (tests/Makefile.inc): what
# counts is what their logs say, and a case that was skipped or did not run is as bad as one that failed.
# shellcheck disable=SC2154 # set by lib.sh
# shellcheck source=tests/e2e/lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3; then
	skip "map" "no $missing"
	done_testing
fi
"$PERFMON" sources --json >sources.json
"$PERFMON" help sample >options
"$PERFMON" schema >schema.sql
# breaches CHECK [planted]: print what is not true; planted: one test stands at a row that the page does not have.
breaches()
{
	python3 - "$abs_top_srcdir" "$abs_top_builddir" "$@" >out 2>&1 <<'EOF'
import glob, json, os, re, sys
top, build, check = sys.argv[1:4]
page = open(top + "/man/perfmon-sampler.7").read().replace("\\-", "-").replace("\\:", "")
tables = {}
for name, text in re.findall(r'\.\\" MAP (\w+)\n(.*?)\.\\" MAP END', page, re.S):
    tables[name] = [[c.strip() for c in re.findall(r"T\{\n(.*?)\nT\}", row, re.S)]
                    for row in re.split(r"(?<=\nT\})\n", text) if row.strip()]
metrics, rules, mistakes = tables["metrics"], tables["rules"], tables["mistakes"]
if [len(r) for r in metrics] != [3] * len(metrics) or any(len(r) != 2 for r in rules + mistakes):
    print("a row with other columns")
shown = [line.rstrip("\n").split("\t") for line in open(top + "/tests/e2e/sampler/map.tsv") if line[0] != "#"]
if len(sys.argv) > 4:
    shown[-1][1] = "nothing that anybody measures"
# Cases of that name are of recordings that not every checkout has.
recorded = os.path.exists(top + "/../shared/fixtures/devices.tar.gz")
units = {s["name"] + "." + m["name"]: m["unit"] for s in json.load(open("sources.json")) for m in s["metrics"]}
schema = open("schema.sql").read()
summaries = re.findall(r"^\t(\w+) REAL,.*\[(.*)\]$", schema.split("CREATE TABLE node_summary")[1].split(";")[0], re.M)
units.update(("node_summary." + n, u) for n, u in summaries)
if check == "metrics":
    print(*[m for r in metrics for m in r[1].split() if m not in units], sep="\n")
    if len(metrics) < 80:
        print("too few rows: %d" % len(metrics))
elif check == "units":
    print(*["%s is in %s" % (m, units[m]) for r in metrics for m in r[1].split()
            if m in units and units[m] != r[2]], sep="\n")
elif check == "summaries":
    named = {m for r in metrics for m in r[1].split()}
    print(*[n for n, u in summaries if "node_summary." + n not in named], sep="\n")
    if len(summaries) != 18:
        print("%d of them" % len(summaries))
elif check == "options":
    words = set(re.findall(r"--[a-z][-a-z]*", open("options").read()))
    print(*[w for r in rules for w in re.findall(r"--[a-z][-a-z]*", r[1]) if w not in words], sep="\n")
else:
    listed = "".join(open(f).read() for f in glob.glob(top + "/tests/*.inc"))
    ran = re.search(r"^pm_map_tests =((?:.*\\\n)*.*)", listed, re.M).group(1).split()
    if check == "files":
        rows = {(table, r[0]) for table in tables for r in tables[table]}
        print(*["%s has no test: %s" % row for row in rows - {(t, row) for t, row, _ in shown}], sep="\n")
        print(*["%s has no row: %s" % row for row in {(t, row) for t, row, _ in shown} - rows], sep="\n")
    for _, _, name in shown:
        path, _, case = name.partition(": ")
        test = path[:-2] + ".t"
        if check == "files":
            if not os.path.exists(top + "/" + path) or not case or test not in ran:
                print(name)
            continue
        try:
            log = open("%s/%s.log" % (build, path[:-2])).read()
        except OSError:
            print("%s: did not run" % name)
            continue
        # Of a unit test: file, group of cases, case; a case that is a loop has a line for each round.
        want = r".*:\w+:%s: Passed" % case if path.endswith(".c") else re.escape(case)
        results = re.findall(r"^(\w+): %s \d+ - (?:%s)(?:$| # SKIP)" % (test, want.replace(": Passed", ": .*")), log, re.M)
        if not results and case.startswith("fixture") and not recorded:
            continue
        if not results or set(results) != {"PASS"}:
            print("%s: %s" % (name, " ".join(sorted(set(results))) or "did not run"))
EOF
	grep -v '^$' out
}
for check in metrics units summaries options files passed; do
	is "$(breaches $check)" "" "perfmon-sampler(7): $check"
done
is "$(breaches files planted | sed 's/: .*//')" "mistakes has no test
mistakes has no row" "noticed: a row without a test, and a test without a row"
done_testing
