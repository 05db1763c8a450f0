#!/usr/bin/env python3
"""Operations against an account of its own.

  ops.py make FILE SEED JOBS PROCESSES   rows after those of the one job in an SQLite database, PROCESSES in all; what they are goes
                                         to FILE.json
  ops.py sums FILE                       writes the totals of sets of tags that a loader would have written
  ops.py ask FILE URL [FAULT...]         asks $PERFMON about URL and compares; prints values compared and wrong ones. With FAULTs
                                         the same answers are compared once for each, the account being wrong on purpose.

The account adds up what `make` wrote, and reads no database. Its unions are of sorted ends, not of intervals that are merged.
"""
import collections, csv, functools, io, itertools, json, os, random, sqlite3, subprocess, sys

SUMS = ["cpu_time", "usertime", "rchar", "majflt", "gpu_time"]
PEAKS = ["rssmax"]
MOVERS = "cp mv rsync dmget hsmget gcp tar".split()


def times(r, begin, shape):
    """Start and end, either of which may be unknown."""
    start = begin + (r.randrange(10) * 1000 if shape == "dense" else r.randrange(10 ** 6 if shape == "busy" else 10 ** 9))
    length = r.choice([0, 0, 1, 1000, r.randrange(1, 2000), r.randrange(1, 10 ** 6), r.randrange(1, 10 ** 8) if r.random() < 0.02 else 5])
    start, end = start, start + length
    kind = r.random()
    if kind < 0.05:
        return None, end
    if kind < 0.10:
        return start, None
    if kind < 0.12:
        return None, None
    return (end, start) if kind < 0.14 else (start, end)


def make(path, seed, jobs, processes):
    r = random.Random(seed)
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = OFF")
    columns = {t: [c[1] for c in db.execute("PRAGMA table_info(%s)" % t)] for t in ("job", "host", "process")}
    first = {t: dict(zip(columns[t], db.execute("SELECT * FROM " + t).fetchone())) for t in columns}
    def insert(table, rows):
        names = columns[table]
        db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(names))), ([row[n] for n in names] for row in rows))
    for t in "process", "host", "tag_set", "tag_summary", "program_summary", "job":
        db.execute("DELETE FROM " + t)
    account, begins = [], []
    for j in range(1, jobs + 1):
        begin = 1700000000000000 + j * r.choice([0, 3600]) * 1000000
        begins.append(begin)
        skew = [0, r.choice([0, -3000000, 77]), r.randrange(-10 ** 6, 10 ** 6)]
        shape = r.choice(["dense", "busy", "sparse"])
        n = max(1, processes // jobs)
        sets = [{"op": r.choice(["timavg", "ncks", "cp", "a b,c", "x\\y", "\u00e9"]), "op_instance": str(r.randrange(4)), "seq": "1"}
            for _ in range(12)] + [{"op": "timavg"}, {"stage": "in;x", "op_instance": "3"}, {"op": ""}, {"only": str(j)}]
        # A tag named by many, so that sums are of many jobs, and a set that comes twice.
        sets.append(dict(sets[0]))
        insert("job", [dict(first["job"], id=j, jobid=str(7000 + j), epoch_us=j, start_us=begin, user="alice" if j % 2 else "bob",
            cpu_time=None if j % 7 == 3 else 10 ** 6 * n, processes=n)])
        insert("host", [dict(first["host"], job_id=j, id=h + 1, hostname="n%d" % h, boot_id="b%d" % h) for h in range(3)])
        escaped = lambda text: text.replace("\\", "\\\\")
        db.executemany("INSERT INTO tag_set VALUES (?, ?, ?, ?)",
            [(j, i + 1, k, escaped(v)) for i, s in enumerate(sets) for k, v in s.items()] + [(j, 0, "exp", "e%d" % (j % 3))])
        rows, above = [], []
        for i in range(1, n + 1):
            # In depth-first order.
            del above[r.randrange(len(above) + 1) if r.random() < 0.6 else len(above):]
            parent, depth = above[-1] if above else None, len(above)
            above.append(i)
            host = r.randrange(3)
            start, end = times(r, begin, shape)
            start, end = (None if t is None else t + skew[host] for t in (start, end))
            number = r.randrange(len(sets) + 2)
            row = dict(first["process"], job_id=j, id=i, host_id=host + 1, parent_id=parent, depth=depth,
                tag_set=number + 1 if number < len(sets) else None, start_us=start, end_us=end,
                duration_us=None if r.random() < 0.1 else r.randrange(10 ** 7), numtids=None if r.random() < 0.1 else r.randrange(1, 9),
                exename=r.choice(MOVERS + ["sh", "python3", "ls", None]), path=r.choice([None, "/bin/tar", "/bin/sh"]), pid=1000 + i)
            for k in SUMS + PEAKS:
                row[k] = None if r.random() < 0.2 or k == "gpu_time" else r.randrange(10 ** 6)
            rows.append(row)
        insert("process", rows)
        for row in rows:
            short = {k: row[k] for k in ["job_id", "id", "parent_id", "start_us", "end_us", "duration_us", "numtids", "exename", "path"] + SUMS + PEAKS}
            short["tags"] = sets[row["tag_set"] - 1] if row["tag_set"] else None
            account.append(short)
    db.commit()
    json.dump({"jobs": jobs, "begin": begins[0], "seed": seed, "rows": account, "cpu": {j: None if j % 7 == 3 else 10 ** 6 * max(1, processes // jobs)
        for j in range(1, jobs + 1)}}, open(path + ".json", "w"))


def sevenbits(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytearray([n]))


def sums(path):
    """Prints of how many sets, and of how many jobs."""
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    figures = [c[1][:-len("_known")] for c in db.execute("PRAGMA table_info(tag_summary)") if c[1].endswith("_known")]
    sets = collections.defaultdict(list)
    for p in db.execute("SELECT * FROM process WHERE tag_set IS NOT NULL"):
        sets[p["job_id"], p["tag_set"]].append(p)
    jobs = collections.defaultdict(list)
    for job, number in sets:
        jobs[job].append(number)
    done = 0
    for job, numbers in sorted(jobs.items()):
        count = sum(len(sets[job, n]) for n in numbers)
        if not 512 <= count <= 1 << 20 or len(numbers) > 4096 or count < 8 * len(numbers):
            continue
        done += 1
        for number in numbers:
            rows = sets[job, number]
            timed = [(p["start_us"], p["end_us"]) for p in rows if None not in (p["start_us"], p["end_us"]) and p["start_us"] <= p["end_us"]]
            last, code = 0, b""
            for i, (start, end) in enumerate(union(timed)[1]):
                code += sevenbits(start - last if i else 2 * start if start >= 0 else -2 * start - 1) + sevenbits(end - start)
                last = end
            row = [job, number, len(rows), len(timed), min(known(p["start_us"] for p in rows), default=None),
                max(known(p["end_us"] for p in rows), default=None)]
            for f in figures:
                values = known(p[f] for p in rows)
                row += [(max if f in ("rssmax", "vmpeak", "gpu_memory") else sum)(values) if values else None, len(values)]
            row.append(code or None)
            db.execute("INSERT INTO tag_summary VALUES (%s)" % ", ".join("?" * len(row)), row)
    db.commit()
    print(sum(len(n) for n in jobs.values()), done)


# --- the account ----------------------------------------------------------------------------------

fault = None


def union(intervals):
    """Length and runs, by the number of processes at each moment. What ends as another starts touches it."""
    first = -1 if fault == "touch" else 1
    ends = sorted([(s, 0) for s, _ in intervals] + [(e, first if e > s else 1) for s, e in intervals])
    depth = length = 0
    runs = []
    for t, is_end in ends:
        if depth == 0 and not is_end:
            begin = t
        depth += -1 if is_end else 1
        if depth == 0:
            runs.append([begin, t])
            length += t - begin
    return length, runs


def known(values):
    return [v for v in values if v is not None]


def account_of(rows):
    timed = [(p["start_us"], p["end_us"]) for p in rows if p["start_us"] is not None and p["end_us"] is not None and p["start_us"] <= p["end_us"]]
    if fault == "later" and timed:
        last = max(range(len(timed)), key=lambda i: timed[i][1])
        timed[last] = (timed[last][0], timed[last][1] + 1)
    length, runs = union(timed)
    durations, threads = known(p["duration_us"] for p in rows), known(p["numtids"] for p in rows)
    starts, ends = known(p["start_us"] for p in rows), known(p["end_us"] for p in rows)
    start, finish = min(starts, default=None), max(ends, default=None)
    a = {"jobs": len({p["job_id"] for p in rows}), "processes": len(rows), "threads": sum(threads) if threads else None,
        "threads_known": len(threads), "start_us": start, "finish_us": finish, "runs": len(runs), "timed": len(timed),
        "duration_sum_us": sum(durations) if durations else None, "duration_known": len(durations),
        "duration_union_us": length if timed else None, "duration_span_us": finish - start if timed else None}
    for m in SUMS + PEAKS:
        values = known(p[m] for p in rows)
        if fault == "zero":
            values = [p[m] or 0 for p in rows]
        total = (max if m in PEAKS else sum)(values) if values else None
        a[m] = total + 1 if fault == "sum" and total else total
        a[m + "_known"] = len(values)
    return a, runs


def label(pairs):
    return ";".join("%s:%s" % p for p in pairs)


def groups_of(rows, alternatives, per_job):
    """Operation to rows. An alternative: a list of (name, value or None); None for all tags."""
    groups = collections.defaultdict(dict)
    for i, p in enumerate(rows):
        if not p["tags"]:
            continue
        for want in alternatives:
            if want is None:
                pairs = sorted(p["tags"].items())
            elif all(k in p["tags"] and v in (None, p["tags"][k]) for k, v in want):
                pairs = [(k, p["tags"][k]) for k, _ in want]
            else:
                continue
            groups[(label(pairs), p["job_id"] if per_job else None)][i] = p
    return {k: list(v.values()) for k, v in groups.items()}


QUESTIONS = [
    ([], [None]),
    (["--by", "op"], [[("op", None)]]),
    (["--tag", "op"], [[("op", None)]]),
    (["--by", "op,op_instance"], [[("op", None), ("op_instance", None)]]),
    (["--tag", "op:timavg"], [[("op", "timavg")]]),
    (["--tag", "op:timavg;op_instance:3"], [[("op", "timavg"), ("op_instance", "3")]]),
    (["--tag", "op:timavg,op:ncks"], [[("op", "timavg")], [("op", "ncks")]]),
    (["--tag", "op:timavg", "--tag", "seq,op:a b\\,c"], [[("op", "timavg")], [("seq", None)], [("op", "a b,c")]]),
    (["--tag", "op:timavg", "--by", "op_instance"], [[("op", "timavg"), ("op_instance", None)]]),
    (["--tag", "op:,stage:in\\;x,op:x\\y,op:\u00e9"], [[("op", "")], [("stage", "in;x")], [("op", "x\\y")], [("op", "\u00e9")]]),
    (["--tag", "op:timavg,op"], [[("op", "timavg")], [("op", None)]]),
    (["--tag", "none:1"], [[("none", "1")]]),
]

compared = wrong = 0


def same(what, got, want):
    global compared, wrong
    compared += 1
    if got != want:
        wrong += 1
        if wrong < 6:
            print("# %s: %.300r, not %.300r" % (what, got, want))


@functools.lru_cache(maxsize=None)
def asked(url, *words):
    run = subprocess.run((os.environ["PERFMON"],) + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ, PERFMON_DB=url))
    if run.returncode:
        print("# %s: %d %s" % (words, run.returncode, run.stderr.decode()))
    return run.stdout.decode() if run.returncode == 0 else "{}"


def perfmon(url, words):
    return asked(url, "ops", *words)


def flat(o):
    a = {k: o.get(k) for k in ("jobs", "processes", "threads", "threads_known", "start_us", "finish_us", "runs", "timed", "duration_sum_us",
        "duration_known", "duration_union_us", "duration_span_us")}
    for m in SUMS + PEAKS:
        of = o["metrics"].get(m, {})
        a[m], a[m + "_known"] = of.get("max" if m in PEAKS else "sum"), of.get("known")
    return a


def ask(path, url):
    made = json.load(open(path + ".json"))
    r = random.Random(made["seed"])
    by_job = collections.defaultdict(list)
    for p in made["rows"]:
        by_job[p["job_id"]].append(p)
    all_jobs = list(range(1, made["jobs"] + 1))
    choices = [(["--after", "@1600000000"], all_jobs), (["7001"], [1])]
    if len(all_jobs) > 2:
        some = r.sample(all_jobs, len(all_jobs) // 2)
        choices.append((["%d" % (7000 + j) for j in some], some))
        choices.append((["--user", "alice", "--job-tag", "exp:e1"], [j for j in all_jobs if j % 2 and j % 3 == 1]))
    for (words, jobs), (tags, alternatives) in itertools.product(choices, QUESTIONS):
        rows = [p for j in sorted(jobs) for p in by_job[j]]
        for per_job in False, True:
            more = tags + (["--per-job"] if per_job else [])
            want = {k: account_of(v) for k, v in groups_of(rows, alternatives, per_job).items()}
            got = json.loads(perfmon(url, words + more + ["--json", "--intervals"])).get("operations", [])
            same("%s %s: operations" % (words, more), sorted((o["operation"], o.get("job_id") or 0) for o in got), sorted((k, j or 0) for k, j in want))
            for o in got:
                key = (o["operation"], o.get("job_id"))
                if key not in want:
                    continue
                a, runs = want[key]
                for k, v in flat(o).items():
                    same("%s %s %s: %s" % (words, more, key, k), v, a[k])
                same("%s %s %s: runs" % (words, more, key), o["intervals"], runs)
                same("%s %s: tags" % (words, more), label(o["tags"].items()), o["operation"])
            order = [(-(o["duration_sum_us"] if o["duration_sum_us"] is not None else -1)) for o in got]
            if not per_job:
                same("%s %s: the order" % (words, more), order, sorted(order))
    words, jobs = choices[0]
    rows = made["rows"]
    # CSV has the same as JSON.
    table = list(csv.DictReader(io.StringIO(perfmon(url, words + ["--by", "op_instance", "--csv"]))))
    want = {k[0]: account_of(v)[0] for k, v in groups_of(rows, [[("op_instance", None)]], False).items()}
    same("csv: operations", sorted(t["operation"] for t in table), sorted(want))
    for t in table:
        for k, v in want[t["operation"]].items():
            same("csv %s: %s" % (t["operation"], k), t[k], "" if v is None else str(v))
    # The view.
    if "://" not in url:
        want = groups_of(rows, [[(k, None)] for k in ("op", "op_instance", "seq", "stage", "only")], True)
        names = ["processes", "threads", "threads_known", "start_us", "finish_us", "duration_sum_us", "duration_known", "cpu_time", "cpu_time_known"]
        got = sqlite3.connect(url).execute("SELECT name || ':' || replace(value, '\\\\', '\\'), job_id, %s FROM operation" % ", ".join(names)).fetchall()
        same("the view", sorted(g[:2] for g in got), sorted(want))
        for g in got:
            a = account_of(want[g[:2]])[0]
            same("the view, %s" % (g[:2],), list(g[2:]), [a[k] for k in names])
    # Roots, processes by their start, tags, what moves data.
    tag = {(p["job_id"], p["id"]): p["tags"] for p in rows}
    is_op = lambda t: bool(t) and t.get("op") == "timavg"
    got = json.loads(perfmon(url, words + ["--tag", "op:timavg", "--roots", "--json"]))["roots"]
    want = [(p["job_id"], p["id"]) for p in rows if is_op(p["tags"]) and (fault == "root" or not is_op(tag.get((p["job_id"], p["parent_id"]))))]
    same("roots", [(o["job_id"], o["id"]) for o in got], want)
    got = json.loads(perfmon(url, words + ["--tag", "op:timavg", "--processes", "--json"]))["processes"]
    want = sorted((p for p in rows if is_op(p["tags"])), key=lambda p: (p["start_us"] is None, p["start_us"] or 0, p["job_id"], p["id"]))
    same("processes", [(o["job_id"], o["id"], o["start_us"], o["end_us"], o["cpu_time"]) for o in got],
        [(p["job_id"], p["id"], p["start_us"], p["end_us"], p["cpu_time"]) for p in want])
    got = json.loads(perfmon(url, words + ["--keys", "--json"]))["keys"]
    count, values = collections.Counter(), collections.defaultdict(set)
    for p in rows:
        for k, v in (p["tags"] or {}).items():
            count[k] += 1
            values[k].add(v)
    want = sorted(([-n, -len(values[k]), k] for k, n in count.items()))
    same("keys", [[-k["processes"], -k["values"], k["name"]] for k in got], want)
    got = json.loads(perfmon(url, words + ["--data-movement", "--json"]))
    def moves(p):
        program = p["exename"] if p["exename"] is not None else (p["path"] or "").split("/")[-1]
        return program in MOVERS or (p["tags"] or {}).get("op") in (["cp", "ncks"] if fault == "mover" else MOVERS)
    for o, (cpu, rows) in zip(got["jobs"] + [got["all"]], [(made["cpu"][str(j)], by_job[j]) for j in all_jobs] + [(None, rows)]):
        moving = [p for p in rows if moves(p)]
        a, _ = account_of(moving)
        if "job_id" not in o:
            cpu = known(made["cpu"].values())
            cpu = sum(cpu) if cpu else None
        same("moving %s" % o.get("jobid"), [o["processes"], o["cpu_time"], o["cpu_time_known"], o["duration_union_us"], o["duration_sum_us"], o["runs"], o["job_cpu_time"]],
            [len(moving)] + [a[k] if moving else 0 for k in ("cpu_time", "cpu_time_known", "duration_union_us", "duration_sum_us", "runs")] + [cpu])
        share = None if cpu is None or not moving or a["cpu_time"] is None else 100 * a["cpu_time"] / cpu
        if moving:
            same("moving %s: percent" % o.get("jobid"), o["percent"] is not None and round(o["percent"], 6), share is not None and round(share, 6))


def show(path, url):
    """Processes that `perfmon show` takes."""
    made = json.load(open(path + ".json"))
    rows = [p for p in made["rows"] if p["job_id"] == 1]
    begin, n = made["begin"], len(rows)
    parent = {p["id"]: p["parent_id"] for p in rows}
    def below(i, root):
        while i is not None and i != root:
            i = parent[i]
        return i == root or fault == "below"
    def alive(p, us):
        return p["start_us"] is not None and p["start_us"] <= us and (p["end_us"] is None or p["end_us"] >= us + (fault == "alive"))
    has = lambda p, **tags: p["tags"] and all(p["tags"].get(k) == v for k, v in tags.items())
    questions = [(["--subtree", "#%d" % i], lambda p, i=i: below(p["id"], i)) for i in sorted({1, min(2, n), (n + 1) // 2, n})]
    questions += [(["--subtree", str(1000 + (n + 2) // 3)], lambda p: below(p["id"], (n + 2) // 3))]
    questions += [(["--alive", "+%dms" % ms], lambda p, ms=ms: alive(p, begin + 1000 * ms)) for ms in (0, 3, 9, 400)]
    questions += [(["--alive", "@%d" % (begin // 1000000)], lambda p: alive(p, begin))]
    questions += [(["--tag", "op:timavg"], lambda p: has(p, op="timavg")), (["--tag", "op:timavg;op_instance:3,op:ncks"],
        lambda p: has(p, op="timavg", op_instance="3") or has(p, op="ncks")), (["--tag", "stage"], lambda p: p["tags"] and "stage" in p["tags"])]
    questions += [(["--timeline"], lambda p: True), (["--timeline", "--subtree", "#%d" % min(2, n), "--alive", "+4ms", "--tag", "op"],
        lambda p: below(p["id"], min(2, n)) and alive(p, begin + 4000) and p["tags"] and "op" in p["tags"])]
    for words, takes in questions:
        want = [p for p in rows if takes(p)]
        if "--timeline" in words:
            want.sort(key=lambda p: (p["start_us"] is None, p["start_us"] or 0, p["id"]))
        got = json.loads(asked(url, "show", "7001", "--json", *words))
        same("show %s" % words, [p["id"] for p in got["processes"]], [p["id"] for p in want])
        same("show %s: threads" % words, {t["process_id"] for t in got["threads"]}, {p["id"] for p in want})
        text = asked(url, "show", "7001", "--limit", "0", "--width", "120", *words).splitlines()
        if words[0] != "--subtree":
            same("show %s: text" % words, [int(l.split()[0]) for l in text[1:]] if want else text, [p["id"] for p in want] or ["no such processes"])


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
elif sys.argv[1] == "sums":
    sums(sys.argv[2])
else:
    for fault in sys.argv[4:] or [None]:
        compared = wrong = 0
        ask(sys.argv[2], sys.argv[3])
        show(sys.argv[2], sys.argv[3])
        print(compared, wrong)
