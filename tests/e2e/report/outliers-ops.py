#!/usr/bin/env python3
"""Outliers of operations, processes and threads against an account of its own.

  outliers-ops.py make FILE WHAT     rows in place of those of the one job in an SQLite database; what they are goes to FILE.json
  outliers-ops.py ask FILE [FAULT]   asks $PERFMON about $PERFMON_DB and compares; prints values compared and wrong ones. With
                                     FAULT the account is wrong on purpose.
  outliers-ops.py planted FILE       rates: of normal values that are called outliers, and of planted ones that are found; last of how many of these root
                                     cause was asked for, and how often what was planted was first

WHAT: mixed (random tags, unknown values), planted (normal values, every 20th of some is more), copies (EPMT's ten, one doubled).
"""
import collections, json, os, random, sqlite3, statistics, subprocess, sys

FIGURES = ["duration_us", "cpu_time", "rchar", "majflt"]
THREADS = ["duration_us", "usertime", "systemtime", "rchar"]


class Rows:
    """Rows of a database after the first ones of its tables."""
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA synchronous = OFF")
        self.names = {t: [c[1] for c in self.db.execute("PRAGMA table_info(%s)" % t)] for t in ("job", "host", "process", "thread_row")}
        self.first = {t: dict(zip(n, self.db.execute("SELECT * FROM " + t).fetchone() or [None] * len(n))) for t, n in self.names.items()}
        for t in "thread_row", "counter", "process", "host", "tag_set", "program_summary", "job":
            self.db.execute("DELETE FROM " + t)
        self.waiting = collections.defaultdict(list)
        self.jobs = 0

    def add(self, table, **values):
        row = dict(self.first[table], **values)
        self.waiting[table].append([row[n] for n in self.names[table]])

    def job(self, name, sets, **values):
        self.jobs += 1
        j = self.jobs
        self.add("job", id=j, jobid=str(7000 + j), epoch_us=j, start_us=1700000000000000 + j, name=name, **values)
        for h in 1, 2:
            self.add("host", job_id=j, id=h, hostname="n%d" % h, boot_id="b%d" % h)
        escaped = lambda text: text.replace("\\", "\\\\")
        self.db.executemany("INSERT INTO tag_set VALUES (?, ?, ?, ?)", [(j, i + 1, k, escaped(v)) for i, s in enumerate(sets) for k, v in s.items()])
        return j

    def end(self, path, account):
        for table, rows in self.waiting.items():
            self.db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(self.names[table]))), rows)
        self.db.commit()
        json.dump(account, open(path + ".json", "w"))


def make_mixed(path):
    r = random.Random(3)
    to, account = Rows(path), []
    ops = ["build", "clean", "a b,c", "x\\y", "\u00e9"]
    for name, jobs in ("ocean", 9), ("ice", 5), ("few", 3):
        for j in range(jobs):
            sets = [{"op": o, "seq": str(i % 2)} for i, o in enumerate(ops) if r.random() < 0.9] + [{"stage": "in"}]
            job = to.job(name, sets)
            for i in range(1, 70):
                tags = r.choice(sets + [None])
                # Figures that are rarely unknown, and one of which none is known in one operation.
                value = {f: None if r.random() < 0.02 or (f == "majflt" and tags and tags.get("op") == "clean") else
                    int(r.choice([1, 1, 1, 1, 1, 9]) * r.gauss(10 ** 6, 10 ** 5)) for f in FIGURES}
                value.update({f: None if r.random() < 0.02 else r.randrange(10 ** 6) for f in ("usertime", "systemtime")})
                exe = r.choice(["sh", "gcc", "na\\\\me", None])
                to.add("process", job_id=job, id=i, host_id=r.randrange(2) + 1, pid=1000 + i, parent_id=None, exename=exe,
                    tag_set=sets.index(tags) + 1 if tags else None, **value)
                row = dict(value, job=job, name=name, process=i, exe=exe, tags=tags, threads=[])
                for t in range(1, r.choice([1, 1, 4]) if r.random() < 0.5 else 1):
                    of = {f: None if r.random() < 0.02 else int(r.choice([1, 1, 1, 9]) * r.gauss(10 ** 6, 10 ** 5)) for f in THREADS}
                    to.add("thread_row", job_id=job, process_id=i, id=t, tid=1000 + i + t, **of)
                    row["threads"].append(dict(of, thread=t))
                account.append(row)
    to.end(path, account)


def make_planted(path):
    """One in 20 values is more by so many percent: an operation of a job, a process, a thread."""
    r = random.Random(5)
    to, account = Rows(path), []
    for percent in 0, 10, 20, 50:
        for g in range(4 if percent else 2):
            for j in range(500):
                job = to.job("s%d-%d" % (percent, g), [{"op": "build"}, {"op": "clean"}])
                slow = j % 20 == 0 and percent > 0
                for i, op in enumerate(["build"] if percent else ["build", "clean"]):
                    more = 1 + percent / 100 if slow and i == 0 else 1
                    to.add("process", job_id=job, id=i + 1, host_id=1, pid=1001 + i, parent_id=None, exename="p%d" % percent, tag_set=i + 1,
                        duration_us=int(r.gauss(10 ** 9, 5e7)), cpu_time=int(more * r.gauss(10 ** 9, 5e7)), rchar=int(r.gauss(10 ** 9, 5e7)), majflt=0)
                account.append(dict(percent=percent, kind="ops", job=job, process=1, slow=slow))
    # Processes and threads of one job, each program its own rate.
    job = to.job("all", [])
    n = 0
    for percent in 0, 10, 20, 50:
        for i in range(2000):
            n += 1
            slow, many = i % 20 == 0 and percent > 0, i % 2
            more = 1 + percent / 100 if slow else 1
            cpu = int(more * r.gauss(10 ** 9, 5e7))
            value = dict(duration_us=int(r.gauss(10 ** 9, 5e7)), usertime=cpu // 2, systemtime=cpu - cpu // 2)
            to.add("process", job_id=job, id=n, host_id=1, pid=1000 + n, parent_id=None, exename="q%d" % percent, tag_set=None, cpu_time=cpu, **value)
            if many:
                to.add("thread_row", job_id=job, process_id=n, id=1, tid=5000 + n, **value)
            account.append(dict(percent=percent, kind="rows", job=job, process=n, slow=slow))
    to.end(path, account)


def make_copies(path):
    to, account = Rows(path), []
    for name, rows in ("copies", 10), ("three", 3):
        job = to.job(name, [{"op": "copy"}])
        for i in range(1, rows + 1):
            more = 2 if i == 7 else 1
            to.add("process", job_id=job, id=i, host_id=1, pid=1000 + i, parent_id=None, exename="cp", tag_set=1,
                **{f: more * (10 ** 6 + i) for f in FIGURES + ["usertime", "systemtime"] if f != "majflt"})
    # EPMT's four jobs of five operations, of which the third builds for twice as long.
    for j in range(4):
        ops = ["build", "clean", "configure", "download", "extract"]
        job = to.job("kern", [{"op": o} for o in ops])
        for i, o in enumerate(ops):
            more = 2 if j == 2 and o == "build" else 1
            to.add("process", job_id=job, id=i + 1, host_id=1, pid=1000 + i, parent_id=None, exename="sh", tag_set=i + 1,
                duration_us=more * (10 ** 6 * (i + 1) + j), cpu_time=more * (5 * 10 ** 5 * (i + 1) + j))
    to.end(path, account)


# --- the account ----------------------------------------------------------------------------------

fault = None


def percentile(y, share):
    y = sorted(y)
    at = share * (len(y) - 1)
    low = int(at)
    return y[low] if low + 1 == len(y) else y[low] + (at - low) * (y[low + 1] - y[low])


def marks(y):
    """Of known values, of each the methods that mark it."""
    median, q1, q3 = (percentile(y, s) for s in (0.5, 0.25, 0.75))
    mean = sum(y) / len(y)
    away = [abs(v - median) for v in y]
    spread = percentile(away, 0.5) or sum(away) / len(away)
    deviation = statistics.pstdev(y)
    more, factor = 1 + 1e-12, 0.6 if fault == "factor" else 0.6745
    return [[m for m, is_one in (("IQR", max(q1 - v, v - q3) > 1.5 * (q3 - q1) * more), ("MADZ", factor * a > 3.5 * spread * more),
        ("z", len(set(y)) > 1 and abs(v - mean) > 3 * deviation * more)) if is_one] for v, a in zip(y, away)]


def judged(values):
    """Of {case: value}: {case: methods}, where four are known."""
    known = {k: v for k, v in values.items() if v is not None}
    return dict(zip(known, marks(list(known.values())))) if len(known) >= 4 else {}


def perfmon(*words):
    run = subprocess.run([os.environ["PERFMON"], "outliers"] + list(words) + ["--json"], stdout=subprocess.PIPE, universal_newlines=True)
    return json.loads(run.stdout)


def total(rows, figure):
    values = [p[figure] for p in rows]
    if fault == "zero":
        values = [v or 0 for v in values]
    return None if None in values else sum(values)


def ask(path):
    rows = json.load(open(path + ".json"))
    compared = wrong = 0

    def same(what, got, want):
        nonlocal compared, wrong
        compared += 1
        if got != want:
            wrong += 1
            print("# %s: %r, and by the account %r" % (what, got, want))

    # --- operations: of each value of a tag, and of sets of tags
    for words, tag in (["--by", "op"], "op"), (["--op-tag", "op", "--by", "seq"], None), ([], ""):
        by = collections.defaultdict(lambda: collections.defaultdict(list))
        for p in rows:
            tags = p["tags"] or {}
            if tag and tag in tags:
                key = json.dumps({tag: tags[tag]})
            elif tag is None and "op" in tags and "seq" in tags:
                key = json.dumps({"op": tags["op"], "seq": tags["seq"]})
            elif tag == "" and tags:
                key = json.dumps(tags, sort_keys=True)
            else:
                continue
            by[p["name"], key][p["job"]].append(p)
        got = {(g["group"], json.dumps(o["tags"], sort_keys=True)): o for g in perfmon("ops", "--feature", "*", "--score", "1", *words)["groups"] for o in g["operations"]}
        many = {k: v for k, v in by.items() if len(v) >= 4}
        same("operations of %s" % words, sorted(got), sorted(many))
        for key in set(got) & set(many):
            o, jobs = got[key], many[key]
            figures = {r["id"]: r["figures"] for r in o["rows"]}
            same("jobs of %s %s" % key, sorted(figures), sorted(jobs))
            for f in FIGURES + ["processes"]:
                values = {j: len(jobs[j]) if f == "processes" else total(jobs[j], f) for j in jobs}
                want = judged(values)
                for j in jobs:
                    same("%s of %s in %d" % (f, key, j), (figures[j][f]["value"], figures[j][f]["methods"], figures[j][f]["score"]),
                        (values[j], want.get(j, []), len(want.get(j, []))))
    # --- processes and threads
    for kind in "processes", "threads":
        for words, by_set in ([], True), (["--by", "op"], False):
            groups = collections.defaultdict(dict)
            for p in rows:
                tags = p["tags"] or {}
                if not p["exe"] or (not by_set and "op" not in tags):
                    continue
                key = p["exe"], json.dumps(tags if by_set else {"op": tags["op"]}, sort_keys=True)
                if kind == "processes":
                    groups[key][p["job"], p["process"], 0] = p
                    continue
                # Of a process with one thread, its row is that of the thread.
                for t in p["threads"] or [dict(p, thread=1)]:
                    u, s = t["usertime"], t["systemtime"]
                    groups[key][p["job"], p["process"], t["thread"]] = dict(t, cpu_time=None if u is None or s is None else u + s)
            want = {}
            for key, of in groups.items():
                for f in "duration_us", "cpu_time", "rchar":
                    for case, m in (judged({c: p[f] for c, p in of.items()}) if len(of) >= 4 else {}).items():
                        if m:
                            want[key + case + (f,)] = (m, of[case][f])
            got = {(o["program"].replace("\\", "\\\\"), json.dumps(o["tags"], sort_keys=True), o["id"], o["process_id"], o.get("thread_id", 0), o["feature"]):
                (o["methods"], o["value"]) for o in perfmon(kind, "--name", "ocean,ice,few", "--feature", "duration_us,cpu_time,rchar", "--score", "1", *words)["outliers"]}
            for k in set(got) | set(want):
                same("%s %s" % (kind, k), got.get(k), want.get(k))
    print(compared, wrong)


def planted(path):
    rows = json.load(open(path + ".json"))
    slow = {(p["kind"], p["percent"], p["job"], p["process"]) for p in rows if p["slow"]}
    for kind in "ops", "processes", "threads":
        if kind == "ops":
            got = [(o["feature"], g["group"].split("-")[0][1:], o["id"], 1 if o["tags"]["op"] == "build" else 2) for g in perfmon("ops", "--by", "op", "--feature",
                "duration_us,cpu_time,rchar", "--after", "2000-01-01")["groups"] for o in g["outliers"]]
            values = 3 * 2 * 1000
        else:
            got = [(o["feature"], o["program"][1:], o["id"], o["process_id"]) for o in perfmon(kind, "--name", "all", "--feature", "duration_us,cpu_time")["outliers"]]
            values = 2 * 2000
        of = "ops" if kind == "ops" else "rows"
        false = sum(1 for f, p, j, i in got if p == "0")
        found = {p: sum(1 for f, q, j, i in got if f == "cpu_time" and q == str(p) and (of, p, j, i) in slow) for p in (10, 20, 50)}
        print(kind, "%.5f" % (false / values), *found.values())
        if kind == "ops":
            # Of those that are found, the cause is ranked first.
            asked = [j for p in (10, 20, 50) for f, q, j, i in got if f == "cpu_time" and q == str(p) and ("ops", p, j, i) in slow][::14]
            cause = lambda job: json.loads(subprocess.run([os.environ["PERFMON"], "rootcause", "#%d" % job, "--op", "op:build", "--json"], stdout=subprocess.PIPE,
                universal_newlines=True).stdout)["causes"][0]["feature"]
            first = len(asked), sum(cause(j) == "cpu_time" for j in asked)
    print(*first)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        {"mixed": make_mixed, "planted": make_planted, "copies": make_copies}[sys.argv[3]](sys.argv[2])
    elif sys.argv[1] == "planted":
        planted(sys.argv[2])
    else:
        fault = sys.argv[3] if len(sys.argv) > 3 else None
        ask(sys.argv[2])
