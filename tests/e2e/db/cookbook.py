"""The statements of a file such as sql/cookbook.sql, asked of the jobs of site.py: cookbook.py MODE COOKBOOK ...

answers COOKBOOK sqlite FILE | psql DATABASE    prints what is wrong with the answers, then how many were right:
    each statement has its rows below; where the row that it is about is altered, it has others
plans COOKBOOK                                  the statements, one a line, with ? for parameters
names COOKBOOK                                  name, section and question of each
lines COOKBOOK                                  every line of SQL
"""
import re
import sqlite3
import subprocess
import sys
from decimal import Decimal

DAY = 1764201600000000
DAYS = {"from": DAY, "to": DAY + 2 * 86400000000}
FIRST = {"from": DAY, "to": DAY + 86400000000}
N = None

# name: parameters, what makes the answer another one, and the rows of the answer. Times are told from the day on, in
# seconds, where a text begins with @.
ANSWERS = {
    "job-number": ({"jobid": "106"}, "UPDATE job SET name = 'other' WHERE id = 7",
                   [(8, "", "dora", "3", "sweep", "@93603"), (7, "", "dora", "2", "sweep", "@93602"),
                    (6, "", "dora", "1", "sweep", "@93601")]),
    "user-jobs": ({"user": "bert"}, "UPDATE job SET cpu_time = 1 WHERE id = 3",
                  [(4, "104", "align", 100, 80, 80, 3993.6, 137), (3, "103", "align", 3600, 360, 1.3, 1024, 0)]),
    "host-jobs": ({"host": "n1", "from": DAY + 7000000000, "to": DAY + 95000000000}, "UPDATE job SET end_us = end_us - 3000000000 WHERE id = 2",
                  [(2, "102", "anna", "model", "@7200", "@8700"), (5, "105", "cara", "many", "@87000", "@87100")]),
    "tagged-jobs": ({"tag": "grid", "value": "c96"}, "UPDATE tag_set SET value = 'c48' WHERE id = 0 AND job_id = 2",
                    [(1, "101", "anna", "model", "@3600"), (2, "102", "anna", "model", "@7200")]),
    "annotated-jobs": ({"annotation": "ticket"}, "UPDATE annotation SET value = '78'", [(8, "106", "dora", "77")]),
    "running-jobs": ({}, "UPDATE job SET running = 2 WHERE id = 9", [(9, "107", "anna", "model", "@95400", 1)]),
    "name-trend": ({"name": "model"}, "UPDATE job SET duration_us = 1 WHERE id = 2",
                   [(2, "@7200", 1500, 2092, 2000000), (1, "@3600", 1000, 2092, 2000000)]),
    "array-tasks": ({"jobid": "106", "user": "dora"}, "UPDATE job SET duration_us = 100 WHERE id = 6",
                    [("3", 400, 1.94, 150000, 2), ("2", 120, 0.58, 100000, 0), ("1", 100, 0.48, 50000, 0)]),
    "programs-cpu": ({"job": 1}, "UPDATE program_summary SET cpu_time = 5 WHERE job_id = 1 AND program = 'model'",
                     [("model", 4, 2000, 95.6), ("python3 prep.py", 1, 90, 4.3), ("bash run.sh", 1, 2, 0.1), ("rm", 1, 0, 0)]),
    "programs-memory": ({"job": 1}, "UPDATE program_summary SET rssmax = 9000000 WHERE job_id = 1 AND program = 'rm'",
                        [("model", 4, 2000), ("python3 prep.py", 1, 800), ("bash run.sh", 1, 4), ("rm", 1, 2)]),
    "programs-io": ({"job": 1}, "UPDATE program_summary SET rchar = 0 WHERE job_id = 1 AND program LIKE 'python%'",
                    [("python3 prep.py", 3000, 1900), ("model", 2400, 1800)]),
    "programs-small-io": ({"job": 5}, "UPDATE program_summary SET tiny_reads = 1 WHERE job_id = 5 AND program = 'sed'",
                          [("sed", 60000, 60000, 600, 600)]),
    "programs-often": ({"job": 5}, "UPDATE program_summary SET runs = 100 WHERE job_id = 5 AND program = 'sed'",
                       [("sed", 60, 100)]),
    "programs-kernel": ({"job": 5}, "UPDATE program_summary SET systemtime = 0 WHERE job_id = 5 AND program = 'sed'",
                        [("bash loop.sh", 0.6, 10), ("sed", 0.6, 10)]),
    "processes-longest": ({"job": 4}, "UPDATE process SET duration_us = 200000000 WHERE job_id = 4 AND id = 2",
                          [(1, "bash", "big.sh", 100, 1), (2, "align", "all.fq", 98, 79)]),
    "processes-failed": ({"job": 4}, "UPDATE process SET exitsignal = 15 WHERE job_id = 4 AND id = 2",
                         [(1, "n3", "bash", "big.sh", 137, N), (2, "n3", "align", "all.fq", N, 9)]),
    "process-subtree": ({"job": 1, "process": 1}, "UPDATE process SET depth = 0 WHERE job_id = 1 AND id = 3",
                        [(1, "bash", "run.sh", 2, 1292), (2, "  python3", "prep.py", 90, 90), (3, "  model", "--grid c96", 600, 600),
                         (4, "  model", "--grid c96", 600, 600), (5, "  rm", "old.nc", 0, 0)]),
    "threads-busy": ({"job": 1, "process": 2}, "UPDATE thread_row SET usertime = 0 WHERE job_id = 1 AND process_id = 2 AND tid = 1011",
                     [(1011, "reader", 50, 50), (101, "python3", 30, 30), (1012, "idle", 10, 10)]),
    "processes-waiting": ({"job": 1}, "UPDATE process SET time_waiting = 0 WHERE job_id = 1 AND id = 3",
                          [(3, "model", 600, 12), (4, "model", 600, 12), (6, "model", 600, 12), (7, "model", 200, 4)]),
    "processes-gpu": ({"job": 1}, "UPDATE process SET gpu_time = NULL WHERE job_id = 1", [(3, "model", 0, 300)]),
    "operations-cpu": ({"job": 1, "tag": "op"}, "UPDATE process SET cpu_time = 1 WHERE job_id = 1 AND id = 3",
                       [("solve", 4, 2000, 700), ("prepare", 1, 90, 100), ("clean", 1, 0, 0)]),
    "phases": ({"job": 2}, "UPDATE phase SET duration_us = 1 WHERE job_id = 2 AND name = 'solve'",
               [("n1", "solve", 1, 1200), ("n1", "input", 1, 150)]),
    "rank-imbalance": ({"job": 1}, "UPDATE process SET cpu_time = 600000000 WHERE job_id = 1 AND mpirank = 3", [(4, 200, 600, 1.2)]),
    "host-imbalance": ({"job": 1}, "UPDATE host SET cpu_time = 1 WHERE job_id = 1 AND id = 2",
                       [("n1", 1292, 1.24), ("n2", 800, 0.76)]),
    "host-coverage": ({"job": 1}, "UPDATE host SET coverage = 0.5 WHERE job_id = 1 AND id = 1", [("n1", 1310, 98.6), ("n2", 800, 100)]),
    "instructions-per-cycle": ({"job": 1}, "UPDATE counter SET value = 1 WHERE job_id = 1 AND process_id = 3 AND name = 'PAPI_TOT_INS'",
                               [("model", 4, 1.85)]),
    "energy-meters": ({"job": 1}, "UPDATE energy SET energy_uj = 1 WHERE job_id = 1",
                      [("n1", "package", "package-0", 170000, 170, 1), ("n2", "package", "package-0", 150000, 150, 1)]),
    "hosts-memory": ({"job": 1}, "UPDATE node_summary SET max_t_mem_percent = 1 WHERE job_id = 1",
                     [("n1", 37.5, 0.64), ("n2", 6.3, 0.82)]),
    "series-list": ({"job": 1, "source": "memory"}, "UPDATE series_summary SET maximum = 1 WHERE job_id = 1",
                    [(10, "n1", "total", "", "B", "gauge", 16000000000, 16000000000), (11, "n1", "used", "", "B", "gauge", 2000000000, 6000000000),
                     (12, "n1", "available", "", "B", "gauge", 10000000000, 14000000000), (49, "n2", "total", "", "B", "gauge", 16000000000, 16000000000),
                     (50, "n2", "used", "", "B", "gauge", 1000000000, 1000000000), (51, "n2", "available", "", "B", "gauge", 15000000000, 15000000000)]),
    "samples-between": ({"job": 1, "series": 50, "from": DAY + 3690000000, "to": DAY + 3730000000},
                        "UPDATE sample_block SET first = 7 WHERE job_id = 1 AND series_id = 50",
                        [("@3690", 1000000000, N), ("@3700", N, "late"), ("@3710", N, "late"), ("@3720", 1000000000, N)]),
    "cpus-by-minute": ({"job": 1}, "UPDATE sample_block SET step = 0 WHERE job_id = 1 AND id = 1", None),
    "samples-unknown": ({"job": 1}, "UPDATE sample_block SET unknown = NULL WHERE job_id = 1",
                        [("n2", "memory", "available", "late", 2), ("n2", "memory", "used", "late", 2)]),
    "user-days": ({"cluster": "", "user": "bert"}, "UPDATE user_day SET cpu_time = 1", [("@0", 2, 1, 0.12)]),
    "users-waste": (FIRST, "UPDATE job SET cpu_time = 1 WHERE id = 1",
                    [("bert", 2, 8.03, 0.12, 7.91), ("anna", 2, 5.56, 1.16, 4.39)]),
    "jobs-oversized": (FIRST, "UPDATE job SET efficiency = 1 WHERE id = 3",
                       [(3, "103", "bert", "align", 8, 0.1), (2, "102", "anna", "model", 8, 1.4), (1, "101", "anna", "model", 8, 2.1)]),
    "accounts-energy": (DAYS, "UPDATE job SET energy_uj = NULL WHERE id = 1",
                        [("-", 1, 0, N, 0), ("bio", 5, 0.28, N, 0), ("climate", 3, 1.16, 0.2125, 2)]),
    "users-io": (FIRST, "UPDATE job SET read_bytes = 1 WHERE id = 3", [("bert", 8, 0.01), ("anna", 2.4, 5)]),
    "queue-wait": (DAYS, "UPDATE job SET submit_us = submit_us - 1000000 WHERE id = 3", [("big", 2, 60, 60), ("main", 7, 214.3, 600)]),
    "site-programs": (FIRST, "UPDATE program_summary SET cpu_time = 1 WHERE job_id = 1 AND program = 'model'",
                      [("model", 2, 8, 1.11), ("align", 2, 2, 0.12), ("python3 prep.py", 2, 2, 0.05), ("bash run.sh", 2, 2, 0), ("bash big.sh", 1, 1, 0)]),
    "hosts-failures": (DAYS, "UPDATE job SET exit_status = 1 WHERE id = 1", [("n3", 3, 2), ("n1", 4, 0), ("n2", 4, 0)]),
    "failures-reasons": (DAYS, "UPDATE host SET stop_exit_reason = NULL WHERE job_id = 4",
                         [("failure", 2, 1, 150000, N), ("memory", 137, 1, 3900000, 4000000)]),
    "hosts-slow": (dict(DAYS, name="model", program="model"), "UPDATE process SET duration_us = 1 WHERE job_id = 2",
                   [("n3", 2, 1200, 1200), ("n1", 4, 700, 700), ("n2", 2, 700, 700)]),
    "records-missing": (DAYS, "UPDATE job SET lost = 8 WHERE id = 5", [(5, "105", "cara", 7, 1, 0, 100)]),
    "lines-rejected": ({"job": 5}, "UPDATE reject SET reason = 'other'", [("n1-1000.tsv", 124, "too few fields: the line is cut")]),
}


def minutes():
    """CPUs by minute of job 1: n1 has 1 busy, 2 from the 200th to the 900th second; n2 none and 1.5."""
    rows = []
    for host, idle, busy in (("n1", 1, 2), ("n2", 0, Decimal("1.5"))):
        for minute in range(17):
            ticks = [t for t in range(60 * minute, 60 * minute + 60, 10) if t <= 1000]
            works = sum(busy if 200 <= t < 900 else idle for t in range(ticks[0], ticks[-1]))
            rows.append((host, "@%d" % (3600 + 60 * minute), round(float(works) / (ticks[-1] - ticks[0]), 2)))
    return rows


def read(path):
    """The statements of a file: name -> (section, question, SQL)."""
    found, section, name, question, sql = {}, None, None, None, []
    for line in open(path, encoding="utf-8"):
        m = re.match(r"-- ([a-z-]+): (.*)", line)
        if line.startswith("--- "):
            section = line[4:].strip()
        elif m:
            name, question = m.groups()
            assert name not in found, name
        elif section and name and line.strip() and not line.startswith("--"):
            sql.append(line)
            if line.rstrip().endswith(";"):
                found[name] = (section, question, "".join(sql).strip())
                name, sql = None, []
    assert not sql, "a statement without an end: %s" % name
    return found


def parameters(sql):
    return re.findall(r"(?<!:):([a-z]+)", sql)


class Sqlite:
    def __init__(self, path):
        self.db = sqlite3.connect(path, isolation_level=None)

    def rows(self, before, sql, values):
        self.db.execute("BEGIN")
        if before:
            self.db.execute(before)
        rows = [tuple(N if v is None else str(v) for v in row) for row in self.db.execute(sql, values)]
        self.db.execute("ROLLBACK")
        return rows


class Psql:
    """Parameters are psql's variables."""
    def __init__(self, url):
        self.command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-F", "\x1f", "-P", "null=\x1e", url]

    def rows(self, before, sql, values):
        command = self.command[:]
        for name, value in values.items():
            command += ["-v", "%s=%s" % (name, "'%s'" % value if isinstance(value, str) else value)]
        out = subprocess.run(command, input="BEGIN;\n%s;\n%s\nROLLBACK;\n" % (before or "", sql), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, universal_newlines=True)
        if out.returncode:
            raise ValueError(out.stdout)
        return [tuple(N if v == "\x1e" else v for v in line.split("\x1f")) for line in out.stdout.split("\n")[:-1]]


def same(got, want):
    """Values are equal as texts, or as numbers."""
    if got is None or want is None:
        return got is None and want is None
    if isinstance(want, str) and want.startswith("@"):
        return got == str(DAY + 1000000 * int(want[1:]))
    if isinstance(want, str):
        return got == want
    return Decimal(got) == Decimal(str(want))


def answers(statements, database):
    good = 0
    for name in sorted(set(statements) ^ set(ANSWERS)):
        print("%s: %s" % (name, "no answer is known" if name in statements else "not in the file"))
    for name, (values, alter, want) in ANSWERS.items():
        if name not in statements:
            continue
        sql = statements[name][2]
        if sorted(set(parameters(sql))) != sorted(values):
            print("%s: has parameters %s" % (name, " ".join(parameters(sql))))
            continue
        want = minutes() if want is None else want
        try:
            got, other = database.rows(None, sql, values), database.rows(alter, sql, values)
        except (sqlite3.Error, ValueError) as e:
            print("%s: %s" % (name, e))
            continue
        wrong = [(g, w) for g, w in zip(got, want) if len(g) != len(w) or not all(map(same, g, w))]
        if wrong or len(got) != len(want) or not want:
            print("%s: %d rows of %d, first other: %s" % (name, len(got), len(want), wrong[:1] or got))
        elif other == got:
            print("%s: an altered value changes nothing" % name)
        else:
            good += 1
    print(good)


mode, found = sys.argv[1], read(sys.argv[2])
if mode == "answers":
    answers(found, (Sqlite if sys.argv[3] == "sqlite" else Psql)(sys.argv[4]))
elif mode == "plans":
    for _, _, text in found.values():
        print(re.sub(r"\s+", " ", re.sub(r"(?<!:):[a-z]+", "?", text.rstrip(";"))))
elif mode == "names":
    for key, (part, text, _) in found.items():
        print("%s\t%s\t%s" % (key, part, text))
elif mode == "lines":
    for _, _, text in found.values():
        print(text)
