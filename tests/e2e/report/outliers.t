#!/bin/sh
# outliers: quartiles, medians, means and what stands out, against numpy; and how often something does by chance.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2154 # set by lib.sh
. "${abs_top_srcdir:?run by make check}/tests/e2e/lib.sh"

if ! need python3 || ! python3 -c 'import numpy, sqlite3' 2>/dev/null; then
	skip "outliers" "no python3 with numpy and sqlite3"
	done_testing
fi
cp -R "$abs_top_srcdir/tests/golden/report/busy" busy && chmod -R u+w busy
PERFMON_DB=$work/jobs.db "$PERFMON" -q submit busy 2>/dev/null
PERFMON_DB=$work/jobs.db
export PERFMON_DB PERFMON

cp "$abs_top_srcdir/tests/e2e/madejobs.py" made.py
cat >judge.py <<-'END'
	import numpy, warnings
	warnings.simplefilter("ignore")
	def judge(y):
	    """Of known values: their distribution and, of each, the methods that mark it."""
	    y = numpy.array(y, float)
	    q1, median, q3 = numpy.percentile(y, [25, 50, 75])
	    away = abs(y - median)
	    spread = numpy.median(away) or numpy.mean(away)
	    deviation = numpy.std(y)
	    same = y.min() == y.max()
	    marks = []
	    for v, a in zip(y, away):
	        m = []
	        # What is equal but for rounding is not more.
	        if max(q1 - v, v - q3) > 1.5 * (q3 - q1) * (1 + 1e-12): m.append("IQR")
	        if 0.6745 * a > 3.5 * spread * (1 + 1e-12): m.append("MADZ")
	        if not same and abs(v - numpy.mean(y)) > 3 * deviation * (1 + 1e-12): m.append("z")
	        marks.append(m)
	    return dict(known=len(y), q1=q1, median=median, q3=q3, mad=numpy.median(away), mean=numpy.mean(y), deviation=deviation), marks
END
cat >random-sets.py <<-'END'
	import json, os, random, subprocess, sys
	from made import *
	from judge import *
	r = random.Random(int(sys.argv[1]))
	def values(n, integer):
	    kind = r.randrange(8)
	    base = 10 ** r.randrange(1, 13)
	    pick = {0: lambda: base, 1: lambda: r.choice([base, base, base, base, 2 * base]), 2: lambda: r.randrange(4),
	        3: lambda: r.gauss(base, base / 20), 4: lambda: base * r.lognormvariate(0, 1), 5: lambda: r.randrange(base),
	        6: lambda: base if r.random() < 0.97 else base * 30, 7: lambda: 0}[kind]
	    unknown = r.choice([0, 0, 0.1, 0.9, 1])
	    one = lambda: (lambda v: int(v) if integer else v / base)(max(0, pick()))
	    return [None if r.random() < unknown else one() for _ in range(n)]
	groups = {}
	for g in range(40):
	    n = r.choice([4, 5, 8, 30, 100, 500])
	    tags = {"exp_name": "e%d" % g, "exp_component": "c"} if g % 3 == 0 else {"exp_name": "only%d" % g} if g % 3 == 1 else {}
	    name = "e%d / c" % g if g % 3 == 0 else "only%d / " % g if g % 3 == 1 else "name%d" % g
	    groups[name] = (tags, {f: values(n, f != "efficiency") for f in features})
	ids = make("jobs.db", groups, 0)
	run = subprocess.run([os.environ["PERFMON"], "outliers", "--feature", "*", "--score", "1", "--json"], stdout=subprocess.PIPE, universal_newlines=True)
	got = {g["group"]: g for g in json.loads(run.stdout)["groups"]}
	wrong = sets = marked = 0
	def near(a, b):
	    return a is not None and abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))
	for name, (_, by) in groups.items():
	    found = {(o["feature"], o["id"]): o["methods"] for o in got[name]["outliers"]}
	    for f in got[name]["features"]:
	        sets += 1
	        y = by[f["name"]]
	        known = [(i, v) for i, v in zip(ids[name], y) if v is not None]
	        if not known:
	            wrong += f["known"] != 0 or f["median"] is not None
	            continue
	        want, marks = judge([v for _, v in known])
	        bad = [k for k, v in want.items() if not near(f[k], v)]
	        if len(known) >= 4:
	            bad += ["marks of %d" % i for (i, _), m in zip(known, marks) if found.pop((f["name"], i), []) != m]
	            marked += sum(map(bool, marks))
	        if bad:
	            wrong += 1
	            print("#", name, f["name"], bad[:3])
	    wrong += len(found)
	print(sets, marked, wrong)
END
python3 random-sets.py 11 >answers
sed '$d' answers
read -r sets marked wrong <<-END
	$(tail -n 1 answers)
END
test "$sets" -gt 1000
ok $? "$sets random sets"
is "$wrong" 0 "quartiles, median, MAD, mean, deviation and marks of random sets are numpy's"
test "$marked" -gt 500
ok $? "$marked values are marked"
sed 's/0.6745/0.6/' judge.py >judge2.py && sed 's/from judge/from judge2/; s/range(40)/range(8)/' random-sets.py >other.py
test "$(python3 other.py 11 | tail -n 1 | cut -d ' ' -f 3)" -gt 0
ok $? "noticed: a modified z score with another factor"

# References: what is kept of good jobs, and what is beyond them; principal components, up to their sign.
cat >trained.py <<-'END'
	import json, os, random, subprocess, sys
	import numpy
	from made import *
	from judge import *
	r = random.Random(int(sys.argv[1]))
	share, many = float(sys.argv[2]), int(sys.argv[3])
	def near(a, b):
	    return abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))
	def column(n, base, cause):
	    kind = r.randrange(6)
	    scale = 10 ** r.randrange(2, 12)
	    pick = {0: lambda i: scale, 1: lambda i: r.choice([scale, 2 * scale]), 2: lambda i: scale * (1 + 0.1 * cause[i]),
	        3: lambda i: scale * (2 + 0.3 * cause[i] + 0.2 * r.gauss(0, 1)), 4: lambda i: r.gauss(scale, scale / 9), 5: lambda i: scale * r.lognormvariate(0, 1)}[kind]
	    unknown = r.choice([0, 0, 0, 0.05, 0.5, 1])
	    return [None if r.random() < unknown else int(max(0, pick(i))) for i in range(n)]
	groups = {}
	for g in range(many):
	    n = r.choice([4, 5, 8, 30, 100, 300]) if g else 1000
	    cause = [r.gauss(0, 1) for _ in range(n)]
	    groups["name%d" % g] = ({}, {f: column(n, g, cause) for f in features if f != "efficiency"})
	ids = make("jobs.db", groups, 0)
	run = lambda *words: {g["group"]: g for g in json.loads(subprocess.run([os.environ["PERFMON"], "outliers", "--feature", "*", "--score", "1", "--json"] + list(words),
	    stdout=subprocess.PIPE, universal_newlines=True).stdout)["groups"]}
	got = run("--pca", "--outlier-pca", str(share)) if share else {}
	sets = wrong = components = close = 0
	for name, (_, by) in groups.items() if share else ():
	    n = len(ids[name])
	    x = numpy.array([[numpy.nan if v is None else v for v in by[f]] for f in by], float).T
	    used = [k for k, f in enumerate(by) if (~numpy.isnan(x[:, k])).sum() >= max(1, 0.9 * n)]
	    rows = ~numpy.isnan(x[:, used]).any(axis=1)
	    pca = got[name].get("pca")
	    if not used or rows.sum() < 4:
	        continue
	    m = x[rows][:, used]
	    sd = m.std(axis=0)
	    sd[m.min(axis=0) == m.max(axis=0)] = 0
	    std = numpy.divide(m - m.mean(axis=0), sd, out=numpy.zeros_like(m), where=sd > 0)
	    u, d, vt = numpy.linalg.svd(std, full_matrices=False)
	    ratio = d ** 2 / (d ** 2).sum() if (d ** 2).sum() else []
	    if not len(ratio):
	        wrong += len(pca["components"])
	        continue
	    keep = 1 + int(numpy.searchsorted(numpy.cumsum(ratio), share - 1e-12))
	    bad = [] if len(pca["components"]) == keep else ["%d components, not %d" % (len(pca["components"]), keep)]
	    places = {j["id"]: j for j in pca["jobs"]}
	    marks = {}
	    sets += 1
	    for c in range(min(keep, len(pca["components"]))):
	        components += 1
	        if not near(pca["components"][c]["share"], ratio[c]):
	            bad.append("share of %d" % c)
	        # Equal eigenvalues have no vectors of their own.
	        if c and ratio[c - 1] - ratio[c] < 1e-6 or c + 1 < len(ratio) and ratio[c] - ratio[c + 1] < 1e-6:
	            close += 1
	            continue
	        load = numpy.array([pca["components"][c]["loadings"][list(by)[k]] for k in used])
	        sign = 1 if numpy.dot(load, vt[c]) > 0 else -1
	        if not all(near(a, sign * b) for a, b in zip(load, vt[c])):
	            bad.append("loadings of %d" % c)
	        place = sign * (std @ vt[c])
	        at = [places[i] for i, known in zip(ids[name], rows) if known]
	        if not all(near(j["places"][c], p) for j, p in zip(at, place)):
	            bad.append("places along %d" % c)
	        for j, m in zip(at, judge(place)[1]):
	            marks.setdefault(j["id"], {})[c] = len(m)
	            if j["scores"][c] != len(m):
	                bad.append("score of %d along %d" % (j["id"], c))
	    for i, score in marks.items():
	        if len(score) == keep and not near(places[i]["weighted"], sum(score[c] * ratio[c] / ratio[keep - 1] for c in score)):
	            bad.append("weighted score of %d" % i)
	    if any(p is not None for i, known in zip(ids[name], rows) if not known for p in places[i]["places"]):
	        bad.append("a place of unknown values")
	    if bad:
	        wrong += 1
	        print("#", name, bad[:4])
	print(sets, components, close, wrong)
	# --- references
	good = {name: sorted(r.sample(range(len(i)), max(3, len(i) // 2))) for name, i in ids.items()}
	got = run("--good", ",".join("#%d" % ids[name][k] for name in good for k in good[name]))
	sets = wrong = 0
	for name, (_, by) in groups.items():
	    found = {(o["feature"], o["id"]): o["methods"] for o in got[name]["outliers"]}
	    for f in got[name]["features"]:
	        if f["name"] not in by:
	            continue
	        y = by[f["name"]]
	        ref = numpy.array([y[k] for k in good[name] if y[k] is not None], float)
	        if len(ref) < 3:
	            wrong += any(k[0] == f["name"] for k in found)
	            continue
	        sets += 1
	        lo, hi, median, mean = ref.min(), ref.max(), numpy.median(ref), ref.mean()
	        away = abs(ref - median)
	        spread, sd = numpy.median(away) or away.mean(), ref.std() if lo < hi else 0
	        madz = lambda v: 0.6745 * abs(v - median) / spread if spread else 0 if v == median else numpy.inf
	        z = lambda v: abs(v - mean) / sd if sd else 0 if v == lo else numpy.inf
	        top = max(map(madz, ref)), max(map(z, ref))
	        want = [(f["low"], (3 * hi + 5 * lo) / 8), (f["high"], (5 * hi + 3 * lo) / 8), (f["least"], lo), (f["greatest"], hi), (f["madz"]["score"], top[0]),
	            (f["madz"]["centre"], median), (f["madz"]["spread"], spread), (f["z"]["score"], top[1]), (f["z"]["centre"], mean), (f["z"]["spread"], sd)]
	        bad = [w for w in want if not near(*w)]
	        for i, v in zip(ids[name], y):
	            if v is None:
	                continue
	            has = found.pop((f["name"], i), [])
	            # A value that is as far away as the farthest may be on either side, by rounding.
	            for method, beyond, edge in (("IQR", v < lo or v > hi, False), ("MADZ", madz(v) > top[0], near(madz(v), top[0])), ("z", z(v) > top[1], near(z(v), top[1]))):
	                if not edge and (method in has) != beyond:
	                    bad.append((i, method))
	        if bad:
	            wrong += 1
	            print("#", name, f["name"], bad[:3])
	    wrong += len(found)
	print(sets, wrong)
END
most=0.8 all=0.999
if "$PERFMON" outliers --pca 2>&1 | grep -q 'need LAPACKE'; then
	skip "principal components" "no LAPACKE"
	most=0 all=0
fi
# numbers FILE SEED SHARE GROUPS: what the script counts
numbers()
{
	python3 "$@" >answers
	grep '^#' answers
	grep -v '^#' answers | tr '\n' ' ' >counts
	read -r sets components close wrong references beyond <counts
}
numbers trained.py 12 $most 40
diag "$sets sets with principal components, $components of these, $close of which share their direction with another; $references references"
[ $most = 0 ] || { test "$sets" -gt 20 && test "$components" -gt 100 && test "$close" -lt "$components"; }
ok $? "principal components of random sets"
is "$wrong" 0 "shares, loadings, places, scores and weighted scores are numpy's"
test "$references" -gt 900
ok $? "references of random sets"
is "$beyond" 0 "what they keep, and what is beyond them, is numpy's"
numbers trained.py 13 $all 15
is "$wrong $beyond" "0 0" "as of other sets, with $components components that explain nearly all"
sed 's/std @ vt\[c\]/std @ vt[c] * (1 + 1e-8)/; s/(3 \* hi/(3.0001 * hi/' trained.py >other.py
numbers other.py 12 $most 8 >/dev/null
{ [ $most = 0 ] || test "$wrong" -gt 0; } && test "$beyond" -gt 0
ok $? "noticed: places that are a hundred-millionth too far away, and other pseudo-quartiles"

# Nothing is wrong with jobs that scatter normally; every 50th takes so much more.
cat >chance.py <<-'END'
	import json, os, random, subprocess, sys
	from made import *
	r = random.Random(5)
	names = ["cpu_time", "rchar", "wchar", "syscr"]
	groups = {"g%02d" % g: ({}, {f: [int(r.gauss(1e9, 5e7)) for _ in range(500)] for f in names}) for g in range(20)}
	logs = {"l%02d" % g: ({}, {f: [int(1e9 * r.lognormvariate(0, 0.25)) for _ in range(500)] for f in names}) for g in range(20)}
	slow = {}
	for percent in (10, 20, 50):
	    for g in range(10):
	        base = {f: [int(r.gauss(1e9, 5e7)) for _ in range(500)] for f in names}
	        for i in range(0, 500, 50):
	            base["cpu_time"][i] = int(base["cpu_time"][i] * (1 + percent / 100))
	        slow["s%d-%d" % (percent, g)] = ({}, base)
	ids = make("jobs.db", dict(list(groups.items()) + list(logs.items()) + list(slow.items())), 0)
	run = subprocess.run([os.environ["PERFMON"], "outliers", "--feature", ",".join(names), "--json"], stdout=subprocess.PIPE, universal_newlines=True)
	by = {g["group"]: g["outliers"] for g in json.loads(run.stdout)["groups"]}
	false = sum(len(by[g]) for g in groups) / (20 * 500 * len(names))
	skew = sum(len(by[g]) for g in logs) / (20 * 500 * len(names))
	found = {p: [o["id"] for s in slow if s.startswith("s%d-" % p) for o in by[s] if o["feature"] == "cpu_time" and o["id"] in ids[s][::50]] for p in (10, 20, 50)}
	# Of those that are found, the cause is ranked first.
	first = lambda job: json.loads(subprocess.run([os.environ["PERFMON"], "rootcause", "#%d" % job, "--json"], stdout=subprocess.PIPE,
	    universal_newlines=True).stdout)["causes"][0]["feature"]
	asked = [i for p in found for i in found[p][:12]]
	print("%.5f %.5f %s %d %d" % (false, skew, " ".join("%d" % len(found[p]) for p in found), len(asked), sum(first(i) == "cpu_time" for i in asked)))
END
python3 chance.py >rates
read -r false skew ten twenty fifty asked first <rates
diag "marked by two methods: $false of normal values, $skew of log-normal ones of sigma 0.25 (where beyond the fences are 0.022 in theory); of 100 jobs slower by 10, 20, 50 %: $ten, $twenty, $fifty"
awk -v f="$false" 'BEGIN { exit !(f <= 0.005) }'
ok $? "two methods mark at most 5 of 1000 values that scatter normally"
test "$fifty" -eq 100 && test "$twenty" -ge 50 && test "$twenty" -ge "$ten"
ok $? "they find those that are slower by half, and most that are by a fifth, four standard deviations"
is "$first" "$asked" "root cause ranks first what makes them slow, of $asked that are found"

# Distributions, against scipy where it is, and else what is true of a few values.
cat >shapes.py <<-'END'
	import json, os, random, subprocess, sys
	from made import *
	r = random.Random(3)
	names = ["cpu_time", "rchar", "wchar", "syscr", "syscw"]
	kinds = [lambda: r.gauss(1e9, 1e8), lambda: 1e9 * r.lognormvariate(0, 1), lambda: 1e9 * r.random(), lambda: r.choice([5, 5, 5, 9]), lambda: r.gauss(1e12, 1)]
	groups = {"g%d" % g: ({}, {f: [int(k()) if r.random() < 0.95 else None for _ in range([4, 8, 9, 20, 60, 500][g % 6])] for f, k in zip(names, kinds)}) for g in range(36)}
	make("jobs.db", groups, 0)
	try:
	    import numpy, scipy.stats
	except ImportError:
	    sys.exit(0)
	run = subprocess.run([os.environ["PERFMON"], "outliers", "--distributions", "--feature", ",".join(names), "--json"], stdout=subprocess.PIPE, universal_newlines=True)
	near = lambda a, b: abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))
	sets = wrong = normal = 0
	for g in json.loads(run.stdout)["groups"]:
	    for f in g["features"]:
	        y = numpy.array([v for v in groups[g["group"]][1][f["name"]] if v is not None], float)
	        sets += 1
	        if len(y) == 0 or y.min() == y.max():
	            wrong += f["skewness"] is not None or f["p"] is not None
	            continue
	        bad = not near(f["skewness"], scipy.stats.skew(y)) or not near(f["kurtosis"], scipy.stats.kurtosis(y)) or not near(f["greatest"], y.max())
	        if len(y) >= 8:
	            # scipy takes a skewness of 0 for one of 1.
	            k2, p = scipy.stats.normaltest(y)
	            bad = bad or abs(scipy.stats.skew(y)) > 1e-12 and (not near(f["k2"], k2) or not near(f["p"], p)) or f["distribution"] != ("norm" if p > 0.05 else "unknown")
	            normal += p > 0.05
	        else:
	            bad = bad or f["p"] is not None or f["distribution"] != "unknown"
	        if bad:
	            print("#", g["group"], f)
	        wrong += bad
	print(sets, wrong, normal > 20)
END
if python3 -W ignore shapes.py >answers && [ -s answers ]; then
	grep '^#' answers
	is "$(tail -n 1 answers)" "180 0 True" "skewness, kurtosis and the test of normality are scipy's"
	sed 's/normaltest(y)/normaltest(y * y)/' shapes.py >other.py
	test "$(python3 -W ignore other.py | tail -n 1 | cut -d ' ' -f 2)" -gt 0
	ok $? "noticed: the test of other values"
else
	skip "the shapes of distributions" "no scipy"
fi
"$PERFMON" outliers --distributions --width 150 >out 2>err
is "$? $(cat err) $(grep -c '^  cpu_time .* \(may be\|no\|unknown\)$' out)" "0  36" "a table of each group" || diag "$(head -n 4 out)"

# The page has them.
python3 - "$abs_top_srcdir/man/perfmon-outliers.1" >missing <<-'END'
	import sys
	from made import *
	page = open(sys.argv[1]).read().split(".SH FIGURES")[1].split(".PP")[0].split("(5):")[1]
	named = page.replace(",", " ").replace(".", " ").split()
	print(*sorted(set(features) ^ set(named)))
END
is "$(cat missing)" "" "perfmon-outliers(1) names all figures, and no others"

# A name is no experiment, and jobs without a name have nothing in common.
python3 - <<-'END'
	from made import *
	cpu = {"cpu_time": [5, 5, 5, 5, 5, 99]}
	make("jobs.db", {"a / b": ({}, cpu), "tagged": ({"exp_name": "a", "exp_component": "b"}, cpu),
	    "": ({}, cpu)}, 0)
END
is "$("$PERFMON" outliers --json | python3 -c '
import json, sys
x = json.load(sys.stdin)
print([(g["group"], g["jobs"]) for g in x["groups"]], x["jobs_not_compared"])')" "[('a / b', 6), ('a / b', 6)] 7" \
	"groups of one title are two, and those without a name none"

# --- as people use it -----------------------------------------------------------------------------
python3 - <<-'END'
	from made import *
	make("jobs.db", {"spin": ({}, {"duration_us": [60000000 + i for i in range(9)] + [190000000], "cpu_time": [5] * 10, "processes": [7] * 10}),
	    "few": ({}, {"duration_us": [1, 2, 3], "cpu_time": [1, 2, 3], "processes": [1, 2, 3]})}, 0)
END
"$PERFMON" outliers --width 100 >out 2>err
is "$? $(cat err)" "0 " "a group of ten"
sed -n '1p;3p;$p' out | tr -s ' ' >lines
is "$(cat lines)" "spin: 10 jobs
 11 9011 anna 2023-11-14 22:13 duration_us 3 min 10 s 1 min 00 s 3.2 2 IQR MADZ
not compared, as there are too few alike: 4 jobs" "the one that took three times as long, and what was not compared"
# Among ten no value is more than three standard deviations from the mean.
is "$("$PERFMON" outliers --outlier-madz 2.5 --outlier-z 1.5 | sed -n '3p' | tr -s ' ')" " 11 9011 duration_us 3 min 10 s 1 min 00 s 3.2 3 IQR MADZ z" \
	"EPMT's limits in its tests"
is "$("$PERFMON" outliers --method z --outlier-z 2.5 | sed -n '3p' | tr -s ' ')" " 11 9011 duration_us 3 min 10 s 1 min 00 s 3.2 1 z" "one method alone"
sqlite3 jobs.db "UPDATE job SET running = 1 WHERE jobid = '9011'"
is "$("$PERFMON" outliers --score 1 --json | grep -c '"9011"')" 0 "what a job has used so far is not compared"
sqlite3 jobs.db "UPDATE job SET running = 0 WHERE jobid = '9011'"
is "$("$PERFMON" outliers --score 1 --json | grep -c '"9011"')" 1 "but when it is over it is"
is "$("$PERFMON" outliers --outlier-z x 2>&1)" "perfmon: --outlier-z: 'x' is not a number such as 3 or 2.5" "a limit that is no number"
is "$("$PERFMON" outliers --good 9002,9003,9004 --json | python3 -c '
import json, sys
for g in json.load(sys.stdin)["groups"]:
    print(g["group"], g["jobs"], g["features"][0]["known"], [(o["jobid"], o["score"], o["feature"]) for o in g["outliers"]][:2], len(g["outliers"]))')" \
	"spin 10 3 [('9011', 3, 'duration_us'), ('9010', 3, 'duration_us')] 7" "beside three that are good, all that take longer"
"$PERFMON" outliers --good 9002,9003 >out 2>err
is "$? $(grep -c 'no 3 are good and comparable' err)" "1 1" "two good ones are too few"
"$PERFMON" outliers --good 9002,x >out 2>err
is "$? $(grep -c 'x: no such job' err)" "1 1" "a good one that is not there"
"$PERFMON" outliers --user nobody >out 2>err
is "$? $(grep -c 'no 4 are comparable' err)" "1 1" "fewer than four are an error"
"$PERFMON" outliers --feature duration_us,size >out 2>err
is "$? $(grep -c "'size' is no figure: duration_us, cpu_time" err)" "2 1" "an unknown figure"
for words in "users" "--score 0" "--score 4" "jobs 9002 --user anna" "jobs --by op"; do
	# shellcheck disable=SC2086 # words
	"$PERFMON" outliers $words >out 2>err
	is $? 2 "outliers $words is a usage error"
done
done_testing
