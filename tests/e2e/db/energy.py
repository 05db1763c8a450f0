"""Make up the job of energy.t: folders of series and metadata, and what its energy is by an account of its own; bring
a database back to an earlier schema version; tell the energy of a job by host.

energy.py make OUT     OUT/all has 64 hosts; OUT/early and OUT/late have them in parts, two of them in both;
                       OUT/truth.json has the energy of each host and of the job, in uJ
energy.py older DB SQL OLD    the rows of DB in OLD, made by SQL, as far as it has their columns
energy.py change FOLDER HOST METRIC OBJECT denied|more
                              a series of a host is never read, or counts 1 uJ more in the end
energy.py hosts               of JSON of `list hosts` on standard input: HOST ENERGY, and of OUT/truth.json alike
"""
import json
import os
import random
import re
import sqlite3
import sys

START = 1700000000000000
MONO = 5000000
TICKS = 90
rng = random.Random(18)


def meta(host, ticks):
    return {
        "format": "perfmon-job-1", "version": "0.1.0",
        "job": {"cluster": "c", "user": "tester", "jobid": "64", "array_task": "", "restart_count": 0, "epoch_us": START,
                "scheduler": "slurm", "name": "energy", "uid": 1000, "gid": 1000, "nodes": 64, "tasks": 64},
        "host": {"hostname": host, "boot_id": "boot-" + host, "cpus_online": 8, "cpus_allowed": 8, "memory_kb": 16000000,
                 "page_size": 4096, "clock_ticks": 100},
        "start": {"time_us": START, "monotonic_us": MONO},
        "stop": {"time_us": START + ticks * 1000000, "monotonic_us": MONO + ticks * 1000000, "exit_status": 0, "files": 0,
                 "bytes": 0, "records": 0, "without_end": 0, "lost": 0}}


class Series:
    """values[t] is a number, a reason (text), or None: not in that tick."""

    def __init__(self, source, metric, obj, unit, kind, values):
        self.text = (source, metric, obj, unit, kind)
        self.values = values


def counter(power, start=None):
    """A counter of about `power` uW: one value a tick."""
    value = rng.randrange(10**9, 10**12) if start is None else start
    out = []
    for _ in range(TICKS):
        out.append(value)
        value += power // 2 + rng.randrange(power)
    return out


def gauge(power):
    return [power // 2 + rng.randrange(power) for _ in range(TICKS)]


def add_up(values):
    """Energy by a counter: differences of successive known values, none over a fall or a wrap."""
    total = covered = lost = 0
    last = at = None
    broken = False
    for t, v in enumerate(values):
        if isinstance(v, str):
            broken = broken or v == "wrapped"
        elif v is not None:
            if last is not None:
                if broken or v < last:
                    lost += 1
                else:
                    total += v - last
                    covered += (t - at) * 1000000
            last, at, broken = v, t, False
    return total, covered, lost


def integrate(values):
    """Energy by a power: the mean of two successive known values over the time between them."""
    twice = covered = lost = 0
    last = at = None
    broken = False
    for t, v in enumerate(values):
        if isinstance(v, str):
            broken = True
        elif v is not None:
            if last is not None:
                if broken or (t - at) > 60:
                    lost += 1
                else:
                    twice += (v + last) * (t - at)
                    covered += (t - at) * 1000000
            last, at, broken = v, t, False
    return (twice + 1) // 2, covered, lost


def rapl(packages, damage=None):
    """RAPL of a node, with all that its packages contain; damage(values) changes those of package and memory."""
    series, meters = [], []
    for p in range(packages):
        for metric, obj, power in (("package_energy", "package-%d" % p, 150000000), ("dram_energy", "package-%d/dram" % p, 20000000)):
            values = counter(power)
            if damage:
                damage(values)
            series.append(Series("rapl", metric, obj, "uJ", "counter", values))
            meters.append(add_up(values))
        for metric, obj in (("core_energy", "package-%d/core" % p), ("uncore_energy", "package-%d/uncore" % p),
                            ("mmio_energy", "package-%d" % p)):
            series.append(Series("rapl", metric, obj, "uJ", "counter", counter(90000000)))
    series.append(Series("rapl", "psys_energy", "psys", "uJ", "counter", counter(500000000)))
    for metric in ("package_energy", "dram_energy"):
        series.append(Series("rapl", metric, "", "uJ", "counter", counter(300000000)))
    return series, meters


def wraps(values):
    for at in rng.sample(range(2, TICKS - 2), 3):
        values[at] = rng.choice(("wrapped", "late", "absent"))
    values[TICKS // 2] = "wrapped"
    values[0] = "late"


def resets(values):
    at = rng.randrange(10, TICKS - 10)
    base = values[at]
    values[at:] = [v - base for v in values[at:]]


def gaps(values):
    for at in range(20, 20 + rng.randrange(5, 30)):
        values[at] = None


def kinds():
    def plain():
        return rapl(2)

    def wrapping():
        return rapl(2, wraps)

    def resetting():
        return rapl(1, resets)

    def cray():
        """The node's own meter counts alone, GPUs by two sources included."""
        series, _ = rapl(1)
        node = counter(700000000)
        gaps(node)
        series.append(Series("pm_counters", "node_energy", "node", "uJ", "counter", node))
        series.append(Series("pm_counters", "node_power", "node", "uW", "gauge", gauge(700000000)))
        for obj in ("cpu", "memory", "accel0"):
            series.append(Series("pm_counters", "part_energy", obj, "uJ", "counter", counter(100000000)))
        series.append(Series("nvidia_counters", "energy", "GPU-a", "uJ", "counter", counter(400000000)))
        return series, [add_up(node)]

    def gpus():
        """GPUs by counters; their powers, and pm_counters' account of one without its node, count no second time."""
        series, meters = rapl(1, gaps)
        for i in range(4):
            values = counter(300000000)
            series.append(Series("nvidia_counters", "energy", "GPU-%d" % i, "uJ", "counter", values))
            series.append(Series("nvidia", "power", "GPU-%d" % i, "uW", "gauge", gauge(300000000)))
            meters.append(add_up(values))
        series.append(Series("pm_counters", "part_energy", "accel0", "uJ", "counter", counter(300000000)))
        return series, meters

    def powers():
        """GPUs that tell only a power, one of them with unknown values; one that tells nothing."""
        series, meters = rapl(1)
        for i in range(2):
            values = gauge(250000000)
            if i:
                values[30:40] = ["late"] * 10
                values[50:60] = [None] * 10
            series.append(Series("nvidia_counters", "energy", "GPU-%d" % i, "uJ", "counter", ["unsupported"] * TICKS))
            series.append(Series("nvidia", "power", "GPU-%d" % i, "uW", "gauge", values))
            meters.append(integrate(values))
        series.append(Series("amdgpu", "energy", "0000:03:00.0", "uJ", "counter", ["unsupported"] * TICKS))
        return series, meters

    def none():
        return [Series("rapl", "package_energy", "", "uJ", "counter", ["permission"] + [None] * (TICKS - 1)),
                Series("memory", "used", "", "B", "gauge", gauge(1000000))], []

    def board():
        """A power meter of the board alone, packages beside it."""
        series, _ = rapl(2)
        values = gauge(600000000)
        series.append(Series("hwmon", "power", "power_meter@ACPI000D:00/power1", "uW", "gauge", values))
        series.append(Series("hwmon", "power", "pmbus@1-0058/power1", "uW", "gauge", gauge(300000000)))
        return series, [integrate(values)]

    return [plain, wrapping, resetting, cray, gpus, powers, none, board]


def text_of(host, series, ticks):
    out = ["perfmon-series-1\t%s\tboot-%s\t1000000\t.\n" % (host, host)]
    out += ["series\t%d\t%s\t.\n" % (i + 1, "\t".join(s.text)) for i, s in enumerate(series)]
    for t in ticks:
        pairs = []
        for i, s in enumerate(series):
            v = s.values[t]
            if v is not None:
                pairs.append("%d=%s" % (i + 1, "\\N:" + v if isinstance(v, str) else v))
        # The wall clock of a host was set back, so that its times come again.
        wall = START + t * 1000000 - (40500000 if host == "n09" and t >= 50 else 0)
        out.append("tick\t%d\t%d\t%s\t.\n" % (wall, MONO + t * 1000000, " ".join(pairs)))
    return "".join(out)


def write(folder, host, what, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, what % host), "w") as f:
        f.write(text)


def older(new, sql, old):
    db = sqlite3.connect(old)
    with open(sql) as f:
        db.executescript(f.read())
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("ATTACH ? AS new", (new,))
    for (table,) in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
        if table not in ("schema_version", "metric"):
            columns = ", ".join('"%s"' % r[1] for r in db.execute('PRAGMA main.table_info("%s")' % table))
            db.execute('DELETE FROM main."%s"' % table)
            db.execute('INSERT INTO main."%s" (%s) SELECT %s FROM new."%s"' % (table, columns, columns, table))
    db.commit()


def hosts():
    what = json.load(sys.stdin)
    pairs = what["host"].items() if "host" in what else [(h["hostname"], h["energy_uj"]) for h in what]
    for name, energy in sorted(pairs):
        print(name, "unknown" if energy is None else energy)


def change(folder, host, metric, obj, how):
    """A series of a host is never read (denied), or its last value is one more (more)."""
    for name in sorted(os.listdir(folder)):
        if not name.startswith(host + ".") or not name.endswith(".series"):
            continue
        path = os.path.join(folder, name)
        with open(path) as f:
            lines = f.read().splitlines(True)
        which = next(line.split("\t")[1] for line in lines if line.split("\t")[3:5] == [metric, obj])
        value = re.compile(r"(?<=[\t ])%s=(\S+)" % which)
        if how == "denied":
            lines = [value.sub(which + r"=\\N:permission", x) if x.startswith("tick") else x for x in lines]
        elif lines[-1].startswith("tick\t%d\t" % (START + (TICKS - 1) * 1000000)):
            lines[-1] = value.sub(lambda m: "%s=%d" % (which, int(m.group(1)) + 1), lines[-1])
        with open(path, "w") as f:
            f.writelines(lines)


def make(out):
    truth = {"host": {}, "lost": 0}
    for n in range(64):
        host = "n%02d" % n
        series, meters = kinds()[n % 8]()
        rng.shuffle(series)
        halves = [range(0, TICKS // 3), range(TICKS // 3, TICKS)]
        for part in ("all", "early" if n < 40 else "late"):
            write(os.path.join(out, part), host, "job-%s.json", json.dumps(meta(host, TICKS)))
        for k, ticks in enumerate(halves):
            text = text_of(host, series, ticks)
            write(os.path.join(out, "all"), host, "%%s.%d.series" % k, text)
            # Two hosts have one half in each part.
            late = n >= 40 or (n in (1, 4) and k == 1)
            write(os.path.join(out, "late" if late else "early"), host, "%%s.%d.series" % k, text)
        truth["host"][host] = sum(m[0] for m in meters) if meters else None
        truth["lost"] += sum(m[2] for m in meters)
    truth["job"] = sum(v for v in truth["host"].values() if v is not None)
    truth["hosts"] = sum(v is not None for v in truth["host"].values())
    with open(os.path.join(out, "truth.json"), "w") as f:
        json.dump(truth, f)
    print(truth["job"])


{"make": make, "older": older, "change": change, "hosts": hosts}[sys.argv[1]](*sys.argv[2:])
