#!/usr/bin/env python3
"""Comparisons against an account of its own.

  compare.py pairs FILE PAIRS SHIFT DISTRIBUTION...  pairs of five jobs beside the only one of an SQLite database, of eight
                               programs, the first of which takes SHIFT more in the second five; of a pair one distribution
  compare.py ask URL PAIRS     asks $PERFMON about each pair; prints how many have a difference, and how many the first program's
  compare.py check FILE PAIRS [FAULT]  recomputes the p of all figures of pairs; prints how many, and how many are wrong
  compare.py history FILE RUNS SHIFT   jobs of one name, the last of which takes SHIFT more
"""
import itertools, json, math, os, random, sqlite3, subprocess, sys

PROGRAMS = ["cc1", "as", "ld", "gcc", "make", "sh", "sed", "ar"]
SHARES = [0.4, 0.2, 0.1, 0.1, 0.08, 0.05, 0.04, 0.03]
NOISE = {
    "normal": lambda r, s: r.gauss(0, 1),
    "lognormal": lambda r, s: (math.exp(r.gauss(0, 1)) - 1.65) / 2.16,
    "heavy": lambda r, s: r.gauss(0, 1) / math.sqrt(-math.log(1 - r.random())),
    "ticks": lambda r, s: round(r.gauss(0, 1) * s / 0.02) * 0.02 / s,
    "bimodal": lambda r, s: (1 if r.random() < 0.5 else -1) + r.gauss(0, 0.1),
}


def insert(db, table, rows):
    names = list(rows[0])
    db.executemany("INSERT INTO %s (%s) VALUES (%s)" % (table, ",".join('"%s"' % n for n in names), ",".join("?" * len(names))),
                   [[row[n] for n in names] for row in rows])


def columns(db, table):
    return [c[1] for c in db.execute("PRAGMA table_info(%s)" % table)]


def job(db, r, first, id, name, noise, shift, start):
    """A job, whose programs add up to it."""
    together = 0.005 * noise(r, 0.005)
    programs, cpu = [], 0
    for i, (program, share) in enumerate(zip(PROGRAMS, SHARES)):
        scale = (0.01, 0.02, 0.03)[i % 3]
        used = int(1e7 * share * max(0.05, 1 + together + scale * noise(r, scale)) * (1 + (shift if i == 0 else 0)))
        cpu += used
        programs.append(dict(job_id=id, program=program, processes=10, runs=10, threads_known=10, failed=0, killed=0, cpu_time=used,
                             systemtime=used // 10, rssmax=int(20000 * (1 + 0.001 * r.gauss(0, 1))), threads=1, rchar=10 ** 6, wchar=10 ** 5))
    system = int(cpu * 0.1 * (1 + 0.03 * noise(r, 0.03)))
    row = dict(first)
    row.update(id=id, jobid=str(90000 + id), name=name, start_us=start, end_us=start + 10 ** 7, epoch_us=start, running=0, cpu_time=cpu,
               duration_us=int(cpu / 1.9 * (1 + 0.01 * r.gauss(0, 1))), usertime=cpu - system, systemtime=system, processes=80, threads=80, failed=0,
               time_waiting=int(10 ** 8 * math.exp(0.4 * r.gauss(0, 1))), rssmax=20000, minflt=int(50000 * (1 + 0.001 * r.gauss(0, 1))),
               majflt=r.randrange(3), rchar=8 * 10 ** 6, wchar=8 * 10 ** 5, read_bytes=4096 * r.randrange(40), write_bytes=10 ** 6,
               vol_ctxsw=int(1000 * math.exp(0.2 * r.gauss(0, 1))), invol_ctxsw=int(800 * math.exp(0.3 * r.gauss(0, 1))), exit_status=0, exit_signal=None)
    return row, programs


def begin(path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = OFF")
    first = dict(zip(columns(db, "job"), db.execute("SELECT * FROM job WHERE id = 1").fetchone()))
    for table, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        if "job_id" in columns(db, table):
            db.execute("DELETE FROM %s WHERE job_id > 1" % table)
    db.execute("DELETE FROM job WHERE id > 1")
    return db, first


def write(db, made):
    insert(db, "job", [row for row, _ in made])
    insert(db, "program_summary", [p for _, programs in made for p in programs])
    db.commit()


def pairs(path, count, shift, *names):
    r = random.Random(int(count) * 7 + len(names))
    db, first = begin(path)
    made = []
    for pair in range(int(count)):
        noise = NOISE[names[pair % len(names)]]
        for i in range(10):
            id = 2 + 10 * pair + i
            made.append(job(db, r, first, id, "pair%d" % pair, noise, float(shift) if i >= 5 else 0, 1700000000000000 + id * 60000000))
    write(db, made)


def history(path, runs, shift):
    r = random.Random(5)
    db, first = begin(path)
    runs = int(runs)
    write(db, [job(db, r, first, 2 + i, "nightly", NOISE["normal"], float(shift) if i == runs - 1 else 0, 1700000000000000 + i * 86400000000)
               for i in range(runs)])


def compare(url, pair):
    ids = ["#%d" % (2 + 10 * pair + i) for i in range(10)]
    out = subprocess.run([os.environ["PERFMON"], "--db", url, "compare", "--json", ",".join(ids[:5]), ",".join(ids[5:])], stdout=subprocess.PIPE,
                         check=True).stdout
    return json.loads(out)


def ask(url, count):
    called = found = others = 0
    for pair in range(int(count)):
        said = [f for f in compare(url, pair)["figures"] if f["differs"]]
        called += bool(said)
        found += any(f["of"] == "program" and f["name"] == "cc1" and f["figure"] == "cpu_time" for f in said)
        others += any(f["of"] == "program" and f["name"] != "cc1" for f in said)
    print(called, found, others)


def statistic(values, side, least):
    a = [v for v, s in zip(values, side) if s]
    b = [v for v, s in zip(values, side) if not s]
    mean_a, mean_b = sum(a) / 5, sum(b) / 5
    square = (sum((v - mean_a) ** 2 for v in a) + sum((v - mean_b) ** 2 for v in b)) / 8
    return abs(mean_a - mean_b) / math.sqrt(square * 0.4 + least ** 2)


def check(path, count, fault=""):
    """Step-down maxT of all 252 assignments, from the database's numbers."""
    db = sqlite3.connect(path)
    checked = wrong = 0
    for pair in range(int(count)):
        answer = compare(path, pair)
        figures = []
        for f in answer["figures"]:
            values = []
            for i in range(10):
                id = 2 + 10 * pair + i
                column = "rchar + wchar" if f["figure"] == "bytes" else f["figure"]
                sql = "SELECT %s FROM job WHERE id = ?" % column if f["of"] == "job" else \
                      "SELECT %s FROM program_summary WHERE job_id = ? AND program = ?" % column
                values.append(db.execute(sql, (id,) if f["of"] == "job" else (id, f["name"])).fetchone()[0])
            ordered = sorted(values[:5])[2], sorted(values[5:])[2]
            if (f["a"], f["b"]) != ordered:
                wrong += 1
            if len(set(values)) > 1:
                figures.append((f, values))
            elif f["p"] != 1:
                wrong += 1
        sides = []
        for chosen in itertools.combinations(range(10), 5):
            sides.append([i in chosen for i in range(10)])
        own = [statistic(v, [i < 5 for i in range(10)], f["least"]) for f, v in figures]
        order = sorted(range(len(figures)), key=lambda k: own[k])
        reached = [0] * len(figures)
        for side in sides:
            most = 0
            for k in order:
                t = statistic(figures[k][1], side, figures[k][0]["least"])
                most = t if fault == "alone" else max(most, t)
                reached[k] += most >= own[k] * (1 - 1e-9)
        p = 0
        for k in reversed(order):
            p = max(p, reached[k] / len(sides))
            checked += 1
            got = figures[k][0]
            if abs(got["p"] - p) > 1e-9 or abs(got["statistic"] - own[k]) > 1e-6 * max(1, own[k]) or got["differs"] != (p <= 0.01):
                wrong += 1
    print(checked, wrong)


{"pairs": pairs, "ask": ask, "check": check, "history": history}[sys.argv[1]](*sys.argv[2:])
